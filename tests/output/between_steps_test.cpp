/// States between the ends of steps are as good as those at the ends, also where the problem is stiff.
#include <ensue/ensue.hpp>
#include <ensue/output/extrema.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace {

using namespace ensue;

/// A. Prothero & A. Robinson (1974), Math. Comput. 28, 145–162: the solution is sin t, whatever the stiffness.
struct on_a_sine {
  double stiffness;
  template <class X, class D> void operator()(double t, const X& x, D& dx) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) dx[i] = -stiffness * (x[i] - std::sin(t)) + std::cos(t);
  }
};

std::vector<double> evenly(int count, double to) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(to * i / (count - 1));
  return times;
}

/// The largest error at the times, in tolerances.
template <class Method>
double error_at(const std::vector<double>& times, double stiffness, double tolerance, outcome* how = nullptr) {
  double worst = 0;
  const auto look = [&](double t, const auto& x) {
    worst = std::max(worst, std::abs(x[0] - std::sin(t)) / (tolerance + tolerance * std::abs(std::sin(t))));
  };
  const auto run = solve(on_a_sine{stiffness}, vec<double, 1>{0.}, {0, 10}, Method{}, {.rtol = tolerance, .atol = tolerance}, save_at(times, look));
  if (how) *how = run.outcome;
  return worst;
}

template <class Method> struct between_steps : testing::Test {};
using for_stiff_problems = testing::Types<radau, radau_of<5>, radau_of<7>, rodas5p, rosenbrock23, esdirk4, trbdf2, bdf, automatic>;
TYPED_TEST_SUITE(between_steps, for_stiff_problems);

TYPED_TEST(between_steps, a_stiff_problem_is_as_good_as_at_their_ends) {
  for (const double stiffness : {1e2, 1e5, 1e8})
    for (const double tolerance : {1e-4, 1e-6}) {
      outcome how = outcome::cancelled;
      EXPECT_LE(error_at<TypeParam>(evenly(1001, 10), stiffness, tolerance, &how), 30) << stiffness << ", " << tolerance;
      EXPECT_EQ(how, outcome::finished);
    }
}

/// As reported: 0.41 by radau with 101 points, an error of 1 with 173 points.
TEST(between_steps, the_problems_reported) {
  EXPECT_LE(error_at<radau>(evenly(101, 10), 1e5, 1e-6), 10);
  EXPECT_LE(error_at<automatic>(evenly(101, 10), 1e5, 1e-6), 30);
  EXPECT_LE(error_at<radau>(evenly(173, 10), 5e6, 1e-7), 10);
  EXPECT_LE(error_at<automatic>(evenly(173, 10), 5e6, 1e-7), 30);
  EXPECT_LE(error_at<backward_euler>(evenly(101, 10), 1e5, 1e-4), 200);  // of order 1; 20,000 without control
}

/// Where nobody looks, nothing changes: the same bits for the same evaluations.
TYPED_TEST(between_steps, cost_nothing_where_nobody_looks) {
  const options<vec<double, 1>> settings{.rtol = 1e-6, .atol = 1e-6};
  const auto alone = solve(on_a_sine{1e5}, vec<double, 1>{0.}, {0, 10}, TypeParam{}, settings);
  const auto watched = solve(on_a_sine{1e5}, vec<double, 1>{0.}, {0, 10}, TypeParam{}, settings, save_steps([](double, const auto&) {}));
  EXPECT_EQ(alone.state[0], watched.state[0]);
  EXPECT_EQ(alone.statistics.evaluations, watched.statistics.evaluations);
}

TYPED_TEST(between_steps, events_happen_when_they_should) {
  std::vector<double> seen;
  const auto act = note([&](double t, const auto&) { seen.push_back(t); });
  const event crosses_half{[](double, const auto& x) { return x[0] - 0.5; }, act};
  (void)solve(on_a_sine{1e6}, vec<double, 1>{0.}, {0, 3}, TypeParam{}, {.rtol = 1e-7, .atol = 1e-7}, events{crosses_half});
  ASSERT_EQ(seen.size(), 2);
  EXPECT_NEAR(seen[0], std::numbers::pi / 6, 3e-6);
  EXPECT_NEAR(seen[1], 5 * std::numbers::pi / 6, 3e-6);
}

TYPED_TEST(between_steps, extrema_are_those_of_the_solution) {
  extrema seen;
  (void)solve(on_a_sine{1e6}, vec<double, 1>{0.}, {0, 6}, TypeParam{}, {.rtol = 1e-6, .atol = 1e-6}, seen);
  EXPECT_NEAR(seen.greatest[0], 1, 4e-5);
  EXPECT_NEAR(seen.least[0], -1, 4e-5);
}

TYPED_TEST(between_steps, a_kept_trajectory_is_too) {
  trajectory<vec<double, 1>> path;
  (void)solve(on_a_sine{1e8}, vec<double, 1>{0.}, {0, 10}, TypeParam{}, {.rtol = 1e-6, .atol = 1e-6}, path);
  for (const double t : evenly(333, 10)) EXPECT_NEAR(path(t)[0], std::sin(t), 6e-5) << t;
}

TYPED_TEST(between_steps, an_option_controls_them_for_callers_of_interpolate) {
  integrator sim(on_a_sine{1e8}, vec<double, 1>{0.}, TypeParam{}, options<vec<double, 1>>{.rtol = 1e-6, .atol = 1e-6, .between_steps = true});
  vec<double, 1> inside;
  while (sim.time() < 10) {
    const double from = sim.time();
    ASSERT_EQ(sim.step_towards(10), outcome::finished);
    const double middle = 0.5 * (from + sim.time());
    sim.interpolate(middle, inside);
    EXPECT_NEAR(inside[0], std::sin(middle), 6e-5) << middle;
  }
}

/// f' is banded, and then sparse.
struct many_on_a_sine : on_a_sine {
  linear::bandwidth jacobian_bandwidth() const { return {0, 0}; }
};
struct many_with_a_pattern : on_a_sine {
  linear::sparsity_pattern jacobian_pattern() const { return linear::sparsity_pattern::banded(200, 0, 0); }
};
TYPED_TEST(between_steps, other_forms_of_the_jacobian) {
  const auto worst = [](const auto& model) {
    double error = 0;
    const auto look = [&](double t, const auto& x) { error = std::max(error, std::abs(x[199] - std::sin(t))); };
    std::vector<double> start(200, 0.);
    (void)solve(model, start, {0, 10}, TypeParam{}, {.rtol = 1e-5, .atol = 1e-5}, save_every(0.07, look));
    return error;
  };
  EXPECT_LE(worst(many_on_a_sine{{1e6}}), 6e-4);
  EXPECT_LE(worst(many_with_a_pattern{{1e6}}), 6e-4);
}

/// x' = z, 0 = z − cos t + x − sin t: the algebraic component z, too.
struct with_an_algebraic_equation {
  template <class X, class D> void operator()(double t, const X& x, D& dx) const {
    dx[0] = x[1];
    dx[1] = 1e3 * (std::cos(t) - x[1]) + std::sin(t) - x[0];
  }
  template <class Matrix> void mass_matrix(Matrix& m) const { m(0, 0) = 1; }
};
template <class Method> double error_of_algebraic() {
  double error = 0;
  const auto look = [&](double t, const auto& x) {
    error = std::max({error, std::abs(x[0] - std::sin(t)), std::abs(x[1] - std::cos(t))});
  };
  const auto run = solve(with_an_algebraic_equation{}, vec<double, 2>{0., 1.}, {0, 10}, Method{}, {.rtol = 1e-6, .atol = 1e-6}, save_every(0.01, look));
  EXPECT_EQ(run.outcome, outcome::finished);
  return error;
}
TEST(between_steps, algebraic_components) {
  EXPECT_LE(error_of_algebraic<radau>(), 6e-5);
  EXPECT_LE(error_of_algebraic<rodas5p>(), 6e-5);
}

/// f is defined at the ends and stages alone of the steps that would be taken: the place where the error is measured is a failed attempt.
TEST(between_steps, f_that_is_undefined_there_makes_the_step_shorter) {
  int refused = 0;
  const auto f = [&](double t, const vec<double, 1>& x, vec<double, 1>& dx) {
    dx[0] = -1e6 * (x[0] - std::sin(t)) + std::cos(t);
    if (refused > 0 || t < 4.3 || t > 4.7) return true;
    ++refused;
    return false;
  };
  double worst = 0;
  const auto run = solve(f, vec<double, 1>{0.}, {0, 10}, radau{}, {.rtol = 1e-6, .atol = 1e-6},
                         save_every(0.01, [&](double t, const auto& x) { worst = std::max(worst, std::abs(x[0] - std::sin(t))); }));
  EXPECT_EQ(run.outcome, outcome::finished);
  EXPECT_EQ(refused, 1);
  EXPECT_LE(worst, 3e-5);
}

/// Fehlberg's method had points 82 times worse than its steps at 1e-9.
TEST(between_steps, fehlberg_has_an_interpolant_of_its_own) {
  double at_points = 0, at_steps = 0;
  const auto f = [](double, const vec<double, 2>& x, vec<double, 2>& dx) { dx[0] = x[1], dx[1] = -x[0]; };
  const auto into = [](double& worst) {
    return [&worst](double t, const auto& x) { worst = std::max(worst, std::abs(x[0] - std::cos(t))); };
  };
  (void)solve(f, vec<double, 2>{1., 0.}, {0, 10}, rkf45{}, {.rtol = 1e-9, .atol = 1e-9}, save_every(0.0137, into(at_points)), save_steps(into(at_steps)));
  EXPECT_LE(at_points, 1.5 * at_steps);
}

}  // namespace
