/// Euler's method: order 1, for teaching and as the yardstick every other method is measured against.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// L. Euler (1768), Institutionum calculi integralis volumen primum, sectio II, caput VII, §650.
/// Choose it to see what order one looks like, or where f is so rough that no higher order would be reached.
struct euler {
  static constexpr const char* name = "euler";
  static constexpr const char* citation = "Euler (1768), Institutionum calculi integralis I, II.7, par. 650";
  static constexpr explicit_tableau<1> table = {.order = 1, .c = {0}, .a = {{}}, .b = {1}};
};
static_assert(satisfies_stated_orders(euler::table));

}  // namespace ensue
