/// Gauss's method with three stages: symplectic for every Hamiltonian system, of order 6.
#pragma once

#include <ensue/methods/implicit/collocation.hpp>

namespace ensue {

/// J. C. Butcher (1964), "Implicit Runge–Kutta processes", Math. Comp. 18, 50–64. The nodes are 1/2 ∓ √15/10 and 1/2. Solved to round-off
/// by fixed-point iteration.
struct gauss6 {
  static constexpr const char* name = "gauss6";
  static constexpr const char* citation = "Butcher (1964), Math. Comp. 18, 50-64";
  static constexpr long double root = 0.387298334620741688517926539978L;
  static constexpr collocation_table<3> table = collocation_at<3>({0.5L - root, 0.5L, 0.5L + root});
};
static_assert(gauss6::table.order() == 6 && gauss6::table.symplectic());

}  // namespace ensue
