/// The explicit midpoint rule: order 2 from two evaluations, at a fixed step.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// C. Runge (1895), "Über die numerische Auflösung von Differentialgleichungen", Math. Ann. 46, 167–178; Hairer,
/// Nørsett & Wanner, Solving ODEs I, II.1, eq. (1.4).
/// Choose it where a fixed step and two evaluations are all there is time for.
struct midpoint {
  static constexpr const char* name = "midpoint";
  static constexpr const char* citation = "Runge (1895), Math. Ann. 46, 167-178";
  static constexpr explicit_tableau<2> table = {
      .order = 2, .c = {0, ratio(1, 2)}, .a = {{}, {ratio(1, 2)}}, .b = {0, 1}};
};
static_assert(satisfies_stated_orders(midpoint::table));

}  // namespace ensue
