/// The semi-implicit Euler method: the velocity first, then the position with the new velocity.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// R. de Vogelaere (1956), "Methods of integration which preserve the contact transformation property of the Hamilton equations",
/// Report 4, University of Notre Dame; E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration, VI.3, eq. (3.1).
/// The one force of a step is that at its start, so it may depend on velocity; symplectic it is for forces that do not.
struct semi_implicit_euler {
  static constexpr const char* name = "semi-implicit-euler";
  static constexpr const char* citation = "de Vogelaere (1956), Report 4, University of Notre Dame";
  static constexpr splitting_table<1> table = {1, {1}, {1}};
};

}  // namespace ensue
