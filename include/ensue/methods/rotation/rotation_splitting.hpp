/// A rigid body's turn as five turns about its principal axes.
#pragma once

#include <ensue/methods/rotation/turning_driver.hpp>

namespace ensue {

/// A. Dullweber, B. Leimkuhler & R. McLachlan (1997), "Symplectic splitting methods for rigid body molecular dynamics", J. Chem. Phys. 107,
/// 5840–5851; J. Touma & J. Wisdom (1994), Astron. J. 107, 1189–1202; S. Reich (1994), Physica D 76, 375–383.
///
/// The energy is H = ½ Σ mᵢ²/Iᵢ. The flow of one of its terms alone is a turn about axis i by the angle h·mᵢ/Iᵢ, in which mᵢ is constant.
/// Axes 1, 2, 3, 2, 1 with h/2, h/2, h, h/2, h/2: symmetric, symplectic, order 2; the energy oscillates and does not drift.
struct rotation_splitting {
  static constexpr const char* name = "rotation-splitting";
  static constexpr const char* citation = "Dullweber, Leimkuhler & McLachlan (1997), J. Chem. Phys. 107, 5840-5851";
  static constexpr int order = 2;
  template <class State> using stepper = turning_stepper_of<rotation_splitting, State>;

  template <class T> ENSUE_HD ENSUE_INLINE static quaternion<T> turn(const T& h, const vec<T, 3>& inertia, vec<T, 3> m) {
    const T half = base_of<T>(0.5) * h;
    quaternion<T> q = about<0>(half, inertia, m);
    q = q.turned(about<1>(half, inertia, m));
    q = q.turned(about<2>(h, inertia, m));
    q = q.turned(about<1>(half, inertia, m));
    return q.turned(about<0>(half, inertia, m));
  }

 private:
  /// The turn about one axis, and m as the turned body sees it.
  template <std::size_t Axis, class T>
  ENSUE_HD ENSUE_INLINE static quaternion<T> about(const T& h, const vec<T, 3>& inertia, vec<T, 3>& m) {
    vec<T, 3> u = {T(0), T(0), T(0)};
    u[Axis] = h * (m[Axis] / inertia[Axis]);
    const quaternion<T> q = quaternion<T>::exp(u);
    m = q.rotate_back(m);
    return q;
  }
};

}  // namespace ensue
