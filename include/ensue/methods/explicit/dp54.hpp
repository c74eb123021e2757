/// Dormand & Prince 5(4), the workhorse at moderate tolerances.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// J. R. Dormand & P. J. Prince (1980), "A family of embedded Runge–Kutta formulae", J. Comput. Appl. Math. 6, 19–26,
/// table 2 (RK5(4)7M). Dense output: the fourth-order interpolant of L. F. Shampine (1986), "Some practical Runge–Kutta
/// formulas", Math. Comp. 46, 135–150, as in Hairer, Nørsett & Wanner, Solving ODEs I, II.6.
/// Choose it first: for most problems that are not stiff, at tolerances of about 1e-3 to 1e-8.
struct dp54 {
  static constexpr const char* name = "dp54";
  static constexpr const char* citation = "Dormand & Prince (1980), J. Comput. Appl. Math. 6, 19-26";
  static constexpr explicit_tableau<7, 1, 4> table = {
      .order = 5,
      .c = {0, ratio(1, 5), ratio(3, 10), ratio(4, 5), ratio(8, 9), 1, 1},
      .a = {{},
            {ratio(1, 5)},
            {ratio(3, 40), ratio(9, 40)},
            {ratio(44, 45), ratio(-56, 15), ratio(32, 9)},
            {ratio(19372, 6561), ratio(-25360, 2187), ratio(64448, 6561), ratio(-212, 729)},
            {ratio(9017, 3168), ratio(-355, 33), ratio(46732, 5247), ratio(49, 176), ratio(-5103, 18656)},
            {ratio(35, 384), 0, ratio(500, 1113), ratio(125, 192), ratio(-2187, 6784), ratio(11, 84)}},
      .b = {ratio(35, 384), 0, ratio(500, 1113), ratio(125, 192), ratio(-2187, 6784), ratio(11, 84), 0},
      .embedded = {{4,
                    {ratio(5179, 57600), 0, ratio(7571, 16695), ratio(393, 640), ratio(-92097, 339200),
                     ratio(187, 2100), ratio(1, 40)}}},
      .dense_order = 4,
      .dense = {
          {1, ratio(-8048581381, 2820520608), ratio(8663915743, 2820520608), ratio(-12715105075, 11282082432)},
          {},
          {0, ratio(131558114200, 32700410799), ratio(-68118460800, 10900136933), ratio(87487479700, 32700410799)},
          {0, ratio(-1754552775, 470086768), ratio(14199869525, 1410260304), ratio(-10690763975, 1880347072)},
          {0, ratio(127303824393, 49829197408), ratio(-318862633887, 49829197408), ratio(701980252875, 199316789632)},
          {0, ratio(-282668133, 205662961), ratio(2019193451, 616988883), ratio(-1453857185, 822651844)},
          {0, ratio(40617522, 29380423), ratio(-110615467, 29380423), ratio(69997945, 29380423)}}};
};
static_assert(satisfies_stated_orders(dp54::table));

}  // namespace ensue
