/// How a sculpting tool moves from one pose to the next, and the simplest field that it carries clay with: an affine move that fades.
///
///     const auto tool = tool_motion<float>::between(first, last);
///     const affine_move<float, 1> field{{tool}};
///     const float reach = affine_falloff(distance, inner_radius, outer_radius);       // the vertex follows for so much of the time
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/methods/rotation/quaternion.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>

namespace ensue::models {

/// Where a tool is and how it is turned and scaled, at a time in seconds and a place in metres.
template <class T> struct tool_pose {
  vec<T, 3> position = {};
  quaternion<T> orientation = quaternion<T>::identity();
  T scale = T(1), time = T(0);
};

/// A steady motion from one pose to another: of the centre with velocity v, about it with angular velocity ω, growing at the rate s. Time counts
/// from the first pose: of a stroke recorded after minutes, float has no digits left for it.
template <class T> struct tool_motion {
  vec<T, 3> start = {}, velocity = {}, spin = {};
  T growth = T(0), duration = T(0);

  /// Where nothing lies between the times of the two, nothing moves.
  static tool_motion between(const tool_pose<double>& first, const tool_pose<double>& last) {
    tool_motion tool;
    for (std::size_t i = 0; i < 3; ++i) tool.start[i] = static_cast<T>(first.position[i]);
    const double duration = last.time - first.time;
    if (!(duration > 0)) return tool;
    const vec<double, 3> turn = (last.orientation * first.orientation.conjugate()).log();
    tool.duration = static_cast<T>(duration);
    tool.growth = static_cast<T>(std::log(last.scale / first.scale) / duration);
    for (std::size_t i = 0; i < 3; ++i) {
      tool.velocity[i] = static_cast<T>((last.position[i] - first.position[i]) / duration);
      tool.spin[i] = static_cast<T>(turn[i] / duration);
    }
    return tool;
  }

  /// From the centre at time t to x, over any scalar.
  template <class Time, class X> ENSUE_HD ENSUE_INLINE auto from_centre(const Time& t, const X& x) const {
    using S = std::remove_cvref_t<decltype(x[0])>;
    return vec<S, 3>{(x[0] - S(start[0])) - S(velocity[0]) * t, (x[1] - S(start[1])) - S(velocity[1]) * t,
                     (x[2] - S(start[2])) - S(velocity[2]) * t};
  }

  /// ω×R + sR.
  template <class S> ENSUE_HD ENSUE_INLINE vec<S, 3> turn_and_grow(const vec<S, 3>& r) const {
    return {S(spin[1]) * r[2] - S(spin[2]) * r[1] + S(growth) * r[0], S(spin[2]) * r[0] - S(spin[0]) * r[2] + S(growth) * r[1],
            S(spin[0]) * r[1] - S(spin[1]) * r[0] + S(growth) * r[2]};
  }
};

/// f = Σ v + ω×R + sR over the tools: each vertex moves as if it were fixed to them.
template <class T, std::size_t Tools> struct affine_move {
  vec<tool_motion<T>, Tools> tools;

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE void operator()(const Time& t, const X& x, DX& dx) const {
    using S = std::remove_cvref_t<decltype(dx[0])>;
    for (std::size_t k = 0; k < Tools; ++k) {
      const vec<S, 3> turning = tools[k].turn_and_grow(tools[k].from_centre(t, x));
      for (std::size_t i = 0; i < 3; ++i) {
        const S velocity = S(tools[k].velocity[i]) + turning[i];
        dx[i] = k == 0 ? velocity : dx[i] + velocity;
      }
    }
  }
};

/// For how much of the time a vertex at this distance from a tool's start follows it: all of it inside the inner radius, none outside the outer
/// one, between them smoothstep, 3u² − 2u³.
template <class T> ENSUE_HD T affine_falloff(const T& distance, const T& inner, const T& outer) {
  const T u = (distance - inner) / (outer - inner), clamped = minimum(maximum(u, T(0)), T(1)), v = T(1) - clamped;
  return v * v * (T(3) - T(2) * v);
}

/// Where one tool alone has moved x to after a time τ: its centre then + e^{sτ} Rot(ωτ) R₀, exactly.
template <class T> vec<T, 3> affine_moved(const tool_motion<T>& tool, const vec<T, 3>& x, const T& time) {
  using std::exp;
  const vec<T, 3> r = tool.from_centre(T(0), x), angle = {tool.spin[0] * time, tool.spin[1] * time, tool.spin[2] * time};
  const vec<T, 3> turned = quaternion<T>::exp(angle).rotate(r);
  const T grown = exp(tool.growth * time);
  vec<T, 3> moved;
  for (std::size_t i = 0; i < 3; ++i) moved[i] = tool.start[i] + tool.velocity[i] * time + grown * turned[i];
  return moved;
}

}  // namespace ensue::models
