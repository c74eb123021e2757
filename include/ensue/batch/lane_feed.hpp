/// What keeps lanes busy: takes the trajectories of a batch in blocks, evaluates the first derivatives and first steps of a whole block at
/// once, hands them out to lanes that have become free, and writes down how the old ones ended. For batch.hpp alone.
#pragma once

#include <ensue/batch/lane_team.hpp>
#include <ensue/batch/threads.hpp>
#include <ensue/batch/trajectories.hpp>
#include <ensue/step/loop.hpp>

#include <algorithm>
#include <bit>
#include <vector>

namespace ensue {

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
  using team = lane_team<System, State, Method>;
  using real = typename loop::real;
  using base = typename loop::base;
  static constexpr int lanes = loop::lanes;

  lane_feed(const Task& task, shared_work& work, loop& block) : task_(task), work_(work), block_(block) { report_.method = block.now.stepper.name(); }

  /// All of it, with steps that the error chooses: in teams, and what they have given up in blocks.
  batch_report run_adaptive() {
    if (team::suits(block_.settings)) run_teams();
    teams_are_done_ = true;
    run_blocks([&] { block_.advance_unwatched(block_end_); });
    return report_;
  }

  /// All of it in steps of one length. Lanes of a block end together where their spans are alike, so there is nothing to replace.
  batch_report run_fixed(const real& step) {
    run_blocks([&] { block_.advance_fixed(block_end_, step); });
    return report_;
  }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1), number_of_teams = 4;

  /// A team and the trajectories in its lanes.
  struct crew : team {
    using team::team;
    std::size_t trajectory[lanes] = {};
  };

  /// Teams in turn, so that the processor has others to work on while one waits for its own results.
  void run_teams() {
    if (!find_next()) return;
    std::vector<crew> crews(number_of_teams, crew(block_.system, block_.settings, block_.now, block_limits_));
    if (crews[0].is_usual()) run_in_turn<true>(crews);
    else run_in_turn<false>(crews);
    for (const crew& each : crews) report_.attempts_of_lanes += lanes * each.attempts();
  }
  template <bool Usual> ENSUE_MANY_TRAJECTORIES void run_in_turn(std::vector<crew>& crews) {
    for (crew& each : crews) replace<Usual>(each);
    if constexpr (Usual && team::may_be_judged_later) {
      auto open = crews[0].open();
      in_turn<Usual>(crews, 1, [&open](crew& each) ENSUE_INLINE_LAMBDA { each.attempt(open); });
    } else in_turn<Usual>(crews, 0, [](crew& each) ENSUE_INLINE_LAMBDA { each.template attempt<Usual>(); });
  }
  template <bool Usual, class Attempt> ENSUE_INLINE void in_turn(std::vector<crew>& crews, std::size_t first, Attempt attempt) {
    for (std::size_t i = first; running_ > 0;) {
      const std::size_t next = i + 1 < number_of_teams ? i + 1 : 0;
      if (crews[next].is_due()) replace<Usual>(crews[next]);  // an attempt before they are read: what is written lane by lane has then arrived
      attempt(crews[i]);
      i = next;
    }
  }

  /// What has become of lanes is written down, and others begin in them.
  template <bool Usual> __attribute__((noinline)) void replace(crew& of) {
    const auto ended = of.conclude();
    write_down_finished(ended.finished, of);
    for (std::uint32_t rest = ended.given_up; rest != 0; rest &= rest - 1) given_up_.push_back(of.trajectory[std::countr_zero(rest)]);
    running_ -= std::popcount(ended.finished | ended.given_up);
    for (std::uint32_t free = of.nobodys(); free != 0 && find_next(); free &= free - 1) {
      const int l = std::countr_zero(free);
      of.trajectory[l] = index_[waiting_];
      of.template begin<Usual>(l, block_.system, block_.now, block_limits_, waiting_++);
      ++running_;
    }
  }

  ENSUE_INLINE void write_down_finished(std::uint32_t finished, const crew& of) {
    run_statistics<std::int64_t> all;
    for (std::uint32_t rest = finished; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const auto spent = of.spent(l);
      put_back(of.trajectory[l], of.now().x, l);
      if (!task_.endings.empty())
        task_.endings[of.trajectory[l]] = {outcome::finished, false, static_cast<double>(lane(of.now().t, l)), spent.steps, spent.rejected, spent.evaluations};
      all.steps += spent.steps;
      all.rejected += spent.rejected;
      all.evaluations += spent.evaluations;
    }
    const auto many = static_cast<std::size_t>(std::popcount(finished));
    report_.trajectories += many;
    report_.finished += many;
    report_.steps += all.steps;
    report_.rejected += all.rejected;
    report_.evaluations += all.evaluations;
  }

  /// Moves on to a waiting trajectory with a way to go; false: there is none left.
  ENSUE_INLINE bool find_next() { return (can_run_ >> waiting_ & 1) != 0 || find_next_block(); }
  /// Those that end before they begin are written down.
  __attribute__((noinline)) bool find_next_block() {
    for (;; ++waiting_) {
      if (waiting_ == filled_ && !fill()) return false;
      if (can_run_ >> waiting_ & 1) return true;
      write_down(waiting_);
    }
  }

  /// The next block, ready to run; false: there is none.
  bool fill() {
    can_run_ = 0;
    waiting_ = 0;
    if (!load_block()) return false;
    can_run_ = ((std::uint64_t(1) << filled_) - 1) & lane_bits(block_.prepare(block_end_)) & ~timeless_;
    refuse_timeless();
    block_limits_ = team::limits_of(block_.now.t, block_end_, block_.settings);
    return true;
  }

  /// Whole blocks, each until its last one has ended.
  template <class Advance> void run_blocks(Advance advance) {
    while (load_block()) {
      advance();
      refuse_timeless();
      std::int64_t attempts = 0;
      for (int l = 0; l < filled_; ++l) attempts = std::max(attempts, write_down(l));
      report_.attempts_of_lanes += lanes * attempts;
    }
  }

  /// The next block at its start.
  bool load_block() {
    filled_ = 0;
    std::size_t last = nobody;  // which fills the lanes that are left, and counts once
    for (int l = 0; l < lanes; ++l) {
      if (const std::size_t i = next_trajectory(); i != nobody) last = i, ++filled_;
      if (last == nobody) return false;
      index_[l] = last;
    }
    load_rows(block_.now.x, task_.states);
    if constexpr (has_parameters<System>) load_rows(block_.system.p, task_.parameters);
    load_times();
    block_.start_anew();
    return true;
  }

  std::size_t next_trajectory() {
    if (part_.begin == part_.end) part_ = work_.take();
    if (part_.begin != part_.end) return part_.begin++;
    if (!teams_are_done_ || given_up_.empty()) return nobody;
    const std::size_t i = given_up_.back();
    given_up_.pop_back();
    return i;
  }

  template <class Numbers, class Table> void load_rows(Numbers& to, const Table& from) {
    for (std::size_t c = 0; c < from.components(); ++c)
      for (int l = 0; l < lanes; ++l) set_lane(to.data()[c], l, from.at(index_[l], c));
  }

  /// From when to when those of the block run; 0 stands for times that are not finite.
  void load_times() {
    timeless_ = 0;
    const bool alike = !task_.spans.each();
    for (int l = 0; l < (alike ? 1 : lanes); ++l) {
      const interval<base>& span = task_.spans[index_[l]];
      const bool sound = span.from - span.from == 0 && span.to - span.to == 0;
      const base from = sound ? span.from : base(0), to = sound ? span.to : base(0);
      if (!sound) timeless_ |= alike ? team::every_lane : std::uint32_t(1) << l;
      if (alike) {
        block_.now.t = real(from), block_end_ = real(to);
      } else {
        set_lane(block_.now.t, l, from);
        set_lane(block_end_, l, to);
      }
    }
  }

  void refuse_timeless() {
    for (std::uint32_t left = timeless_; left != 0; left &= left - 1) {
      report& r = block_.reports[std::countr_zero(left)];
      r.how = outcome::bad_input;
      r.fault = input_fault::time_not_finite;
    }
  }

  /// One of the block that has ended there, in whatever way. Returns its attempts. Its report is made as good as new.
  std::int64_t write_down(int l) {
    const std::size_t i = index_[l];
    const auto& spent = block_.now.statistics;
    const trajectory_ending ending{block_.reports[l].how, block_.reports[l].smallest_step_accepted, static_cast<double>(lane(block_.now.t, l)), lane(spent.steps, l),
                                   lane(spent.rejected, l), lane(spent.evaluations, l)};
    put_back(i, block_.now.x, l);
    report_.at_smallest_step += ending.smallest_step_accepted;
    if (ending.how == outcome::finished) ++report_.finished;
    else if (i < report_.first_failure) {
      report_.first_failure = i;
      report_.failure = block_.reports[l];
      report_.failure.t = ending.t;
    }
    block_.reports[l] = {};
    ++report_.trajectories;
    report_.steps += ending.steps;
    report_.rejected += ending.rejected;
    report_.evaluations += ending.evaluations;
    if (!task_.endings.empty()) task_.endings[i] = ending;
    return ending.steps + ending.rejected;
  }

  ENSUE_INLINE void put_back(std::size_t i, const storage_of<State>& x, int l) {
    for (std::size_t c = 0; c < task_.states.components(); ++c) task_.states.at(i, c) = lane(x.data()[c], l);
  }
  const Task& task_;
  shared_work& work_;
  loop& block_;  // of trajectories that wait side by side, a lane each
  real block_end_ = real(0);
  typename team::limits block_limits_ = {real(0), real(0)};
  std::size_t index_[lanes] = {};              // of the block's trajectories
  int filled_ = 0, waiting_ = 0;               // of the block: how many, and the next one
  std::uint64_t can_run_ = 0;                  // of the block, a bit a lane
  std::uint32_t timeless_ = 0;                 // those whose times are no numbers
  shared_work::part part_ = {0, 0};            // taken, not yet in the block
  std::int64_t running_ = 0;                   // lanes of teams with a trajectory
  bool teams_are_done_ = false;
  std::vector<std::size_t> given_up_;          // trajectories of teams, to be run from the start
  batch_report report_;
};

}  // namespace ensue
