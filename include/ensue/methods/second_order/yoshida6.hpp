/// Seven Verlet steps: order 6.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// H. Yoshida (1990), "Construction of higher order symplectic integrators", Phys. Lett. A 150, 262–268, table 1, solution A.
/// The digits beyond the printed ones by Newton's method on the order conditions.
struct yoshida6 {
  static constexpr const char* name = "yoshida6";
  static constexpr const char* citation = "Yoshida (1990), Phys. Lett. A 150, 262-268, solution A";
  static constexpr auto table = composed_of_verlet(6, {0.7845136104775572638194976L,
                                       0.2355732133593581336847932L,
                                       -1.177679984178871006946416L});
};
static_assert(yoshida6::table.consistent() && yoshida6::table.symmetric());

}  // namespace ensue
