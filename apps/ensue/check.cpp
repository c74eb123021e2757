#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

std::string_view authors(const method_info& method) { return method.citation.substr(0, method.citation.find(" (")); }

// Below this an error estimate is mostly rounding.
constexpr double smallest_rtol = 50 * std::numeric_limits<double>::epsilon();

/// Where one run has met an event and the other has not yet, or just both. Asked for times in the order of the runs.
class event_gaps {
 public:
  event_gaps(const run_result& first, const run_result& second, bool backwards)
      : first_(first.events), second_(second.events), sign_(backwards ? -1 : 1) {}

  bool contain(double t) {
    const auto begins = [&] { return std::min(sign_ * first_[next_].t, sign_ * second_[next_].t); };
    const auto ends = [&] { return std::max(sign_ * first_[next_].t, sign_ * second_[next_].t); };
    while (next_ < count_ && ends() < sign_ * t) ++next_;
    return next_ < count_ && begins() <= sign_ * t;
  }

 private:
  const std::vector<happened_event>&first_, &second_;
  double sign_;
  std::size_t next_ = 0, count_ = std::min(first_.size(), second_.size());
};

}  // namespace

const method_info& unrelated_method(const method_info& method, const file_problem& problem) {
  if (problem.system.offers_mass_matrix()) return *find_method(method.name == "radau" ? "rodas5p" : "radau");
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
  kept_rows again;
  run_watch second_watch = watch;
  second_watch.points = rows.t;
  second_watch.take = [&](const row& each) { again.keep(each); };
  check_result result;
  result.method = &unrelated_method(*first.method, problem);
  const run_result second = run_observed(problem, *result.method, stopped ? *problem.to : first.t,
                                         settings_of_check(problem, settings), second_watch);
  if (second.ending.how != (stopped ? outcome::stopped_by_event : outcome::finished)) {
    result.failed = fmt::format("{}: {}", result.method->name, second.message);
    return result;
  }

  largest_distance difference;
  expression_system system = problem.system;
  const auto compare = [&](double t, std::span<const double> a, std::span<const double> b) {
    difference.begin(t);
    for (std::size_t i = 0; i < a.size(); ++i) difference.take(i, std::abs(a[i] - b[i]));
    difference.take_apart(a, b, system);
  };
  event_gaps gaps(first, second, *problem.to < problem.from);
  std::size_t i = 0;  // both runs meet their times in the same order
  for (std::size_t j = 0; j < again.t.size(); ++j) {
    while (i < rows.t.size() && rows.t[i] != again.t[j]) ++i;
    if (i == rows.t.size()) break;
    if (!gaps.contain(rows.t[i])) compare(rows.t[i], rows.state[i], again.state[j]);
  }
  compare(first.t, first.state, second.state);
  result.difference = difference;
  return result;
}

}  // namespace ensue::command
