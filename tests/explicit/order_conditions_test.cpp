/// Every table keeps exactly the orders it states, and a single wrong digit in any of its numbers is noticed.
#include <ensue/explicit/order_conditions.hpp>
#include <ensue/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using namespace ensue;

template <class Method> struct order_conditions : testing::Test {};
TYPED_TEST_SUITE(order_conditions, tests::typed<tests::all_methods>);

void expect_order(const row_report& found, int stated, const char* what) {
  EXPECT_EQ(found.order, std::min(stated, highest_checked_order)) << what << ": fails at " << found.violated;
  EXPECT_LE(found.residual, 1e-13L) << what;
  if (stated >= highest_checked_order) return;
  EXPECT_FALSE(found.violated.empty()) << what << " is of a higher order than stated";
}

TYPED_TEST(order_conditions, find_exactly_the_stated_orders) {
  const auto& table = TypeParam::table;
  const order_report report = check_orders(runtime_tableau::from(table), own_tables_tolerance);
  ASSERT_EQ(report.error, "");
  EXPECT_TRUE(report.is_explicit);
  EXPECT_LE(report.row_sum_residual, 1e-16L);
  EXPECT_EQ(report.fsal, table.fsal());
  expect_order(report.main, table.order, "b");
  ASSERT_EQ(static_cast<int>(report.embedded.size()), table.embedded_rows);
  for (int i = 0; i < table.embedded_rows; ++i) expect_order(report.embedded[i], table.embedded[i].order, "embedded");
  if (table.dense_degree > 0) expect_order(report.dense, table.dense_order, "dense");
}

TYPED_TEST(order_conditions, hold_by_the_check_that_rejects_typos) {
  EXPECT_EQ(first_violation(runtime_tableau::from(TypeParam::table), stated_orders::of(TypeParam::table)), "");
  EXPECT_TRUE(satisfies_stated_orders(TypeParam::table));
}

/// Changes one coefficient, a digit at a time, and calls `check` each time; then puts it back.
template <class Check> void plant_errors_in(long double& coefficient, Check check) {
  if (coefficient == 0) return;
  const long double right = coefficient;
  const int first_digit = static_cast<int>(std::floor(std::log10(std::fabs(right))));
  for (int digit = 1; digit <= 10; ++digit)
    for (const int sign : {-1, 1}) {
      coefficient = right + sign * std::pow(10.0L, first_digit - digit + 1);
      check(digit);
    }
  coefficient = right;
}

TYPED_TEST(order_conditions, reject_every_planted_digit) {
  runtime_tableau table = runtime_tableau::from(TypeParam::table);
  const stated_orders orders = stated_orders::of(TypeParam::table);
  int planted = 0;
  const auto try_all = [&](std::vector<long double>& coefficients, const char* what, int row) {
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      plant_errors_in(coefficients[i], [&](int digit) {
        ++planted;
        EXPECT_NE(first_violation(table, orders), "")
            << what << '[' << row << "][" << i << "]: digit " << digit << " is wrong and nothing notices";
      });
  };
  try_all(table.c, "c", 0);
  try_all(table.b, "b", 0);
  for (int i = 0; i < table.stages(); ++i) try_all(table.a[i], "a", i);
  for (std::size_t k = 0; k < table.embedded.size(); ++k) try_all(table.embedded[k], "embedded", k);
  for (std::size_t i = 0; i < table.dense.size(); ++i) try_all(table.dense[i], "dense", i);
  EXPECT_GE(planted, 20 * table.stages() - 10);  // at least a c or a weight for every stage
  EXPECT_EQ(first_violation(table, orders), "") << "the test did not put back what it changed";
}

/// The check at compile time has a coarser threshold and stops at order 5: enough for every digit too.
TYPED_TEST(order_conditions, reject_every_planted_digit_at_compile_time) {
  auto table = TypeParam::table;
  const auto rejected = [&](int digit) { EXPECT_FALSE(satisfies_stated_orders(table)) << "digit " << digit; };
  for (long double& c : table.c) plant_errors_in(c, rejected);
  for (long double& b : table.b) plant_errors_in(b, rejected);
  for (auto& row : table.a)
    for (long double& a : row) plant_errors_in(a, rejected);
  for (auto& row : table.embedded)
    for (long double& weight : row.weights) plant_errors_in(weight, rejected);
  EXPECT_TRUE(satisfies_stated_orders(table));
}

TEST(satisfies_stated_orders, rejects_claims_that_are_too_high) {
  auto table = dp54::table;
  table.embedded[0].order = 5;
  EXPECT_FALSE(satisfies_stated_orders(table));
  auto third_order = bs32::table;
  third_order.order = 4;
  EXPECT_FALSE(satisfies_stated_orders(third_order));
  third_order.order = 0;
  EXPECT_FALSE(satisfies_stated_orders(third_order));
}

TEST(satisfies_stated_orders, rejects_what_is_not_an_explicit_table_of_numbers) {
  auto implicit = dp54::table;
  implicit.a[2][3] = 1e-30L;
  EXPECT_FALSE(satisfies_stated_orders(implicit));
  auto not_a_number = dp54::table;
  not_a_number.b[1] = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_FALSE(satisfies_stated_orders(not_a_number));
}

/// A weight that is off for one tree only, in the twelfth digit, is seen, whichever tree it is.
TEST(satisfies_stated_orders, looks_at_all_seventeen_trees) {
  detail::elementary_weights<dp54::table.stages> phi;
  detail::compute_weights(dp54::table, 5, phi);
  for (int tree = 0; tree < 17; ++tree) {
    auto changed = phi;
    for (long double& value : changed.of[tree]) value *= 1 + 1e-12L;
    EXPECT_FALSE(detail::weights_have_order(dp54::table.b, 5, changed)) << "tree " << tree;
  }
  EXPECT_TRUE(detail::weights_have_order(dp54::table.b, 5, phi));
}

}  // namespace
