/// The Lie–Euler method: order 1, along the geodesic of the present velocity.
#pragma once

#include <ensue/methods/explicit/euler.hpp>
#include <ensue/methods/rotation/munthe_kaas_driver.hpp>

namespace ensue {

/// E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration, IV.8, example 8.2; A. Iserles, H. Z. Munthe-Kaas, S. P. Nørsett &
/// A. Zanna (2000), "Lie-group methods", Acta Numerica 9, 215–365, eq. (2.16).
struct lie_euler {
  static constexpr const char* name = "lie-euler";
  static constexpr const char* citation = "Iserles, Munthe-Kaas, Norsett & Zanna (2000), Acta Numerica 9, 215-365";
  static constexpr const auto& table_on_group = euler::table;
  template <class State> using stepper = munthe_kaas_stepper_of<lie_euler, State>;
};

}  // namespace ensue
