/// A matrix J together with the solver of s·I − J, or of s·M − J, in each of the forms that a Jacobian has: full, a band, values over a
/// pattern.
///
/// What they share is what an implicit method asks for, and what fills J by differences:
///
///     matrix()                            J, to be cleared and written
///     filled()                            J is complete: whatever is derived from it
///     factor(s), solve(b), singular_at()  of s·I − J, b in place; the column without a pivot
///     multiply(x, y)                      y = J x
///     groups(), for_each_member(g, body), for_each_in_column(j, body)
///                                         columns that share no row, which one difference finds together; body(i, element) of a column
///     first_row_not_finite()              −1: all are
///     take_mass(), mass(), mass_filled()  M, cleared; as it was written; it is complete, and in the place of I from now on
///     has_mass(), multiply_mass(x, y), is_massless(i)     whether there is one; y = M x; whether its row i has no element
///
/// All memory is taken at construction, that of M by `take_mass`; the one exception is Eigen's (eigen_lu.hpp). A method whose matrix is complex
/// (Radau's) has its decomposition beside the real one (complex_forms.hpp).
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/linear/banded.hpp>
#include <ensue/linear/choice.hpp>
#include <ensue/linear/colouring.hpp>
#include <ensue/linear/dense.hpp>
#include <ensue/linear/sparse.hpp>
#include <ensue/linear/sparse_solver.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace ensue::linear {

namespace detail {
/// The sum of 0·x over a row is 0 where all of it is finite.
template <class T> ENSUE_HD ENSUE_INLINE bool all_finite(const T* values, std::size_t count) {
  T zero(0);
  for (std::size_t j = 0; j < count; ++j) zero = zero + T(0) * values[j];
  return zero == T(0);
}
template <class T> ENSUE_HD bool all_zero(const T* values, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j)
    if (values[j] != T(0)) return false;
  return true;
}
}  // namespace detail

template <class T, std::size_t N = 0> class dense_form {
 public:
  using matrix_type = dense_matrix<T, N>;
  dense_form() = default;
  ENSUE_HD explicit dense_form(std::size_t size) : matrix_(size), solver_(size) {}

  ENSUE_HD ENSUE_INLINE matrix_type& matrix() { return matrix_; }
  ENSUE_HD ENSUE_INLINE const matrix_type& matrix() const { return matrix_; }
  ENSUE_HD ENSUE_INLINE void filled() {}
  ENSUE_HD ENSUE_INLINE bool factor(const T& s) {
    return has_mass_ ? solver_.factor_shifted(matrix_, s, mass_) : solver_.factor_shifted(matrix_, s);
  }
  ENSUE_HD ENSUE_INLINE void solve(std::span<T> b) { solver_.solve(b); }
  ENSUE_HD std::size_t singular_at() const { return solver_.singular_at(); }
  ENSUE_HD void multiply(const T* x, T* y) const { matrix_.multiply(x, y); }

  ENSUE_HD matrix_type& take_mass() {
    if (has_mass_) mass_.clear();
    else mass_ = matrix_type(matrix_.size());
    return mass_;
  }
  ENSUE_HD void mass_filled() { has_mass_ = true; }
  ENSUE_HD const matrix_type& mass() const { return mass_; }
  ENSUE_HD ENSUE_INLINE bool has_mass() const { return has_mass_; }
  ENSUE_HD void multiply_mass(const T* x, T* y) const { mass_.multiply(x, y); }
  ENSUE_HD bool is_massless(std::size_t i) const { return detail::all_zero(mass_.row(i), mass_.size()); }

  ENSUE_HD ENSUE_INLINE std::size_t groups() const { return matrix_.size(); }
  template <class Body> ENSUE_HD ENSUE_INLINE void for_each_member(std::size_t g, const Body& body) const { body(g); }
  template <class Body> ENSUE_HD ENSUE_INLINE void for_each_in_column(std::size_t j, const Body& body) {
    for (std::size_t i = 0; i < matrix_.size(); ++i) body(i, matrix_(i, j));
  }
  ENSUE_HD std::int64_t first_row_not_finite() const {
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      if (!detail::all_finite(matrix_.row(i), matrix_.size())) return static_cast<std::int64_t>(i);
    return -1;
  }

 private:
  matrix_type matrix_, mass_;
  dense_lu<T, N> solver_;
  bool has_mass_ = false;
};

template <plain_scalar T> class banded_form {
 public:
  using matrix_type = banded_matrix<T>;
  banded_form(std::size_t size, bandwidth b) : matrix_(size, b.lower, b.upper), solver_(size, b.lower, b.upper) {}

  matrix_type& matrix() { return matrix_; }
  const matrix_type& matrix() const { return matrix_; }
  void filled() {}
  bool factor(T s) { return has_mass_ ? solver_.factor_shifted(matrix_, s, mass_) : solver_.factor_shifted(matrix_, s); }
  void solve(std::span<T> b) { solver_.solve(b); }
  std::size_t singular_at() const { return solver_.singular_at(); }
  void multiply(const T* x, T* y) const { matrix_.multiply({x, matrix_.size()}, {y, matrix_.size()}); }

  /// In J's band.
  matrix_type& take_mass() {
    if (has_mass_) mass_.clear();
    else mass_ = matrix_type(matrix_.size(), matrix_.lower(), matrix_.upper());
    return mass_;
  }
  void mass_filled() { has_mass_ = true; }
  const matrix_type& mass() const { return mass_; }
  bool has_mass() const { return has_mass_; }
  void multiply_mass(const T* x, T* y) const { mass_.multiply({x, mass_.size()}, {y, mass_.size()}); }
  bool is_massless(std::size_t i) const { return detail::all_zero(mass_.row(i), mass_.width()); }

  /// Columns a band's width apart share no row.
  std::size_t groups() const { return matrix_.width() < matrix_.size() ? matrix_.width() : matrix_.size(); }
  template <class Body> void for_each_member(std::size_t g, const Body& body) const {
    for (std::size_t j = g; j < matrix_.size(); j += matrix_.width()) body(j);
  }
  template <class Body> void for_each_in_column(std::size_t j, const Body& body) {
    const std::size_t first = j > matrix_.upper() ? j - matrix_.upper() : 0;
    const std::size_t end = j + matrix_.lower() + 1 < matrix_.size() ? j + matrix_.lower() + 1 : matrix_.size();
    for (std::size_t i = first; i < end; ++i) body(i, matrix_(i, j));
  }
  std::int64_t first_row_not_finite() const {
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      if (!detail::all_finite(matrix_.row(i), matrix_.width())) return static_cast<std::int64_t>(i);
    return -1;
  }

 private:
  matrix_type matrix_, mass_;
  banded_lu<T> solver_;
  bool has_mass_ = false;
};

/// How s·I − J is solved where J is values over a pattern.
namespace detail {

/// As a full matrix.
template <plain_scalar T> class pattern_in_full {
 public:
  explicit pattern_in_full(const sparsity_pattern& p) : full_(p.rows) {}
  void filled(const sparse_matrix<T>& j) {
    j.for_each([this](std::size_t i, std::size_t c, T value) { full_.matrix()(i, c) = value; });
  }
  void mass_filled(const sparse_matrix<T>& m) {
    auto& full = full_.take_mass();
    m.for_each([&full](std::size_t i, std::size_t j, T value) { full(i, j) = value; });
    full_.mass_filled();
  }
  bool factor(const sparse_matrix<T>&, T s, const sparse_matrix<T>*) { return full_.factor(s); }
  void solve(std::span<T> b) { full_.solve(b); }
  std::size_t singular_at() const { return full_.singular_at(); }

 private:
  dense_form<T> full_;
};

/// As a band, in an order of its own where that makes it narrower.
template <plain_scalar T> class pattern_in_band {
 public:
  pattern_in_band(const sparsity_pattern& p, form_choice choice)
      : band_(p.rows, choice.band), place_(p.nonzeros()), order_(std::move(choice.order)), ordered_(order_.size()) {
    band_.matrix().clear();
    const std::vector<std::size_t> to = inverse_order(order_);
    for (std::size_t i = 0; i < p.rows; ++i)
      for (auto k = static_cast<std::size_t>(p.row_start[i]); k < static_cast<std::size_t>(p.row_start[i + 1]); ++k) {
        const auto j = static_cast<std::size_t>(p.columns[k]);
        T* const element = order_.empty() ? &band_.matrix()(i, j) : &band_.matrix()(to[i], to[j]);
        place_[k] = static_cast<std::size_t>(element - band_.matrix().row(0));
      }
  }
  void filled(const sparse_matrix<T>& j) {
    T* const elements = band_.matrix().row(0);
    for (std::size_t k = 0; k < place_.size(); ++k) elements[place_[k]] = j.values()[k];
  }
  void mass_filled(const sparse_matrix<T>& m) {
    auto& band = band_.take_mass();
    const std::vector<std::size_t> to = inverse_order(order_);
    m.for_each([&](std::size_t i, std::size_t j, T value) { (to.empty() ? band(i, j) : band(to[i], to[j])) = value; });
    band_.mass_filled();
  }
  bool factor(const sparse_matrix<T>&, T s, const sparse_matrix<T>*) { return band_.factor(s); }
  void solve(std::span<T> b) {
    if (order_.empty()) return band_.solve(b);
    for (std::size_t k = 0; k < b.size(); ++k) ordered_[k] = b[order_[k]];
    band_.solve({ordered_.data(), ordered_.size()});
    for (std::size_t k = 0; k < b.size(); ++k) b[order_[k]] = ordered_[k];
  }
  std::size_t singular_at() const {
    const std::size_t at = band_.singular_at();
    return order_.empty() || at == nowhere ? at : order_[at];
  }
  bandwidth band() const { return {band_.matrix().lower(), band_.matrix().upper()}; }

 private:
  banded_form<T> band_;
  std::vector<std::size_t> place_;  ///< of each value among the band's
  std::vector<std::size_t> order_;  ///< empty: as the unknowns are
  buffer<T> ordered_;
};

/// By the program's sparse solver. A copy has a solver of its own, which has factored what the other had.
template <plain_scalar T> class pattern_in_rows {
 public:
  pattern_in_rows(const sparsity_pattern& p, const sparsity_pattern& mass)
      : shifted_(p, mass), solver_(make_sparse_solver<T>(shifted_.matrix().pattern())) {}
  pattern_in_rows(const pattern_in_rows& other)
      : shifted_(other.shifted_), solver_(make_sparse_solver<T>(shifted_.matrix().pattern())), factored_(other.factored_) {
    if (factored_) solver_->factor(shifted_.matrix());
  }
  pattern_in_rows(pattern_in_rows&&) = default;
  pattern_in_rows& operator=(pattern_in_rows&&) = default;
  pattern_in_rows& operator=(const pattern_in_rows& other) { return *this = pattern_in_rows(other); }

  void filled(const sparse_matrix<T>&) {}
  void mass_filled(const sparse_matrix<T>&) {}
  bool factor(const sparse_matrix<T>& j, T s, const sparse_matrix<T>* mass) {
    if (mass) shifted_.assemble(j, s, *mass);
    else shifted_.assemble(j, s);
    return factored_ = solver_->factor(shifted_.matrix());
  }
  void solve(std::span<T> b) { solver_->solve(b); }
  static std::size_t singular_at() { return nowhere; }  // which Eigen does not say

 private:
  iteration_matrix<T> shifted_;
  std::unique_ptr<sparse_solver<T>> solver_;
  bool factored_ = false;
};

}  // namespace detail

/// J in compressed rows, however s·I − J is solved: full, as a band or by a sparse solver, as `choose_form` finds it cheapest. So a model
/// that knows its pattern has one form to write.
template <plain_scalar T> class patterned_form {
 public:
  using matrix_type = sparse_matrix<T>;

  /// `mass` is the pattern of M; where there is none, the diagonal.
  patterned_form(sparsity_pattern pattern, sparsity_pattern mass)
      : matrix_(std::move(pattern)),
        mass_(std::move(mass)),
        columns_(matrix_.pattern().transposed(&position_)),
        groups_(colour_columns(matrix_.pattern())),
        solver_(chosen_solver(matrix_.pattern(), mass_.pattern())) {}
  explicit patterned_form(const sparsity_pattern& pattern) : patterned_form(pattern, sparsity_pattern::banded(pattern.rows, 0, 0)) {}

  matrix_form form() const { return static_cast<matrix_form>(solver_.index()); }
  matrix_type& matrix() { return matrix_; }
  const matrix_type& matrix() const { return matrix_; }
  void filled() {
    std::visit([this](auto& solver) { solver.filled(matrix_); }, solver_);
  }
  bool factor(T s) {
    return std::visit([this, s](auto& solver) { return solver.factor(matrix_, s, has_mass_ ? &mass_ : nullptr); }, solver_);
  }
  void solve(std::span<T> b) {
    std::visit([b](auto& solver) { solver.solve(b); }, solver_);
  }
  std::size_t singular_at() const {
    return std::visit([](const auto& solver) { return solver.singular_at(); }, solver_);
  }
  void multiply(const T* x, T* y) const { matrix_.multiply({x, matrix_.size()}, {y, matrix_.size()}); }

  matrix_type& take_mass() {
    mass_.clear();
    return mass_;
  }
  void mass_filled() {
    has_mass_ = true;
    std::visit([this](auto& solver) { solver.mass_filled(mass_); }, solver_);
  }
  const matrix_type& mass() const { return mass_; }
  const sparsity_pattern& mass_pattern() const { return mass_.pattern(); }
  bool has_mass() const { return has_mass_; }
  void multiply_mass(const T* x, T* y) const { mass_.multiply({x, mass_.size()}, {y, mass_.size()}); }
  bool is_massless(std::size_t i) const {
    const sparsity_pattern& p = mass_.pattern();
    return detail::all_zero(mass_.values().data() + p.row_start[i], p.row(i).size());
  }

  std::size_t groups() const { return groups_.count(); }
  template <class Body> void for_each_member(std::size_t g, const Body& body) const {
    for (std::size_t k = groups_.start[g]; k < groups_.start[g + 1]; ++k) body(groups_.members[k]);
  }
  template <class Body> void for_each_in_column(std::size_t j, const Body& body) {
    for (auto k = static_cast<std::size_t>(columns_.row_start[j]); k < static_cast<std::size_t>(columns_.row_start[j + 1]); ++k)
      body(static_cast<std::size_t>(columns_.columns[k]), matrix_.values()[static_cast<std::size_t>(position_[k])]);
  }
  std::int64_t first_row_not_finite() const {
    const sparsity_pattern& p = matrix_.pattern();
    for (std::size_t i = 0; i < p.rows; ++i)
      if (!detail::all_finite(matrix_.values().data() + p.row_start[i], p.row(i).size())) return static_cast<std::int64_t>(i);
    return -1;
  }

 private:
  using solver = std::variant<detail::pattern_in_full<T>, detail::pattern_in_band<T>, detail::pattern_in_rows<T>>;  // as in matrix_form

  static solver chosen_solver(const sparsity_pattern& p, const sparsity_pattern& mass) {
    form_choice choice = choose_form(p.united(mass), make_sparse_solver<T> != nullptr);
    switch (choice.form) {
      case matrix_form::banded: return detail::pattern_in_band<T>(p, std::move(choice));
      case matrix_form::sparse: return detail::pattern_in_rows<T>(p, mass);
      case matrix_form::dense: break;
    }
    return detail::pattern_in_full<T>(p);
  }

  matrix_type matrix_, mass_;
  bool has_mass_ = false;
  std::vector<index_type> position_;  ///< of each element of a column among the values
  sparsity_pattern columns_;
  column_groups groups_;
  solver solver_;
};

}  // namespace ensue::linear
