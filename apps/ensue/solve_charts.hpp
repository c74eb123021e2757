/// The pictures of `ensue solve --plot`: components over time, a phase portrait, the drift of the invariants.
#pragma once

#include "../../src/plot.hpp"
#include "kept_rows.hpp"

namespace ensue::command {

inline constexpr std::size_t most_curves_of_a_chart = 12;
inline constexpr std::size_t most_points_of_a_curve = 10'000;  ///< of more rows, every second, third, … is drawn

/// Over time, and against each other: the components (and, over time, invariants) that [output] names; otherwise all
/// components over time, and the first two against each other, which of second order in one dimension are x and x'.
std::vector<plot::chart> solve_charts(const file_problem& problem, const kept_rows& rows);

}  // namespace ensue::command
