/// Something goes wrong in f at the n-th call, for every n of a run and every method: a documented outcome, the last good state intact, nothing
/// leaked, and the run goes on from there to the undisturbed answer.
#include <ensue/models/rigid_body.hpp>
#include <ensue/registry.hpp>

#include "reliability/faulty_runs.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

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

struct fault_at_every_call_of : testing::TestWithParam<const method_info*> {};

TEST_P(fault_at_every_call_of, ends_as_documented_and_goes_on) {
  const method_info& method = *GetParam();
  const auto log = std::make_shared<diary>();
  for (const task& one : tasks_for(method, log)) {
    log->calls = log->at = 0;
    const std::vector<moment> right = undisturbed(method, one);
    const int calls = log->calls;
    ASSERT_GT(calls, 3);
    const auto owners = log.use_count();
    for (const fault what : every_fault)
      for_calls(calls, sanitized, [&](int n) {
        *log = {what, n, 0};
        const std::string wrong = wrong_with_fault(method, one, *log, right);
        ASSERT_TRUE(wrong.empty()) << wrong << ": " << name_of(what) << " at call " << n << " of " << calls << ", " << one.name;
        ASSERT_EQ(log.use_count(), owners) << "a copy of f was left: " << name_of(what) << " at call " << n;
      });
  }
}

std::vector<const method_info*> every_method() { return {all_methods().begin(), all_methods().end()}; }

INSTANTIATE_TEST_SUITE_P(method, fault_at_every_call_of, testing::ValuesIn(every_method()), name_of_method);

}  // namespace
