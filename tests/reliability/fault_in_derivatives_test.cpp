/// Something goes wrong at the n-th call of a model's own Jacobian, ∂f/∂t or force blocks: as where it goes wrong in f (fault_at_every_call_test.cpp).
#include "reliability/faulty_runs.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <memory>

namespace {

using namespace ensue;
using namespace ensue::tests;

/// A forced oscillator of Van der Pol's, f itself without fault.
struct with_derivatives {
  static constexpr double stiffness = 1000;  // `auto` notices
  std::shared_ptr<diary> log;
  void operator()(double t, std::span<const double> x, std::span<double> dx) const {
    dx[0] = x[1], dx[1] = stiffness * ((1 - x[0] * x[0]) * x[1] - x[0]) + std::sin(3 * t);
  }
  bool jacobian(double, std::span<const double> x, auto& j) const {
    j(0, 1) = 1, j(1, 0) = -stiffness * (2 * x[0] * x[1] + 1), j(1, 1) = stiffness * (1 - x[0] * x[0]);
    return misbehave(*log, j(1, 1));
  }
  bool time_derivative(double t, std::span<const double>, std::span<double> ft) const {
    ft[0] = 0, ft[1] = 3 * std::cos(3 * t);
    return misbehave(*log, ft[1]);
  }
};

/// The same with an algebraic variable.
struct constrained_with_derivatives {
  std::shared_ptr<diary> log;
  void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = -x[1], dx[1] = x[1] - x[0] * x[0]; }
  bool jacobian(double, std::span<const double> x, auto& j) const {
    j(0, 1) = -1, j(1, 0) = -2 * x[0], j(1, 1) = 1;
    return misbehave(*log, j(1, 0));
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

/// Two particles that hang by a spring each and are joined by a third.
struct joined_particles {
  static constexpr double stiffness = 100, joint = 50, drag = 0.5;
  std::shared_ptr<diary> log;

  std::size_t particles() const { return 2; }
  double mass(std::size_t) const { return 1; }
  void constrain(auto&) const {}
  bool acceleration(double, std::span<const double> q, std::span<const double> v, std::span<double> a) const {
    for (std::size_t i = 0; i < 6; ++i) a[i] = -stiffness * q[i] - joint * (q[i] - q[(i + 3) % 6]) - drag * v[i] - (i % 3 == 2 ? 9.81 : 0);
    return misbehave(*log, a[4]);
  }
  void blocks(double, std::span<const double>, std::span<const double>, force_derivatives, auto& out) const {
    force_block own = force_block::identity(-stiffness);
    misbehave(*log, own(1, 1));  // blocks cannot say that they are not defined
    for (std::size_t i = 0; i < 2; ++i) out.couple(i, i, own, force_block::identity(-drag));
    out.spring(0, 1, force_block::identity(-joint), force_block{});
  }
};

std::vector<task> tasks_for(const method_info& method, const std::shared_ptr<diary>& log) {
  std::vector<task> found;
  if (method.evaluations.differentiates) found.push_back({"with derivatives", with_derivatives{log}, {2, 0}, 1, 1. / 64});
  if (method.takes_mass_matrix) found.push_back({"constrained", constrained_with_derivatives{log}, {1, 1}, 1, 1. / 16});
  if (method.name == "linearly-implicit-euler" || method.name == "backward-euler")  // condensed for particles
    found.push_back({"particles", joined_particles{log}, {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0, 0, 0, 0}, 0.5, 1. / 64});
  return found;
}

struct fault_in_derivatives_of : testing::TestWithParam<const method_info*> {};

TEST_P(fault_in_derivatives_of, ends_as_documented_and_goes_on) {
  const method_info& method = *GetParam();
  const auto log = std::make_shared<diary>();
  for (const task& one : tasks_for(method, log)) {
    log->calls = log->at = 0;
    const std::vector<moment> right = undisturbed(method, one);
    const int calls = log->calls;
    ASSERT_GT(calls, 0) << one.name << ": its derivatives are not asked for";
    for (const fault what : every_fault)
      for_calls(calls, sanitized, [&](int n) {
        *log = {what, n, 0};
        const std::string wrong = wrong_with_fault(method, one, *log, right);
        ASSERT_TRUE(wrong.empty()) << wrong << ": " << name_of(what) << " at call " << n << " of " << calls << ", " << one.name;
      });
  }
}

std::vector<const method_info*> methods_with_derivatives() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (!tasks_for(*method, nullptr).empty()) found.push_back(method);
  return found;
}

INSTANTIATE_TEST_SUITE_P(method, fault_in_derivatives_of, testing::ValuesIn(methods_with_derivatives()), name_of_method);

}  // namespace
