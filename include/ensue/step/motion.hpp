/// What changes with a step, and where it is kept while a loop runs.
#pragma once

#include <ensue/control/caution.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/outcome.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/step/stepper.hpp>

namespace ensue {

/// What outlives a step: its inside, for which an interpolant may be asked; of a failed attempt only; or nothing.
enum class inside_of_step : unsigned char { kept, forgotten, discarded };

/// Everything that changes with a step.
template <class State, class Method> struct motion {
  using storage = storage_of<State>;
  using real = real_type<State>;

  static constexpr int steps_to_first_look = 50;

  storage x;
  real t;
  real h;  ///< proposed for the next step; 0: not known yet
  stepper_of<Method, State> stepper;
  step_size_history<real> history = {};
  run_statistics<count_type<State>> statistics = {};
  real last_step = real(0);  ///< length of the last accepted step, signed; 0: nothing is left of one
  int steps_to_look = steps_to_first_look;  ///< at stiffness

  /// Lane l begins as lane `from` of a motion before its first step does. Its statistics stay as they are; nobody asks for the inside of its steps, nor, where `Usual`, for errors before the last.
  template <bool Usual> ENSUE_INLINE void begin_lane(int l, const motion& other, int from) {
    for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { set_lane(x.data()[i], l, lane(other.x.data()[i], from)); });
    set_lane(t, l, lane(other.t, from));
    set_lane(h, l, lane(other.h, from));
    stepper.begin_lane(l, other.stepper, from);
    if constexpr (!Usual) {
      set_lane(history.before, l, base_of<real>(1));
      set_lane(history.before_that, l, base_of<real>(1));
    }
    set_lane(history.just_rejected, l, false);
    if constexpr (may_overlook_jumps<stepper_of<Method, State>>) set_lane(history.limit, l, base_of<real>(1));
  }

  /// One for the next step alone, where sums are not compensated.
  ENSUE_HD ENSUE_INLINE motion for_next_step() const {
    motion next{x, t, h, stepper.for_next_step()};
    next.history = history;
    next.statistics.evaluations = statistics.evaluations;
    return next;
  }
  /// Goes on from where another has come to. Nobody asks how it came there.
  ENSUE_HD ENSUE_INLINE void go_on_from(const motion& other) {
    x = other.x;
    t = other.t;
    h = other.h;
    stepper.go_on_from(other.stepper);
    history = other.history;
    statistics = other.statistics;
    steps_to_look = other.steps_to_look;
  }
};

template <class Stepper> concept can_forget = requires(Stepper& stepper) { stepper.go_on_from(stepper); };

/// The motion as a local variable, which a compiler can keep in registers, for as long as a loop runs; put back at the end of
/// it and when f throws, where the inside of steps is forgotten without what is known of that: it is not even stored. Dynamic states stay where they are.
template <class State, class Method, inside_of_step Inside = inside_of_step::kept, bool Fixed = (extent_of<storage_of<State>> > 0)> struct borrowed_motion {
  motion<State, Method>& home;
  motion<State, Method> m;
  ENSUE_HD ENSUE_INLINE explicit borrowed_motion(motion<State, Method>& from) : home(from), m(from) {}
  ENSUE_HD ENSUE_INLINE ~borrowed_motion() {
    if constexpr (Inside == inside_of_step::kept) home = m;
    else home.go_on_from(m);
  }
};
template <class State, class Method, inside_of_step Inside> struct borrowed_motion<State, Method, Inside, false> {
  motion<State, Method>& m;
  ENSUE_HD ENSUE_INLINE explicit borrowed_motion(motion<State, Method>& from) : m(from) {}
};

/// Where lanes end at different times, the steps of the others run over what the stepper remembers of them: here it is put
/// aside, and put back at the end of the loop or when f throws. One trajectory needs none of it.
template <class State, class Method, bool Many = (lanes_of<element_of<State>> > 1)> class resting_lanes {
 public:
  using stepper = stepper_of<Method, State>;
  using mask = mask_type<State>;
  using memory = stepper;

  ENSUE_HD resting_lanes(motion<State, Method>& moving, memory& aside, const mask& active)
      : m_(moving), aside_(aside), which_(!active) {
    m_.stepper.exchange_lanes(which_, aside_);
  }
  ENSUE_HD ~resting_lanes() { m_.stepper.exchange_lanes(which_, aside_); }

  /// Puts aside the lanes that have ended. Returns those that are active.
  ENSUE_HD ENSUE_INLINE const mask& keep(const mask& before, const mask& active) {
    const mask ended = before & !active;
    if (any(ended)) [[unlikely]] {
      m_.stepper.exchange_lanes(ended, aside_);
      which_ = which_ | ended;
    }
    return active;
  }

 private:
  motion<State, Method>& m_;
  memory& aside_;
  mask which_;
};
template <class State, class Method> class resting_lanes<State, Method, false> {
 public:
  struct memory {
    ENSUE_HD memory(const stepper_of<Method, State>&) {}
  };
  ENSUE_HD ENSUE_INLINE resting_lanes(motion<State, Method>&, memory&, bool) {}
  ENSUE_HD ENSUE_INLINE static bool keep(bool, bool active) { return active; }
};

}  // namespace ensue
