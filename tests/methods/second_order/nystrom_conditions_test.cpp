/// Every Nyström table keeps exactly the orders it states, and a single wrong digit in any of its numbers is noticed.
#include <ensue/methods/second_order/nystrom_conditions.hpp>

#include "methods/second_order/nystrom_support.hpp"
#include "support/planted.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue;
using tests::plant_errors_in;

constexpr int all_trees = 12;

template <class Method> struct nystrom_conditions : testing::Test {};
TYPED_TEST_SUITE(nystrom_conditions, tests::typed<tests::nystrom_methods>);

TEST(nystrom_trees, are_as_many_as_there_are) {
  // Those without a branch that carries a single vertex, by hand up to order 6.
  const int by_hand[] = {1, 1, 1, 2, 3, 5};
  for (int order = 1; order <= 6; ++order) EXPECT_EQ(nystrom_trees_up_to[order] - nystrom_trees_up_to[order - 1], by_hand[order - 1]);
  static constexpr nystrom_forest<all_trees> forest;
  for (const nystrom_tree& tree : forest.trees) EXPECT_GT(tree.exact, 0) << "a place in the list was left empty";
  EXPECT_EQ(forest.trees[forest.count - 1].order, all_trees);
}

TYPED_TEST(nystrom_conditions, find_exactly_the_stated_orders) {
  const auto& table = TypeParam::table;
  const nystrom_phi<all_trees, std::remove_cvref_t<decltype(table)>> phi(table);
  const auto expect_order = [&](const auto& weights) {
    EXPECT_TRUE(phi.has_order(weights, weights.order));
    if (weights.order < all_trees) {
      EXPECT_FALSE(phi.has_order(weights, weights.order + 1)) << "of a higher order than stated";
    }
  };
  expect_order(table.solution);
  expect_order(table.embedded);
  EXPECT_TRUE(phi.has_dense_order(table));
  auto better = table;
  ++better.dense_order;
  EXPECT_FALSE(phi.has_dense_order(better)) << "the interpolant is of a higher order than stated";
  EXPECT_TRUE(satisfies_stated_orders<all_trees>(table));
}

/// b̄ = b(1 − c): then the conditions for positions follow from those for velocities.
TYPED_TEST(nystrom_conditions, of_positions_follow_from_velocities) {
  const auto& table = TypeParam::table;
  for (int i = 0; i < table.stages; ++i)
    EXPECT_NEAR(static_cast<double>(table.solution.positions[i] - table.solution.velocities[i] * (1 - table.c[i])), 0, 1e-17);
}

TYPED_TEST(nystrom_conditions, reject_every_planted_digit_at_compile_time) {
  auto table = TypeParam::table;
  int planted = 0;
  const auto try_all = [&](auto& coefficients, const char* what) {
    for (long double& each : coefficients)
      planted += plant_errors_in(each, [&](int digit) { EXPECT_FALSE(satisfies_stated_orders(table)) << what << ", digit " << digit; });
  };
  try_all(table.c, "c");
  for (auto& row : table.a) try_all(row, "a");
  try_all(table.solution.positions, "positions");
  try_all(table.solution.velocities, "velocities");
  try_all(table.embedded.positions, "embedded positions");
  try_all(table.embedded.velocities, "embedded velocities");
  for (auto& row : table.dense) try_all(row, "dense");
  EXPECT_GT(planted, 100 * table.stages);
  EXPECT_TRUE(satisfies_stated_orders(table)) << "the test did not put back what it changed";
}

/// What is above the diagonal the driver does not look at.
TYPED_TEST(nystrom_conditions, reject_a_table_that_is_not_explicit) {
  auto table = TypeParam::table;
  table.a[1][0] -= 0.125L;
  table.a[1][2] += 0.125L;
  EXPECT_FALSE(satisfies_stated_orders(table));
}

/// An oscillator is stable up to the limit and not beyond it.
TYPED_TEST(nystrom_conditions, stability_ends_where_growth_begins) {
  const double end = imaginary_stability_interval(TypeParam::table);
  const auto largest_after = [](double z, int steps) {
    stepping_loop<tests::oscillator, vec<double, 2>, TypeParam> run({z}, {1., 0.}, 0., {}, {});
    double largest = 0;
    for (int i = 0; i < steps; ++i) {
      run.step_fixed(steps, 1.);
      largest = std::max(largest, std::hypot(run.now.x[0], run.now.x[1] / z));
    }
    return largest;
  };
  if (end == 0) {
    EXPECT_GT(largest_after(1.5, 1000), 1.1) << "grows at every step";
    return;
  }
  EXPECT_LT(largest_after(0.9999 * end, 30'000), 3);
  // rkn86 grows in a gap next to h·ω = π only, 5e-4 wide, and is tame again behind it.
  EXPECT_GT(std::max(largest_after(1.0002 * end, 30'000), largest_after(1.01 * end, 30'000)), 100);
}

}  // namespace
