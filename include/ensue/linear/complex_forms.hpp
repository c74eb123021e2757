/// Solvers of (re + i·im)·I − J for each form that J has (forms.hpp): complex elimination where it is dense, and where it has a pattern
/// the real matrix of twice the size, in which an element a is [a 0; 0 a] and the shift [re −im; im re].
#pragma once

#include <ensue/linear/complex_dense.hpp>
#include <ensue/linear/forms.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ensue::linear {

template <plain_scalar T> class complex_over_pattern {
 public:
  explicit complex_over_pattern(const sparsity_pattern& p)
      : form_(doubled(p)), diagonal_(p.rows), right_(2 * p.rows) {
    const sparsity_pattern& twice = form_.matrix().pattern();
    for (std::size_t i = 0; i < p.rows; ++i) {
      diagonal_[i] = {twice.position(2 * i, 2 * i), twice.position(2 * i, 2 * i + 1), twice.position(2 * i + 1, 2 * i),
                      twice.position(2 * i + 1, 2 * i + 1)};
      for (const index_type j : p.row(i))
        place_.push_back({twice.position(2 * i, 2 * static_cast<std::size_t>(j)), twice.position(2 * i + 1, 2 * static_cast<std::size_t>(j) + 1)});
    }
  }

  bool factor_shifted(const sparse_matrix<T>& j, T re, T im) {
    return factor(re, im, [values = j.values()](std::size_t k) { return values[k]; });
  }
  bool factor_shifted(const banded_matrix<T>& j, T re, T im) {
    // Element k of the pattern, row by row as the pattern was made.
    std::size_t row = 0, column = 0;
    return factor(re, im, [&, first = true](std::size_t) mutable {
      if (first) first = false;
      else if (++column == j.size() || !j.holds(row, column)) ++row, column = row > j.lower() ? row - j.lower() : 0;
      return j(row, column);
    });
  }

  void solve(std::span<T> re, std::span<T> im) {
    for (std::size_t i = 0; i < re.size(); ++i) right_[2 * i] = re[i], right_[2 * i + 1] = im[i];
    form_.solve({right_.data(), right_.size()});
    for (std::size_t i = 0; i < re.size(); ++i) re[i] = right_[2 * i], im[i] = right_[2 * i + 1];
  }

 private:
  static sparsity_pattern doubled(const sparsity_pattern& p) {
    std::vector<sparsity_pattern::entry> entries;
    entries.reserve(2 * p.nonzeros() + 4 * p.rows);
    for (std::size_t i = 0; i < p.rows; ++i) {
      for (std::size_t r = 2 * i; r < 2 * i + 2; ++r)
        for (std::size_t c = 2 * i; c < 2 * i + 2; ++c) entries.emplace_back(r, c);
      for (const index_type column : p.row(i)) {
        const auto j = static_cast<std::size_t>(column);
        if (j == i) continue;
        entries.emplace_back(2 * i, 2 * j);
        entries.emplace_back(2 * i + 1, 2 * j + 1);
      }
    }
    return sparsity_pattern::from_entries(2 * p.rows, 2 * p.rows, entries);
  }

  /// The form solves s·I − J: with s = 0 and everything of the other sign.
  template <class Value> bool factor(T re, T im, Value value) {
    const std::span<T> to = form_.matrix().values();
    for (T& element : to) element = T(0);
    for (std::size_t k = 0; k < place_.size(); ++k) {
      const T element = value(k);
      for (const std::size_t at : place_[k]) to[at] = element;
    }
    for (const block& own : diagonal_) {
      to[own[0]] -= re, to[own[1]] += im;
      to[own[2]] -= im, to[own[3]] -= re;
    }
    form_.filled();
    return form_.factor(T(0));
  }

  using block = vec<std::size_t, 4>;
  patterned_form<T> form_;
  std::vector<vec<std::size_t, 2>> place_;  ///< of each element's two copies
  std::vector<block> diagonal_;             ///< of the shift's
  buffer<T> right_;
};

template <class T, std::size_t N> ENSUE_HD complex_dense_lu<T, N> complex_solver_of(const dense_form<T, N>& form) {
  return complex_dense_lu<T, N>(form.matrix().size());
}
template <class T> complex_over_pattern<T> complex_solver_of(const banded_form<T>& form) {
  return complex_over_pattern<T>(sparsity_pattern::banded(form.matrix().size(), form.matrix().lower(), form.matrix().upper()));
}
template <class T> complex_over_pattern<T> complex_solver_of(const patterned_form<T>& form) {
  return complex_over_pattern<T>(form.matrix().pattern());
}

}  // namespace ensue::linear
