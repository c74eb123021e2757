/// Shampine & Reichelt's pair, MATLAB's ode23s: for loose tolerances.
#pragma once

#include <ensue/methods/implicit/rosenbrock_driver.hpp>

namespace ensue {

/// L. F. Shampine & M. W. Reichelt (1997), "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18, 1–22, section 3: with d = 1/(2 + √2),
/// e = 6 + √2 and W = I − hdf'
///
///     W k₁ = f(t, x) + hd f_t        W (k₂ − k₁) = f(t + h/2, x + h k₁/2) − k₁        x_new = x + h k₂
///     W k₃ = f(t_new, x_new) − e (k₂ − F₁) − 2 (k₁ − F₀) + hd f_t        error = h/6 (k₁ − 2k₂ + k₃)
///
/// and x(θ) = x + h/(1 − 2d) (θ(1 − θ) k₁ + θ(θ − 2d) k₂) inside the step. Here u₁ = hd k₁, u₂ = hd (k₂ − k₁) and u₃ = hd k₃ − e u₂ − 2u₁,
/// in which F₀ and F₁ are gone. Of order 2, L-stable, two evaluations a step.
struct rosenbrock23 {
  static constexpr const char* name = "rosenbrock23";
  static constexpr const char* citation = "Shampine & Reichelt (1997), SIAM J. Sci. Comput. 18, 1-22";
  static constexpr long double root2 = 1.41421356237309504880168872421L, per_d = 2 + root2, d = 1 / per_d, e = 6 + root2;
  static constexpr rosenbrock_table<3, 1> table = {
      .order = 2,
      .embedded_order = 3,
      .dense_order = 2,
      .gamma = d,
      .alpha = {0, 0.5L, 1},
      .gamma_sum = {d, 0, -d},
      .a = {{}, {0.5L * per_d}, {per_d, per_d}},
      .c = {{}, {-per_d}, {-2 * per_d, -e * per_d}},
      .m = {per_d, per_d, 0},
      .error = {-per_d / 6, (2 - e) * per_d / 6, -per_d / 6},  // x_new minus the solution of order 3
      .dense = {{0, -per_d / (1 - 2 * d), 0}}};
};
static_assert(rosenbrock23::table.fsal() && is_l_stable(rosenbrock23::table));

}  // namespace ensue
