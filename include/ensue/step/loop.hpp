/// The loop: steps (stepping.hpp) until the time asked for or a reason to end.
#pragma once

#include <ensue/step/ending_run.hpp>
#include <ensue/step/progress.hpp>

#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace ensue {

template <state State> class consistent_start;  // comes with the methods that take algebraic equations

template <class System, state State, class Method> class stepping_loop : public watched_progress<System, State, Method> {
  using endings = watched_progress<System, State, Method>;
  using steps = stepping<System, State, Method>;

 public:
  using endings::now, endings::reports;
  using steps::settings, steps::system, steps::lanes, steps::sets_pace;
  using typename steps::base, typename steps::count, typename steps::mask, typename steps::motion, typename steps::real, typename steps::scalar,
      typename steps::stepper, typename steps::storage;
  using resting_lanes = ensue::resting_lanes<State, Method>;
  static constexpr bool may_have_mass = has_mass_matrix<System, State> && takes_mass_matrix<stepper>;  ///< M x' = f

  ENSUE_HD stepping_loop(const System& model, const State& start, const real& from, const Method& method,
                         const options<State>& s)
      : endings(model, s, {start, from, s.first_step, stepper(method, start)}), slope_(storage_if_needed(start)) {
#if !defined(__CUDA_ARCH__)
    if constexpr (extent_of<State> == 0 && has_acceleration<System, State>) require_halves(static_cast<std::size_t>(start.size()));
#endif
    if constexpr (requires { now.stepper.compensate(now.x); })
      if (s.compensated) now.stepper.compensate(now.x);
    if constexpr (requires { now.stepper.control_between_steps(true); })
      if (s.between_steps && s.step == real(0)) now.stepper.control_between_steps(true);
    if constexpr (requires { now.stepper.fit(system); }) now.stepper.fit(system);
    this->begin_progress();
  }

  /// To t_end with steps that the error chooses.
  template <inside_of_step Asked = inside_of_step::kept> ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_adaptive(const real& t_end) {
    constexpr inside_of_step inside = may_discard && !on_device ? Asked : inside_of_step::kept;
    mask active = known_first_step(t_end, begin(t_end, way::adaptive));
    if constexpr (may_be_plain)
      if (!is_plain(now)) return advance_specially(t_end, active);
    while (any(active)) {
      if (inside != inside_of_step::discarded || !(any(near_floor(now)) || this->is_followed()))
        go<inside>(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
          return steps::template attempt<may_be_plain, inside>(m, t_end, moving, left);
        });
      active = mask(false);
      if constexpr (inside == inside_of_step::discarded) {
        if (!on_its_way(t_end)) break;
        // The next step is to be looked at, or a few are near the smallest: with their insides kept.
        advance_specially(t_end, mask(true), now.statistics.steps + (now.steps_to_look > 0 ? 50 : 1));
        active = on_its_way(t_end);
      }
    }
    stamp();
  }

  /// To each of the times in turn, with steps that the error chooses: arrive(t, x) is called there, from inside the loop, so that
  /// what is in registers stays there. One trajectory.
  template <class Times, class Arrive> void advance_through(const Times& times, Arrive& arrive) {
    static_assert(lanes == 1);
    if constexpr (may_be_plain)
      if (is_plain(now)) return pass_through<true>(times, arrive);
    pass_through<false>(times, arrive);
  }

  /// Another run under the same settings, from the time and state that `now` was given.
  ENSUE_HD void start_anew() {
    const bool known = settings_checked_;
    now.h = settings.first_step;
    now.statistics.steps = now.statistics.rejected = now.statistics.evaluations = count(0);
    this->begin_progress();
    restart();
    settings_checked_ = known;
  }

  /// k₁ and a first step towards t_end. Returns the lanes that have a way to go; the reports of the others say why not.
  ENSUE_HD mask prepare(const real& t_end) {
    const mask active = known_first_step(t_end, begin(t_end, way::adaptive));
    return keeps_first_derivative ? active : ready_at_home(active);
  }

  /// To t_end without a look at stiffness, and with nothing left of the steps' insides. (Looks are by pack: how a lane ends would depend on its neighbours.)
  void advance_unwatched(const real& t_end) {
    go<may_forget ? inside_of_step::forgotten : inside_of_step::kept>(known_first_step(t_end, begin(t_end, way::adaptive)), [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
      return steps::template attempt<false, inside_of_step::forgotten>(m, t_end, moving, left);
    });
    stamp();
  }

  /// One accepted step towards t_end.
  ENSUE_HD void step_adaptive(const real& t_end) {
    go_once(known_first_step(t_end, begin(t_end, way::adaptive_step)),
            [&](motion& m, const mask& active, unfinished& left) { return attempt(m, t_end, active, left); });
    stamp();
  }

  /// To t_end with steps of length `size` (> 0).
  template <inside_of_step Asked = inside_of_step::kept> ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_fixed(const real& t_end, const real& size) {
    constexpr inside_of_step inside = may_discard && !sets_pace ? Asked : inside_of_step::kept;
    if (const mask active = begin(t_end, way::fixed); any(active)) {
      const fixed_grid<real> grid(now.t, t_end, size, divided());
      std::int64_t taken = 0;
      go<inside>(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
        if constexpr (sets_pace) return paced_step(m, t_end, size, moving, left);
        else return steps::template fixed_step<inside>(m, t_end, grid, taken, moving, left);
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
    if constexpr (requires { stepper::starts_anew; }) if (now.stepper.starts_anew) now.h = settings.first_step;  // its steps were those of a history that is gone
    checked_ = settings_checked_ = settled_ = span_known_ = false;
  }

  /// The model, which may be another from now on.
  ENSUE_HD System& open_system() {
    restart();
    mass_known_ = false;
    return system;
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
    if (!checked_) expect_first_derivative();
    know_derivative(now, mask(true), left);
    if (left.something) settle(left);
    return now.stepper.whole_derivative(now.x);
  }

  /// From now on steps leave so much of the budget that the inside of the last one can be looked at.
  ENSUE_HD void keep_budget_for_inside() {
    if (keeps_for_inside_) return;
    std::int64_t most = 1;  // f at the step's end
    if constexpr (requires { stepper::extra_stages_of_dense; }) most += now.stepper.extra_stages_of_dense;
    settings.max_evaluations -= most;
    this->keep_pause_within_budget();
    keeps_for_inside_ = true;
  }

  /// The last accepted step as a curve, which ends with f at its end; where that has no value, a parabola.
  ENSUE_HD void make_dense(typename stepper::dense_memory& dense) {
    const real length = now.last_step;
    unfinished left;
    know_derivative(now, mask(true), left);
    now.last_step = length;  // no attempt has been made: it is all there
    now.stepper.make_dense(system, now.t - length, now.t, length, now.x, dense, now.statistics.evaluations);
    if (const mask open_ended = left.unsound | !finite(now.stepper.first_derivative()); any(open_ended)) dense.curve.keep_first(open_ended, now.x);
  }

 private:
  using endings::end, endings::end_below_rounding, endings::end_standing_still, endings::end_unsound, endings::look_for_stiffness, endings::stamp, endings::stands_still;
  using steps::accept, steps::at_floor, steps::attempt, steps::choose_first_step, steps::divided, steps::fixed_step, steps::is_plain, steps::keeps_first_derivative,
      steps::know_derivative, steps::may_be_plain, steps::may_discard, steps::may_forget, steps::measure_, steps::near_floor, steps::paced_step, steps::ready, steps::shrink;
  using typename steps::unfinished;

  /// step(m, active, left), which returns the lanes that go on, until none has a way to go.
  template <inside_of_step Inside = inside_of_step::kept, class Step> ENSUE_HD ENSUE_INLINE void go(mask active, Step step) {
    while (any(active)) {
      unfinished left;
      {
        borrowed_motion<State, Method, Inside> moving(now);
        {
          resting_lanes rest(moving.m, resting_, active);
          do active = rest.keep(active, step(moving.m, lanes == 1 ? mask(true) : active, left));  // that it is true for one is not seen by compilers
          while (any(active));
        }
        if constexpr (Inside == inside_of_step::forgotten) if (left.something) now.stepper = moving.m.stepper;  // the inside of the attempt, which says why
      }
      if (left.something) active = settle(left);
      if (Inside == inside_of_step::discarded && this->is_followed()) return;
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
    if (any(left.spent)) active = this->look_at_progress(active, left.spent);
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

  /// Where a run's first derivative is to be written, its memory is marked, so that an element that f does not write is seen.
  ENSUE_HD void expect_first_derivative() {
    if constexpr (!on_device)
      if (all(now.stepper.stale())) now.stepper.mark_derivative();
  }

  enum class way : unsigned char { fixed, adaptive, adaptive_step };  ///< a single step's t_end may be infinite

  /// Lanes that have a way to go, with sound input.
  ENSUE_HD mask begin(const real& t_end, way how) {
    for (int l = 0; l < lanes; ++l) reports[l].how = outcome::finished;
    if (!(span_known_ && all(t_end == this->destination_))) this->quiet_.begin_span(t_end - now.t);
    span_known_ = true;
    this->destination_ = t_end;
    mask active = now.t != t_end;
    if (!checked_ || !all(t_end - t_end == real(0))) {
      input_fault fault = find_fault_in_times(now.t, t_end, how == way::adaptive_step);
      if (fault == input_fault::none && !settings_checked_) fault = find_fault(settings, static_cast<std::size_t>(now.x.size()));
      for (int l = 0; l < lanes; ++l) reports[l].fault = fault;
      if (fault != input_fault::none) return end(mask(true), mask(true), outcome::bad_input);
      if (const mask unsound = active & !finite(now.x); any(unsound)) active = end(active, unsound, outcome::state_not_finite);
      if (how != way::fixed && any(active & below_rounding(now.x, measure_))) active = end_below_rounding(active, active);
      if (!checked_) expect_first_derivative();  // later, the derivatives of the last step are still to be interpolated
      checked_ = settings_checked_ = true;
    }
    if constexpr (may_have_mass) active = settle_start(t_end, active);
    return active;
  }

  /// A model with algebraic equations has to begin with a state that solves them, and its x' is not f.
  ENSUE_HD mask settle_start(const real& t_end, const mask& active) {
    if (settled_ || !active || !now.stepper.linear().has_mass()) return active;
    if (!mass_known_) {
      if constexpr (requires { now.stepper.write_mass(system); }) now.stepper.write_mass(system);
      else now.stepper.linear().write_mass(system);
    }
    mass_known_ = true;
    consistent_start<State> start(now.stepper.linear(), slope_, now.stepper.scratch(), now.stepper.scratch_derivative());
    const real nearby = with_sign(base(1e-3) * minimum(magnitude(t_end - now.t), real(1)), t_end - now.t);
    storage found = now.x;
    mark_unwritten(slope_);
    const outcome how = start.settle(system, now.t, nearby, found, settings.find_consistent_start, measure_, now.statistics,
                                     settings.max_evaluations);
    if (how != outcome::finished)
      return this->end_each(active, active, real(0), [&](report& r, int) {
        r.how = how;
        r.component = start.component();
        if (how == outcome::derivative_not_finite) this->name_unwritten(r, slope_, 0);
        r.residual = start.residual();
      });
    now.x = found;
    if (now.h == real(0)) now.h = first_step_along(now.t, now.x, slope_, t_end, now.stepper.order(), measure_);
    if constexpr (requires { now.stepper.begin_with(slope_); }) now.stepper.begin_with(slope_);
    settled_ = true;
    return active;
  }

  /// The direction of the steps, and the first one's size where none is known.
  ENSUE_HD mask known_first_step(const real& t_end, mask active) {
    if constexpr (keeps_first_derivative) active = ready_at_home(active);
    if (any(active & (now.h == real(0)))) active = ready_at_home(active);
    choose_first_step(now, t_end, active, measure_);
    return any(active & stands_still()) ? end_standing_still(active) : active;
  }

  ENSUE_HD bool on_its_way(const real& t_end) const { return now.t != t_end && reports[0].how == outcome::finished; }

  /// The other loop, until so many steps were taken in all.
  ENSUE_COLD ENSUE_SINGLE_TRAJECTORY ENSUE_HD void advance_specially(const real& t_end, const mask& active,
                                                                     std::int64_t steps = std::numeric_limits<std::int64_t>::max()) {
    go(active, [&](motion& m, const mask& moving, unfinished& left) ENSUE_INLINE_LAMBDA {
      return m.statistics.steps < steps ? attempt(m, t_end, moving, left) : mask(false);
    });
    stamp();
  }

  template <bool Plain, class Times, class Arrive> ENSUE_SINGLE_TRAJECTORY void pass_through(const Times& times, Arrive& arrive) {
    auto next = std::begin(times);
    const auto end = std::end(times);
    for (; next != end && *next == now.t; ++next) arrive(now.t, as_argument(std::as_const(now.x)));
    if (next == end) {
      begin(now.t, way::adaptive);
      return stamp();
    }
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
    for (auto each = next; each != end; ++each) this->destination_ = *each;
    while (active) {
      go(active, [&](motion& m, bool moving, unfinished& left) ENSUE_INLINE_LAMBDA {
        const bool going = steps::template attempt<Plain>(m, target, moving, left);
        return going || left.something || m.t != target ? going : pass(m);
      });
      active = next != end && now.t == target && reports[0].how == outcome::finished && pass(now);  // it came with something rare
    }
    if (!(target - target == real(0))) begin(target, way::adaptive);  // says what is wrong with it
    stamp();
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

  /// Of lanes whose step was too wrong although it may not be smaller, those that take it nevertheless; the others end.
  ENSUE_HD mask forced_at_floor(const mask& stuck, const unfinished& left) {
    mask sound = left.defined & now.stepper.candidate_is_finite();
    for (int l = 0; l < lanes; ++l) set_lane(sound, l, lane(sound, l) && now.stepper.bad_component(l) == report::nowhere);
    // The last few spacings of a span cannot be cut: their error is rounding.
    const mask unavoidable = left.last & (magnitude(left.step) <= step_floor(now.t, real(0)));
    const mask within = left.error <= real(1);  // refused by caution alone
    const mask forced = stuck & sound & (mask(settings.when_too_small == at_min_step::accept_and_mark) | unavoidable | within);
    for (int l = 0; l < lanes; ++l)
      if (lane(forced & !within, l)) reports[l].smallest_step_accepted = true;
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

  [[no_unique_address]] slope_storage slope_;  ///< x' at the start
  typename resting_lanes::memory resting_ = now.stepper;
  fixed_grid<real> walk_;  // of single fixed steps, and how far along it they are
  real walk_end_ = real(0);
  std::int64_t walked_ = 0;
  bool walking_ = false, keeps_for_inside_ = false;
  bool checked_ = false, span_known_ = false, settings_checked_ = false, settled_ = false, mass_known_ = true;
};

}  // namespace ensue
