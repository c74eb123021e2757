/// Attempts with as little around them as there can be, for those who give up where something rare comes up and leave it to a loop, from the start: threads of a
/// GPU (plain_run.hpp) and lanes that are refilled (batch/lane_team.hpp). Their numbers are those of the loop.
#pragma once

#include <ensue/stepping.hpp>

namespace ensue {

template <class System, state State, class Method> class plain_stepping : protected stepping<System, State, Method> {
  using steps = stepping<System, State, Method>;

 protected:
  using steps::steps;
  using typename steps::base, typename steps::count, typename steps::mask, typename steps::motion, typename steps::real, typename steps::stepper;

  struct attempted {
    mask accepted, last;         ///< last: of its span, if accepted
    mask unusual = mask(false);  ///< to be given up: no derivative, a step that may be near the smallest, a tolerance near rounding
  };

  /// Whether every attempt of every lane takes as many evaluations.
  static constexpr bool costs_alike = steps::keeps_first_derivative && !stepper::confirms && is_defined_everywhere<System, storage_of<State>>;

  /// Steps no longer than this may be near the smallest between t and t_end.
  template <class Real> ENSUE_HD ENSUE_INLINE static Real least_usual_step(const Real& t, const Real& t_end, const Real& min_step) {
    return base(1.25) * step_floor(maximum(magnitude(t), magnitude(t_end)), min_step);
  }

  /// One attempt of every lane; counts evaluations. One trajectory branches on what comes of it, many do not: some of them nearly always go either way. `Usual`: who
  /// knows that norm and law are (is_usual), and looks in the end whether all is finite.
  template <bool Usual> ENSUE_HD ENSUE_INLINE attempted attempt(motion& m, const real& t_end, const real& smallest) {
    constexpr bool together = steps::lanes > 1;
    const auto& law = steps::law_;
    attempted seen;
    if constexpr (!steps::keeps_first_derivative)
      if (const mask stale = m.stepper.stale(); any(stale)) seen.unusual = find_first_derivative(m, stale);

    const real remaining = t_end - m.t, half = base(0.5) * remaining, distance = magnitude(remaining), length = magnitude(m.h);
    const mask near = together ? distance < length + length : magnitude(half) < length;  // the same; either is cheaper where it stands
    seen.last = distance <= length;
    const real t_new = select(seen.last, t_end, m.t + select(near, half, m.h)), step = t_new - m.t;

    const mask defined = steps::template run<sums_plainly>(m, t_new, step, mask(true), &(steps::measure_));
    const real error = error_of<Usual>(m, step, defined);
    seen.accepted = error <= real(1);
    if constexpr (stepper::confirms)
      if (any(seen.accepted)) seen.accepted = m.stepper.confirm(steps::system, t_new, seen.accepted, m.statistics.evaluations);

    const mask failed = !seen.accepted, change = failed | !(near | law.keeps(error));  // a step cut short by the end says nothing about the next
    if (together || any(change)) {
      real factor;
      if constexpr (Usual) factor = law.classical_factor(error, select(failed, law.most_after_reject(), law.most_after_accept(m.history.just_rejected)));
      else factor = law.after_attempt(error, failed, m.history);
      const real size = minimum(magnitude(step) * steps::unless_undefined(factor, defined), steps::settings.max_step);
      m.h = select(change, with_sign(size, step), m.h);
      if constexpr (together) seen.unusual = seen.unusual | (change & (size <= smallest));
    }
    if constexpr (!together) seen.unusual = seen.unusual | (magnitude(m.h) <= smallest);  // here and not above: a GPU would have to remember it
    if constexpr (!Usual) law.remember(m.history, seen.accepted & !near, error);
    if constexpr (!on_device) seen.unusual = seen.unusual | (failed & nearly_below_rounding(m.x, steps::measure_));
    m.history.just_rejected = failed;
    if (together || any(seen.accepted)) {
      if constexpr (sums_plainly) m.stepper.template accept_and_forget<false>(seen.accepted, m.x);
      else m.stepper.accept(seen.accepted, m.x);
      m.t = select(seen.accepted, t_new, m.t);
    }
    return seen;
  }

  /// Whether attempts may be `Usual`.
  ENSUE_HD ENSUE_INLINE bool is_usual() const {
    return steps::law_.is_classical() && has_usual_tolerances() && steps::measure_.is_euclidean() && steps::settings.control.per == error_per::step;
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
      final_check measure{steps::measure_, steps::settings.norm.kind == norm_kind::rms ? base(1) / base(extent_of<State>) : base(1)};
      return steps::where_defined(m.stepper.squared_error(m.x, step, measure), defined);
    }
  }

  /// Tolerances with which the size of an error that counts as 1 is no larger than a quarter of the largest number.
  ENSUE_HD ENSUE_INLINE bool has_usual_tolerances() const {
    bool usual = true;
    for (std::size_t i = 0; i < extent_of<State>; ++i)
      usual = usual && all(steps::measure_.atol()[i] <= real(largest<real> / 8)) && all(steps::measure_.rtol()[i] <= real(base(1) / 8));
    return usual;
  }

  /// The Euclidean norm of errors, for who looks in the end whether all was finite.
  struct final_check {
    const error_measure<State>& tolerances;
    base share;  ///< of an error in the mean, or 1
    template <class Storage, class Error> ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, const Storage& x_new, Error error) const {
      real sum(0);
      for_each_in_order(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        const real scale = error_scale(tolerances.atol()[i], tolerances.rtol()[i], real(x.data()[i]), real(x_new.data()[i]));
        const real e = error_ratio<real, true>(error(i), scale);
        sum = sum + e * e;
      });
      return sum * share;
    }
  };
};

}  // namespace ensue
