/// What every stepper on a group remembers, and the part of the method protocol (stepper.hpp) that is the same for all of them: the
/// candidate, the tangents at both ends of a step, the inside of a step.
#pragma once

#include <ensue/step/diagnosis.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/methods/rotation/group.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

namespace ensue {

/// The torque on a rigid body, in space. Returns where it is defined.
template <class State, class F>
ENSUE_HD ENSUE_INLINE mask_type<State> torque_on(F& f, const real_type<State>& t, const State& x, vec<element_of<State>, 3>& torque) {
  using T = element_of<State>;
  torque = {T(0), T(0), T(0)};
  const auto orientation = x.orientation();
  if constexpr (requires { f.torque(t, orientation, torque); })
    return detail::defined_by<mask_type<State>>([&]() ENSUE_INLINE_LAMBDA { return f.torque(t, orientation, torque); });
  else return mask_type<State>(true);
}

/// w of a rigid body with that torque.
template <class State, class F>
ENSUE_HD ENSUE_INLINE auto tangent_with(F& f, const State& x, const vec<element_of<State>, 3>& torque) {
  const auto m = x.body_momentum();
  const auto inertia = f.inertia();
  return typename State::tangent{m[0] / inertia[0], m[1] / inertia[1], m[2] / inertia[2], torque[0], torque[1], torque[2]};
}

/// w = f's tangent at (t, x). Returns where it is defined.
template <class State, class F>
ENSUE_HD ENSUE_INLINE mask_type<State> evaluate_tangent(F& f, const real_type<State>& t, const State& x, typename State::tangent& w) {
  if constexpr (has_tangent<F, State>) {
    return detail::defined_by<mask_type<State>>([&]() ENSUE_INLINE_LAMBDA { return f.tangent(t, x, w); });
  } else if constexpr (has_inertia<F, State>) {
    vec<element_of<State>, 3> torque;
    const mask_type<State> defined = torque_on(f, t, x, torque);
    w = tangent_with(f, x, torque);
    return defined;
  } else {
    return mask_type<State>(true);  // said already
  }
}

/// Hermite's cubic through the numbers of both ends, brought back to the group where the state knows how.
template <class State> struct group_curve : interpolant<State, 2> {
  using real = real_type<State>;
  using scalar = element_of<State>;
  ENSUE_HD ENSUE_INLINE void at(const real& theta, const scalar* from, const scalar* to, const State& like, scalar* out) const {
    interpolant<State, 2>::at(theta, from, to, like, out);
    if constexpr (requires { State::return_to_group(out); }) {
      // Its ends are the states themselves.
      State moved;
      for_each_element(moved, [&](std::size_t i) ENSUE_INLINE_LAMBDA { moved[i] = out[i]; });
      State::return_to_group(moved.data());
      const auto inside = (theta != real(0)) & (theta != real(1));
      for_each_element(moved, [&](std::size_t i) ENSUE_INLINE_LAMBDA { out[i] = select(inside, moved[i], out[i]); });
    }
  }
};

/// `Known`: a step ends with the tangent that the next one begins with.
template <group_state State, bool Known> class group_memory {
 public:
  using storage = State;
  using scalar = element_of<State>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;
  using tangent = typename State::tangent;

  static constexpr bool confirms = false;
  static constexpr bool may_estimate = false;

  ENSUE_HD explicit group_memory(const State& like) : w_{}, w_before_{}, candidate_(like), derivative_(like) {}

  ENSUE_HD static constexpr bool has_estimate() { return false; }
  ENSUE_HD static constexpr int estimate_order() { return 1; }

  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  ENSUE_HD ENSUE_INLINE void restart() { stale_ = mask(true); }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ | where; }

  /// The tangent at (t, x). Returns where it is defined. What was known of it is moved aside, and back if f throws.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const State& x) {
    tangent fresh = w_before_;
    const mask defined = evaluate_tangent(f, t, x, fresh);
    exchange(stale_, w_, w_before_);
    exchange(stale_, w_, fresh);
    stale_ = mask(false);
    return defined;
  }
  /// Marks the memory that the next `derivative` writes (unwritten.hpp). It must not mark more: `bad_component` would blame f.
  ENSUE_HD void mark_derivative() { mark_unwritten(w_before_); }
  ENSUE_HD ENSUE_INLINE const tangent& first_derivative() const { return w_; }
  ENSUE_HD const State& whole_derivative(const State& x) {
    derivative_ = x.velocity(w_);
    return derivative_;
  }

  /// Of the state's numbers: a rotation has one more of them than its tangent has.
  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (const tangent* w : {&w_, &w_before_})
      if (const std::int64_t found = first_not_finite(*w, lane); found != report::nowhere)
        return found + static_cast<std::int64_t>(State::size() - tangent::size());
    return report::nowhere;
  }

  ENSUE_HD void exchange_lanes(const mask& where, group_memory& other) {
    exchange(where, w_, other.w_);
    exchange(where, w_before_, other.w_before_);
    exchange(where, candidate_, other.candidate_);
    const mask kept = stale_;
    stale_ = (where & other.stale_) | (stale_ & !where);
    other.stale_ = (where & kept) | (other.stale_ & !where);
  }

  ENSUE_HD ENSUE_INLINE const State& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return finite(candidate_); }
  ENSUE_HD ENSUE_INLINE State& scratch() { return candidate_; }

  /// Installs the candidate in x. The state before the step stays in the candidate's memory.
  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, State& x) {
    exchange(accepted, x, candidate_);
    if constexpr (Known) exchange(accepted, w_, w_before_);
    else stale_ = stale_ | accepted;
  }

  struct dense_memory {
    group_curve<State> curve;
    ENSUE_HD void allocate(const State& like) {
      for (State& s : curve.s) s = like;
    }
  };

  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real& h, const State& x, dense_memory& dense, count&) const {
    make_hermite(dense.curve, mask(true), candidate_, x, candidate_.velocity(w_before_), x.velocity(w_), h);
  }
  ENSUE_HD ENSUE_INLINE const State& before() const { return candidate_; }

 protected:
  tangent w_;         ///< at the present state
  tangent w_before_;  ///< at the state before; where `Known`, in the middle of a step that at its end
  State candidate_;
  State derivative_;  ///< of the state's numbers, for who asks for it
  mask stale_ = mask(true);
};

}  // namespace ensue
