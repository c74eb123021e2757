#include "unseen_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

constexpr double much = 30;  ///< tolerances
constexpr double infinite = std::numeric_limits<double>::infinity();
// Rows further apart than so many steps of the first run do not show what its steps saw.
constexpr std::size_t widest_stride = 16;

}  // namespace

void unseen_changes::range::clear(std::size_t n) {
  low.assign(n, infinite);
  high.assign(n, -infinite);
}

void unseen_changes::range::add(std::span<const double> slope) {
  for (std::size_t i = 0; i < slope.size(); ++i) low[i] = std::min(low[i], slope[i]), high[i] = std::max(high[i], slope[i]);
}

unseen_changes::unseen_changes(const thinned_rows& first, const options<std::span<double>>& tolerances) : first_(first), tolerances_(tolerances) {}

void unseen_changes::look(double t, std::span<const double> x) {
  if (first_.stride() > widest_stride || first_.size() < 2) return;
  if (!begun_) {
    if (t != first_.times()[row_]) return;
    begun_ = true;
    slope_.resize(x.size());
    nodes_.emplace_back().clear(x.size());
    begin_stretch(t, x);
  } else if (t == t_) {  // an event has changed the state
    stretches_.back().has_event = true;
    for (std::size_t i = 0; i < x.size(); ++i) start_[i] += x[i] - x_[i];
  } else {
    take_slope(t, x);
    if (row_ + 1 < first_.size() && t == first_.times()[row_ + 1]) end_stretch(t, x);
  }
  t_ = t;
  x_.assign(x.begin(), x.end());
}

void unseen_changes::finish() {
  if (nodes_.size() > 3) nodes_.pop_front();
  if (stretches_.size() >= 2) judge(stretches_.size() - 2);
}

void unseen_changes::take_slope(double t, std::span<const double> x) {
  if (has_slope_) add_inside(t_);
  for (std::size_t i = 0; i < x.size(); ++i) slope_[i] = (x[i] - x_[i]) / (t - t_);
  has_slope_ = !newly_begun_;
  if (newly_begun_) nodes_.back().add(slope_);  // next to the row where the stretch begins
  newly_begun_ = false;
}

void unseen_changes::add_inside(double t) {
  stretch& now = stretches_.back();
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    if (slope_[i] < now.inside.low[i]) now.inside.low[i] = slope_[i], now.low_at[i] = t;
    if (slope_[i] > now.inside.high[i]) now.inside.high[i] = slope_[i], now.high_at[i] = t;
  }
}

void unseen_changes::begin_stretch(double t, std::span<const double> x) {
  while (row_ + 1 < first_.size() && first_.times()[row_ + 1] == t) ++row_;  // the state after an event
  stretch& now = stretches_.emplace_back();
  const std::size_t n = x.size();
  now.from = t;
  now.inside.clear(n);
  for (auto* each : {&now.low_at, &now.high_at, &now.parting, &now.before, &now.size}) each->assign(n, 0);
  start_.assign(x.begin(), x.end());
  for (std::size_t i = 0; i < n; ++i) now.before[i] = first_.state(row_)[i] - x[i];
  newly_begun_ = true, has_slope_ = false;
}

void unseen_changes::end_stretch(double t, std::span<const double> x) {
  nodes_.emplace_back().clear(x.size());
  nodes_.back().add(slope_);
  stretch& now = stretches_.back();
  now.to = t;
  const auto from = first_.state(row_), to = first_.state(++row_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    now.parting[i] = std::abs((to[i] - from[i]) - (x[i] - start_[i]));
    now.size[i] = std::max(std::abs(to[i]), std::abs(x[i]));
  }
  if (nodes_.size() > 4) nodes_.pop_front();
  // Slopes on both sides of the last row but one are known now.
  if (stretches_.size() >= 2) judge(stretches_.size() - 2);
  if (stretches_.size() > 2) stretches_.pop_front();
  begin_stretch(t, x);
}

/// `k` counts from the oldest stretch that is kept; all nodes that are kept are near it.
void unseen_changes::judge(std::size_t k) {
  const stretch& one = stretches_[k];
  if (one.has_event) return;
  unseen_change worst;
  for (std::size_t i = 0; i < one.parting.size(); ++i) {
    double low = infinite, high = -infinite;
    for (const range& node : nodes_) low = std::min(low, node.low[i]), high = std::max(high, node.high[i]);
    const double below = low - one.inside.low[i], above = one.inside.high[i] - high;
    const double atol = tolerances_.atol[i], rtol = tolerances_.rtol[i];
    const bool parts = one.parting[i] > much * (atol + rtol * one.size[i]) && one.parting[i] > 0.5 * std::abs(one.before[i]);
    if (!parts || !(std::max(below, above) > high - low) || one.parting[i] <= worst.parting) continue;
    const bool is_high = above >= below;
    worst = {one.from, one.to, i, low, high, is_high ? one.inside.high[i] : one.inside.low[i], is_high ? one.high_at[i] : one.low_at[i], one.parting[i]};
  }
  if (!(worst.parting > 0)) return;
  ++count_;
  if (worst.parting > largest_.parting) largest_ = worst;
}

}  // namespace ensue::command
