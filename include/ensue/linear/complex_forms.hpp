/// Solvers of (re + i·im)·I − J, or of (re + i·im)·M − J, for each form that J has (forms.hpp): complex elimination where it is dense, and
/// where it has a pattern the real matrix of twice the size, in which an element a is [a 0; 0 a] and the shift [re −im; im re].
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
  /// `mass` is the pattern of M, or the diagonal.
  complex_over_pattern(const sparsity_pattern& p, const sparsity_pattern& mass) : form_(doubled(p, mass)), right_(2 * p.rows) {
    const sparsity_pattern& twice = form_.matrix().pattern();
    for (std::size_t i = 0; i < p.rows; ++i) {
      for (const index_type column : mass.row(i)) {
        const std::size_t j = 2 * static_cast<std::size_t>(column);
        shifted_.push_back({twice.position(2 * i, j), twice.position(2 * i, j + 1), twice.position(2 * i + 1, j),
                            twice.position(2 * i + 1, j + 1)});
      }
      for (const index_type j : p.row(i))
        place_.push_back({twice.position(2 * i, 2 * static_cast<std::size_t>(j)),
                          twice.position(2 * i + 1, 2 * static_cast<std::size_t>(j) + 1)});
    }
  }

  template <class Matrix> bool factor_shifted(const Matrix& j, T re, T im) {
    return factor(re, im, elements_of(j), [](std::size_t) { return T(1); });
  }
  template <class Matrix> bool factor_shifted(const Matrix& j, T re, T im, const Matrix& mass) {
    return factor(re, im, elements_of(j), elements_of(mass));
  }

  void solve(std::span<T> re, std::span<T> im) {
    for (std::size_t i = 0; i < re.size(); ++i) right_[2 * i] = re[i], right_[2 * i + 1] = im[i];
    form_.solve({right_.data(), right_.size()});
    for (std::size_t i = 0; i < re.size(); ++i) re[i] = right_[2 * i], im[i] = right_[2 * i + 1];
  }

 private:
  static sparsity_pattern doubled(const sparsity_pattern& p, const sparsity_pattern& mass) {
    std::vector<sparsity_pattern::entry> entries;
    entries.reserve(2 * p.nonzeros() + 4 * mass.nonzeros());
    for (std::size_t i = 0; i < p.rows; ++i) {
      for (const index_type column : mass.row(i)) {
        const auto j = static_cast<std::size_t>(column);
        for (std::size_t r = 2 * i; r < 2 * i + 2; ++r)
          for (std::size_t c = 2 * j; c < 2 * j + 2; ++c) entries.emplace_back(r, c);
      }
      for (const index_type column : p.row(i)) {
        const auto j = static_cast<std::size_t>(column);
        entries.emplace_back(2 * i, 2 * j);
        entries.emplace_back(2 * i + 1, 2 * j + 1);
      }
    }
    return sparsity_pattern::from_entries(2 * p.rows, 2 * p.rows, entries);
  }

  static auto elements_of(const sparse_matrix<T>& a) {
    return [values = a.values()](std::size_t k) { return values[k]; };
  }
  /// Element k of the pattern, row by row as the pattern was made; to be asked for in this order.
  static auto elements_of(const banded_matrix<T>& a) {
    return [&a, row = std::size_t(0), column = std::size_t(0)](std::size_t k) mutable {
      if (k == 0) row = column = 0;
      else if (++column == a.size() || !a.holds(row, column)) ++row, column = row > a.lower() ? row - a.lower() : 0;
      return a(row, column);
    };
  }

  /// The form solves s·I − J: with s = 0 and everything of the other sign.
  template <class Value, class Mass> bool factor(T re, T im, Value value, Mass mass) {
    const std::span<T> to = form_.matrix().values();
    for (T& element : to) element = T(0);
    for (std::size_t k = 0; k < place_.size(); ++k) {
      const T element = value(k);
      for (const std::size_t at : place_[k]) to[at] = element;
    }
    for (std::size_t k = 0; k < shifted_.size(); ++k) {
      const block& own = shifted_[k];
      const T m = mass(k);
      to[own[0]] -= re * m, to[own[1]] += im * m;
      to[own[2]] -= im * m, to[own[3]] -= re * m;
    }
    form_.filled();
    return form_.factor(T(0));
  }

  using block = vec<std::size_t, 4>;
  patterned_form<T> form_;
  std::vector<vec<std::size_t, 2>> place_;  ///< of each element's two copies
  std::vector<block> shifted_;              ///< of the elements of M
  buffer<T> right_;
};

template <class T, std::size_t N> ENSUE_HD complex_dense_lu<T, N> complex_solver_of(const dense_form<T, N>& form) {
  return complex_dense_lu<T, N>(form.matrix().size());
}
template <class T> complex_over_pattern<T> complex_solver_of(const banded_form<T>& form) {
  const auto band = sparsity_pattern::banded(form.matrix().size(), form.matrix().lower(), form.matrix().upper());
  return complex_over_pattern<T>(band, form.has_mass() ? band : sparsity_pattern::banded(form.matrix().size(), 0, 0));
}
template <class T> complex_over_pattern<T> complex_solver_of(const patterned_form<T>& form) {
  return complex_over_pattern<T>(form.matrix().pattern(), form.mass_pattern());
}

}  // namespace ensue::linear
