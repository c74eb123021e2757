/// The Runge–Kutta–Munthe-Kaas method of order 4, with the classical table.
#pragma once

#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/methods/rotation/munthe_kaas_driver.hpp>

namespace ensue {

/// H. Munthe-Kaas (1998), "Runge–Kutta methods on Lie groups", BIT 38, 92–111; (1999), "High order Runge–Kutta methods on manifolds", Appl.
/// Numer. Math. 29, 115–127. For any velocity on a group: gyroscopes, damped and driven bodies.
struct rkmk4 {
  static constexpr const char* name = "rkmk4";
  static constexpr const char* citation = "Munthe-Kaas (1998), BIT 38, 92-111";
  static constexpr const auto& table_on_group = rk4::table;
  template <class State> using stepper = munthe_kaas_stepper_of<rkmk4, State>;
};

}  // namespace ensue
