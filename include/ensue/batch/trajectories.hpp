/// Where the trajectories of a batch are: their states in the caller's memory, the times between which each runs, and how each ended.
///
///     std::vector<ensue::vec<float, 3>> vertices;                 rows_of(vertices)
///     std::vector<float> x, y, z;                                 columns_of(x, y, z)
#pragma once

#include <ensue/outcome.hpp>
#include <ensue/problem.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace ensue {

/// The states of many trajectories of N components (0: of a number known at run time), one after another or component by component: element c
/// of trajectory i is `first[c][i * stride]`.
template <class T, std::size_t N = 0> struct trajectory_table {
  using value_type = T;
  static constexpr std::size_t extent = N;
  std::conditional_t<N == 0, std::vector<T*>, vec<T*, (N > 0 ? N : 1)>> first = {};  ///< one a component
  std::size_t stride = 1, count = 0;

  std::size_t components() const { return first.size(); }
  ENSUE_INLINE T& at(std::size_t i, std::size_t c) const { return first[c][i * stride]; }
};

/// States of fixed size that follow one another in memory.
template <std::ranges::contiguous_range States> auto rows_of(States&& states) {
  using row = std::remove_reference_t<std::ranges::range_reference_t<States>>;
  using element = std::remove_reference_t<decltype(*std::ranges::data(states)->data())>;
  constexpr std::size_t n = extent_of<row>;
  static_assert(n > 0 && sizeof(row) % sizeof(element) == 0,
                "ensue: the rows of a batch are states of fixed size: ensue::vec, std::array, …");
  trajectory_table<element, n> table;
  table.count = std::ranges::size(states);
  table.stride = sizeof(row) / sizeof(element);
  if (table.count > 0)
    for (std::size_t c = 0; c < n; ++c) table.first[c] = std::ranges::data(states)->data() + c;
  return table;
}

/// A component a column, all of the same length.
template <std::ranges::contiguous_range... Columns> auto columns_of(Columns&... columns) {
  using element = std::common_type_t<std::remove_reference_t<std::ranges::range_reference_t<Columns>>...>;
  trajectory_table<element, sizeof...(Columns)> table;
  std::size_t c = 0;
  for (const std::span<element> column : {std::span<element>(columns)...}) {
    if (c > 0 && column.size() != table.count) throw std::length_error("ensue: the columns of a batch have different lengths");
    table.count = column.size();
    table.first[c++] = column.data();
  }
  return table;
}

/// From when to when: all of them, or each.
template <class T> class batch_spans {
 public:
  batch_spans(T from, T to) : one_{from, to} {}
  batch_spans(const interval<T>& all) : one_(all) {}
  template <std::ranges::contiguous_range Spans>
    requires std::is_same_v<std::ranges::range_value_t<Spans>, interval<T>>
  batch_spans(const Spans& each) : each_(std::ranges::data(each)), count_(std::ranges::size(each)), one_for_all_(false) {}

  ENSUE_INLINE const interval<T>& operator[](std::size_t i) const { return each_ ? each_[i] : one_; }
  /// One a trajectory, or null where one is for all.
  const interval<T>* each() const { return each_; }
  /// Whether they are enough for so many trajectories.
  bool fits(std::size_t trajectories) const { return one_for_all_ || count_ == trajectories; }

 private:
  interval<T> one_ = {};
  const interval<T>* each_ = nullptr;
  std::size_t count_ = 0;
  bool one_for_all_ = true;
};

/// How one of them ended and what it cost.
struct trajectory_ending {
  outcome how = outcome::finished;
  bool smallest_step_accepted = false;  ///< finished, but some step was taken although its error was too large
  double t = 0;                         ///< the time reached: the state is that of this time
  std::int64_t steps = 0, rejected = 0, evaluations = 0;

  friend bool operator==(const trajectory_ending&, const trajectory_ending&) = default;
};

/// What became of them all. Sums, and the first one that did not finish.
struct batch_report {
  std::size_t trajectories = 0, finished = 0, at_smallest_step = 0;
  std::int64_t steps = 0, rejected = 0, evaluations = 0;
  std::size_t first_failure = static_cast<std::size_t>(-1);  ///< its index
  report failure = {};                                       ///< and its ending
  const char* method = "";
  std::int64_t attempts_of_lanes = 0;  ///< attempted steps times the lanes that could have taken one

  bool all_finished() const { return finished == trajectories; }
  /// Lanes that were at work, on average, as a fraction of all.
  double occupancy() const {
    return attempts_of_lanes > 0 ? static_cast<double>(steps + rejected) / static_cast<double>(attempts_of_lanes) : 1;
  }
  /// "finished: 1000 trajectories." or how the first one that did not ended.
  std::string message(const report_names& names = {}) const {
    if (all_finished()) return detail::formatted("finished: %zu trajectories.", trajectories);
    return detail::formatted("%zu of %zu trajectories did not finish; number %zu: ", trajectories - finished, trajectories, first_failure) +
           sentence(failure, method, names);
  }

  void add(const batch_report& other) {
    trajectories += other.trajectories;
    finished += other.finished;
    at_smallest_step += other.at_smallest_step;
    steps += other.steps;
    rejected += other.rejected;
    evaluations += other.evaluations;
    attempts_of_lanes += other.attempts_of_lanes;
    if (other.first_failure < first_failure) {
      first_failure = other.first_failure;
      failure = other.failure;
    }
  }
};

}  // namespace ensue
