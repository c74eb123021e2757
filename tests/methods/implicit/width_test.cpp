/// Differences where a component is much smaller than the width that rounding asks for: a second width says which is right. And where f is not
/// defined beside an edge, it is f that failed and not its derivative.
#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/esdirk4.hpp>
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/methods/implicit/rosenbrock23.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;
using two = vec<double, 2>;

/// y' = −y, 0 = (z/s)² − (y/1e5)²: z = s y/1e5. δ is 1.8e-7 where y is 1e5, whatever s is.
struct square {
  double s;
  void operator()(double, const auto& x, auto& f) const {
    const double y = x[0] / 1e5, z = x[1] / s;
    f[0] = -x[0], f[1] = z * z - y * y;
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

template <class Method> struct small_variable : testing::Test {};
using takers = testing::Types<rodas5p, radau, bdf>;
TYPED_TEST_SUITE(small_variable, takers);

TYPED_TEST(small_variable, is_solved_in_steps_that_the_error_chooses) {
  for (const double s : {1e-5, 1e-7, 1e-9, 1e-12}) {
    const auto run = solve(square{s}, two{1e5, s}, {0, 1}, TypeParam{}, {.rtol = 1e-6, .atol = 1e-6 * s});
    ASSERT_TRUE(run.finished()) << s << ": " << run.message();
    EXPECT_NEAR(run.state[1] / s, std::exp(-1), 3e-5) << s;
  }
}
TYPED_TEST(small_variable, is_solved_in_fixed_steps) {
  for (const double s : {1e-5, 1e-7, 1e-12}) {
    const auto run = solve(square{s}, two{1e5, s}, {0, 1}, TypeParam{}, {.step = 0.02});
    ASSERT_TRUE(run.finished()) << s << ": " << run.message();
    EXPECT_NEAR(run.state[1] / s, std::exp(-1), 2e-3) << s;
  }
}
/// Two more evaluations for each f' at most.
TEST(small_component, costs_little_more_than_a_large_one) {
  const auto small = solve(square{1e-7}, two{1e5, 1e-7}, {0, 1}, rodas5p{}, {.step = 0.02});
  const auto large = solve(square{1e5}, two{1e5, 1e5}, {0, 1}, rodas5p{}, {.step = 0.02});
  EXPECT_EQ(small.statistics.jacobians, large.statistics.jacobians);
  EXPECT_LE(small.statistics.evaluations, large.statistics.evaluations + 2 * small.statistics.jacobians);
}

/// z stands beside a large constant that hides in the code: a narrow difference is nothing but rounding, and the wide one has to stay.
struct hidden {
  double constant;
  void operator()(double t, const auto& x, auto& f) const {
    f[0] = -x[0], f[1] = (constant + x[1]) - (constant + 1e-10 * std::exp(-t));
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};
TYPED_TEST(small_variable, is_not_lost_beside_a_large_constant) {
  for (const double constant : {1., 273.15}) {
    const auto run = solve(hidden{constant}, two{1, 1e-10}, {0, 1}, TypeParam{}, {.rtol = 1e-6, .atol = 1e-9});
    ASSERT_TRUE(run.finished()) << run.message();
    EXPECT_NEAR(run.state[1], 1e-10 * std::exp(-1), 4e-16 * constant + 1e-13);
    const auto fixed = solve(hidden{constant}, two{1, 1e-10}, {0, 1}, TypeParam{}, {.step = 0.05});
    ASSERT_TRUE(fixed.finished()) << fixed.message();
    EXPECT_NEAR(fixed.state[1], 1e-10 * std::exp(-1), 4e-16 * constant + 1e-13);
  }
}

/// A component with a derivative of its own that was large once: x' = −1e3 (x² − e^−2t · 1e-24)/1e-12 near its slow curve x = 1e-12 e^−t.
TEST(small_component, that_was_large_is_followed) {
  const auto f = [](double t, const auto& x, auto& dx) {
    const double u = x[0] / 1e-12;
    dx[0] = -1e-9 * (u * std::fabs(u) - std::exp(-2 * t)), dx[1] = -x[1];
  };
  const auto run = solve(f, two{1e-2, 1e3}, {0, 1}, rodas5p{}, {.rtol = 1e-6, .atol = 1e-18});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(run.state[0] / 1e-12, std::exp(-1), 2e-3);
}

/// Where nothing is wrong, one comparison for each tenfold change of a size is all.
TEST(small_component, that_is_linear_costs_a_comparison_now_and_then) {
  const auto f = [](double, const auto& x, auto& dx) { dx[0] = -1e3 * x[0], dx[1] = -x[1]; };
  const auto run = solve(f, two{1, 1}, {0, 1}, rodas5p{}, {.step = 1e-3});
  ASSERT_TRUE(run.finished());
  // start 0, 8 a step, 3 for each f'; x[0] falls by 434 powers of ten, or until it is zero
  const std::int64_t plain = run.statistics.steps * 8 + run.statistics.jacobians * 3;
  EXPECT_LE(run.statistics.evaluations, plain + 1 + 2 * 330);
}

template <class Method> struct edge : testing::Test {};
using at_an_edge = testing::Types<rodas5p, rosenbrock23, radau, bdf, esdirk4>;
TYPED_TEST_SUITE(edge, at_an_edge);

TYPED_TEST(edge, of_the_domain_in_time_is_that_of_f) {
  const auto f = [](double t, const auto& x, auto& dx) { return dx[0] = 1, dx[1] = -x[1], t <= 1; };
  for (const double step : {0., 0.1}) {
    const auto run = solve(f, two{0, 1}, {0, 3}, TypeParam{}, {.step = step, .max_evaluations = 20'000});
    EXPECT_EQ(run.outcome, outcome::derivative_failed) << run.message();
    EXPECT_EQ(run.ending[0].component, report::nowhere);
    EXPECT_NEAR(run.t, 1, step == 0 ? 1e-9 : 0.11);
  }
}
/// Neither x + δ nor x − δ is in the domain of f.
TYPED_TEST(edge, on_either_side_is_that_of_f) {
  const auto f = [](double, const auto& x, auto& dx) { return dx[0] = 0, dx[1] = -x[1], x[0] == 1; };
  const auto run = solve(f, two{1, 1}, {0, 3}, TypeParam{}, {.step = 0.1});
  EXPECT_EQ(run.outcome, outcome::derivative_failed) << run.message();
}
/// f' itself is not finite at 0, and f is defined everywhere.
TYPED_TEST(edge, of_the_numbers_is_that_of_the_jacobian) {
  const auto f = [](double, const auto& x, auto& dx) { dx[0] = x[0] == 1 ? 0 : std::sqrt(-1 - x[0] * x[0]), dx[1] = -x[1]; };
  const auto run = solve(f, two{1, 1}, {0, 3}, TypeParam{}, {.step = 0.1});
  EXPECT_EQ(run.outcome, outcome::jacobian_not_finite) << run.message();
}

}  // namespace
