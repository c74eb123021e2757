/// Runs that spend evaluations and come no further, and why.
///
/// Every 2^14 evaluations an adaptive run pauses: at the pace since the last pause, would the rest of the span take more evaluations than
/// are left? Three such pauses in a row, and the next attempts are followed one by one. Then two questions are asked of f itself, so that
/// slow but healthy runs (stiff ones with an explicit method) are never ended:
///
/// - Is f undefined where most of the rejected attempts looked? Then its domain ends there (sqrt(1 − x²) beyond x = 1).
/// - Does f jump on the way ahead, by as much however closely one looks, and does the motion beyond the jump lead back across it? Then
///   the run chatters (x' = −sign(x)). A jump that the motion crosses for good, as those of a square wave in time, is none.
///
/// A look costs nothing but the pause; a run that is followed without a finding is next asked after twice as many evaluations. Nothing
/// here is on the way of a step: the pause is the check of the budget that there is anyway.
#pragma once

#include <ensue/step/ending_run.hpp>

#include <cstdint>
#include <limits>

namespace ensue {

template <class System, state State, class Method> class watched_progress : public ending_run<System, State, Method> {
  using endings = ending_run<System, State, Method>;
  using steps = stepping<System, State, Method>;

 public:
  using endings::lanes, endings::now;
  using typename steps::base, typename steps::count, typename steps::mask, typename steps::real, typename steps::storage;

  /// Between two pauses of a run that makes progress.
  static constexpr std::int64_t evaluations_between_pauses = 1 << 14;
  static constexpr int slow_pauses = 3;          ///< in a row, before a run is followed
  static constexpr int attempts_followed = 200;  ///< one by one
  static constexpr std::int64_t most_questions = 2000;  ///< evaluations of f beside the run's own

 protected:
  using steps::pause_at_, steps::settings;

  using endings::endings;

  /// A run begins at the present time.
  ENSUE_HD void begin_progress() {
    for (int l = 0; l < lanes; ++l) {
      each_[l] = {};
      each_[l].t = static_cast<double>(lane(now.t, l));
      each_[l].evaluations = lane(now.statistics.evaluations, l);
      pause_after(l, lane(now.statistics.evaluations, l) + evaluations_between_pauses);
    }
  }
  ENSUE_HD void keep_pause_within_budget() {
    for (int l = 0; l < lanes; ++l) pause_after(l, lane(pause_at_, l));
  }

  /// Whether some run is followed attempt by attempt, for which the inside of attempts has to be kept.
  ENSUE_HD bool is_followed() const {
    for (int l = 0; l < lanes; ++l)
      if (each_[l].followed > 0) return true;
    return false;
  }

  /// Of lanes that have come to their pause: ends those whose budget is spent, or that will get no further. Returns the active ones
  /// without them.
  ENSUE_COLD ENSUE_HD mask look_at_progress(const mask& active, const mask& paused) {
    mask spent(false), ended(false);
    for (int l = 0; l < lanes; ++l) {
      if (!lane(paused, l)) continue;
      if (lane(pause_at_, l) >= settings.max_evaluations) set_lane(spent, l, true);
      else set_lane(ended, l, gets_no_further(l));
    }
    const mask going = this->end(active, spent, outcome::too_many_evaluations);
    return this->end_each(going, ended, now.h, [&](report& r, int l) {
      r.how = each_[l].why;
      r.component = each_[l].component;
      r.pace = each_[l].pace;
    });
  }

  real destination_ = real(0);  ///< the end of the span

 private:
  /// What is known of a lane's progress.
  struct progress {
    double t = 0;  ///< at the last pause
    std::int64_t evaluations = 0, between = evaluations_between_pauses;
    int slow = 0;      ///< pauses in a row
    int followed = 0;  ///< attempts; of which were rejected, and looked where f has no value:
    int rejected = 0, undefined = 0;
    std::int64_t rejected_before = 0;
    double pace = 0;
    outcome why = outcome::finished;
    std::int64_t component = report::nowhere;
  };

  ENSUE_HD void pause_after(int l, std::int64_t evaluations) { set_lane(pause_at_, l, minimum(evaluations, settings.max_evaluations)); }
  ENSUE_HD std::int64_t spent_by(int l) const { return lane(now.statistics.evaluations, l); }

  /// Sets when lane l pauses next. Returns whether it is to end.
  ENSUE_HD bool gets_no_further(int l) {
    progress& p = each_[l];
    if constexpr (can_be_asked) {
      if (p.followed > 0) return followed_another(l);
      const double t = static_cast<double>(lane(now.t, l)), came = magnitude(t - p.t);
      const double left = magnitude(static_cast<double>(lane(destination_, l)) - t);
      p.pace = left / came * static_cast<double>(spent_by(l) - p.evaluations);
      const bool slow = steps::is_adaptive() && now.stepper.has_estimate() && left < largest<double> && !(p.pace <= static_cast<double>(settings.max_evaluations - spent_by(l)));
      p.slow = slow ? p.slow + 1 : 0;
      if (!slow) p.between = evaluations_between_pauses;
      if (p.slow >= slow_pauses && settings.max_evaluations - spent_by(l) > 2 * most_questions) {
        p.rejected = p.undefined = 0;
        return follow_next(l);
      }
    }
    begin_window(l);
    return false;
  }

  ENSUE_HD void begin_window(int l) {
    progress& p = each_[l];
    p.t = static_cast<double>(lane(now.t, l));
    p.evaluations = spent_by(l);
    pause_after(l, spent_by(l) + p.between);
  }

  /// Pauses after one attempt.
  ENSUE_HD bool follow_next(int l) {
    progress& p = each_[l];
    ++p.followed;
    p.rejected_before = lane(now.statistics.rejected, l);
    const std::int64_t first = lane(now.stepper.stale(), l) ? 1 : 0;
    pause_after(l, spent_by(l) + first + steps::evaluations_of_attempt(now.stepper));
    return false;
  }

  ENSUE_HD bool followed_another(int l) {
    progress& p = each_[l];
    if (lane(now.statistics.rejected, l) > p.rejected_before) {
      ++p.rejected;
      p.undefined += looked_where_undefined(l) ? 1 : 0;
    }
    if (p.followed < attempts_followed) return follow_next(l);
    p.followed = 0;
    p.why = finding(l);
    if (p.why != outcome::finished) return true;
    p.slow = 0;
    p.between = 2 * p.between;
    begin_window(l);
    return false;
  }

  /// Whether the last attempt, which was rejected, met numbers that are not finite.
  ENSUE_HD bool looked_where_undefined(int l) const {
    const outcome own = this->own_reason(l);
    if (own == outcome::jacobian_not_finite) return true;
    if (own != outcome::finished) return false;
    return !lane(now.stepper.candidate_is_finite(), l) || now.stepper.bad_component(l) != report::nowhere;
  }

  ENSUE_HD bool has_mass() {
    if constexpr (requires { now.stepper.linear().has_mass(); }) return now.stepper.linear().has_mass();
    else return false;
  }

  ENSUE_COLD ENSUE_HD outcome finding(int l) {
    progress& p = each_[l];
    p.component = report::nowhere;
    const bool many = 20 * p.rejected > attempts_followed;
    if (many && (2 * p.undefined > p.rejected || is_at_edge(l))) {
      p.component = component_at_edge(l);
      return has_overflowed(now.x, l) ? outcome::state_not_finite : outcome::domain_ended;
    }
    return !has_mass() && chatters(l) ? outcome::chattering : outcome::finished;
  }

  /// A time, a state and f there.
  struct place {
    real t;
    storage x, dx;
  };
  static constexpr bool can_be_asked = !on_device && requires(System& f, place& p) { evaluate(f, p.t, p.x, p.dx); };

  /// f at a place. Whether it has a value there.
  ENSUE_HD bool ask(place& at, int l) {
    const mask defined = evaluate(this->system, at.t, at.x, at.dx);
    set_lane(now.statistics.evaluations, l, spent_by(l) + 1);
    return lane(defined, l) && first_not_finite(at.dx, l) == report::nowhere;
  }
  /// From a place along f, by a multiple of the present step.
  ENSUE_HD void move(const place& from, double multiple, int l, place& to) const {
    const real step(static_cast<base>(multiple) * lane(now.h, l));
    to.t = from.t + step;
    for_each_element(now.x, [&](std::size_t i) { to.x.data()[i] = from.x.data()[i] + step * from.dx.data()[i]; });
  }
  /// The middle of two places. False: there is none.
  ENSUE_HD bool halve(const place& a, const place& b, int l, place& middle) const {
    const real half(base(0.5));
    middle.t = a.t + half * (b.t - a.t);
    for_each_element(now.x, [&](std::size_t i) { middle.x.data()[i] = a.x.data()[i] + half * (b.x.data()[i] - a.x.data()[i]); });
    return !is_at(middle, a, l) && !is_at(middle, b, l);
  }
  ENSUE_HD bool is_at(const place& a, const place& b, int l) const {
    if (lane(a.t, l) != lane(b.t, l)) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(now.x.size()); ++i)
      if (detail::element_in_lane(a.x, i, l) != detail::element_in_lane(b.x, i, l)) return false;
    return true;
  }
  /// Between f at two places, squared, in units of the tolerance.
  ENSUE_HD double distance(const place& a, const place& b, int l) {
    return static_cast<double>(lane(this->measure_.squared_norm(now.x, [&](std::size_t i) { return value_of(b.dx.data()[i]) - value_of(a.dx.data()[i]); }), l));
  }
  ENSUE_HD double size(const place& a, int l) {
    return static_cast<double>(lane(this->measure_.squared_norm(now.x, [&](std::size_t i) { return value_of(a.dx.data()[i]); }), l));
  }
  ENSUE_HD bool is_nearer(const place& p, const place& to, const place& than, int l) { return distance(p, to, l) < distance(p, than, l); }

  /// Whether f jumps within a few steps, and the motion leads back across the jump.
  ENSUE_COLD ENSUE_HD bool chatters(int l) {
    place a{now.t, now.x, now.x}, b = a, middle = a;
    if (!ask(a, l)) return false;
    for (int k = 0; k < 64; ++k) {
      move(a, 1, l, b);
      if (!ask(b, l)) return false;
      if (const double change = distance(a, b, l); change > 0.01 * (size(a, l) + size(b, l))) {
        place before = a, after = b;
        if (narrow_to_jump(before, after, middle, l) && distance(before, after, l) > 0.25 * change && leads_back(before, after, l)) {
          each_[l].component = component_that_jumps(before, after, l);
          return true;
        }
      }
      exchange_places(a, b);
    }
    return false;
  }

  /// Between two places, to neighbouring numbers. False: f has no value somewhere.
  ENSUE_HD bool narrow_to_jump(place& before, place& after, place& middle, int l) {
    for (int k = 0; k < 100 && halve(before, after, l, middle); ++k) {
      if (!ask(middle, l)) return false;
      exchange_places(middle, is_nearer(middle, before, after, l) ? before : after);
    }
    return true;
  }

  /// Whether the motion that begins right after a jump comes back to before it, at once and with the time held: what jumps with the time
  /// does not lead back, nor does an oscillation about the jump.
  ENSUE_HD bool leads_back(const place& before, const place& after, int l) {
    place p = after, next = after;
    for (int k = 0; k < 64; ++k) {
      move(p, 1e-3, l, next);
      next.t = after.t;
      if (!ask(next, l)) return false;
      if (is_nearer(next, before, after, l)) return true;
      exchange_places(p, next);
    }
    return false;
  }
  ENSUE_HD static void exchange_places(place& a, place& b) {
    const place kept = a;
    a = b;
    b = kept;
  }

  ENSUE_HD std::int64_t component_that_jumps(const place& before, const place& after, int l) {
    std::int64_t found = report::nowhere;
    double most = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(now.x.size()); ++i) {
      const double jump = static_cast<double>(magnitude(detail::element_in_lane(after.dx, i, l) - detail::element_in_lane(before.dx, i, l)));
      const double allowed = static_cast<double>(lane(this->measure_.atol()[i], l)) +
                             static_cast<double>(lane(this->measure_.rtol()[i], l) * magnitude(detail::element_in_lane(now.x, i, l)));
      if (jump / allowed > most) most = jump / allowed, found = static_cast<std::int64_t>(i);
    }
    return found;
  }

  /// Whether f has no value a step further along f, or right beside the state.
  ENSUE_HD bool is_at_edge(int l) {
    place a{now.t, now.x, now.x}, b = a;
    if (!ask(a, l)) return true;
    move(a, 2, l, b);
    return !ask(b, l);
  }

  /// The component without whose change f would still have a value at the next place that has none; nowhere: it is not known.
  ENSUE_COLD ENSUE_HD std::int64_t component_at_edge(int l) {
    place a{now.t, now.x, now.x}, b = a, middle = a;
    const auto components = static_cast<std::size_t>(now.x.size());
    if (!ask(a, l) || components > 400) return report::nowhere;
    bool found = false;
    for (double far = 1; far < 1e12 && !found; far *= 2) {
      move(a, far, l, b);
      found = !ask(b, l);
    }
    for (std::size_t i = 0; found && i < components; ++i) {
      middle.x = a.x;
      middle.x.data()[i] = b.x.data()[i];
      if (!ask(middle, l)) return static_cast<std::int64_t>(i);
    }
    for (std::size_t i = 0; i < components; ++i)  // where f is 0 at the edge, it does not lead beyond
      for (const double side : {-1e-6, 1e-6}) {
        middle.x = a.x;
        middle.x.data()[i] = a.x.data()[i] + static_cast<base>(side) * (real(1) + magnitude(value_of(a.x.data()[i])));
        if (!ask(middle, l)) return static_cast<std::int64_t>(i);
      }
    return report::nowhere;
  }

  progress each_[lanes];
};

}  // namespace ensue
