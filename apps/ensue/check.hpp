/// How wrong a run is, by a second one: `ensue solve --check`.
///
/// The second run has an unrelated method and tighter tolerances. Its steps are at most a thousandth of the span and end at irregular times, so
/// that it sees what the first one may have stepped over; they also end at the times that are compared. Where it finds something that the first run missed, it
/// is made again with ten times as many steps. Memory is bounded, however long the runs.
#pragma once

#include "event_pairs.hpp"
#include "thinned_rows.hpp"
#include "unseen_changes.hpp"

namespace ensue::command {

/// Methods of other authors than the first run's, with error estimates and of high order.
struct checking_methods {
  const method_info* first;
  const method_info* if_stiff;  ///< the second run changes to it where the problem is stiff; nullptr: it does not
};
checking_methods methods_of_check(const method_info& method, const file_problem& problem, bool stiff);

/// Tighter tolerances, as far as doubles go. Of fixed steps, whose error nobody has asked to be of a certain size: tight ones.
options<std::span<double>> settings_of_check(const file_problem& problem, options<std::span<double>> settings);

/// What the check needs of the first run: some of its output points, and of its steps.
struct checked_rows {
  explicit checked_rows(std::size_t components) : points(components), steps(components) {}
  thinned_rows points, steps;
};

struct check_result {
  std::string method;                          ///< "vern7", or "vern7, then radau"
  std::int64_t evaluations = 0;                ///< of the second run, or runs
  std::int64_t steps = 0;                      ///< of the last of them
  std::optional<largest_distance> difference;  ///< over the output points and at the end
  std::string failed;                          ///< where there is none: why
  std::vector<event_counts> events;            ///< found a different number of times
  std::size_t unseen_count = 0;                ///< of steps of the first run within which f changes unseen
  unseen_change unseen;                        ///< the one that does most
  bool fixed_steps = false;                    ///< in the first run

  bool missed_something() const { return unseen_count > 0 || !events.empty(); }
};

/// The second run goes as far as the first one, `first`. Not compared are points where one
/// of the runs has met an event and the other has not: there the difference is the event's, not the error.
check_result check(const file_problem& problem, const run_result& first, const checked_rows& rows,
                   const options<std::span<double>>& settings, const run_watch& watch);

}  // namespace ensue::command
