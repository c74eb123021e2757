/// The loop, opened up for frame-by-frame use: time and state that a program can read, edit and continue.
///
///     ensue::integrator sim{lorenz{}, ensue::vec{1., 0., 0.}, ensue::dp54{}};
///     while (open) { sim.advance(1. / 60); draw(sim.state()); }
///
/// One source for one trajectory, for a pack of them (each lane its own time, step and ending) and for a CUDA thread. No
/// allocation after construction, and none at all for fixed-size states.
#pragma once

#include <ensue/step/loop.hpp>
#include <ensue/problem.hpp>

namespace ensue {

template <class System, state State, class Method> class integrator : require_system<System, State>, require_fit<Method, System, State> {
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
    forget_dense();
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

  /// To each of the times in turn, with a step that ends there: arrive(t, x). (`save_at`, output/save.hpp, takes no shorter steps
  /// and interpolates.) One trajectory.
  template <class Times, class Arrive> outcome advance_through(const Times& times, Arrive&& arrive) {
    if constexpr (stepper::may_estimate) {
      if (!fixed()) {
        forget_dense();
        loop_.advance_through(times, arrive);
        return ending().how;
      }
    }
    outcome how = advance_to(time());
    for (auto next = std::begin(times); next != std::end(times) && how == outcome::finished; ++next)
      if (how = advance_to(*next); how == outcome::finished) arrive(*next, state());
    return how;
  }

  /// By dt. The n-th of n equal advances ends at start + n·dt rounded once: frames do not drift.
  ENSUE_HD outcome advance(const real& dt) {
    if (!all((dt == frame_) & (loop_.now.t == frames_end_))) {
      frame_ = dt;
      frames_start_ = loop_.now.t;
      frames_ = 0;
    }
    frames_end_ = grid_time(frames_start_, ++frames_, frame_);
    return advance_to(frames_end_);
  }

  /// One accepted step: the fixed step, or what the error allows.
  ENSUE_HD outcome step(bool backwards = false) {
    return step_towards(real(backwards ? -infinity<real> : infinity<real>));
  }

  /// One accepted step that ends at t or before it: one of those that `advance_to(t)` would take.
  ENSUE_HD outcome step_towards(const real& t) {
    forget_dense();
    if constexpr (stepper::may_estimate) {
      if (!fixed()) {
        loop_.step_adaptive(t);
        return ending().how;
      }
    }
    const real& size = loop_.settings.step;
    if (!all(size > real(0))) loop_.refuse(input_fault::no_error_estimate);
    else if (stepping_loop<System, State, Method>::sets_pace || all(magnitude(t) < real(infinity<real>))) loop_.step_fixed(t, size);
    else return advance(with_sign(size, t));
    return ending().how;
  }

  ENSUE_HD const real& time() const { return loop_.now.t; }
  ENSUE_HD const State& state() const { return as_argument(loop_.now.x); }
  ENSUE_HD const run_statistics<count>& statistics() const { return loop_.now.statistics; }

  /// Goes on from another state, or another time as well. What the method remembered of the old one is forgotten.
  ENSUE_HD void set_state(const State& x) {
    require_length(x, "set_state needs a state of the length it replaces");
    for_each_element(loop_.now.x, [from = x.data(), to = loop_.now.x.data()](std::size_t i) { to[i] = from[i]; });
    loop_.restart();
    forget_dense();
  }
  ENSUE_HD void set_state(const real& t, const State& x) {
    set_state(x);
    loop_.now.t = t;
  }

  /// The model, to change its parameters; what the method remembered of the old ones is forgotten.
  ENSUE_HD System& system() {
    forget_dense();
    return loop_.open_system();
  }

  /// The state at a time inside the last accepted step, to the method's dense order; the present state where there is none, before
  /// the first step or after a failed attempt. The first call in a step makes the evaluation at its end that the next step would
  /// make, and those of the method's extra stages if it has any; of a dynamic state, the first call ever allocates.
  ENSUE_HD void interpolate(const real& t, State& out) {
    require_length(out, "interpolate needs room for a state");
    const auto& now = loop_.now;
    know_dense();
    const mask_type<State> none = now.last_step == real(0);
    const real theta = real(1) - (now.t - t) / select(none, real(1), now.last_step);
    auto* const to = out.data();
    const auto* const x = now.x.data();
    if (!all(none)) dense_.curve.at(theta, now.stepper.before().data(), x, now.x, to);
    for_each_element(now.x, [&](std::size_t i) { to[i] = select(none, x[i], to[i]); });
  }

  /// For those who will look between the ends of steps: from the next step on the error is controlled there, too, and steps leave so much of
  /// `max_evaluations` that the inside of the last one can be seen. Returns whether it was controlled before. Fixed steps are what they are.
  ENSUE_HD bool control_between_steps(bool on) {
    if (on) loop_.keep_budget_for_inside();
    bool& now = loop_.settings.between_steps;
    const bool before = now;
    if constexpr (requires { loop_.now.stepper.control_between_steps(on); })
      if (on != before && !fixed()) loop_.now.stepper.control_between_steps(on);
    now = on;
    return before;
  }

  /// The interpolant of the last accepted step: the terms of output/interpolant.hpp.
  ENSUE_HD static constexpr std::size_t dense_terms() { return decltype(dense_.curve)::terms; }
  ENSUE_HD const element_of<State>* dense_term(std::size_t m) {
    know_dense();
    return dense_.curve.s[m].data();
  }

  /// f at the present time and state: the evaluation that the next step would make.
  ENSUE_HD const State& derivative() { return as_argument(loop_.derivative()); }

  /// The present state in memory of its own, also where State is a view.
  ENSUE_HD storage_of<State> snapshot() const { return loop_.now.x; }

  /// For observers (output/): the run is over, because of an event.
  ENSUE_HD void end_with(outcome how, int event) { loop_.end_with(how, event); }

  /// How a lane's last advance ended, and the sentence that says it.
  ENSUE_HD const report& ending(int lane = 0) const { return loop_.reports[lane]; }
  std::string message(int lane = 0) const { return sentence(ending(lane), loop_.now.stepper.name()); }

 private:
  using stepper = stepper_of<Method, State>;

  ENSUE_HD void require_length([[maybe_unused]] const State& x, [[maybe_unused]] const char* why) const {
#if !defined(__CUDA_ARCH__)  // where states are of fixed size, and nvcc reads no `throw`, discarded or not
    if constexpr (extent_of<State> == 0) {
      if (static_cast<std::size_t>(x.size()) != static_cast<std::size_t>(loop_.now.x.size()))
        throw std::length_error(std::string("ensue: ") + why);
    }
#endif
  }

  ENSUE_HD void forget_dense() { dense_known_ = false; }
  ENSUE_HD void know_dense() {
    if (dense_known_ || all(loop_.now.last_step == real(0))) return;
    if (extent_of<State> > 0 || dense_.curve.s[0].size() != loop_.now.x.size()) dense_.allocate(loop_.now.x);
    loop_.keep_budget_for_inside();
    loop_.make_dense(dense_);
    dense_known_ = true;
  }

  ENSUE_HD bool fixed() const { return any(loop_.settings.step > real(0)) || !loop_.now.stepper.has_estimate(); }

  stepping_loop<System, State, Method> loop_;
  typename stepper::dense_memory dense_ = {};
  bool dense_known_ = false;
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
