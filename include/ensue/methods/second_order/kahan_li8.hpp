/// Seventeen Verlet steps with the smallest errors: order 8.
#pragma once

#include <ensue/methods/second_order/splitting.hpp>

namespace ensue {

/// W. Kahan & R.-C. Li (1997), "Composition constants for raising the orders of unconventional schemes for ordinary differential
/// equations", Math. Comp. 66, 1089–1099, s17odr8a.
struct kahan_li8 {
  static constexpr const char* name = "kahan-li8";
  static constexpr const char* citation = "Kahan & Li (1997), Math. Comp. 66, 1089-1099";
  static constexpr auto table = composed_of_verlet(8, {0.13020248308889008087881763L,
                                       0.56116298177510838456196441L,
                                       -0.38947496264484728640807860L,
                                       0.15884190655515560089621075L,
                                       -0.39590389413323757733623154L,
                                       0.18453964097831570709183254L,
                                       0.25837438768632204729397911L,
                                       0.29501172360931029887096624L});
};
static_assert(kahan_li8::table.consistent() && kahan_li8::table.symmetric());

}  // namespace ensue
