/// The loop, opened up for frame-by-frame use: time and state that a program can read, edit and continue.
///
///     ensue::integrator sim{lorenz{}, ensue::vec{1., 0., 0.}, ensue::dp54{}};
///     while (open) { sim.advance(1. / 60); draw(sim.state()); }
///
/// One source for one trajectory, for a pack of them (each lane its own time, step and ending) and for a CUDA thread. No
/// allocation after construction, and none at all for fixed-size states.
#pragma once

#include <ensue/loop.hpp>
#include <ensue/problem.hpp>

namespace ensue {

template <class System, state State, class Method> class integrator : require_system<System, State> {
 public:
  using real = real_type<State>;
  using count = count_type<State>;

  /// Starts at time 0.
  ENSUE_HD integrator(const System& system, const State& start, const Method& method = {},
                      const options<State>& settings = {})
      : loop_(system, start, real(0), method, settings) {}

  /// Starts at the problem's `from`.
  ENSUE_HD integrator(const problem<System, State>& question, const Method& method, const options<State>& settings = {})
      : loop_(question.system, question.start, question.span.from, method, settings) {}

  /// To time t exactly, forwards or backwards. With a fixed step or without an error estimate in steps of that length (where
  /// none is given: in one step); otherwise in steps that the error chooses. Returns how it ended; a pack's lanes have an
  /// `ending` each.
  ENSUE_HD outcome advance_to(const real& t) {
    if constexpr (stepper::may_estimate) {
      if (!fixed()) {
        loop_.advance_adaptive(t);
        return ending().how;
      }
    }
    const real& step = loop_.settings.step;
    loop_.advance_fixed(t, select(step > real(0), step, magnitude(t - loop_.now.t)));
    return ending().how;
  }

  /// By dt. The n-th of n equal advances ends at start + n·dt rounded once: frames do not drift.
  ENSUE_HD outcome advance(const real& dt) {
    count_frame(dt);
    return advance_to(frames_end_);
  }

  /// One accepted step: the fixed step, or what the error allows.
  ENSUE_HD outcome step(bool backwards = false) {
    return step_towards(real(backwards ? -infinity<real> : infinity<real>));
  }

  /// One accepted step that ends at t or before it.
  ENSUE_HD outcome step_towards(const real& t) {
    if constexpr (stepper::may_estimate) {
      if (!fixed()) {
        loop_.step_adaptive(t);
        return ending().how;
      }
    }
    if (!all(loop_.settings.step > real(0))) {
      loop_.refuse(input_fault::no_error_estimate);
      return ending().how;
    }
    const real remaining = t - loop_.now.t, dt = with_sign(loop_.settings.step, remaining);
    count_frame(dt);
    // A rest that is a step but for rounding is a step.
    const mask_type<State> arrives = magnitude(remaining) <= magnitude(dt) * (real(1) + real(4 * epsilon<real>));
    return advance_to(select(arrives, t, frames_end_));
  }

  ENSUE_HD const real& time() const { return loop_.now.t; }
  ENSUE_HD const State& state() const { return as_argument(loop_.now.x); }
  ENSUE_HD const run_statistics<count>& statistics() const { return loop_.now.statistics; }

  /// Goes on from another state, or another time as well. What the method remembered of the old one is forgotten.
  ENSUE_HD void set_state(const State& x) {
    require_length(x, "set_state needs a state of the length it replaces");
    for_each_element(loop_.now.x, [from = x.data(), to = loop_.now.x.data()](std::size_t i) { to[i] = from[i]; });
    loop_.restart();
  }
  ENSUE_HD void set_state(const real& t, const State& x) {
    set_state(x);
    loop_.now.t = t;
  }

  /// The model, to change its parameters; what the method remembered of the old ones is forgotten.
  ENSUE_HD System& system() {
    loop_.restart();
    return loop_.system;
  }

  /// The state at a time inside the last accepted step, to the method's dense order; the present state where there is none, before
  /// the first step or after a failed attempt. Costs at most the evaluation that the next step would make anyway.
  ENSUE_HD void interpolate(const real& t, State& out) {
    require_length(out, "interpolate needs room for a state");
    if constexpr (state_view<State>) {
      storage_of<State> inside(out);
      interpolate_into(t, inside);
      for_each_element(inside, [from = inside.data(), to = out.data()](std::size_t i) { to[i] = from[i]; });
    } else {
      interpolate_into(t, out);
    }
  }

  /// How a lane's last advance ended, and the sentence that says it.
  ENSUE_HD const report& ending(int lane = 0) const { return loop_.reports[lane]; }
  std::string message(int lane = 0) const { return sentence(ending(lane), loop_.now.stepper.name()); }

 private:
  using stepper = stepper_of<Method, State>;

  ENSUE_HD void require_length([[maybe_unused]] const State& x, [[maybe_unused]] const char* why) const {
    if constexpr (extent_of<State> == 0) {
      if (static_cast<std::size_t>(x.size()) != static_cast<std::size_t>(loop_.now.x.size()))
        throw std::length_error(std::string("ensue: ") + why);
    }
  }

  /// The end of the next of equal advances.
  ENSUE_HD void count_frame(const real& dt) {
    if (!all((dt == frame_) & (loop_.now.t == frames_end_))) {
      frame_ = dt;
      frames_start_ = loop_.now.t;
      frames_ = 0;
    }
    frames_end_ = grid_time(frames_start_, ++frames_, frame_);
  }

  ENSUE_HD void interpolate_into(const real& t, storage_of<State>& out) {
    const auto& now = loop_.now;
    const mask_type<State> none = now.last_step == real(0);
    if (!all(none)) {
      loop_.know_derivative();
      now.stepper.interpolate(real(1) - (now.t - t) / now.last_step, now.last_step, now.x, out);
    }
    for_each_element(out, [&](std::size_t i) { out.data()[i] = select(none, now.x.data()[i], out.data()[i]); });
  }

  ENSUE_HD bool fixed() const { return any(loop_.settings.step > real(0)) || !loop_.now.stepper.has_estimate(); }

  stepping_loop<System, State, Method> loop_;
  real frame_ = real(0), frames_start_ = real(0), frames_end_ = real(0);  // equal advances counted from one start
  std::int64_t frames_ = 0;
};

template <class System, class State, class Method> integrator(System, State, Method) -> integrator<System, State, Method>;
template <class System, class State, class Method>
integrator(System, State, Method, options<State>) -> integrator<System, State, Method>;
template <class System, class State, class Method>
integrator(problem<System, State>, Method) -> integrator<System, State, Method>;
template <class System, class State, class Method>
integrator(problem<System, State>, Method, options<State>) -> integrator<System, State, Method>;

}  // namespace ensue
