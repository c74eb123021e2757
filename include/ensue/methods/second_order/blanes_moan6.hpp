/// Eleven kicks placed for forces from positions: order 6.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// S. Blanes & P. C. Moan (2002), "Practical symplectic partitioned Runge–Kutta and Runge–Kutta–Nyström methods", J. Comput. Appl.
/// Math. 142, 313–330, table 3, SRKN₁₁ᵇ.
struct blanes_moan6 {
  static constexpr const char* name = "blanes-moan6";
  static constexpr const char* citation = "Blanes & Moan (2002), J. Comput. Appl. Math. 142, 313-330";
  static constexpr auto table =
      symmetric_splitting<12>(6, {0.0414649985182624L, 0.198128671918067L, -0.0400061921041533L, 0.0752539843015807L, -0.0115113874206879L},
                             {0.123229775946271L, 0.290553797799558L, -0.127049212625417L, -0.246331761062075L, 0.357208872795928L});
};
static_assert(blanes_moan6::table.consistent() && blanes_moan6::table.symmetric());

}  // namespace ensue
