/// Fifteen Verlet steps with small errors: order 8.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// R. I. McLachlan (1995), "On the numerical integration of ordinary differential equations by symmetric composition methods",
/// SIAM J. Sci. Comput. 16, 151–168, and M. Suzuki & K. Umeno (1993); Hairer, Lubich & Wanner, Geometric Numerical Integration,
/// V.3, eq. (3.11).
struct mclachlan8 {
  static constexpr const char* name = "mclachlan8";
  static constexpr const char* citation = "McLachlan (1995), SIAM J. Sci. Comput. 16, 151-168; Suzuki & Umeno (1993)";
  static constexpr auto table = composed_of_verlet(8, {0.74167036435061295344822780L,
                                       -0.40910082580003159399730010L,
                                       0.19075471029623837995387626L,
                                       -0.57386247111608226665638773L,
                                       0.29906418130365592384446354L,
                                       0.33462491824529818378495798L,
                                       0.31529309239676659663205666L});
};
static_assert(mclachlan8::table.consistent() && mclachlan8::table.symmetric());

}  // namespace ensue
