/// Runs of a method of the registry that something goes wrong in, and what is wrong with what came of them.
#pragma once

#include <ensue/registry.hpp>

#include "reliability/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ensue::tests {

/// A problem, and the step of methods that have no error estimate.
struct task {
  std::string name;
  system_function f;
  std::vector<double> start;
  double end, step;
};

inline options<std::span<double>> settings_for(const method_info& method, const task& one) {
  options<std::span<double>> settings{.rtol = 1e-4, .atol = 1e-4, .max_evaluations = 100'000};
  if (!method.adaptive) settings.step = one.step;
  return settings;
}

struct moment {
  double t;
  std::vector<double> x;
};

/// Time and state after each accepted step. Observed: steps as they are where an observer looks between their ends.
inline std::vector<moment> undisturbed(const method_info& method, const task& one, bool observed = false) {
  const auto sim = method.make(one.f, one.start, 0, settings_for(method, one));
  sim->control_between_steps(observed);
  std::vector<moment> seen{{0, one.start}};
  while (sim->time() != one.end && sim->step_towards(one.end) == outcome::finished)
    seen.push_back({sim->time(), {sim->state().begin(), sim->state().end()}});
  EXPECT_EQ(sim->time(), one.end) << sim->message();
  return seen;
}

/// What is wrong with a run that ended with `how`, or because something was thrown; empty: nothing. Time and state have to be those after one of the steps of the undisturbed run, which the run
/// has to reach once the fault is gone.
inline std::string what_is_wrong(any_integrator& sim, outcome how, bool thrown, const task& one, diary& log, const std::vector<moment>& right) {
  const double close = sim.info().adaptive ? 0.01 : 1e-5;  // a hundred tolerances; what an iteration may leave
  if (throws(log.what) && !thrown) return "what was thrown did not arrive";
  if (!thrown && how == outcome::finished) return distance(sim.state(), right.back().x) > close ? "a wrong answer" : "";
  if (!thrown && !is_documented(how)) return std::string("ended with ") + ensue::name_of(how);
  if (!thrown && sim.message().empty()) return "no message";
  const auto steps = static_cast<std::size_t>(sim.statistics().steps);
  if (steps >= right.size()) return "more steps than there are";
  if (sim.time() != right[steps].t || !std::ranges::equal(sim.state(), right[steps].x)) return "not the last good state, after step " + std::to_string(steps);
  log.at = 0;
  how = sim.advance_to(one.end);
  if (how != outcome::finished) return "does not go on: " + sim.message();
  return distance(sim.state(), right.back().x) > close ? "goes on to a wrong answer" : "";
}

/// The same of a run with the fault that the diary names.
inline std::string wrong_with_fault(const method_info& method, const task& one, diary& log, const std::vector<moment>& right) {
  std::unique_ptr<any_integrator> sim;
  if (threw_as_told(log.what, [&] { sim = method.make(one.f, one.start, 0, settings_for(method, one)); })) return "";  // there is no run
  outcome how = outcome::finished;
  const bool thrown = threw_as_told(log.what, [&] {
    while (how == outcome::finished && sim->time() != one.end) how = sim->step_towards(one.end);
  });
  return what_is_wrong(*sim, how, thrown, one, log, right);
}

/// Calls try_it(n) for each n of a run, under sanitizers for some. The property `faults` of the test counts them.
template <class Try> void for_calls(int calls, bool few, Try try_it) {
  static int faults = 0;  // of the program so far
  const int stride = few ? std::max(1, calls / 10) : 1;
  for (int n = 1; n <= calls && !testing::Test::HasFatalFailure(); n += n < 30 ? 1 : stride) try_it(n), ++faults;
  testing::Test::RecordProperty("faults", faults);
}

}  // namespace ensue::tests
