/// What keeps lanes busy: takes the trajectories of a batch in blocks, evaluates the first derivatives and first steps of a whole block at
/// once, hands them out one by one to lanes that have become free, and writes down how the old ones ended. For batch.hpp alone.
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
  using storage = typename loop::storage;
  using real = typename loop::real;
  using base = typename loop::base;
  using mask = typename loop::mask;
  static constexpr int lanes = loop::lanes;

  lane_feed(const Task& task, shared_work& work, loop& ready, loop& running)
      : task_(task), work_(work), ready_(ready), running_(running), next_{mask(false), running.now, real(0)} {
    report_.method = running.now.stepper.name();
  }

  /// What lanes go on with, where there is something.
  struct beginning {
    mask where;
    motion<State, Method> start;
    real t_end;
  };

  /// Called by the loop when the lanes of `ended` have.
  __attribute__((noinline)) const beginning& operator()(const mask& ended, const ended_lanes<State>& left) {
    std::uint32_t free = lane_bits(ended);
    for (std::uint32_t bits = free; bits != 0; bits &= bits - 1) {
      const int l = std::countr_zero(bits);
      write_down(index_[l], l, left, running_.reports[l]);
    }
    if (!begun_) free = lane_bits(everywhere_);
    begun_ = true;
    next_.where = mask(false);
    for (; free != 0 && find_next(); free &= free - 1) begin(std::countr_zero(free));
    return next_;
  }

  /// All of it, with steps that the error chooses: what the loop replaces lanes with until nothing is left.
  batch_report run_adaptive() {
    report_.attempts_of_lanes = lanes * running_.advance_replacing(*this);
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

 private:
  /// A waiting trajectory with a way to go; false: there is none left. Those that end before they begin are written down.
  bool find_next() {
    for (;; ++waiting_) {
      if (waiting_ == filled_ && !fill()) return false;
      if (can_run_ >> waiting_ & 1) return true;
      write_down_waiting(waiting_);
    }
  }

  /// The waiting trajectory, in lane l.
  void begin(int l) {
    next_.start.copy_start(l, ready_.now, waiting_);
    copy_lane(next_.t_end, l, ready_end_, waiting_);
    copy_lane(next_.where, l, everywhere_, l);
    if constexpr (requires { running_.system.p; })
      for_each_element(running_.system.p, [&](std::size_t i) { copy_lane(running_.system.p.data()[i], l, ready_.system.p.data()[i], waiting_); });
    index_[l] = first_ + static_cast<std::size_t>(waiting_);
    ++waiting_;
  }

  /// The next block, ready to run; false: there is none.
  bool fill() {
    if (!load_block()) return false;
    waiting_ = 0;
    can_run_ = lane_bits(ready_.prepare(ready_end_)) & ~timeless_;
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
    timeless_ = 0;
    for (int l = 0; l < lanes; ++l)  // where there are fewer, the last one fills the other lanes and counts once
      timeless_ |= static_cast<std::uint32_t>(!load(l, first_ + static_cast<std::size_t>(l < filled_ ? l : filled_ - 1))) << l;
    ready_.start_anew();
    return true;
  }

  void refuse_timeless() {
    for (std::uint32_t left = timeless_; left != 0; left &= left - 1) {
      report& r = ready_.reports[std::countr_zero(left)];
      r.how = outcome::bad_input;
      r.fault = input_fault::time_not_finite;
    }
  }

  /// Trajectory i into lane l; false: its times are not finite, and 0 stands for them.
  bool load(int l, std::size_t i) {
    for (std::size_t c = 0; c < task_.states.components(); ++c) set_lane(ready_.now.x.data()[c], l, task_.states.at(i, c));
    if constexpr (requires { ready_.system.p; })
      for (std::size_t c = 0; c < task_.parameters.components(); ++c) set_lane(ready_.system.p.data()[c], l, task_.parameters.at(i, c));
    const interval<base>& span = task_.spans[i];
    const bool sound = span.from - span.from == 0 && span.to - span.to == 0;
    set_lane(ready_.now.t, l, sound ? span.from : base(0));
    set_lane(ready_end_, l, sound ? span.to : base(0));
    return sound;
  }

  void write_down_waiting(int l) {
    const auto& spent = ready_.now.statistics;
    write_down(first_ + static_cast<std::size_t>(l), l, {ready_.now.x, ready_.now.t, spent.steps, spent.rejected, spent.evaluations}, ready_.reports[l]);
  }

  /// Trajectory i has ended in lane l. Its report is made as good as new.
  ENSUE_INLINE void write_down(std::size_t i, int l, const ended_lanes<State>& of, report& r) {
    for (std::size_t c = 0; c < task_.states.components(); ++c) task_.states.at(i, c) = lane(of.x.data()[c], l);
    const std::int64_t steps = lane(of.steps, l), rejected = lane(of.rejected, l), evaluations = lane(of.evaluations, l);
    ++report_.trajectories;
    report_.steps += steps;
    report_.rejected += rejected;
    report_.evaluations += evaluations;
    if (!task_.endings.empty())
      task_.endings[i] = {r.how, r.smallest_step_accepted, static_cast<double>(lane(of.t, l)), steps, rejected, evaluations};
    if (r.how == outcome::finished) ++report_.finished;
    if (r.how != outcome::finished || r.smallest_step_accepted) [[unlikely]] mark(i, static_cast<double>(lane(of.t, l)), r);
  }
  ENSUE_COLD void mark(std::size_t i, double t, report& r) {
    report_.at_smallest_step += r.smallest_step_accepted;
    if (r.how != outcome::finished && i < report_.first_failure) {
      report_.first_failure = i;
      report_.failure = r;
      report_.failure.t = t;
    }
    r = {};
  }

  const Task& task_;
  shared_work& work_;
  loop &ready_, &running_;
  beginning next_;
  const mask everywhere_ = mask(true);
  real ready_end_ = real(0);

  shared_work::part part_ = {0, 0};          // taken, not yet in the block
  std::size_t first_ = 0, index_[lanes] = {};  // of the block; of the trajectory in each lane
  bool begun_ = false;
  int filled_ = 0, waiting_ = 0;             // of the block: how many, and the next one
  std::uint32_t can_run_ = 0, timeless_ = 0;  // of the block, a bit a lane; those whose times are no numbers
  batch_report report_;
};

}  // namespace ensue
