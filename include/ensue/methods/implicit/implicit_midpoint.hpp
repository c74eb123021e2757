/// The implicit midpoint rule: symplectic for every Hamiltonian system, of order 2.
#pragma once

#include <ensue/methods/implicit/collocation.hpp>

namespace ensue {

/// x_new = x + h f(t + h/2, (x + x_new)/2), Gauss's method with one node: E. Hairer, C. Lubich & G. Wanner (2006), Geometric Numerical
/// Integration, 2nd edition, Springer, I.1 (1.6) and VI.4. Solved to round-off by fixed-point iteration.
struct implicit_midpoint {
  static constexpr const char* name = "implicit-midpoint";
  static constexpr const char* citation = "Hairer, Lubich & Wanner (2006), Geometric Numerical Integration, I.1 and VIII.6";
  static constexpr collocation_table<1> table = collocation_at<1>({0.5L});
};
static_assert(implicit_midpoint::table.order() == 2 && implicit_midpoint::table.symplectic());

}  // namespace ensue
