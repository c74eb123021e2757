/// Changes of f that a run stepped over, found by a second run that looked everywhere.
///
/// Between two rows of the first run, its states tell by how much each component changed; the second run tells it, too, and the slopes on
/// the way. f changed unseen where both hold:
///
/// - a slope on the way leaves the range of those next to this row and its neighbours by more than the width of that range,
/// - the two runs part there by much more than the tolerance.
///
/// Memory is bounded: four rows are looked at together.
#pragma once

#include "thinned_rows.hpp"

#include <ensue/options.hpp>

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace ensue::command {

struct unseen_change {
  double from = 0, to = 0;      ///< between two steps of the first run
  std::size_t component = 0;
  double low = 0, high = 0;     ///< of the slope at steps of the first run nearby
  double reached = 0, at = 0;   ///< a slope far from that, and when
  double parting = 0;           ///< by how much the two runs part there
};

class unseen_changes {
 public:
  /// `first` has the steps of the first run. Both arguments outlive this.
  unseen_changes(const thinned_rows& first, const options<std::span<double>>& tolerances);

  /// The steps of the second run in their order, some of which end at the times of `first`. A state changed by an event comes with the time of the last.
  void look(double t, std::span<const double> x);
  /// After the last step.
  void finish();

  std::size_t count() const { return count_; }
  const unseen_change& largest() const { return largest_; }

 private:
  struct range {
    std::vector<double> low, high;
    void clear(std::size_t n);
    void add(std::span<const double> slope);
  };
  /// Between two rows of the first run.
  struct stretch {
    double from = 0, to = 0;
    range inside;
    std::vector<double> low_at, high_at;  ///< when the slope was lowest and highest
    std::vector<double> parting, before;  ///< change and start of the distance of the two runs
    std::vector<double> size;             ///< of the components
    bool has_event = false;
  };

  void take_slope(double t, std::span<const double> x);
  void begin_stretch(double t, std::span<const double> x);
  void end_stretch(double t, std::span<const double> x);
  void judge(std::size_t k);
  void add_inside(double t);

  const thinned_rows& first_;
  const options<std::span<double>>& tolerances_;
  std::size_t row_ = 0;          ///< the row of the first run that was met last
  bool begun_ = false, newly_begun_ = false;
  double t_ = 0;                 ///< of the last step
  std::vector<double> x_, slope_, start_;
  bool has_slope_ = false;       ///< of a step that has not been added yet
  std::deque<range> nodes_;      ///< slopes next to rows
  std::deque<stretch> stretches_;  ///< the last one is not over
  std::size_t count_ = 0;
  unseen_change largest_;
};

}  // namespace ensue::command
