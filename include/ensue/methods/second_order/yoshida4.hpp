/// Three Verlet steps, the middle one backwards: order 4.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// H. Yoshida (1990), "Construction of higher order symplectic integrators", Phys. Lett. A 150, 262–268, eq. (2.11); the same as
/// E. Forest & R. D. Ruth (1990), Physica D 43, 105–117. γ₁ = 1/(2 − 2^(1/3)).
struct yoshida4 {
  static constexpr const char* name = "yoshida4";
  static constexpr const char* citation = "Yoshida (1990), Phys. Lett. A 150, 262-268";
  static constexpr auto table = composed_of_verlet(4, {1.35120719195965763404768780897L});
};
static_assert(yoshida4::table.consistent() && yoshida4::table.symmetric());

}  // namespace ensue
