/// Heun's method, the explicit trapezoidal rule: order 2 from the slopes at the two ends of a step.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// K. Heun (1900), "Neue Methoden zur approximativen Integration der Differentialgleichungen einer unabhängigen
/// Veränderlichen", Z. Math. Phys. 45, 23–38.
/// Choose it over `midpoint` where f may be evaluated at the ends of a step only: for data given at grid points, say.
struct heun {
  static constexpr const char* name = "heun";
  static constexpr const char* citation = "Heun (1900), Z. Math. Phys. 45, 23-38";
  static constexpr explicit_tableau<2> table = {
      .order = 2, .c = {0, 1}, .a = {{}, {1}}, .b = {ratio(1, 2), ratio(1, 2)}};
};
static_assert(satisfies_stated_orders(heun::table));

}  // namespace ensue
