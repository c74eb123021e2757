#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace ensue::command {
namespace {

std::string_view authors(const method_info& method) { return method.citation.substr(0, method.citation.find(" (")); }

// Below this an error estimate is mostly rounding.
constexpr double smallest_rtol = 50 * std::numeric_limits<double>::epsilon();

}  // namespace

const method_info& unrelated_method(const method_info& method) {
  const method_info& usual = *find_method("vern7");
  return authors(method) != authors(usual) ? usual : *find_method("dop853");
}

options<std::span<double>> settings_of_check(const file_problem& problem, options<std::span<double>> settings) {
  if (settings.step == 0) {
    for (std::size_t i = 0; i < settings.rtol.size(); ++i)
      settings.rtol[i] = std::max(0.1 * settings.rtol[i], std::min(settings.rtol[i], smallest_rtol));
    for (std::size_t i = 0; i < settings.atol.size(); ++i) settings.atol[i] *= 0.1;
  } else {
    double scale = 0;
    for (const double x : problem.start) scale = std::max(scale, std::abs(x));
    settings.step = 0;
    settings.rtol = 1e-12;
    settings.atol = 1e-14 * (scale > 0 ? scale : 1);
  }
  settings.min_step = 0;
  if (settings.max_evaluations < std::numeric_limits<std::int64_t>::max() / 10) settings.max_evaluations *= 10;
  return settings;
}

check_result check(const file_problem& problem, const run_result& first, const kept_rows& rows,
                   const options<std::span<double>>& settings, const run_watch& watch) {
  const bool stopped = first.ending.how == outcome::stopped_by_event;
  std::unordered_set<double> event_times;
  for (const happened_event& each : first.events) event_times.insert(each.t);
  std::vector<double> times;
  for (const double t : rows.t)
    if (!event_times.contains(t)) times.push_back(t);

  largest_distance difference;
  const auto compare = [&](double t, std::span<const double> a, std::span<const double> b) {
    difference.begin(t);
    for (std::size_t i = 0; i < a.size(); ++i) difference.take(i, std::abs(a[i] - b[i]));
  };
  std::size_t next = 0;  // both runs meet their times in the same order
  run_watch second_watch = watch;
  second_watch.points = std::move(times);
  second_watch.take = [&](const row& each) {
    std::size_t i = next;
    while (i < rows.t.size() && rows.t[i] != each.t) ++i;
    if (i == rows.t.size()) return;
    next = i;
    if (!event_times.contains(each.t)) compare(each.t, each.state, rows.state[i]);
  };
  check_result result;
  result.method = &unrelated_method(*first.method);
  const run_result second = run_observed(problem, *result.method, stopped ? *problem.to : first.t,
                                         settings_of_check(problem, settings), second_watch);
  if (second.ending.how != (stopped ? outcome::stopped_by_event : outcome::finished)) {
    result.failed = fmt::format("{}: {}", result.method->name, second.message);
    return result;
  }
  compare(first.t, first.state, second.state);
  result.difference = difference;
  return result;
}

}  // namespace ensue::command
