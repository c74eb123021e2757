/// Regularized Kelvinlets: how an infinite elastic body follows a tool that pulls, twists, scales or pinches it at a point, smoothly.
///
///     const auto tool = tool_motion<float>::between(first, last);
///     const kelvinlet_field<float, 1> field{{kelvinlet(tool, {.radius = 0.13})}};
///
/// F. de Goes & D. L. James (2017), "Regularized Kelvinlets: sculpting brushes based on fundamental solutions of elasticity", ACM Trans. Graph. 36, 40.
/// With R from the tool's centre to x, r = √(|R|² + ε²), a = 1/(4πμ), b = a/(4(1 − ν)), their brushes are
///
///     translation   [(a−b)/r + aε²/(2r³)] F + (b/r³)(F·R) R
///     twist         −a (1/r³ + 3ε²/(2r⁵)) q×R
///     scale         (2b−a)(1/r³ + 3ε²/(2r⁵)) s R
///     pinch         ((2b−a)/r³) P R − (3/(2r⁵)) (2b (RᵀPR) R + aε² P R)
///
/// Calibrated, so that the body at the centre moves as the tool does (velocity v, angular velocity ω, growth s, deformation P), the stiffness μ and the
/// factors of twist and scale cancel, and what is left is
///
///     α v + β (v·R) R + g (ω×R + sR),      α, β, g polynomials in 1/r with α = g = 1 at R = 0:
///
/// one reciprocal root a scale. `bi_scale` takes the difference of two radii, ε and 1.1ε, which falls off as 1/r³ and not as 1/r.
#pragma once

#include <ensue/models/sculpting_tool.hpp>
#include <ensue/numbers/reciprocal_root.hpp>

namespace ensue::models {

/// What the elastic body is like, and how far a tool reaches into it.
struct kelvinlet_settings {
  double radius = 0.1;         ///< ε
  double poisson_ratio = 0.5;  ///< ν, up to 1/2: incompressible
  bool bi_scale = true;
};

/// One tool. With u and w = 1/r of the two radii, what moves a point is
///
///     α' pull + β' (draw·R) R + g' (spin×R + growth R),      α' = u − w + a₀u³ − a₁w³,   β' = u³ − w³,   g' = u³(1 + g₀u²) − w³(1 + g₁w²):
///
/// common factors are in the tool's vectors, because an evaluation is all multiplications. Of a single scale, the second radius is so large that nothing is left of w.
template <class T> struct kelvinlet {
  static constexpr double second_radius = 1.1, none = sizeof(T) > 4 ? 1e20 : 1e9;  ///< in units of the first

  tool_motion<T> motion = {};
  T squared_radius[2] = {T(1), T(1)}, alpha_3[2] = {}, g_5[2] = {};
  vec<T, 3> pull = {}, draw = {}, spin = {};
  T growth = T(0);

  kelvinlet() = default;
  kelvinlet(const tool_motion<T>& tool, const kelvinlet_settings& body) : motion(tool) {
    const double e[2] = {body.radius, second_radius * body.radius};
    const double b = 0.25 / (1 - body.poisson_ratio);  // a = 1
    const auto difference = [&](double at_first, double at_second) { return body.bi_scale ? at_first - at_second : at_first; };
    const double force = 1 / ((1.5 - b) * difference(1 / e[0], 1 / e[1]));
    const double turn = 1 / (2.5 * difference(1 / (e[0] * e[0] * e[0]), 1 / (e[1] * e[1] * e[1])));
    squared_radius[0] = static_cast<T>(e[0] * e[0]);
    squared_radius[1] = static_cast<T>(body.bi_scale ? e[1] * e[1] : none * e[0] * (none * e[0]));
    for (int k = 0; k < (body.bi_scale ? 2 : 1); ++k) {
      alpha_3[k] = static_cast<T>(0.5 * e[k] * e[k] / (1 - b));
      g_5[k] = static_cast<T>(1.5 * e[k] * e[k]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      pull[i] = static_cast<T>(force * (1 - b) * static_cast<double>(tool.velocity[i]));
      draw[i] = static_cast<T>(force * b * static_cast<double>(tool.velocity[i]));
      spin[i] = static_cast<T>(turn * static_cast<double>(tool.spin[i]));
    }
    growth = static_cast<T>(turn * static_cast<double>(tool.growth));
  }

  /// α', β' and g' at a squared distance from the centre.
  template <class S> struct weights {
    S alpha, beta, g;
  };
  template <class S> ENSUE_HD ENSUE_INLINE weights<S> at_distance(const S& squared) const {
    const S u = reciprocal_root(squared + S(squared_radius[0])), u2 = u * u, u3 = u * u2;
    const S w = reciprocal_root(squared + S(squared_radius[1])), w2 = w * w, w3 = w * w2;
    return {(u - w) + S(alpha_3[0]) * u3 - S(alpha_3[1]) * w3, u3 - w3, u3 * (S(T(1)) + S(g_5[0]) * u2) - w3 * (S(T(1)) + S(g_5[1]) * w2)};
  }

  /// The velocity that the tool gives a point.
  template <class Time, class X> ENSUE_HD ENSUE_INLINE auto velocity_at(const Time& t, const X& x) const {
    const auto r = motion.from_centre(t, x);
    using S = std::remove_cvref_t<decltype(r[0])>;
    const weights<S> at = at_distance(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const S radial = at.beta * (S(draw[0]) * r[0] + S(draw[1]) * r[1] + S(draw[2]) * r[2]) + S(growth) * at.g;
    const vec<S, 3> turning = cross(vec<S, 3>{S(spin[0]), S(spin[1]), S(spin[2])}, r);
    vec<S, 3> velocity;
    for (std::size_t i = 0; i < 3; ++i) velocity[i] = S(pull[i]) * at.alpha + (radial * r[i] + at.g * turning[i]);
    return velocity;
  }
};

/// The sum over the tools.
template <class T, std::size_t Tools> struct kelvinlet_field {
  static constexpr std::size_t dimension = 3;
  vec<kelvinlet<T>, Tools> tools;

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE void operator()(const Time& t, const X& x, DX& dx) const {
    for (std::size_t k = 0; k < Tools; ++k) {
      const auto velocity = tools[k].velocity_at(t, x);
      for (std::size_t i = 0; i < 3; ++i) dx[i] = k == 0 ? velocity[i] : dx[i] + velocity[i];
    }
  }
};

/// A tool at rest that pinches: P is symmetric and without trace.
template <class T, bool BiScale = true> struct kelvinlet_pinch {
  static constexpr std::size_t dimension = 3;
  vec<T, 3> centre = {};
  matrix3<T> deformation = {};
  T squared_radius[2] = {T(1), T(1)};
  T own_3 = T(0), own_5[2] = {}, radial_5 = T(0);  ///< of PR over r³ and r⁵, of (RᵀPR)R over r⁵

  kelvinlet_pinch(const vec<T, 3>& at, const matrix3<T>& p, double radius, double poisson_ratio) : centre(at), deformation(p) {
    const double e[2] = {radius, kelvinlet<T>::second_radius * radius}, b = 0.25 / (1 - poisson_ratio);
    const double cubes = 1 / (e[0] * e[0] * e[0]) - (BiScale ? 1 / (e[1] * e[1] * e[1]) : 0), unit = 1 / ((2 * b - 2.5) * cubes);
    own_3 = static_cast<T>(unit * (2 * b - 1));
    radial_5 = static_cast<T>(unit * -3 * b);
    for (int k = 0; k < 2; ++k) {
      squared_radius[k] = static_cast<T>(e[k] * e[k]);
      own_5[k] = static_cast<T>(unit * -1.5 * e[k] * e[k]);
    }
  }

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE void operator()(const Time&, const X& x, DX& dx) const {
    using S = std::remove_cvref_t<decltype(dx[0])>;
    const vec<S, 3> r = {x[0] - S(centre[0]), x[1] - S(centre[1]), x[2] - S(centre[2])};
    vec<S, 3> p;
    for (std::size_t i = 0; i < 3; ++i) p[i] = S(deformation[i][0]) * r[0] + S(deformation[i][1]) * r[1] + S(deformation[i][2]) * r[2];
    const S squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], stretch = r[0] * p[0] + r[1] * p[1] + r[2] * p[2];
    S own(0), radial(0);
    for (int k = 0; k < (BiScale ? 2 : 1); ++k) {
      const S w = reciprocal_root(squared + S(squared_radius[k])), w2 = w * w, w3 = w * w2, sign(k == 0 ? T(1) : T(-1));
      own = own + sign * (w3 * (S(own_3) + S(own_5[k]) * w2));
      radial = radial + sign * (S(radial_5) * w3 * w2);
    }
    for (std::size_t i = 0; i < 3; ++i) dx[i] = own * p[i] + radial * stretch * r[i];
  }
};

}  // namespace ensue::models
