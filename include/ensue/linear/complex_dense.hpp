/// The LU decomposition of σ·I − A, where A is real and dense and σ is complex: what Radau's methods solve with.
///
///     ensue::linear::complex_dense_lu<double, 2> lu;         // or complex_dense_lu<double> lu(n), which takes all memory here
///     if (lu.factor_shifted(a, re, im)) lu.solve(x, y);      // x + iy becomes the solution, in place
///
/// Real and imaginary parts are kept apart, so that a row is worked on as two rows of numbers. Cost: four times that of dense_lu.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/linear/dense.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace ensue::linear {

template <class T, std::size_t N = 0> class complex_dense_lu {
 public:
  using value_type = T;
  using matrix = dense_matrix<T, N>;

  complex_dense_lu() = default;
  ENSUE_HD explicit complex_dense_lu(std::size_t size) : re_(size), im_(size) {
    if constexpr (N == 0) exchanged_ = buffer<std::uint32_t>(size);
  }

  /// (re + i·im)·I − a. False where it is singular; then nothing may be solved with it.
  ENSUE_HD bool factor_shifted(const matrix& a, const T& re, const T& im) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      T *const x = re_.row(i), *const y = im_.row(i);
      const T* const from = a.row(i);
      for (std::size_t j = 0; j < n; ++j) x[j] = -from[j], y[j] = T(0);
      x[i] = re - from[i], y[i] = im;
    }
    return eliminate();
  }
  /// (re + i·im)·m − a.
  ENSUE_HD bool factor_shifted(const matrix& a, const T& re, const T& im, const matrix& m) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      T *const x = re_.row(i), *const y = im_.row(i);
      const T *const from = a.row(i), *const mass = m.row(i);
      for (std::size_t j = 0; j < n; ++j) x[j] = re * mass[j] - from[j], y[j] = im * mass[j];
    }
    return eliminate();
  }

  ENSUE_HD void solve(std::span<T> real_part, std::span<T> imaginary_part) const {
    T *const x = real_part.data(), *const y = imaginary_part.data();
    const std::size_t n = re_.size();
    for (std::size_t k = 0; k < n; ++k)
      if (const std::size_t p = exchanged_[k]; p != k) {
        const T kept_x = x[k], kept_y = y[k];
        x[k] = x[p], y[k] = y[p];
        x[p] = kept_x, y[p] = kept_y;
      }
    for (std::size_t i = 1; i < n; ++i) subtract_row(i, 0, i, x, y);
    for (std::size_t i = n; i-- > 0;) {
      subtract_row(i, i + 1, n, x, y);
      const T u = re_(i, i), v = im_(i, i), re = x[i] * u - y[i] * v;
      y[i] = x[i] * v + y[i] * u;
      x[i] = re;
    }
  }

  ENSUE_HD std::size_t singular_at() const { return singular_at_; }

 private:
  ENSUE_HD ENSUE_INLINE void subtract_row(std::size_t i, std::size_t from, std::size_t to, T* x, T* y) const {
    const T *const u = re_.row(i), *const v = im_.row(i);
    T re = x[i], im = y[i];
    for (std::size_t j = from; j < to; ++j) {
      re -= u[j] * x[j] - v[j] * y[j];
      im -= u[j] * y[j] + v[j] * x[j];
    }
    x[i] = re, y[i] = im;
  }

  ENSUE_HD T size_of(std::size_t i, std::size_t j) const { return magnitude(re_(i, j)) + magnitude(im_(i, j)); }

  ENSUE_HD void exchange_rows(std::size_t a, std::size_t b) {
    for (matrix* const part : {&re_, &im_}) {
      T *const p = part->row(a), *const q = part->row(b);
      for (std::size_t j = 0; j < part->size(); ++j) {
        const T kept = p[j];
        p[j] = q[j];
        q[j] = kept;
      }
    }
  }

  /// As dense_lu, the diagonal of U kept as reciprocals.
  ENSUE_HD bool eliminate() {
    const std::size_t n = re_.size();
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (size_of(i, k) > size_of(pivot, k)) pivot = i;
      exchanged_[k] = static_cast<std::uint32_t>(pivot);
      if (pivot != k) exchange_rows(k, pivot);
      T *const top_re = re_.row(k), *const top_im = im_.row(k);
      const T scale = T(1) / maximum(magnitude(top_re[k]), magnitude(top_im[k]));  // the square of a pivot may not be a number that there is
      if (!(scale - scale == T(0)) || scale == T(0)) {
        singular_at_ = k;
        return false;
      }
      const T re = top_re[k] * scale, im = top_im[k] * scale, inverse = scale / (re * re + im * im);
      const T u = re * inverse, v = -im * inverse;
      top_re[k] = u, top_im[k] = v;
      for (std::size_t i = k + 1; i < n; ++i) {
        T *const x = re_.row(i), *const y = im_.row(i);
        const T re = x[k] * u - y[k] * v, im = x[k] * v + y[k] * u;
        x[k] = re, y[k] = im;
        if (re == T(0) && im == T(0)) continue;  // whatever is sparse costs less
        ENSUE_INDEPENDENT
        for (std::size_t j = k + 1; j < n; ++j) {
          x[j] -= re * top_re[j] - im * top_im[j];
          y[j] -= re * top_im[j] + im * top_re[j];
        }
      }
    }
    singular_at_ = static_cast<std::size_t>(-1);
    return true;
  }

  matrix re_, im_;
  std::conditional_t<(N > 0), vec<std::uint32_t, (N > 0 ? N : 1)>, buffer<std::uint32_t>> exchanged_ = {};
  std::size_t singular_at_ = static_cast<std::size_t>(-1);
};

}  // namespace ensue::linear
