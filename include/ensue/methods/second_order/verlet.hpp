/// The velocity Verlet method: order 2 from one evaluation a step.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// L. Verlet (1967), "Computer experiments on classical fluids I", Phys. Rev. 159, 98–103; in this form W. C. Swope et al. (1982),
/// J. Chem. Phys. 76, 637–649. Half a kick, a drift, half a kick, whose acceleration is remembered.
struct verlet {
  static constexpr const char* name = "verlet";
  static constexpr const char* citation = "Verlet (1967), Phys. Rev. 159, 98-103; Swope et al. (1982), J. Chem. Phys. 76, 637-649";
  static constexpr splitting_table<2> table = {2, {0.5L, 0.5L}, {1, 0}};
};

}  // namespace ensue
