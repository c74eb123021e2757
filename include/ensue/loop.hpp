/// The loop: attempt, judge, accept or shrink, until the time asked for or a reason to end.
///
/// Written over masks (scalar.hpp): for one trajectory every `any` is a branch, for a pack a blend, and a lane's numbers are
/// those of the run alone, bit for bit.
#pragma once

#include <ensue/control/first_step.hpp>
#include <ensue/control/fixed_grid.hpp>
#include <ensue/control/options.hpp>
#include <ensue/ending_run.hpp>
#include <ensue/implicit/consistent_start.hpp>
#include <ensue/system.hpp>

#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace ensue {

template <class System, state State, class Method> class stepping_loop : public ending_run<State, Method> {
  using endings = ending_run<State, Method>;

 public:
  using endings::now, endings::reports;
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using base = base_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;
  using stepper = stepper_of<Method, State>;
  using in_registers = borrowed_motion<State, Method>;
  using resting_lanes = ensue::resting_lanes<State, Method>;
  static constexpr int lanes = lanes_of<scalar>;
  static constexpr bool sets_pace = requires { stepper::sets_pace; };  ///< fixed steps are varied by the method itself
  static constexpr bool chooses_steps = requires { stepper::chooses_steps; };  ///< has a law of its own for the next step's length
  static constexpr bool may_have_mass = has_mass_matrix<System, State> && takes_mass_matrix<stepper>;  ///< M x' = f

  ENSUE_HD stepping_loop(const System& model, const State& start, const real& from, const Method& method,
                         const options<State>& s)
      : endings({start, from, s.first_step, stepper(method, start)},
                {s.rtol, s.atol, s.norm, static_cast<std::size_t>(start.size())}),
        system(model),
        settings(s),
        law_(s.control, now.stepper.estimate_order()),
        slope_(storage_if_needed(start)) {
    if constexpr (requires { now.stepper.compensate(now.x); })
      if (s.compensated) now.stepper.compensate(now.x);
    if constexpr (requires { now.stepper.fit(system); }) now.stepper.fit(system);
  }

  /// To t_end with steps that the error chooses.
  ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_adaptive(const real& t_end) {
    mask active = known_first_step(t_end, begin(t_end, way::adaptive));
    {
      in_registers moving(now);
      resting_lanes rest(moving.m, resting_, active);
      while (any(active)) active = rest.keep(active, attempt(moving.m, t_end, active));
    }
    stamp();
  }

  /// To each of the times in turn, with steps that the error chooses: arrive(t, x) is called there, from inside the loop, so that
  /// what is in registers stays there. One trajectory.
  template <class Times, class Arrive> ENSUE_SINGLE_TRAJECTORY void advance_through(const Times& times, Arrive& arrive) {
    static_assert(lanes == 1);
    auto next = std::begin(times);
    const auto end = std::end(times);
    bool active = true;
    for (; next != end && active && *next == now.t; ++next) arrive(now.t, as_argument(std::as_const(now.x)));
    if (next == end) return;
    real target = *next;
    active = known_first_step(target, begin(target, way::adaptive));
    {
      in_registers moving(now);
      while (active) {
        active = attempt(moving.m, target, active);
        if (active || moving.m.t != target) continue;
        const storage there = moving.m.x;  // a copy, because who looks at the original keeps it out of registers
        while (next != end && *next == target) {
          arrive(target, as_argument(there));
          ++next;
        }
        if (next == end) break;
        target = *next;
        active = target - target == real(0);
        moving.m.h = with_sign(moving.m.h, target - moving.m.t);
      }
    }
    if (!(target - target == real(0))) begin(target, way::adaptive);  // says what is wrong with it
    stamp();
  }

  /// Another run, from the time and state that `now` was given.
  ENSUE_HD void start_anew() {
    now.h = settings.first_step;
    now.statistics.steps = now.statistics.rejected = now.statistics.evaluations = count(0);
    restart();
  }

  /// k₁ and a first step towards t_end. Returns the lanes that have a way to go; the reports of the others say why not.
  ENSUE_HD mask prepare(const real& t_end) {
    const mask active = known_first_step(t_end, begin(t_end, way::adaptive));
    return any(active) ? known_derivative(now, affordable(now, active)) : active;
  }

  /// Lanes that end go on with other trajectories. `replace(ended, left)` sees what has become of the old ones (ended_lanes) and returns where
  /// there are new ones (`where`), their start (a motion before its first step) and their ends (`t_end`). It is called first with nothing ended.
  /// Returns the number of attempts.
  template <class Replace> ENSUE_MANY_TRAJECTORIES std::int64_t advance_replacing(Replace&& replace) {
    in_registers moving(now);
    moving.m.steps_to_look = std::numeric_limits<int>::max();  // at stiffness, which would make a lane's ending depend on the others
    real t_end(0);
    mask active(false);
    const auto begin_others = [&](const mask& ended) ENSUE_INLINE_LAMBDA {
      const auto& spent = moving.m.statistics;  // a copy goes out, as in at_home
      const ended_lanes<State> left{moving.m.x, moving.m.t, spent.steps, spent.rejected, spent.evaluations};
      const auto& next = replace(ended, left);
      moving.m.take_start(next.where, next.start);
      t_end = select(next.where, next.t_end, t_end);
      active = active | next.where;
    };
    begin_others(mask(false));
    std::int64_t attempts = 0;
    for (; any(active); ++attempts) {
      const mask before = active;
      active = attempt(moving.m, t_end, before);
      const mask ended = before & !active;
      if (any(ended)) {
        stay_a_branch();
        begin_others(ended);
      }
    }
    return attempts;
  }

  /// One accepted step towards t_end.
  ENSUE_HD void step_adaptive(const real& t_end) {
    const count before = now.statistics.steps;
    mask active = known_first_step(t_end, begin(t_end, way::adaptive_step));
    {
      in_registers moving(now);
      resting_lanes rest(moving.m, resting_, active);
      while (any(active))
        active = rest.keep(active, attempt(moving.m, t_end, active) & mask(moving.m.statistics.steps == before));
    }
    stamp();
  }

  /// To t_end with steps of length `size` (> 0).
  ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_fixed(const real& t_end, const real& size) {
    mask active = begin(t_end, way::fixed);
    if (any(active)) {
      const fixed_grid<real> grid(now.t, t_end, size, divided());
      in_registers moving(now);
      resting_lanes rest(moving.m, resting_, active);
      for (std::int64_t i = 1; any(active); ++i) {
        if constexpr (sets_pace) active = rest.keep(active, paced_step(moving.m, t_end, size, active));
        else active = rest.keep(active, fixed_step(moving.m, t_end, grid, i, active));
      }
    }
    stamp();
  }

  /// One of the steps that `advance_fixed` would take.
  ENSUE_HD void step_fixed(const real& t_end, const real& size) {
    mask active = begin(t_end, sets_pace ? way::adaptive_step : way::fixed);
    if (any(active)) {
      if (!sets_pace && (!walking_ || !all((t_end == walk_end_) & (now.t == walk_.time(walked_))))) {
        walk_ = fixed_grid<real>(now.t, t_end, size, divided());
        walk_end_ = t_end;
        walked_ = 0;
        walking_ = true;
      }
      in_registers moving(now);
      resting_lanes rest(moving.m, resting_, active);
      if constexpr (sets_pace) rest.keep(active, paced_step(moving.m, t_end, size, active));
      else rest.keep(active, fixed_step(moving.m, t_end, walk_, ++walked_, active));
    }
    stamp();
  }

  /// The state was changed from outside.
  ENSUE_HD void restart() {
    walking_ = false;
    now.stepper.restart();
    now.history = {};
    now.last_step = real(0);
    if constexpr (requires { stepper::starts_anew; }) now.h = settings.first_step;  // its steps were those of a history that is gone
    checked_ = settled_ = false;
  }

  /// Ends every lane before it starts.
  ENSUE_HD void refuse(input_fault fault) {
    for (int l = 0; l < lanes; ++l) reports[l].fault = fault;
    end(mask(true), mask(true), outcome::bad_input);
    stamp();
  }

  /// f at the present time and state, computed where it is not known.
  ENSUE_HD const storage& derivative() {
    known_derivative(now, mask(true));
    return now.stepper.whole_derivative(now.x);
  }

  /// The last accepted step as a curve, which ends with f at its end.
  ENSUE_HD void make_dense(typename stepper::dense_memory& dense) {
    derivative();
    now.stepper.make_dense(system, now.t - now.last_step, now.t, now.last_step, now.x, dense, now.statistics.evaluations);
  }

  System system;
  options<State> settings;

 private:
  using endings::end, endings::end_below_rounding, endings::end_standing_still, endings::end_unsound, endings::look_for_stiffness;
  using endings::measure_, endings::stamp;

  /// Runs something rare with the motion in its place. It gets copies: a variable whose address it took could not stay in a
  /// register on the way where nothing rare happens.
  template <class Rare> ENSUE_HD ENSUE_INLINE auto at_home(motion<State, Method>& m, Rare rare) {
    if constexpr (extent_of<storage> > 0) now = m;
    return rare();
  }

  ENSUE_HD division divided() const {
    if (settings.divide != division::automatic) return settings.divide;
    return stepper::divides_evenly ? division::even : division::shorten_last;
  }

  enum class way : unsigned char { fixed, adaptive, adaptive_step };  ///< a single step's t_end may be infinite

  /// Lanes that have a way to go, with sound input.
  ENSUE_HD mask begin(const real& t_end, way how) {
    for (int l = 0; l < lanes; ++l) reports[l].how = outcome::finished;
    mask active = now.t != t_end;
    if (!checked_ || !all(t_end - t_end == real(0))) {
      const input_fault fault = find_fault(settings, now.x, now.t, t_end, how == way::adaptive_step);
      for (int l = 0; l < lanes; ++l) reports[l].fault = fault;
      if (fault != input_fault::none) return end(mask(true), mask(true), outcome::bad_input);
      if (const mask unsound = active & !finite(now.x); any(unsound)) active = end(active, unsound, outcome::state_not_finite);
      if (how != way::fixed && any(active & below_rounding(now.x, measure_))) active = end_below_rounding(active, active);
      checked_ = true;
    }
    if constexpr (may_have_mass) active = settle_start(t_end, active);
    return active;
  }

  /// A model with algebraic equations has to begin with a state that solves them, and its x' is not f.
  ENSUE_HD mask settle_start(const real& t_end, const mask& active) {
    if (settled_ || !active || !now.stepper.linear().has_mass()) return active;
    consistent_start<State> start(now.stepper.linear(), slope_, now.stepper.scratch(), now.stepper.scratch_derivative());
    const real nearby = with_sign(base(1e-3) * minimum(magnitude(t_end - now.t), real(1)), t_end - now.t);
    const outcome how = start.settle(system, now.t, nearby, now.x, settings.find_consistent_start, measure_, now.statistics,
                                     settings.max_evaluations);
    if (how != outcome::finished)
      return this->end_each(active, active, real(0), [&](report& r, int) {
        r.how = how;
        r.component = start.component();
        r.residual = start.residual();
      });
    if (now.h == real(0)) now.h = first_step_along(now.t, now.x, slope_, t_end, now.stepper.order(), measure_);
    if constexpr (requires { now.stepper.begin_with(slope_); }) now.stepper.begin_with(slope_);
    settled_ = true;
    return active;
  }

  /// The direction of the steps, and the first one's size where none is known.
  ENSUE_HD mask known_first_step(const real& t_end, mask active) {
    if (any(active & (now.h == real(0)))) {
      active = known_derivative(now, affordable(now, active));
      if (!any(active)) return active;
      const real proposed = first_step(system, now.t, now.x, now.stepper.whole_derivative(now.x), t_end, now.stepper.order(),
                                       measure_, now.stepper.scratch(), now.stepper.scratch_derivative());
      const mask unknown = active & (now.h == real(0));
      now.statistics.evaluations = now.statistics.evaluations + select(unknown, count(1), count(0));
      now.h = select(unknown, proposed, now.h);
    }
    const real size = within_limits(magnitude(now.h), now.t);
    now.h = select(now.h == real(0), now.h, with_sign(size, t_end - now.t));  // a lane that has nowhere to go knows none yet
    return active;
  }

  /// A step's length, no shorter than allowed or than the clock can show, and no longer than allowed.
  ENSUE_HD ENSUE_INLINE real within_limits(const real& size, const real& t) const {
    return minimum(maximum(size, step_floor(t, settings.min_step)), settings.max_step);
  }

  /// One attempt of every active lane. Returns the lanes that still have a way to go.
  ENSUE_HD ENSUE_INLINE mask attempt(motion<State, Method>& m, const real& t_end, mask active) {
    active = known_derivative(m, affordable(m, active));
    if (!any(active)) [[unlikely]] return active;

    // The step: h, or what remains, or half of that where a sliver would be left.
    const real remaining = t_end - m.t;
    const mask near = magnitude(remaining) < base(2) * magnitude(m.h);
    mask last(false);
    real step = m.h, t_new = m.t + step;
    if (any(near)) [[unlikely]] {
      last = magnitude(remaining) <= magnitude(m.h);
      step = select(near, base(0.5) * remaining, step);
      t_new = select(last, t_end, m.t + step);
    }
    if constexpr (lanes > 1) t_new = select(active, t_new, m.t);
    step = t_new - m.t;  // what the clock will show, so that f's time and the state's are the same

    const mask defined = run(m, t_new, step, active, &measure_);
    real error = m.stepper.squared_error(m.x, step, measure_);
    if (settings.control.per == error_per::unit_step) error = error / (step * step);
    mask accepted = active & defined & (error <= real(1));
    if constexpr (stepper::confirms)
      if (any(accepted)) accepted = m.stepper.confirm(system, t_new, accepted, m.statistics.evaluations);
    if (any(active & !accepted)) [[unlikely]] {
      stay_a_branch();
      auto settled = shrink(m, active, active & !accepted, defined, error, step, last);
      if constexpr (stepper::confirms) settled = confirmed(m, settled, t_new, step);
      active = settled.active;
      accepted = accepted | settled.forced;
    }
    if (any(accepted)) [[likely]] {
      stay_a_branch();
      m.stepper.accept(accepted, m.x);
      m.t = select(accepted, t_new, m.t);
      m.last_step = select(accepted, step, m.last_step);
      m.statistics.steps = m.statistics.steps + select(accepted, count(1), count(0));
      if constexpr (chooses_steps) {
        propose(m, accepted & !last, step, near, m.stepper.factor_after_accept(m.x, error, step, measure_, settings.control));
      } else {
        const mask change = accepted & !last & !(law_.keeps(error) & !near);
        if (any(change)) [[unlikely]] {
          stay_a_branch();
          propose(m, change, step, near, law_.after_accept(error, m.history));
        }
        law_.remember(m.history, accepted & !near, error);
      }
      active = active & !(accepted & last);
      if constexpr (stepper::may_estimate) {
        if (--m.steps_to_look < 0) [[unlikely]] {
          m.steps_to_look = at_home(m, [=, this] { return look_for_stiffness(accepted); });
          active = at_home(m, [=, this] { return end_standing_still(active); });
        }
      }
    }
    return active;
  }

  /// The method's attempt, which counts evaluations, or all that it does. One that iterates is told how errors are measured; in a fixed
  /// step they are not.
  ENSUE_HD ENSUE_INLINE mask run(motion<State, Method>& m, const real& t_new, const real& step, const mask& active,
                                 [[maybe_unused]] error_measure<State>* measure) {
    if constexpr (requires { stepper::solves_to_tolerance; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics, measure);
    else if constexpr (requires { stepper::solves_linear_systems; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics);
    else return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics.evaluations);
  }

  /// Step i of a fixed grid.
  ENSUE_HD ENSUE_INLINE mask fixed_step(motion<State, Method>& m, const real& t_end, const fixed_grid<real>& grid,
                                        std::int64_t i, mask active) {
    active = known_derivative(m, affordable(m, active));
    if (!any(active)) [[unlikely]] return active;
    const mask last = mask(count(i) == grid.count);
    const real t_new = select(last, t_end, grid.time(i));
    return take(m, t_new, select(last, grid.last, grid.step), active) & !last;
  }

  /// A step about as long as `size`, as the method paces it.
  ENSUE_HD ENSUE_INLINE mask paced_step(motion<State, Method>& m, const real& t_end, const real& size, mask active) {
    active = known_derivative(m, affordable(m, active));
    if (!any(active)) [[unlikely]] return active;
    const real remaining = t_end - m.t, step = m.stepper.pace(with_sign(size, remaining));
    const mask last = magnitude(remaining) <= magnitude(step);
    const real t_new = select(last, t_end, m.t + step);
    active = take(m, t_new, t_new - m.t, active);
    m.stepper.keep_pace(active & !last, step);
    return active & !last;
  }

  /// A step of the active lanes, accepted if it is sound. Returns them without those that it ended.
  ENSUE_HD ENSUE_INLINE mask take(motion<State, Method>& m, const real& t_new, const real& step, mask active) {
    const mask defined = run(m, t_new, step, active, nullptr);
    mask sound = defined & m.stepper.candidate_is_finite();
    if constexpr (stepper::confirms) sound = m.stepper.confirm(system, t_new, active & sound, m.statistics.evaluations);
    const mask unsound = active & !sound;
    if (any(unsound)) [[unlikely]] {
      active = at_home(m, [=, this] { return end_unsound(active, unsound, defined, step); });
      m.last_step = select(unsound, real(0), m.last_step);
    }
    m.stepper.accept(active, m.x);
    m.last_step = select(active, t_new - m.t, m.last_step);
    m.t = select(active, t_new, m.t);
    m.statistics.steps = m.statistics.steps + select(active, count(1), count(0));
    return active;
  }

  /// The next step after an accepted one, of `factor` times its length.
  ENSUE_HD ENSUE_INLINE void propose(motion<State, Method>& m, const mask& change, const real& step, const mask& cut_short,
                                     const real& factor) const {
    real size = magnitude(step) * factor;
    // A step cut short by the end of the span says nothing against the longer one proposed before it.
    size = select(cut_short, maximum(size, magnitude(m.h)), size);
    m.h = select(change, with_sign(within_limits(size, m.t), step), m.h);
  }

  /// What became of failed attempts: lanes still going, and those whose step is taken although it is too wrong.
  struct settled {
    mask active, forced;
  };

  /// A smaller step for the lanes that failed, or an end where none may be smaller.
  ENSUE_HD ENSUE_INLINE settled shrink(motion<State, Method>& m, const mask& active, const mask& failed, const mask& defined,
                                       const real& error, const real& step, const mask& last) {
    const real floor = step_floor(m.t, settings.min_step);
    const mask at_floor = failed & (minimum(magnitude(m.h), magnitude(step)) <= floor);
    settled result{active, mask(false)};
    if (any(failed & below_rounding(m.x, measure_))) [[unlikely]]
      result.active = at_home(m, [=, this] { return end_below_rounding(active, failed); });
    if (any(result.active & at_floor)) [[unlikely]]
      result = at_home(m, [=, this] { return settle_at_floor(result.active, result.active & at_floor, defined, step, last); });
    const mask again = result.active & failed & !result.forced;
    m.statistics.rejected = m.statistics.rejected + select(again, count(1), count(0));
    real factor;
    if constexpr (chooses_steps) factor = m.stepper.factor_after_reject(error, defined, settings.control);
    else factor = select(defined, law_.after_reject(error), real(base(0.25)));
    m.h = select(again, with_sign(maximum(magnitude(step) * factor, floor), step), m.h);
    m.history.just_rejected = m.history.just_rejected | again;
    m.last_step = select(failed, real(0), m.last_step);  // what it left behind is overwritten
    return result;
  }

  /// A step taken although it is too wrong needs the method's last word like any other.
  ENSUE_HD settled confirmed(motion<State, Method>& m, settled given, const real& t_new, const real& step) {
    if (!any(given.forced)) return given;
    const mask sound = m.stepper.confirm(system, t_new, given.forced, m.statistics.evaluations);
    const mask lost = given.forced & !sound;
    if (any(lost)) given.active = at_home(m, [=, this] { return end_unsound(given.active, lost, mask(true), step); });
    given.forced = sound;
    return given;
  }

  /// k₁ of the active lanes, where it is not known. Ends those where f has no value.
  ENSUE_HD ENSUE_INLINE mask known_derivative(motion<State, Method>& m, const mask& active) {
    const mask stale = active & m.stepper.stale();
    if (!any(stale)) return active;
    const mask defined = m.stepper.derivative(system, m.t, m.x);
    m.statistics.evaluations = m.statistics.evaluations + select(stale, count(1), count(0));
    const mask unsound = stale & !(defined & finite(m.stepper.first_derivative()));
    if (any(unsound)) [[unlikely]] {
      m.stepper.forget(unsound);
      m.last_step = select(unsound, real(0), m.last_step);
      return at_home(m, [=, this] { return end_unsound(active, unsound, defined, real(0)); });
    }
    return active;
  }

  /// What an attempt costs at most. (An iteration to a tolerance ends sooner than one to the last digit.)
  ENSUE_HD ENSUE_INLINE std::int64_t evaluations_of_attempt(const stepper& method) const {
    if constexpr (requires { method.evaluations_of_fixed_step(); })
      if (any(settings.step > real(0))) return method.evaluations_of_fixed_step();
    return method.evaluations_of_attempt();
  }

  /// Ends the lanes that cannot pay for another attempt, or all of them if the caller has had enough.
  ENSUE_HD ENSUE_INLINE mask affordable(motion<State, Method>& m, const mask& active) {
    const count most(settings.max_evaluations - evaluations_of_attempt(m.stepper));
    const mask spent = active & mask(m.statistics.evaluations + select(m.stepper.stale(), count(1), count(0)) > most);
    if (any(spent)) [[unlikely]]
      return at_home(m, [=, this] { return end(active, spent, outcome::too_many_evaluations); });
#if !defined(__CUDA_ARCH__)
    if (settings.cancel && settings.cancel->load(std::memory_order_relaxed)) [[unlikely]]
      return at_home(m, [=, this] { return end(active, active, outcome::cancelled); });
#endif
    return active;
  }

  /// Lanes whose step was too wrong although it may not be smaller: taken nevertheless, or ended.
  ENSUE_COLD ENSUE_HD settled settle_at_floor(mask active, const mask& at_floor, const mask& defined, const real& step,
                                              const mask& last) {
    mask sound = defined & now.stepper.candidate_is_finite();
    for (int l = 0; l < lanes; ++l) set_lane(sound, l, lane(sound, l) && now.stepper.bad_component(l) == report::nowhere);
    // The last few spacings of a span cannot be cut: their error is rounding.
    const mask unavoidable = last & (magnitude(step) <= step_floor(now.t, real(0)));
    const mask forced = at_floor & sound & (mask(settings.when_too_small == at_min_step::accept_and_mark) | unavoidable);
    for (int l = 0; l < lanes; ++l)
      if (lane(forced, l)) reports[l].smallest_step_accepted = true;
    const mask stuck = at_floor & !forced;
    active = end_unsound(active, stuck & !sound, defined, step);
    return {end(active, active & stuck, outcome::step_too_small, step), forced};
  }

  struct nothing {};
  using slope_storage = std::conditional_t<may_have_mass, storage, nothing>;
  ENSUE_HD static slope_storage storage_if_needed([[maybe_unused]] const State& like) {
    if constexpr (may_have_mass) return slope_storage(like);
    else return {};
  }

  step_size_law<real> law_;
  [[no_unique_address]] slope_storage slope_;  ///< x' at the start
  typename resting_lanes::memory resting_ = now.stepper;
  fixed_grid<real> walk_;  // of single fixed steps, and how far along it they are
  real walk_end_ = real(0);
  std::int64_t walked_ = 0;
  bool walking_ = false;
  bool checked_ = false, settled_ = false;
};

}  // namespace ensue
