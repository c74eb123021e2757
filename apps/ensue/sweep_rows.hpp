/// Rows of a sweep's table: what becomes of a problem at many points.
///
/// Where the equations are all there is, explicit methods run them side by side, in lanes. What has to be watched on the way (events, extrema), what
/// lanes do not have (implicit methods, built-in models) and what is computed from numbers that vary (initial values, times) runs one by one, as
/// `ensue solve` does it. Which of the two depends on the problem and never on the backend, and so do the rows.
#pragma once

#include "problems/sweep.hpp"
#include "problem_options.hpp"
#include "sweep_points.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ensue::command {

struct sweep_request {
  const problem_request& problem;
  std::span<const varied_range> ranges;
  bool extrema = false;
  sweep_backend backend = sweep_backend::threads;
  const std::atomic<bool>* interrupted = nullptr;
};

/// What became of some points that follow one another.
struct solved_points {
  std::size_t rows = 0;      ///< so many of them have a row: all, but where it was interrupted
  batch_report ran = {};     ///< of those at which there is a problem to run; its indices count from the first point
  std::size_t refused = 0;   ///< the others, whose rows say `bad input`
  std::string refusal = {};  ///< what is wrong at the first of these
  std::string stopped_by = {};  ///< what the system did not give for more rows: "out of memory"; empty: nothing

  /// Those that come next.
  void add(solved_points next);
};

class sweep_rows {
 public:
  virtual ~sweep_rows() = default;

  /// What stands in a row behind the numbers that vary.
  virtual std::vector<std::string> columns() const = 0;
  /// Of components and events, for messages.
  virtual report_names names() const = 0;
  /// So many points at once are solved, so that memory does not grow with their number.
  virtual std::size_t block() const = 0;
  /// Appends the rows of some points, in their order; where it was interrupted, up to the first that did not come to its end.
  virtual solved_points solve(std::span<const double> points, fmt::memory_buffer& text) = 0;
};

/// Throws wrong_input.
std::unique_ptr<sweep_rows> make_sweep_rows(const sweep_request& asked);

}  // namespace ensue::command
