/// Which events of two runs are the same one, and which were found by one of the runs only.
#pragma once

#include "observed_run.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ensue::command {

/// An event that the two runs found a different number of times.
struct event_counts {
  std::size_t event;  ///< index into the file's
  std::int64_t first, second;
};

class event_pairs {
 public:
  event_pairs(const file_problem& problem, const run_result& first, const run_result& second);

  const std::vector<event_counts>& different() const { return different_; }
  /// Whether t lies where one run has met an event that changes the state and the other has not yet.
  bool part(double t) const;

 private:
  struct gap {
    double from, to;
  };

  void compare(std::size_t event, const std::vector<double>& first, const std::vector<double>& second, bool changes);

  std::vector<event_counts> different_;
  std::vector<gap> gaps_;  ///< ordered, apart from each other
};

}  // namespace ensue::command
