/// Six kicks placed for forces from positions: order 4, errors some hundred times smaller than Yoshida's at equal cost.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// S. Blanes & P. C. Moan (2002), "Practical symplectic partitioned Runge–Kutta and Runge–Kutta–Nyström methods", J. Comput. Appl.
/// Math. 142, 313–330, table 3, SRKN₆ᵇ.
struct blanes_moan4 {
  static constexpr const char* name = "blanes-moan4";
  static constexpr const char* citation = "Blanes & Moan (2002), J. Comput. Appl. Math. 142, 313-330";
  static constexpr auto table =
      symmetric_splitting<7>(4, {0.0829844064174052L, 0.396309801498368L, -0.0390563049223486L},
                             {0.245298957184271L, 0.604872665711080L});
};
static_assert(blanes_moan4::table.consistent() && blanes_moan4::table.symmetric());

}  // namespace ensue
