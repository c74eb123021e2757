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
      .c = {0, q(1, 5), q(3, 10), q(4, 5), q(8, 9), 1, 1},
      .a = {{},
            {q(1, 5)},
            {q(3, 40), q(9, 40)},
            {q(44, 45), q(-56, 15), q(32, 9)},
            {q(19372, 6561), q(-25360, 2187), q(64448, 6561), q(-212, 729)},
            {q(9017, 3168), q(-355, 33), q(46732, 5247), q(49, 176), q(-5103, 18656)},
            {q(35, 384), 0, q(500, 1113), q(125, 192), q(-2187, 6784), q(11, 84)}},
      .b = {q(35, 384), 0, q(500, 1113), q(125, 192), q(-2187, 6784), q(11, 84), 0},
      .embedded = {{4, {q(5179, 57600), 0, q(7571, 16695), q(393, 640), q(-92097, 339200), q(187, 2100), q(1, 40)}}},
      .dense_order = 4,
      .dense = {{1, q(-8048581381, 2820520608), q(8663915743, 2820520608), q(-12715105075, 11282082432)},
                {},
                {0, q(131558114200, 32700410799), q(-68118460800, 10900136933), q(87487479700, 32700410799)},
                {0, q(-1754552775, 470086768), q(14199869525, 1410260304), q(-10690763975, 1880347072)},
                {0, q(127303824393, 49829197408), q(-318862633887, 49829197408), q(701980252875, 199316789632)},
                {0, q(-282668133, 205662961), q(2019193451, 616988883), q(-1453857185, 822651844)},
                {0, q(40617522, 29380423), q(-110615467, 29380423), q(69997945, 29380423)}}};
};
static_assert(satisfies_stated_orders(dp54::table));

}  // namespace ensue
