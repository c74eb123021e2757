/// Rosenbrock methods at work: order conditions, the textbook's stiff example, what they count, and how they end. (What they share with
/// others: differentiating_test.cpp.)
#include <ensue/methods/explicit/rooted_trees.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/models/stiff.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include "published/end_states.hpp"
#include "methods/implicit/counting.hpp"
#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using numbers = std::vector<double>;

struct rosenbrock : testing::TestWithParam<const char*> {
  const method_info& method() const { return *find_method(GetParam()); }
};
constexpr const char* names[] = {"linearly-implicit-euler", "rosenbrock23", "rodas5p"};
INSTANTIATE_TEST_SUITE_P(implicit, rosenbrock, testing::ValuesIn(names), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// Tables. The order conditions are over the trees of Runge–Kutta methods (methods/explicit/rooted_trees.hpp); a vertex with one son has
// β = α + γ to it, since f' is multiplied by the whole stage, one with several has α (Hairer & Wanner, Solving ODEs II, theorem IV.7.4).

template <int Stages> class elementary {
 public:
  elementary(const rosenbrock_coefficients<Stages>& of, const std::vector<rooted_tree>& trees) : of_(of), trees_(trees) {}

  std::vector<long double> operator()(int tree) const {
    std::vector<long double> product(Stages, 1);
    if (tree == 0) return product;
    const bool one_son = trees_[tree].trunk == 0;
    for (; tree != 0; tree = trees_[tree].trunk) {
      const auto son = (*this)(trees_[tree].graft);
      for (int i = 0; i < Stages; ++i) {
        long double sum = 0;
        for (int j = 0; j <= i; ++j) sum += (of_.alpha[i][j] + (one_son ? of_.gamma[i][j] : 0)) * son[j];
        product[i] *= sum;
      }
    }
    return product;
  }

 private:
  const rosenbrock_coefficients<Stages>& of_;
  const std::vector<rooted_tree>& trees_;
};

/// The largest residual of the conditions of one order.
template <int Stages>
long double residual(const rosenbrock_coefficients<Stages>& of, const long double (&weights)[Stages], int order) {
  const auto trees = rooted_trees(order);
  long double largest = 0;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (trees[tree].order != order) continue;
    const auto phi = elementary<Stages>(of, trees)(static_cast<int>(tree));
    long double sum = -1.0L / trees[tree].density;
    for (int i = 0; i < Stages; ++i) sum += weights[i] * phi[i];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

TEST(rosenbrock_tables, have_their_orders_and_no_more) {
  tests::for_each_method<tests::rosenbrock_methods>([]<class Method> {
    constexpr const auto& table = Method::table;
    const auto of = original_form(table);
    for (int order = 1; order <= table.order; ++order) EXPECT_LT(residual(of, of.b, order), 1e-13L) << Method::name << ", order " << order;
    EXPECT_GT(residual(of, of.b, table.order + 1), 1e-5L) << Method::name;
    if (table.embedded_order == 0) return;
    for (int order = 1; order <= table.embedded_order; ++order)
      EXPECT_LT(residual(of, of.embedded, order), 1e-13L) << Method::name << ", embedded, order " << order;
    EXPECT_GT(residual(of, of.embedded, table.embedded_order + 1), 1e-6L) << Method::name;
  });
}

/// α_i = Σ α_ij and γ_i = Σ γ_ij: an explicit time is a component like any other.
TEST(rosenbrock_tables, treat_time_as_a_component) {
  tests::for_each_method<tests::rosenbrock_methods>([]<class Method> {
    const auto of = original_form(Method::table);
    for (int i = 0; i < Method::table.stages; ++i) {
      long double alpha = 0, gamma = 0;
      for (int j = 0; j <= i; ++j) alpha += of.alpha[i][j], gamma += of.gamma[i][j];
      EXPECT_NEAR(static_cast<double>(alpha - Method::table.alpha[i]), 0, 1e-14) << Method::name;
      EXPECT_NEAR(static_cast<double>(gamma - Method::table.gamma_sum[i]), 0, 1e-14) << Method::name;
    }
  });
}

TEST(rosenbrock_tables, fail_with_a_wrong_digit) {
  for (int digit = 1; digit <= 10; ++digit) {
    auto wrong = rodas5p::table;
    wrong.c[5][2] += std::pow(10.0L, -digit);
    const auto of = original_form(wrong);
    long double largest = 0;
    for (int order = 1; order <= 5; ++order) largest = std::max(largest, residual(of, of.b, order));
    EXPECT_GT(largest, 1e-13L) << "digit " << digit;
  }
}

// The textbook's example: x' = −x, y' = −ky (Baraff & Witkin 1997, section 2).

struct textbook {
  double k = 1e6;
  void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = -x[0], dx[1] = -k * x[1]; }
  void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = -1, j(1, 1) = -k; }
};

TEST(linearly_implicit_euler_step, of_any_length_is_the_textbooks_formula) {
  for (double h = 1e-9; h < 2e9; h *= 10) {
    const auto run = find_method("linearly-implicit-euler")->make(textbook{}, numbers{2., 3.}, 0, {.step = h});
    ASSERT_EQ(run->advance_to(h), outcome::finished) << run->message();
    EXPECT_EQ(run->statistics().steps, 1);
    EXPECT_NEAR(run->state()[0] * (1 + h) / 2, 1, 1e-12) << "h = " << h;
    EXPECT_NEAR(run->state()[1] * (1 + 1e6 * h) / 3, 1, 1e-12) << "h = " << h;
  }
}

/// Where explicit Euler leaves the stage, at h = 2/k, the implicit step does not notice.
TEST(linearly_implicit_euler_step, may_be_finer_than_the_clock) {
  const auto f = [](double t, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = 0 * t - x[0]; };
  const auto run = solve(f, vec{1.}, {0x1p53, 0x1p53 + 2}, linearly_implicit_euler{}, {.step = 0.5});
  EXPECT_EQ(run.outcome, outcome::finished) << run.message();
  EXPECT_NEAR(run.state[0], std::pow(1.5, -4), 1e-12);
}

/// The derivative by time is looked for ahead, where f may end; behind it does not.
TEST(edge_of_time, is_no_obstacle_on_the_way_back) {
  const auto until_1 = [](double t, std::span<const double> x, std::span<double> dx) { return dx[0] = t - x[0], t <= 1; };
  for (const char* name : {"rodas5p", "rosenbrock23", "linearly-implicit-euler", "radau", "auto"})
    for (const double step : {0., 0.1}) {
      const method_info& method = *find_method(name);
      if (step == 0 && !method.adaptive) continue;
      const auto run = method.make(until_1, std::vector{1.}, 0, {.step = step});
      EXPECT_NE(run->advance_to(2), outcome::finished) << name;
      EXPECT_NEAR(run->time(), 1, step + 1e-6) << name;
      EXPECT_EQ(run->advance_to(0.5), outcome::finished) << name << ", step " << step << ": " << run->message();
    }
}

TEST(linearly_implicit_euler_step, is_stable_where_eulers_is_not) {
  const auto grown = [](const char* method, double h) {
    const auto run = find_method(method)->make(textbook{}, numbers{0., 1.}, 0, {.step = h});
    run->advance_to(4000 * h);
    return std::abs(run->state()[1]) > 1;
  };
  EXPECT_FALSE(grown("euler", 1.99e-6));
  EXPECT_TRUE(grown("euler", 2.01e-6));
  EXPECT_FALSE(grown("linearly-implicit-euler", 2.01e-6));
  EXPECT_FALSE(grown("linearly-implicit-euler", 1.));
}

// Where f' comes from.

/// Of C++ models with dual numbers: not an evaluation of f more than the stages.
TEST(rodas5p_steps, of_a_model_that_takes_duals_need_no_differences) {
  using model = models::orego<double>;
  integrator sim{model{}, model::start(), rodas5p{}, {.rtol = 1e-6, .atol = 1e-6}};
  ASSERT_EQ(sim.advance_to(model::span().to), outcome::finished);
  const auto& end = end_state_of("OREGO");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sim.state()[i] / static_cast<double>(end[i]), 1, 1e-4);
  const auto& spent = sim.statistics();
  EXPECT_EQ(spent.evaluations, 8 * spent.steps + 7 * spent.rejected + 1);
  EXPECT_EQ(spent.jacobians, spent.steps);
}

struct damped_spring {
  static constexpr bool takes_duals = true, is_autonomous = true;
  template <class Q, class A> void acceleration(double, const Q& q, const Q& v, A& a) const { a[0] = -9 * q[0] - 2 * v[0]; }
};

/// A second-order model is differentiated as x = (q, v), and a lambda that says so with duals.
TEST(differentiator, takes_accelerations_and_lambdas) {
  const auto expect_matrix = [](auto f, double lower_left, double corner) {
    const vec<double, 2> x{0.3, 0.2};
    vec<double, 2> f0, argument, result;
    evaluate(f, 0., x, f0);
    differentiator<vec<double, 2>> by(x);
    linear::dense_form<double, 2> found(2);
    run_statistics<std::int64_t> spent;
    EXPECT_EQ(by.compute(f, 0, 0.1, x, f0, spent, argument, result, found), report::nowhere);
    EXPECT_EQ(found.matrix()(0, 0), 0);
    EXPECT_EQ(found.matrix()(0, 1), 1);
    EXPECT_NEAR(found.matrix()(1, 0), lower_left, 1e-15);
    EXPECT_EQ(found.matrix()(1, 1), corner);
  };
  expect_matrix(damped_spring{}, -9, -2);
  using std::sin;
  expect_matrix(differentiable{[](auto, const auto& x, auto& dx) { dx[0] = x[1], dx[1] = -sin(x[0]); }}, -std::cos(0.3), 0);
}

// What is counted.

TEST_P(rosenbrock, counts_what_is_called) {
  const auto& per = method().evaluations;
  EXPECT_TRUE(per.differentiates && !per.iterates);
  for (const bool own : {false, true}) {
    std::int64_t calls = 0, jacobians = 0;
    options<std::span<double>> settings{.rtol = 1e-4, .first_step = 1.5};
    if (!method().adaptive) settings.step = 0.05;
    const auto run = method().make(tests::counting{&calls, &jacobians, own}, numbers{1.5, 1.}, 0, settings);
    ASSERT_EQ(run->advance_to(3), outcome::finished) << run->message();
    const auto& spent = run->statistics();
    if (method().adaptive) {
      EXPECT_GT(spent.rejected, 0);
    }
    EXPECT_EQ(spent.evaluations, calls);
    EXPECT_EQ(spent.jacobians, spent.steps) << "one for each state from which a step was taken";
    EXPECT_EQ(spent.factorizations, spent.steps + spent.rejected);
    EXPECT_EQ(spent.linear_solves, spent.factorizations * method().stages);
    EXPECT_EQ(jacobians, own ? spent.jacobians : 0);
    const std::int64_t differences = spent.jacobians * (own ? 1 : 3);  // by time in any case
    EXPECT_EQ(calls, per.start + per.accepted * spent.steps + per.rejected * spent.rejected + differences);
  }
}

// Endings.

TEST_P(rosenbrock, ends_where_its_matrix_is_singular) {
  // x' = x/γ, and h = 1: 1/(hγ) − f' is zero.
  const double gamma = method().name == "rodas5p"        ? static_cast<double>(rodas5p::table.gamma)
                       : method().name == "rosenbrock23" ? static_cast<double>(rosenbrock23::table.gamma)
                                                         : 1;
  struct growing {
    double rate;
    void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = rate * x[0]; }
    void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = rate; }
  };
  const growing model{1 / gamma};
  const auto run = method().make(model, numbers{1.}, 0, {.step = 1});
  EXPECT_EQ(run->advance_to(3), outcome::matrix_singular);
  EXPECT_EQ(run->time(), 0);
  EXPECT_EQ(run->ending().component, 0);
  EXPECT_NE(run->message().find("a smaller step"), std::string::npos) << run->message();
  if (!method().adaptive) return;
  const auto adaptive = method().make(model, numbers{1.}, 0, {.first_step = 1});
  EXPECT_EQ(adaptive->advance_to(1), outcome::finished) << "a shorter step has another matrix: " << adaptive->message();
  EXPECT_NEAR(adaptive->state()[0] / std::exp(1 / gamma), 1, 0.02);
}

TEST_P(rosenbrock, ends_where_its_jacobian_is_not_finite) {
  struct rooted {
    void operator()(double, std::span<const double>, std::span<double> dx) const { dx[0] = 1, dx[1] = 1; }
    void jacobian(double, std::span<const double> x, linear::dense_matrix<double>& j) const {
      if (x[0] >= 0.5) j(1, 0) = std::numeric_limits<double>::quiet_NaN();
    }
  };
  for (const double step : {0.125, 0.}) {
    if (step == 0 && !method().adaptive) continue;
    const auto run = method().make(rooted{}, numbers{0., 0.}, 0, {.step = step, .first_step = 0.1, .max_step = 0.1});
    EXPECT_EQ(run->advance_to(3), outcome::jacobian_not_finite) << run->message();
    EXPECT_GE(run->time(), 0.5);
    EXPECT_LT(run->time(), 0.7);
    EXPECT_EQ(run->ending().component, 1) << "the row";
    EXPECT_NE(run->message().find("the row of f' of x[1]"), std::string::npos) << run->message();
  }
}

}  // namespace
