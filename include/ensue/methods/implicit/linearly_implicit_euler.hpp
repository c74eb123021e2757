/// The textbook's implicit step: one linear solve, no iteration.
#pragma once

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/methods/implicit/rosenbrock_driver.hpp>

namespace ensue {

/// D. Baraff & A. Witkin, "Physically Based Modeling: Implicit Methods for Differential Equations", SIGGRAPH course notes (1997), (2–8):
/// (I/h − f')Δx = f(x₀); with explicit time f + h ∂f/∂t on the right, which is what the same formula says of the state (x, t). As a
/// Rosenbrock method: H. H. Rosenbrock (1963), Comput. J. 5, 329–330. Of order 1 and L-stable.
struct linearly_implicit_euler {
  static constexpr const char* name = "linearly-implicit-euler";
  static constexpr const char* citation = "Rosenbrock (1963), Comput. J. 5, 329-330; Baraff & Witkin (1997), SIGGRAPH course notes";
  using condensed = condensed_linearly_implicit_euler;  ///< of fixed steps, for particles whose model hands over force blocks
  static constexpr rosenbrock_table<1> table = {.order = 1, .gamma = 1, .gamma_sum = {1}, .m = {1}};
};
static_assert(is_l_stable(linearly_implicit_euler::table));

}  // namespace ensue
