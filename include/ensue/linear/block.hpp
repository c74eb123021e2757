/// 3×3 blocks: what a particle, or a pair of them, contributes to a matrix. Row-major; arithmetic in the arrays' own memory.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/linear/four_lanes.hpp>
#include <ensue/numbers/scalar.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace ensue::linear {

template <plain_scalar T> struct block3 {
  T elements[9];

  ENSUE_INLINE T& operator()(std::size_t i, std::size_t j) { return elements[3 * i + j]; }
  ENSUE_INLINE const T& operator()(std::size_t i, std::size_t j) const { return elements[3 * i + j]; }
  static constexpr block3 identity(T s = T(1)) { return {{s, 0, 0, 0, s, 0, 0, 0, s}}; }
  /// s·u uᵀ
  static constexpr block3 outer(const T* u, T s) {
    return {{s * u[0] * u[0], s * u[0] * u[1], s * u[0] * u[2], s * u[1] * u[0], s * u[1] * u[1], s * u[1] * u[2], s * u[2] * u[0],
             s * u[2] * u[1], s * u[2] * u[2]}};
  }
  ENSUE_INLINE block3& operator+=(const block3& b) {
    for (std::size_t k = 0; k < 9; ++k) elements[k] += b.elements[k];
    return *this;
  }
  ENSUE_INLINE block3& operator*=(T s) {
    for (std::size_t k = 0; k < 9; ++k) elements[k] *= s;
    return *this;
  }
  ENSUE_INLINE block3 transposed() const {
    const T* const a = elements;
    return {{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
  }
};

/// y += B x, y −= B x, and the same with Bᵀ, on three numbers each.
template <class T, class S> ENSUE_INLINE void add_product(const block3<S>& b, const T* x, T* y) {
  for (std::size_t i = 0; i < 3; ++i) y[i] += T(b(i, 0)) * x[0] + T(b(i, 1)) * x[1] + T(b(i, 2)) * x[2];
}
template <class T, class S> ENSUE_INLINE void subtract_product(const block3<S>& b, const T* x, T* y) {
  for (std::size_t i = 0; i < 3; ++i) y[i] -= T(b(i, 0)) * x[0] + T(b(i, 1)) * x[1] + T(b(i, 2)) * x[2];
}
template <class T, class S> ENSUE_INLINE void add_transposed_product(const block3<S>& b, const T* x, T* y) {
  for (std::size_t i = 0; i < 3; ++i) y[i] += T(b(0, i)) * x[0] + T(b(1, i)) * x[1] + T(b(2, i)) * x[2];
}
template <class T, class S> ENSUE_INLINE void subtract_transposed_product(const block3<S>& b, const T* x, T* y) {
  for (std::size_t i = 0; i < 3; ++i) y[i] -= T(b(0, i)) * x[0] + T(b(1, i)) * x[1] + T(b(2, i)) * x[2];
}

template <class T> ENSUE_INLINE block3<T> product(const block3<T>& a, const block3<T>& b) {
  block3<T> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return c;
}
/// c −= aᵀ b
template <class T> ENSUE_INLINE void subtract_transposed_product(const block3<T>& a, const block3<T>& b, block3<T>& c) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c(i, j) -= a(0, i) * b(0, j) + a(1, i) * b(1, j) + a(2, i) * b(2, j);
}

/// A row of a block in four lanes, the fourth of which is whatever comes after it in memory: arrays of blocks have one block more than is
/// used, and nothing is ever taken from that lane.
template <class T, class S> ENSUE_INLINE four_lanes<T> block_row(const block3<S>& b, int i) {
  if constexpr (std::is_same_v<T, S>) return four_lanes<T>::load(b.elements + 3 * i);
  else return four_lanes<T>(four_lanes<S>::load(b.elements + 3 * i));
}

/// Σ B_j x_j, three products side by side: lanes are added up once a row of blocks, not once a block.
template <class T> struct product_sum {
  four_lanes<T> rows[3] = {T(0), T(0), T(0)};

  template <class S> ENSUE_INLINE void add(const block3<S>& b, const four_lanes<T>& x) {
    for (int i = 0; i < 3; ++i) rows[i] = rows[i] + block_row<T>(b, i) * x;
  }
  ENSUE_INLINE T element(int i) const { return lane(rows[i], 0) + lane(rows[i], 1) + lane(rows[i], 2); }
};

/// Bᵀ x in the first three lanes.
template <class T, class S> ENSUE_INLINE four_lanes<T> transposed_product(const block3<S>& b, const four_lanes<T> (&x)[3]) {
  return block_row<T>(b, 0) * x[0] + block_row<T>(b, 1) * x[1] + block_row<T>(b, 2) * x[2];
}

/// The inverse of a symmetric positive definite block, through its Cholesky factor: A = L Lᵀ, A⁻¹ = L⁻ᵀ L⁻¹. (By determinants it
/// would lose all digits of a block whose condition is 10⁸: a stiff spring beside a soft one.) False where it is not positive definite.
template <class T> ENSUE_INLINE bool invert_positive_definite(const block3<T>& a, block3<T>& inverse) {
  // No more digits are left in a pivot below this: what remains of a(i, i) after subtracting is rounding.
  constexpr T floor = T(4) * std::numeric_limits<T>::epsilon();
  const T d0 = a(0, 0);
  if (!(d0 > T(0))) return false;
  const T m0 = T(1) / std::sqrt(d0);  // the inverse of L, element by element
  const T l10 = a(1, 0) * m0, l20 = a(2, 0) * m0;
  const T d1 = a(1, 1) - l10 * l10;
  if (!(d1 > floor * a(1, 1))) return false;
  const T m1 = T(1) / std::sqrt(d1);
  const T l21 = (a(2, 1) - l20 * l10) * m1;
  const T d2 = a(2, 2) - l20 * l20 - l21 * l21;
  if (!(d2 > floor * a(2, 2)) || !(d0 + d1 + d2 <= std::numeric_limits<T>::max())) return false;
  const T m2 = T(1) / std::sqrt(d2);
  const T n10 = -l10 * m0 * m1, n21 = -l21 * m1 * m2, n20 = -(l20 * m0 + l21 * n10) * m2;
  inverse(0, 0) = m0 * m0 + n10 * n10 + n20 * n20;
  inverse(0, 1) = inverse(1, 0) = m1 * n10 + n20 * n21;
  inverse(0, 2) = inverse(2, 0) = n20 * m2;
  inverse(1, 1) = m1 * m1 + n21 * n21;
  inverse(1, 2) = inverse(2, 1) = n21 * m2;
  inverse(2, 2) = m2 * m2;
  return true;
}

}  // namespace ensue::linear
