/// A trapezoidal step followed by one of BDF2: for loose tolerances and rough problems, circuits for one.
#pragma once

#include <ensue/methods/implicit/dirk_driver.hpp>

namespace ensue {

/// R. E. Bank et al. (1985), "Transient simulation of silicon devices and circuits", IEEE Trans. Electron Devices 32, 1992–2007; as a
/// Runge–Kutta method with an embedded one of order 3, and what to iterate and to filter: M. E. Hosea & L. F. Shampine (1996), "Analysis and
/// implementation of TR-BDF2", Appl. Numer. Math. 20, 21–37, table 1. Of order 2 and L-stable. The estimate, of an error much larger than that of the companion, is taken twice, as the Oregonator asks.
struct trbdf2 {
  static constexpr const char* name = "trbdf2";
  static constexpr const char* citation = "Hosea & Shampine (1996), Appl. Numer. Math. 20, 21-37";
  static constexpr long double root2 = 1.41421356237309504880168872421L, d = 1 - root2 / 2, w = root2 / 4;
  static constexpr dirk_table<3> table = {.order = 2,
                                          .embedded_order = 3,
                                          .gamma = d,
                                          .a = {{}, {d}, {w, w}},
                                          .embedded = {(1 - w) / 3, (3 * w + 1) / 3, d / 3},
                                          .estimate = dirk_estimate::filtered,
                                          .probe = dirk_probe::stage,
                                          .caution = 2};
};
static_assert(is_l_stable(trbdf2::table));

}  // namespace ensue
