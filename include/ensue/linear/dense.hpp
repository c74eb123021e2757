/// Dense matrices and their LU decomposition: of a fixed size without any allocation, of a dynamic one with all of it at construction.
///
///     ensue::linear::dense_matrix<double, 2> a;              // or dense_matrix<double> a(n)
///     a.clear(), a(0, 0) = 2, a(0, 1) = 1, a(1, 1) = 3;
///     ensue::linear::dense_lu<double, 2> lu;
///     double b[] = {4, 6};
///     if (lu.factor(a)) lu.solve(b);                 // b = {1, 2}
///
/// Cost: n³/3 multiplications and additions to factor, n² to solve; n² numbers of memory each.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/linear/contract.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace ensue::linear {

/// n × n numbers, row by row. N is n where it is known when compiling, 0 where it is not.
template <class T, std::size_t N = 0> class dense_matrix {
 public:
  using value_type = T;

  dense_matrix() = default;
  ENSUE_HD explicit dense_matrix([[maybe_unused]] std::size_t size) {
    if constexpr (N == 0) {
      elements_ = buffer<T>(size * size);
      size_ = size;
    }
    clear();
  }

  /// y = A x
  ENSUE_HD void multiply(const T* x, T* y) const {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) {
      const T* const a = row(i);
      T sum(0);
      for (std::size_t j = 0; j < n; ++j) sum = sum + a[j] * x[j];
      y[i] = sum;
    }
  }

  ENSUE_HD ENSUE_INLINE std::size_t size() const {
    if constexpr (N > 0) return N;
    else return size_;
  }
  ENSUE_HD ENSUE_INLINE T& operator()(std::size_t i, std::size_t j) { return elements_[i * size() + j]; }
  ENSUE_HD ENSUE_INLINE const T& operator()(std::size_t i, std::size_t j) const { return elements_[i * size() + j]; }
  ENSUE_HD ENSUE_INLINE T* row(std::size_t i) { return elements_.data() + i * size(); }
  ENSUE_HD ENSUE_INLINE const T* row(std::size_t i) const { return elements_.data() + i * size(); }
  ENSUE_HD ENSUE_INLINE void clear() {
    T* const first = elements_.data();
    for (std::size_t i = 0; i < size() * size(); ++i) first[i] = T(0);
  }

 private:
  struct nothing {};
  std::conditional_t<(N > 0), vec<T, (N > 0 ? N * N : 1)>, buffer<T>> elements_ = {};
  [[no_unique_address]] std::conditional_t<(N > 0), nothing, std::size_t> size_ = {};
};

/// LU with partial pivoting: P·A = L·U, U's diagonal kept as reciprocals, so that a solution divides by nothing.
///
/// Elements are plain numbers: lanes of a pack would each want pivots of their own.
template <class T, std::size_t N = 0> class dense_lu {
  static_assert(std::is_floating_point_v<T>, "ensue: a dense LU decomposition is of float, double or long double");

 public:
  using value_type = T;
  using matrix = dense_matrix<T, N>;

  dense_lu() = default;
  ENSUE_HD explicit dense_lu(std::size_t size) : lu_(size) {
    if constexpr (N == 0) exchanged_ = buffer<std::uint32_t>(size);
  }

  ENSUE_HD bool factor(const matrix& a) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      T* const to = lu_.row(i);
      const T* const from = a.row(i);
      for (std::size_t j = 0; j < n; ++j) to[j] = from[j];
    }
    return eliminate();
  }

  ENSUE_HD bool factor_shifted(const matrix& a, const T& s) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      T* const to = lu_.row(i);
      const T* const from = a.row(i);
      for (std::size_t j = 0; j < n; ++j) to[j] = -from[j];
      to[i] = s - from[i];
    }
    return eliminate();
  }

  ENSUE_HD bool factor_shifted(const matrix& a, const T& s, const matrix& m) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      T* const to = lu_.row(i);
      const T *const from = a.row(i), *const mass = m.row(i);
      for (std::size_t j = 0; j < n; ++j) to[j] = s * mass[j] - from[j];
    }
    return eliminate();
  }

  ENSUE_HD void solve(std::span<T> right) const {
    T* const b = right.data();
    const std::size_t n = lu_.size();
    for (std::size_t k = 0; k < n; ++k)
      if (const std::size_t p = exchanged_[k]; p != k) {
        const T kept = b[k];
        b[k] = b[p];
        b[p] = kept;
      }
    for (std::size_t i = 1; i < n; ++i) {
      const T* const l = lu_.row(i);
      T sum = b[i];
      for (std::size_t j = 0; j < i; ++j) sum -= l[j] * b[j];
      b[i] = sum;
    }
    for (std::size_t i = n; i-- > 0;) {
      const T* const u = lu_.row(i);
      T sum = b[i];
      for (std::size_t j = i + 1; j < n; ++j) sum -= u[j] * b[j];
      b[i] = sum * u[i];
    }
  }

  ENSUE_HD std::size_t singular_at() const { return singular_at_; }

 private:
  ENSUE_HD bool eliminate() {
    const std::size_t n = lu_.size();
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (magnitude(lu_(i, k)) > magnitude(lu_(pivot, k))) pivot = i;
      exchanged_[k] = static_cast<std::uint32_t>(pivot);
      T* const top = lu_.row(k);
      if (pivot != k) {
        T* const other = lu_.row(pivot);
        for (std::size_t j = 0; j < n; ++j) {
          const T kept = top[j];
          top[j] = other[j];
          other[j] = kept;
        }
      }
      const T reciprocal = T(1) / top[k];
      if (!(reciprocal - reciprocal == T(0)) || reciprocal == T(0)) {  // 1/0, 1/NaN or 1/∞
        singular_at_ = k;
        return false;
      }
      top[k] = reciprocal;
      for (std::size_t i = k + 1; i < n; ++i) {
        T* const row = lu_.row(i);
        const T factor = row[k] * reciprocal;
        row[k] = factor;
        if (factor == T(0)) continue;  // whatever is sparse costs less
        ENSUE_INDEPENDENT
        for (std::size_t j = k + 1; j < n; ++j) row[j] -= factor * top[j];
      }
    }
    singular_at_ = all_found;
    return true;
  }

  static constexpr std::size_t all_found = static_cast<std::size_t>(-1);
  matrix lu_;
  std::conditional_t<(N > 0), vec<std::uint32_t, (N > 0 ? N : 1)>, buffer<std::uint32_t>> exchanged_ = {};
  std::size_t singular_at_ = all_found;
};

static_assert(solver_of<dense_lu<double, 3>, dense_matrix<double, 3>> && solver_of<dense_lu<double>, dense_matrix<double>>);

}  // namespace ensue::linear
