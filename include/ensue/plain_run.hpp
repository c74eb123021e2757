/// A run of which nothing is asked but its end, for GPUs: all of it in registers.
///
/// A stepping_loop has to be in memory, because what is rare is done by functions that are called, and a million threads store a gigabyte before their first
/// steps: as long as forty steps take. This one calls nothing. Where something rare comes up it gives up, and who asked for it has a loop do it all from the start.
#pragma once

#include <ensue/stepping.hpp>

#include <limits>

namespace ensue {

template <class System, state State, class Method> class plain_run : stepping<System, State, Method> {
  using steps = stepping<System, State, Method>;
  using typename steps::real;

 public:
  static constexpr bool possible = steps::may_be_plain && steps::may_discard && !steps::sets_pace;

  ENSUE_HD ENSUE_INLINE plain_run(const System& model, const State& start, const real& from, const Method& method, const options<State>& s)
      : steps(model, s, static_cast<std::size_t>(start.size()), steps::stepper::estimate_order()),
        now{start, from, s.first_step, typename steps::stepper(method, start)} {}

  /// Whether it came to t_end.
  ENSUE_HD ENSUE_INLINE bool advance(const real& t_end) {
    const options<State>& s = steps::settings;
    if (s.compensated || !steps::is_plain(now) || find_fault(s, now.x, now.t, t_end, false) != input_fault::none || !finite(now.x)) return false;
    if (now.t == t_end) return true;
    now.steps_to_look = never;  // at stiffness, which takes the inside of a step
    typename steps::unfinished left;
    if (s.step > real(0)) {
      const fixed_grid<real> grid(now.t, t_end, s.step, steps::divided());
      std::int64_t taken = 0;
      while (steps::template fixed_step<inside_of_step::forgotten>(now, t_end, grid, taken, true, left)) {}
    } else if constexpr (steps::stepper::may_estimate) {
      if (below_rounding(now.x, steps::measure_) || !steps::ready(now, true, left)) return false;
      auto measure = steps::measure_.euclidean();
      steps::choose_first_step(now, t_end, true, measure);
      while (steps::template attempt<true, inside_of_step::discarded>(now, t_end, true, left)) {}
    }
    return !left.something && now.t == t_end;
  }

  typename steps::motion now;

 private:
  static constexpr int never = std::numeric_limits<int>::max();
};

}  // namespace ensue
