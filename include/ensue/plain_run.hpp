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
    typename steps::unfinished left;
    if (s.step > real(0)) {
      const fixed_grid<real> grid(now.t, t_end, s.step, steps::divided());
      std::int64_t taken = 0;
      while (steps::template fixed_step<inside_of_step::forgotten>(now, t_end, grid, taken, true, left)) {}
    } else if constexpr (steps::stepper::may_estimate) {
      if (!steps::law_.is_classical() || !has_usual_tolerances() || below_rounding(now.x, steps::measure_) || !steps::ready(now, true, left)) return false;
      auto measure = steps::measure_.euclidean();
      steps::choose_first_step(now, t_end, true, measure);
      return advance_adaptive(t_end);
    }
    return !left.something && now.t == t_end;
  }

  typename steps::motion now;

 private:
  static constexpr int none_left = std::numeric_limits<int>::max(), countable = none_left / 2;
  static constexpr real largest = std::numeric_limits<real>::max();

  /// The loop's attempts with as little around them as there can be. A warp goes every way that one of its threads goes: lengths change in one place, whatever for. What is
  /// not finite stays so, and is seen at the end. Counts are of 32 bits and the smallest step is the largest there is on the way: beyond them it gives up.
  ENSUE_HD ENSUE_INLINE bool advance_adaptive(const real& t_end) {
    const auto& law = steps::law_;
    auto& stepper = now.stepper;
    const real smallest = real(1.25) * step_floor(maximum(magnitude(now.t), magnitude(t_end)), steps::settings.min_step);
    const std::int64_t affordable = steps::settings.max_evaluations - now.statistics.evaluations - steps::evaluations_of_attempt(stepper) - 1;
    if (affordable < 0) return false;
    const int most_evaluations = static_cast<int>(affordable < countable ? affordable : countable);
    final_check measure{steps::measure_, steps::settings.norm.kind == norm_kind::rms ? real(1) / real(extent_of<State>) : real(1)};
    real most = law.most_after_accept(false);
    int evaluations = 0, taken = 0, rejected = 0;
    do {
      std::int64_t spent = 0;
      if constexpr (!steps::keeps_first_derivative)
        if (stepper.stale() && (++spent, !(stepper.derivative_anew(steps::system, now.t, now.x) && finite(stepper.first_derivative())))) return false;
      const real remaining = t_end - now.t, half = real(0.5) * remaining;
      const bool near = magnitude(half) < magnitude(now.h), last = magnitude(remaining) <= magnitude(now.h);
      const real t_new = last ? t_end : now.t + (near ? half : now.h), step = t_new - now.t;
      const bool defined = stepper.template attempt<false>(steps::system, now.t, t_new, step, now.x, true, spent);
      const real error = stepper.squared_error(now.x, step, measure);
      bool accepted = defined && error <= real(1);
      if constexpr (steps::stepper::confirms)
        if (accepted) accepted = stepper.confirm(steps::system, t_new, accepted, spent);
      evaluations += static_cast<int>(spent);
      if (!accepted || !(near || law.keeps(error))) {
        const real factor = law.classical_factor(error, defined, accepted ? most : law.most_after_reject());
        now.h = with_sign(minimum(magnitude(step) * factor, steps::settings.max_step), step);
        if (!accepted) ++rejected;
        if (magnitude(now.h) <= smallest) evaluations = none_left;
      }
      most = law.most_after_accept(!accepted);
      if (accepted) {
        stepper.template accept_and_forget<false>(true, now.x);
        now.t = t_new;
        ++taken;
      }
    } while (now.t != t_end && evaluations <= most_evaluations);
    now.statistics.evaluations += evaluations;
    now.statistics.steps += taken;
    now.statistics.rejected += rejected;
    return now.t == t_end && finite(now.x);
  }

  /// Tolerances with which the size of an error that counts as 1 is no larger than a quarter of the largest number.
  ENSUE_HD ENSUE_INLINE bool has_usual_tolerances() const {
    bool usual = true;
    for (std::size_t i = 0; i < extent_of<State>; ++i)
      usual = usual && steps::measure_.atol()[i] <= largest / 8 && steps::measure_.rtol()[i] <= real(1) / 8;
    return usual;
  }

  /// The Euclidean norm of errors, for who looks in the end whether all was finite.
  struct final_check {
    const error_measure<State>& tolerances;
    real share;  ///< of an error in the mean, or 1
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
