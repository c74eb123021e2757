/// A problem, a method, an answer.
///
///     auto run = ensue::solve(lorenz{}, ensue::vec{1., 0., 0.}, {0, 40}, ensue::tsit5{}, {.rtol = 1e-8});
///     run.state, run.t, run.outcome, run.statistics.evaluations, run.message()
#pragma once

#include <ensue/integrator.hpp>
#include <ensue/step/plain_run.hpp>

namespace ensue {

/// Where a run got to and how. Whatever the outcome, `t` and `state` are those of its last good step.
template <class State> struct solution {
  storage_of<State> state;  ///< a view's elements come back in memory of their own
  real_type<State> t;
  ensue::outcome outcome;  ///< of a pack: lane 0's; `ending[i].how` has each
  run_statistics<count_type<State>> statistics;
  report ending[lanes_of<element_of<State>>];
  const char* method;

  ENSUE_HD bool finished() const { return outcome == ensue::outcome::finished; }
  std::string message(int lane = 0) const { return sentence(ending[lane], method); }
};

namespace detail {
/// By a loop, which can say why it ends.
template <class System, state State, class Method>
ENSUE_RARE_ON_DEVICE ENSUE_HD solution<State> solve_by_loop(const System& system, const State& start, const interval<real_type<State>>& span, const Method& method,
                                                            const options<State>& settings) {
  using loop = stepping_loop<System, State, Method>;
  loop run(system, start, span.from, method, settings);
  if (!all(settings.step == real_type<State>(0))) run.template advance_fixed<inside_of_step::forgotten>(span.to, settings.step);
  else if (!run.now.stepper.has_estimate()) run.refuse(input_fault::no_error_estimate);
  else if constexpr (loop::stepper::may_estimate) run.template advance_adaptive<inside_of_step::discarded>(span.to);
  solution<State> result{run.now.x, run.now.t, run.reports[0].how, run.now.statistics, {}, run.now.stepper.name()};
  for (int l = 0; l < loop::lanes; ++l) result.ending[l] = run.reports[l];
  return result;
}
}  // namespace detail

/// Follows x' = f(t, x) from span.from to span.to, either way round. The start is not touched. With `.step` in fixed steps,
/// otherwise adaptively, for which the method needs an error estimate.
template <class System, state State, class Method>
ENSUE_HD solution<State> solve(const System& system, const State& start, const std::type_identity_t<interval<real_type<State>>>& span,
                               const Method& method, const std::type_identity_t<options<State>>& settings = {}) {
  (void)require_system<System, State>{};
  (void)require_fit<Method, System, State>{};
  using kept = std::decay_t<System>;  // a function is kept by its address
  if constexpr (on_device && plain_run<kept, State, Method>::possible) {
    plain_run<kept, State, Method> run(system, start, span.from, method, settings);
    if (run.advance(span.to)) {
      solution<State> result{run.now.x, run.now.t, outcome::finished, run.now.statistics, {}, Method::name};
      result.ending[0].t = static_cast<double>(run.now.t);
      return result;
    }
  }
  return detail::solve_by_loop<kept>(system, start, span, method, settings);
}

template <class System, state State, class Method>
ENSUE_HD auto solve(const problem<System, State>& question, const Method& method,
                    const std::type_identity_t<options<State>>& settings = {}) {
  return solve(question.system, question.start, question.span, method, settings);
}

}  // namespace ensue
