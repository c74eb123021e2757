/// A rigid body turning about its centre of mass, free or under a torque.
///
///     const ensue::models::rigid_body<double> box{{0.8, 0.7, 0.1}};
///     auto run = ensue::solve(box, box.spinning({0.1, 5., 0.1}), {0, 10}, ensue::free_rotation{}, {.step = 1e-3});
///     box.energy(run.state)
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/methods/rotation/elliptic.hpp>
#include <ensue/methods/rotation/rotating_body.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>

namespace ensue::models {

/// No torque.
struct free_of_torque {};

/// m' = m × ω in the body's frame, ω = (m₁/I₁, m₂/I₂, m₃/I₃): L. Euler (1765), Theoria motus corporum solidorum; L. D. Landau & E. M. Lifshitz,
/// Mechanics, §§36–37. The principal moments are positive. `Torque` is called as torque(t, orientation, n) and writes n, in space: it may depend
/// on time and on where the body points. (One that depends on how it turns, drag for instance, makes a model with a `tangent` of its own.)
template <class T, class Torque = free_of_torque> struct rigid_body {
  static constexpr const char* name = "rigid body";
  static constexpr const char* citation = "Euler (1765), Theoria motus corporum solidorum";

  vec<T, 3> principal_inertia;
  [[no_unique_address]] Torque acting = {};

  ENSUE_HD ENSUE_INLINE const vec<T, 3>& inertia() const { return principal_inertia; }
  template <class Time>
    requires(!std::is_same_v<Torque, free_of_torque>)
  ENSUE_HD ENSUE_INLINE decltype(auto) torque(const Time& t, const quaternion<T>& orientation, vec<T, 3>& n) const {
    return acting(t, orientation, n);
  }

  /// The state that turns with this angular velocity, in the body's frame.
  ENSUE_HD rotating_body<T> spinning(const vec<T, 3>& omega, const quaternion<T>& orientation = quaternion<T>::identity()) const {
    const vec<T, 3>& i = principal_inertia;
    return rotating_body<T>::of(orientation, orientation.rotate({i[0] * omega[0], i[1] * omega[1], i[2] * omega[2]}));
  }
  /// In the body's frame.
  ENSUE_HD vec<T, 3> angular_velocity(const rotating_body<T>& x) const {
    const vec<T, 3> m = x.body_momentum();
    return {m[0] / principal_inertia[0], m[1] / principal_inertia[1], m[2] / principal_inertia[2]};
  }
  /// Of the rotation: ½ ω·m.
  ENSUE_HD T energy(const rotating_body<T>& x) const { return base_of<T>(0.5) * dot(angular_velocity(x), x.body_momentum()); }

  /// After this time the free body's ω is again what it was, in the body's frame: 4K/λ, infinite on the separatrix and where ω is constant
  /// (a ball). Of an ω along a principal axis, the limit for small deviations. Landau & Lifshitz, Mechanics, (37.11).
  ENSUE_HD T period(const rotating_body<T>& x) const {
    using std::sqrt;
    const vec<T, 3> m = x.body_momentum();
    T a[3] = {T(1) / principal_inertia[0], T(1) / principal_inertia[1], T(1) / principal_inertia[2]};
    T y[3] = {m[0] * m[0], m[1] * m[1], m[2] * m[2]};
    const auto sort = [&](int i, int j, const mask_of<T>& wrong) ENSUE_INLINE_LAMBDA {
      const T ai = a[i], yi = y[i];
      a[i] = select(wrong, a[j], a[i]), a[j] = select(wrong, ai, a[j]);
      y[i] = select(wrong, y[j], y[i]), y[j] = select(wrong, yi, y[j]);
    };
    sort(0, 1, a[0] < a[1]);
    sort(1, 2, a[1] < a[2]);
    sort(0, 1, a[0] < a[1]);
    sort(0, 2, (a[1] - a[2]) * y[2] < (a[0] - a[1]) * y[0]);
    // The names of methods/rotation/free_rotation.hpp; y are squares, of m.
    const T d12 = a[0] - a[1], d13 = a[0] - a[2], d23 = a[1] - a[2];
    const T squared_rate = d13 * d23 * y[2] + d12 * d23 * y[1];
    const auto none = squared_rate <= T(0);
    const T complement = (d13 * (d23 * y[2] - d12 * y[0])) / select(none, T(1), squared_rate);
    const T period = base_of<T>(4) * elliptic_functions<T>(complement).quarter() / sqrt(select(none, T(1), squared_rate));
    return select(none | (complement <= T(0)), T(infinity<T>), period);
  }
};
template <class T, class Torque> rigid_body(vec<T, 3>, Torque) -> rigid_body<T, Torque>;

/// The box of the rigid-body benchmark by S. Peters & J. Hsu (2014), github.com/scpeters/benchmark: 10 kg, 0.1 × 0.4 × 0.9 m, thrown with a spin
/// about its middle axis, 10 s.
struct thrown_box {
  static constexpr double mass = 10, gravity = -9.8, span = 10;
  ENSUE_HD static constexpr vec<double, 3> speed() { return {-2., 2., 8.}; }
  ENSUE_HD static constexpr vec<double, 3> spin() { return {0.1, 5., 0.1}; }
  ENSUE_HD static constexpr rigid_body<double> body() {
    constexpr double a = 0.1, b = 0.4, c = 0.9;
    return {{mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b)}, {}};
  }
};

}  // namespace ensue::models
