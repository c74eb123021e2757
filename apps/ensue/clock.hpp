/// Whether doubles can tell the times of a run from each other.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ensue::command {

inline constexpr double fewest_times = 1e5;  ///< in a span: a hundred in each of a thousand steps

/// Empty, or why f is not asked at the times at which it should be.
inline std::string fault_of_clock(double from, double to) {
  const double late = std::max(std::abs(from), std::abs(to)), spacing = std::nextafter(late, std::numeric_limits<double>::infinity()) - late;
  if (from == to || std::abs(to - from) >= fewest_times * spacing) return "";
  return fmt::format("at t = {:.6g} the clock's numbers are {:.3g} apart, too far for a span of {:.3g}; count time from nearer by", late, spacing,
                     std::abs(to - from));
}

}  // namespace ensue::command
