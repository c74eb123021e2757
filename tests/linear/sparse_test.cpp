/// Patterns, orders and the choice of a form; products; Eigen's sparse solvers behind our contract.
#include "linear/support.hpp"

#include <ensue/linear/banded.hpp>
#include <ensue/linear/choice.hpp>
#include <ensue/linear/eigen_lu.hpp>
#include <ensue/linear/sparse.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

sparsity_pattern grid(std::size_t rows, std::size_t columns) {
  std::vector<sparsity_pattern::entry> entries;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t here = i * columns + j;
      entries.emplace_back(here, here);
      if (j + 1 < columns) entries.emplace_back(here, here + 1), entries.emplace_back(here + 1, here);
      if (i + 1 < rows) entries.emplace_back(here, here + columns), entries.emplace_back(here + columns, here);
    }
  return sparsity_pattern::from_entries(rows * columns, rows * columns, entries);
}

/// The same unknowns, numbered as a pack of cards after a riffle.
sparsity_pattern shuffled(const sparsity_pattern& p, std::uint64_t seed) {
  std::vector<std::size_t> place(p.rows);
  for (std::size_t i = 0; i < p.rows; ++i) place[i] = i;
  numbers random(seed);
  for (std::size_t i = p.rows; i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
  std::vector<sparsity_pattern::entry> entries;
  for (std::size_t i = 0; i < p.rows; ++i)
    for (const index_type j : p.row(i)) entries.emplace_back(place[i], place[static_cast<std::size_t>(j)]);
  return sparsity_pattern::from_entries(p.rows, p.width, entries);
}

TEST(pattern, from_entries_in_any_order) {
  const auto p = sparsity_pattern::from_entries(3, 4, {{2, 3}, {0, 2}, {0, 0}, {2, 3}, {0, 2}});
  EXPECT_EQ(p.nonzeros(), 3u);
  EXPECT_EQ(p.row_start, (std::vector<index_type>{0, 2, 2, 3}));
  EXPECT_EQ(p.columns, (std::vector<index_type>{0, 2, 3}));
  EXPECT_EQ(p.position(0, 2), 1u);
  EXPECT_EQ(p.position(1, 1), sparsity_pattern::absent);
  EXPECT_EQ(bandwidth_of(p), (bandwidth{0, 2}));
  std::vector<index_type> origin;
  EXPECT_EQ(p.transposed(&origin), sparsity_pattern::from_entries(4, 3, {{3, 2}, {2, 0}, {0, 0}}));
  EXPECT_EQ(origin, (std::vector<index_type>{0, 1, 2}));
  EXPECT_EQ(p.united(sparsity_pattern::from_entries(3, 4, {{0, 0}, {1, 1}, {2, 2}})),
            sparsity_pattern::from_entries(3, 4, {{0, 0}, {0, 2}, {1, 1}, {2, 2}, {2, 3}}));
  EXPECT_EQ(bandwidth_of(sparsity_pattern::banded(50, 3, 2)), (bandwidth{3, 2}));
}

TEST(iteration_matrix, is_the_shifted_mass_minus_the_jacobian) {
  sparse_matrix<double> j(sparsity_pattern::from_entries(3, 3, {{0, 0}, {0, 2}, {2, 1}}));
  sparse_matrix<double> m(sparsity_pattern::from_entries(3, 3, {{0, 0}, {0, 1}, {1, 1}}));
  j(0, 0) = 1, j(0, 2) = 2, j(2, 1) = 3;
  m(0, 0) = 4, m(0, 1) = 5, m(1, 1) = 6;
  iteration_matrix<double> w(j.pattern(), m.pattern());
  for (int twice = 0; twice < 2; ++twice) w.assemble(j, 10, m);
  EXPECT_EQ(w.matrix().at(0, 0), 39);
  EXPECT_EQ(w.matrix().at(0, 1), 50);
  EXPECT_EQ(w.matrix().at(0, 2), -2);
  EXPECT_EQ(w.matrix().at(1, 1), 60);
  EXPECT_EQ(w.matrix().at(2, 1), -3);
  EXPECT_EQ(w.matrix().at(2, 2), 0) << "an equation without a derivative";
}

TEST(iteration_matrix, is_the_shift_minus_the_jacobian) {
  const auto pattern = sparsity_pattern::from_entries(3, 3, {{0, 0}, {0, 2}, {1, 0}, {2, 1}});
  sparse_matrix<double> j(pattern);
  j(0, 0) = 2, j(0, 2) = 3, j(1, 0) = 5, j(2, 1) = 7;
  iteration_matrix<double> w(pattern);
  for (int twice = 0; twice < 2; ++twice) w.assemble(j, 10);
  const double expected[3][3] = {{8, 0, -3}, {-5, 10, 0}, {0, -7, 10}};
  const std::vector<double> x{1, 2, 3};
  std::vector<double> y(3);
  w.matrix().multiply(x, y);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(w.matrix().at(i, k), expected[i][k]);
    EXPECT_EQ(y[i], expected[i][0] * 1 + expected[i][1] * 2 + expected[i][2] * 3);
  }
}

/// A shuffled chain becomes a chain again, a shuffled grid nearly as narrow as its shorter side; nothing is lost or named twice.
TEST(reverse_cuthill_mckee, finds_narrow_bands) {
  const auto chain = shuffled(sparsity_pattern::banded(300, 1, 1), 3);
  EXPECT_GT(bandwidth_of(chain).lower, 100u);
  EXPECT_EQ(bandwidth_in_order(chain, reverse_cuthill_mckee(chain)), (bandwidth{1, 1}));
  const auto mesh = shuffled(grid(100, 8), 4);
  const auto order = reverse_cuthill_mckee(mesh);
  EXPECT_LE(bandwidth_in_order(mesh, order).lower, 9u);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
  // Two components and a node by itself; a pattern that is not symmetric counts as if it were.
  const auto parts = sparsity_pattern::from_entries(6, 6, {{0, 3}, {3, 5}, {1, 4}});
  const bandwidth narrow = bandwidth_in_order(parts, reverse_cuthill_mckee(parts));
  EXPECT_EQ(std::max(narrow.lower, narrow.upper), 1u);
}

TEST(choice, follows_size_band_and_fill) {
  EXPECT_EQ(choose_form(sparsity_pattern::banded(8, 7, 7)).form, matrix_form::dense);
  EXPECT_EQ(choose_form(sparsity_pattern::banded(60, 59, 59)).form, matrix_form::dense);
  EXPECT_EQ(choose_form(sparsity_pattern::banded(1000, 2, 2)).form, matrix_form::banded);
  EXPECT_TRUE(choose_form(sparsity_pattern::banded(1000, 2, 2)).order.empty());
  const auto hidden = choose_form(shuffled(sparsity_pattern::banded(1000, 2, 2), 8));
  EXPECT_EQ(hidden.form, matrix_form::banded);
  EXPECT_EQ(hidden.order.size(), 1000u);
  EXPECT_LE(hidden.band.lower, 4u);
  EXPECT_EQ(choose_form(grid(300, 300)).form, matrix_form::sparse);
  std::vector<sparsity_pattern::entry> arrow;  // a full row and column: no order gives it a band, and there is no fill
  for (std::size_t i = 0; i < 2000; ++i) arrow.emplace_back(i, i), arrow.emplace_back(0, i), arrow.emplace_back(i, 0);
  EXPECT_EQ(choose_form(sparsity_pattern::from_entries(2000, 2000, arrow)).form, matrix_form::sparse);
}

#ifdef ENSUE_HAS_EIGEN_LU
TEST(sparse_lu, agrees_with_the_reference) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    numbers random(seed);
    const std::size_t n = 2 + random.below(30);
    std::vector<sparsity_pattern::entry> entries;
    for (std::size_t i = 0; i < n; ++i) entries.emplace_back(i, (i + 1) % n);  // structurally regular, diagonal mostly empty
    for (std::size_t k = 0; k < 3 * n; ++k) entries.emplace_back(random.below(n), random.below(n));
    sparse_matrix<double> a(sparsity_pattern::from_entries(n, n, entries));
    sparse_lu<double> lu(a.pattern());
    for (int again = 0; again < 3; ++again) {  // analysed once, factored many times
      std::vector<long double> dense(n * n, 0);
      double norm = 0;
      for (double& value : a.values()) value = random();
      for (std::size_t i = 0; i < n; ++i) {
        a(i, (i + 1) % n) += 3;
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) dense[i * n + j] = static_cast<long double>(a.at(i, j)), sum += std::fabs(a.at(i, j));
        norm = std::fmax(norm, sum);
      }
      const auto b = random_vector<double>(n, seed);
      auto x = b;
      ASSERT_TRUE(lu.factor(a));
      lu.solve(x);
      EXPECT_LT(backward_error(a, norm, x, b), 1e-14);
      const auto expected = reference_solution(dense, {b.begin(), b.end()});
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], static_cast<double>(expected[i]), 1e-9 * (1 + std::fabs(x[i])));
    }
  }
}

TEST(sparse_ldlt, solves_symmetric_ones) {
  const std::size_t side = 20, n = side * side;
  sparse_matrix<double> a(grid(side, side));
  for (std::size_t i = 0; i < n; ++i)
    for (const index_type j : a.pattern().row(i)) a(i, static_cast<std::size_t>(j)) = static_cast<std::size_t>(j) == i ? 4.5 : -1;
  sparse_ldlt<double> ldlt(a.pattern());
  const auto b = random_vector<double>(n, 1);
  auto x = b;
  ASSERT_TRUE(ldlt.factor(a));
  ldlt.solve(x);
  EXPECT_LT(backward_error(a, 8.5, x, b), 1e-15);
}

TEST(sparse_direct, refuses_singular_matrices) {
  sparse_matrix<double> a(sparsity_pattern::banded(5, 1, 1));
  sparse_lu<double> lu(a.pattern());
  sparse_ldlt<double> ldlt(a.pattern());
  EXPECT_FALSE(lu.factor(a));
  EXPECT_FALSE(ldlt.factor(a));
  for (std::size_t i = 0; i < 5; ++i) a(i, i) = 1;
  EXPECT_TRUE(lu.factor(a));
  EXPECT_TRUE(ldlt.factor(a));
  a(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factor(a));
  EXPECT_FALSE(ldlt.factor(a));
}
#endif

}  // namespace
