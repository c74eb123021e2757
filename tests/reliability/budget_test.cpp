/// No run spends more evaluations than its budget: every method, stiff or not, adaptive and in fixed steps, watched or not. Counted where it
/// counts, in f.
#include "support/registered.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/shapes.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/output/observe.hpp>
#include <ensue/output/save.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;
using numbers = std::vector<double>;

/// Van der Pol's oscillator.
struct relaxation {
  std::int64_t* calls;
  double mu;
  void operator()(double, std::span<const double> x, std::span<double> dx) const {
    ++*calls;
    dx[0] = x[1], dx[1] = mu * ((1 - x[0] * x[0]) * x[1] - x[0]);
  }
};
/// f that is not defined beyond 1, rough before, and whose equations Newton's method does not like.
struct rough {
  std::int64_t* calls;
  bool operator()(double t, std::span<const double> x, std::span<double> dx) const {
    ++*calls;
    dx[0] = 1 + 0.1 * std::sin(1e9 * x[1]), dx[1] = -1e6 * std::cbrt(x[1] - std::cos(50 * t));
    return x[0] <= 1;
  }
};
struct oscillator {
  std::int64_t* calls;
  void acceleration(double, std::span<const double> q, std::span<double> a) const { ++*calls, a[0] = -q[0] * q[0] * q[0]; }
};
/// y' = z − (y − sin t), 0 = (1 + y²) z − (1 + sin² t) cos t
struct algebraic {
  std::int64_t* calls;
  void operator()(double t, std::span<const double> x, std::span<double> f) const {
    ++*calls;
    const double s = std::sin(t);
    f[0] = x[1] - (x[0] - s), f[1] = (1 + x[0] * x[0]) * x[1] - (1 + s * s) * std::cos(t);
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

struct budget_of : testing::TestWithParam<const method_info*> {
  const method_info& method = *GetParam();

  template <class Model> void expect_kept(const Model& model, const numbers& start, std::int64_t most, std::int64_t stride) {
    for (const double step : {0., 0.01, 1.}) {
      if (step == 0 && !method.adaptive) continue;
      for (std::int64_t budget = 1; budget <= most; budget += stride)
        for (const bool watched : {false, true}) {
          *model.calls = 0;
          const auto run = method.make(model, start, 0, {.rtol = 1e-6, .step = step, .max_evaluations = budget});
          if (watched) observe(*run, 1000., save_every(step > 0 ? step / 2 : 0.1, [](double, std::span<const double>) {}));
          else run->advance_to(1000);
          EXPECT_LE(*model.calls, budget) << method.name << ", step " << step << (watched ? ", watched" : "");
          EXPECT_EQ(run->statistics().evaluations, *model.calls) << method.name << ", step " << step << ", budget " << budget;
          EXPECT_NE(run->ending().how, outcome::finished);
        }
    }
  }
};
std::vector<const method_info*> methods_on_numbers() {
  std::vector<const method_info*> found;
  for (const method_info* method : ensue::all_methods())
    if (!is_for_groups(method->needs)) found.push_back(method);
  return found;
}
INSTANTIATE_TEST_SUITE_P(method, budget_of, testing::ValuesIn(methods_on_numbers()), name_of_method);

TEST_P(budget_of, is_kept) {
  std::int64_t calls = 0;
  expect_kept(oscillator{&calls}, {1, 0}, 60, 1);
  if (method.needs != system_needed::any) return;
  expect_kept(relaxation{&calls, 1}, {2, 0}, 60, 1);
  expect_kept(relaxation{&calls, 1e6}, {2, 0}, 60, 1);
  expect_kept(relaxation{&calls, 1e6}, {2, 0}, 600, 67);
  expect_kept(rough{&calls}, {0, 0.9}, 60, 1);
  expect_kept(rough{&calls}, {0, 0.9}, 600, 67);
  if (method.takes_mass_matrix) expect_kept(algebraic{&calls}, {0, 1}, 60, 1);
}

/// A net of springs whose forces are counted, and may be no numbers below some depth.
template <class Model> struct counted_forces : Model {
  std::int64_t* calls;
  double depth = -std::numeric_limits<double>::infinity();
  bool refuses = false;
  bool acceleration(double t, const auto& q, const auto& v, auto& a) const {
    ++*calls;
    Model::acceleration(t, q, v, a);
    if (!(q[5] < depth)) return true;
    a[5] = std::numeric_limits<double>::quiet_NaN();
    return !refuses;
  }
};
/// The net and a crumpled state of it at rest.
auto crumpled_net() {
  const auto shape = models::lattice({.across = 4, .down = 4, .spacing = 0.1, .mass = 0.02, .stiffness = 1e4, .damping = 3});
  models::particle_system model(shape.masses, {.gravity = {0, 0, -9.81}}, models::springs(shape.springs));
  model.fix(0);
  numbers state;
  for (const auto& at : shape.positions)
    for (std::size_t c = 0; c < 3; ++c) state.push_back(at[c] * (0.7 + 0.05 * std::sin(7. * static_cast<double>(state.size()))));
  state.resize(2 * state.size());
  return std::pair(model, state);
}
struct condensed_budget : testing::Test {
  decltype(crumpled_net().first) model = crumpled_net().first;
  numbers crumpled = crumpled_net().second;
  std::int64_t calls = 0;
};

TEST_F(condensed_budget, is_kept) {
  for (const double step : {0.01, 1., 100.})
    for (std::int64_t budget = 1; budget <= 400; budget += budget < 60 ? 1 : 40) {
      calls = 0;
      const auto run = solve(counted_forces<decltype(model)>{model, &calls}, crumpled, {0, 1000}, condensed_backward_euler{},
                             {.step = step, .max_evaluations = budget});
      EXPECT_LE(calls, budget) << "step " << step;
      EXPECT_EQ(run.statistics.evaluations, calls);
      EXPECT_EQ(run.outcome, outcome::too_many_evaluations) << run.message();
    }
}

TEST_F(condensed_budget, a_force_that_is_no_number_is_called_so) {
  const counted_forces<decltype(model)> broken{model, &calls, -0.05};
  const auto implicit = solve(broken, crumpled, {0, 10}, condensed_backward_euler{}, {.step = 0.01});
  EXPECT_EQ(implicit.outcome, outcome::derivative_not_finite) << implicit.message();
  EXPECT_EQ(implicit.ending[0].component, static_cast<std::int64_t>(crumpled.size() / 2 + 5)) << "the third coordinate of particle 1";
  const auto linear = solve(broken, crumpled, {0, 10}, condensed_linearly_implicit_euler{}, {.step = 0.01});
  EXPECT_EQ(linear.outcome, outcome::derivative_not_finite) << linear.message();
  const counted_forces<decltype(model)> undefined{model, &calls, -0.05, true};
  const auto refused = solve(undefined, crumpled, {0, 10}, condensed_backward_euler{}, {.step = 0.01});
  EXPECT_EQ(refused.outcome, outcome::derivative_failed) << refused.message();
}

}  // namespace
