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
#include <ensue/scalar.hpp>
#include <ensue/state.hpp>

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

/// shift·I − J over the pattern of J and the diagonal, where each element's place was looked up once.
template <plain_scalar T> class iteration_matrix {
 public:
  iteration_matrix() = default;
  explicit iteration_matrix(const sparsity_pattern& jacobian)
      : matrix_(jacobian.with_diagonal()), place_(jacobian.nonzeros()), diagonal_(jacobian.rows) {
    for (std::size_t i = 0; i < jacobian.rows; ++i) {
      for (auto k = static_cast<std::size_t>(jacobian.row_start[i]); k < static_cast<std::size_t>(jacobian.row_start[i + 1]); ++k)
        place_[k] = static_cast<index_type>(matrix_.pattern().position(i, static_cast<std::size_t>(jacobian.columns[k])));
      diagonal_[i] = static_cast<index_type>(matrix_.pattern().position(i, i));
    }
  }
  explicit iteration_matrix(const shared_pattern& jacobian) : iteration_matrix(*jacobian) {}

  void assemble(const sparse_matrix<T>& jacobian, T shift) {
    const auto to = matrix_.values();
    const auto from = jacobian.values();
    for (std::size_t i = 0; i < diagonal_.size(); ++i) to[static_cast<std::size_t>(diagonal_[i])] = T(0);
    for (std::size_t k = 0; k < from.size(); ++k) to[static_cast<std::size_t>(place_[k])] = -from[k];
    for (std::size_t i = 0; i < diagonal_.size(); ++i) to[static_cast<std::size_t>(diagonal_[i])] += shift;
  }

  const sparse_matrix<T>& matrix() const { return matrix_; }

 private:
  sparse_matrix<T> matrix_;
  buffer<index_type> place_, diagonal_;
};

}  // namespace ensue::linear
