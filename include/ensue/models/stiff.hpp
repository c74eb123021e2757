/// Stiff problems by which methods have been compared since the seventies: three reactions and an oscillator.
///
///     const ensue::models::rober<double> reaction;
///     auto run = ensue::solve(reaction, reaction.start(), reaction.span(), ensue::rodas5p{}, {.rtol = 1e-7, .atol = 1e-13});
///
/// As in E. Hairer & G. Wanner, Solving ODEs II, section IV.10, and in F. Mazzia & C. Magherini, Test Set for IVP Solvers, release 2.4,
/// University of Bari. They are autonomous and take dual numbers, from which implicit methods have their Jacobians. They read their
/// arguments before they write, because x and dx of a C library may be the same memory as far as a compiler knows.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/problem.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>

namespace ensue::models {

/// What they have in common.
template <class T, std::size_t N> struct stiff_problem {
  static constexpr std::size_t dimension = N;
  static constexpr bool takes_duals = true;
  static constexpr bool is_autonomous = true;
};

/// High irradiance response of photomorphogenesis: eight reactants. E. Schäfer (1975), "A new approach to explain the 'high irradiance
/// responses' of photomorphogenesis on the basis of phytochrome", J. Math. Biol. 2, 41–56.
template <class T> struct hires : stiff_problem<T, 8> {
  static constexpr const char* name = "HIRES";
  ENSUE_HD static constexpr vec<T, 8> start() { return {T(1), T(0), T(0), T(0), T(0), T(0), T(0), T(0.0057)}; }
  ENSUE_HD static constexpr interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(321.8122)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    const auto y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5], y6 = y[6];
    const auto bound = T(280) * y5 * y[7];
    dy[0] = T(-1.71) * y0 + T(0.43) * y1 + T(8.32) * y2 + T(0.0007);
    dy[1] = T(1.71) * y0 - T(8.75) * y1;
    dy[2] = T(-10.03) * y2 + T(0.43) * y3 + T(0.035) * y4;
    dy[3] = T(8.32) * y1 + T(1.71) * y2 - T(1.12) * y3;
    dy[4] = T(-1.745) * y4 + T(0.43) * (y5 + y6);
    dy[5] = T(0.69) * y3 + T(1.71) * y4 - T(0.43) * y5 + T(0.69) * y6 - bound;
    dy[6] = bound - T(1.81) * y6;
    dy[7] = T(1.81) * y6 - bound;
  }
};

/// The Oregonator, a model of Belousov's and Zhabotinskii's reaction, which oscillates. R. J. Field & R. M. Noyes (1974), J. Chem. Phys.
/// 60, 1877–1884.
template <class T> struct orego : stiff_problem<T, 3> {
  static constexpr const char* name = "OREGO";
  ENSUE_HD static constexpr vec<T, 3> start() { return {T(1), T(2), T(3)}; }
  ENSUE_HD static constexpr interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(360)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    const auto y0 = y[0], y1 = y[1], y2 = y[2];
    dy[0] = T(77.27) * (y1 + y0 - y0 * y1 - T(8.375e-6) * y0 * y0);
    dy[1] = (y2 - (T(1) + y0) * y1) / T(77.27);
    dy[2] = T(0.161) * (y0 - y2);
  }
};

/// An autocatalytic reaction over eleven decades of time. H. H. Robertson (1966), "The solution of a set of reaction rate equations", in J.
/// Walsh (ed.), Numerical Analysis: An Introduction, Academic Press, 178–182.
template <class T> struct rober : stiff_problem<T, 3> {
  static constexpr const char* name = "ROBER";
  ENSUE_HD static constexpr vec<T, 3> start() { return {T(1), T(0), T(0)}; }
  ENSUE_HD static constexpr interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(1e11)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    const auto decay = T(0.04) * y[0], back = T(1e4) * y[1] * y[2], onward = T(3e7) * y[1] * y[1];
    dy[0] = back - decay;
    dy[1] = decay - back - onward;
    dy[2] = onward;
  }
};

/// A relaxation oscillation with jumps as short as ε = 1/μ. B. van der Pol (1926), Phil. Mag. (7) 2, 978–992.
template <class T> struct vdpol : stiff_problem<T, 2> {
  static constexpr const char* name = "VDPOL";
  ENSUE_HD static constexpr vec<T, 2> start() { return {T(2), T(0)}; }
  ENSUE_HD static constexpr interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(2)}; }

  double mu = 1e6;

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    const auto y0 = y[0], y1 = y[1];
    dy[0] = y1;
    dy[1] = ((T(1) - y0 * y0) * y1 - y0) * T(mu);
  }
};

}  // namespace ensue::models
