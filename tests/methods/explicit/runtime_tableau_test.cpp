/// What a user is told about a table typed at run time.
#include <ensue/methods/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace ensue;

const runtime_tableau typed_midpoint = {
    .c = {0, 0.5L}, .a = {{}, {0.5L}}, .b = {0, 1}, .embedded = {{1, 0}}, .dense = {}};

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(check_orders, names_the_first_condition_that_fails) {
  const order_report report = check_orders(typed_midpoint);
  EXPECT_EQ(report.error, "");
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.main.order, 2);
  EXPECT_EQ(report.main.violated, "[ττ]");
  EXPECT_NEAR(report.main.violated_residual, 1 / 4.0L - 1 / 3.0L, 1e-18L);
  EXPECT_EQ(report.embedded.at(0).order, 1);
  EXPECT_EQ(report.embedded[0].violated, "[τ]");
  EXPECT_EQ(report.dense.order, 0);
  EXPECT_FALSE(report.fsal);
}

/// dp54 as somebody would copy it: sixteen digits, full rows.
TEST(check_orders, accepts_coefficients_typed_as_doubles) {
  runtime_tableau table = runtime_tableau::from(dp54::table);
  const auto to_double = [](std::vector<long double>& row) {
    for (long double& value : row) value = static_cast<double>(value);
  };
  to_double(table.c), to_double(table.b), to_double(table.embedded[0]);
  for (auto& row : table.a) to_double(row);
  for (auto& row : table.dense) to_double(row);
  const order_report report = check_orders(table);
  EXPECT_EQ(report.main.order, 5) << report.main.violated;
  EXPECT_EQ(report.embedded.at(0).order, 4);
  EXPECT_EQ(report.dense.order, 4);
  EXPECT_TRUE(report.fsal);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_NE(first_violation(table, stated_orders::of(dp54::table)), "") << "our own tables are held to more digits";
}

/// Gauss (order 2s) and Radau IIA (2s − 1): Hairer & Wanner, Solving ODEs II, IV.5. Not ours to run, but an independent
/// check of the conditions.
TEST(check_orders, judges_implicit_tables_and_says_that_they_are) {
  const long double r = std::sqrt(3.0L) / 6;
  const runtime_tableau gauss = {.c = {0.5L - r, 0.5L + r},
                                 .a = {{0.25L, 0.25L - r}, {0.25L + r, 0.25L}},
                                 .b = {0.5L, 0.5L},
                                 .embedded = {},
                                 .dense = {}};
  const order_report report = check_orders(gauss);
  EXPECT_EQ(report.main.order, 4);
  EXPECT_FALSE(report.is_explicit);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_TRUE(mentions(report.warnings[0], "not explicit: a_1,1 = 0.25")) << report.warnings[0];

  const runtime_tableau radau = {.c = {1 / 3.0L, 1},
                                 .a = {{5 / 12.0L, -1 / 12.0L}, {0.75L, 0.25L}},
                                 .b = {0.75L, 0.25L},
                                 .embedded = {},
                                 .dense = {}};
  EXPECT_EQ(check_orders(radau).main.order, 3);
}

/// a_32 does not occur in the conditions of order 2 as written with c, so they hold; the method is of order 1 all the
/// same.
TEST(check_orders, is_certain_of_order_one_only_when_row_sums_are_wrong) {
  runtime_tableau table = runtime_tableau::from(rk4::table);
  table.a[2][1] = 0.4L;
  const order_report report = check_orders(table);
  EXPECT_EQ(report.main.order, 1);
  EXPECT_NEAR(report.row_sum_residual, 0.1L, 1e-15L);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_TRUE(mentions(report.warnings[0], "stage 3: the row sum of a, which should be c_3 = 0.5, is off by -0.1"))
      << report.warnings[0];
}

/// Euler's line has no θ²: it must not pass for order 2 because nothing is left to compare.
TEST(check_orders, wants_the_power_that_a_short_interpolant_lacks) {
  const runtime_tableau table = {.c = {0}, .a = {{}}, .b = {1}, .embedded = {}, .dense = {{1}}};
  EXPECT_EQ(check_orders(table).dense.order, 1);
}

TEST(check_orders, suspects_too_few_digits) {
  const runtime_tableau table = {
      .c = {0, 0.33333333L}, .a = {{}, {0.333333333333L}}, .b = {-0.5L, 1.5L}, .embedded = {}, .dense = {}};
  const order_report report = check_orders(table);
  EXPECT_EQ(report.main.order, 1);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_TRUE(mentions(report.warnings[0], "too few digits?")) << report.warnings[0];
  EXPECT_EQ(check_orders(table, 1e-7).main.order, 2);
}

TEST(check_orders, warns_of_evaluations_outside_the_step) {
  const runtime_tableau table = {
      .c = {0, 1.5L}, .a = {{}, {1.5L}}, .b = {2 / 3.0L, 1 / 3.0L}, .embedded = {}, .dense = {}};
  const order_report report = check_orders(table);
  EXPECT_EQ(report.main.order, 2);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_TRUE(mentions(report.warnings[0], "c_2 = 1.5 lies outside [0, 1]")) << report.warnings[0];
}

TEST(check_orders, warns_of_an_interpolant_that_jumps) {
  runtime_tableau table = typed_midpoint;
  table.dense = {{1}, {0}};  // Euler's line: ends at x + h k₁
  const order_report report = check_orders(table);
  EXPECT_EQ(report.dense.order, 1);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_TRUE(mentions(report.warnings[0], "does not end at x_new")) << report.warnings[0];
  EXPECT_TRUE(mentions(first_violation(table, {2, {1}, 1}), "dense output: the sum of dense_1 is off by 1"));
}

TEST(check_orders, says_what_makes_no_sense) {
  const auto error_after = [](auto change) {
    runtime_tableau table = typed_midpoint;
    change(table);
    const order_report report = check_orders(table);
    EXPECT_EQ(report.main.order, 0);
    EXPECT_EQ(first_violation(table, {2, {1}, 0}), report.error);
    return report.error;
  };
  using table = runtime_tableau;
  EXPECT_EQ(error_after([](table& t) { t = {}; }), "the table has no stages: c is empty");
  EXPECT_EQ(error_after([](table& t) { t.b.push_back(0); }), "b has 3 entries, but c states 2 stages");
  EXPECT_TRUE(mentions(error_after([](table& t) { t.a.erase(t.a.begin()); }), "a has 1 rows, but c states 2 stages"));
  EXPECT_EQ(error_after([](table& t) { t.a[1] = {0.5L, 0, 0}; }), "row 2 of a has 3 entries, but c states 2 stages");
  EXPECT_EQ(error_after([](table& t) { t.embedded[0] = {1}; }), "embedded row 1 has 1 entries, but c states 2 stages");
  EXPECT_EQ(error_after([](table& t) { t.dense = {{1}}; }), "dense has 1 entries, but c states 2 stages");
  EXPECT_EQ(error_after([](table& t) { t.dense = {{1}, {1, 2}}; }), "the rows of dense differ in length");
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN(), infinity = HUGE_VALL;
  EXPECT_EQ(error_after([](table& t) { t.c[1] = nan; }), "c_2 is nan, not a finite number");
  EXPECT_EQ(error_after([](table& t) { t.b[0] = infinity; }), "b_1 is inf, not a finite number");
  EXPECT_EQ(error_after([](table& t) { t.a[1][0] = nan; }), "a_2,1 is nan, not a finite number");
  EXPECT_EQ(error_after([](table& t) { t.embedded[0][1] = nan; }),
            "embedded row 1, weight 2 is nan, not a finite number");
  EXPECT_EQ(error_after([](table& t) { t.dense = {{0}, {nan}}; }), "dense_2,1 is nan, not a finite number");
}

TEST(first_violation, names_row_order_and_tree) {
  const runtime_tableau table = runtime_tableau::from(rk4::table);
  EXPECT_EQ(first_violation(table, {4, {}, 0}), "");
  EXPECT_TRUE(mentions(first_violation(table, {5, {}, 0}), "b: order 5, tree ")) << first_violation(table, {5, {}, 0});
  EXPECT_TRUE(mentions(first_violation(table, {4, {3}, 0}), "stated for 1 embedded rows, the table has 0"));
  EXPECT_TRUE(
      mentions(first_violation(typed_midpoint, {2, {2}, 0}), "embedded row 1: order 2, tree [τ] is off by -0.5"));
  runtime_tableau straight = typed_midpoint;
  straight.dense = {{0}, {1}};  // a line from x to x_new
  EXPECT_EQ(first_violation(straight, {2, {1}, 1}), "");
  EXPECT_TRUE(mentions(first_violation(straight, {2, {1}, 2}), "dense output: order 2, tree [τ] is off by"));
}

TEST(runtime_tableau, takes_over_every_number) {
  const runtime_tableau table = runtime_tableau::from(dp54::table);
  ASSERT_EQ(table.stages(), 7);
  ASSERT_EQ(table.embedded.size(), 1u);
  ASSERT_EQ(table.dense.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(table.c[i], dp54::table.c[i]);
    EXPECT_EQ(table.b[i], dp54::table.b[i]);
    EXPECT_EQ(table.embedded[0][i], dp54::table.embedded[0].weights[i]);
    for (int j = 0; j < 7; ++j) EXPECT_EQ(table.a[i][j], dp54::table.a[i][j]);
    for (int m = 0; m < 4; ++m) EXPECT_EQ(table.dense[i][m], dp54::table.dense[i][m]);
  }
  EXPECT_TRUE(runtime_tableau::from(euler::table).embedded.empty());
  EXPECT_TRUE(runtime_tableau::from(euler::table).dense.empty());
}

}  // namespace
