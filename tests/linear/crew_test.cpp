/// Threads: every part is done once, and products and conjugate gradients have the same bits for any number of them.
#include "linear/support.hpp"

#include <ensue/linear/crew.hpp>
#include <ensue/linear/krylov.hpp>
#include <ensue/linear/parted_product.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::linear;
using namespace ensue::tests;

TEST(crew, does_every_part_once) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    crew hands(threads);
    EXPECT_EQ(hands.threads(), threads);
    std::vector<int> done(100, 0);
    for (int round = 1; round <= 200; ++round) {
      hands.each(round % 100, [&](std::size_t part) { ++done[part]; });
      hands.each(done.size(), [&](std::size_t part) { ++done[part]; });
    }
    for (std::size_t part = 0; part < done.size(); ++part) EXPECT_EQ(done[part], 200 + 2 * (99 - static_cast<int>(part))) << part;
  }
}

TEST(crew, a_copy_has_threads_of_its_own) {
  crew hands(2), others(hands);
  int sums[2] = {};
  others.each(2, [&](std::size_t part) { sums[part] = 1; });
  EXPECT_EQ(sums[0] + sums[1], 2);
  others = crew(3);
  EXPECT_EQ(others.threads(), 3u);
  others.each(2, [&](std::size_t part) { sums[part] = 2; });
  EXPECT_EQ(sums[0] + sums[1], 4);
}

/// A lattice, 1600 particles: six parts.
struct large_system {
  block_matrix3<double> a = lattice_matrix<double>(40, true, 0.1, block3<double>::identity());
  std::vector<double> right = random_vector<double>(a.size(), 5);
};

TEST(crew, products_are_those_of_one_thread) {
  const large_system s;
  std::vector<double> whole(s.a.size()), alone(s.a.size()), together(s.a.size());
  s.a.multiply(s.right, whole);
  for (const unsigned threads : {1u, 2u, 3u}) {
    crew hands(threads);
    parted_product<double> product(s.a);
    EXPECT_GT(product.bytes(), 0u) << "one part only: this tests nothing";
    std::vector<double>& y = threads == 1 ? alone : together;
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::fill(y.begin(), y.end(), 1e300);
      product(hands, s.a, s.right, y);
      ASSERT_EQ(alone, threads == 1 ? alone : together);
    }
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], whole[i], 1e-12) << i;
  }
}

TEST(crew, conjugate_gradients_are_those_of_one_thread) {
  const large_system s;
  block_jacobi<double> m(s.a);
  ASSERT_TRUE(m.factor(s.a));
  const auto solved = [&](unsigned threads) {
    crew hands(threads);
    conjugate_gradients<double> cg(s.a.size());
    std::vector<double> x(s.a.size(), 0.);
    EXPECT_TRUE(cg.solve(hands, s.a, std::span<const double>(s.right), std::span<double>(x), m, no_filter{}, {.relative = 1e-10}).converged());
    return x;
  };
  const auto alone = solved(1);
  EXPECT_EQ(alone, solved(2));
  EXPECT_EQ(alone, solved(3));
}

}  // namespace
