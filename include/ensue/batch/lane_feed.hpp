/// What keeps lanes busy: takes the trajectories of a batch in blocks, evaluates the first derivatives and first steps of a whole block at
/// once, hands them out to lanes that have become free, and writes down how the old ones ended. For batch.hpp alone.
#pragma once

#include <ensue/batch/threads.hpp>
#include <ensue/batch/trajectories.hpp>
#include <ensue/loop.hpp>

#include <bit>

namespace ensue {

/// A system whose trajectories have parameters of their own, the last argument: f(t, x, dx, p).
template <class System, class Parameters> struct with_parameters {
  System system;
  Parameters p;

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x, DX& dx) {
    return system(t, x, dx, std::as_const(p));
  }
};

/// What the trajectories of a batch start from and end at, and where their endings are written, if anywhere.
template <class States, class Parameters> struct batch_task {
  using base = typename States::value_type;
  States states;
  Parameters parameters;
  batch_spans<base> spans;
  std::span<trajectory_ending> endings;
};

template <class Task, class System, class State, class Method> class lane_feed {
 public:
  using loop = stepping_loop<System, State, Method>;
  using real = typename loop::real;
  using base = typename loop::base;
  using mask = typename loop::mask;
  using count = typename loop::count;
  static constexpr int lanes = loop::lanes;

  lane_feed(const Task& task, shared_work& work, loop& ready, loop& running) : task_(task), work_(work), ready_(ready), running_(running) {
    report_.method = running.now.stepper.name();
  }

  /// All of it, with steps that the error chooses: what the loop replaces lanes with until nothing is left.
  batch_report run_adaptive() {
    report_.attempts_of_lanes = lanes * running_.advance_replacing(*this);
    for (int l = 0; l < lanes; ++l) {
      report_.steps += lane(steps_, l);
      report_.rejected += lane(rejected_, l);
      report_.evaluations += lane(evaluations_, l);
    }
    return report_;
  }

  /// All of it in steps of one length. Lanes of a block end together where their spans are alike, so there is nothing to replace.
  batch_report run_fixed(const real& step) {
    while (load_block()) {
      ready_.advance_fixed(ready_end_, step);
      refuse_timeless();
      for (int l = 0; l < filled_; ++l) write_down_waiting(l);
    }
    return report_;
  }

  /// Called by the loop when the lanes of `ended` have, of which the unusual ones have something to report.
  __attribute__((noinline)) void take_back(const mask& ended, const mask& unusual, const ended_lanes<State>& left) {
    const std::uint32_t bits = lane_bits(ended);
    free_ |= bits;
    for (std::uint32_t rest = bits; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      put_back(index_[l], l, left);
    }
    steps_ = steps_ + select(ended, left.steps, count(0));
    rejected_ = rejected_ + select(ended, left.rejected, count(0));
    evaluations_ = evaluations_ + select(ended, left.evaluations, count(0));
    const auto many = static_cast<std::size_t>(std::popcount(bits));
    report_.trajectories += many;
    report_.finished += many;
    for (std::uint32_t rest = task_.endings.empty() ? lane_bits(unusual) : bits; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      write_ending(index_[l], l, left, running_.reports[l]);
    }
  }

  /// Trajectories for free lanes, those of the block that wait side by side; none where there are none left, or no free lane.
  __attribute__((noinline)) started_lanes<State, Method> next() {
    if (free_ == 0 || !find_next()) return {0, ready_.now, ready_end_, 0};
    const int first = waiting_;
    const std::uint32_t begun = first_bits(free_, std::countr_one(can_run_ >> first));
    free_ &= ~begun;
    for (std::uint32_t rest = begun; rest != 0; rest &= rest - 1) index_[std::countr_zero(rest)] = first_ + static_cast<std::size_t>(waiting_++);
    if constexpr (requires { running_.system.p; })
      for_each_element(running_.system.p, [&](std::size_t i) {
        auto& p = running_.system.p.data()[i];
        p = refilled(p, begun, ready_.system.p.data()[i], first);
      });
    return {begun, ready_.now, ready_end_, first};
  }

 private:
  /// Moves on to a waiting trajectory with a way to go; false: there is none left. Those that end before they begin are written down.
  bool find_next() {
    for (;; ++waiting_) {
      if (waiting_ == filled_ && !fill()) return false;
      if (can_run_ >> waiting_ & 1) return true;
      write_down_waiting(waiting_);
    }
  }

  /// The lowest of these bits, so many or all.
  static std::uint32_t first_bits(std::uint32_t bits, int most) {
    std::uint32_t rest = bits;
    for (; rest != 0 && most > 0; --most) rest &= rest - 1;
    return bits & ~rest;
  }

  /// The next block, ready to run; false: there is none.
  bool fill() {
    if (!load_block()) return false;
    waiting_ = 0;
    can_run_ = first_bits(every_lane, filled_) & lane_bits(ready_.prepare(ready_end_)) & ~timeless_;
    refuse_timeless();
    return true;
  }

  /// The next block at its start.
  bool load_block() {
    if (part_.begin == part_.end) part_ = work_.take();
    if (part_.begin == part_.end) return false;
    first_ = part_.begin;
    const std::size_t there = part_.end - part_.begin;
    filled_ = there < lanes ? static_cast<int>(there) : lanes;
    part_.begin += static_cast<std::size_t>(filled_);
    for (int l = 0; l < lanes; ++l) load(l, first_ + static_cast<std::size_t>(l < filled_ ? l : filled_ - 1));  // the last one fills the others and counts once
    load_times();
    ready_.start_anew();
    return true;
  }

  /// Trajectory i into lane l.
  void load(int l, std::size_t i) {
    for (std::size_t c = 0; c < task_.states.components(); ++c) set_lane(ready_.now.x.data()[c], l, task_.states.at(i, c));
    if constexpr (requires { ready_.system.p; })
      for (std::size_t c = 0; c < task_.parameters.components(); ++c) set_lane(ready_.system.p.data()[c], l, task_.parameters.at(i, c));
  }

  /// From when to when those of the block run; 0 stands for times that are not finite.
  void load_times() {
    timeless_ = 0;
    const bool alike = !task_.spans.each();
    for (int l = 0; l < (alike ? 1 : lanes); ++l) {
      const interval<base>& span = task_.spans[first_ + static_cast<std::size_t>(l < filled_ ? l : filled_ - 1)];
      const bool sound = span.from - span.from == 0 && span.to - span.to == 0;
      const base from = sound ? span.from : base(0), to = sound ? span.to : base(0);
      if (!sound) timeless_ |= alike ? every_lane : std::uint32_t(1) << l;
      if (alike) {
        ready_.now.t = real(from), ready_end_ = real(to);
      } else {
        set_lane(ready_.now.t, l, from);
        set_lane(ready_end_, l, to);
      }
    }
  }

  void refuse_timeless() {
    for (std::uint32_t left = timeless_; left != 0; left &= left - 1) {
      report& r = ready_.reports[std::countr_zero(left)];
      r.how = outcome::bad_input;
      r.fault = input_fault::time_not_finite;
    }
  }

  /// A trajectory of the block that ended there.
  void write_down_waiting(int l) {
    const auto& spent = ready_.now.statistics;
    const ended_lanes<State> left{ready_.now.x, ready_.now.t, spent.steps, spent.rejected, spent.evaluations};
    const std::size_t i = first_ + static_cast<std::size_t>(l);
    put_back(i, l, left);
    report_.steps += lane(left.steps, l);
    report_.rejected += lane(left.rejected, l);
    report_.evaluations += lane(left.evaluations, l);
    ++report_.trajectories;
    ++report_.finished;
    write_ending(i, l, left, ready_.reports[l]);
  }

  ENSUE_INLINE void put_back(std::size_t i, int l, const ended_lanes<State>& left) {
    for (std::size_t c = 0; c < task_.states.components(); ++c) task_.states.at(i, c) = lane(left.x.data()[c], l);
  }

  /// How trajectory i, counted as finished, has ended in lane l. Its report is made as good as new.
  void write_ending(std::size_t i, int l, const ended_lanes<State>& left, report& r) {
    const double t = static_cast<double>(lane(left.t, l));
    if (!task_.endings.empty())
      task_.endings[i] = {r.how, r.smallest_step_accepted, t, lane(left.steps, l), lane(left.rejected, l), lane(left.evaluations, l)};
    report_.at_smallest_step += r.smallest_step_accepted;
    if (r.how != outcome::finished) {
      --report_.finished;
      if (i < report_.first_failure) {
        report_.first_failure = i;
        report_.failure = r;
        report_.failure.t = t;
      }
    }
    r = {};
  }

  static constexpr std::uint32_t every_lane = static_cast<std::uint32_t>((std::uint64_t(1) << lanes) - 1);

  const Task& task_;
  shared_work& work_;
  loop &ready_, &running_;
  real ready_end_ = real(0);

  shared_work::part part_ = {0, 0};            // taken, not yet in the block
  std::size_t first_ = 0, index_[lanes] = {};  // of the block; of the trajectory in each lane
  std::uint32_t free_ = every_lane;            // lanes without a trajectory, a bit a lane
  int filled_ = 0, waiting_ = 0;               // of the block: how many, and the next one
  std::uint32_t can_run_ = 0, timeless_ = 0;   // of the block, a bit a lane; those whose times are no numbers
  count steps_ = count(0), rejected_ = count(0), evaluations_ = count(0);  // of those that have ended, by the lane in which they did
  batch_report report_;
};

}  // namespace ensue
