/// Nine Verlet steps with small errors: order 6.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// W. Kahan & R.-C. Li (1997), "Composition constants for raising the orders of unconventional schemes for ordinary differential
/// equations", Math. Comp. 66, 1089–1099, s9odr6a.
struct kahan_li6 {
  static constexpr const char* name = "kahan-li6";
  static constexpr const char* citation = "Kahan & Li (1997), Math. Comp. 66, 1089-1099";
  static constexpr auto table = composed_of_verlet(6, {0.39216144400731413927925056L,
                                       0.33259913678935943859974864L,
                                       -0.70624617255763935980996482L,
                                       0.08221359629355080023149045L});
};
static_assert(kahan_li6::table.consistent() && kahan_li6::table.symmetric());

}  // namespace ensue
