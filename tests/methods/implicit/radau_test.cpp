/// Radau's methods: generated coefficients, orders observed, stability, the inside of a step, what is kept, and how runs end.
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/integrator.hpp>
#include <ensue/models/stiff.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include "support/bounces.hpp"
#include "support/power.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

namespace {

using namespace ensue;
using tests::swirl;
using numbers = std::vector<double>;

// Coefficients.

template <class Stages> struct radau_coefficients_of : testing::Test {
  static constexpr int stages = Stages::value;
  static constexpr const auto& table = radau_coefficients<stages>;
};
using all_stages =
    testing::Types<std::integral_constant<int, 3>, std::integral_constant<int, 5>, std::integral_constant<int, 7>>;
TYPED_TEST_SUITE(radau_coefficients_of, all_stages);

TYPED_TEST(radau_coefficients_of, have_their_order) {
  const auto& table = this->table;
  EXPECT_EQ(table.method.order(), table.order);
  EXPECT_EQ(table.method.c[this->stages - 1], 1);
  for (int j = 0; j < this->stages; ++j)
    EXPECT_NEAR(static_cast<double>(table.method.a[this->stages - 1][j] - table.method.b[j]), 0, 1e-17)
        << "stiffly accurate";
}

/// A⁻¹T = TΛ, and T⁻¹ is T's inverse.
TYPED_TEST(radau_coefficients_of, take_the_equations_apart) {
  const auto& table = this->table;
  constexpr int s = TestFixture::stages;
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) {
      long double left = 0, one = 0, inverse = 0;
      for (int k = 0; k < s; ++k) {
        left += table.inverse[i][k] * table.to_stages[k][j];
        one += table.from_stages[i][k] * table.to_stages[k][j];
        inverse += table.inverse[i][k] * table.method.a[k][j];
      }
      const int pair = (j - 1) / 2, first = 1 + 2 * pair;
      const long double right =
          j == 0 ? table.gamma * table.to_stages[i][0]
          : j == first
              ? table.alpha[pair] * table.to_stages[i][first] + table.beta[pair] * table.to_stages[i][first + 1]
              : table.alpha[pair] * table.to_stages[i][j] - table.beta[pair] * table.to_stages[i][first];
      EXPECT_NEAR(static_cast<double>(left - right), 0, 1e-15);
      EXPECT_NEAR(static_cast<double>(one), i == j, 1e-15);
      EXPECT_NEAR(static_cast<double>(inverse), i == j, 1e-15);
    }
}

/// The error is none where the solution is a polynomial of degree s at most, and is one for θ^(s+1).
TYPED_TEST(radau_coefficients_of, estimate_errors_of_their_order) {
  constexpr int s = TestFixture::stages;
  for (int degree = 1; degree <= s + 1; ++degree) {
    long double error = degree == 1 ? 1 : 0;
    for (int i = 0; i < s; ++i)
      error += this->table.error[i] * std::pow(this->table.method.c[i], static_cast<long double>(degree));
    if (degree <= s) EXPECT_NEAR(static_cast<double>(error), 0, 1e-15) << degree;
    else EXPECT_GT(std::abs(error), 1e-4L);
  }
}

/// The eigenvalues as Hairer's and Wanner's programs RADAU5 and RADAU print them.
TEST(radau_coefficients, are_the_published_ones) {
  const auto expect = [](long double mine, double published) {
    EXPECT_NEAR(static_cast<double>(mine) / published, 1, 1e-15);
  };
  expect(radau_coefficients<3>.method.c[0], (4 - std::sqrt(6.)) / 10);
  expect(radau_coefficients<3>.gamma, 3.6378342527444957);
  expect(radau_coefficients<3>.alpha[0], 2.6810828736277521);
  expect(radau_coefficients<3>.beta[0], 3.0504301992474105);
  expect(radau_coefficients<5>.gamma, 6.286704751729276645);
  expect(radau_coefficients<7>.gamma, 8.936832788405216337);
}

// Orders.

template <class T, int Stages> double order_at(int part, double floor) {
  constexpr double length = 2;
  const auto error = [&](int n) {
    using state = vec<T, 3>;
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      const T from = static_cast<T>(swirl<T>::period * k / 4), step = static_cast<T>(length) / static_cast<T>(n);
      integrator sim{
          problem<swirl<T>, state>{{}, swirl<T>::solution(from), {from, from}}, radau_of<Stages>{}, {.step = step}};
      EXPECT_EQ(sim.advance_to(from + static_cast<T>(length)), outcome::finished) << sim.message();
      const T t = sim.time() - static_cast<T>(part) * step / 8;
      state x;
      sim.interpolate(t, x);
      const state exact = swirl<T>::solution(t);
      for (std::size_t i = 0; i < 3; ++i) sum += static_cast<double>((x[i] - exact[i]) * (x[i] - exact[i]));
    }
    return std::sqrt(sum / 4);
  };
  return tests::observed_power(length, 60, error, [floor](int) { return floor; });
}

TEST(radau_steps, have_order_5) {
  EXPECT_NEAR((order_at<double, 3>(0, 2e-12)), 5, 0.2);
  EXPECT_GT((order_at<double, 3>(3, 2e-12)), 3 - 0.2) << "inside the last step";
}
TEST(radau_steps, have_order_9) { EXPECT_NEAR((order_at<long double, 5>(0, 1e-15)), 9, 0.2); }
TEST(radau_steps, have_order_13) {
  EXPECT_NEAR((order_at<long double, 7>(0, 1e-16)), 13, 0.2);
  EXPECT_GT((order_at<long double, 7>(3, 1e-16)), 7 - 0.2) << "inside the last step";
}

// Stability.

/// x' = λx as two real equations.
struct rotation {
  std::complex<double> lambda;
  static constexpr bool is_autonomous = true;
  void operator()(double, const vec<double, 2>& x, vec<double, 2>& dx) const {
    dx[0] = lambda.real() * x[0] - lambda.imag() * x[1], dx[1] = lambda.imag() * x[0] + lambda.real() * x[1];
  }
  void jacobian(double, const vec<double, 2>&, linear::dense_matrix<double, 2>& j) const {
    j(0, 0) = j(1, 1) = lambda.real(), j(1, 0) = lambda.imag(), j(0, 1) = -lambda.imag();
  }
};
template <int Stages> std::complex<double> growth(std::complex<double> z) {
  integrator sim{rotation{z}, vec{1., 0.}, radau_of<Stages>{}, {.step = 1}};
  EXPECT_EQ(sim.advance_to(1), outcome::finished) << sim.message();
  return {sim.state()[0], sim.state()[1]};
}

/// R is Padé's approximation of e^z with degrees s − 1 and s.
template <int Stages> std::complex<double> pade(std::complex<double> z) {
  const auto sum = [&](int degree, int other, std::complex<double> x) {
    std::complex<double> result = 0, term = 1;
    for (int m = 0; m <= degree; ++m) {
      result += term;
      term *= x * (double(degree - m) / ((m + 1.) * (degree + other - m)));
    }
    return result;
  };
  return sum(Stages - 1, Stages, z) / sum(Stages, Stages - 1, -z);
}

template <int Stages> void expect_l_stable() {
  for (const std::complex<double> z : {std::complex<double>(-0.5), {-3., 1.}, {-20., 0.}, {-5., 40.}, {0.3, 2.}})
    EXPECT_LT(std::abs(growth<Stages>(z) - pade<Stages>(z)), 1e-13 * (1 + std::abs(z))) << z;
  for (double y = 0.01; y < 1e5; y *= 1.7) EXPECT_LE(std::abs(growth<Stages>({0, y})), 1 + 1e-14) << y;
  for (const double k : {1e3, 1e6, 1e12}) EXPECT_LT(std::abs(growth<Stages>(-k)), 60 / k) << k;
}
TEST(radau_steps, are_l_stable) {
  expect_l_stable<3>();
  expect_l_stable<5>();
  expect_l_stable<7>();
  EXPECT_TRUE(find_method("radau")->l_stable);
}

// What is chosen, and kept.

template <class Method, class Model> auto run_to_end(const Model& model, double rtol, double atol) {
  integrator sim{model, Model::start(), Method{}, {.rtol = rtol, .atol = atol}};
  EXPECT_EQ(sim.advance_to(Model::span().to), outcome::finished) << sim.message();
  return sim.statistics();
}

/// Where many digits are wanted, more stages are taken; where few are, nothing is lost.
TEST(radau_steps, have_as_many_stages_as_pay) {
  const auto three = run_to_end<radau_of<3>>(models::rober<double>{}, 1e-10, 1e-16);
  const auto any = run_to_end<radau>(models::rober<double>{}, 1e-10, 1e-16);
  EXPECT_LT(any.evaluations * 2, three.evaluations);
  EXPECT_LT(any.steps * 4, three.steps);
  const auto few = run_to_end<radau_of<3>>(models::rober<double>{}, 1e-3, 1e-9);
  EXPECT_LE(run_to_end<radau>(models::rober<double>{}, 1e-3, 1e-9).evaluations, few.evaluations * 1.3);
}

TEST(radau_steps, keep_the_jacobian_of_a_linear_problem_and_factors_of_equal_steps) {
  integrator sim{rotation{{-1, 2}}, vec{1., 0.}, radau_of<3>{}, {.rtol = 1e-6, .atol = 1e-6, .max_step = 0.0625}};
  ASSERT_EQ(sim.advance_to(20), outcome::finished);
  EXPECT_GE(sim.statistics().steps, 320);
  EXPECT_EQ(sim.statistics().jacobians, 1);
  EXPECT_LT(sim.statistics().factorizations, 2 * 12);
  EXPECT_EQ(sim.ending().stiff(), false);
}

TEST(radau_steps, count_what_is_called) {
  std::int64_t calls = 0;
  const auto f = [&calls](double t, auto x, auto dx) {
    ++calls, dx[0] = -50 * (x[0] - std::cos(t)) + x[1], dx[1] = -x[1] * x[0];
  };
  const auto run = find_method("radau")->make(f, numbers{1.5, 1.}, 0, {.rtol = 1e-5, .first_step = 1.5});
  ASSERT_EQ(run->advance_to(3), outcome::finished);
  EXPECT_GT(run->statistics().rejected, 0);
  EXPECT_EQ(run->statistics().evaluations, calls);
}

// Restarts: both directions of time, through events.

TEST(radau_steps, start_anew_after_each_event_in_either_direction) { tests::expect_bounces<radau>(1e-10, 1e-9); }

// Endings.

TEST(radau_steps, end_where_their_matrix_is_singular) {
  const double gamma = static_cast<double>(radau_coefficients<3>.gamma);
  struct growing {
    double rate;
    void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = rate * x[0]; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = rate; }
  };
  const auto run = find_method("radau")->make(growing{gamma}, numbers{1.}, 0, {.step = 1});
  EXPECT_EQ(run->advance_to(3), outcome::matrix_singular);
  EXPECT_EQ(run->ending().component, 0);
  const auto adaptive = find_method("radau")->make(growing{gamma}, numbers{1.}, 0, {.first_step = 1});
  EXPECT_EQ(adaptive->advance_to(1), outcome::finished) << adaptive->message();
  EXPECT_NEAR(adaptive->state()[0] / std::exp(gamma), 1, 1e-4);
}

TEST(radau_steps, end_where_the_equations_have_no_solution) {
  // z = h e^(x + z) has none for h > 1/e at x = 0
  const auto run =
      find_method("radau")->make([](double, auto x, auto dx) { dx[0] = std::exp(x[0]); }, numbers{0.}, 0, {.step = 4});
  EXPECT_EQ(run->advance_to(4), outcome::equations_not_solved) << run->message();
  EXPECT_EQ(run->time(), 0);
}

TEST(radau_steps, end_where_f_or_its_jacobian_does) {
  struct rooted {
    void operator()(double, std::span<const double>, std::span<double> dx) const { dx[0] = 1, dx[1] = 1; }
    void jacobian(double, std::span<const double> x, linear::dense_matrix<double>& j) const {
      if (x[0] >= 0.5) j(1, 0) = std::numeric_limits<double>::quiet_NaN();
    }
  };
  const auto wall = [](double, auto x, auto dx) { return dx[0] = 1, x[0] < 0.5; };
  const auto root = [](double, auto x, auto dx) { dx[0] = 1 + std::sqrt(0.5 - x[0]); };
  for (const double step : {0.125, 0.}) {
    const auto undefined = find_method("radau")->make(rooted{}, numbers{0., 0.}, 0, {.step = step, .max_step = 0.1});
    const outcome how = undefined->advance_to(3);
    if (step > 0) EXPECT_EQ(how, outcome::jacobian_not_finite) << undefined->message();
    else EXPECT_EQ(how, outcome::finished) << "a constant f needs f' only once: " << undefined->message();
    const auto stopped = find_method("radau")->make(wall, numbers{0.}, 0, {.step = step});
    EXPECT_EQ(stopped->advance_to(3), outcome::derivative_failed) << stopped->message();
    EXPECT_LE(stopped->time(), 0.5 + step);
    const auto broken = find_method("radau")->make(root, numbers{0.}, 0, {.step = step});
    EXPECT_EQ(broken->advance_to(3), outcome::derivative_not_finite) << broken->message();
    EXPECT_EQ(broken->ending().component, 0);
  }
}

/// f as a table gives it, to nine digits: equations that cannot be solved as asked want shorter steps, not longer ones.
TEST(radau_run, does_not_repeat_a_step_that_fails) {
  const auto f = [](double t, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = -1000 * (1e-9 * std::round(x[0] * 1e9) - std::cos(t)); };
  const auto run = solve(f, vec{1.}, {0, 2}, radau{}, {.rtol = 1e-9, .atol = 1e-9, .max_evaluations = 100'000});
  EXPECT_EQ(run.outcome, outcome::finished) << run.message();
}

TEST(radau_run, knows_rates_whose_squares_are_no_numbers) {
  const auto f = [](float, const vec<float, 2>& x, vec<float, 2>& dx) { dx[0] = -1e15f * x[0], dx[1] = 1e15f * x[0] - 1e13f * x[1]; };
  const auto run = solve(f, vec{1.f, 0.f}, {0.f, 1e-13f}, radau{});
  EXPECT_NEAR(run.state[1], std::exp(-1.f) / 0.99f, 1e-3f) << run.message();
}

/// The estimate of an error at the end of a step is of the steps' order on smooth problems only. On stiff components it was up to 340 times
/// too small: a look inside the step (`probe_end`) measures them.
TEST(radau_run, keeps_its_tolerance_at_the_ends_of_steps_on_stiff_components) {
  constexpr double tolerance = 1e-8;
  for (const double rate : {1e2, 1e3, 1e5}) {
    const auto f = [rate](double t, std::span<const double> x, std::span<double> dx) { dx[0] = -rate * (x[0] - std::sin(t)) + std::cos(t); };
    const auto run = find_method("radau")->make(f, numbers{0.}, 0, {.rtol = tolerance, .atol = tolerance});
    double worst = 0;
    while (run->time() < 10) {
      ASSERT_EQ(run->step_towards(10), outcome::finished) << run->message();
      worst = std::max(worst, std::abs(run->state()[0] - std::sin(run->time())) / (tolerance * (1 + std::abs(run->state()[0]))));
    }
    EXPECT_LT(worst, 30) << "rate " << rate;
  }
}

}  // namespace
