/// The nonstiff DETEST problems of classes A (single equations), B (small systems) and D (orbits), by which methods have been
/// compared since 1972.
///
///     const ensue::models::detest_b5<double> body;
///     auto run = ensue::solve(body, body.start(), body.span(), ensue::dp54{});
///
/// T. E. Hull, W. H. Enright, B. M. Fellen & A. E. Sedgwick (1972), "Comparing numerical methods for ordinary differential
/// equations", SIAM J. Numer. Anal. 9, 603–637; as in W. H. Enright & J. D. Pryce (1987), "Two FORTRAN packages for assessing
/// initial value methods", ACM TOMS 13, 1–27 (Algorithm 648). Each runs from t = 0 to 20. Classes C
/// (moderate systems) and E (equations of higher order) are not here.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/problem.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstddef>

namespace ensue::models {

/// What they have in common.
template <class T, std::size_t N> struct detest {
  static constexpr std::size_t dimension = N;
  static constexpr const char* citation = "Hull, Enright, Fellen & Sedgwick (1972), SIAM J. Numer. Anal. 9, 603-637";

  ENSUE_HD static interval<real_of<T>> span() { return {real_of<T>(0), real_of<T>(20)}; }
};

/// Decay: y = e^−t.
template <class T> struct detest_a1 : detest<T, 1> {
  static constexpr const char* name = "A1";
  ENSUE_HD static vec<T, 1> start() { return {T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = -y[0];
  }
};

/// A special Riccati equation: y = 1/√(t + 1).
template <class T> struct detest_a2 : detest<T, 1> {
  static constexpr const char* name = "A2";
  ENSUE_HD static vec<T, 1> start() { return {T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = y[0] * y[0] * y[0] / T(-2);
  }
};

/// An oscillation: y = exp(sin t).
template <class T> struct detest_a3 : detest<T, 1> {
  static constexpr const char* name = "A3";
  ENSUE_HD static vec<T, 1> start() { return {T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time& t, const X& y, DX& dy) const {
    using std::cos;
    dy[0] = y[0] * T(cos(t));
  }
};

/// A logistic curve: y = 20/(1 + 19 e^(−t/4)).
template <class T> struct detest_a4 : detest<T, 1> {
  static constexpr const char* name = "A4";
  ENSUE_HD static vec<T, 1> start() { return {T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = y[0] / T(4) * (T(1) - y[0] / T(20));
  }
};

/// A spiral curve: r = 4 exp(π/2 − θ) with t = r cos θ, y = r sin θ.
template <class T> struct detest_a5 : detest<T, 1> {
  static constexpr const char* name = "A5";
  ENSUE_HD static vec<T, 1> start() { return {T(4)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time& t, const X& y, DX& dy) const {
    dy[0] = (y[0] - T(t)) / (y[0] + T(t));
  }
};

/// The growth of two conflicting populations (Lotka & Volterra).
template <class T> struct detest_b1 : detest<T, 2> {
  static constexpr const char* name = "B1";
  ENSUE_HD static vec<T, 2> start() { return {T(1), T(3)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = T(2) * (y[0] - y[0] * y[1]);
    dy[1] = y[0] * y[1] - y[1];
  }
};

/// A linear chemical reaction.
template <class T> struct detest_b2 : detest<T, 3> {
  static constexpr const char* name = "B2";
  ENSUE_HD static vec<T, 3> start() { return {T(2), T(0), T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = y[1] - y[0];
    dy[1] = y[0] - T(2) * y[1] + y[2];
    dy[2] = y[1] - y[2];
  }
};

/// A nonlinear chemical reaction.
template <class T> struct detest_b3 : detest<T, 3> {
  static constexpr const char* name = "B3";
  ENSUE_HD static vec<T, 3> start() { return {T(1), T(0), T(0)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = -y[0];
    dy[1] = y[0] - y[1] * y[1];
    dy[2] = y[1] * y[1];
  }
};

/// A curve on a torus.
template <class T> struct detest_b4 : detest<T, 3> {
  static constexpr const char* name = "B4";
  ENSUE_HD static vec<T, 3> start() { return {T(3), T(0), T(0)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    using std::sqrt;
    const T r = sqrt(y[0] * y[0] + y[1] * y[1]);
    dy[0] = -y[1] - y[0] * y[2] / r;
    dy[1] = y[0] - y[1] * y[2] / r;
    dy[2] = y[0] / r;
  }
};

/// Euler's equations of a rigid body without external forces.
template <class T> struct detest_b5 : detest<T, 3> {
  static constexpr const char* name = "B5";
  ENSUE_HD static vec<T, 3> start() { return {T(0), T(1), T(1)}; }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    dy[0] = y[1] * y[2];
    dy[1] = -y[0] * y[2];
    dy[2] = y[0] * y[1] * T(-51) / T(100);
  }
};

/// D1 to D5: a body around another, position and velocity in the plane, from the point where it is closest. The orbit's
/// eccentricity is 0.1, 0.3, 0.5, 0.7, 0.9.
template <class T, int Number> struct detest_d : detest<T, 4> {
  static_assert(1 <= Number && Number <= 5);
  static constexpr char name[] = {'D', '0' + Number, '\0'};

  ENSUE_HD static T eccentricity() { return T(2 * Number - 1) / T(10); }

  ENSUE_HD static vec<T, 4> start() {
    using std::sqrt;
    const T e = eccentricity();
    return {T(1) - e, T(0), T(0), sqrt((T(1) + e) / (T(1) - e))};
  }

  template <class Time, class X, class DX> ENSUE_HD void operator()(const Time&, const X& y, DX& dy) const {
    using std::sqrt;
    const T squared = y[0] * y[0] + y[1] * y[1];
    const T cubed = squared * sqrt(squared);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] / cubed;
    dy[3] = -y[1] / cubed;
  }
};
template <class T> using detest_d1 = detest_d<T, 1>;
template <class T> using detest_d2 = detest_d<T, 2>;
template <class T> using detest_d3 = detest_d<T, 3>;
template <class T> using detest_d4 = detest_d<T, 4>;
template <class T> using detest_d5 = detest_d<T, 5>;

}  // namespace ensue::models
