/// Seven stars in a plane that pass each other closely.
///
///     const ensue::models::pleiades<double> stars;
///     auto run = ensue::solve(stars, stars.start(), stars.span(), ensue::dop853{}, {.rtol = 1e-9});
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/problem.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstddef>

namespace ensue::models {

/// Star i has mass i: qᵢ'' = Σⱼ mⱼ (qⱼ − qᵢ)/|qⱼ − qᵢ|³, from t = 0 to 3. The state is (x₁…x₇, y₁…y₇, x₁'…x₇', y₁'…y₇').
///
/// E. Hairer, S. P. Nørsett & G. Wanner (1993), Solving Ordinary Differential Equations I, 2nd edition, Springer, II.10,
/// problem PLEI; also in the Test Set for IVP Solvers, release 2.4, University of Bari.
template <class T> struct pleiades {
  static constexpr const char* name = "pleiades";
  static constexpr const char* citation = "Hairer, Norsett & Wanner (1993), Solving ODEs I, II.10";
  static constexpr std::size_t stars = 7;
  static constexpr std::size_t dimension = 4 * stars;

  ENSUE_HD static constexpr interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(3)}; }

  ENSUE_HD static constexpr vec<T, dimension> start() {
    return {T(3), T(3),  T(-1), T(-3),        T(2), T(-2),       T(2),          // x
            T(3), T(-3), T(2),  T(0),         T(0), T(-4),       T(4),          // y
            T(0), T(0),  T(0),  T(0),         T(0), T(7) / T(4), T(-3) / T(2),  // x'
            T(0), T(0),  T(0),  T(-5) / T(4), T(1), T(0),        T(0)};         // y'
  }

  /// The force comes from positions alone, so that methods for second-order systems take it, too.
  template <class Time, class Q, class A> ENSUE_HD void acceleration(const Time&, const Q& q, A& a) const {
    const auto sum = accelerations(q);
    for (std::size_t i = 0; i < stars; ++i) a[i] = sum.x[i], a[stars + i] = sum.y[i];
  }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& q, DX& dq) const {
    const auto sum = accelerations(q);
    for (std::size_t i = 0; i < 2 * stars; ++i) dq[i] = q[2 * stars + i];
    for (std::size_t i = 0; i < stars; ++i) dq[2 * stars + i] = sum.x[i], dq[3 * stars + i] = sum.y[i];
  }

 private:
  /// Summed up here and not in dx, which a compiler could not keep in registers.
  struct components {
    T x[stars], y[stars];
  };
  template <class Q> ENSUE_HD static components accelerations(const Q& q) {
    using std::sqrt;
    components sum;
    for (std::size_t i = 0; i < stars; ++i) sum.x[i] = sum.y[i] = T(0);
    for (std::size_t i = 0; i < stars; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const T dx = q[j] - q[i], dy = q[stars + j] - q[stars + i];
        const T squared = dx * dx + dy * dy;
        const T pull = T(1) / (squared * sqrt(squared));
        const T pull_of_i = T(static_cast<int>(i + 1)) * pull, pull_of_j = T(static_cast<int>(j + 1)) * pull;
        sum.x[i] = sum.x[i] + pull_of_j * dx;
        sum.x[j] = sum.x[j] - pull_of_i * dx;
        sum.y[i] = sum.y[i] + pull_of_j * dy;
        sum.y[j] = sum.y[j] - pull_of_i * dy;
      }
    }
    return sum;
  }
};

}  // namespace ensue::models
