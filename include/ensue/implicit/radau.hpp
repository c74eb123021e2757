/// Radau IIA, of order 5: the classical method for the stiffest problems.
#pragma once

#include <ensue/implicit/radau_driver.hpp>

namespace ensue {

/// E. Hairer & G. Wanner (1996), Solving Ordinary Differential Equations II, 2nd ed., IV.8.
struct radau {
  static constexpr const char* name = "radau";
  static constexpr const char* citation = "Hairer & Wanner (1996), Solving ODEs II, IV.8";
  static constexpr int fewest_stages = 3, most_stages = 7;
  template <class State> using stepper = radau_stepper<radau, State>;
};

}  // namespace ensue
