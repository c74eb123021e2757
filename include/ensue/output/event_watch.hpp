/// The search for events in each step of a run (events.hpp says what they are).
///
/// g is sampled at points of the step's dense output. A change of sign between two of them is a root; where |g| dips between
/// samples of one sign, the dip is followed to its ground, and two roots are found if it lies beyond zero. Where g changes its sign more often than
/// samples can be trusted to show, it is sampled more finely, and the next step at least as finely as that.
#pragma once

#include <ensue/model/mass_matrix.hpp>
#include <ensue/output/observe.hpp>
#include <ensue/output/root.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ensue {

namespace detail {
/// Whether f may be another thing than x'.
template <class Integrator> inline constexpr bool may_have_mass = false;
template <class System, class State, class Method>
inline constexpr bool may_have_mass<integrator<System, State, Method>> = has_mass_matrix<System, State>;
}  // namespace detail

/// Which zeros count, seen along the run (of one that goes backwards, in the order in which it meets them).
enum class crossing : unsigned char { any, rising, falling };

/// `Events` has size(), which(i), value(i, t, x) and act(i, t, x).
template <class Integrator, class Events> class event_watch {
 public:
  using step = observed_step<Integrator>;
  using real = typename step::real;

  struct root {
    real t;
    std::size_t event;
    int to_side;  ///< on which g is after it
  };
  using roots = std::vector<root>;

  event_watch(Integrator& sim, Events& events)
      : sim_(sim),
        events_(events),
        x_(sim.snapshot()),
        probe_(x_),
        each_(events.size()),
        values_(events.size() * (fewest_intervals + 1)),
        started_(sim.time()) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      each_[i].value = value(i, sim.time());
      each_[i].starts_at_rest = each_[i].value == 0 && knows_slope() && changes_state(i) && rests_now(i);
      each_[i].side = sign(each_[i].value);
      each_[i].last_fired = sim.time();
      each_[i].stopped_here = sim.ending().how == outcome::stopped_by_event && sim.ending().event == static_cast<int>(i) &&
                              sim.ending().t == static_cast<double>(sim.time());
    }
  }

  static void see(const step&) {}
  bool looks_between_steps() const { return !each_.empty(); }

  /// All roots of the step. False: the run is over, because a g was no number.
  bool search(const step& s) {
    roots_.clear();
    next_ = 0;
    if (!sampled_finely(s)) return false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (each_[i].rests && goes_through(i)) return come_to_rest(i, s);
      if (each_[i].side == 0 || each_[i].stopped_here) leave_zero(i, s);
      each_[i].stopped_here = false;
      scan(i, s);
    }
    std::sort(roots_.begin(), roots_.end(), [&](const root& a, const root& b) {
      return a.t != b.t ? (s.backwards() ? a.t > b.t : a.t < b.t) : a.event < b.event;
    });
    return true;
  }

  bool has_next() const { return next_ < roots_.size(); }
  const real& next_time() const { return roots_[next_].t; }

  /// The events at the next time act, together.
  reaction fire(const step& s) {
    const real t = next_time();
    if (const int i = unresolved(s, t); i >= 0) return come_to_rest(static_cast<std::size_t>(i), s), reaction::stop;
    s.at(t, x_);
    reaction strongest = reaction::go_on;
    int who = -1;
    for (std::size_t i = 0; i < each_.size(); ++i) each_[i].fired = false, each_[i].value = value(i, t);
    for (; has_next() && magnitude(next_time() - t) <= 4 * epsilon<real> * magnitude(t); ++next_) {
      const std::size_t i = roots_[next_].event;
      if (each_[i].fired) continue;
      each_[i].fired = true;
      each_[i].last_to_side = roots_[next_].to_side;
      const reaction asked = events_.act(i, t, as_argument(x_));
      if (who < 0 || asked > strongest) strongest = asked, who = static_cast<int>(i);
    }
    if (strongest == reaction::go_on) {
      for (std::size_t i = 0; i < each_.size(); ++i)  // a contact from which nothing lifts the motion off
        if (each_[i].fired && each_[i].starts_at_rest) return come_to_rest(i, s), reaction::stop;
      return strongest;
    }
    sim_.set_state(t, as_argument(x_));
    if (strongest == reaction::stop) {
      sim_.end_with(outcome::stopped_by_event, who);
      return strongest;
    }
    if (accumulate(t)) {
      sim_.end_with(outcome::events_accumulating, who);
      return reaction::stop;
    }
    depart(t, s.to - s.from);
    return strongest;
  }

  /// The step is over, with nothing changed.
  void pass() {
    for (std::size_t i = 0; i < each_.size(); ++i) {
      each_[i].value = sample(intervals_, i);
      each_[i].side = each_[i].side_at_end;
      each_[i].fired = each_[i].departs = false;
      // Where g has stayed at its zero, and is not about to leave it, something holds the motion there.
      const bool waits = (each_[i].starts_at_rest || each_[i].rests) && each_[i].side == 0 && !rests_at_end(i);
      each_[i].starts_at_rest = each_[i].starts_at_rest && waits;
      each_[i].rests = each_[i].rests && waits;
    }
  }

 private:
  /// Roots further apart than a twelfth of the step are never in one interval.
  static constexpr int fewest_intervals = 12;
  /// Others that are tried, in turn: none a multiple of another, so that what keeps step with one does not with the next.
  static constexpr int finer[] = {31, 83, 211, 547, 1427, 3719, 9697};
  static constexpr int trusted_changes = 3;      ///< of sign, in a step of the fewest intervals
  static constexpr int intervals_to_change = 4;  ///< at least, where more are
  static constexpr real beside = real(1e-5);  ///< of an interval: near enough to a sample to see which way g goes there
  static constexpr int shrinking_to_accumulate = 8;

  struct each {
    real value = 0;       ///< of g where the step starts
    int side = 0;         ///< the sign that g has had so far; 0: not known, it has been zero
    int side_at_end = 0;  ///< the same at the end of the step
    bool fired = false;   ///< at the last time of events
    bool starts_at_rest = false;  ///< the run starts at its zero, where g has no slope, and its change is tried
    bool rests = false;           ///< its change has left g at its zero and without a slope
    bool departs = false;         ///< its change was made where this step starts
    bool stayed = false;          ///< and left g as it was
    int last_to_side = 0;         ///< of the last root
    bool stopped_here = false;  ///< it ended the run before, at this time: its root may be a rounding away, on either side
    real last_fired = 0, last_wait = infinity<real>;
    int shrinking = 0;  ///< so often in a row the wait was shorter than the one before
  };

  /// Whether a value is its zero but for rounding, beside one that it changes by `slope` over a thousandth of a step.
  static bool is_at_zero(const real& value, const real& slope) { return magnitude(value) <= real(1e-6) * magnitude(slope); }
  static int sign(const real& v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }
  real& sample(int k, std::size_t i) { return values_[static_cast<std::size_t>(k) * events_.size() + i]; }
  real value(std::size_t i, const real& t) { return events_.value(i, t, std::as_const(as_argument(x_))); }
  real value_at(const step& s, std::size_t i, const real& t) {
    s.at(t, x_);
    return value(i, t);
  }
  real time(const step& s, real k) const { return k == real(intervals_) ? s.to : s.from + (s.to - s.from) * (k / real(intervals_)); }

  /// In as many intervals as the changes of sign ask for: until finer samples show no more of them. False: a g was no number.
  bool sampled_finely(const step& s) {
    const real length = magnitude(s.to - s.from);
    int level = -1;  // of `finer`
    constexpr int last = static_cast<int>(std::size(finer)) - 1;
    while (level < last && real(level < 0 ? fewest_intervals : finer[level]) * wait_ < real(intervals_to_change) * length) ++level;
    if (!sampled(s, level)) return false;
    int changes = sign_changes();
    const bool as_before = level >= 0 && changes * intervals_to_change <= intervals_;
    while (changes > trusted_changes && level < last && !as_before) {
      const int before = changes;
      if (!sampled(s, ++level)) return false;
      changes = sign_changes();
      if (changes == before && changes * intervals_to_change <= intervals_) break;
    }
    wait_ = changes > trusted_changes ? length / real(changes) : infinity<real>;
    return true;
  }

  /// Of the g that has the most.
  int sign_changes() {
    int most = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      int changes = 0;
      for (int k = 1; k <= intervals_; ++k) changes += sign(sample(k, i)) * sign(sample(k - 1, i)) < 0 ? 1 : 0;
      most = changes > most ? changes : most;
    }
    return most;
  }

  bool sampled(const step& s, int level) {
    intervals_ = level < 0 ? fewest_intervals : finer[level];
    if (level >= 0) values_.resize(events_.size() * (static_cast<std::size_t>(intervals_) + 1));
    for (std::size_t i = 0; i < events_.size(); ++i) sample(0, i) = each_[i].value;
    for (int k = 0; k <= intervals_; ++k) {
      if (k > 0) s.at(time(s, real(k)), x_);
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (k > 0) sample(k, i) = value(i, time(s, real(k)));
        if (sample(k, i) == sample(k, i)) continue;
        s.at(s.from, x_);
        sim_.set_state(s.from, as_argument(x_));
        sim_.end_with(outcome::event_not_finite, static_cast<int>(i));
        return false;
      }
    }
    return true;
  }

  /// Whether g has no slope along the motion at the present time and state.
  bool rests_now(std::size_t i) {
    const auto& dx = sim_.derivative();
    for (std::size_t j = 0; j < static_cast<std::size_t>(x_.size()); ++j) probe_.data()[j] = x_.data()[j] + real(1e-3) * dx.data()[j];
    return events_.value(i, sim_.time() + real(1e-3), std::as_const(as_argument(probe_))) == value(i, sim_.time());
  }

  bool rests_at_end(std::size_t i) {
    std::copy_n(sim_.state().data(), static_cast<std::size_t>(x_.size()), x_.data());
    return rests_now(i);
  }

  /// An event that happens at time t again, after the change that it made at the start of the step, although g was not seen to leave its zero
  /// in between by more than rounding; −1: there is none. What bounces there is at rest, as far as numbers show. (Its next change would be made
  /// on the way up.)
  int unresolved(const step& s, const real& t) {
    for (std::size_t r = next_; r < roots_.size() && roots_[r].t == t; ++r) {
      const std::size_t i = roots_[r].event;
      if (!each_[i].departs) continue;
      const real half = s.from + real(0.5) * (t - s.from), middle = value_at(s, i, half);
      const real least = maximum(rounding_of(i, half, middle), each_[i].stayed ? magnitude(sample(0, i)) : real(0));
      if (sign(middle) != -roots_[r].to_side || magnitude(middle) <= least) return static_cast<int>(i);
    }
    return -1;
  }

  /// How far g = `here` at (t, x_) is changed by the rounding of the state.
  real rounding_of(std::size_t i, const real& t, const real& here) {
    real most(0);
    for (const real side : {real(1), real(-1)}) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(x_.size()); ++j)
        probe_.data()[j] = x_.data()[j] + (j % 2 == 0 ? side : -side) * (2 * epsilon<real>) * magnitude(x_.data()[j]);
      most = maximum(most, magnitude(events_.value(i, t, std::as_const(as_argument(probe_))) - here));
    }
    return most;
  }

  /// After a change that has left g at its zero and at rest: whether the motion leaves it for the side that the change was to keep it from, or
  /// for none so far. Then the change does not help, however often it is made: a ball that lies on the floor.
  bool goes_through(std::size_t i) {
    const int to = leaves_for(i);
    if (to == 0) return false;
    each_[i].rests = false;
    each_[i].side = to;
    return to == each_[i].last_to_side;
  }
  /// The side for which g leaves the value that it has at the start of the step; 0: it stays.
  int leaves_for(std::size_t i) {
    for (int k = 1; k <= intervals_; ++k)
      if (const int to = sign(sample(k, i) - sample(0, i)); to != 0) return to;
    return 0;
  }

  /// Ends the run at the start of the step. Returns false.
  bool come_to_rest(std::size_t i, const step& s) {
    s.at(s.from, x_);
    sim_.set_state(s.from, as_argument(x_));
    sim_.end_with(outcome::events_accumulating, static_cast<int>(i));
    return false;
  }

  /// Where g is zero at the start of a step: which side it leaves for. A run that starts there does not fire, but where an event that changes
  /// the state starts at rest, its slope being zero, and leaves in the direction that counts.
  void leave_zero(std::size_t i, const step& s) {
    each_[i].side = departure(i, s);
    if (!each_[i].starts_at_rest || each_[i].stopped_here) return;
    const int to = leaves_for(i);
    if (to == 0) return;
    each_[i].side = to;
    if (counts(i, to)) roots_.push_back({s.from, i, to});
    else each_[i].starts_at_rest = false;
  }
  /// Whether the slope of g along f is that along the motion.
  bool knows_slope() const {
    if constexpr (requires { events_.motion_is_f; }) return events_.motion_is_f;
    else return !detail::may_have_mass<Integrator>;
  }
  bool changes_state(std::size_t i) const {
    if constexpr (requires { events_.changes_state(i); }) return events_.changes_state(i);
    else return false;
  }

  /// The side on which g leaves zero: from its slope, along the derivative at the start of the step, because the first sample may
  /// lie beyond the next root.
  int departure(std::size_t i, const step& s) {
    s.at(s.from, x_);
    probe_ = x_;
    s.at(s.from + (s.to - s.from) * real(1e-6), probe_);
    // a line through two points of the curve that are close together, continued: its slope is g's, without the curve's bend
    for (std::size_t j = 0; j < static_cast<std::size_t>(x_.size()); ++j)
      probe_.data()[j] = x_.data()[j] + real(1e3) * (probe_.data()[j] - x_.data()[j]);
    const real there = events_.value(i, s.from + (s.to - s.from) * real(1e-3), std::as_const(as_argument(probe_)));
    const real here = value(i, s.from), slope = there - here;
    return is_at_zero(here, slope) ? sign(slope) : sign(here);
  }

  void scan(std::size_t i, const step& s) {
    each& e = each_[i];
    int side = e.side, left = 0, zero = 0;  // the last sample that is known to lie on this side, and the first zero after it, if there is one
    if (side != 0 && sign(sample(0, i)) != side) {
      if (sign(sample(1, i)) == -side) return_soon(i, s, side);
      if (sign(sample(1, i)) != 0) side = sign(sample(1, i));
      left = 1;
    }
    for (int k = left + 1; k <= intervals_; ++k) {
      const int now = sign(sample(k, i));
      if (now == 0) {
        if (zero == 0) zero = k;
        continue;
      }
      if (side == -now && zero > 0) {
        meet_zero(i, s, side, left, zero);
      } else if (side == -now) {
        locate(i, s, real(left), sample(left, i), real(k), sample(k, i));
      } else if (side == now && k > left) {
        look_for_dip(i, s, left, k);
      }
      side = now;
      left = k, zero = 0;
    }
    if (zero > 0 && side != 0) {
      meet_zero(i, s, side, left, zero);
      side = 0;
    }
    e.side_at_end = side;
  }

  bool counts(std::size_t i, int to_side) const {
    return events_.which(i) == crossing::any || (events_.which(i) == crossing::rising) == (to_side > 0);
  }

  /// A root at sample `zero`; or sooner after `left`, where g has become zero and stayed so.
  void meet_zero(std::size_t i, const step& s, int side, int left, int zero) {
    if (!counts(i, -side)) return;
    const auto is_zero = [&](real k) { return value_at(s, i, time(s, k)) == 0; };
    real a = real(left), b = real(zero);
    if (is_zero(b - beside))
      for (real m = (a + b) / 2; m != a && m != b; m = (a + b) / 2) (is_zero(m) ? b : a) = m;
    roots_.push_back({time(s, b), i, -side});
  }

  /// A root between samples at the (broken) numbers a and b.
  void locate(std::size_t i, const step& s, real a, real at_a, real b, real at_b) {
    const int to = sign(at_b) != 0 ? sign(at_b) : -sign(at_a);
    if (!counts(i, to)) return;
    if (at_a == 0 || at_b == 0) return roots_.push_back({time(s, at_a == 0 ? a : b), i, to});
    const auto g = [&](const real& t) { return value_at(s, i, t); };
    roots_.push_back({find_root(time(s, a), at_a, time(s, b), at_b, g), i, to});
  }

  /// g left zero for `side` and was back before the first sample: nearer and nearer to the start, where was it on that side? If
  /// nowhere, an event that has just acted comes back at once.
  void return_soon(std::size_t i, const step& s, int side) {
    real b = 1, at_b = sample(1, i);
    for (int j = 0; j < 24; ++j) {
      const real a = b / 4, at_a = value_at(s, i, time(s, a));
      if (sign(at_a) == side) return locate(i, s, a, at_a, b, at_b);
      b = a, at_b = at_a;
    }
    if (each_[i].fired && counts(i, -side)) roots_.push_back({time(s, b), i, -side});
  }

  /// Samples `left` and `right` have one sign. If |g| comes down between them or to both sides of one of them, down to where?
  void look_for_dip(std::size_t i, const step& s, int left, int right) {
    const auto size = [&](int k) { return magnitude(sample(k, i)); };
    if (left > 0 && sign(sample(left - 1, i)) == sign(sample(left, i)) && size(left) < size(left - 1) &&
        size(left) <= size(right))
      return follow_dip(i, s, real(left - 1), real(left), real(right));
    if (left == 0 && size(0) < size(right)) {
      const real at = value_at(s, i, time(s, beside));
      if (sign(at) != sign(sample(0, i)) || magnitude(at) < size(0)) follow_dip(i, s, 0, beside, real(right));
    }
    if (right == intervals_ && size(right) < size(left)) {
      const real at = value_at(s, i, time(s, real(intervals_) - beside));
      if (sign(at) != sign(sample(right, i)) || magnitude(at) < size(right))
        follow_dip(i, s, real(left), real(intervals_) - beside, real(right));
    }
  }

  /// The least |g| between a and c, where b lies between and lower than both: by parabolas and golden sections, until it is
  /// beyond zero or a parabola through the three says that it will not be.
  void follow_dip(std::size_t i, const step& s, real a, real b, real c) {
    const auto at = [&](real k) { return value_at(s, i, time(s, k)); };
    const real start = a, at_start = at(a), end = c, at_end = at(c);
    const int side = sign(at_start);
    real fa = side * at_start, fb = side * at(b), fc = side * at_end;
    for (int j = 0; j < 60 && fb > 0; ++j) {
      const real u = (b - a) * (fb - fc), v = (b - c) * (fb - fa);
      real vertex = b - real(0.5) * ((b - a) * u - (b - c) * v) / (u - v);
      if (!(vertex > a && vertex < c)) vertex = b;
      // Newton's form of the parabola, at its vertex
      const real first = (fb - fa) / (b - a), second = ((fc - fb) / (c - b) - first) / (c - a);
      const real ground = fa + (vertex - a) * (first + second * (vertex - b));
      if (j > 1 && ground > real(0.5) * fb) return;
      const real m = j % 2 == 0 && magnitude(vertex - b) > real(1e-3) * (c - a) ? vertex
                     : (c - b > b - a)                                          ? b + real(0.382) * (c - b)
                                                                                : b - real(0.382) * (b - a);
      if (m == b || !(c - a > real(1e-9))) return;
      const real fm = side * at(m);
      if (fm < fb) {
        (m > b ? a : c) = b, (m > b ? fa : fc) = fb;
        b = m, fb = fm;
      } else {
        (m > b ? c : a) = m, (m > b ? fc : fa) = fm;
      }
    }
    if (fb > 0) return;
    locate(i, s, start, at_start, b, side * fb);
    locate(i, s, b, side * fb, end, at_end);
  }

  /// After a change at time t: where each g is now, and on which side. `length`: of the step that was cut, with its sign.
  void depart(const real& t, const real& length) {
    const real ahead = real(1e-3) * length;
    const auto& dx = sim_.derivative();
    for (std::size_t j = 0; j < static_cast<std::size_t>(x_.size()); ++j)
      probe_.data()[j] = x_.data()[j] + ahead * dx.data()[j];
    for (std::size_t i = 0; i < each_.size(); ++i) {
      const real before = each_[i].value;
      each_[i].value = value(i, t);
      each_[i].side = sign(each_[i].value);
      each_[i].departs = each_[i].fired;
      each_[i].starts_at_rest = each_[i].rests = false;
      if (!each_[i].fired && each_[i].side != 0) continue;
      const real slope = events_.value(i, t + ahead, std::as_const(as_argument(probe_))) - each_[i].value;
      each_[i].stayed = each_[i].value == before;
      if (each_[i].value == before || is_at_zero(each_[i].value, slope)) {
        each_[i].side = sign(slope);
        each_[i].rests = each_[i].fired && slope == 0 && knows_slope();
      }
    }
  }

  /// Whether changes come ever sooner, with nothing left to wait for.
  bool accumulate(const real& t) {
    bool nothing_left = false;
    for (each& e : each_) {
      if (!e.fired) continue;
      const real wait = magnitude(t - e.last_fired), scale = maximum(magnitude(t), magnitude(t - started_));
      e.shrinking = wait < e.last_wait || wait <= 16 * epsilon<real> * scale ? e.shrinking + 1 : 0;
      nothing_left = nothing_left || (e.shrinking >= shrinking_to_accumulate &&
                                      wait <= maximum(real(1e-10), 64 * epsilon<real>) * scale);
      e.last_fired = t;
      e.last_wait = wait;
    }
    return nothing_left;
  }

  using storage = std::remove_cvref_t<decltype(std::declval<const Integrator&>().snapshot())>;

  Integrator& sim_;
  Events& events_;
  storage x_, probe_;
  std::vector<each> each_;
  int intervals_ = fewest_intervals;  ///< of this step
  real wait_ = infinity<real>;        ///< between two changes of sign of the last step, where it had many
  std::vector<real> values_;
  roots roots_;
  std::size_t next_ = 0;
  real started_;
};

}  // namespace ensue
