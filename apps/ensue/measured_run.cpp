#include "measured_run.hpp"

#include "../../src/problem_model.hpp"

#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

run_setting tight(double tolerance) { return {.step = 0, .rtol = tolerance, .atol = 1e-3 * tolerance}; }

}  // namespace

double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string run_setting::options() const {
  return step > 0 ? fmt::format("--step {}", step) : fmt::format("--rtol {} --atol {}", rtol, atol);
}

laboratory::laboratory(const file_problem& problem, double to) : problem_(problem), to_(to) { make_reference(); }

run_setting laboratory::fixed(std::int64_t count) const {
  return {.step = span() / static_cast<double>(output_times * count)};
}

run_setting laboratory::adaptive(double rtol) const {
  const double smallest = *std::min_element(reference_.scale.begin(), reference_.scale.end());
  const int power = std::min(0, static_cast<int>(std::floor(std::log10(smallest))));
  const double rounded = std::stod(fmt::format("{:.2g}", rtol));  // so that it can be typed
  return {.rtol = rounded, .atol = std::stod(fmt::format("{:.2g}", rounded * std::pow(10., power)))};
}

std::unique_ptr<any_integrator> laboratory::made(const method_info& method, const run_setting& setting,
                                                 std::int64_t most_evaluations) const {
  options<std::span<double>> settings;
  if (setting.step > 0) settings.step = setting.step;
  else settings.rtol = setting.rtol, settings.atol = setting.atol;
  settings.max_evaluations = most_evaluations;
  return method.make(model_of(problem_, method), problem_.start, problem_.from, settings);
}

double laboratory::distance(std::span<const double> x, std::span<const double> y) const {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - y[i]) / reference_.scale[i];
    if (!(error <= largest)) largest = std::isnan(error) ? infinite : error;
  }
  return largest;
}

void laboratory::make_reference() {
  for (int k = 1; k <= output_times; ++k)
    reference_.times.push_back(k == output_times ? to_ : problem_.from + (to_ - problem_.from) * k / output_times);
  if (make_reference({"vern9", "dop853"}, reference_tolerance)) make_reference({"radau", "rodas5p"}, stiff_reference_tolerance);
}

// Returns whether others may succeed: where the problem is stiff for these.
bool laboratory::make_reference(const std::array<std::string_view, 2>& methods, double tolerance) {
  constexpr std::int64_t most_evaluations = 20'000'000, most_while_stiff = 1'000'000;
  reference_.methods = methods;
  reference_.tolerance = tolerance;
  reference_.failure.clear();
  reference_.states.clear();
  reference_.evaluations = 0;
  reference_.scale.assign(problem_.start.size(), 0);
  const auto enlarge = [&](std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i) reference_.scale[i] = std::max(reference_.scale[i], std::abs(x[i]));
  };
  enlarge(problem_.start);

  std::vector<std::vector<double>> second;
  for (const std::string_view name : methods) {
    const auto sim = made(*find_method(name), tight(tolerance), most_evaluations);
    auto& states = reference_.states.empty() ? reference_.states : second;
    for (const double t : reference_.times) {
      while (sim->time() != t) {
        if (sim->step_towards(t) != outcome::finished) {
          reference_.failure = fmt::format("{} at a tolerance of {}: {}", name, tolerance, sim->message());
          return sim->ending().stiff();
        }
        if (sim->ending().stiff() && sim->statistics().evaluations > most_while_stiff) return true;
        enlarge(sim->state());
      }
      states.emplace_back(sim->state().begin(), sim->state().end());
    }
    reference_.evaluations += sim->statistics().evaluations;
  }
  const double largest = *std::max_element(reference_.scale.begin(), reference_.scale.end());
  for (double& scale : reference_.scale) scale = largest > 0 ? std::max(scale, 1e-6 * largest) : 1;
  reference_.agreed_until = undefined;
  for (std::size_t k = 0; k < second.size(); ++k) {
    reference_.agreement = std::max(reference_.agreement, distance(reference_.states[k], second[k]));
    if (reference_.agreement < 1e-6) reference_.agreed_until = reference_.times[k];
  }
  return false;
}

// The run's own step ends, since steps cut short at given times would err less: the first forty, and those that pass an output
// time, against the reference continued to there from the nearest of its states before.
double laboratory::error_at(any_integrator& continued, double from, double t, std::span<const double> x,
                            std::int64_t step) const {
  const bool backwards = to_ < problem_.from;
  const auto passed = [&](double end) {
    return static_cast<std::size_t>(std::count_if(reference_.times.begin(), reference_.times.end(),
                                                  [&](double time) { return backwards ? time >= end : time <= end; }));
  };
  const std::size_t k = passed(t);
  if (step >= 40 && k == passed(from)) return 0;
  if (k == 0) continued.set_state(problem_.from, problem_.start);
  else continued.set_state(reference_.times[k - 1], reference_.states[k - 1]);
  return continued.advance_to(t) == outcome::finished ? distance(x, continued.state()) : 0;
}

// Drift and lengths of steps, of the run as it is alone, and its error.
void laboratory::watch(const method_info& method, measured_run& run, std::int64_t most_evaluations) const {
  const auto sim = made(method, run.setting, most_evaluations);
  expression_values invariants = problem_.invariants;
  std::vector<double> initial;
  invariants.evaluate(problem_.from, problem_.start);
  for (std::size_t i = 0; i < invariants.size(); ++i) initial.push_back(invariants[i]);
  run.drift = initial.empty() ? undefined : 0;
  run.shortest_step = infinite;
  const bool fixed = run.setting.step > 0 && !method.sets_pace;
  const auto continued = made(*find_method(reference_.methods[0]), tight(reference_.tolerance), std::numeric_limits<std::int64_t>::max());
  const std::int64_t between_times = fixed ? std::llround(span() / output_times / run.setting.step) : 0;
  for (std::int64_t step = 0; sim->time() != to_; ++step) {
    const double from = sim->time();
    if (sim->step_towards(to_) != outcome::finished) break;
    if (fixed && (step + 1) % between_times == 0) {
      const auto k = static_cast<std::size_t>((step + 1) / between_times - 1);
      if (k < reference_.states.size()) run.error = std::max(run.error, distance(sim->state(), reference_.states[k]));
    }
    if (!fixed) run.error = std::max(run.error, error_at(*continued, from, sim->time(), sim->state(), step));
    if (!initial.empty()) invariants.evaluate(sim->time(), sim->state());
    for (std::size_t i = 0; i < initial.size(); ++i) {
      const double drift = std::abs(invariants[i] - initial[i]);
      if (!(drift <= run.drift)) run.drift = drift;
    }
    if (step < 2 || sim->time() == to_) continue;
    const double length = std::abs(sim->time() - from);
    run.shortest_step = std::min(run.shortest_step, length);
    run.longest_step = std::max(run.longest_step, length);
  }
  run.stiff = sim->ending().stiff();
}

measured_run laboratory::measure(const method_info& method, const run_setting& setting,
                                 std::int64_t most_evaluations) const {
  measured_run run{.setting = setting};
  run.seconds = infinite;
  // The quickest of some: others use the machine as well.
  double spent = 0;
  for (int repetition = 0; repetition < 20 && spent < 2e-3; ++repetition) {
    const double began = processor_seconds();
    const auto sim = made(method, setting, most_evaluations);
    run.ending = sim->advance_to(to_);
    const double seconds = processor_seconds() - began;
    run.seconds = std::min(run.seconds, seconds);
    spent += seconds;
    run.evaluations = sim->statistics().evaluations;
    run.steps = sim->statistics().steps;
    run.rejected = sim->statistics().rejected;
    run.error = run.ending == outcome::finished ? distance(sim->state(), reference_.states.back()) : infinite;
  }
  if (run.ending != outcome::finished) {
    run.drift = problem_.invariants.size() > 0 ? infinite : undefined;
    return run;
  }
  watch(method, run, most_evaluations);
  return run;
}

bool laboratory::is_stable(const method_info& method, double step, std::int64_t most_evaluations) const {
  const auto sim = made(method, {.step = step}, most_evaluations);
  const double growth = std::clamp(std::pow(1.01, span() / step), 1.02, 10.0);
  while (sim->time() != to_) {
    if (sim->step_towards(to_) != outcome::finished) return false;
    for (std::size_t i = 0; i < sim->state().size(); ++i)
      if (!(std::abs(sim->state()[i]) <= growth * reference_.scale[i])) return false;
  }
  return true;
}

}  // namespace ensue::command
