/// Attempts with as little around them as there can be, for those who give up where something rare comes up and leave it to a loop, from the start: threads of a
/// GPU (plain_run.hpp) and lanes that are refilled (batch/lane_team.hpp). Their numbers are those of the loop.
#pragma once

#include <ensue/step/stepping.hpp>

namespace ensue {

template <class System, state State, class Method> class plain_stepping : protected stepping<System, State, Method> {
  using steps = stepping<System, State, Method>;

 protected:
  using steps::steps;
  using typename steps::base, typename steps::count, typename steps::mask, typename steps::motion, typename steps::real, typename steps::stepper;

  static constexpr bool together = steps::lanes > 1;

  /// What is known of an attempt.
  struct attempted {
    real t_new, step, error = real(0);
    mask near = mask(false), last = mask(false);  ///< the end is nearer than two such steps; last: of its span, if accepted
    mask defined = mask(true), accepted = mask(false), change = mask(false);  ///< change: of the step's length
    mask unusual = mask(false);  ///< to be given up: no derivative, a step that may be near the smallest
  };

  /// Whether every attempt of every lane takes as many evaluations.
  static constexpr bool costs_alike = steps::keeps_first_derivative && !stepper::confirms && is_defined_everywhere<System, storage_of<State>>;

  /// Steps no longer than this may be near the smallest between t and t_end.
  template <class Real> ENSUE_HD ENSUE_INLINE static Real least_usual_step(const Real& t, const Real& t_end, const Real& min_step) {
    return base(1.25) * step_floor(maximum(magnitude(t), magnitude(t_end)), min_step);
  }

  // The parts of an attempt. They do not branch: of many trajectories side by side, some nearly always go either way. `Usual`: who knows that norm and law are (is_usual),
  // and looks in the end whether all is finite.

  /// Where the end is nearer than two steps, so that what remains is halved or the last step.
  ENSUE_HD ENSUE_INLINE static mask near_end(const motion& m, const real& t_end) {
    const real remaining = t_end - m.t;
    return together ? magnitude(remaining) < magnitude(m.h) + magnitude(m.h) : magnitude(base(0.5) * remaining) < magnitude(m.h);  // the same; either is cheaper where it stands
  }

  /// From when to when; `Near`: unless it is nowhere near the end.
  template <bool Near = true> ENSUE_HD ENSUE_INLINE static attempted begin_attempt(const motion& m, const real& t_end) {
    attempted seen;
    seen.t_new = m.t + m.h;
    if constexpr (Near) {
      const real remaining = t_end - m.t;
      seen.near = near_end(m, t_end);
      seen.last = magnitude(remaining) <= magnitude(m.h);
      seen.t_new = select(seen.last, t_end, m.t + select(seen.near, base(0.5) * remaining, m.h));
    }
    seen.step = seen.t_new - m.t;
    return seen;
  }

  /// Its stages, and what comes of them. Counts evaluations.
  template <bool Usual, bool Near = true> ENSUE_HD ENSUE_INLINE void run_and_judge(motion& m, attempted& seen) {
    if constexpr (!steps::keeps_first_derivative)
      if (const mask stale = m.stepper.stale(); any(stale)) seen.unusual = find_first_derivative(m, stale);
    seen.defined = steps::template run<sums_plainly>(m, seen.t_new, seen.step, mask(true), &this->measure_);
    judge<Near>(m, seen, error_of<Usual>(m, seen.step, seen.defined));
  }
  template <bool Near = true> ENSUE_HD ENSUE_INLINE void judge([[maybe_unused]] motion& m, attempted& seen, const real& error) {
    seen.error = error;
    seen.accepted = error <= steps::limit_of(m);
    if constexpr (stepper::confirms)
      if (any(seen.accepted)) seen.accepted = m.stepper.confirm(steps::system, seen.t_new, seen.accepted, m.statistics.evaluations);
    seen.change = !steps::law_.keeps(error);  // which are errors that are accepted, unless the stepper or caution refuses them
    if constexpr (Near) seen.change = (!seen.accepted) | ((seen.change | seen.near) & !seen.last);
    else if constexpr (stepper::confirms || steps::may_be_cautious) seen.change = seen.change | !seen.accepted;
  }

  /// The length of the next one, of which `most` is the largest factor after an accepted step.
  template <bool Usual> ENSUE_HD ENSUE_INLINE void choose_length(motion& m, attempted& seen, const real& smallest, const real& most) const {
    const auto& law = steps::law_;
    const mask failed = !seen.accepted;
    [[maybe_unused]] bool careful = false;  // a lane is, or begins to be
    real error = seen.error;
    if constexpr (steps::may_be_cautious) {
      careful = any(steps::caution_.concerns(m.history, failed, error));
      if (careful) [[unlikely]] {
        stay_a_branch();
        steps::caution_.after_reject(m.history, failed & seen.defined, error);
        error = steps::caution_.in_units_of_limit(m.history, error);
      }
    }
    real factor;
    if constexpr (!Usual) factor = law.after_attempt(error, failed, m.history);
    else if constexpr (on_device && !stepper::confirms) factor = law.classical_factor(error, most);  // one that is not accepted asks for less; a GPU's maximum passes over what is no number
    else factor = law.classical_factor(error, select(failed, law.most_after_reject(), most));
    if constexpr (steps::may_be_cautious)
      if (careful) [[unlikely]] steps::caution_.after_accept(m.history, seen.accepted & seen.change, factor);
    factor = steps::quiet_.limited(factor, seen.error, seen.step);
    real size = magnitude(seen.step) * steps::unless_undefined(factor, seen.defined);
    size = select(seen.accepted & seen.near, maximum(size, magnitude(m.h)), size);  // a step cut short by the end says nothing against the longer one before it
    size = minimum(size, steps::settings.max_step);
    m.h = select(seen.change, with_sign(size, seen.step), m.h);
    seen.unusual = seen.unusual | (on_device ? magnitude(m.h) <= smallest : seen.change & (size <= smallest));
    if constexpr (!Usual) law.remember(m.history, seen.accepted & !seen.near, seen.error);
  }

  /// The candidate becomes the state where it was accepted; for who has one trajectory to ask first whether it was.
  ENSUE_HD ENSUE_INLINE static void install(motion& m, const attempted& seen) {
    if constexpr (sums_plainly) m.stepper.template accept_and_forget<false>(seen.accepted, m.x);
    else m.stepper.accept(seen.accepted, m.x);
    m.t = select(seen.accepted, seen.t_new, m.t);
  }

  /// Whether an attempt whose stages are gone can be judged, where it is `Usual`; and its error.
  static constexpr bool may_be_judged_later = together && steps::may_forget && costs_alike && requires { requires stepper::leaves_remains; };
  template <class Remains> ENSUE_INLINE real error_of(const motion& m, const attempted& seen, const Remains& of) const {
    const final_check measure = checked_finally();
    return stepper::squared_error(m.x, of, seen.step, measure);
  }

  /// Whether attempts may be `Usual`.
  ENSUE_HD ENSUE_INLINE bool is_usual() const {
    const bool shrinks_when_rejected = !on_device || steps::settings.control.shrink <= steps::settings.control.safety;  // whatever the error, as choose_length has it there
    return steps::law_.is_classical() && shrinks_when_rejected && has_usual_tolerances() && steps::measure_.is_euclidean() && steps::settings.control.per == error_per::step;
  }

 private:
  static constexpr bool sums_plainly = requires(stepper& s, const mask& where, State& x) { s.template accept_and_forget<false>(where, x); };

  /// k₁, where it is not known. Returns where it has no value.
  ENSUE_HD ENSUE_INLINE mask find_first_derivative(motion& m, const mask& stale) {
    mask defined(false);
    if constexpr (requires { m.stepper.derivative_anew(steps::system, m.t, m.x); }) defined = m.stepper.derivative_anew(steps::system, m.t, m.x);
    else defined = m.stepper.derivative(steps::system, m.t, m.x);
    m.statistics.evaluations = m.statistics.evaluations + select(stale, count(1), count(0));
    return stale & !(defined & finite(m.stepper.first_derivative()));
  }

  template <bool Usual> ENSUE_HD ENSUE_INLINE real error_of(motion& m, const real& step, const mask& defined) {
    if constexpr (!Usual) return steps::template error_of_attempt<false>(m, step, defined);
    else {
      const final_check measure = checked_finally();
      return steps::where_defined(m.stepper.squared_error(m.x, step, measure), defined);
    }
  }

  /// Tolerances with which the size of an error that counts as 1 is no larger than a quarter of the largest number.
  ENSUE_HD ENSUE_INLINE bool has_usual_tolerances() const {
    bool usual = true;
    for (std::size_t i = 0; i < steps::measure_.atol().size(); ++i) usual = usual && all(steps::measure_.atol()[i] <= real(largest<real> / 8));
    for (std::size_t i = 0; i < steps::measure_.rtol().size(); ++i) usual = usual && all(steps::measure_.rtol()[i] <= real(base(1) / 8));
    return usual;
  }

  /// The Euclidean norm of errors, for who looks in the end whether all was finite.
  struct final_check {
    const error_measure<State>& tolerances;
    bool mean;
    template <class Storage, class Error> ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, const Storage& x_new, Error error) const {
      const base share = mean ? base(1) / static_cast<base>(x.size()) : base(1);
      return share * error_measure<State>::sum_of_squares(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        const real scale = error_scale(tolerances.atol()[i], tolerances.rtol()[i], real(value_of(x.data()[i])), real(value_of(x_new.data()[i])));
        return error_ratio<real, true>(error(i), scale);
      });
    }
  };
  ENSUE_HD ENSUE_INLINE final_check checked_finally() const {
    return {steps::measure_, steps::settings.norm.kind == norm_kind::rms};
  }
};

}  // namespace ensue
