/// Groups of columns: how many, that no two of a group share a row, and Jacobians by differences over them.
#include "linear/support.hpp"

#include <ensue/linear/colouring.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

void expect_valid(const sparsity_pattern& p, const column_groups& groups) {
  ASSERT_EQ(groups.members.size(), p.width);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    longest = std::max(longest, p.row(i).size());
    std::vector<bool> taken(groups.count(), false);
    for (const index_type j : p.row(i)) {
      const auto g = static_cast<std::size_t>(groups.colour[static_cast<std::size_t>(j)]);
      EXPECT_FALSE(taken[g]) << "two columns of group " << g << " in row " << i;
      taken[g] = true;
    }
  }
  EXPECT_GE(groups.count(), longest);
  for (std::size_t g = 0; g < groups.count(); ++g)
    for (std::size_t k = groups.start[g]; k < groups.start[g + 1]; ++k)
      EXPECT_EQ(static_cast<std::size_t>(groups.colour[groups.members[k]]), g);
}

sparsity_pattern five_point(std::size_t n) {
  std::vector<sparsity_pattern::entry> entries;
  for (std::size_t i = 0; i < n * n; ++i) entries.emplace_back(i, i);
  for (const auto& [i, j] : lattice_edges(n, false)) entries.emplace_back(i, j), entries.emplace_back(j, i);
  return sparsity_pattern::from_entries(n * n, n * n, entries);
}

TEST(colouring, of_a_band_takes_as_many_groups_as_diagonals) {
  for (const std::size_t k : {0u, 1u, 2u, 5u})
    for (const std::size_t n : {100u, 1000u}) {
      const auto p = sparsity_pattern::banded(n, k, k);
      const auto groups = colour_columns(p);
      EXPECT_EQ(groups.count(), 2 * k + 1);
      expect_valid(p, groups);
    }
  EXPECT_EQ(colour_columns(sparsity_pattern::banded(500, 3, 1)).count(), 5u);
}

TEST(colouring, of_a_grid_takes_few_groups_whatever_its_size) {
  for (const std::size_t n : {10u, 40u, 101u}) {
    const auto p = five_point(n);
    const auto groups = colour_columns(p);
    EXPECT_LE(groups.count(), 8u) << n;
    expect_valid(p, groups);
    RecordProperty("groups_" + std::to_string(n), static_cast<int>(groups.count()));
  }
}

TEST(colouring, of_random_patterns_is_valid) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    numbers random(seed);
    const std::size_t rows = 1 + random.below(60), width = 1 + random.below(60);
    std::vector<sparsity_pattern::entry> entries;
    for (std::size_t k = 0; k < 3 * width; ++k) entries.emplace_back(random.below(rows), random.below(width));
    const auto p = sparsity_pattern::from_entries(rows, width, entries);
    expect_valid(p, colour_columns(p));
  }
  const auto nothing = sparsity_pattern::from_entries(4, 4, {});
  EXPECT_EQ(colour_columns(nothing).count(), 1u);
}

/// f_i = x_{i−1}² − 3 x_i x_{i+1}: differences against the derivative by hand, and as many evaluations as groups.
template <class T> void expect_derivatives(T tolerance) {
  const std::size_t n = 50;
  const auto p = sparsity_pattern::banded(n, 1, 1);
  int evaluations = 0;
  const auto f = [&](std::span<const T> x, std::span<T> out) {
    ++evaluations;
    for (std::size_t i = 0; i < n; ++i) out[i] = (i > 0 ? x[i - 1] * x[i - 1] : T(0)) - (i + 1 < n ? T(3) * x[i] * x[i + 1] : T(0));
  };
  const auto x = random_vector<T>(n, 9);
  std::vector<T> fx(n), values(p.nonzeros());
  f(x, fx);
  evaluations = 0;
  coloured_differences<T> differences(p, colour_columns(p));
  EXPECT_TRUE(differences.jacobian(f, x, fx, values));
  EXPECT_EQ(evaluations, 3);
  for (std::size_t i = 0; i < n; ++i)
    for (const index_type column : p.row(i)) {
      const auto j = static_cast<std::size_t>(column);
      T expected = 0;
      if (j + 1 == i) expected = 2 * x[j];
      else if (i + 1 < n) expected = j == i ? -3 * x[i + 1] : -3 * x[i];
      EXPECT_NEAR(values[p.position(i, j)], expected, tolerance) << i << ", " << j;
    }
}
TEST(coloured_differences, agree_with_derivatives) {
  expect_derivatives<double>(2e-6);
  expect_derivatives<float>(2e-2f);
}

TEST(coloured_differences, say_where_they_fail) {
  const auto p = sparsity_pattern::banded(4, 0, 0);
  coloured_differences<double> differences(p, colour_columns(p));
  const std::vector<double> x{1, 1, 1, 1}, fx{0, 0, 0, 0};
  std::vector<double> values(4);
  const auto undefined = [](std::span<const double> at, std::span<double> out) {
    for (std::size_t i = 0; i < 4; ++i) out[i] = i == 2 ? std::numeric_limits<double>::quiet_NaN() : at[i] - 1;
  };
  EXPECT_FALSE(differences.jacobian(undefined, x, fx, values));
  EXPECT_EQ(differences.failed_at(), 2u);
  EXPECT_FALSE(differences.jacobian([](auto, auto) { return false; }, x, fx, values));
}

}  // namespace
