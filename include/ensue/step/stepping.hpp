/// Steps: attempt, judge, accept or shrink. What is rare they leave to who runs them (loop.hpp).
///
/// Written over masks (scalar.hpp): for one trajectory every `any` is a branch, for a pack a blend, and a lane's numbers are
/// those of the run alone, bit for bit. Nothing here is called but inlined, so that all of it can be in registers.
#pragma once

#include <ensue/control/caution.hpp>
#include <ensue/control/first_step.hpp>
#include <ensue/control/fixed_grid.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/options.hpp>
#include <ensue/control/quiet_growth.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/step/motion.hpp>
#include <ensue/model/system.hpp>

#include <cstdint>

namespace ensue {

template <class System, state State, class Method> class stepping {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using base = base_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;
  using stepper = stepper_of<Method, State>;
  using motion = ensue::motion<State, Method>;
  static constexpr int lanes = lanes_of<scalar>;
  static constexpr bool sets_pace = requires { stepper::sets_pace; };  ///< fixed steps are varied by the method itself
  static constexpr bool chooses_steps = requires { stepper::chooses_steps; };  ///< has a law of its own for the next step's length
  static constexpr bool keeps_first_derivative = requires { requires stepper::keeps_first_derivative; };
  /// (Not on a GPU, where every operation of an attempt counts.)
  static constexpr bool may_be_cautious = may_overlook_jumps<stepper> && !on_device;

  System system;
  options<State> settings;

 protected:
  ENSUE_HD ENSUE_INLINE stepping(const System& model, const options<State>& s, std::size_t size, int estimate_order, law_digits digits = law_digits::six,
                                 bool cautious = may_be_cautious)
      : system(model), settings(s), measure_(s.rtol, s.atol, s.norm, size), law_(s.control, estimate_order, digits), quiet_(least_rtol()),
        caution_(cautious && s.control.per == error_per::step ? law_.halving() : infinity<base>), pause_at_(s.max_evaluations) {}

  /// What a step leaves to be done with the motion in its place: all that is rare. Done in the midst of the steps it would take from them the
  /// registers they run in.
  struct unfinished {
    bool something = false, cancelled = false, look = false;
    mask active = mask(false);  ///< lanes that go on afterwards
    mask spent = mask(false), unsound = mask(false), stuck = mask(false);  ///< lanes: no budget, no derivative, no smaller step
    mask defined = mask(true), accepted = mask(false), near = mask(false), last = mask(false);
    real t_new = real(0), step = real(0), error = real(0);

    ENSUE_HD void leave_stuck(const mask& which, const mask& is_defined, const real& to, const real& length, const mask& is_near, const mask& is_last,
                              const real& squared_error) {
      stuck = which, defined = is_defined, near = is_near, last = is_last;
      t_new = to, step = length, error = squared_error;
    }

    /// Leaves it. Returns the lanes that go on without it, none.
    ENSUE_HD ENSUE_INLINE mask to_be_done(const mask& going_on) {
      something = true;
      active = going_on;
      return mask(false);
    }
  };

  /// The direction of the steps, and the first one's size where none is known; then k₁ has to be.
  template <class Measure> ENSUE_HD ENSUE_INLINE void choose_first_step(motion& m, const real& t_end, const mask& active, Measure& measure) {
    if (const mask unknown = active & (m.h == real(0)); any(unknown)) {
      const real proposed = first_step(system, m.t, m.x, m.stepper.whole_derivative(m.x), t_end, m.stepper.order(), measure, m.stepper.scratch(),
                                       m.stepper.scratch_derivative());
      m.statistics.evaluations = m.statistics.evaluations + select(unknown, count(1), count(0));
      m.h = select(unknown, proposed, m.h);
    }
    const real size = within_limits(magnitude(m.h), m.t);
    m.h = select(active | (m.h != real(0)), with_sign(size, t_end - m.t), m.h);  // a lane that has nowhere to go knows none yet
  }

  /// A step's length, no shorter than allowed or than the clock can show, and no longer than allowed.
  ENSUE_HD ENSUE_INLINE real within_limits(const real& size, const real& t) const {
    return minimum(maximum(size, step_floor(t, settings.min_step)), settings.max_step);
  }

  /// Nothing out of the ordinary to ask for at every step: neither compensated sums nor a norm that is not Euclidean nor errors per unit of
  /// time. Where a state lives in registers, such questions cost 15 % of a step, so that its loop exists twice.
  static constexpr bool may_be_plain = extent_of<storage> > 0 && lanes == 1 && requires(stepper& s) { s.compensates(); };
  ENSUE_HD bool is_plain(const motion& m) const {
    return !m.stepper.compensates() && measure_.is_euclidean() && settings.control.per == error_per::step;
  }

  static constexpr bool may_forget = can_forget<stepper> && extent_of<storage> > 0;
  /// One trajectory whose stages do not outlive an attempt can have them in registers. Attempts that are to be looked at for stiffness, or that may fail at the smallest step and
  /// have to say why, are then left to others.
  static constexpr bool may_discard = may_forget && lanes == 1;

  /// One attempt of every active lane. Returns the lanes that still have a way to go.
  template <bool Plain = false, inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE mask attempt(motion& m, const real& t_end, mask active, unfinished& left) {
    if (!ready<keeps_first_derivative ? slope::known : slope::perhaps_known>(m, active, left)) [[unlikely]] return mask(false);

    // The step: h, or what remains, or half of that where a sliver would be left.
    const real remaining = t_end - m.t;
    const mask near = magnitude(remaining) < base(2) * magnitude(m.h);
    mask last(false);
    real step = m.h, t_new = m.t + step;
    if (any(near)) [[unlikely]] {
      last = magnitude(remaining) <= magnitude(m.h);
      step = select(near, base(0.5) * remaining, step);
      t_new = select(last, t_end, m.t + step);
      if constexpr (Inside == inside_of_step::discarded)
        if (at_floor(m, t_new - m.t)) return mask(false);  // left to others, as may_discard says: here and below
    }
    if constexpr (lanes > 1) t_new = select(active, t_new, m.t);
    step = t_new - m.t;  // what the clock will show, so that f's time and the state's are the same

    if constexpr (Inside == inside_of_step::kept) m.last_step = select(active, real(0), m.last_step);  // it is overwritten now
    const mask defined = run<Plain>(m, t_new, step, active, &measure_);
    const real error = error_of_attempt<Plain>(m, step, defined);
    mask accepted = active & (error <= limit_of(m));
    if constexpr (stepper::confirms)
      if (any(accepted)) accepted = m.stepper.confirm(system, t_new, accepted, m.statistics.evaluations);
    if (const mask failed = active & !accepted; any(failed)) [[unlikely]] {
      stay_a_branch();
      if constexpr (Inside == inside_of_step::discarded) {
        if (below_rounding(m.x, measure_)) {
          left.leave_stuck(failed, defined, t_new, step, near, last, error);
          return left.to_be_done(active);
        }
        shrink(m, failed, defined, error, step);
        return !near_floor(m);
      }
      const mask smallest = at_floor(m, step), too_exact = below_rounding(m.x, measure_), stuck = failed & (smallest | too_exact);
      shrink(m, failed & !stuck, defined, error, step);
      if (any(stuck)) [[unlikely]] left.leave_stuck(stuck, defined, t_new, step, near, last, error);
      if constexpr (lanes == 1) return any(stuck) ? left.to_be_done(active) : active;  // nothing was accepted
    }
    if (any(accepted)) [[likely]] {
      stay_a_branch();
      [[maybe_unused]] const mask changed = accept<Plain, Inside>(m, accepted, t_new, step, near, last, error);
      active = active & !(accepted & last);
      if constexpr (Inside == inside_of_step::kept) {
        if (is_time_to_look(m, accepted, left)) [[unlikely]] return left.to_be_done(active);
      } else if constexpr (Inside == inside_of_step::discarded) {
        if (--m.steps_to_look <= 0 || (changed && near_floor(m))) [[unlikely]] return mask(false);
      }
    }
    return lanes > 1 && any(left.stuck) ? left.to_be_done(active) : active;
  }

  /// Counts an accepted step. Whether to look at stiffness after it. (That keeps every stage alive: 10 % of a GPU's speed.)
  ENSUE_HD ENSUE_INLINE bool is_time_to_look([[maybe_unused]] motion& m, [[maybe_unused]] const mask& accepted, [[maybe_unused]] unfinished& left) const {
    if constexpr (stepper::may_estimate && !on_device) {
      if (--m.steps_to_look < 0) [[unlikely]] {
        left.look = true;
        left.accepted = accepted;
        return true;
      }
    }
    return false;
  }

  /// The candidate becomes the state.
  template <bool Plain = false, inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE void install(motion& m, const mask& where, const real& t_new, const real& step) {
    if constexpr (Inside != inside_of_step::kept && requires { m.stepper.template accept_and_forget<!Plain>(where, m.x); })
      m.stepper.template accept_and_forget<!Plain>(where, m.x);
    else if constexpr (Plain) m.stepper.template accept<false>(where, m.x);
    else m.stepper.accept(where, m.x);
    if constexpr (Inside == inside_of_step::kept) m.last_step = select(where, step, m.last_step);
    m.t = select(where, t_new, m.t);
    m.statistics.steps = m.statistics.steps + select(where, count(1), count(0));
  }

  /// Takes an attempt's result, and says how long the next step is to be. Returns where it is another length than before.
  template <bool Plain = false, inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE mask accept(motion& m, const mask& accepted, const real& t_new, const real& step, const mask& near,
                                    const mask& last, const real& error) {
    install<Plain, Inside>(m, accepted, t_new, step);
    if constexpr (chooses_steps) {
      const real factor = m.stepper.factor_after_accept(m.x, error, step, measure_, settings.control);
      propose(m, accepted & !last, step, near, quiet_.limited(factor, error, step));
      return accepted & !last;
    } else {
      const mask change = accepted & !last & !(law_.keeps(error) & !near);
      if (any(change)) [[unlikely]] {
        stay_a_branch();
        propose(m, change, step, near, quiet_.limited(factor_after_accept(m, change, error), error, step));
      }
      law_.remember(m.history, accepted & !near, error);
      return change;
    }
  }

  ENSUE_HD ENSUE_INLINE real factor_after_accept(motion& m, const mask& change, const real& error) const {
    if constexpr (may_be_cautious) {
      const real factor = law_.after_accept(caution_.in_units_of_limit(m.history, error), m.history);
      caution_.after_accept(m.history, change, factor);
      return factor;
    } else return law_.after_accept(error, m.history);
  }

  /// The largest error that is accepted.
  ENSUE_HD ENSUE_INLINE static real limit_of([[maybe_unused]] const motion& m) {
    if constexpr (may_be_cautious) return m.history.limit;
    else if constexpr (requires { m.stepper.limit(); }) return m.stepper.limit();
    else return real(1);
  }

  /// The method's attempt, which counts evaluations, or all that it does. One that iterates is told how errors are measured; in a fixed
  /// step they are not.
  template <bool Plain = false>
  ENSUE_HD ENSUE_INLINE mask run(motion& m, const real& t_new, const real& step, const mask& active,
                                 [[maybe_unused]] error_measure<State>* measure) {
    if constexpr (requires { m.stepper.keep_within(settings.max_evaluations); }) m.stepper.keep_within(settings.max_evaluations);
    if constexpr (Plain) return m.stepper.template attempt<false>(system, m.t, t_new, step, m.x, active, m.statistics.evaluations);
    else if constexpr (requires { stepper::solves_to_tolerance; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics, measure);
    else if constexpr (requires { stepper::solves_linear_systems; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics);
    else return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics.evaluations);
  }

  /// What is held at the tolerance, squared, in units of it; as large as can be where f was not defined.
  template <bool Plain> ENSUE_HD ENSUE_INLINE real error_of_attempt(motion& m, const real& step, const mask& defined) {
    if constexpr (Plain) {
      auto measure = measure_.euclidean();
      return where_defined(m.stepper.squared_error(m.x, step, measure), defined);
    } else {
      const real error = m.stepper.squared_error(m.x, step, measure_);
      return where_defined(settings.control.per == error_per::unit_step ? error / (step * step) : error, defined);
    }
  }
  ENSUE_HD ENSUE_INLINE static real where_defined(const real& error, const mask& defined) { return select(defined, error, real(largest<real>)); }

  /// How a span is divided into fixed steps.
  ENSUE_HD ENSUE_INLINE division divided() const {
    if (settings.divide != division::automatic) return settings.divide;
    return stepper::divides_evenly ? division::even : division::shorten_last;
  }

  /// The step of a fixed grid after those that were taken. (Who has its inside forgotten begins without a k₁.)
  template <inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE mask fixed_step(motion& m, const real& t_end, const fixed_grid<real>& grid, std::int64_t& taken, const mask& active,
                                        unfinished& left) {
    constexpr bool begins_anew = Inside != inside_of_step::kept && !keeps_first_derivative;
    if (!ready<begins_anew ? slope::unknown : slope::perhaps_known>(m, active, left)) [[unlikely]] return mask(false);
    const std::int64_t i = ++taken;
    const mask last = mask(count(i) == grid.count);
    const real t_new = select(last, t_end, grid.time(i));
    return take<Inside>(m, t_new, select(last, grid.last, grid.step), active, last, left);
  }

  /// A step about as long as `size`, as the method paces it.
  ENSUE_HD ENSUE_INLINE mask paced_step(motion& m, const real& t_end, const real& size, const mask& active, unfinished& left) {
    if (!ready(m, active, left)) [[unlikely]] return mask(false);
    const real remaining = t_end - m.t, step = m.stepper.pace(with_sign(size, remaining));
    const mask last = magnitude(remaining) <= magnitude(step);
    const real t_new = select(last, t_end, m.t + step);
    const mask going = take(m, t_new, t_new - m.t, active, last, left);
    m.stepper.keep_pace(active & !left.unsound & !last, step);
    return going;
  }

  /// A step of the active lanes, accepted where it is sound. Returns those that go on.
  template <inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE mask take(motion& m, const real& t_new, const real& step, const mask& active, const mask& last, unfinished& left) {
    if constexpr (Inside == inside_of_step::kept) m.last_step = select(active, real(0), m.last_step);  // it is overwritten now
    const mask defined = run(m, t_new, step, active, nullptr);
    mask sound = active & defined & m.stepper.candidate_is_finite();
    if constexpr (stepper::confirms)
      if (any(sound)) sound = m.stepper.confirm(system, t_new, sound, m.statistics.evaluations);
    if (any(sound)) [[likely]] {
      stay_a_branch();
      install<false, Inside>(m, sound, t_new, t_new - m.t);
    }
    const mask unsound = active & !sound;
    if (!any(unsound)) [[likely]] return active & !last;
    left.unsound = unsound, left.defined = defined;
    left.step = step;
    return left.to_be_done(active & !last);
  }

  /// The next step after one of this length, of `factor` times it.
  ENSUE_HD ENSUE_INLINE void propose(motion& m, const mask& change, const real& step, const mask& cut_short,
                                     const real& factor) const {
    real size = magnitude(step) * factor;
    // A step cut short by the end of the span says nothing against the longer one proposed before it.
    size = select(cut_short, maximum(size, magnitude(m.h)), size);
    m.h = select(change, with_sign(within_limits(size, m.t), step), m.h);
  }

  /// Where no step may be smaller than the one that failed.
  ENSUE_HD ENSUE_INLINE mask at_floor(const motion& m, const real& step) const {
    return minimum(magnitude(m.h), magnitude(step)) <= step_floor(m.t, settings.min_step);
  }

  /// Whether a step of the length proposed may be at its floor before the next look at stiffness. Until then the clock moves the floor by a thousandth at most; its rounding
  /// takes an eighth of it from a step.
  ENSUE_HD ENSUE_INLINE mask near_floor(const motion& m) const { return magnitude(m.h) <= base(1.25) * step_floor(m.t, settings.min_step); }

  /// A smaller step for lanes that failed.
  ENSUE_HD ENSUE_INLINE void shrink(motion& m, const mask& failed, const mask& defined, const real& error, const real& step) const {
    if constexpr (may_be_cautious) caution_.after_reject(m.history, failed & defined, error);
    note_rejected(m, failed);
    real factor;
    if constexpr (chooses_steps) factor = m.stepper.factor_after_reject(error, defined, settings.control);
    else if constexpr (may_be_cautious) factor = unless_undefined(law_.after_reject(caution_.in_units_of_limit(m.history, error)), defined);
    else factor = unless_undefined(law_.after_reject(error), defined);
    const real size = maximum(magnitude(step) * factor, step_floor(m.t, settings.min_step));
    m.h = select(failed, with_sign(size, step), m.h);
  }
  /// Where f was not defined, a step's error says nothing.
  ENSUE_HD ENSUE_INLINE static real unless_undefined(const real& factor, const mask& defined) { return select(defined, factor, real(base(0.25))); }
  ENSUE_HD ENSUE_INLINE void note_rejected(motion& m, const mask& which) const {
    m.statistics.rejected = m.statistics.rejected + select(which, count(1), count(0));
    m.history.just_rejected = m.history.just_rejected | which;
  }

  /// What is known of k₁ before an attempt. (Where compilers see it, RK4's step is a tenth shorter.)
  enum class slope : unsigned char { unknown, perhaps_known, known };

  /// Whether the error chooses the steps.
  ENSUE_HD bool is_adaptive() const {
    if constexpr (stepper::may_estimate) return !any(settings.step > real(0));
    else return false;
  }

  /// Can every active lane pay for another attempt, and does it know its k₁? Where not, what to do about it is left.
  template <slope K1 = slope::perhaps_known> ENSUE_HD ENSUE_INLINE bool ready(motion& m, const mask& active, unfinished& left) {
#if defined(__CUDA_ARCH__)
    const count most(settings.max_evaluations - evaluations_of_attempt(m.stepper));
#else
    const count most = pause_at_ - count(evaluations_of_attempt(m.stepper));
#endif
    count spent_before = m.statistics.evaluations;
    if constexpr (K1 == slope::unknown) spent_before = spent_before + count(1);
    if constexpr (K1 == slope::perhaps_known) spent_before = spent_before + select(m.stepper.stale(), count(1), count(0));
    const mask spent = active & mask(spent_before > most);
    if (any(spent)) [[unlikely]] {
      left.spent = spent;
      left.to_be_done(active);
      return false;
    }
#if !defined(__CUDA_ARCH__)
    if (settings.cancel && settings.cancel->load(std::memory_order_relaxed)) [[unlikely]] {
      left.cancelled = true;
      left.to_be_done(active);
      return false;
    }
#endif
    if constexpr (K1 == slope::unknown) return find_derivative<false>(m, active, active, left);
    else return K1 == slope::known || know_derivative(m, active, left);
  }

  /// k₁ of the active lanes, where it is not known; where it has no value, that is left.
  ENSUE_HD ENSUE_INLINE bool know_derivative(motion& m, const mask& active, unfinished& left) {
    const mask stale = active & m.stepper.stale();
    return !any(stale) || find_derivative(m, stale, active, left);
  }
  template <bool KeepsInside = true> ENSUE_HD ENSUE_INLINE bool find_derivative(motion& m, const mask& stale, const mask& active, unfinished& left) {
    mask defined(false);
    if constexpr (KeepsInside) defined = m.stepper.derivative(system, m.t, m.x);
    else defined = m.stepper.derivative_anew(system, m.t, m.x);
    m.statistics.evaluations = m.statistics.evaluations + select(stale, count(1), count(0));
    const mask unsound = stale & !(defined & finite(m.stepper.first_derivative()));
    if (!any(unsound)) [[likely]] return true;
    m.stepper.forget(unsound);
    m.last_step = select(unsound, real(0), m.last_step);
    left.unsound = unsound, left.defined = defined;
    left.to_be_done(active);
    return false;
  }

  /// What an attempt costs at most. (An iteration to a tolerance ends sooner than one to the last digit.)
  ENSUE_HD ENSUE_INLINE std::int64_t evaluations_of_attempt(const stepper& method) const {
    if constexpr (requires { method.evaluations_of_fixed_step(); })
      if (any(settings.step > real(0))) return method.evaluations_of_fixed_step();
    return method.evaluations_of_attempt();
  }

  ENSUE_HD real least_rtol() const {
    real least(largest<real>);
    for (std::size_t i = 0; i < measure_.rtol().size(); ++i) least = minimum(measure_.rtol()[i], least);
    return least;
  }

  error_measure<State> measure_;
  step_size_law<real, digits_of_law<stepper>> law_;
  quiet_growth<real> quiet_;
  caution<real> caution_;
  count pause_at_;  ///< so many evaluations are spent at most before the budget and the progress are looked at (progress.hpp)
};

}  // namespace ensue
