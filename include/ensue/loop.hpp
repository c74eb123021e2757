/// The loop: attempt, judge, accept or shrink, until the time asked for or a reason to end.
///
/// Written over masks (scalar.hpp): for one trajectory every `any` is a branch, for a pack a blend, and a lane's numbers are
/// those of the run alone, bit for bit.
#pragma once

#include <ensue/control/first_step.hpp>
#include <ensue/control/fixed_grid.hpp>
#include <ensue/control/options.hpp>
#include <ensue/ending_run.hpp>
#include <ensue/system.hpp>

#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace ensue {

template <state State> class consistent_start;  // comes with the methods that take algebraic equations

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
  using motion = ensue::motion<State, Method>;
  using in_registers = borrowed_motion<State, Method>;
  using resting_lanes = ensue::resting_lanes<State, Method>;
  static constexpr int lanes = lanes_of<scalar>;
  static constexpr bool sets_pace = requires { stepper::sets_pace; };  ///< fixed steps are varied by the method itself
  static constexpr bool chooses_steps = requires { stepper::chooses_steps; };  ///< has a law of its own for the next step's length
  static constexpr bool keeps_first_derivative = requires { requires stepper::keeps_first_derivative; };
  static constexpr bool resizes_together = lanes >= 8 && !chooses_steps;  ///< (four are often of one mind: no gain)
  static constexpr bool may_have_mass = has_mass_matrix<System, State> && takes_mass_matrix<stepper>;  ///< M x' = f

  enum class inside_of_step : bool { kept, forgotten };  ///< whether an interpolant may be asked for

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
  template <inside_of_step Inside = inside_of_step::kept> ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_adaptive(const real& t_end) {
    constexpr inside_of_step left_behind = on_device ? Inside : inside_of_step::kept;  // a look at stiffness needs it
    const mask active = known_first_step(t_end, begin(t_end, way::adaptive));
    if constexpr (may_be_plain)
      if (!is_plain()) return advance_specially(t_end, active);
    go(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
      return attempt<may_be_plain, left_behind>(m, t_end, moving, left);
    });
    stamp();
  }

  /// To each of the times in turn, with steps that the error chooses: arrive(t, x) is called there, from inside the loop, so that
  /// what is in registers stays there. One trajectory.
  template <class Times, class Arrive> void advance_through(const Times& times, Arrive& arrive) {
    static_assert(lanes == 1);
    if constexpr (may_be_plain)
      if (is_plain()) return pass_through<true>(times, arrive);
    pass_through<false>(times, arrive);
  }

  /// Another run, from the time and state that `now` was given.
  ENSUE_HD void start_anew() {
    now.h = settings.first_step;
    now.statistics.steps = now.statistics.rejected = now.statistics.evaluations = count(0);
    restart();
  }

  /// k₁ and a first step towards t_end. Returns the lanes that have a way to go; the reports of the others say why not.
  ENSUE_HD mask prepare(const real& t_end) {
    return ready_at_home(known_first_step(t_end, begin(t_end, way::adaptive)));
  }

  /// Lanes that end go on with other trajectories. `feed.take_back(ended, unusual, left)` sees what has become of the old ones (ended_lanes; the reports of those
  /// that are not unusual say nothing), `feed.next()` returns new ones until there is none (started_lanes). Returns the number of attempts.
  template <class Feed> ENSUE_MANY_TRAJECTORIES std::int64_t advance_replacing(Feed& feed) {
    now.steps_to_look = std::numeric_limits<int>::max();  // at stiffness, which would make a lane's ending depend on the others
    real t_end(0);
    mask active(false), ended(false), unusual(false);
    std::int64_t attempts = 0;
    for (bool replacing = true, some = true; some;) {
      unfinished left;
      {
        in_registers moving(now);
        while (!left.something) {
          if (replacing) {
            stay_a_branch();
            const auto& spent = moving.m.statistics;  // a copy goes out: a variable whose address is known could not stay in a register
            feed.take_back(ended, unusual & ended, ended_lanes<State>{moving.m.x, moving.m.t, spent.steps, spent.rejected, spent.evaluations});
            unusual = unusual & !ended;
            for (;;) {
              const auto begun = feed.next();
              if (begun.lanes == 0) break;
              const mask where = mask_of_bits<mask>(begun.lanes);
              moving.m.begin_lanes(where, begun.lanes, begun.motion, begun.first);
              t_end = refilled(t_end, begun.lanes, begun.t_end, begun.first);
              active = active | where;
            }
            some = any(active);
            if (!some) break;
          }
          const mask going = attempt<false, inside_of_step::forgotten>(moving.m, t_end, active, left);
          ++attempts;
          if (left.something) break;
          ended = active & !going;
          active = going;
          replacing = any(ended);
        }
      }
      if (left.something) {
        unusual = unusual | active;
        const mask going = settle(left);
        ended = active & !going;
        active = going;
        replacing = any(ended);
      }
    }
    return attempts;
  }

  /// One accepted step towards t_end.
  ENSUE_HD void step_adaptive(const real& t_end) {
    go_once(known_first_step(t_end, begin(t_end, way::adaptive_step)),
            [&](motion& m, const mask& active, unfinished& left) { return attempt(m, t_end, active, left); });
    stamp();
  }

  /// To t_end with steps of length `size` (> 0).
  ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_fixed(const real& t_end, const real& size) {
    if (const mask active = begin(t_end, way::fixed); any(active)) {
      const fixed_grid<real> grid(now.t, t_end, size, divided());
      std::int64_t taken = 0;
      go(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
        if constexpr (sets_pace) return paced_step(m, t_end, size, moving, left);
        else return fixed_step(m, t_end, grid, taken, moving, left);
      });
    }
    stamp();
  }

  /// One of the steps that `advance_fixed` would take.
  ENSUE_HD void step_fixed(const real& t_end, const real& size) {
    if (const mask active = begin(t_end, sets_pace ? way::adaptive_step : way::fixed); any(active)) {
      if (!sets_pace && (!walking_ || !all((t_end == walk_end_) & (now.t == walk_.time(walked_))))) {
        walk_ = fixed_grid<real>(now.t, t_end, size, divided());
        walk_end_ = t_end;
        walked_ = 0;
        walking_ = true;
      }
      go_once(active, [&](motion& m, const mask& moving, unfinished& left) {
        if constexpr (sets_pace) return paced_step(m, t_end, size, moving, left);
        else return fixed_step(m, t_end, walk_, walked_, moving, left);
      });
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
    unfinished left;
    know_derivative(now, mask(true), left);
    if (left.something) settle(left);
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

  /// step(m, active, left), which returns the lanes that go on, until none has a way to go.
  template <class Step> ENSUE_HD ENSUE_INLINE void go(mask active, Step step) {
    while (any(active)) {
      unfinished left;
      {
        in_registers moving(now);
        resting_lanes rest(moving.m, resting_, active);
        do active = rest.keep(active, step(moving.m, lanes == 1 ? mask(true) : active, left));  // that it is true for one is not seen by compilers
        while (any(active));
      }
      if (left.something) active = settle(left);
    }
  }

  /// The same until each lane has taken one. For a single trajectory at home: a step is too short to move into registers and back.
  template <class Step> ENSUE_HD void go_once(mask active, Step step) {
    const count before = now.statistics.steps;
    const auto step_of_waiting = [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
      const mask waiting = moving & mask(m.statistics.steps == before);
      return any(waiting) ? step(m, waiting, left) : waiting;
    };
    if constexpr (lanes > 1) return go(active, step_of_waiting);
    while (any(active)) {
      unfinished left;
      do active = step_of_waiting(now, active, left);
      while (any(active));
      if (left.something) active = settle(left);
    }
  }

  /// Does what was left. Returns the lanes that go on.
  ENSUE_COLD ENSUE_HD mask settle(const unfinished& left) {
    mask active = left.active;
    if (left.cancelled) return end(active, active, outcome::cancelled);
    if (any(left.spent)) active = end(active, left.spent, outcome::too_many_evaluations);
    if (any(left.unsound)) active = end_unsound(active, left.unsound, left.defined, left.step);
    if constexpr (stepper::may_estimate) {
      if (any(left.stuck)) active = settle_stuck(active, left);
      if (left.look) {
        now.steps_to_look = look_for_stiffness(left.accepted);
        active = end_standing_still(active);
      }
    }
    return active;
  }

  /// Failed attempts that may be at the smallest step, or ask for more digits than there are.
  ENSUE_HD mask settle_stuck(mask active, const unfinished& left) {
    active = end_below_rounding(active, left.stuck);
    const mask again = active & left.stuck & !at_floor(now, left.step);
    shrink(now, again, left.defined, left.error, left.step);
    const mask stuck = active & left.stuck & !again;
    if (!any(stuck)) return active;
    mask forced = forced_at_floor(stuck, left);
    if constexpr (stepper::confirms) {
      if (any(forced)) {
        const mask sound = now.stepper.confirm(system, left.t_new, forced, now.statistics.evaluations);
        active = end_unsound(active, forced & !sound, mask(true), left.step);
        forced = sound;
      }
    }
    if (any(forced)) accept(now, forced, left.t_new, left.step, left.near, left.last, left.error);
    return active & !(stuck & !forced) & !(forced & left.last);
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
    if constexpr (keeps_first_derivative) active = ready_at_home(active);
    if (any(active & (now.h == real(0)))) {
      active = ready_at_home(active);
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

  /// Nothing out of the ordinary to ask for at every step: neither compensated sums nor a norm that is not Euclidean nor errors per unit of
  /// time. Where a state lives in registers, such questions cost 15 % of a step, so that its loop exists twice.
  static constexpr bool may_be_plain = extent_of<storage> > 0 && lanes == 1 && requires(stepper& s) { s.compensates(); };
  ENSUE_HD bool is_plain() const {
    return !now.stepper.compensates() && measure_.is_euclidean() && settings.control.per == error_per::step;
  }

  /// The other loop.
  ENSUE_COLD ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_specially(const real& t_end, const mask& active) {
    go(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA { return attempt(m, t_end, moving, left); });
    stamp();
  }

  template <bool Plain, class Times, class Arrive> ENSUE_SINGLE_TRAJECTORY void pass_through(const Times& times, Arrive& arrive) {
    auto next = std::begin(times);
    const auto end = std::end(times);
    for (; next != end && *next == now.t; ++next) arrive(now.t, as_argument(std::as_const(now.x)));
    if (next == end) return;
    real target = *next;
    const auto pass = [&](motion& m) ENSUE_INLINE_LAMBDA {
      const storage there = m.x;  // a copy, because who looks at the original keeps it out of registers
      for (; next != end && *next == target; ++next) arrive(target, as_argument(there));
      if (next == end) return false;
      target = *next;
      m.h = with_sign(m.h, target - m.t);
      return target - target == real(0);
    };
    bool active = known_first_step(target, begin(target, way::adaptive));
    while (active) {
      go(active, [&](motion& m, bool moving, unfinished& left) ENSUE_INLINE_LAMBDA {
        const bool going = attempt<Plain>(m, target, moving, left);
        return going || left.something || m.t != target ? going : pass(m);
      });
      active = next != end && now.t == target && reports[0].how == outcome::finished && pass(now);  // it came with something rare
    }
    if (!(target - target == real(0))) begin(target, way::adaptive);  // says what is wrong with it
    stamp();
  }

  /// One attempt of every active lane. Returns the lanes that still have a way to go.
  template <bool Plain = false, inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE mask attempt(motion& m, const real& t_end, mask active, unfinished& left) {
    if (!ready<keeps_first_derivative>(m, active, left)) [[unlikely]] return mask(false);

    // The step: h, or what remains, or half of that where a sliver would be left.
    const real remaining = t_end - m.t;
    const mask near = magnitude(remaining) < base(2) * magnitude(m.h);
    mask last(false);
    real step = m.h, t_new = m.t + step;
    if (resizes_together || any(near)) [[unlikely]] {
      last = magnitude(remaining) <= magnitude(m.h);
      step = select(near, base(0.5) * remaining, step);
      t_new = select(last, t_end, m.t + step);
    }
    if constexpr (lanes > 1) t_new = select(active, t_new, m.t);
    step = t_new - m.t;  // what the clock will show, so that f's time and the state's are the same

    const mask defined = run<Plain>(m, t_new, step, active, &measure_);
    const real error = error_of_attempt<Plain>(m, step);
    mask accepted = active & defined & (error <= real(1));
    if constexpr (stepper::confirms)
      if (any(accepted)) accepted = m.stepper.confirm(system, t_new, accepted, m.statistics.evaluations);
    if constexpr (resizes_together) return conclude_together<Plain, Inside>(m, active, defined, accepted, t_new, step, near, last, error, left);
    if (const mask failed = active & !accepted; any(failed)) [[unlikely]] {
      stay_a_branch();
      const mask smallest = at_floor(m, step), too_exact = below_rounding(m.x, measure_), stuck = failed & (smallest | too_exact);
      shrink(m, failed & !stuck, defined, error, step);
      m.last_step = select(failed, real(0), m.last_step);  // what it left behind is overwritten
      if (any(stuck)) [[unlikely]] left.leave_stuck(stuck, defined, t_new, step, near, last, error);
      if constexpr (lanes == 1) return any(stuck) ? left.to_be_done(active) : active;  // nothing was accepted
    }
    if (any(accepted)) [[likely]] {
      stay_a_branch();
      accept<Plain, Inside>(m, accepted, t_new, step, near, last, error);
      active = active & !(accepted & last);
      if (is_time_to_look(m, accepted, left)) [[unlikely]] return left.to_be_done(active);
    }
    return lanes > 1 && any(left.stuck) ? left.to_be_done(active) : active;
  }

  /// What follows an attempt of many lanes. Some lane nearly always fails, or changes its step, or is near its end, but no two attempts are
  /// alike: without branches, and with one power for the lanes that go on and those that go back.
  template <bool Plain, inside_of_step Inside>
  ENSUE_HD ENSUE_INLINE mask conclude_together(motion& m, mask active, const mask& defined, const mask& accepted, const real& t_new, const real& step,
                                               const mask& near, const mask& last, const real& error, unfinished& left) {
    const mask failed = active & !accepted, stuck = failed & (at_floor(m, step) | below_rounding(m.x, measure_)), again = failed & !stuck;
    if constexpr (Inside == inside_of_step::kept) m.last_step = select(failed, real(0), m.last_step);
    install<Plain, Inside>(m, accepted, t_new, step);
    const mask change = again | (accepted & !last & !(law_.keeps(error) & !near));
    propose(m, change, step, accepted & near, law_.after_attempt(error, defined, again, m.history));
    law_.remember(m.history, accepted & !near, error);
    note_rejected(m, again);
    active = active & !(accepted & last);
    if (any(stuck)) [[unlikely]] left.leave_stuck(stuck, defined, t_new, step, near, last, error);
    if (any(accepted) && is_time_to_look(m, accepted, left)) [[unlikely]] return left.to_be_done(active);
    return any(left.stuck) ? left.to_be_done(active) : active;
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
    if constexpr (Inside == inside_of_step::forgotten && requires { m.stepper.template accept_and_forget<!Plain>(where, m.x); })
      m.stepper.template accept_and_forget<!Plain>(where, m.x);
    else if constexpr (Plain) m.stepper.template accept<false>(where, m.x);
    else m.stepper.accept(where, m.x);
    if constexpr (Inside == inside_of_step::kept) m.last_step = select(where, step, m.last_step);
    m.t = select(where, t_new, m.t);
    m.statistics.steps = m.statistics.steps + select(where, count(1), count(0));
  }

  /// Takes an attempt's result, and says how long the next step is to be.
  template <bool Plain = false, inside_of_step Inside = inside_of_step::kept>
  ENSUE_HD ENSUE_INLINE void accept(motion& m, const mask& accepted, const real& t_new, const real& step, const mask& near,
                                    const mask& last, const real& error) {
    install<Plain, Inside>(m, accepted, t_new, step);
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
  }

  /// The method's attempt, which counts evaluations, or all that it does. One that iterates is told how errors are measured; in a fixed
  /// step they are not.
  template <bool Plain = false>
  ENSUE_HD ENSUE_INLINE mask run(motion& m, const real& t_new, const real& step, const mask& active,
                                 [[maybe_unused]] error_measure<State>* measure) {
    if constexpr (Plain) return m.stepper.template attempt<false>(system, m.t, t_new, step, m.x, active, m.statistics.evaluations);
    else if constexpr (requires { stepper::solves_to_tolerance; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics, measure);
    else if constexpr (requires { stepper::solves_linear_systems; })
      return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics);
    else return m.stepper.attempt(system, m.t, t_new, step, m.x, active, m.statistics.evaluations);
  }

  /// What is held at the tolerance, squared, in units of it.
  template <bool Plain> ENSUE_HD ENSUE_INLINE real error_of_attempt(motion& m, const real& step) {
    if constexpr (Plain) {
      auto measure = measure_.euclidean();
      return m.stepper.squared_error(m.x, step, measure);
    } else {
      const real error = m.stepper.squared_error(m.x, step, measure_);
      return settings.control.per == error_per::unit_step ? error / (step * step) : error;
    }
  }

  /// The step of a fixed grid after those that were taken.
  ENSUE_HD ENSUE_INLINE mask fixed_step(motion& m, const real& t_end, const fixed_grid<real>& grid, std::int64_t& taken, const mask& active,
                                        unfinished& left) {
    if (!ready(m, active, left)) [[unlikely]] return mask(false);
    const std::int64_t i = ++taken;
    const mask last = mask(count(i) == grid.count);
    const real t_new = select(last, t_end, grid.time(i));
    return take(m, t_new, select(last, grid.last, grid.step), active, last, left);
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
  ENSUE_HD ENSUE_INLINE mask take(motion& m, const real& t_new, const real& step, const mask& active, const mask& last, unfinished& left) {
    const mask defined = run(m, t_new, step, active, nullptr);
    mask sound = active & defined & m.stepper.candidate_is_finite();
    if constexpr (stepper::confirms) sound = m.stepper.confirm(system, t_new, sound, m.statistics.evaluations);
    if (any(sound)) [[likely]] {
      stay_a_branch();
      install(m, sound, t_new, t_new - m.t);
    }
    const mask unsound = active & !sound;
    if (!any(unsound)) [[likely]] return active & !last;
    m.last_step = select(unsound, real(0), m.last_step);
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

  /// A smaller step for lanes that failed.
  ENSUE_HD ENSUE_INLINE void shrink(motion& m, const mask& failed, const mask& defined, const real& error, const real& step) const {
    note_rejected(m, failed);
    real factor;
    if constexpr (chooses_steps) factor = m.stepper.factor_after_reject(error, defined, settings.control);
    else factor = select(defined, law_.after_reject(error), real(base(0.25)));
    const real size = maximum(magnitude(step) * factor, step_floor(m.t, settings.min_step));
    m.h = select(failed, with_sign(size, step), m.h);
  }
  ENSUE_HD ENSUE_INLINE void note_rejected(motion& m, const mask& which) const {
    m.statistics.rejected = m.statistics.rejected + select(which, count(1), count(0));
    m.history.just_rejected = m.history.just_rejected | which;
  }

  /// Can every active lane pay for another attempt, and does it know its k₁? Where not, what to do about it is left.
  template <bool KnowsDerivative = false> ENSUE_HD ENSUE_INLINE bool ready(motion& m, const mask& active, unfinished& left) {
    const count most(settings.max_evaluations - evaluations_of_attempt(m.stepper));
    count spent_before = m.statistics.evaluations;
    if constexpr (!KnowsDerivative) spent_before = spent_before + select(m.stepper.stale(), count(1), count(0));
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
    return KnowsDerivative || know_derivative(m, active, left);
  }

  /// k₁ of the active lanes, where it is not known; where it has no value, that is left.
  ENSUE_HD ENSUE_INLINE bool know_derivative(motion& m, const mask& active, unfinished& left) {
    const mask stale = active & m.stepper.stale();
    if (!any(stale)) return true;
    const mask defined = m.stepper.derivative(system, m.t, m.x);
    m.statistics.evaluations = m.statistics.evaluations + select(stale, count(1), count(0));
    const mask unsound = stale & !(defined & finite(m.stepper.first_derivative()));
    if (!any(unsound)) [[likely]] return true;
    m.stepper.forget(unsound);
    m.last_step = select(unsound, real(0), m.last_step);
    left.unsound = unsound, left.defined = defined;
    left.to_be_done(active);
    return false;
  }

  /// The same at once, without those that are not ready.
  ENSUE_HD mask ready_at_home(mask active) {
    while (any(active)) {
      unfinished left;
      if (ready(now, active, left)) break;
      active = settle(left);
    }
    return active;
  }

  /// What an attempt costs at most. (An iteration to a tolerance ends sooner than one to the last digit.)
  ENSUE_HD ENSUE_INLINE std::int64_t evaluations_of_attempt(const stepper& method) const {
    if constexpr (requires { method.evaluations_of_fixed_step(); })
      if (any(settings.step > real(0))) return method.evaluations_of_fixed_step();
    return method.evaluations_of_attempt();
  }

  /// Of lanes whose step was too wrong although it may not be smaller, those that take it nevertheless; the others end.
  ENSUE_HD mask forced_at_floor(const mask& stuck, const unfinished& left) {
    mask sound = left.defined & now.stepper.candidate_is_finite();
    for (int l = 0; l < lanes; ++l) set_lane(sound, l, lane(sound, l) && now.stepper.bad_component(l) == report::nowhere);
    // The last few spacings of a span cannot be cut: their error is rounding.
    const mask unavoidable = left.last & (magnitude(left.step) <= step_floor(now.t, real(0)));
    const mask forced = stuck & sound & (mask(settings.when_too_small == at_min_step::accept_and_mark) | unavoidable);
    for (int l = 0; l < lanes; ++l)
      if (lane(forced, l)) reports[l].smallest_step_accepted = true;
    end_unsound(stuck, stuck & !sound, left.defined, left.step);
    end(stuck, stuck & sound & !forced, outcome::step_too_small, left.step);
    return forced;
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
