/// Radau IIA of order 5, 9 and 13: for the stiffest problems, and for many digits.
///
///     ensue::solve(f, x0, {0, 1}, ensue::radau{}, {.rtol = 1e-10});          // orders chosen on the way; a fixed step has order 5
///     ensue::solve(f, x0, {0, 1}, ensue::radau_of<5>{}, {.rtol = 1e-10});    // five stages, order 9, throughout
#pragma once

#include <ensue/methods/implicit/own_properties.hpp>
#include <ensue/methods/implicit/radau_driver.hpp>

namespace ensue {

/// E. Hairer & G. Wanner (1999), "Stiff differential equations solved by Radau methods", J. Comput. Appl. Math. 111, 93–111. Order 5 alone:
/// Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.8.
struct radau {
  static constexpr const char* name = "radau";
  static constexpr const char* citation = "Hairer & Wanner (1999), J. Comput. Appl. Math. 111, 93-111";
  static constexpr bool takes_mass_matrix = true;
  static constexpr int fewest_stages = 3, most_stages = 7;
  static constexpr own_properties properties{.order = 5,
                                             .embedded_order = 3,
                                             .stages = fewest_stages,
                                             .start_evaluations = 0,
                                             .evaluations = 1 + fewest_stages,
                                             .a_stable = true,
                                             .l_stable = true};
  template <class State> using stepper = radau_stepper<radau, State>;
};

/// With a number of stages that does not change: 3, 5 or 7.
template <int Stages> struct radau_of {
  static constexpr const char* name = Stages == 3 ? "radau5" : Stages == 5 ? "radau9" : "radau13";
  static constexpr const char* citation = radau::citation;
  static constexpr bool takes_mass_matrix = true;
  static constexpr int fewest_stages = Stages, most_stages = Stages;
  template <class State> using stepper = radau_stepper<radau_of, State>;
};

}  // namespace ensue
