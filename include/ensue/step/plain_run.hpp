/// A run of which nothing is asked but its end, for GPUs: all of it in registers.
///
/// A stepping_loop has to be in memory, because what is rare is done by functions that are called, and a million threads store a gigabyte before their first
/// steps: as long as forty steps take. This one calls nothing. Where something rare comes up it gives up, and who asked for it has a loop do it all from the start.
#pragma once

#include <ensue/step/plain_stepping.hpp>

#include <limits>

namespace ensue {

template <class System, state State, class Method> class plain_run : plain_stepping<System, State, Method> {
  using steps = plain_stepping<System, State, Method>;
  using typename steps::real;

 public:
  static constexpr bool possible = steps::may_be_plain && steps::may_discard && !steps::sets_pace;

  ENSUE_HD ENSUE_INLINE plain_run(const System& model, const State& start, const real& from, const Method& method, const options<State>& s)
      : steps(model, s, static_cast<std::size_t>(start.size()), steps::stepper::estimate_order()),
        now{start, from, s.first_step, typename steps::stepper(method, start)} {}

  /// Whether it came to t_end.
  ENSUE_HD ENSUE_INLINE bool advance(const real& t_end) {
    const options<State>& s = steps::settings;
    if (s.compensated || !steps::is_plain(now) || find_fault_in_times(now.t, t_end, false) != input_fault::none ||
        find_fault(s, extent_of<State>) != input_fault::none || !finite(now.x))
      return false;
    if (now.t == t_end) return s.step > real(0) || steps::stepper::may_estimate;
    typename steps::unfinished left;
    if (s.step > real(0)) {
      const fixed_grid<real> grid(now.t, t_end, s.step, steps::divided());
      std::int64_t taken = 0;
      while (steps::template fixed_step<inside_of_step::forgotten>(now, t_end, grid, taken, true, left)) {}
    } else if constexpr (steps::stepper::may_estimate) {
      if (!steps::is_usual() || below_rounding(now.x, steps::measure_) || !steps::ready(now, true, left)) return false;
      auto measure = steps::measure_.euclidean();
      steps::choose_first_step(now, t_end, true, measure);
      steps::quiet_.begin_span(t_end - now.t);
      return steps::measure_.may_be_below_rounding() ? advance_adaptive<true>(t_end) : advance_adaptive<false>(t_end);
    }
    return !left.something && now.t == t_end;
  }

  typename steps::motion now;

 private:
  static constexpr int countable = std::numeric_limits<int>::max() / 2;

  /// A warp goes every way that one of its threads goes: lengths change in one place, whatever for. What is not finite stays so, and is seen at the end. Counts are of 32
  /// bits: beyond them it gives up. `MayBeExact`: tolerances may be below the rounding of a state that grows.
  template <bool MayBeExact> ENSUE_HD ENSUE_INLINE bool advance_adaptive(const real& t_end) {
    const real smallest = steps::least_usual_step(now.t, t_end, steps::settings.min_step);
    std::int64_t& spent = now.statistics.evaluations;
    const std::int64_t before = spent, affordable = steps::settings.max_evaluations - before - steps::evaluations_of_attempt(now.stepper) - 1;
    if (affordable < 0) return false;
    const int most_evaluations = static_cast<int>(affordable < countable ? affordable : countable);
    int evaluations = 0, attempts = 0, taken = 0;
    real most = steps::law_.most_after_accept(false);
    bool defined = true;  // f at every step's start
    [[maybe_unused]] const real above_rounding = MayBeExact ? largest_above_rounding(steps::measure_, extent_of<State>) : real(0);
    const auto attempt = [&]<bool Near>(std::bool_constant<Near>) ENSUE_INLINE_LAMBDA {  // returns whether another may follow
      spent = 0;
      auto seen = steps::template begin_attempt<Near>(now, t_end);
      steps::template run_and_judge<true, Near>(now, seen);
      if constexpr (!steps::keeps_first_derivative) defined = !seen.unusual;
      steps::template choose_length<true>(now, seen, smallest, most);
      if constexpr (MayBeExact) seen.unusual = seen.unusual | (!seen.accepted & (largest_of(now.x) > above_rounding));
      most = select(seen.accepted & seen.near, most, steps::law_.most_after_accept(!seen.accepted));
      if constexpr (steps::may_be_cautious) now.history.just_rejected = (!seen.accepted) | (now.history.just_rejected & seen.near);
      if (seen.accepted) {
        steps::install(now, seen);
        ++taken;
      }
      evaluations += static_cast<int>(spent);
      if constexpr (!steps::costs_alike) ++attempts;
      return evaluations <= most_evaluations && !seen.unusual && defined;
    };
    bool goes_on = true;
    for (bool far = !steps::near_end(now, t_end); far;) {  // most of the way, where nobody has to ask
      goes_on = attempt(std::false_type{});
      far = goes_on && !steps::near_end(now, t_end);
    }
    while (goes_on && now.t != t_end) goes_on = attempt(std::true_type{});
    if constexpr (steps::costs_alike) attempts = evaluations / static_cast<int>(steps::evaluations_of_attempt(now.stepper));
    spent = before + evaluations;
    now.statistics.steps += taken;
    now.statistics.rejected += attempts - taken;
    return now.t == t_end && defined && finite(now.x);
  }
};

}  // namespace ensue
