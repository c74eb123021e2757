/// Something goes wrong in f at the n-th call, for every n of a run and every method: a documented outcome, the last good state intact, nothing
/// leaked, and the run goes on from there to the undisturbed answer.
#include <ensue/models/rigid_body.hpp>
#include <ensue/registry.hpp>

#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace {

using namespace ensue;

enum class fault { nan, infinity, exception, no_memory, undefined };
constexpr fault every_fault[] = {fault::nan, fault::infinity, fault::exception, fault::no_memory, fault::undefined};
constexpr const char* name_of(fault what) {
  constexpr const char* names[] = {"NaN", "infinity", "an exception", "bad_alloc", "return false"};
  return names[static_cast<int>(what)];
}

struct trouble : std::runtime_error {
  trouble() : std::runtime_error("trouble") {}
};

/// What a model does at its n-th call; its copies share it.
struct diary {
  fault what = fault::nan;
  int at = 0;  ///< 0: never
  int calls = 0;
};

/// What f returns; the number is one of those that f has just written.
bool misbehave(diary& log, double& written) {
  if (++log.calls != log.at) return true;
  switch (log.what) {
    case fault::nan: written = std::numeric_limits<double>::quiet_NaN(); return true;
    case fault::infinity: written = std::numeric_limits<double>::infinity(); return true;
    case fault::exception: throw trouble();
    case fault::no_memory: throw std::bad_alloc();
    case fault::undefined: return false;
  }
  return true;
}

/// Van der Pol's, a little stiff, so that implicit methods iterate and `auto` may change sides.
struct oscillator {
  std::shared_ptr<diary> log;
  bool operator()(double, std::span<const double> x, std::span<double> dx) const {
    dx[0] = x[1], dx[1] = 20 * ((1 - x[0] * x[0]) * x[1] - x[0]);
    return misbehave(*log, dx[log->calls % 2]);
  }
};

/// With an algebraic variable: 0 = z - x².
struct constrained {
  std::shared_ptr<diary> log;
  bool operator()(double t, std::span<const double> x, std::span<double> dx) const {
    dx[0] = -x[1] + 0.5 * std::sin(3 * t), dx[1] = x[1] - x[0] * x[0];
    return misbehave(*log, dx[log->calls % 2]);
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

struct pendulum {
  std::shared_ptr<diary> log;
  bool acceleration(double, std::span<const double> q, std::span<double> a) const {
    a[0] = -std::sin(q[0]);
    return misbehave(*log, a[0]);
  }
};

/// Hangs by its first axis.
struct pull {
  std::shared_ptr<diary> log;
  bool operator()(double t, const quaternion<double>& q, vec<double, 3>& n) const {
    n = cross(q.rotate({1., 0., 0.}), vec<double, 3>{0., 0.1 * std::sin(t), -0.3});
    return misbehave(*log, n[1]);
  }
};

struct task {
  std::string name;
  system_function f;
  std::vector<double> start;
  double end, step;
};

std::vector<task> tasks_for(const method_info& method, const std::shared_ptr<diary>& log) {
  std::vector<task> found;
  if (is_for_groups(method.needs)) {
    const models::rigid_body<double, pull> body{{0.3, 0.5, 0.9}, {log}};
    const rotating_body<double> start = body.spinning({0.2, 1., 0.3});
    found.push_back({"rigid body", body, {start.elements, start.elements + 7}, 1, 1. / 16});
  } else if (method.needs != system_needed::any) {
    found.push_back({"pendulum", pendulum{log}, {1, 0}, 2, 1. / 8});
  } else {
    found.push_back({"oscillator", oscillator{log}, {2, 0}, 1, 1. / 64});
    if (method.takes_mass_matrix) found.push_back({"constrained", constrained{log}, {1, 1}, 1, 1. / 16});
  }
  return found;
}

options<std::span<double>> settings_for(const method_info& method, const task& one) {
  options<std::span<double>> settings{.rtol = 1e-4, .atol = 1e-4, .max_evaluations = 100'000};
  if (!method.adaptive) settings.step = one.step;
  return settings;
}

struct moment {
  double t;
  std::vector<double> x;
};

/// Time and state after each accepted step.
std::vector<moment> undisturbed(const method_info& method, const task& one) {
  const auto sim = method.make(one.f, one.start, 0, settings_for(method, one));
  std::vector<moment> seen{{0, one.start}};
  while (sim->time() != one.end && sim->step_towards(one.end) == outcome::finished)
    seen.push_back({sim->time(), {sim->state().begin(), sim->state().end()}});
  EXPECT_EQ(sim->time(), one.end) << sim->message();
  return seen;
}

bool is_documented(outcome how) {
  for (const outcome each : {outcome::derivative_not_finite, outcome::state_not_finite, outcome::derivative_failed, outcome::equations_not_solved,
                             outcome::jacobian_not_finite, outcome::matrix_singular, outcome::start_not_consistent})
    if (how == each) return true;
  return false;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return std::isfinite(most) ? most : std::numeric_limits<double>::infinity();
}

struct fault_at_every_call_of : testing::TestWithParam<const method_info*> {
  /// Runs with a fault at call n; what is wrong with it, empty: nothing.
  static std::string disturbed(const method_info& method, const task& one, diary& log, const std::vector<moment>& right) {
    const double close = method.adaptive ? 0.01 : 1e-5;  // a hundred tolerances; what an iteration may leave
    const auto sim = method.make(one.f, one.start, 0, settings_for(method, one));
    outcome how = outcome::finished;
    bool thrown = false;
    try {
      while (how == outcome::finished && sim->time() != one.end) how = sim->step_towards(one.end);
    } catch (const trouble&) {
      thrown = log.what == fault::exception;
    } catch (const std::bad_alloc&) {
      thrown = log.what == fault::no_memory;
    }
    if ((log.what == fault::exception || log.what == fault::no_memory) && !thrown) return "what f threw did not arrive";
    if (!thrown && how == outcome::finished) return distance(sim->state(), right.back().x) > close ? "a wrong answer" : "";
    if (!thrown && !is_documented(how)) return std::string("ended with ") + ensue::name_of(how);
    if (!thrown && sim->message().empty()) return "no message";
    const auto steps = static_cast<std::size_t>(sim->statistics().steps);
    if (steps >= right.size()) return "more steps than there are";
    if (sim->time() != right[steps].t || !std::ranges::equal(sim->state(), right[steps].x))
      return "not the last good state, after step " + std::to_string(steps);
    log.at = 0;
    how = sim->advance_to(one.end);
    if (how != outcome::finished) return "does not go on: " + sim->message();
    return distance(sim->state(), right.back().x) > close ? "goes on to a wrong answer" : "";
  }
};

TEST_P(fault_at_every_call_of, ends_as_documented_and_goes_on) {
  const method_info& method = *GetParam();
  const auto log = std::make_shared<diary>();
  for (const task& one : tasks_for(method, log)) {
    log->calls = log->at = 0;
    const std::vector<moment> right = undisturbed(method, one);
    const int calls = log->calls, stride = std::max(1, calls / (tests::sanitized ? 10 : 150));
    ASSERT_GT(calls, 3);
    const auto owners = log.use_count();
    for (const fault what : every_fault)
      for (int n = 1; n <= calls; n += n < 30 ? 1 : stride) {
        *log = {what, n, 0};
        const std::string wrong = disturbed(method, one, *log, right);
        ASSERT_TRUE(wrong.empty()) << wrong << ": " << name_of(what) << " at call " << n << " of " << calls << ", " << one.name;
        ASSERT_EQ(log.use_count(), owners) << "a copy of f was left: " << name_of(what) << " at call " << n;
      }
  }
}

std::vector<const method_info*> every_method() { return {all_methods().begin(), all_methods().end()}; }

INSTANTIATE_TEST_SUITE_P(method, fault_at_every_call_of, testing::ValuesIn(every_method()), tests::name_of_method);

}  // namespace
