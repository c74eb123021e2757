/// Backward differentiation of order 1 to 5: few evaluations a step, for large systems.
#pragma once

#include <ensue/implicit/bdf_driver.hpp>
#include <ensue/implicit/own_properties.hpp>

namespace ensue {

/// L. F. Shampine & M. W. Reichelt (1997), "The MATLAB ODE suite", SIAM J. Sci. Comput. 18, 1–22; κ as in its table 1, which leaves the
/// stability of orders 1 and 2 as it is, costs orders 3 and 4 less than a tenth of their angles, and has none for order 5.
struct bdf {
  static constexpr const char* name = "bdf";
  static constexpr const char* citation = "Shampine & Reichelt (1997), SIAM J. Sci. Comput. 18, 1-22";
  static constexpr bdf_coefficients formulas{{0, -0.1850, -1. / 9, -0.0823, -0.0415, 0, 0}};
  static constexpr double tightness = 4;
  static constexpr own_properties properties{.order = 5,
                                             .embedded_order = 5,
                                             .stages = 1,
                                             .start_evaluations = 1,
                                             .evaluations = 1,
                                             .a_stable = false,
                                             .l_stable = false};
  template <class State> using stepper = bdf_stepper<bdf, State>;
};

}  // namespace ensue
