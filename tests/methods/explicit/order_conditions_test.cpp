/// Every table keeps exactly the orders it states, and a single wrong digit in any of its numbers is noticed.
#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"
#include "support/planted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace ensue;
using tests::plant_errors_in;

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

/// The method's interpolant has a table of its own.
template <class Method>
concept extended = requires { Method::dense_table; };
template <class Method> struct is_extended : std::bool_constant<extended<Method>> {};

template <class Method> struct extended_table : testing::Test {};
using extended_methods = tests::only<is_extended, tests::all_methods>;
TYPED_TEST_SUITE(extended_table, tests::typed<extended_methods>);

/// The column of f(t_new, x_new).
template <class Method> constexpr int end_column() { return Method::table.stages - (Method::table.fsal() ? 1 : 0); }

TYPED_TEST(extended_table, has_exactly_the_stated_orders) {
  const order_report report = check_orders(runtime_tableau::from(TypeParam::dense_table), own_tables_tolerance);
  ASSERT_EQ(report.error, "");
  for (const std::string& warning : report.warnings) ADD_FAILURE() << warning;
  EXPECT_TRUE(report.is_explicit);
  EXPECT_LE(report.row_sum_residual, 1e-16L);
  EXPECT_EQ(TypeParam::dense_table.order, TypeParam::table.order);
  if constexpr (requires { TypeParam::extra; }) {
    EXPECT_EQ(TypeParam::dense_table.dense_order, TypeParam::extra.order);
  }
  expect_order(report.main, TypeParam::table.order, "b");
  expect_order(report.dense, TypeParam::dense_table.dense_order, "dense");
  EXPECT_EQ(first_violation(runtime_tableau::from(TypeParam::dense_table), stated_orders::of(TypeParam::dense_table)),
            "");
}

/// Value and derivative at both ends, so that the interpolants of two steps make one C¹ curve.
TYPED_TEST(extended_table, meets_the_step_at_both_ends) {
  const auto& table = TypeParam::dense_table;
  constexpr int end = end_column<TypeParam>();
  EXPECT_EQ(table.c[end], 1);
  for (int j = 0; j < table.stages; ++j) {
    EXPECT_EQ(table.a[end][j], table.b[j]) << "f(t_new, x_new), column " << j;
    EXPECT_EQ(table.dense[j][0], j == 0) << "derivative at θ = 0, column " << j;
    long double value = -table.b[j], slope = -(j == end), size = 1;
    for (int m = 0; m < table.dense_degree; ++m) {
      value += table.dense[j][m];
      slope += (m + 1) * table.dense[j][m];
      size += (m + 1) * std::fabs(table.dense[j][m]);
    }
    EXPECT_LE(std::fabs(value), own_tables_tolerance * size) << "θ = 1, column " << j;
    EXPECT_LE(std::fabs(slope), own_tables_tolerance * size) << "derivative at θ = 1, column " << j;
  }
}

TYPED_TEST(extended_table, rejects_every_planted_digit) {
  runtime_tableau table = runtime_tableau::from(TypeParam::dense_table);
  const stated_orders orders = stated_orders::of(TypeParam::dense_table);
  int planted = 0;
  const auto try_one = [&](long double& coefficient, const std::string& what) {
    plant_errors_in(coefficient, [&](int digit) {
      ++planted;
      EXPECT_NE(first_violation(table, orders), "") << what << ": digit " << digit << " is wrong and nothing notices";
    });
  };
  for (int i = end_column<TypeParam>(); i < table.stages(); ++i) {
    try_one(table.c[i], "c of row " + std::to_string(i));
    for (long double& a : table.a[i]) try_one(a, "a in row " + std::to_string(i));
  }
  for (int j = 0; j < table.stages(); ++j)
    for (long double& coefficient : table.dense[j]) try_one(coefficient, "dense in column " + std::to_string(j));
  EXPECT_GE(planted, 20 * (table.stages() - end_column<TypeParam>()) * (3 + TypeParam::dense_table.dense_degree));
  EXPECT_EQ(first_violation(table, orders), "") << "the test did not put back what it changed";
}

/// Row sums, and the value at θ = 1, notice every single digit. Here another number of the row takes the error
/// back, and only the conditions of the trees can tell.
TYPED_TEST(extended_table, rejects_planted_digits_that_leave_the_sums_right) {
  runtime_tableau table = runtime_tableau::from(TypeParam::dense_table);
  const stated_orders orders = stated_orders::of(TypeParam::dense_table);
  const auto try_all = [&](std::vector<long double>& row, const char* what, int number) {
    long double* other = nullptr;  // the number before
    for (long double& coefficient : row) {
      if (coefficient == 0) continue;
      if (other != nullptr) {
        const long double right = coefficient, other_right = *other;
        plant_errors_in(coefficient, [&](int digit) {
          *other = other_right - (coefficient - right);
          EXPECT_NE(first_violation(table, orders).find("tree"), std::string::npos)
              << what << ' ' << number << ", entry " << &coefficient - row.data() << ": digit " << digit;
        });
        *other = other_right;
      }
      other = &coefficient;
    }
  };
  for (int i = end_column<TypeParam>() + 1; i < table.stages(); ++i) try_all(table.a[i], "row of a", i);
  for (int j = 0; j < table.stages(); ++j) try_all(table.dense[j], "column of dense", j);
  EXPECT_EQ(first_violation(table, orders), "") << "the test did not put back what it changed";
}

/// What is typed for dop853 is D, and neither end of the interpolant depends on it.
TEST(nested_interpolant, rejects_every_planted_digit) {
  long double d[4][16];
  for (int row = 0; row < 4; ++row) std::copy_n(dop853::d[row], 16, d[row]);
  const auto violation = [&] {
    const auto table = with_extra_stages(dop853::table, detail::from_nested_form(dop853::extra, dop853::table.b, d));
    return first_violation(runtime_tableau::from(table), stated_orders::of(table));
  };
  int planted = 0;
  for (auto& row : d)
    for (long double& coefficient : row)
      plant_errors_in(coefficient, [&](int digit) {
        ++planted;
        EXPECT_NE(violation(), "") << "D, entry " << &coefficient - row << " of a row: digit " << digit;
      });
  EXPECT_EQ(planted, 4 * 12 * 20);
  EXPECT_EQ(violation(), "");
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
