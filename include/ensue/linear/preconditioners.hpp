/// Preconditioners for matrices of 3×3 blocks: z = M⁻¹ r with M close to A and cheap to invert.
///
///     block_jacobi<double> M(A.particles());                // memory
///     if (!M.factor(A)) …;                                  // false: a diagonal block that is not positive definite
///
/// `Stored` may be `float` under residuals in double: half the bytes, and a preconditioner needs no more digits.
#pragma once

#include <ensue/linear/block_matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace ensue::linear {

/// z = r
struct no_preconditioner {
  template <class T> void operator()(std::span<const T> r, std::span<T> z) const { std::copy(r.begin(), r.end(), z.begin()); }
};

/// The inverses of the diagonal blocks.
template <plain_scalar T, plain_scalar Stored = T> class block_jacobi {
 public:
  block_jacobi() = default;
  explicit block_jacobi(std::size_t particles) : particles_(particles), inverse_(particles + 1) {}
  explicit block_jacobi(const block_matrix3<T>& a) : block_jacobi(a.particles()) {}

  std::size_t bytes() const { return inverse_.size() * sizeof(block3<Stored>); }
  bool factor(const block_matrix3<T>& a) {
    for (std::size_t i = 0; i < particles_; ++i) {
      block3<T> inverse;
      if (!invert_positive_definite(a.diagonal(i), inverse)) return false;
      for (std::size_t k = 0; k < 9; ++k) inverse_[i].elements[k] = static_cast<Stored>(inverse.elements[k]);
    }
    return true;
  }
  void operator()(std::span<const T> r, std::span<T> z) const { solve_rows(0, particles_, r, z); }
  void solve_rows(std::size_t begin, std::size_t end, std::span<const T> r, std::span<T> z) const {
    for (std::size_t i = begin; i < end; ++i) {
      const four_lanes<T> own[3] = {r[3 * i], r[3 * i + 1], r[3 * i + 2]};
      const four_lanes<T> solved = transposed_product(inverse_[i], own);  // they are symmetric
      for (int c = 0; c < 3; ++c) z[3 * i + static_cast<std::size_t>(c)] = lane(solved, c);
    }
  }

 private:
  std::size_t particles_ = 0;
  buffer<block3<Stored>> inverse_;  // and one block more, for block_row
};

/// Incomplete Cholesky without fill, IC(0), block by block: A ≈ (D + U)ᵀ D⁻¹ (D + U), U where A has blocks above the diagonal.
///
/// Meijerink & van der Vorst (1977), "An iterative solution method for linear systems of which the coefficient matrix is a symmetric
/// M-matrix", Math. Comp. 31, 148–162. Matrices of springs are no M-matrices and a pivot can fail to be positive definite; then the
/// diagonal is enlarged, A + α·diag(A), α doubled until it holds: Manteuffel (1980), "An incomplete factorization technique for positive
/// definite linear systems", Math. Comp. 34, 473–497.
template <plain_scalar T, plain_scalar Stored = T> class incomplete_cholesky {
 public:
  incomplete_cholesky() = default;
  explicit incomplete_cholesky(const block_matrix3<T>& a)
      : upper_(a.pattern()), inverse_(a.particles() + 1), above_(upper_->nonzeros() + 1) {}

  std::size_t bytes() const { return (inverse_.size() + above_.size()) * sizeof(block3<Stored>); }
  /// α of the last factorisation: 0 where A itself could be factored.
  double enlargement() const { return enlargement_; }

  /// False where even twice the diagonal does not help: A is far from positive definite.
  bool factor(const block_matrix3<T>& a) {
    if (attempt(a, T(1))) return enlargement_ = 0, true;
    for (enlargement_ = 1. / 1024; enlargement_ <= 1; enlargement_ *= 2)
      if (attempt(a, T(1) + static_cast<T>(enlargement_))) return true;
    return false;
  }

  /// Down: y_i = D_i⁻¹ (r_i − Σ_{k<i} U_kiᵀ y_k). Up: z_i = y_i − D_i⁻¹ Σ_{j>i} U_ij z_j.
  void operator()(std::span<const T> r, std::span<T> z) const {
    const std::size_t n = upper_->rows;
    const index_type* const start = upper_->row_start.data();
    const index_type* const columns = upper_->columns.data();
    T* const out = z.data();
    std::copy(r.begin(), r.end(), out);
    for (std::size_t i = 0; i < n; ++i) {
      const four_lanes<T> sum[3] = {out[3 * i], out[3 * i + 1], out[3 * i + 2]};
      const four_lanes<T> solved = transposed_product(inverse_[i], sum);  // D⁻¹ is symmetric
      const four_lanes<T> own[3] = {lane(solved, 0), lane(solved, 1), lane(solved, 2)};
      for (int c = 0; c < 3; ++c) out[3 * i + static_cast<std::size_t>(c)] = lane(solved, c);
      for (index_type k = start[i]; k < start[i + 1]; ++k) {
        const four_lanes<T> other = transposed_product(above_[static_cast<std::size_t>(k)], own);
        T* const theirs = out + 3 * static_cast<std::size_t>(columns[k]);
        for (int c = 0; c < 3; ++c) theirs[c] -= lane(other, c);
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      T sum[3] = {};
      for (index_type k = start[i]; k < start[i + 1]; ++k)
        add_product(above_[static_cast<std::size_t>(k)], out + 3 * static_cast<std::size_t>(columns[k]), sum);
      subtract_product(inverse_[i], sum, out + 3 * i);
    }
  }

 private:
  bool attempt(const block_matrix3<T>& a, T enlarged) {
    const std::size_t n = upper_->rows;
    const index_type* const start = upper_->row_start.data();
    const index_type* const columns = upper_->columns.data();
    for (std::size_t i = 0; i < n; ++i) store(enlarged, a.diagonal(i), inverse_[i]);
    for (std::size_t k = 0; k < upper_->nonzeros(); ++k) store(T(1), a.above(k), above_[k]);
    for (std::size_t k = 0; k < n; ++k) {
      block3<Stored> pivot;
      if (!invert_positive_definite(inverse_[k], pivot)) return false;
      inverse_[k] = pivot;
      // A_ij −= U_kiᵀ D_k⁻¹ U_kj for all i ≤ j of row k for which A has a block: two ascending lists, walked side by side.
      for (index_type p = start[k]; p < start[k + 1]; ++p) {
        const auto i = static_cast<std::size_t>(columns[p]);
        const block3<Stored> scaled = product(pivot, above_[static_cast<std::size_t>(p)]);
        subtract_transposed_product(above_[static_cast<std::size_t>(p)], scaled, inverse_[i]);
        index_type target = start[i];
        for (index_type q = p + 1; q < start[k + 1]; ++q) {
          while (target < start[i + 1] && columns[target] < columns[q]) ++target;
          if (target == start[i + 1]) break;
          if (columns[target] == columns[q])
            subtract_transposed_product(scaled, above_[static_cast<std::size_t>(q)], above_[static_cast<std::size_t>(target)]);
        }
      }
    }
    return true;
  }
  static void store(T scale, const block3<T>& from, block3<Stored>& to) {
    for (std::size_t k = 0; k < 9; ++k) to.elements[k] = static_cast<Stored>(scale * from.elements[k]);
  }

  std::shared_ptr<const sparsity_pattern> upper_;
  buffer<block3<Stored>> inverse_, above_;  // D⁻¹ and U (and a block more); while factoring, D until its turn comes
  double enlargement_ = 0;
};

}  // namespace ensue::linear
