/// BiCGSTAB for operators that are not symmetric: seven vectors of memory however long it takes, two products an iteration.
///
///     linear::bicgstab<double> solver(n);
///     const auto result = solver.solve(a, b, x);                   // x: the guess, then the answer; result.outcome says whether it is
///
/// van der Vorst (1992), "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric linear systems",
/// SIAM J. Sci. Stat. Comput. 13, 631–644. Preconditioned from the right. Where its short recurrences lose their footing (rᵀr̂ or ω near
/// zero) it begins again from the residual reached; twice without progress is a breakdown.
#pragma once

#include <ensue/linear/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace ensue::linear {

template <plain_scalar T> class bicgstab {
 public:
  bicgstab() = default;
  explicit bicgstab(std::size_t size) : r_(size), shadow_(size), p_(size), v_(size), s_(size), t_(size), z_(size) {}

  std::size_t bytes() const { return 7 * r_.size() * sizeof(T); }

  /// `iterations` counts products with A.
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
    T least = residual;  // of the restarts so far
    while (true) {
      if (!std::isfinite(residual)) return end(krylov_outcome::breakdown);
      if (target.reached(residual)) return end(krylov_outcome::converged);
      if (result.iterations >= options.max_iterations) return end(krylov_outcome::out_of_iterations);
      run(a, m, x, residual, target, result, options.max_iterations);
      // The recurrence's residual drifts from the true one: what is reported, and gone on from, is the true one.
      residual = begin(a, b, x);
      if (target.reached(residual) || result.iterations >= options.max_iterations) continue;
      if (!(residual < T(0.5) * least)) return end(krylov_outcome::breakdown);
      least = residual;
    }
  }

 private:
  template <class Operator> T begin(const Operator& a, std::span<const T> b, std::span<const T> x) {
    a(x, detail::all(v_));
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = b[i] - v_[i];
    return euclidean_norm<T>(detail::read(r_));
  }

  /// Until it converges by its own account, or can go no further.
  template <class Operator, class Preconditioner>
  void run(const Operator& a, const Preconditioner& m, std::span<T> x, T residual, const detail::krylov_target<T>& target,
           krylov_result& result, std::size_t budget) {
    constexpr T small = std::numeric_limits<T>::epsilon();
    const std::size_t n = r_.size();
    const std::span<const T> r = detail::read(r_), s = detail::read(s_), t = detail::read(t_);
    for (std::size_t i = 0; i < n; ++i) shadow_[i] = r_[i], p_[i] = r_[i];
    const T shadow_size = residual;
    T rho = residual * residual;
    while (result.iterations < budget) {
      m(detail::read(p_), detail::all(z_));
      a(detail::read(z_), detail::all(v_));
      ++result.iterations;
      const T along = inner_product<T>(detail::read(shadow_), detail::read(v_));
      if (!(magnitude(along) > small * shadow_size * euclidean_norm<T>(detail::read(v_)))) return;
      const T alpha = rho / along;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] += alpha * z_[i];
        s_[i] = r_[i] - alpha * v_[i];
      }
      if (target.reached(euclidean_norm<T>(s)) || result.iterations >= budget) return;
      m(s, detail::all(z_));
      a(detail::read(z_), detail::all(t_));
      ++result.iterations;
      const T tt = inner_product<T>(t, t), ts = inner_product<T>(t, s);
      const T omega = ts / tt;
      if (!(tt > T(0)) || !std::isfinite(omega)) return;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] += omega * z_[i];
        r_[i] = s_[i] - omega * t_[i];
      }
      const T size_of_r = euclidean_norm<T>(r);
      if (target.reached(size_of_r) || !std::isfinite(size_of_r)) return;
      const T next = inner_product<T>(detail::read(shadow_), r);
      if (!(magnitude(next) > small * shadow_size * size_of_r) || omega == T(0)) return;
      const T beta = (next / rho) * (alpha / omega);
      rho = next;
      for (std::size_t i = 0; i < n; ++i) p_[i] = r_[i] + beta * (p_[i] - omega * v_[i]);
    }
  }

  buffer<T> r_, shadow_, p_, v_, s_, t_, z_;
};

}  // namespace ensue::linear
