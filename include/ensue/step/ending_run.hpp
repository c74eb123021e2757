/// A run that can end: where it is, and how to say why it goes no further. Nothing here is on the way of a step that succeeds.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/step/motion.hpp>
#include <ensue/step/stepping.hpp>
#include <ensue/model/unwritten.hpp>

#include <utility>

namespace ensue {

/// (It derives from the steps and is no second base beside them: of two bases, nvcc 13.0 lays out the second without regard to its alignment.)
template <class System, state State, class Method> class ending_run : public stepping<System, State, Method> {
  using steps = stepping<System, State, Method>;

 public:
  using steps::lanes;
  using typename steps::base, typename steps::mask, typename steps::motion, typename steps::real;

  motion now;
  report reports[lanes] = {};

  /// Ends the run for a reason that is not the loop's.
  ENSUE_HD void end_with(outcome how, int event) {
    for (int l = 0; l < lanes; ++l) {
      reports[l].how = how;
      reports[l].event = event;
    }
    stamp();
  }

 protected:
  using steps::measure_;

  ENSUE_HD ending_run(const System& model, const options<State>& s, motion&& start)
      : steps(model, s, static_cast<std::size_t>(start.x.size()), start.stepper.estimate_order(), digits_told(start.stepper), overlooks_jumps(start.stepper)), now(std::move(start)) {}

  /// Looks whether the steps are at the limit of stability. Returns the number of steps until the next look.
  ENSUE_COLD ENSUE_HD int look_for_stiffness(const mask& accepted) {
    real squared_ratio = now.stepper.squared_stiffness_ratio(now.x, measure_);
    if constexpr (requires { now.stepper.squared_motion_ratio(now.x, now.last_step, measure_); }) {
      const real of_motion = now.stepper.squared_motion_ratio(now.x, now.last_step, measure_);
      squared_ratio = select(4 * of_motion > squared_ratio, real(0), squared_ratio);
    }
    const double limit = now.stepper.real_stability();
    bool suspicious = false;
    for (int l = 0; l < lanes; ++l) {
      const double squared = static_cast<double>(lane(squared_ratio, l));
      if (!lane(accepted, l) || reports[l].stiff() || !(squared >= 0)) continue;
      const double ratio = static_cast<double>(power(static_cast<base>(squared), base(0.5)));
      stiff_score_[l] = maximum(0., stiff_score_[l] + minimum(ratio / limit, 1.5) - unsuspicious);
      suspicious = suspicious || stiff_score_[l] > 0;
      if (stiff_score_[l] < score_to_decide) continue;
      reports[l].stiff_ratio = ratio;
      reports[l].stiff_since = static_cast<double>(lane(now.t, l));
      reports[l].stable_ratio = limit;
    }
    quiet_looks_ = suspicious ? 0 : quiet_looks_ + 1;
    if (suspicious) return steps_between_close_looks;
    return quiet_looks_ < quiet_looks_to_trust ? motion::steps_to_first_look : steps_between_rare_looks;
  }

  /// Ends the lanes of `which`, each with a reason of its own. Returns the active ones without them.
  template <class Reason> ENSUE_HD mask end_each(const mask& active, const mask& which, const real& step, Reason reason) {
    for (int l = 0; l < lanes; ++l)
      if (lane(which, l)) {
        report& r = reports[l];
        r.step = static_cast<double>(lane(step, l));
        r.adaptive = steps::is_adaptive() && now.stepper.has_estimate();
        r.shortest = lane(steps::settings.min_step <= step_floor(now.t, real(0)), l);
        r.component = report::nowhere;
        r.unwritten = false;
        reason(r, l);
        if (r.component != report::nowhere)
          r.value = static_cast<double>(detail::element_in_lane(now.x, static_cast<std::size_t>(r.component), l));
      }
    return active & !which;
  }

  ENSUE_COLD ENSUE_HD mask end(const mask& active, const mask& which, outcome how, const real& step = real(0)) {
    return end_each(active, which, step, [&](report& r, int l) {
      r.how = how;
      if (how == outcome::state_not_finite) r.component = first_not_finite(now.x, l);
      if (how == outcome::step_too_small) r.component = fastest(now.x, now.stepper.whole_derivative(now.x), measure_, l);
    });
  }

  /// What the method itself says of a failed attempt; `finished` where it says nothing.
  ENSUE_HD outcome own_reason([[maybe_unused]] int which) const {
    if constexpr (requires { now.stepper.failure(); }) return now.stepper.failure();
    else if constexpr (requires { now.stepper.unsolved(which); })
      return now.stepper.unsolved(which) ? outcome::equations_not_solved : outcome::finished;
    else return outcome::finished;
  }

  /// Where f was not defined, or it or the state was not finite, or a step's equations were not solved.
  ENSUE_COLD ENSUE_HD mask end_unsound(const mask& active, const mask& which, const mask& defined, const real& step) {
    return end_each(active, which, step, [&](report& r, int l) {
      r.component = now.stepper.bad_component(l);
      if (const outcome own = own_reason(l); own != outcome::finished) r.how = own;
      else if (!lane(defined, l)) r.how = outcome::derivative_failed;
      else if (r.component == report::nowhere || has_overflowed(now.x, l)) r.how = outcome::state_not_finite;
      else r.how = outcome::derivative_not_finite;
      if (r.how == outcome::derivative_failed) r.component = report::nowhere;  // f says nothing of components
      else if (r.component == report::nowhere) r.component = first_not_finite(now.stepper.candidate(), l);
      if constexpr (!on_device)
        if (r.how == outcome::derivative_not_finite) name_unwritten(r, now.stepper.first_derivative(), l);
    });
  }

  /// Whether it is because f has not written an element of its first derivative, and which.
  template <class Derivative> ENSUE_COLD ENSUE_HD static void name_unwritten(report& r, const Derivative& first, int which) {
    const std::int64_t found = first_unwritten(first, which);
    r.unwritten = found != report::nowhere;
    if (r.unwritten) r.component += found - first_not_finite(first, which);  // they may be the last elements of a state
  }

  /// Where t + h is t: no step that is allowed moves the clock. (Such steps are empty, and it is soon enough to look at the start and every so
  /// many of them.)
  ENSUE_HD ENSUE_INLINE mask stands_still() const { return now.t + now.h == now.t; }
  ENSUE_COLD ENSUE_HD mask end_standing_still(const mask& active) {
    return end_each(active, active & stands_still(), now.h, [](report& r, int) { r.how = outcome::step_too_small; });
  }

  /// Where the tolerance asks for more digits than the numbers have.
  ENSUE_COLD ENSUE_HD mask end_below_rounding(const mask& active, const mask& among) {
    mask which(false);
    for (int l = 0; l < lanes; ++l)
      set_lane(which, l, lane(among, l) && first_below_rounding(now.x, measure_, l) != report::nowhere);
    return end_each(active, which, now.h, [&](report& r, int l) {
      r.how = outcome::tolerance_too_small;
      r.component = first_below_rounding(now.x, measure_, l);
    });
  }

  /// The time at which the run ended.
  ENSUE_HD void stamp() {
    for (int l = 0; l < lanes; ++l) reports[l].t = static_cast<double>(lane(now.t, l));
  }

 private:
  /// Every so many accepted steps a look at whether stability limits them, rare ones where it never did, closer ones once it seems so. A look adds to a score
  /// how far h·|λ| was, as a fraction of the method's limit, above a value that nonstiff runs stay below; the score decides.
  /// A problem that is stiff from its start is noticed after 200 to 400 steps.
  static constexpr int steps_between_close_looks = 16, steps_between_rare_looks = 400, quiet_looks_to_trust = 10;
  static constexpr double unsuspicious = 0.6;
  static constexpr double score_to_decide = 3;

  double stiff_score_[lanes] = {};
  int quiet_looks_ = 0;  ///< in a row
};

}  // namespace ensue
