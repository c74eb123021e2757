#include "event_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace ensue::command {
namespace {

std::vector<double> times_of(std::size_t event, const std::vector<happened_event>& happened) {
  std::vector<double> times;
  for (const happened_event& each : happened)
    if (each.event == event) times.push_back(each.t);
  std::ranges::sort(times);  // of a run that goes backwards, too
  return times;
}

double nearest(double t, const std::vector<double>& times) {
  const auto next = std::ranges::lower_bound(times, t);
  if (next == times.end()) return times.back();
  return next == times.begin() || *next - t < t - *(next - 1) ? *next : *(next - 1);
}

}  // namespace

event_pairs::event_pairs(const file_problem& problem, const run_result& first, const run_result& second) {
  const double span = std::abs(first.t - problem.from), end = first.ending.how == outcome::stopped_by_event ? NAN : first.t;
  for (std::size_t event = 0; event < problem.events.size(); ++event) {
    auto a = times_of(event, first.events), b = times_of(event, second.events);
    // A root at the end of the span is found or not by rounding.
    const auto drop_at_end = [&](std::vector<double>& times, const std::vector<double>& others) {
      if (times.size() == others.size() + 1) std::erase_if(times, [&](double t) { return std::abs(t - end) <= 1e-6 * span; });
    };
    drop_at_end(a, b);
    drop_at_end(b, a);
    compare(event, a, b, !problem.events[event].sets.empty());
  }
  std::ranges::sort(gaps_, {}, &gap::from);
  std::size_t last = 0;
  for (std::size_t i = 1; i < gaps_.size(); ++i) {
    if (gaps_[i].from > gaps_[last].to) gaps_[++last] = gaps_[i];
    else gaps_[last].to = std::max(gaps_[last].to, gaps_[i].to);
  }
  if (!gaps_.empty()) gaps_.resize(last + 1);
}

bool event_pairs::part(double t) const {
  const auto next = std::ranges::upper_bound(gaps_, t, {}, &gap::from);
  return next != gaps_.begin() && (next - 1)->to >= t;
}

/// As many in both runs: the n-th of one belongs to the n-th of the other. Otherwise those that are each other's nearest belong together.
void event_pairs::compare(std::size_t event, const std::vector<double>& first, const std::vector<double>& second, bool changes) {
  const auto add = [&](double a, double b) {
    if (changes) gaps_.push_back({std::min(a, b), std::max(a, b)});
  };
  if (first.size() == second.size()) {
    for (std::size_t i = 0; i < first.size(); ++i) add(first[i], second[i]);
    return;
  }
  different_.push_back({event, static_cast<std::int64_t>(first.size()), static_cast<std::int64_t>(second.size())});
  if (first.empty() || second.empty()) return;
  for (const double t : first)
    if (const double other = nearest(t, second); nearest(other, first) == t) add(t, other);
}

}  // namespace ensue::command
