/// The pictures of `ensue solve --plot`: components over time, a phase portrait, the drift of the invariants.
///
///     plotted_rows rows(problem);
///     rows.keep(row);                                     // of the run, one after the other
///     plot::svg(solve_charts(problem, rows))
#pragma once

#include "plot/plot.hpp"
#include "observed_run.hpp"

#include <string>
#include <vector>

namespace ensue::command {

inline constexpr std::size_t most_curves_of_a_chart = 12;
inline constexpr std::size_t most_points_of_a_curve = 10'000;  ///< of more rows, every second, third, … is drawn

/// The values that the charts show. They take less than 5 MB, however many rows and components the run has: of more than twice
/// `most_points_of_a_curve` rows, only every second, fourth, … is kept.
class plotted_rows {
 public:
  explicit plotted_rows(const file_problem& problem);

  void keep(const row& each);

  /// What [output] names, in that order; or all components. Components are numbered first, then invariants.
  const std::vector<std::size_t>& chosen() const { return chosen_; }
  std::vector<double> time() const;
  /// Of a component or invariant that the charts show.
  std::vector<double> values(std::size_t quantity) const;

 private:
  using kept_row = std::vector<double>;  ///< the time, then the value of each of `quantities_`

  std::vector<double> column(std::size_t k) const;

  std::size_t components_;
  std::vector<std::size_t> chosen_, quantities_;
  std::vector<kept_row> rows_;
  kept_row last_;
  std::size_t seen_ = 0, stride_ = 1;
};

/// Over time, and against each other: the components (and, over time, invariants) that [output] names; otherwise all
/// components over time, and the first two against each other, which of second order in one dimension are x and x'.
std::vector<plot::chart> solve_charts(const file_problem& problem, const plotted_rows& rows);

}  // namespace ensue::command
