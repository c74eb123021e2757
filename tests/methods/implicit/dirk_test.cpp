/// Diagonally implicit methods: order conditions, what Newton's iteration keeps and gives up, how they end, order reduction.
#include <ensue/methods/explicit/rooted_trees.hpp>
#include <ensue/methods/implicit/extrapolation.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include "methods/implicit/counting.hpp"
#include "support/methods.hpp"
#include "support/power.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using numbers = std::vector<double>;

struct dirk : testing::TestWithParam<const char*> {
  const method_info& method() const { return *find_method(GetParam()); }
};
constexpr const char* names[] = {"backward-euler", "trapezoid", "trbdf2", "esdirk4"};
INSTANTIATE_TEST_SUITE_P(implicit, dirk, testing::ValuesIn(names), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// Tables.

/// The largest residual of the conditions of one order, of the solution or of the embedded one.
template <int Stages> long double residual(const dirk_table<Stages>& table, bool embedded, int order) {
  std::vector<long double> c(Stages, 0.0L);
  std::vector<std::vector<long double>> a(Stages, c);
  for (int i = 0; i < Stages; ++i)
    for (int j = 0; j < Stages; ++j) a[i][j] = table.coefficient(i, j), c[i] += a[i][j];
  const auto trees = rooted_trees(order);
  elementary_weights phi(c, a, trees);
  long double largest = 0;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (trees[tree].order != order) continue;
    long double sum = -1.0L / trees[tree].density;
    for (int i = 0; i < Stages; ++i)
      sum += (embedded ? table.embedded[i] : a[Stages - 1][i]) * phi[static_cast<int>(tree)].value[i];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

TEST(dirk_tables, have_their_orders_and_no_more) {
  tests::for_each_method<tests::dirk_methods>([]<class Method> {
    constexpr const auto& table = Method::table;
    for (int order = 1; order <= table.order; ++order)
      EXPECT_LT(residual(table, false, order), 1e-13L) << Method::name << ", order " << order;
    EXPECT_GT(residual(table, false, table.order + 1), 1e-5L) << Method::name;
    long double last_row = 0;
    for (int j = 0; j < table.stages; ++j) last_row += table.coefficient(table.stages - 1, j);
    EXPECT_NEAR(static_cast<double>(last_row), 1, 1e-15) << "the last node is the new time";
    if (table.estimate == dirk_estimate::history) return;
    for (int order = 1; order <= table.embedded_order; ++order)
      EXPECT_LT(residual(table, true, order), 1e-13L) << Method::name << ", embedded, order " << order;
    EXPECT_GT(residual(table, true, table.embedded_order + 1), 1e-6L) << Method::name;
  });
}

/// Each digit of each coefficient but the first of a row, which follows from the others.
TEST(dirk_tables, fail_with_a_wrong_digit) {
  for (int i = 1; i < 7; ++i)
    for (int j = 1; j < i; ++j)
      for (int digit = 2; digit <= 11; ++digit) {
        auto wrong = esdirk4::table;
        wrong.a[i][j] += std::pow(10.0L, -digit);
        wrong.a[i][0] -= std::pow(10.0L, -digit);
        long double largest = 0;
        for (int order = 2; order <= 4; ++order) largest = std::max(largest, residual(wrong, false, order));
        EXPECT_GT(largest, 1e-13L) << i << ", " << j << ", digit " << digit;
      }
}

/// Quadratics are extrapolated exactly, whatever the places.
TEST(extrapolation_weights, reproduce_a_quadratic) {
  const auto of = [](double u) { return 2 - 3 * u + 5 * u * u; };
  const double places[6] = {-2, -1.5, -0.25, 0.5, 0.5, 1};
  for (const int count : {3, 4, 6}) {
    double weights[6] = {}, sum = 0;
    extrapolation_weights(places, count, 2, weights);
    for (int j = 0; j < count; ++j) sum += weights[j] * of(places[j]);
    EXPECT_NEAR(sum, of(0), 1e-12);
  }
  const double same[6] = {0.5, 0.5};
  double weights[6] = {};
  extrapolation_weights(same, 2, 2, weights);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-14) << "two values at one place are enough for a constant";
}

// What Newton's iteration keeps.

TEST_P(dirk, counts_what_is_called) {
  const auto& per = method().evaluations;
  EXPECT_TRUE(per.differentiates && per.iterates);
  for (const bool own : {false, true}) {
    std::int64_t calls = 0, jacobians = 0;
    const auto run =
        method().make(tests::counting{&calls, &jacobians, own}, numbers{1.5, 1.}, 0, {.rtol = 1e-4, .first_step = 1.5});
    ASSERT_EQ(run->advance_to(3), outcome::finished) << run->message();
    const auto& spent = run->statistics();
    EXPECT_GT(spent.rejected, 0);
    EXPECT_EQ(spent.evaluations, calls);
    EXPECT_EQ(jacobians, own ? spent.jacobians : 0);
    EXPECT_GE(calls, per.start + per.accepted * spent.steps);
    EXPECT_LT(spent.jacobians, spent.steps / 2) << "kept while it serves";
    EXPECT_LT(spent.factorizations, spent.steps) << "kept with the step";
  }
}

/// A linear problem is solved by one iteration a stage, with one f' for each thirty-fold growth of the step; a change of the step is a change
/// of the matrix.
TEST_P(dirk, needs_few_jacobians_of_a_linear_problem) {
  const auto f = [](double, auto x, auto dx) { dx[0] = -x[0] + 3 * x[1], dx[1] = -1000 * x[1]; };
  const auto run = method().make(f, numbers{1., 1.}, 0, {.rtol = 1e-5});
  ASSERT_EQ(run->advance_to(2), outcome::finished) << run->message();
  EXPECT_LE(run->statistics().jacobians, 3);
  EXPECT_GT(run->statistics().steps, 8);
}

/// With a fixed step there is no tolerance: equations are solved to the last digit, as x_new = x + h f(x_new) can be written down.
// h² of such steps is below the smallest number, and so was their error.
TEST(trapezoid_steps, hold_their_error_on_any_scale_of_time) {
  for (const double scale : {1., 1e-200}) {
    const auto f = [scale](double, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = -x[0] / scale; };
    const auto run = solve(f, vec{1.}, {0, scale}, trapezoid{}, {.rtol = 1e-6, .atol = 1e-8});
    EXPECT_NEAR(run.state[0], std::exp(-1), 2e-5) << scale;
  }
}

// A step as long as the last one in the other direction has no history to be measured by.
TEST(trapezoid_steps, turn_round_at_the_smallest) {
  const auto until = [](float t, const vec<float, 1>& x, vec<float, 1>& dx) { return dx[0] = -7 * (x[0] - std::cos(t)) - std::sin(t), t <= 0.25f; };
  integrator sim{until, vec{1.f}, trapezoid{}, options<vec<float, 1>>{.rtol = 1e-5f, .atol = 1e-6f}};
  EXPECT_NE(sim.advance_to(2), outcome::finished);
  EXPECT_EQ(sim.advance_to(0.125f), outcome::finished) << sim.message();
}

TEST(backward_euler_step, is_solved_to_the_last_digit) {
  const auto f = [](double, auto x, auto dx) { dx[0] = -x[0] * x[0] * x[0]; };
  for (const double h : {1e-3, 0.5, 20., 1e4}) {
    const auto run = find_method("backward-euler")->make(f, numbers{2.}, 0, {.rtol = 1e-2, .atol = 1e-2, .step = h});
    ASSERT_EQ(run->advance_to(h), outcome::finished) << run->message();
    const double x = run->state()[0];
    EXPECT_NEAR((x + h * x * x * x) / 2, 1, 1e-14) << "h = " << h;
  }
}

/// x' = −x², with dual numbers and in the digits of each type.
struct fading {
  static constexpr bool takes_duals = true;
  template <class Time, class X, class D> void operator()(const Time&, const X& x, D& dx) const {
    dx[0] = -x[0] * x[0];
  }
};
TEST(esdirk4_steps, have_the_digits_of_their_numbers) {
  const auto error = []<class T>(T tolerance) {
    integrator sim{fading{}, vec<T, 1>{T(1)}, esdirk4{}, {.rtol = tolerance, .atol = tolerance}};
    EXPECT_EQ(sim.advance_to(1), outcome::finished) << sim.message();
    EXPECT_GT(sim.statistics().steps, sim.statistics().jacobians);
    return static_cast<double>(std::abs(sim.state()[0] - T(0.5)) / tolerance);
  };
  EXPECT_LT(error(1e-5f), 5);
  EXPECT_LT(error(1e-12), 5);
  EXPECT_LT(error(1e-15L), 5);
}

/// Of evaluations none is made that was not paid for, however the iteration goes.
TEST_P(dirk, stays_within_its_budget) {
  std::int64_t calls = 0;
  const auto rough = [&calls](double t, auto x, auto dx) {
    ++calls, dx[0] = -1e4 * std::sin(40 * x[0]) + 1e3 * std::cos(300 * t);
  };
  for (const double step : {0., 0.01})
    for (const std::int64_t budget : {100, 500, 2000}) {
      calls = 0;
      const auto run = method().make(rough, numbers{1.}, 0, {.step = step, .max_evaluations = budget});
      EXPECT_NE(run->advance_to(100), outcome::finished);
      EXPECT_LE(calls, budget);
      if (budget == 2000 && step == 0) {
        EXPECT_GT(calls, 1500) << "and most of it is used";
      }
    }
}

// Endings.

struct growing {
  double rate;
  void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = rate * x[0]; }
  void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = rate; }
};

TEST_P(dirk, ends_where_its_matrix_is_singular) {
  const std::string name(method().name);
  const double gamma = static_cast<double>(name == "esdirk4"     ? esdirk4::table.gamma
                                           : name == "trbdf2"    ? trbdf2::table.gamma
                                           : name == "trapezoid" ? trapezoid::table.gamma
                                                                 : 1);
  const growing model{1 / gamma};  // and h = 1: 1/(hγ) − f' is zero
  const auto run = method().make(model, numbers{1.}, 0, {.step = 1});
  EXPECT_EQ(run->advance_to(3), outcome::matrix_singular) << run->message();
  EXPECT_EQ(run->time(), 0);
  EXPECT_EQ(run->ending().component, 0);
  const auto adaptive = method().make(model, numbers{1.}, 0, {.rtol = 1e-4, .first_step = 1});
  EXPECT_EQ(adaptive->advance_to(1), outcome::finished) << "a shorter step has another matrix: " << adaptive->message();
  EXPECT_NEAR(adaptive->state()[0] / std::exp(1 / gamma), 1, 0.1);
}

TEST_P(dirk, ends_where_its_jacobian_is_not_finite) {
  struct rooted {
    void operator()(double, std::span<const double>, std::span<double> dx) const { dx[0] = 1, dx[1] = 1; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const {
      j(1, 0) = std::numeric_limits<double>::quiet_NaN();
    }
  };
  for (const double step : {0.125, 0.}) {
    const auto run = method().make(rooted{}, numbers{0., 0.}, 0, {.step = step});
    EXPECT_EQ(run->advance_to(3), outcome::jacobian_not_finite) << run->message();
    EXPECT_EQ(run->ending().component, 1) << "the row";
  }
}

/// A jump of f across which x_new = … has no solution: no iteration finds one, with no step size.
TEST_P(dirk, ends_where_its_equations_have_no_solution) {
  struct jump {
    void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = x[0] > 0.5 ? -1e15 : 1; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>&) const {}
  };
  for (const double step : {0.125, 0.}) {
    const auto run = method().make(jump{}, numbers{0.}, 0, {.step = step});
    EXPECT_EQ(run->advance_to(3), outcome::equations_not_solved) << run->message();
    EXPECT_LE(run->time(), 0.5);
    EXPECT_GT(run->time(), step > 0 ? 0.2 : 0.49);
    EXPECT_LE(run->state()[0], 0.5);
  }
}

/// A model whose f' is wrong converges slowly or not at all; f itself is still solved, or the run says so.
TEST_P(dirk, does_not_trust_a_wrong_jacobian) {
  struct wrong {
    double factor;
    void operator()(double t, std::span<const double> x, std::span<double> dx) const {
      dx[0] = -100 * (x[0] - std::cos(t));
    }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = -100 * factor; }
  };
  const auto near = method().make(wrong{0.8}, numbers{1.}, 0, {.rtol = 1e-4});
  ASSERT_EQ(near->advance_to(2), outcome::finished) << near->message();
  EXPECT_NEAR(near->state()[0], std::cos(2.) - std::sin(2.) / -100, 1e-2);
  const auto far = method().make(wrong{0}, numbers{1.}, 0, {.step = 0.1});
  EXPECT_EQ(far->advance_to(2), outcome::equations_not_solved) << far->message();
}

// Prothero & Robinson (1974), Math. Comp. 28, 145–162: x' = λ(x − cos t) − sin t, λ → −∞, where the order of a method is that of its stages.

TEST_P(dirk, keeps_its_stage_order_on_prothero_and_robinson) {
  const auto f = [](double t, auto x, auto dx) { dx[0] = -1e6 * (x[0] - std::cos(t)) - std::sin(t); };
  const auto error = [&](int n) {
    const auto run = method().make(f, numbers{std::cos(0.5)}, 0.5, {.step = 2. / n});
    EXPECT_EQ(run->advance_to(2.5), outcome::finished);
    return std::abs(run->state()[0] - std::cos(2.5));
  };
  const double order = tests::observed_power(2, 100, error, [](int) { return 1e-13; });
  RecordProperty("order", std::to_string(order));
  const double least = method().name == "esdirk4" ? 1.8 : method().order - 0.2;
  EXPECT_GT(order, least);
}

}  // namespace
