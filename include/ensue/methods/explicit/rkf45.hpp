/// Fehlberg 5(4), the pair of older codes (RKF45), kept for comparison with them.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/quartic_interpolant.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// E. Fehlberg (1969), "Low-order classical Runge–Kutta formulas with stepsize control and their application to some
/// heat transfer problems", NASA Technical Report R-315, table III (RK4(5), formula 2); Computing 6 (1970), 61–71.
/// Fehlberg advances with the fourth-order solution; here, as in most of its uses since, it is the fifth-order one that
/// advances.
/// Choose it to reproduce results obtained with it; otherwise `dp54` and `tsit5` have smaller errors at the same cost.
struct rkf45 {
  static constexpr const char* name = "rkf45";
  static constexpr const char* citation = "Fehlberg (1969), NASA TR R-315, table III";
  static constexpr explicit_tableau<6, 1> table = {
      .order = 5,
      .c = {0, ratio(1, 4), ratio(3, 8), ratio(12, 13), 1, ratio(1, 2)},
      .a = {{},
            {ratio(1, 4)},
            {ratio(3, 32), ratio(9, 32)},
            {ratio(1932, 2197), ratio(-7200, 2197), ratio(7296, 2197)},
            {ratio(439, 216), -8, ratio(3680, 513), ratio(-845, 4104)},
            {ratio(-8, 27), 2, ratio(-3544, 2565), ratio(1859, 4104), ratio(-11, 40)}},
      .b = {ratio(16, 135), 0, ratio(6656, 12825), ratio(28561, 56430), ratio(-9, 50), ratio(2, 55)},
      .embedded = {{4, {ratio(25, 216), 0, ratio(1408, 2565), ratio(2197, 4104), ratio(-1, 5), 0}}}};
  /// The value at θ = 3/5: M. K. Horn (1983), "Fourth- and fifth-order, scaled Runge–Kutta algorithms for treating dense output", SIAM J.
  /// Numer. Anal. 20, 558–568. It costs no evaluation, and holds all conditions of order 4 exactly.
  static constexpr auto dense_table = detail::with_value_inside(
      table, ratio(3, 5),
      {ratio(1559, 12500), 0, ratio(153856, 296875), ratio(68107, 2612500), ratio(-243, 31250), ratio(-2106, 34375)});
};
static_assert(satisfies_stated_orders(rkf45::table));

}  // namespace ensue
