/// Jacobians by differences over a known sparsity: columns that share no row are perturbed together.
///
/// Curtis, Powell & Reid (1974), "On the estimation of sparse Jacobian matrices", J. Inst. Math. Appl. 13, 117–119; as a colouring of the
/// columns' intersection graph, largest degree first: Coleman & Moré (1983), SIAM J. Numer. Anal. 20, 187–209. A band of 2k + 1 diagonals
/// takes 2k + 1 evaluations whatever its length.
///
///     const column_groups groups = colour_columns(pattern);
///     coloured_differences<double> differences(pattern, groups);
///     differences.jacobian(f, x, fx, J.values());          // f(x, out): groups.count() evaluations
#pragma once

#include <ensue/linear/pattern.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace ensue::linear {

struct column_groups {
  std::vector<index_type> colour;         ///< the group of each column
  std::vector<std::size_t> start;    ///< members[start[g]] … members[start[g + 1] − 1] are the columns of group g
  std::vector<std::size_t> members;
  std::size_t count() const { return start.empty() ? 0 : start.size() - 1; }
};

namespace detail {

/// body(c) for every column c that shares a row with `column`, itself included, each as often as they do.
template <class Body>
void for_each_sharing(const sparsity_pattern& rows, const sparsity_pattern& transposed, std::size_t column, const Body& body) {
  for (const index_type i : transposed.row(column))
    for (const index_type c : rows.row(static_cast<std::size_t>(i))) body(static_cast<std::size_t>(c));
}

/// Each column, in the order given, gets the first colour that none of those it shares a row with has. Returns how many there are.
inline std::size_t greedy_colours(const sparsity_pattern& rows, const sparsity_pattern& transposed, const std::vector<std::size_t>& order,
                                  std::vector<index_type>& colour) {
  std::vector<std::size_t> taken_by(rows.width + 1, rows.width);  // colour → the last column that could not have it
  std::size_t count = 0;
  colour.assign(rows.width, -1);
  for (const std::size_t column : order) {
    for_each_sharing(rows, transposed, column, [&](std::size_t c) {
      if (colour[c] >= 0) taken_by[static_cast<std::size_t>(colour[c])] = column;
    });
    std::size_t first = 0;
    while (taken_by[first] == column) ++first;
    colour[column] = static_cast<index_type>(first);
    count = std::max(count, first + 1);
  }
  return count;
}

}  // namespace detail

/// Greedy, by falling degree and once more in the order as it is (which is best for bands and grids); the fewer groups win. Never fewer
/// than the longest row has elements. Time: the sum of the squares of the rows' lengths, so a row that is full makes every column its own
/// group after n² steps.
inline column_groups colour_columns(const sparsity_pattern& p) {
  const sparsity_pattern transposed = p.transposed();
  std::vector<std::size_t> order(p.width), degree(p.width, 0), seen(p.width, p.width);
  std::iota(order.begin(), order.end(), std::size_t(0));
  column_groups groups;
  std::size_t count = detail::greedy_colours(p, transposed, order, groups.colour);
  for (std::size_t column = 0; column < p.width; ++column)
    detail::for_each_sharing(p, transposed, column, [&](std::size_t c) {
      if (seen[c] != column) seen[c] = column, ++degree[column];
    });
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return degree[a] != degree[b] ? degree[a] > degree[b] : a < b;
  });
  std::vector<index_type> by_degree;
  const std::size_t other = detail::greedy_colours(p, transposed, order, by_degree);
  if (other < count) count = other, groups.colour.swap(by_degree);

  groups.start.assign(count + 1, 0);
  for (const index_type g : groups.colour) ++groups.start[static_cast<std::size_t>(g) + 1];
  for (std::size_t g = 0; g < count; ++g) groups.start[g + 1] += groups.start[g];
  std::vector<std::size_t> next(groups.start.begin(), groups.start.end() - 1);
  groups.members.resize(p.width);
  for (std::size_t c = 0; c < p.width; ++c) groups.members[next[static_cast<std::size_t>(groups.colour[c])]++] = c;
  return groups;
}

/// Forward differences, a group at a time. x_j is moved by √ε·max(|x_j|, typical): half the digits to truncation, half to rounding.
template <plain_scalar T> class coloured_differences {
 public:
  coloured_differences(const sparsity_pattern& p, column_groups groups)
      : columns_(p.transposed(&position_)), groups_(std::move(groups)), moved_(p.width), change_(p.rows) {}

  std::size_t evaluations() const { return groups_.count(); }

  /// `values` over the pattern, from f(x, out) and fx = f(x). False where an evaluation refused (f returned false) or a difference is not
  /// finite; `failed_at()` is the column then.
  template <class F> bool jacobian(F&& f, std::span<const T> x, std::span<const T> fx, std::span<T> values, T typical = T(1e-3)) {
    const T root = std::sqrt(std::numeric_limits<T>::epsilon());
    std::copy(x.begin(), x.end(), moved_.data());
    bool good = true;
    for (std::size_t g = 0; g < groups_.count() && good; ++g) {
      const std::span<const std::size_t> members(groups_.members.data() + groups_.start[g], groups_.start[g + 1] - groups_.start[g]);
      for (const std::size_t j : members) moved_[j] = x[j] + with_sign(root * maximum(magnitude(x[j]), typical), x[j]);
      failed_at_ = members.front();
      good = evaluate(f);
      for (const std::size_t j : members) {
        const T step = moved_[j] - x[j];  // what was really added, rounding included
        moved_[j] = x[j];
        if (good && !distribute(j, T(1) / step, fx, values)) good = false, failed_at_ = j;
      }
    }
    return good;
  }
  std::size_t failed_at() const { return failed_at_; }

 private:
  template <class F> bool evaluate(F&& f) {
    const std::span<const T> x(moved_.data(), moved_.size());
    const std::span<T> out(change_.data(), change_.size());
    if constexpr (requires { static_cast<bool>(f(x, out)); }) {
      return static_cast<bool>(f(x, out));
    } else {
      f(x, out);
      return true;
    }
  }
  bool distribute(std::size_t j, T inverse, std::span<const T> fx, std::span<T> values) const {
    T zero = T(0);
    for (index_type k = columns_.row_start[j]; k < columns_.row_start[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(columns_.columns[static_cast<std::size_t>(k)]);
      const T slope = (change_[i] - fx[i]) * inverse;
      values[static_cast<std::size_t>(position_[static_cast<std::size_t>(k)])] = slope;
      zero += T(0) * slope;
    }
    return zero == T(0);
  }

  std::vector<index_type> position_;
  sparsity_pattern columns_;
  column_groups groups_;
  buffer<T> moved_, change_;
  std::size_t failed_at_ = 0;
};

}  // namespace ensue::linear
