/// The driver of methods for rigid bodies: a free turn between two half kicks by the torque.
///
///     L += h/2·n(t, q),     q ← q·turn(h, I, Rᵀ L),     L += h/2·n(t_new, q)
///
/// A method says how a body of principal moments I with the momentum m = Rᵀ L turns on its own for a time h: `turn(h, I, m)`, a unit quaternion in
/// the body's frame. Whatever it says, L stays as it is. Strang's splitting (G. Strang 1968, SIAM J. Numer. Anal. 5, 506–517): order 2 with
/// torques, and symmetric and symplectic where the turn is. The torque at a step's end is that of the next one's start: an evaluation a step.
#pragma once

#include <ensue/methods/rotation/memory.hpp>
#include <ensue/methods/rotation/only_on_groups.hpp>
#include <ensue/methods/rotation/rotating_body.hpp>

namespace ensue {

/// A method for rigid bodies.
template <class Method>
concept has_free_turn = requires(double h, vec<double, 3> v) { Method::turn(h, v, v); };

template <class Method, class State> class turning_stepper : public group_memory<State, true> {
  using memory = group_memory<State, true>;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;

  static constexpr system_needed needs = system_needed::inertia;
  static constexpr bool divides_evenly = true;
  static constexpr int dense_order = Method::order < 3 ? Method::order : 3;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return 1; }

  ENSUE_HD turning_stepper(const Method&, const State& like) : memory(like) {}

  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real&, const real& t_new, const real& h, const State& x, const mask& active,
                                     count& evaluations) {
    if constexpr (has_inertia<F, State>) return kick_and_turn(f, t_new, h, x, active, evaluations);
    else return mask(true);  // said already
  }

  /// A torque that is not finite; an angular velocity is not the model's.
  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (const auto* w : {&this->w_, &this->w_before_})
      if (const std::int64_t found = first_not_finite(vec<scalar, 3>{(*w)[3], (*w)[4], (*w)[5]}, lane); found != report::nowhere)
        return 4 + found;
    return report::nowhere;
  }

 private:
  static constexpr int stated_order = Method::order;

  template <class F>
  ENSUE_HD ENSUE_INLINE mask kick_and_turn(F& f, const real& t_new, const real& h, const State& x, const mask& active, count& evaluations) {
    const real half = base(0.5) * h;
    auto momentum = x.angular_momentum();
    for (std::size_t i = 0; i < 3; ++i) momentum[i] = momentum[i] + half * this->w_[3 + i];
    const auto inertia = f.inertia();
    const vec<scalar, 3> moments{scalar(inertia[0]), scalar(inertia[1]), scalar(inertia[2])};
    const auto orientation = x.orientation();
    const auto turned = orientation.turned(Method::turn(scalar(h), moments, orientation.rotate_back(momentum)));
    this->candidate_ = State::of(turned, momentum);

    // Where there is no such turn, nobody is asked for the torque there.
    const mask exists = finite(this->candidate_);
    if (!any(exists)) [[unlikely]] return mask(true);
    vec<scalar, 3> torque;
    evaluations = evaluations + select(active & exists, count(1), count(0));
    const mask defined = torque_on(f, t_new, this->candidate_, torque) | !exists;
    for (std::size_t i = 0; i < 3; ++i) {
      torque[i] = select(exists, torque[i], scalar(0));
      this->candidate_[4 + i] = momentum[i] + half * torque[i];
    }
    this->w_before_ = tangent_with(f, this->candidate_, torque);
    return defined;
  }
};

template <class Method, class State>
using turning_stepper_of = typename detail::stepper_on_group<State, system_needed::inertia, turning_stepper, Method>::type;

}  // namespace ensue
