/// States that are not free numbers: a rotation is a point of a group, and a small change of it is a tangent.
///
/// A group-valued state is contiguous numbers like any other (the loop, its checks, observers and snapshots see those), and has
///
///     tangent                    a type of contiguous numbers: a velocity at the unit element, or such a velocity times a time
///     x.plus(u)                  x·exp(u): where x gets by moving with the constant velocity u for a unit of time
///     x.velocity(w)              the derivative of x's numbers, where x moves with w: x' = x·w
///     tangent bracket(u, w)      [u, w] = uw − wu
///
/// A system over it gives the velocity: `f.tangent(t, x, w)`. Its solution is x(t) = x₀.plus(u(t)) with
///
///     u' = dexp⁻¹(w) = w + ½[u, w] + 1/12 [u, [u, w]] − …          at x₀.plus(u)
///
/// (E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration, III.4 and IV.8; the sign of the bracket is that of x' = x·w.)
/// u is a vector: there any Runge–Kutta method applies, and its answer is on the group.
///
///     struct gyro { void tangent(double t, const ensue::quaternion<double>& q, ensue::vec<double, 3>& omega) const; };
#pragma once

#include <ensue/numbers/state.hpp>

#include <concepts>

namespace ensue {

template <class S>
concept group_state = state<S> && requires(const S& x, const typename S::tangent& w) {
  { x.plus(w) } -> std::same_as<S>;
  { x.velocity(w) } -> std::same_as<S>;
  { S::bracket(w, w) } -> std::same_as<typename S::tangent>;
};

/// A system on a group.
template <class F, class S>
concept has_tangent = group_state<S> && requires(F& f, const real_type<S>& t, const S& x, typename S::tangent& w) { f.tangent(t, x, w); };

/// A rigid body: `inertia()`, its three principal moments; where a torque acts on it, `torque(t, orientation, n)`, n in space. The
/// state is a `rotating_body`.
template <class F, class S>
concept has_inertia = group_state<S> && requires(F& f, const S& x) {
  f.inertia()[2];
  x.body_momentum();
};

}  // namespace ensue
