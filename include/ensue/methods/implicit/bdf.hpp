/// Backward differentiation of order 1 to 5: few evaluations a step, for large systems.
#pragma once

#include <ensue/methods/implicit/bdf_driver.hpp>
#include <ensue/methods/implicit/own_properties.hpp>

namespace ensue {

/// L. F. Shampine & M. W. Reichelt (1997), "The MATLAB ODE suite", SIAM J. Sci. Comput. 18, 1–22; κ as in its table 1, which leaves the
/// stability of order 2 as it is, costs orders 3 and 4 less than a tenth of their angles, and has none for order 5. None for order 1 either
/// (the paper has −0.185): in a first step the formula with κ compares with Euler's explicit step, and what is infinitely stiff stays.
struct bdf {
  static constexpr const char* name = "bdf";
  static constexpr const char* citation = "Shampine & Reichelt (1997), SIAM J. Sci. Comput. 18, 1-22";
  static constexpr bdf_coefficients formulas{{0, 0, -1. / 9, -0.0823, -0.0415, 0, 0}};
  static constexpr double tightness = 6;
  static constexpr bool takes_mass_matrix = true;
  static constexpr own_properties properties{.order = 2,
                                             .embedded_order = 1,
                                             .stages = 1,
                                             .start_evaluations = 1,
                                             .evaluations = 1,
                                             .a_stable = true,
                                             .l_stable = true};
  template <class State> using stepper = bdf_stepper<bdf, State>;
};

}  // namespace ensue
