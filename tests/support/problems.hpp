/// Problems that several tests share, each written once for every scalar.
#pragma once

#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstdint>

namespace ensue::tests {

/// A rotation whose speed grows with the distance r from the axis and pulsates in time, and a third component driven by it:
///
///     x' = −ω r y,   y' = ω r x,   z' = ½ ω r x z      with r = √(x² + y²), ω = 1 + ¼ cos t
///
/// On the circle r = 1 the angle is φ = t + ¼ sin t, so that x = cos φ, y = sin φ, z = exp(½ sin φ). Nonlinear, with t, and
/// neither growing nor decaying: errors of either direction of time only add up.
template <class T> struct swirl {
  static constexpr double period = 6.283185307179586;  ///< of ω

  void operator()(const T& t, const vec<T, 3>& x, vec<T, 3>& dx) const {
    using std::cos, std::sqrt;
    const T speed = (T(1) + T(0.25) * cos(t)) * sqrt(x[0] * x[0] + x[1] * x[1]);
    dx[0] = -speed * x[1];
    dx[1] = speed * x[0];
    dx[2] = T(0.5) * speed * x[0] * x[2];
  }

  static vec<T, 3> solution(const T& t) {
    using std::cos, std::exp, std::sin;
    const T angle = t + T(0.25) * sin(t);
    return {cos(angle), sin(angle), exp(T(0.5) * sin(angle))};
  }
};

/// Lorenz (1963) with his parameter ρ free; pushed in time with strength `drive`, and knocked so that f jumps with strength
/// `knocks`. (Without both: his own equations, but 5/2 for his 8/3, which is no number in binary.)
template <class T> struct lorenz {
  T rho;
  T drive = T(0), knocks = T(0);

  template <class real> void operator()(const real& t, const vec<T, 3>& x, vec<T, 3>& dx) const {
    using std::cos, std::sin;
    dx[0] = T(10) * (x[1] - x[0]);
    dx[1] = x[0] * (rho - x[2]) - x[1] + drive * cos(t);
    dx[2] = x[0] * x[1] - T(2.5) * x[2] + select(sin(real(20) * t) > real(0), knocks, T(0));
  }
};

/// A model with its calls counted as they happen, whatever the solver says of itself.
template <class System> struct counted {
  System system;
  std::int64_t* calls;

  template <class real, class X, class DX> decltype(auto) operator()(const real& t, const X& x, DX& dx) const
    requires requires { system(t, x, dx); }
  {
    ++*calls;
    return system(t, x, dx);
  }
  template <class real, class Q, class A> decltype(auto) acceleration(const real& t, const Q& q, A& a) const
    requires requires { system.acceleration(t, q, a); }
  {
    ++*calls;
    return system.acceleration(t, q, a);
  }
};
template <class System> counted(System, std::int64_t*) -> counted<System>;

}  // namespace ensue::tests
