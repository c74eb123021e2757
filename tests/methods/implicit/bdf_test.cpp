/// Backward differentiation: the formulas and their stability, orders that are chosen, the history over restarts, and how runs end.
#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/integrator.hpp>
#include <ensue/registry.hpp>

#include "support/bounces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

namespace {

using namespace ensue;
using numbers = std::vector<double>;
constexpr int most_order = bdf_coefficients::most_order;

// Formulas.

/// Backward differences of t^degree at 0, −1, −2, …
std::vector<double> differences(int degree, int count) {
  std::vector<double> row(static_cast<std::size_t>(count) + 1), found;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::pow(-double(i), degree);
  for (std::size_t left = row.size(); left > 0; --left) {
    found.push_back(row[0]);
    for (std::size_t i = 0; i + 1 < left; ++i) row[i] -= row[i + 1];
  }
  return found;
}

/// γ_1 D_1 + … + γ_k D_k + α_k d = h x' holds for polynomials of degree k with d = 0; for t^(k+1), whose d is its (k+1)-th difference, it
/// fails by what the error's weight says.
TEST(bdf_formulas, have_their_order_and_error) {
  for (int k = 1; k <= most_order; ++k)
    for (int degree = 1; degree <= k + 1; ++degree) {
      const auto d = differences(degree, k + 1);  // at t = 0; those of the history end at −1
      const auto& f = bdf::formulas;
      std::vector<double> history(d.size());
      for (int j = 0; j <= k; ++j)
        history[static_cast<std::size_t>(j)] = d[static_cast<std::size_t>(j)] - d[static_cast<std::size_t>(j + 1)];
      double left = 0;
      for (int j = 1; j <= k; ++j) left += f.gamma[j] * history[static_cast<std::size_t>(j)];
      const double correction = d[static_cast<std::size_t>(k + 1)], slope = degree == 1 ? 1 : 0;
      const double residual = slope - (left + f.alpha[k] * correction);
      EXPECT_NEAR(residual, degree <= k ? 0 : f.error[k] * correction, 1e-11) << "order " << k << ", degree " << degree;
    }
}

/// z of x' = λx, hλ = z, for which x_n = ξ^n is a solution: Σ ∇^j/j − κγ_k∇^(k+1) = z.
std::complex<double> root_locus(int k, std::complex<double> xi) {
  const auto& f = bdf::formulas;
  const std::complex<double> step = 1. - 1. / xi;
  std::complex<double> sum = 0;
  for (int j = 1; j <= k; ++j) sum += std::pow(step, j) / double(j);
  return sum - (f.gamma[k] - f.alpha[k]) * std::pow(step, k + 1);
}

/// Where |ξ| = 1 the formula is at the edge of its stability: A-stable for orders 1 and 2, and in the sectors of Shampine & Reichelt's table 1.
TEST(bdf_formulas, are_stable_in_their_sectors) {
  const double sector[] = {0, 90, 90, 80, 66, 51};
  for (int k = 1; k <= most_order; ++k) {
    double angle = 90;
    for (int i = 1; i < 100'000; ++i) {
      const std::complex<double> z = root_locus(k, std::polar(1., std::numbers::pi * i / 100'000));
      if (z.real() < -1e-12)
        angle = std::min(angle, std::atan2(std::abs(z.imag()), -z.real()) * 180 / std::numbers::pi);
    }
    EXPECT_NEAR(angle, sector[k], 1) << "order " << k;
  }
}

// Runs.

/// A circle, which every order has to work for: the tolerance is what decides how far off it ends.
TEST(bdf_steps, follow_the_tolerance) {
  const auto circle = [](double, auto x, auto dx) { dx[0] = -x[1], dx[1] = x[0]; };
  double before = 1;
  std::int64_t steps = 0;
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
    const auto run = find_method("bdf")->make(circle, numbers{1., 0.}, 0, {.rtol = tolerance, .atol = tolerance});
    ASSERT_EQ(run->advance_to(6), outcome::finished) << run->message();
    const double error = std::hypot(run->state()[0] - std::cos(6.), run->state()[1] - std::sin(6.));
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, 0.1 * before);
    EXPECT_GT(run->statistics().steps, steps);
    before = error;
    steps = run->statistics().steps;
  }
  EXPECT_LT(steps, 2000) << "order 1 would take 1e5 steps";
}

struct decays {
  static constexpr bool is_autonomous = true;
  void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = -x[0], dx[1] = -1e6 * x[1]; }
  void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const {
    j(0, 0) = -1, j(1, 1) = -1e6;
  }
};

/// One f' for each thirty-fold growth of the step and few matrices for a linear problem; little more than one evaluation a step.
TEST(bdf_steps, cost_one_evaluation_where_the_problem_is_linear) {
  const auto run = find_method("bdf")->make(decays{}, numbers{1., 1.}, 0, {.rtol = 1e-6, .atol = 1e-9});
  ASSERT_EQ(run->advance_to(10), outcome::finished);
  const auto& spent = run->statistics();
  EXPECT_NEAR(run->state()[0] / std::exp(-10.), 1, 1e-3);
  EXPECT_LE(spent.jacobians, 6);  // steps grow from 1e-9 to 1
  EXPECT_LT(spent.factorizations * 5, spent.steps);
  EXPECT_LT(spent.evaluations, 1.5 * spent.steps);
  EXPECT_FALSE(run->ending().stiff());
}

/// The inside of steps is as accurate as their ends.
TEST(bdf_steps, are_known_inside) {
  integrator sim{
      [](double t, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = -100 * (x[0] - std::sin(t)) + std::cos(t); },
      vec{0.},
      bdf{},
      {.rtol = 1e-7, .atol = 1e-7}};
  double worst = 0;
  for (double from = 0; sim.time() < 10;) {
    ASSERT_EQ(sim.step_towards(10), outcome::finished);
    for (int part = 0; part <= 8; ++part) {
      const double t = from + (sim.time() - from) * part / 8;
      vec<double, 1> x;
      sim.interpolate(t, x);
      worst = std::max(worst, std::abs(x[0] - std::sin(t)));
    }
    from = sim.time();
  }
  EXPECT_LT(worst, 100e-7);
}

TEST(bdf_steps, start_anew_after_each_event_in_either_direction) { tests::expect_bounces<bdf>(1e-8, 1e-6); }

TEST(bdf_steps, are_short_after_a_change_from_outside) {
  const auto f = [](double t, auto x, auto dx) { dx[0] = -1000 * (x[0] - std::cos(t)); };
  const auto run = find_method("bdf")->make(f, numbers{0.}, 0, {.rtol = 1e-6});
  ASSERT_EQ(run->advance_to(1), outcome::finished);
  const auto next_step = [&] {
    const double before = run->time();
    EXPECT_EQ(run->step(), outcome::finished);
    return run->time() - before;
  };
  const double used_to = next_step();
  run->set_state(numbers{2.});
  EXPECT_LT(next_step(), 0.1 * used_to);
  run->advance_to(2);
  EXPECT_NEAR(run->state()[0], std::cos(2.) - 1e-3 * -std::sin(2.), 1e-5);
}

// Endings.

TEST(bdf_steps, end_where_their_matrix_is_singular) {
  struct growing {
    void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = x[0]; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = 1; }
  };
  const auto run = find_method("bdf")->make(growing{}, numbers{1.}, 0, {.step = 1});
  EXPECT_EQ(run->advance_to(3), outcome::matrix_singular) << "1/h is the rate";
  const auto adaptive = find_method("bdf")->make(growing{}, numbers{1.}, 0, {.first_step = 1});
  EXPECT_EQ(adaptive->advance_to(1), outcome::finished) << adaptive->message();
  EXPECT_NEAR(adaptive->state()[0] / std::exp(1), 1, 1e-4);
}

TEST(bdf_steps, end_where_the_equations_have_no_solution) {
  const auto run =
      find_method("bdf")->make([](double, auto x, auto dx) { dx[0] = std::exp(x[0]); }, numbers{0.}, 0, {.step = 4});
  EXPECT_EQ(run->advance_to(4), outcome::equations_not_solved) << run->message();
}

TEST(bdf_steps, end_where_the_jacobian_is_not_finite) {
  struct rooted {
    void operator()(double, std::span<const double>, std::span<double> dx) const { dx[0] = 1, dx[1] = 1; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const {
      j(1, 0) = std::numeric_limits<double>::quiet_NaN();
    }
  };
  for (const double step : {0.125, 0.}) {
    const auto run = find_method("bdf")->make(rooted{}, numbers{0., 0.}, 0, {.step = step});
    EXPECT_EQ(run->advance_to(3), outcome::jacobian_not_finite) << run->message();
    EXPECT_EQ(run->ending().component, 1) << "the row";
  }
}

}  // namespace
