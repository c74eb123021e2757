/// Fifteen Verlet steps: order 8.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// H. Yoshida (1990), "Construction of higher order symplectic integrators", Phys. Lett. A 150, 262–268, table 2, solution D.
/// The digits beyond the printed ones by Newton's method on the order conditions.
struct yoshida8 {
  static constexpr const char* name = "yoshida8";
  static constexpr const char* citation = "Yoshida (1990), Phys. Lett. A 150, 262-268, solution D";
  static constexpr auto table = composed_of_verlet(8, {0.9148442462297915667487935L,
                                       0.253693336566211354146146L,
                                       -1.444852236860605157694731L,
                                       -0.1582406353680501752040668L,
                                       1.938139137622525986579186L,
                                       -1.960610232975310807607633L,
                                       0.1027998493917964406981151L});
};
static_assert(yoshida8::table.consistent() && yoshida8::table.symmetric());

}  // namespace ensue
