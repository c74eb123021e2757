/// The exact rotation of a free rigid body, by Jacobi's elliptic functions: any step, no error but rounding.
#pragma once

#include <ensue/methods/rotation/elliptic.hpp>
#include <ensue/methods/rotation/turning_driver.hpp>

namespace ensue {

/// C. G. J. Jacobi (1850), J. reine angew. Math. 39, 293–350; for computing, R. van Zon & J. Schofield (2007), "Numerical implementation of the
/// exact dynamics of free rigid bodies", J. Comput. Phys. 225, 145–164, and E. Celledoni, F. Fassò, N. Säfström & A. Zanna (2008), "The exact
/// computation of the free rigid body motion and its use in splitting methods", SIAM J. Sci. Comput. 30, 2084–2112. With torques as kicks
/// around it, order 2. What follows is written for increments, so that nothing is lost in short steps, near the axes, the separatrix, or where
/// moments are equal.
///
/// **Momentum.** With aᵢ = 1/Iᵢ and y = m/|m|, L = |m|: y₁' = L(a₃ − a₂)y₂y₃ and so on round. The axes are named so that a₂ is the middle one and y
/// circles around axis 3, y₃ > 0: (a₂ − a₃)y₃² ≥ (a₁ − a₂)y₁², which is 2T·I₂ against L². Then (y₁, y₂, y₃) are (cn, sn, dn) times constants at
/// the argument u + λt,
///
///     r = (a₂ − a₃)/(a₁ − a₃),   B² = y₃² + (1 − r)y₂²,   λ = L B √((a₁ − a₃)(a₂ − a₃)),   k'² = (r y₃² − (1 − r)y₁²)/(r B²)
///
/// and the addition theorems give y after the time h from y and y' with s, c, d = sn, cn, dn(λh), g = s/λ:
///
///     y₁ ← (y₁c + y₁'g d)/D,   y₂ ← (y₂c d + y₂'g)/D,   y₃ ← (y₃d + y₃'g c)/D,      D = 1 − (1 − r)y₂²s²/B²
///
/// **Orientation.** Let p(y) be the shortest rotation from y to axis 3. It takes the space's fixed direction of L to a fixed axis, so that
/// q(h) = q p(y(0))⁻¹ exp(ψ e₃) p(y(h)). From q' = q·(0, ω)/2 the angle's speed is ψ' = L(a₃ + (a₁ − a₃)E/(1 + y₃)), E = y₁² + r y₂² a constant. With
/// 1/(1 + y₃) = (1 − y₃)/(1 − y₃²) the second part of the numerator integrates to the angle χ of (y₁, y₂) in its plane, the first to an integral
/// of the third kind, whose addition theorem (DLMF 19.11) adds an angle τ:
///
///     ψ = L(a₁h − (a₁ − a₃)·w g/3·R_J(c², d², 1, 1 + w)) − τ − (χ(h) − χ(0)),       w = (a₁ − a₂)(a₁ − a₃) L²B²g²
///     tan τ = (a₁ − a₂)L g y₂y₂(h) / (E + (1 − r)(y₂(h)² − g L(a₁ − a₃) y₂ y₁(h)y₃(h)))
///
/// λh beyond ±K is brought back by half periods 2K, each of which adds R_J(0, k'², 1, 1 + ν)·2ν/(3λ), ν = 1/r − 1, in place of w g/3·R_J.
struct free_rotation {
  static constexpr const char* name = "free-rotation";
  static constexpr const char* citation =
      "Jacobi (1850); van Zon & Schofield (2007), J. Comput. Phys. 225, 145-164; Celledoni et al. (2008), SISC 30, 2084-2112";
  static constexpr int order = 2;  ///< with torques; without, there is no error
  template <class State> using stepper = turning_stepper_of<free_rotation, State>;

  template <class T> ENSUE_HD static quaternion<T> turn(const T& h, const vec<T, 3>& inertia, const vec<T, 3>& m) {
    using std::cos, std::sin, std::sqrt;
    using base = base_of<T>;
    const T squared = dot(m, m);
    const auto moves = squared > T(0);
    const T L = select(moves, sqrt(select(moves, squared, T(1))), T(0)), unit = T(1) / select(moves, L, T(1));
    axes_of_motion<T> axes({T(1) / inertia[0], T(1) / inertia[1], T(1) / inertia[2]}, {unit * m[0], unit * m[1], unit * m[2]});
    vec<T, 3> y;
    const T psi = advance(h, L, axes.a, axes.y, y);

    // p(y) = (1 + y₃, y₂, −y₁, 0)/√(2(1 + y₃))
    const vec<T, 3>& x = axes.y;
    const T half = base(0.5) * psi, scale = base(0.5) / sqrt((T(1) + x[2]) * (T(1) + y[2]));
    const quaternion<T> back = {T(1) + x[2], -x[1], x[0], T(0)}, spin = {scale * cos(half), T(0), T(0), scale * sin(half)},
                        there = {T(1) + y[2], y[1], -y[0], T(0)};
    const quaternion<T> q = back * spin * there;
    return quaternion<T>::of(q[0], axes.in_body(q.vector_part()));
  }

 private:
  /// The principal axes renamed for the motion, by quarter turns, which keep right hands right hands.
  template <class T> struct axes_of_motion {
    using mask = mask_of<T>;
    vec<T, 3> a, y;

    ENSUE_HD axes_of_motion(const vec<T, 3>& inverse_inertia, const vec<T, 3>& direction) : a(inverse_inertia), y(direction) {
      quarter_turn(0, a[0] < a[1], 0, 1);
      quarter_turn(1, a[1] < a[2], 1, 2);
      quarter_turn(2, a[0] < a[1], 0, 1);
      quarter_turn(3, (a[1] - a[2]) * (y[2] * y[2]) < (a[0] - a[1]) * (y[0] * y[0]), 0, 2);
      upside_down_ = y[2] < T(0);
      y = half_turn(y);
    }
    ENSUE_HD vec<T, 3> in_body(vec<T, 3> v) const {
      v = half_turn(v);
      turn_back(3, v, 0, 2);
      turn_back(2, v, 0, 1);
      turn_back(1, v, 1, 2);
      turn_back(0, v, 0, 1);
      return v;
    }

   private:
    ENSUE_HD void quarter_turn(int which, const mask& where, std::size_t i, std::size_t j) {
      turned_[which] = where;
      const T ai = a[i], yi = y[i];
      a[i] = select(where, a[j], a[i]), a[j] = select(where, ai, a[j]);
      y[i] = select(where, y[j], y[i]), y[j] = select(where, -yi, y[j]);
    }
    ENSUE_HD void turn_back(int which, vec<T, 3>& v, std::size_t i, std::size_t j) const {
      const T vi = v[i];
      v[i] = select(turned_[which], -v[j], v[i]), v[j] = select(turned_[which], vi, v[j]);
    }
    ENSUE_HD vec<T, 3> half_turn(const vec<T, 3>& v) const {
      return {v[0], select(upside_down_, -v[1], v[1]), select(upside_down_, -v[2], v[2])};
    }
    mask turned_[4], upside_down_;
  };

  /// y after the time h, from x; returns ψ.
  template <class T>
  ENSUE_HD static T advance(const T& h, const T& L, const vec<T, 3>& a, const vec<T, 3>& x, vec<T, 3>& y) {
    using std::atan2, std::floor, std::sqrt;
    using base = base_of<T>;
    const T d12 = a[0] - a[1], d13 = a[0] - a[2], d23 = a[1] - a[2];
    const auto ball = d13 == T(0), top = d23 == T(0);  // all moments are equal; or those of axes 2 and 3, and y is at rest
    const T r = select(ball, T(1), d23 / select(ball, T(1), d13)), rest = select(ball, T(0), d12 / select(ball, T(1), d13));
    const T squared_amplitude = x[2] * x[2] + rest * (x[1] * x[1]);
    const T lambda = L * sqrt(squared_amplitude * (d13 * d23));
    const T above = r * (x[2] * x[2]) - rest * (x[0] * x[0]);
    const auto slow = top | (lambda == T(0));
    const T complement = select(slow, T(1), above / select(slow, T(1), r * squared_amplitude));
    const elliptic_functions<T> functions(complement);

    // λh as half periods and a rest, whose sn, cn, dn are s, c, d.
    const T whole = lambda * h, half_period = base(2) * functions.quarter();
    const T count = floor(whole / half_period + base(0.5)), remainder = whole - count * half_period;
    const T odd = base(2) * (base(0.5) * count - floor(base(0.5) * count));  // 0 or 1
    const T sign = T(1) - odd - odd;
    const auto e = functions(remainder);
    const T g = select(slow, h, e.sn / select(slow, T(1), lambda));

    // Without the sign of an odd number of half periods, which turns y about axis 3 by π.
    const auto across_a_top = squared_amplitude == T(0);  // its equator, where y rests
    const T part = rest * (x[1] * x[1]) / select(across_a_top, T(1), squared_amplitude);
    const T D = T(1) / (T(1) - part * (e.sn * e.sn)), Lg = L * g;
    y = {(x[0] * e.cn - Lg * d23 * (x[1] * x[2]) * e.dn) * D, (x[1] * (e.cn * e.dn) + Lg * d13 * (x[2] * x[0])) * D,
         (x[2] * e.dn - Lg * d12 * (x[0] * x[1]) * e.cn) * D};
    const T w = d12 * d13 * squared_amplitude * (Lg * Lg);
    T third = w * g / base(3) * carlson_rj(e.cn * e.cn, e.dn * e.dn, T(1), T(1) + w);
    if (const auto many = count != T(0); any(many)) {
      const T nu = select(many, rest / select(many, r, T(1)), T(0)), rate = select(many, lambda, T(1));
      third = third + select(many, count * (base(2) * nu / (base(3) * rate)) * carlson_rj(T(0), maximum(complement, T(least_normal<T>)), T(1), T(1) + nu), T(0));
    }
    // τ and the change of χ as one complex number's argument.
    const T E = x[0] * x[0] + r * (x[1] * x[1]);
    const T re = E + rest * (y[1] * y[1] - Lg * d13 * (x[1] * y[0] * y[2])), im = Lg * d12 * (x[1] * y[1]);
    const T along = x[0] * y[0] + x[1] * y[1], across = x[0] * y[1] - x[1] * y[0];
    const auto steady = E < T(epsilon<T> * epsilon<T>);  // y rests, to all digits and twice as many
    const T angle = atan2(select(steady, T(0), re * across + im * along), select(steady, T(1), re * along - im * across));
    y[0] = sign * y[0];
    y[1] = sign * y[1];
    const T turned = angle + odd * base(3.141592653589793238462643383279502884L);
    return select(steady, L * (a[2] * h), L * (a[0] * h - d13 * third) - turned);
  }
};

}  // namespace ensue
