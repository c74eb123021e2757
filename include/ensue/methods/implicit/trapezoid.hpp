/// The trapezoidal rule: of order 2 and without damping.
#pragma once

#include <ensue/methods/implicit/dirk_driver.hpp>

namespace ensue {

/// x_new = x + h/2 (f(t, x) + f(t_new, x_new)). J. Crank & P. Nicolson (1947), "A practical method for numerical evaluation of solutions of
/// partial differential equations of the heat-conduction type", Proc. Camb. Phil. Soc. 43, 50–67; A-stable, and the most accurate such
/// multistep method: G. Dahlquist (1963), BIT 3, 27–43. Oscillations are neither damped nor fed; what is infinitely stiff changes its sign
/// with every step, so that it is not L-stable.
struct trapezoid {
  static constexpr const char* name = "trapezoid";
  static constexpr const char* citation = "Crank & Nicolson (1947), Proc. Camb. Phil. Soc. 43, 50-67";
  static constexpr dirk_table<2> table = {
      .order = 2, .embedded_order = 3, .gamma = 0.5L, .a = {{}, {0.5L}}, .estimate = dirk_estimate::history};
};
static_assert(is_a_stable(trapezoid::table) && !is_l_stable(trapezoid::table));

}  // namespace ensue
