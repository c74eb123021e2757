#include "check.hpp"

#include "problems/problem_model.hpp"
#include "clock.hpp"
#include "irregular_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace ensue::command {
namespace {

std::string_view authors(const method_info& method) { return method.citation.substr(0, method.citation.find(" (")); }

// Below this an error estimate is mostly rounding.
constexpr double smallest_rtol = 50 * std::numeric_limits<double>::epsilon();
constexpr double tighter = 0.01;

// The second run has at least so many steps. Where it finds that the first one has missed something, it may have missed more of it, and looks closer.
constexpr double fewest_steps[] = {1e3, 1e4};

// A second run of so many times the first one's evaluations, and so many more, is not helped by another explicit step.
constexpr std::int64_t patience_factor = 20, patience = 1'000'000;

const method_info& unrelated(const method_info& method, std::string_view usual, std::string_view other) {
  const method_info& found = *find_method(usual);
  return authors(method) != authors(found) ? found : *find_method(other);
}

std::int64_t times(std::int64_t count, std::int64_t factor, std::int64_t more) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return count > (most - more) / factor ? most : count * factor + more;
}

/// Where the steps of the second run end.
std::vector<double> landings_of(const file_problem& problem, const run_result& first, const checked_rows& rows, double parts) {
  const bool backwards = *problem.to < problem.from;
  std::vector<double> wanted;
  for (const thinned_rows* each : {&rows.points, &rows.steps}) wanted.insert(wanted.end(), each->times().begin(), each->times().end());
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (backwards) std::ranges::reverse(wanted);
  std::vector<double> landings = irregular_times(problem.from, first.t, parts, wanted);
  if (first.ending.how == outcome::stopped_by_event) {  // the second run may go on for a while, or for all of the span
    const std::vector<double> beyond = irregular_times(first.t, *problem.to, parts, {});
    landings.insert(landings.end(), beyond.begin(), beyond.end());
  }
  return landings;
}

/// The second run's states at the times of the first one's points.
class second_rows {
 public:
  explicit second_rows(const thinned_rows& points) : times_(points.times()) { std::ranges::sort(times_); }
  void look(double t, std::span<const double> x) {
    if (!std::ranges::binary_search(times_, t)) return;
    t_.push_back(t);
    x_.insert(x_.end(), x.begin(), x.end());
  }
  std::size_t size() const { return t_.size(); }
  double time(std::size_t i) const { return t_[i]; }
  std::span<const double> state(std::size_t i) const { return std::span(x_).subspan(i * (x_.size() / t_.size()), x_.size() / t_.size()); }

 private:
  std::vector<double> times_, t_, x_;
};

class comparison_of_states {
 public:
  explicit comparison_of_states(const file_problem& problem) : system_(problem.system) {}
  void compare(double t, std::span<const double> a, std::span<const double> b) {
    found.begin(t);
    for (std::size_t i = 0; i < a.size(); ++i) found.take(i, std::abs(a[i] - b[i]));
    found.take_apart(a, b, system_);
  }
  largest_distance found;

 private:
  expression_system system_;
};

largest_distance distance(const file_problem& problem, const run_result& first, const run_result& second, const thinned_rows& points,
                          const second_rows& others, const event_pairs& events) {
  comparison_of_states all(problem);
  std::size_t i = 0;  // both runs meet their times in the same order
  for (std::size_t j = 0; j < others.size(); ++j) {
    while (i < points.size() && points.times()[i] != others.time(j)) ++i;
    if (i == points.size()) break;
    if (!events.part(points.times()[i])) all.compare(points.times()[i], points.state(i), others.state(j));
  }
  all.compare(first.t, first.state, second.state);
  return all.found;
}

/// By a second run of at least so many steps.
check_result checked(const file_problem& problem, const run_result& first, const checked_rows& rows,
                     const options<std::span<double>>& settings, const run_watch& watch, double parts) {
  check_result result;
  const bool stopped = first.ending.how == outcome::stopped_by_event;
  const double to = stopped ? *problem.to : first.t;
  const checking_methods methods = methods_of_check(*first.method, problem, first.ending.stiff());
  result.method = methods.first->name;
  if (result.failed = fault_of_clock(problem.from, first.t); !result.failed.empty()) return result;

  options<std::span<double>> tight = settings_of_check(problem, settings);
  tight.cancel = watch.interrupted;
  irregular_steps::maker implicit;
  if (methods.if_stiff)
    implicit = [&](double t, std::span<const double> x, std::int64_t spent) {
      auto rest = tight;
      rest.max_evaluations = std::max<std::int64_t>(rest.max_evaluations - spent, 0);
      return methods.if_stiff->make(model_of(problem, *methods.if_stiff), x, t, rest);
    };
  irregular_steps sim(methods.first->make(model_of(problem, *methods.first), problem.start, problem.from, tight), implicit,
                      landings_of(problem, first, rows, parts), *problem.to < problem.from, times(first.statistics.evaluations, patience_factor, patience));

  second_rows again(rows.points);
  unseen_changes unseen(rows.steps, settings.step == 0 ? settings : tight);
  run_watch second_watch = watch;
  second_watch.points = every_step{};
  second_watch.take = {};
  second_watch.each_step = [&](double t, std::span<const double> x) {
    again.look(t, x);
    unseen.look(t, x);
  };
  const run_result second = run_observed(problem, *methods.first, sim, to, second_watch);
  unseen.finish();
  result.method = sim.methods();
  result.evaluations = second.statistics.evaluations;
  result.steps = second.statistics.steps;
  const bool both_at_rest = first.ending.how == outcome::events_accumulating && second.ending.how == outcome::events_accumulating;
  if (!second.as_asked() && !both_at_rest) {
    result.failed = fmt::format("{}: {}", result.method, second.message);
    return result;
  }
  const event_pairs events(problem, first, second);
  result.events = events.different();
  result.unseen_count = unseen.count();
  result.unseen = unseen.largest();
  result.fixed_steps = settings.step > 0;
  result.difference = distance(problem, first, second, rows.points, again, events);
  return result;
}

}  // namespace

checking_methods methods_of_check(const method_info& method, const file_problem& problem, bool stiff) {
  const method_info& implicit = unrelated(method, "radau", "rodas5p");
  const method_info& explicit_one = unrelated(method, method.name == "auto" ? "dop853" : "vern7", "dop853");
  if (problem.system.offers_mass_matrix()) return {&implicit, nullptr};
  if (problem.system.built_in()) return {&explicit_one, nullptr};  // f' of many components by differences takes too long
  if (stiff) return {&implicit, nullptr};
  return {&explicit_one, &implicit};
}

options<std::span<double>> settings_of_check(const file_problem& problem, options<std::span<double>> settings) {
  if (settings.step == 0) {
    for (std::size_t i = 0; i < settings.rtol.size(); ++i)
      settings.rtol[i] = std::max(tighter * settings.rtol[i], std::min(settings.rtol[i], smallest_rtol));
    for (std::size_t i = 0; i < settings.atol.size(); ++i) settings.atol[i] *= tighter;
  } else {
    double scale = 0;
    for (const double x : problem.start) scale = std::max(scale, std::abs(x));
    settings.step = 0;
    settings.rtol = 1e-12;
    settings.atol = 1e-14 * (scale > 0 ? scale : 1);
  }
  settings.min_step = 0;
  settings.max_evaluations = times(settings.max_evaluations, 10, patience);
  return settings;
}

check_result check(const file_problem& problem, const run_result& first, const checked_rows& rows,
                   const options<std::span<double>>& settings, const run_watch& watch) {
  const std::string no_memory = "there was not enough memory";
  check_result failed;
  failed.method = methods_of_check(*first.method, problem, false).first->name;
  failed.failed = no_memory;
  if (rows.points.incomplete() || rows.steps.incomplete()) return failed;
  try {
    check_result found;
    for (const double parts : fewest_steps) {
      if (static_cast<double>(found.steps) >= parts) break;  // it has looked as closely as that
      check_result closer = checked(problem, first, rows, settings, watch, parts);
      closer.evaluations += found.evaluations;
      if (closer.failed.empty() || !found.difference) found = std::move(closer);
      if (!found.missed_something()) break;
    }
    return found;
  } catch (const std::bad_alloc&) {
    return failed;
  }
}

}  // namespace ensue::command
