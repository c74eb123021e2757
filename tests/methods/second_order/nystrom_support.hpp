/// What the tests of Nyström pairs share: the pairs themselves, and a problem whose solution is known.
#pragma once

#include <ensue/step/loop.hpp>
#include <ensue/methods.hpp>

#include "support/methods.hpp"

#include <cmath>
#include <type_traits>

namespace ensue::tests {

template <class Method> struct is_nystrom : std::bool_constant<has_nystrom_table<Method>> {};
using nystrom_methods = only<is_nystrom, second_order_methods>;

/// q'' = −ω²q.
struct oscillator {
  double omega;
  void acceleration(double, const vec<double, 1>& q, vec<double, 1>& a) const { a[0] = -omega * omega * q[0]; }
};

/// Two points on strings whose other ends are led along a known path p(t): q'' = p'' − g(q) + g(p) with a nonlinear g that couples them.
/// On the path the strings are slack: q = p. Nonlinear, with t, and errors neither grow nor decay.
template <class T> struct guided {
  static constexpr double period = 6.283185307179586;

  template <class real> static vec<T, 4> solution(const real& t) {
    using std::cos, std::sin;
    return {T(sin(t)), T(cos(t + real(0.25) * sin(t))), T(cos(t)),
            T(-sin(t + real(0.25) * sin(t)) * (real(1) + real(0.25) * cos(t)))};
  }

  template <class real> void acceleration(const real& t, const vec<T, 2>& q, vec<T, 2>& a) const {
    using std::cos, std::sin;
    const real angle = t + real(0.25) * sin(t), speed = real(1) + real(0.25) * cos(t);
    const vec<T, 2> path{T(sin(t)), T(cos(angle))};
    const vec<T, 2> here = pull(q), there = pull(path);
    a[0] = T(-sin(t)) - here[0] + there[0];
    a[1] = T(-cos(angle) * speed * speed + sin(angle) * real(0.25) * sin(t)) - here[1] + there[1];
  }

 private:
  static vec<T, 2> pull(const vec<T, 2>& q) {
    using std::sin;
    return {T(1.5) * sin(q[0]) + q[1] * q[1] * q[0], sin(T(2) * q[1]) + q[0] * q[0] * q[1]};
  }
};

}  // namespace ensue::tests
