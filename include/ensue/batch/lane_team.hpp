/// The lanes of a pack, each with a trajectory of its own, which run until one of them has come to its end or has to be given up. For lane_feed.hpp alone.
#pragma once

#include <ensue/step/plain_stepping.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace ensue {

/// A system whose trajectories have parameters of their own, the last argument: f(t, x, dx, p).
template <class System, class Parameters> struct with_parameters {
  System system;
  Parameters p;

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x, DX& dx) {
#if !defined(__CUDACC__)
    static_assert(!detail::takes_derivative_by_value<System, DX, Parameters>(), "ensue: this system takes dx" ENSUE_WRITES_A_COPY);
#endif
    return system(t, x, dx, std::as_const(p));
  }
};
template <class System> inline constexpr bool has_parameters = false;
template <class System, class Parameters> inline constexpr bool has_parameters<with_parameters<System, Parameters>> = true;

namespace detail {
/// What is left of an attempt by steppers that leave something to be judged later.
template <class Stepper> struct remains_of {
  struct type {};
};
template <class Stepper>
  requires requires { typename Stepper::remains; }
struct remains_of<Stepper> {
  using type = typename Stepper::remains;
};
}  // namespace detail

template <class System, state State, class Method> class lane_team : plain_stepping<System, State, Method> {
  using steps = plain_stepping<System, State, Method>;

 public:
  using typename steps::count, typename steps::mask, typename steps::motion, typename steps::real;
  using steps::is_usual, steps::lanes;
  static constexpr std::uint32_t every_lane = static_cast<std::uint32_t>((std::uint64_t(1) << lanes) - 1);

  /// Where trajectories end, and steps that may be near the smallest on the way.
  struct limits {
    real t_end, smallest_step;
  };
  ENSUE_INLINE static limits limits_of(const real& t, const real& t_end, const options<State>& s) { return {t_end, steps::least_usual_step(t, t_end, s.min_step)}; }

  /// Whose lanes are like those of a motion before its first step, but nobody's.
  lane_team(const System& model, const options<State>& s, const motion& like, const limits& of)
      : steps(model, s, static_cast<std::size_t>(like.x.size()), like.stepper.estimate_order(), digits_told(like.stepper), overlooks_jumps(like.stepper)), now_(like), limits_(of),
        surely_above_rounding_(largest_above_rounding(steps::measure_, static_cast<std::size_t>(like.x.size()))),
        cost_(steps::evaluations_of_attempt(like.stepper) + (steps::keeps_first_derivative ? 0 : 1)),
        affordable_(std::min<std::int64_t>((s.max_evaluations - evaluations_before) / cost_, std::numeric_limits<std::int32_t>::max())),
        between_reviews_(std::max<std::int64_t>(evaluations_between_reviews / cost_, 1)), review_at_(std::min(affordable_, between_reviews_)) {}

  /// Whether teams can run with such settings. (Sums that are compensated have no room in them.)
  static bool suits(const options<State>& s) { return !s.compensated && s.max_evaluations > 1000; }

  /// One attempt of every lane.
  template <bool Usual> ENSUE_INLINE void attempt() {
    if constexpr (steps::may_forget) {
      motion m = now_.for_next_step();  // in registers
      const auto seen = attempted_by<Usual>(m);
      go_on_from<Usual>(m);
      write_down(seen);
    } else write_down(attempted_by<Usual>(now_));
    ++attempts_;
  }

  using steps::may_be_judged_later;
  /// An attempt of every lane that is still to be judged.
  struct open_attempt {
    lane_team* of;
    typename steps::attempted seen;
    typename detail::remains_of<typename steps::stepper>::type left;
  };

  /// One between whose stages another team's is judged: what follows from an error takes long to compute and keeps few units busy. Then this one is open.
  ENSUE_INLINE void attempt(open_attempt& open) {
    run_stages(open, [&open](auto stage) ENSUE_INLINE_LAMBDA { open.of->template go_on_judging<decltype(stage)::value>(open); });
  }
  /// The first one, before which there is none to be judged.
  ENSUE_INLINE open_attempt open() {
    open_attempt first{this, {}, {now_.x, now_.x, now_.x}};
    run_stages(first, nothing_meanwhile{});
    return first;
  }

  /// Whether lanes have ended, or have to be looked at for another reason.
  ENSUE_INLINE bool is_due() const { return (finished_ | given_up_) != 0 || attempts_ >= review_at_ || is_cancelled(); }

  /// Of lanes with a trajectory, as bits, those that have finished and those to be given up. From then on they are nobody's.
  struct ended_lanes {
    std::uint32_t finished, given_up;
  };
  ENSUE_INLINE ended_lanes conclude() {
    if (attempts_ >= review_at_ || is_cancelled()) review();
    const std::uint32_t sound = finished_ & busy_ & lane_bits(finite(now_.x)), lost = (finished_ | given_up_) & busy_ & ~sound;
    busy_ &= ~(sound | lost);
    finished_ = given_up_ = 0;
    return {sound, lost};
  }

  /// Lane l, which is nobody's, begins as lane `from` of a motion before its first step does; so do its limits and the model's parameters.
  template <bool Usual> ENSUE_INLINE void begin(int l, const System& model, const motion& ready, const limits& of, int from) {
    busy_ |= std::uint32_t(1) << l;
    begun_[l] = reviewed_[l] = attempts_;
    came_to_[l] = lane(ready.t, from);
    set_lane(rejected_, l, decltype(lane(rejected_, l))(0));
    before_[l] = lane(ready.statistics.evaluations, from);
    if constexpr (!steps::costs_alike) set_lane(now_.statistics.evaluations, l, std::int64_t(0));
    now_.template begin_lane<Usual>(l, ready, from);
    set_lane(limits_.t_end, l, lane(of.t_end, from));
    steps::quiet_.begin_span(l, lane(of.t_end, from) - lane(ready.t, from));
    set_lane(limits_.smallest_step, l, lane(of.smallest_step, from));
    if constexpr (has_parameters<System>)
      for_each_element(model.p, [&](std::size_t i) ENSUE_INLINE_LAMBDA { set_lane(steps::system.p.data()[i], l, lane(model.p.data()[i], from)); });
  }

  ENSUE_INLINE std::uint32_t nobodys() const { return every_lane & ~busy_; }
  ENSUE_INLINE std::int64_t attempts() const { return attempts_; }
  ENSUE_INLINE const motion& now() const { return now_; }
  /// What a lane's trajectory has cost.
  ENSUE_INLINE run_statistics<std::int64_t> spent(int l) const {
    const std::int64_t attempts = attempts_ - begun_[l], rejected = static_cast<std::int64_t>(lane(rejected_, l));
    run_statistics<std::int64_t> all;
    all.steps = attempts - rejected;
    all.rejected = rejected;
    if constexpr (steps::costs_alike) all.evaluations = before_[l] + attempts * cost_;
    else all.evaluations = before_[l] + lane(now_.statistics.evaluations, l);
    return all;
  }

 private:
  template <class Meanwhile> ENSUE_INLINE void run_stages(open_attempt& open, Meanwhile meanwhile) {
    motion m = now_.for_next_step();  // in registers
    const auto seen = steps::begin_attempt(m, limits_.t_end);
    m.stepper.template attempt<false>(steps::system, m.t, seen.t_new, seen.step, m.x, mask(true), m.statistics.evaluations, meanwhile);
    ++attempts_;
    open.of = this;
    open.seen = seen;
    m.stepper.leave(open.left);
  }

  template <bool Usual> ENSUE_INLINE typename steps::attempted attempted_by(motion& m) {
    auto seen = steps::begin_attempt(m, limits_.t_end);
    steps::template run_and_judge<Usual>(m, seen);
    choose_length<Usual>(m, seen);
    if (lanes > 1 || any(seen.accepted)) steps::install(m, seen);
    return seen;
  }
  template <bool Usual> ENSUE_INLINE void choose_length(motion& m, typename steps::attempted& seen) const {
    steps::template choose_length<Usual>(m, seen, limits_.smallest_step, steps::law_.most_after_accept(m.history.just_rejected));
    m.history.just_rejected = (!seen.accepted) | (m.history.just_rejected & seen.near);
  }

  /// Judges this team's open attempt, in three parts, each after a stage of another's.
  template <int Stage> ENSUE_INLINE void go_on_judging(open_attempt& open) {
    constexpr int stages = steps::stepper::stages - 1;
    if constexpr (Stage == 0) steps::judge(now_, open.seen, steps::error_of(now_, open.seen, open.left));
    if constexpr (Stage == stages / 3) choose_length<true>(now_, open.seen);
    if constexpr (Stage == 2 * stages / 3) {
      now_.stepper.accept_and_forget(open.seen.accepted, now_.x, open.left);
      now_.t = select(open.seen.accepted, open.seen.t_new, now_.t);
      write_down(open.seen);
    }
  }

  ENSUE_INLINE void write_down(const typename steps::attempted& seen) {
    rejected_ = rejected_ + select(seen.accepted, tally(0), tally(1));
    finished_ = lane_bits(seen.accepted & seen.last & !seen.unusual);
    given_up_ = lane_bits(seen.unusual | ((!seen.accepted) & may_be_below_rounding())) & ~finished_;
  }
  ENSUE_INLINE mask may_be_below_rounding() const {
    if (!steps::measure_.may_be_below_rounding()) return mask(false);
    return largest_of(now_.x) > surely_above_rounding_;
  }

  /// Counts that need not be longer than the numbers beside them.
  static auto tally_beside(const real& x) {
    if constexpr (requires { bits_of(x); }) return bits_of(x);
    else return std::uint64_t(0);
  }
  using tally = decltype(tally_beside(std::declval<real>()));
  ENSUE_INLINE bool is_cancelled() const { return steps::settings.cancel && steps::settings.cancel->load(std::memory_order_relaxed); }

  template <bool Usual> ENSUE_INLINE void go_on_from(const motion& m) {
    now_.x = m.x;
    now_.t = m.t;
    now_.h = m.h;
    now_.stepper.template go_on_from<false>(m.stepper);
    if constexpr (Usual) now_.history.just_rejected = m.history.just_rejected;
    else now_.history = m.history;
    if constexpr (steps::may_be_cautious) now_.history.limit = m.history.limit;
    if constexpr (!steps::costs_alike) now_.statistics.evaluations = m.statistics.evaluations;
  }

  /// Gives up lanes that may not be able to pay for another attempt or, at their pace, for the rest of their span; or all.
  __attribute__((noinline)) void review() {
    review_at_ = attempts_ + std::min(affordable_, between_reviews_);
    for (int l = 0; l < lanes; ++l) {
      const std::int64_t until = begun_[l] + affordable_;
      if (until <= attempts_ || is_cancelled() || is_too_slow(l, until - attempts_)) given_up_ |= (std::uint32_t(1) << l) & ~finished_;
      else if (until < review_at_) review_at_ = until;
    }
  }

  /// Whether what is left takes more attempts than so many, at the pace since the last review. The loop that it is left to finds out why (progress.hpp).
  bool is_too_slow(int l, std::int64_t affordable) {
    const std::int64_t since = attempts_ - reviewed_[l];
    if (since < between_reviews_) return false;
    const auto t = lane(now_.t, l), came = magnitude(t - came_to_[l]), left = magnitude(lane(limits_.t_end, l) - t);
    reviewed_[l] = attempts_;
    came_to_[l] = t;
    return !(static_cast<double>(left) * static_cast<double>(since) <= static_cast<double>(came) * static_cast<double>(affordable));
  }

  static constexpr std::int64_t evaluations_between_reviews = 1 << 15;
  static constexpr std::int64_t evaluations_before = 2;  ///< at most, a trajectory's first step: its derivative and how that changes

  motion now_;
  limits limits_;
  real surely_above_rounding_;
  std::uint32_t finished_ = 0, given_up_ = 0, busy_ = 0;  // by the last attempt; lanes with a trajectory: a bit a lane
  std::int64_t attempts_ = 0, cost_, affordable_, between_reviews_, review_at_;  // cost_: evaluations of an attempt, at most
  std::int64_t reviewed_[lanes] = {};  // after so many attempts, and when they were then:
  typename steps::base came_to_[lanes] = {};
  std::int64_t begun_[lanes] = {}, before_[lanes] = {};  // after so many attempts, and evaluations
  tally rejected_ = tally(0);
};

}  // namespace ensue
