/// Sparse direct solvers through Eigen (3.4): LU for any matrix, LDLᵀ for symmetric ones. Who includes this needs Eigen; without it the
/// header is empty and ENSUE_HAS_EIGEN_LU is not defined.
///
///     sparse_lu<double> lu(J_pattern);             // structure analysed here, once
///     if (!lu.factor(W)) …;                        // many times; false: singular
///     lu.solve(b);
///
/// Eigen allocates when it factors (the fill depends on the pivots) and when it solves; the promise of no allocation ends at this header.
/// SparseLU is Demmel et al. (1999), "A supernodal approach to sparse partial pivoting", SIAM J. Matrix Anal. Appl. 20, 720–755.
#pragma once

#include <ensue/linear/sparse.hpp>

#if __has_include(<Eigen/SparseLU>)
#define ENSUE_HAS_EIGEN_LU 1

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include <cstddef>
#include <span>
#include <vector>

namespace ensue::linear {
namespace detail {

/// Eigen's matrix by columns, all of it or its lower triangle, with the place of each of its values in ours.
template <class T> class eigen_copy {
 public:
  eigen_copy() = default;
  eigen_copy(const sparsity_pattern& p, bool lower_only) {
    const auto n = static_cast<Eigen::Index>(p.rows);
    std::vector<index_type> origin;
    const sparsity_pattern columns = p.transposed(&origin);
    matrix_.resize(n, n);
    matrix_.resizeNonZeros(static_cast<Eigen::Index>(p.nonzeros()));
    int kept = 0;
    for (std::size_t j = 0; j < p.rows; ++j) {
      matrix_.outerIndexPtr()[j] = kept;
      for (index_type k = columns.row_start[j]; k < columns.row_start[j + 1]; ++k) {
        const index_type i = columns.columns[static_cast<std::size_t>(k)];
        if (lower_only && static_cast<std::size_t>(i) < j) continue;
        matrix_.innerIndexPtr()[kept] = i;
        matrix_.valuePtr()[kept] = T(0);
        origin_.push_back(origin[static_cast<std::size_t>(k)]);
        ++kept;
      }
    }
    matrix_.outerIndexPtr()[p.rows] = kept;
    matrix_.resizeNonZeros(kept);
  }
  void fill(std::span<const T> values) {
    for (std::size_t k = 0; k < origin_.size(); ++k) matrix_.valuePtr()[k] = values[static_cast<std::size_t>(origin_[k])];
  }
  const Eigen::SparseMatrix<T>& matrix() const { return matrix_; }

 private:
  Eigen::SparseMatrix<T> matrix_;
  std::vector<index_type> origin_;
};

template <class T, class Solver, bool symmetric> class eigen_direct {
 public:
  explicit eigen_direct(const sparsity_pattern& p) : copy_(p, symmetric), b_(static_cast<Eigen::Index>(p.rows)) {
    solver_.analyzePattern(copy_.matrix());
  }
  explicit eigen_direct(const shared_pattern& p) : eigen_direct(*p) {}
  eigen_direct(const eigen_direct&) = delete;
  eigen_direct& operator=(const eigen_direct&) = delete;

  /// False where A is singular (a pivot that is zero or not a number); then nothing may be solved with it.
  bool factor(const sparse_matrix<T>& a) {
    T zero = T(0);
    for (const T value : a.values()) zero += T(0) * value;
    if (!(zero == T(0))) return false;  // Eigen's search for a pivot does not see a NaN
    copy_.fill(a.values());
    solver_.factorize(copy_.matrix());
    return solver_.info() == Eigen::Success;
  }
  void solve(std::span<T> b) {
    Eigen::Map<Eigen::Vector<T, Eigen::Dynamic>> x(b.data(), static_cast<Eigen::Index>(b.size()));
    b_ = x;
    x = solver_.solve(b_);
  }
  const Solver& solver() const { return solver_; }

 private:
  eigen_copy<T> copy_;
  Solver solver_;
  Eigen::Vector<T, Eigen::Dynamic> b_;
};

}  // namespace detail

template <plain_scalar T>
using sparse_lu = detail::eigen_direct<T, Eigen::SparseLU<Eigen::SparseMatrix<T>, Eigen::COLAMDOrdering<int>>, false>;

/// For symmetric A, whose lower triangle is read; it need not be positive definite, but no pivots are exchanged.
template <plain_scalar T>
using sparse_ldlt = detail::eigen_direct<T, Eigen::SimplicialLDLT<Eigen::SparseMatrix<T>, Eigen::Lower, Eigen::AMDOrdering<int>>, true>;

}  // namespace ensue::linear
#endif
