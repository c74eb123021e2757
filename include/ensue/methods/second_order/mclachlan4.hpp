/// Five Verlet steps: order 4 with small errors.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// R. I. McLachlan (1995), "On the numerical integration of ordinary differential equations by symmetric composition methods",
/// SIAM J. Sci. Comput. 16, 151–168, type SS, five stages.
struct mclachlan4 {
  static constexpr const char* name = "mclachlan4";
  static constexpr const char* citation = "McLachlan (1995), SIAM J. Sci. Comput. 16, 151-168";
  static constexpr auto table = composed_of_verlet(4, {0.28L,
                                       0.62546642846767004501L});
};
static_assert(mclachlan4::table.consistent() && mclachlan4::table.symmetric());

}  // namespace ensue
