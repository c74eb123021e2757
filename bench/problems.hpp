/// The nonstiff problems of the work–precision table, once for everybody: f(t, x, dx) over anything that can be indexed.
///
/// Constants and starts are doubles in whatever precision f is evaluated, so that the reference solves the problem that the
/// double-precision runs are given. Every f reads its arguments before it writes: pointers of a C library may alias. Problems of second
/// order whose forces depend on positions alone offer `acceleration(t, q, a)` too, for methods that are made for it.
#pragma once

#include <ensue/models/pleiades.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>

namespace bench {

/// States are compared at this many times, equally spaced in (0, end]: a lucky end point wins nothing.
inline constexpr int output_count = 20;

template <class Problem> constexpr double output_time(int k) {
  return k == output_count ? Problem::end : Problem::end * k / output_count;
}

template <class State> using element = std::remove_cvref_t<decltype(std::declval<State&>()[0])>;

/// Lorenz (1963), J. Atmos. Sci. 20, 130: σ = 10, ρ = 28, β = 8/3.
struct lorenz {
  static constexpr std::size_t dimension = 3;
  static constexpr std::array<double, dimension> start{1, 0, 0};
  static constexpr double atol_factor = 1, first_step = 1e-2;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T x = u[0], y = u[1], z = u[2];
    du[0] = T(10) * (y - x);
    du[1] = x * (T(28) - z) - y;
    du[2] = x * y - T(8. / 3) * z;
  }
};

struct lorenz_to_1 : lorenz {
  static constexpr const char* name = "Lorenz, t <= 1";
  static constexpr double end = 1;
};

struct lorenz_to_10 : lorenz {
  static constexpr const char* name = "Lorenz, t <= 10";
  static constexpr double end = 10;
};

/// Seven stars in the plane, from models/pleiades.hpp, evaluated in the number that the state is made of.
struct pleiades {
  static constexpr const char* name = "Pleiades";
  static constexpr std::size_t dimension = ensue::models::pleiades<double>::dimension;
  static constexpr std::array<double, dimension> start = [] {
    std::array<double, dimension> x{};
    const auto given = ensue::models::pleiades<double>::start();
    for (std::size_t i = 0; i < dimension; ++i) x[i] = given[i];
    return x;
  }();
  static constexpr double end = 3, atol_factor = 1, first_step = 1e-2;

  void operator()(const auto& t, const auto& u, auto& du) const { ensue::models::pleiades<element<decltype(u)>>{}(t, u, du); }
  void acceleration(const auto& t, const auto& q, auto& a) const { ensue::models::pleiades<element<decltype(q)>>{}.acceleration(t, q, a); }
};

/// A satellite around Earth and Moon, one period of the orbit with four loops: Hairer, Nørsett & Wanner I, II.0, eq. (0.1).
struct arenstorf {
  static constexpr const char* name = "Arenstorf orbit";
  static constexpr std::size_t dimension = 4;
  static constexpr std::array<double, dimension> start{0.994, 0, 0, -2.00158510637908252240537862224};
  static constexpr double end = 17.0652165601579625588917206249, atol_factor = 1, first_step = 1e-3;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    using std::sqrt;
    constexpr double mu = 0.012277471, rest = 1 - mu;
    const T x = u[0], y = u[1], vx = u[2], vy = u[3];
    const T to_earth = x + T(mu), to_moon = x - T(rest);
    const T earth = to_earth * to_earth + y * y, moon = to_moon * to_moon + y * y;
    const T pull_of_earth = T(rest) / (earth * sqrt(earth)), pull_of_moon = T(mu) / (moon * sqrt(moon));
    du[0] = vx;
    du[1] = vy;
    du[2] = x + T(2) * vy - pull_of_earth * to_earth - pull_of_moon * to_moon;
    du[3] = y - T(2) * vx - (pull_of_earth + pull_of_moon) * y;
  }
};

/// Euler's equations of a rigid body without external forces: DETEST B5 (Enright & Pryce, ACM TOMS 13 (1987), 28).
struct rigid_body {
  static constexpr const char* name = "rigid body";
  static constexpr std::size_t dimension = 3;
  static constexpr std::array<double, dimension> start{0, 1, 1};
  static constexpr double end = 20, atol_factor = 1, first_step = 1e-1;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T x = u[0], y = u[1], z = u[2];
    du[0] = y * z;
    du[1] = -x * z;
    du[2] = T(-0.51) * x * y;
  }
};

/// Kepler's ellipse of eccentricity 0.6, twenty times round, from the pericentre (DETEST D3, longer). Every output time is
/// at the pericentre, where an error of the phase shows most.
struct two_bodies {
  static constexpr const char* name = "two bodies, e = 0.6";
  static constexpr std::size_t dimension = 4;
  static constexpr std::array<double, dimension> start{0.4, 0, 0, 2};
  static constexpr double end = 40 * std::numbers::pi, atol_factor = 1, first_step = 1e-2;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    using std::sqrt;
    const T x = u[0], y = u[1], vx = u[2], vy = u[3];
    const T squared = x * x + y * y, pull = T(-1) / (squared * sqrt(squared));
    du[0] = vx;
    du[1] = vy;
    du[2] = pull * x;
    du[3] = pull * y;
  }
  void acceleration(const auto&, const auto& q, auto& a) const {
    using T = element<decltype(q)>;
    using std::sqrt;
    const T x = q[0], y = q[1], squared = x * x + y * y, pull = T(-1) / (squared * sqrt(squared));
    a[0] = pull * x;
    a[1] = pull * y;
  }
};

/// visit.operator()<Problem>() for each of them.
template <class Visit> void for_each_problem(Visit visit) {
  visit.template operator()<lorenz_to_1>();
  visit.template operator()<lorenz_to_10>();
  visit.template operator()<pleiades>();
  visit.template operator()<arenstorf>();
  visit.template operator()<rigid_body>();
  visit.template operator()<two_bodies>();
}

}  // namespace bench
