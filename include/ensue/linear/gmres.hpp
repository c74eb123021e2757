/// GMRES(m) for operators that are not symmetric: the least residual over the Krylov space, restarted after m directions.
///
/// Saad & Schultz (1986), "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM J. Sci. Stat.
/// Comput. 7, 856–869. Preconditioned from the right, A M⁻¹ (M x) = b: the residual that is minimised is then that of A x = b. Modified
/// Gram–Schmidt, which is backward stable here (Paige, Rozložník & Strakoš 2006, SIAM J. Matrix Anal. Appl. 28, 264–284).
///
///     gmres<double> solver(n, 30);                       // (30 + 3)·n numbers
///     auto end = solver.solve([&](std::span<const double> v, std::span<double> Jv) { … }, b, x);
#pragma once

#include <ensue/linear/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace ensue::linear {

template <plain_scalar T> class gmres {
 public:
  gmres() = default;
  explicit gmres(std::size_t size, std::size_t restart = 30)
      : size_(size), restart_(std::max<std::size_t>(1, std::min(restart, size))), basis_((restart_ + 1) * size), z_(size), w_(size),
        hessenberg_((restart_ + 1) * restart_), cosine_(restart_), sine_(restart_), rotated_(restart_ + 1) {}

  std::size_t bytes() const { return (basis_.size() + 2 * size_ + hessenberg_.size() + 3 * restart_ + 1) * sizeof(T); }

  template <class Operator, class Preconditioner = no_preconditioner>
  krylov_result solve(const Operator& a, std::span<const T> b, std::span<T> x, const Preconditioner& m = {},
                      const krylov_options& options = {}) {
    krylov_result result;
    T residual = begin(a, b, x);
    const detail::krylov_target<T> target(options, euclidean_norm<T>(b), residual);
    const auto end = [&](krylov_outcome outcome) {
      result.outcome = outcome;
      result.residual = target.relative(residual);
      return result;
    };
    while (true) {
      if (!std::isfinite(residual)) return end(krylov_outcome::breakdown);
      if (target.reached(residual)) return end(krylov_outcome::converged);
      if (result.iterations >= options.max_iterations) return end(krylov_outcome::out_of_iterations);
      const std::size_t directions = build(a, m, residual, target, result, options.max_iterations);
      if (!combine(directions, m, x)) return end(krylov_outcome::breakdown);
      const T before = residual;
      residual = begin(a, b, x);
      // A whole space, or all there is of it, and nothing gained: A is singular, or m too small for it; more of the same will not help.
      const bool whole = exhausted_ || directions == restart_;
      if (whole && !target.reached(residual) && !(residual < T(0.9999) * before)) return end(krylov_outcome::breakdown);
    }
  }

 private:
  std::span<T> basis(std::size_t k) { return {basis_.data() + k * size_, size_}; }
  T& hessenberg(std::size_t i, std::size_t j) { return hessenberg_[j * (restart_ + 1) + i]; }

  /// r = b − A x into the first direction, not yet of length one. Returns ‖r‖.
  template <class Operator> T begin(const Operator& a, std::span<const T> b, std::span<const T> x) {
    const std::span<T> r = basis(0);
    a(x, detail::all(w_));
    for (std::size_t i = 0; i < size_; ++i) r[i] = b[i] - w_[i];
    return euclidean_norm<T>(r);
  }

  /// Arnoldi's process with Givens' rotations: directions until the residual is small enough or the memory full. Returns how many.
  template <class Operator, class Preconditioner>
  std::size_t build(const Operator& a, const Preconditioner& m, T residual, const detail::krylov_target<T>& target, krylov_result& result,
                    std::size_t budget) {
    exhausted_ = false;
    scale(basis(0), T(1) / residual);
    rotated_[0] = residual;
    std::size_t j = 0;
    while (j < restart_ && result.iterations < budget && !target.reached(magnitude(rotated_[j]))) {
      const std::span<T> next = basis(j + 1);
      m(std::span<const T>(basis(j)), detail::all(z_));
      a(detail::read(z_), next);
      ++result.iterations;
      const T length_before = euclidean_norm<T>(next);
      for (std::size_t i = 0; i <= j; ++i) {
        const T h = inner_product<T>(basis(i), next);
        hessenberg(i, j) = h;
        subtract(next, h, basis(i));
      }
      const T length = euclidean_norm<T>(next);
      // Nothing new but rounding: the space is invariant, and the solution, if there is one, lies in it.
      exhausted_ = !(length > T(4) * std::numeric_limits<T>::epsilon() * length_before);
      hessenberg(j + 1, j) = exhausted_ ? T(0) : length;
      rotate(j);
      ++j;
      if (exhausted_) break;
      scale(next, T(1) / length);
    }
    return j;
  }

  void rotate(std::size_t j) {
    for (std::size_t i = 0; i < j; ++i) {
      const T upper = hessenberg(i, j), lower = hessenberg(i + 1, j);
      hessenberg(i, j) = cosine_[i] * upper + sine_[i] * lower;
      hessenberg(i + 1, j) = cosine_[i] * lower - sine_[i] * upper;
    }
    const T length = std::hypot(hessenberg(j, j), hessenberg(j + 1, j));
    cosine_[j] = length > T(0) ? hessenberg(j, j) / length : T(1);
    sine_[j] = length > T(0) ? hessenberg(j + 1, j) / length : T(0);
    hessenberg(j, j) = length;
    rotated_[j + 1] = -sine_[j] * rotated_[j];
    rotated_[j] *= cosine_[j];
  }

  /// x += M⁻¹ Σ y_k v_k with R y = the rotated right-hand side. False where R is singular.
  template <class Preconditioner> bool combine(std::size_t directions, const Preconditioner& m, std::span<T> x) {
    for (std::size_t k = directions; k-- > 0;) {
      for (std::size_t j = k + 1; j < directions; ++j) rotated_[k] -= hessenberg(k, j) * rotated_[j];
      rotated_[k] /= hessenberg(k, k);
      if (!std::isfinite(rotated_[k])) return false;
    }
    for (std::size_t i = 0; i < size_; ++i) w_[i] = T(0);
    for (std::size_t k = 0; k < directions; ++k) subtract(detail::all(w_), -rotated_[k], basis(k));
    m(detail::read(w_), detail::all(z_));
    for (std::size_t i = 0; i < size_; ++i) x[i] += z_[i];
    return true;
  }

  static void scale(std::span<T> v, T s) {
    for (T& element : v) element *= s;
  }
  static void subtract(std::span<T> v, T s, std::span<const T> u) {
    T* const ENSUE_RESTRICT to = v.data();
    const T* const ENSUE_RESTRICT from = u.data();
    for (std::size_t i = 0; i < v.size(); ++i) to[i] -= s * from[i];
  }

  std::size_t size_ = 0, restart_ = 1;
  buffer<T> basis_, z_, w_, hessenberg_, cosine_, sine_, rotated_;
  bool exhausted_ = false;
};

}  // namespace ensue::linear
