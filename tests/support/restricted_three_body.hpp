/// A body without mass in the plane of two that circle each other. The tests state these equations independently of
/// examples/arenstorf.toml and bench/problems.hpp.
///
///     const ensue::tests::restricted_three_body<double> moon{0.012277471};
///     auto run = ensue::solve(moon, start, {0, 17.0652165601579625588917206249}, ensue::dop853{}, {.rtol = 1e-10});
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>

#include <cmath>

namespace ensue::tests {

/// In the frame that turns with them, the larger of mass 1 − μ at (−μ, 0), the smaller of mass μ at (1 − μ, 0): V. Szebehely (1967), Theory of Orbits,
/// Academic Press, §1.5. The state is (x, y, x', y').
template <class T> struct restricted_three_body {
  static constexpr const char* name = "restricted three-body problem";
  static constexpr const char* citation = "Szebehely (1967), Theory of Orbits";
  static constexpr bool takes_duals = true;
  static constexpr bool is_autonomous = true;

  T smaller_mass;  ///< μ, of both together 1

  template <class Time, class Q, class V, class A> ENSUE_HD void acceleration(const Time&, const Q& q, const V& v, A& a) const {
    using std::sqrt;
    const T mu = smaller_mass;
    const auto to_larger = q[0] + mu, to_smaller = q[0] + mu - T(1), y_squared = q[1] * q[1];
    const auto larger = to_larger * to_larger + y_squared, smaller = to_smaller * to_smaller + y_squared;
    const auto pull_of_larger = (T(1) - mu) / (larger * sqrt(larger)), pull_of_smaller = mu / (smaller * sqrt(smaller));
    a[0] = q[0] + T(2) * v[1] - pull_of_larger * to_larger - pull_of_smaller * to_smaller;
    a[1] = q[1] - T(2) * v[0] - (pull_of_larger + pull_of_smaller) * q[1];
  }

  /// Jacobi's integral: x² + y² + 2(1 − μ)/r₁ + 2μ/r₂ − v².
  template <class X> ENSUE_HD auto jacobi_integral(const X& x) const {
    using std::sqrt;
    const T mu = smaller_mass;
    const auto to_larger = x[0] + mu, to_smaller = x[0] + mu - T(1), y_squared = x[1] * x[1];
    return x[0] * x[0] + y_squared + T(2) * (T(1) - mu) / sqrt(to_larger * to_larger + y_squared) +
           T(2) * mu / sqrt(to_smaller * to_smaller + y_squared) - x[2] * x[2] - x[3] * x[3];
  }
};

}  // namespace ensue::tests
