/// Sparse matrices in compressed rows: values over a pattern that many matrices share.
///
///     auto pattern = std::make_shared<const sparsity_pattern>(…);
///     ensue::linear::sparse_matrix<double> J(pattern);
///     ensue::linear::iteration_matrix<double> W(pattern);   // pattern of J and the diagonal
///     W.assemble(J, 1 / (h * gamma));                       // I/(hγ) − J
///
/// To solve with one: eigen_lu.hpp, or a band after an ordering (ordering.hpp), or krylov.hpp.
#pragma once

#include <ensue/linear/pattern.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace ensue::linear {

using shared_pattern = std::shared_ptr<const sparsity_pattern>;

template <plain_scalar T> class sparse_matrix {
 public:
  using value_type = T;
  sparse_matrix() = default;
  explicit sparse_matrix(shared_pattern pattern) : pattern_(std::move(pattern)), values_(pattern_->nonzeros()) {}
  explicit sparse_matrix(sparsity_pattern pattern) : sparse_matrix(std::make_shared<const sparsity_pattern>(std::move(pattern))) {}

  std::size_t size() const { return pattern_->rows; }
  const sparsity_pattern& pattern() const { return *pattern_; }
  const shared_pattern& pattern_pointer() const { return pattern_; }
  std::span<T> values() { return {values_.data(), values_.size()}; }
  std::span<const T> values() const { return {values_.data(), values_.size()}; }
  /// The element (i, j), which must be in the pattern; found by bisection of its row.
  T& operator()(std::size_t i, std::size_t j) { return values_[pattern_->position(i, j)]; }
  void clear() {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = T(0);
  }
  T at(std::size_t i, std::size_t j) const {
    const std::size_t k = pattern_->position(i, j);
    return k == sparsity_pattern::absent ? T(0) : values_[k];
  }

  /// body(i, j, value) of every element.
  template <class Body> void for_each(const Body& body) const {
    for (std::size_t i = 0; i < pattern_->rows; ++i)
      for (auto k = static_cast<std::size_t>(pattern_->row_start[i]); k < static_cast<std::size_t>(pattern_->row_start[i + 1]); ++k)
        body(i, static_cast<std::size_t>(pattern_->columns[k]), values_[k]);
  }

  /// y = A x
  void multiply(std::span<const T> x, std::span<T> y) const {
    const index_type* const start = pattern_->row_start.data();
    const index_type* const columns = pattern_->columns.data();
    const T* const a = values_.data();
    for (std::size_t i = 0; i < pattern_->rows; ++i) {
      T sum = T(0);
      for (index_type k = start[i]; k < start[i + 1]; ++k) sum += a[k] * x[static_cast<std::size_t>(columns[k])];
      y[i] = sum;
    }
  }

 private:
  shared_pattern pattern_;
  buffer<T> values_;
};

/// shift·I − J over the pattern of J and the diagonal, or shift·M − J over those of both, where each element's place was looked up once.
template <plain_scalar T> class iteration_matrix {
 public:
  iteration_matrix() = default;
  explicit iteration_matrix(const sparsity_pattern& jacobian)
      : iteration_matrix(jacobian, sparsity_pattern::banded(jacobian.rows, 0, 0)) {}
  explicit iteration_matrix(const shared_pattern& jacobian) : iteration_matrix(*jacobian) {}
  iteration_matrix(const sparsity_pattern& jacobian, const sparsity_pattern& mass)
      : matrix_(jacobian.united(mass)), place_(places(jacobian)), shifted_(places(mass)) {}

  void assemble(const sparse_matrix<T>& jacobian, T shift) {
    assemble_with(jacobian, [shift](std::size_t) { return shift; });
  }
  void assemble(const sparse_matrix<T>& jacobian, T shift, const sparse_matrix<T>& mass) {
    assemble_with(jacobian, [shift, m = mass.values()](std::size_t k) { return shift * m[k]; });
  }

  const sparse_matrix<T>& matrix() const { return matrix_; }

 private:
  /// Of the elements of a pattern among those of the matrix.
  buffer<index_type> places(const sparsity_pattern& of) const {
    buffer<index_type> found(of.nonzeros());
    for (std::size_t i = 0; i < of.rows; ++i)
      for (auto k = static_cast<std::size_t>(of.row_start[i]); k < static_cast<std::size_t>(of.row_start[i + 1]); ++k)
        found[k] = static_cast<index_type>(matrix_.pattern().position(i, static_cast<std::size_t>(of.columns[k])));
    return found;
  }

  template <class Shift> void assemble_with(const sparse_matrix<T>& jacobian, const Shift& shift) {
    const auto to = matrix_.values();
    const auto from = jacobian.values();
    for (std::size_t k = 0; k < shifted_.size(); ++k) to[static_cast<std::size_t>(shifted_[k])] = T(0);
    for (std::size_t k = 0; k < from.size(); ++k) to[static_cast<std::size_t>(place_[k])] = -from[k];
    for (std::size_t k = 0; k < shifted_.size(); ++k) to[static_cast<std::size_t>(shifted_[k])] += shift(k);
  }

  sparse_matrix<T> matrix_;
  buffer<index_type> place_, shifted_;  ///< of J's elements, and of M's or the diagonal's
};

}  // namespace ensue::linear
