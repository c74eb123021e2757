/// Gauss's method with two stages: symplectic for every Hamiltonian system, of order 4.
#pragma once

#include <ensue/methods/implicit/collocation.hpp>

namespace ensue {

/// P. C. Hammer & J. W. Hollingsworth (1955), "Trapezoidal methods of approximating solutions of differential equations", MTAC 9, 92–96;
/// J. C. Butcher (1964), "Implicit Runge–Kutta processes", Math. Comp. 18, 50–64. The nodes are 1/2 ∓ √3/6. Solved to round-off by
/// fixed-point iteration.
struct gauss4 {
  static constexpr const char* name = "gauss4";
  static constexpr const char* citation = "Hammer & Hollingsworth (1955), MTAC 9, 92-96; Butcher (1964), Math. Comp. 18, 50-64";
  static constexpr long double root = 0.288675134594812882254574390251L;
  static constexpr collocation_table<2> table = collocation_at<2>({0.5L - root, 0.5L + root});
};
static_assert(gauss4::table.order() == 4 && gauss4::table.symplectic());

}  // namespace ensue
