/// The discrete Moser–Veselov step with moments of inertia made for the step: a free body turns with order 4 at the same cost.
#pragma once

#include <ensue/methods/rotation/moser_veselov.hpp>

namespace ensue {

/// E. Hairer & G. Vilmart (2006), "Preprocessed discrete Moser–Veselov algorithm for the full dynamics of the rigid body", J. Phys. A 39,
/// 13225–13235, section 3.
///
/// The step conserves what the body conserves, so that all it does wrong is to be early or late along the orbit and about L. Moments that depend on
/// h and on the two invariants alone put that right, order by order; for order 4,
///
///     1/Ĩᵢ = (1 + h²s)/Iᵢ + h²d,    s = −H/3·Σ1/Iⱼ + C·ΣIⱼ/(6I₁I₂I₃),    d = H·ΣIⱼ/(6I₁I₂I₃) − C/(3I₁I₂I₃)
///
/// with H the energy and C = |m|²/2. Under torques the kicks leave order 2, with the free part of the error gone.
struct moser_veselov4 {
  static constexpr const char* name = "moser-veselov4";
  static constexpr const char* citation = "Hairer & Vilmart (2006), J. Phys. A 39, 13225-13235";
  static constexpr int order = 2, order_without_torque = 4;
  template <class State> using stepper = turning_stepper_of<moser_veselov4, State>;

  template <class T> ENSUE_HD ENSUE_INLINE static quaternion<T> turn(const T& h, const vec<T, 3>& inertia, const vec<T, 3>& m) {
    using base = base_of<T>;
    const vec<T, 3> a = {T(1) / inertia[0], T(1) / inertia[1], T(1) / inertia[2]};
    const T energy = base(0.5) * (a[0] * m[0] * m[0] + a[1] * m[1] * m[1] + a[2] * m[2] * m[2]), casimir = base(0.5) * dot(m, m);
    const T product = a[0] * a[1] * a[2], sum = product * (inertia[0] + inertia[1] + inertia[2]) / base(6), square = h * h;
    const T stretched = T(1) + square * (casimir * sum - energy * (a[0] + a[1] + a[2]) / base(3));
    const T shift = square * (energy * sum - casimir * product / base(3));
    return moser_veselov::turn(h, {T(1) / (stretched * a[0] + shift), T(1) / (stretched * a[1] + shift), T(1) / (stretched * a[2] + shift)}, m);
  }
};

}  // namespace ensue
