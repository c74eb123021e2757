/// Sensitivities: how the end of a run moves with its start and with the model's parameters, carried through the steps by
/// computing with duals. Nothing in the solver or in the model says "derivative".
#include <ensue/numbers/dual.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/solve.hpp>

#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace ensue;

/// Verhulst (1838): growth that its own crowd slows down. Every derivative of its solution is known.
template <class T> struct logistic {
  T rate, capacity;
  template <class real> void operator()(const real&, const vec<T, 1>& x, vec<T, 1>& dx) const {
    dx[0] = rate * x[0] * (T(1) - x[0] / capacity);
  }
};

constexpr double x0 = 0.3, rate = 1.7, capacity = 2.5, end = 2;

template <class T> T exact(const T& start, const T& r, const T& k) {
  using std::exp;
  const T grown = exp(r * T(end));
  return k * start * grown / (k + start * (grown - T(1)));
}

using by_three = dual<double, 3>;
const by_three by_start = by_three::variable(x0, 0), by_rate = by_three::variable(rate, 1),
               by_capacity = by_three::variable(capacity, 2);

/// The same derivatives on paper.
struct on_paper {
  double grown = std::exp(rate * end), below = capacity + x0 * (grown - 1);
  double start = capacity * capacity * grown / (below * below);
  double rate_ = capacity * x0 * end * grown * (capacity - x0) / (below * below);
  double capacity_ = x0 * x0 * grown * (grown - 1) / (below * below);
  double start_twice = -2 * start * (grown - 1) / below;
};

TEST(sensitivities, by_start_and_parameters_are_the_exact_ones) {
  const on_paper expected;
  const auto run = solve(logistic<by_three>{by_rate, by_capacity}, vec<by_three, 1>{by_start}, {0, end}, dp54{},
                         {.rtol = 1e-11, .atol = 1e-13});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(run.state[0].value, exact(x0, rate, capacity), 1e-10);
  EXPECT_NEAR(run.state[0].derivative[0], expected.start, 1e-9);
  EXPECT_NEAR(run.state[0].derivative[1], expected.rate_, 1e-9);
  EXPECT_NEAR(run.state[0].derivative[2], expected.capacity_, 1e-9);

  const auto fixed =
      solve(logistic<by_three>{by_rate, by_capacity}, vec<by_three, 1>{by_start}, {0, end}, rk4{}, {.step = 1. / 256});
  EXPECT_NEAR(fixed.state[0].derivative[0], expected.start, 1e-9);
  EXPECT_NEAR(fixed.state[0].derivative[1], expected.rate_, 1e-9);
  EXPECT_NEAR(fixed.state[0].derivative[2], expected.capacity_, 1e-9);
}

/// Backwards from the end, the derivative is that of the inverse.
TEST(sensitivities, backwards_are_those_of_the_inverse) {
  const double there = exact(x0, rate, capacity);
  const auto run = solve(logistic<by_three>{rate, capacity}, vec<by_three, 1>{by_three::variable(there, 0)}, {end, 0},
                         dp54{}, {.rtol = 1e-11, .atol = 1e-13});
  EXPECT_NEAR(run.state[0].value, x0, 1e-10);
  EXPECT_NEAR(run.state[0].derivative[0], 1 / on_paper().start, 1e-7);
}

/// They converge as the solution does: 16 times better when the step is halved.
TEST(sensitivities, have_the_order_of_the_method) {
  const on_paper expected;
  double before[3] = {};
  for (const double step : {1. / 16, 1. / 32}) {
    const auto run =
        solve(logistic<by_three>{by_rate, by_capacity}, vec<by_three, 1>{by_start}, {0, end}, rk4{}, {.step = step});
    const double errors[] = {run.state[0].derivative[0] - expected.start, run.state[0].derivative[1] - expected.rate_,
                             run.state[0].derivative[2] - expected.capacity_};
    for (int i = 0; i < 3; ++i) {
      if (before[i] != 0) {
        EXPECT_NEAR(std::log2(before[i] / errors[i]), 4, 0.2);
      }
      before[i] = errors[i];
    }
  }
}

/// Error control looks at values: the steps, and the values, are those of the run without derivatives, bit for bit.
TEST(sensitivities, do_not_change_the_run_they_are_of) {
  using number = dual<double, 2>;
  const auto plain = solve(tests::lorenz<double>{28, 3}, vec{1., 2., 20.}, {0, 2}, dp54{}, {.rtol = 1e-7});
  const auto derived = solve(tests::lorenz<number>{number::variable(28, 0), number::variable(3, 1)},
                             vec<number, 3>{number(1), number(2), number(20)}, {0, 2}, dp54{}, {.rtol = 1e-7});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(derived.state[i].value, plain.state[i]);
  EXPECT_EQ(derived.statistics.steps, plain.statistics.steps);
  EXPECT_EQ(derived.statistics.rejected, plain.statistics.rejected);
  EXPECT_EQ(derived.statistics.evaluations, plain.statistics.evaluations);
}

/// Fixed steps are a formula, and the dual's answer is that formula's derivative to the last digits, however wrong the formula is:
/// central differences in long double, whose own error is about 1e-13, see no difference even for long steps.
template <class Method> void expect_derivative_of_the_formula(double step) {
  using number = dual<double, 2>;
  const auto run =
      solve(tests::lorenz<number>{number::variable(28, 0), number(3)},
            vec<number, 3>{number(1), number::variable(2, 1), number(20)}, {0, 1}, Method{}, {.step = step});
  const auto end_of = [&](long double rho, long double y0) {
    return solve(tests::lorenz<long double>{rho, 3}, vec<long double, 3>{1, y0, 20}, {0, 1}, Method{}, {.step = step})
        .state;
  };
  const long double change = 1e-6L;
  const auto more_rho = end_of(28 + change, 2), less_rho = end_of(28 - change, 2);
  const auto more_y = end_of(28, 2 + change), less_y = end_of(28, 2 - change);
  for (int i = 0; i < 3; ++i) {
    const double by_rho = static_cast<double>((more_rho[i] - less_rho[i]) / (2 * change));
    const double by_y = static_cast<double>((more_y[i] - less_y[i]) / (2 * change));
    EXPECT_NEAR(run.state[i].derivative[0], by_rho, 1e-9 * std::fabs(by_rho) + 1e-9) << Method::name << " x" << i;
    EXPECT_NEAR(run.state[i].derivative[1], by_y, 1e-9 * std::fabs(by_y) + 1e-9) << Method::name << " x" << i;
  }
}
TEST(sensitivities, of_fixed_steps_are_those_of_the_formula) {
  for (const double step : {0.05, 0.01}) {
    expect_derivative_of_the_formula<rk4>(step);
    expect_derivative_of_the_formula<dp54>(step);
  }
}

/// A rotation by the angle ωt: the derivatives by the start are the columns of its matrix.
TEST(sensitivities, of_a_linear_system_are_its_matrix) {
  using number = dual<double, 2>;
  const auto rotation = [](double, const vec<number, 2>& x, vec<number, 2>& dx) {
    dx[0] = -3 * x[1];
    dx[1] = 3 * x[0];
  };
  const auto run =
      solve(rotation, vec{number::variable(0.2, 0), number::variable(-7, 1)}, {0, 1}, rk4{}, {.step = 1. / 512});
  EXPECT_NEAR(run.state[0].derivative[0], std::cos(3.), 1e-9);
  EXPECT_NEAR(run.state[0].derivative[1], -std::sin(3.), 1e-9);
  EXPECT_NEAR(run.state[1].derivative[0], std::sin(3.), 1e-9);
  EXPECT_NEAR(run.state[1].derivative[1], std::cos(3.), 1e-9);
}

/// Duals of duals: the curvature.
TEST(sensitivities, of_second_order_are_the_exact_ones) {
  using twice = dual<dual<double>>;
  const auto start = twice::variable(dual<double>::variable(x0));
  const auto run =
      solve(logistic<twice>{twice(rate), twice(capacity)}, vec{start}, {0, end}, rk4{}, {.step = 1. / 256});
  EXPECT_NEAR(run.state[0].derivative[0].value, on_paper().start, 1e-9);
  EXPECT_NEAR(run.state[0].derivative[0].derivative[0], on_paper().start_twice, 1e-8);
}

}  // namespace
