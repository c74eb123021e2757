/// The classical Runge–Kutta method: order 4 from four evaluations, at a fixed step.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// W. Kutta (1901), "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen", Z. Math. Phys. 46,
/// 435–453; Hairer, Nørsett & Wanner, Solving ODEs I, II.1, table 1.2 (left).
/// Choose it for a smooth problem at a fixed step; it has no error estimate, so where the step may vary `dp54` does
/// more with its evaluations.
struct rk4 {
  static constexpr const char* name = "rk4";
  static constexpr const char* citation = "Kutta (1901), Z. Math. Phys. 46, 435-453";
  static constexpr explicit_tableau<4> table = {.order = 4,
                                                .c = {0, ratio(1, 2), ratio(1, 2), 1},
                                                .a = {{}, {ratio(1, 2)}, {0, ratio(1, 2)}, {0, 0, 1}},
                                                .b = {ratio(1, 6), ratio(1, 3), ratio(1, 3), ratio(1, 6)}};
};
static_assert(satisfies_stated_orders(rk4::table));

}  // namespace ensue
