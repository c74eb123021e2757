/// Step doubling as a table: what the table computes is what three steps of the method compute.
#include <ensue/methods/explicit/doubling.hpp>

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string_view>

namespace {

using namespace ensue;

template <class Method> struct is_plain : std::true_type {};
template <class Method, bool Extrapolated> struct is_plain<doubling<Method, Extrapolated>> : std::false_type {};

template <class Method> struct step_doubling : testing::Test {};
using plain_methods = tests::only<is_plain, tests::all_methods>;
TYPED_TEST_SUITE(step_doubling, tests::typed<plain_methods>);

using state = std::array<long double, 2>;

/// Nonlinear, with t, so that c and every a_ij have a say.
state f(long double t, const state& x) { return {x[1] + std::sin(t), -std::sin(x[0]) - 0.1L * x[1] * x[1]}; }

/// x + h Σ weights_i k_i: a step of any row of a table, written as plainly as possible.
template <class Table, int Stages>
state step(const Table& table, const long double (&weights)[Stages], long double t, const state& x, long double h) {
  state k[Stages], result = x;
  for (int i = 0; i < Stages; ++i) {
    state at = x;
    for (int j = 0; j < i; ++j)
      for (int n = 0; n < 2; ++n) at[n] += h * table.a[i][j] * k[j][n];
    k[i] = f(t + table.c[i] * h, at);
    for (int n = 0; n < 2; ++n) result[n] += h * weights[i] * k[i][n];
  }
  return result;
}

template <class Method> void compare_with_three_steps() {
  const auto& method = Method::table;
  const auto &plain = doubling<Method>::table, &extrapolated = doubling<Method, true>::table;
  const long double t = 0.3L, h = 0.25L;
  const state x = {0.7L, -0.4L};
  const state full = step(method, method.b, t, x, h);
  const state halves = step(method, method.b, t + h / 2, step(method, method.b, t, x, h / 2), h / 2);
  const state plain_new = step(plain, plain.b, t, x, h), plain_hat = step(plain, plain.embedded[0].weights, t, x, h);
  const state better_new = step(extrapolated, extrapolated.b, t, x, h),
              better_hat = step(extrapolated, extrapolated.embedded[0].weights, t, x, h);
  for (int n = 0; n < 2; ++n) {
    const long double error = (halves[n] - full[n]) / (std::pow(2.0L, method.order) - 1);
    EXPECT_NEAR(plain_new[n], halves[n], 1e-17L);
    EXPECT_NEAR(plain_new[n] - plain_hat[n], error, 1e-17L);
    EXPECT_NEAR(better_new[n], halves[n] + error, 1e-17L);
    EXPECT_NEAR(better_new[n] - better_hat[n], error, 1e-17L);
  }
}

TYPED_TEST(step_doubling, is_one_step_and_two_half_steps) { compare_with_three_steps<TypeParam>(); }

template <class Doubled> void expect_lean_table_of_order(int order, int estimate_order) {
  const auto& table = Doubled::table;
  EXPECT_EQ(table.order, order);
  EXPECT_EQ(table.estimate_order(), estimate_order);
  EXPECT_EQ(first_violation(runtime_tableau::from(table), stated_orders::of(table)), "");
  const order_report report = check_orders(runtime_tableau::from(table), own_tables_tolerance);
  EXPECT_EQ(report.main.order, order);
  EXPECT_EQ(report.embedded.at(0).order, estimate_order);
  for (int i = 0; i < table.stages; ++i) {
    bool used = table.b[i] != 0 || table.embedded[0].weights[i] != 0;
    for (int m = i + 1; m < table.stages; ++m) used = used || table.a[m][i] != 0;
    EXPECT_TRUE(used) << "stage " << i << " is computed for nothing";
    for (int m = 0; m < i; ++m) {
      bool same = table.c[m] == table.c[i];
      for (int j = 0; same && j < table.stages; ++j) same = table.a[m][j] == table.a[i][j];
      EXPECT_FALSE(same) << "stages " << m << " and " << i << " are the same evaluation";
    }
  }
}

TYPED_TEST(step_doubling, has_the_orders_it_states_and_no_stage_too_many) {
  constexpr int order = TypeParam::table.order;
  expect_lean_table_of_order<doubling<TypeParam>>(order, order);
  if (order < highest_checked_order) expect_lean_table_of_order<doubling<TypeParam, true>>(order + 1, order);
}

/// Three times the evaluations that x_new needs, less the common first one.
TYPED_TEST(step_doubling, shares_the_first_evaluation) {
  const auto& table = TypeParam::table;
  bool needed[table.stages] = {};
  detail::mark_needed(table, needed);
  int count = 0;
  for (const bool stage : needed) count += stage;
  EXPECT_EQ(doubling<TypeParam>::table.stages, 3 * count - 1);
}

TEST(doubling, takes_the_known_number_of_evaluations) {
  EXPECT_EQ(doubling<euler>::table.stages, 2);
  EXPECT_EQ(doubling<midpoint>::table.stages, 5);
  EXPECT_EQ(doubling<rk4>::table.stages, 11);
  EXPECT_EQ(doubling<bs32>::table.stages, 8);   // FSAL: three of four stages make x_new
  EXPECT_EQ(doubling<dp54>::table.stages, 17);  // six of seven
}

/// Two half steps of Euler and Richardson's correction: x + h f(t + h/2, x + (h/2) k₁).
TEST(doubling, of_euler_extrapolated_is_the_midpoint_rule) {
  const auto& table = doubling<euler, true>::table;
  const auto& rule = midpoint::table;
  ASSERT_EQ(table.stages, 2);
  EXPECT_EQ(table.order, 2);
  EXPECT_EQ(table.c[1], rule.c[1]);
  EXPECT_EQ(table.a[1][0], rule.a[1][0]);
  EXPECT_EQ(table.b[0], rule.b[0]);
  EXPECT_EQ(table.b[1], rule.b[1]);
}

TEST(doubling, ends_with_the_second_half) {
  const auto& table = doubling<rk4>::table;
  for (int i = table.stages - 4; i < table.stages; ++i) EXPECT_GE(table.c[i], 0.5L);
  EXPECT_EQ(table.c[table.stages - 1], 1);
}

/// A repeated stage within a method (here the second and third) is found too.
struct wasteful {
  static constexpr const char* name = "wasteful";
  static constexpr const char* citation = "none";
  static constexpr explicit_tableau<3> table = {
      .order = 2, .c = {0, ratio(1, 2), ratio(1, 2)}, .a = {{}, {ratio(1, 2)}, {ratio(1, 2)}}, .b = {0, ratio(1, 2), ratio(1, 2)}};
};
TEST(doubling, merges_identical_stages) {
  EXPECT_EQ(doubling<wasteful>::table.stages, 5);
  EXPECT_TRUE(satisfies_stated_orders(doubling<wasteful>::table));
  compare_with_three_steps<wasteful>();
}

TEST(doubling, is_named_after_its_method) {
  static_assert(std::string_view(doubling<rk4>::name) == "doubling(rk4)");
  static_assert(std::string_view(doubling<rk4, true>::name) == "doubling(rk4, extrapolated)");
  static_assert(std::string_view(doubling<rk4>::citation).ends_with(rk4::citation));
}

static_assert(satisfies_stated_orders(doubling<doubling<euler>>::table), "a doubled method is a method");

}  // namespace
