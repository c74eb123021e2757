/// Points and vectors in space over any scalar, as models of particles, cloth and solids compute with them; how such models lay out a state,
/// and how they say that a scene is wrong.
///
/// x = (q, v): q holds three numbers a particle, (x, y, z) of particle 0, of particle 1, …; v the velocities in the same order.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/methods/rotation/quaternion.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ensue::models {

using block = force_block;
using point = vec<double, 3>;

template <class S> ENSUE_INLINE vec<S, 3> operator+(const vec<S, 3>& a, const vec<S, 3>& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
template <class S> ENSUE_INLINE vec<S, 3> operator-(const vec<S, 3>& a, const vec<S, 3>& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
template <class S> ENSUE_INLINE vec<S, 3> operator*(const S& s, const vec<S, 3>& a) { return {s * a[0], s * a[1], s * a[2]}; }

/// A constant as a vector over another scalar: duals with derivatives zero.
template <class S> ENSUE_INLINE vec<S, 3> constant(const point& a) { return {S(a[0]), S(a[1]), S(a[2])}; }

/// Particle i of positions, velocities or forces.
template <class S> ENSUE_INLINE vec<S, 3> at(std::span<const S> q, std::size_t i) { return {q[3 * i], q[3 * i + 1], q[3 * i + 2]}; }
template <class S> ENSUE_INLINE void add_at(std::span<S> f, std::size_t i, const vec<S, 3>& a) {
  for (std::size_t c = 0; c < 3; ++c) f[3 * i + c] = f[3 * i + c] + a[c];
}
template <class S> ENSUE_INLINE void subtract_at(std::span<S> f, std::size_t i, const vec<S, 3>& a) {
  for (std::size_t c = 0; c < 3; ++c) f[3 * i + c] = f[3 * i + c] - a[c];
}

/// |d| and d/|d|; where d is zero, which has no direction, both are zero, and so are their derivatives.
template <class S> struct directed_length {
  S length;
  vec<S, 3> direction;

  ENSUE_INLINE explicit directed_length(const vec<S, 3>& d) {
    using std::sqrt;
    const S squared = dot(d, d);
    if (squared == S(0)) {
      length = S(0), direction = {S(0), S(0), S(0)};
    } else {
      length = sqrt(squared);
      direction = (S(1) / length) * d;
    }
  }
};

/// s·a bᵀ
ENSUE_INLINE block outer(const point& a, const point& b, double s = 1) {
  block m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m(i, j) = s * a[i] * b[j];
  return m;
}

/// x = (q, 0) from positions.
inline std::vector<double> at_rest(std::span<const point> positions) {
  std::vector<double> x(6 * positions.size(), 0.);
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) x[3 * i + c] = positions[i][c];
  return x;
}

// ---- scenes that are wrong ----

/// "ensue: spring 3: its stiffness is -5, expected a number that is not negative". Elements count from 0, as they do in the model.
[[noreturn]] inline void refuse_element(const char* kind, std::size_t number, const std::string& why) {
  throw std::invalid_argument(std::string("ensue: ") + kind + " " + std::to_string(number) + ": " + why);
}
inline std::string in_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}
inline void require_positive(const char* kind, std::size_t number, const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    refuse_element(kind, number, std::string("its ") + what + " is " + in_digits(value) + ", expected a positive number");
}
inline void require_not_negative(const char* kind, std::size_t number, const char* what, double value) {
  if (!(value >= 0) || !std::isfinite(value))
    refuse_element(kind, number, std::string("its ") + what + " is " + in_digits(value) + ", expected a number that is not negative");
}
inline void require_finite(const char* kind, std::size_t number, const char* what, std::span<const double> values) {
  for (const double value : values)
    if (!std::isfinite(value)) refuse_element(kind, number, std::string("its ") + what + " has " + in_digits(value) + ", expected finite numbers");
}
inline void require_particle(const char* kind, std::size_t number, std::size_t particle, std::size_t particles) {
  if (particle >= particles)
    refuse_element(kind, number, "there is no particle " + std::to_string(particle) + ", expected one of 0 to " + std::to_string(particles - 1));
}
inline void require_finite_points(const char* kind, std::span<const point> points) {
  for (std::size_t i = 0; i < points.size(); ++i) require_finite(kind, i, "position", std::span<const double>(points[i].data(), 3));
}

}  // namespace ensue::models
