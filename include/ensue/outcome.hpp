/// How a run ended: as a value, and as a sentence with the time, the component and what to try.
///
///     if (run.outcome == ensue::outcome::step_too_small) std::puts(run.message().c_str());
///     run.statistics.evaluations, run.ending[0].t, run.ending[0].stiff()
#pragma once

#include <ensue/numbers/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace ensue {

/// Whatever the outcome, time and state are those of the last good step.
enum class outcome : std::uint8_t {
  finished,
  too_many_evaluations,
  step_too_small,
  state_not_finite,
  derivative_not_finite,
  derivative_failed,
  equations_not_solved,
  jacobian_not_finite,
  matrix_singular,
  start_not_consistent,
  tolerance_too_small,
  cancelled,
  bad_input,
  stopped_by_event,
  events_accumulating,
  event_not_finite,
  chattering,
  domain_ended
};

/// What was wrong with the input.
enum class input_fault : std::uint8_t {
  none,
  time_not_finite,
  tolerance_not_positive,
  tolerance_count,
  step_not_positive,
  no_error_estimate,
  control_out_of_range
};

constexpr const char* name_of(outcome how) {
  switch (how) {
    case outcome::finished: return "finished";
    case outcome::too_many_evaluations: return "too many evaluations";
    case outcome::step_too_small: return "step too small";
    case outcome::state_not_finite: return "state not finite";
    case outcome::derivative_not_finite: return "derivative not finite";
    case outcome::derivative_failed: return "derivative failed";
    case outcome::equations_not_solved: return "equations not solved";
    case outcome::jacobian_not_finite: return "jacobian not finite";
    case outcome::matrix_singular: return "matrix singular";
    case outcome::start_not_consistent: return "start not consistent";
    case outcome::tolerance_too_small: return "tolerance too small";
    case outcome::cancelled: return "cancelled";
    case outcome::bad_input: return "bad input";
    case outcome::stopped_by_event: return "stopped by event";
    case outcome::events_accumulating: return "events accumulating";
    case outcome::event_not_finite: return "event not finite";
    case outcome::chattering: return "chattering";
    case outcome::domain_ended: return "domain ended";
  }
  return "";
}

/// What a run cost.
template <class count> struct run_statistics {
  count steps = count(0);        ///< accepted
  count rejected = count(0);     ///< attempts thrown away
  count evaluations = count(0);  ///< of f, those of differences included
  // Of implicit methods:
  count jacobians = count(0);       ///< f' at a time and state, however it was found
  count factorizations = count(0);  ///< of their matrix
  count linear_solves = count(0);   ///< with it
};

/// One trajectory's ending with what the sentence needs.
struct report {
  static constexpr std::int64_t nowhere = -1;

  outcome how = outcome::finished;
  input_fault fault = input_fault::none;
  bool smallest_step_accepted = false;  ///< a mark on a finished run: some step was taken although its error was too large
  double t = 0;                         ///< the time reached
  double step = 0;                      ///< the step that was tried last
  std::int64_t component = nowhere;     ///< the first component concerned
  bool unwritten = false;               ///< f has not written its derivative
  double value = 0;                     ///< its value
  bool adaptive = false;                ///< the error chose the steps
  bool shortest = false;                ///< steps could not be shorter because of the clock's digits, not because of min_step
  double pace = 0;                      ///< evaluations that the rest of the span would take at the present pace
  double residual = 0;                  ///< of a start that is not consistent: what is left of its equation
  int event = -1;                       ///< the number of the event concerned, from 0
  double stiff_since = 0;               ///< time at which stiffness was noticed
  double stiff_ratio = 0;               ///< h·|λ| there; 0: not noticed
  double stable_ratio = 0;              ///< the h·|λ| at which the method turns unstable

  ENSUE_HD bool stiff() const { return stiff_ratio > 0; }
};

/// What components and events are called in a sentence. Where there is no name, a component is x[i], counted from 0 as in C++.
struct report_names {
  std::span<const std::string> components = {}, events = {};

  std::string component(std::int64_t i) const { return name(components, i, "x[" + std::to_string(i) + "]"); }
  std::string event(int i) const { return name(events, i, std::to_string(i)); }

 private:
  static std::string name(std::span<const std::string> among, std::int64_t i, const std::string& otherwise) {
    return i >= 0 && i < static_cast<std::int64_t>(among.size()) ? among[static_cast<std::size_t>(i)] : otherwise;
  }
};

/// The report in words: what happened, where, what to try.
///
///     "step too small: at t = 0.99999999999 the error stays too large at a step of 4e-16 (x[0] = 1.2e+13 changes fastest) …"
inline std::string sentence(const report& r, const char* method, const report_names& names = {});

namespace detail {
template <class... A> std::string formatted(const char* format, A... values) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), ' ');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

inline std::string input_sentence(input_fault fault, const char* method) {
  switch (fault) {
    case input_fault::none: return "";
    case input_fault::time_not_finite: return "the times of the span have to be finite numbers.";
    case input_fault::tolerance_not_positive: return "tolerances cannot be negative, and rtol has to be finite.";
    case input_fault::tolerance_count: return "tolerances by component need one number for each component of the state.";
    case input_fault::step_not_positive:
      return "step, first_step and min_step cannot be negative, max_step has to be positive and not below min_step; the direction of a run comes from its span, and the lanes of a pack have a fixed step all or none.";
    case input_fault::no_error_estimate:
      return formatted("%s has no error estimate: give a fixed step, or use doubling(%s), which makes one.", method, method);
    case input_fault::control_out_of_range:
      return "the step-size law needs 0 < safety <= 1, 0 < shrink < 1, grow > 1 and keep >= 1 (or 0).";
  }
  return "";
}

inline std::string step_too_small_sentence(const report& r, const std::string& moving) {
  if (r.component == report::nowhere)
    return formatted("step too small: at t = %.17g a step of %.3g does not move the clock, whose numbers are further apart there. Raise max_step, or start the clock nearer to that time.", r.t, r.step);
  const std::string what = formatted("step too small: at t = %.17g the error stays too large at a step of %.3g", r.t, r.step) +
                           " (" + moving + " changes fastest). The solution may end there (a singularity), or f may jump; otherwise ";
  if (r.shortest)
    return what + "loosen the tolerance or let the smallest step be accepted: the clock has no digits for shorter steps.";
  return what + "lower min_step, loosen the tolerance, or let the smallest step be accepted.";
}

inline std::string equations_sentence(const report& r, const char* method) {
  const std::string what = formatted("equations not solved: after t = %.9g the iteration of %s for a step of %.3g does not settle", r.t, method, r.step);
  if (!r.adaptive) return what + ", because f changes too fast for so long a step. Take a smaller step.";
  return what + ", and longer steps failed before it. f may jump there or have no value beyond, or its Jacobian may be wrong. Put a jump at an event, check the Jacobian, or see how far an explicit method comes.";
}

inline std::string singular_sentence(const report& r, const char* method, const std::string& variable) {
  if (r.step == 0)
    return formatted("matrix singular: at t = %.9g the equations without a derivative do not determine their variables: the column of ", r.t) + variable +
           " depends on the others. The problem is not of index 1 there, or its mass matrix is singular without having rows of zeros.";
  const std::string what = formatted("matrix singular: after t = %.9g the equations of %s for a step of %.3g have no solution, or many: the column of ", r.t, method, r.step) +
                           variable + " in I/(h*gamma) - f' depends on the others. ";
  return what + (r.adaptive ? "Other step sizes failed as well: check the Jacobian." : "Try a smaller step; if none helps, check the Jacobian.");
}

inline std::string ending_sentence(const report& r, const char* method, const report_names& names) {
  const std::string name = r.component == report::nowhere ? "the state" : names.component(r.component);
  const std::string here = r.component == report::nowhere ? name : name + formatted(" = %.6g", r.value);
  const std::string event = names.event(r.event);
  switch (r.how) {
    case outcome::finished: return formatted("finished at t = %.17g.", r.t);
    case outcome::too_many_evaluations:
      return formatted("too many evaluations: %s reached t = %.9g within its budget. Raise max_evaluations, loosen the tolerance, or take another method.", method, r.t);
    case outcome::step_too_small: return step_too_small_sentence(r, here);
    case outcome::state_not_finite:
      if (!(r.value - r.value == 0)) return formatted("state not finite: at t = %.9g ", r.t) + here + " is not a finite number. Start from a state that is.";
      return formatted("state not finite: after t = %.9g the value of ", r.t) + here + " leaves the range of numbers. The solution grows without bound" +
             (r.adaptive ? ": end the run before, with an event." : ", or the step is too large for the method to be stable: try a smaller step.");
    case outcome::derivative_not_finite:
      if (r.unwritten)
        return formatted("derivative not finite: at t = %.9g f does not write element %lld of dx, or reads it before. Every element has to be written, also where it is 0.",
                         r.t, static_cast<long long>(r.component));
      return formatted("derivative not finite: after t = %.9g the derivative of ", r.t) + here +
             " is not a finite number. Look for a division by zero, a root or a logarithm of a negative number in f." +
             (r.adaptive ? " If the solution itself comes to where f has no value, end the run there with an event." : "");
    case outcome::derivative_failed:
      return formatted("derivative failed: f says that it is not defined next to t = %.9g. ", r.t) +
             (r.adaptive ? "The steps came as close to that place as they can: end the run before it, with an event."
                         : "A fixed step cannot avoid the place: a method that chooses its steps comes closer, and an event can end the run before it.");
    case outcome::equations_not_solved: return equations_sentence(r, method);
    case outcome::jacobian_not_finite:
      return formatted("jacobian not finite: at t = %.9g the row of f' of ", r.t) + here +
             " holds no finite numbers. Look for a root of zero or a division by zero among the derivatives of f, or give the model a jacobian of its own.";
    case outcome::matrix_singular: return singular_sentence(r, method, here);
    case outcome::start_not_consistent:
      return formatted("start not consistent: at t = %.9g the equation without a derivative of ", r.t) + here +
             formatted(" leaves %.6g where it should be 0. Correct the start, or have a consistent one found from it (find_consistent_start, --consistent).", r.residual);
    case outcome::tolerance_too_small:
      return formatted("tolerance too small: at t = %.9g the tolerance of ", r.t) + here +
             " is finer than the digits of the number itself. Raise rtol or atol, or compute with long double.";
    case outcome::cancelled: return formatted("cancelled at t = %.9g.", r.t);
    case outcome::bad_input: return "bad input: " + input_sentence(r.fault, method);
    case outcome::stopped_by_event: return "stopped by event " + event + formatted(" at t = %.17g.", r.t);
    case outcome::events_accumulating:
      return "events accumulating: up to t = " + formatted("%.12g", r.t) + " event " + event +
             " happens ever sooner, or its change leaves the motion at rest where it happens. Something has come to rest there, and going on would pass through it. Stop the run with the event, or let its change switch off what pushes through.";
    case outcome::event_not_finite:
      return "event not finite: the function of event " + event + formatted(" gives no number after t = %.9g. Look for a division by zero, a root or a logarithm of a negative number in it.", r.t);
    case outcome::chattering:
      return formatted("chattering: at t = %.9g f jumps, with ", r.t) + here +
             formatted(", and from both sides the motion is pushed back to the jump, so that %s crosses it in every step (at this pace the rest of the span takes about %.2g evaluations). Make the switch an event that changes to the equations of the sliding motion, or smooth the jump (sign(s) becomes tanh(s/width)).",
                       method, r.pace);
    case outcome::domain_ended:
      return formatted("domain ended: f has no value beyond the state reached at t = %.9g, with ", r.t) + here +
             formatted(", and steps of %s that look beyond fail again and again (at this pace the rest of the span takes about %.2g evaluations). Look for a root or a logarithm of a negative number in f: end the run at that place with an event, or give f a value beyond it (sqrt(s) becomes sqrt(max(s, 0))).",
                       method, r.pace);
  }
  return "";
}
}  // namespace detail

inline std::string sentence(const report& r, const char* method, const report_names& names) {
  std::string text = detail::ending_sentence(r, method, names);
  if (r.smallest_step_accepted)
    text += " Some steps were taken at the smallest size although their error was larger than allowed: loosen the tolerance or lower min_step if it matters.";
  if (r.stiff() && r.how != outcome::chattering && r.how != outcome::domain_ended)
    text += detail::formatted(" The problem is stiff for %s: since t = %.6g its steps are limited by stability (h*|lambda| = %.2f of at most %.2f), not by accuracy. An implicit method fits: rodas5p, rosenbrock23.",
                              method, r.stiff_since, r.stiff_ratio, r.stable_ratio);
  return text;
}

}  // namespace ensue
