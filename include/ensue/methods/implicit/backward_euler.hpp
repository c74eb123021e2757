/// Backward Euler: the most robust of all steps.
#pragma once

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/methods/implicit/dirk_driver.hpp>

namespace ensue {

/// x_new = x + h f(t_new, x_new). C. F. Curtiss & J. O. Hirschfelder (1952), "Integration of stiff equations", Proc. Natl. Acad. Sci. 38,
/// 235–243, formula (4). Of order 1 and L-stable. Its error, h²/2 x'', is seen as the difference to the trapezoidal rule.
struct backward_euler {
  static constexpr const char* name = "backward-euler";
  static constexpr const char* citation = "Curtiss & Hirschfelder (1952), Proc. Natl. Acad. Sci. 38, 235-243";
  using condensed = condensed_backward_euler;  ///< of fixed steps, for particles whose model hands over force blocks
  static constexpr dirk_table<2> table = {
      .order = 1, .embedded_order = 2, .gamma = 1, .embedded = {0.5L, 0.5L}, .estimate = dirk_estimate::filtered, .probe = dirk_probe::defect};
};
static_assert(is_l_stable(backward_euler::table));

}  // namespace ensue
