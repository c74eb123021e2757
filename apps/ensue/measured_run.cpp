#include "measured_run.hpp"

#include "problems/problem_model.hpp"
#include "observed_run.hpp"
#include "problem_options.hpp"

#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The largest change of all invariants; NaN without any.
class largest_drift {
 public:
  explicit largest_drift(const file_problem& problem) : invariants_(problem.invariants) {
    invariants_.evaluate(problem.from, problem.start);
    for (std::size_t i = 0; i < invariants_.size(); ++i) initial_.push_back(invariants_[i]);
    if (!initial_.empty()) largest = 0;
  }

  void look(double t, std::span<const double> x) {
    if (initial_.empty()) return;
    invariants_.evaluate(t, x);
    for (std::size_t i = 0; i < initial_.size(); ++i) {
      const double drift = std::abs(invariants_[i] - initial_[i]);
      if (!(drift <= largest)) largest = drift;
    }
  }

  double largest = std::numeric_limits<double>::quiet_NaN();

 private:
  expression_values invariants_;
  std::vector<double> initial_;
};

}  // namespace

std::string run_setting::options() const {
  return step > 0 ? fmt::format("--step {}", step) : fmt::format("--rtol {} --atol {}", rtol, atol);
}

run_setting laboratory::fixed(std::int64_t count) const {
  return {.step = span() / static_cast<double>(output_times * count)};
}

run_setting laboratory::adaptive(double rtol) const {
  const double smallest = *std::min_element(reference_.scale.begin(), reference_.scale.end());
  const int power = std::min(0, static_cast<int>(std::floor(std::log10(smallest))));
  const double rounded = std::stod(fmt::format("{:.2g}", rtol));  // so that it can be typed
  return {.rtol = rounded, .atol = std::stod(fmt::format("{:.2g}", rounded * std::pow(10., power)))};
}

// As `ensue solve` reads them: with what [solver] of the file says beside.
options<std::span<double>> laboratory::settings_of(const method_info& method, const run_setting& setting,
                                                   std::int64_t most_evaluations) const {
  problem_request typed;
  if (setting.step > 0) typed.step = fmt::format("{}", setting.step);
  else typed.rtol = fmt::format("{}", setting.rtol), typed.atol = fmt::format("{}", setting.atol);
  options<std::span<double>> settings = options_of(typed, problem_.solver, method);
  settings.max_evaluations = std::min(settings.max_evaluations, most_evaluations);
  settings.cancel = limit_.over();
  return settings;
}

// By the function that `ensue solve --points 21` runs.
measured_run laboratory::measure_once(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const {
  measured_run run{.setting = setting};
  run_watch watch;
  watch.points = span() / output_times;
  watch.interrupted = limit_.over();
  watch.take = [&](const row& point) {
    if (point.t == problem_.from) return;
    const std::size_t k = reference_.index_of(point.t, problem_.from);
    if (k < reference_.states.size()) run.error = std::max(run.error, reference_.distance(point.state, reference_.states[k]));
  };
  const double began = processor_seconds();
  const run_result seen = run_observed(problem_, method, to(), settings_of(method, setting, most_evaluations), watch);
  run.seconds = processor_seconds() - began;
  run.ending = seen.ending.how;
  run.stiff = seen.ending.stiff();
  run.evaluations = seen.statistics.evaluations;
  run.steps = seen.statistics.steps;
  run.rejected = seen.statistics.rejected;
  run.drift = seen.invariants.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
  for (const watched_invariant& one : seen.invariants) {
    const double drift = one.seen.largest;
    if (!(drift <= run.drift)) run.drift = drift;
  }
  if (run.ending == outcome::finished) return run;
  run.error = std::numeric_limits<double>::infinity();
  if (!seen.invariants.empty()) run.drift = std::numeric_limits<double>::infinity();
  return run;
}

measured_run laboratory::measure(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const {
  measured_run run = measure_once(method, setting, most_evaluations);
  // The quickest of some: others use the machine as well.
  double spent = run.seconds;
  for (int repetition = 1; repetition < 20 && spent < 2e-3; ++repetition) {
    const measured_run again = measure_once(method, setting, most_evaluations);
    if (again.ending != run.ending) break;  // the time is over
    run.seconds = std::min(run.seconds, again.seconds);
    spent += again.seconds;
  }
  return run;
}

unwatched_run laboratory::run_unwatched(const method_info& method, const run_setting& setting) const {
  unwatched_run run;
  run.shortest_step = std::numeric_limits<double>::infinity();
  largest_drift drift(problem_);
  const auto sim = method.make(model_of(problem_, method), problem_.start, problem_.from,
                               settings_of(method, setting, std::numeric_limits<std::int64_t>::max()));
  for (std::int64_t step = 0; sim->time() != to(); ++step) {
    const double from = sim->time();
    run.ending = sim->step_towards(to());
    if (run.ending != outcome::finished) return run;
    drift.look(sim->time(), sim->state());
    if (step < 2 || sim->time() == to()) continue;
    const double length = std::abs(sim->time() - from);
    run.shortest_step = std::min(run.shortest_step, length);
    run.longest_step = std::max(run.longest_step, length);
  }
  run.error = reference_.distance(sim->state(), reference_.states.back());
  run.drift = drift.largest;
  return run;
}

bool laboratory::is_stable(const method_info& method, double step, std::int64_t most_evaluations) const {
  const auto sim = method.make(model_of(problem_, method), problem_.start, problem_.from, settings_of(method, {.step = step}, most_evaluations));
  const double growth = std::clamp(std::pow(1.01, span() / step), 1.02, 10.0);
  while (sim->time() != to()) {
    if (sim->step_towards(to()) != outcome::finished) return false;
    for (std::size_t i = 0; i < sim->state().size(); ++i)
      if (!(std::abs(sim->state()[i]) <= growth * reference_.scale[i])) return false;
  }
  return true;
}

}  // namespace ensue::command
