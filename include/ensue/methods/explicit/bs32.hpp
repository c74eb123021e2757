/// Bogacki & Shampine 3(2), for loose tolerances.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// P. Bogacki & L. F. Shampine (1989), "A 3(2) pair of Runge–Kutta formulas", Appl. Math. Lett. 2, 321–325. Dense
/// output: the cubic Hermite polynomial through both ends of the step and their slopes, written as weights of the
/// stages.
/// Choose it where a tolerance of 1e-3 or so is enough, or where f has kinks that would spoil a higher order.
struct bs32 {
  static constexpr const char* name = "bs32";
  static constexpr const char* citation = "Bogacki & Shampine (1989), Appl. Math. Lett. 2, 321-325";
  static constexpr explicit_tableau<4, 1, 3> table = {
      .order = 3,
      .c = {0, ratio(1, 2), ratio(3, 4), 1},
      .a = {{}, {ratio(1, 2)}, {0, ratio(3, 4)}, {ratio(2, 9), ratio(1, 3), ratio(4, 9)}},
      .b = {ratio(2, 9), ratio(1, 3), ratio(4, 9), 0},
      .embedded = {{2, {ratio(7, 24), ratio(1, 4), ratio(1, 3), ratio(1, 8)}}},
      .dense_order = 3,
      .dense = {{1, ratio(-4, 3), ratio(5, 9)}, {0, 1, ratio(-2, 3)}, {0, ratio(4, 3), ratio(-8, 9)}, {0, -1, 1}}};
};
static_assert(satisfies_stated_orders(bs32::table));

}  // namespace ensue
