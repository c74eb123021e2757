/// Block matrices, conjugate gradients and their preconditioners; GMRES and BiCGSTAB. How they end is part of the contract.
#include "linear/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/linear/bicgstab.hpp>
#include <ensue/linear/gmres.hpp>
#include <ensue/linear/krylov.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

/// A stiff direction in every spring and little across it, as a stretched spring has: u uᵀ + 0.05·I.
template <class T> block3<T> spring_block() {
  const T u[3] = {T(0.36), T(0.48), T(0.8)};
  block3<T> b = block3<T>::outer(u, T(1));
  b += block3<T>::identity(T(0.05));
  return b;
}

block_matrix3<double> random_matrix(std::size_t particles, std::uint64_t seed) {
  numbers random(seed);
  edge_list edges;
  for (std::size_t k = 0; k < 3 * particles; ++k) edges.emplace_back(random.below(particles), random.below(particles));
  block_matrix3<double> a(particles, edges);
  for (std::size_t i = 0; i < particles; ++i) {
    block3<double> b;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = r; c < 3; ++c) b(r, c) = b(c, r) = random();
    a.add_to_diagonal(i, b);
    a.add_to_diagonal(i, block3<double>::identity(30));
  }
  for (const auto& [i, j] : edges)
    if (i != j) {
      block3<double> b;
      for (double& element : b.elements) element = random();
      EXPECT_TRUE(a.add(i, j, b));
    }
  return a;
}

TEST(block_matrix, multiplies_as_its_blocks_say) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::size_t particles = 3 + 4 * seed;
    const auto a = random_matrix(particles, seed);
    const auto x = random_vector<double>(a.size(), 99);
    std::vector<double> y(a.size(), 1e30);
    a.multiply(x, y);
    for (std::size_t i = 0; i < particles; ++i) {
      double expected[3] = {};
      for (std::size_t j = 0; j < particles; ++j) add_product(a.block(i, j), x.data() + 3 * j, expected);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(y[3 * i + c], expected[c], 1e-13);
      for (std::size_t j = 0; j < particles; ++j) EXPECT_EQ(a.block(i, j).elements[1], a.block(j, i).elements[3]);
    }
  }
  block_matrix3<double> a(3, edge_list{{0, 1}});
  EXPECT_FALSE(a.add(0, 2, block3<double>::identity()));
  EXPECT_FALSE(a.add_spring(2, 1, block3<double>::identity()));
}

TEST(block, inverts_what_is_positive_definite) {
  block3<double> inverse;
  const double u[3] = {0.6, 0, 0.8};
  block3<double> stiff = block3<double>::outer(u, 1e9);
  stiff += block3<double>::identity();
  ASSERT_TRUE(invert_positive_definite(stiff, inverse));
  const double along[3] = {0.8, 0, -0.6};  // across the spring: eigenvalue 1
  double image[3] = {};
  add_product(inverse, along, image);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(image[c], along[c], 1e-6);
  EXPECT_FALSE(invert_positive_definite(block3<double>::outer(u, 1.), inverse));
  EXPECT_FALSE(invert_positive_definite(block3<double>::identity(-1), inverse));
  EXPECT_FALSE(invert_positive_definite(block3<double>::identity(std::numeric_limits<double>::quiet_NaN()), inverse));
  EXPECT_FALSE(invert_positive_definite(block3<double>::identity(std::numeric_limits<double>::infinity()), inverse));
}

/// On a chain there is no fill: IC(0) is the Cholesky factorisation and inverts A exactly.
TEST(incomplete_cholesky, is_complete_where_there_is_no_fill) {
  edge_list chain;
  for (std::size_t i = 0; i + 1 < 50; ++i) chain.emplace_back(i + 1, i);
  block_matrix3<double> a(50, chain);
  numbers random(5);
  for (const auto& [i, j] : chain) {
    block3<double> b;
    for (double& element : b.elements) element = random();
    a.add(i, j, b);
  }
  for (std::size_t i = 0; i < 50; ++i) a.add_to_diagonal(i, block3<double>::identity(6));
  incomplete_cholesky<double> m(a);
  ASSERT_TRUE(m.factor(a));
  EXPECT_EQ(m.enlargement(), 0);
  const auto x = random_vector<double>(150, 6);
  std::vector<double> b(150), z(150);
  a.multiply(x, b);
  m(std::span<const double>(b), z);
  for (std::size_t i = 0; i < 150; ++i) EXPECT_NEAR(z[i], x[i], 1e-14);
}

/// IC(0) reproduces A wherever A has blocks (Meijerink & van der Vorst): M e = A e at the blocks of the pattern, checked column by column.
TEST(incomplete_cholesky, agrees_with_the_matrix_on_its_pattern) {
  const auto a = lattice_matrix<double>(4, true, 1., spring_block<double>());
  incomplete_cholesky<double> m(a);
  ASSERT_TRUE(m.factor(a));
  const std::size_t n = a.size();
  std::vector<long double> inverse(n * n);
  std::vector<double> e(n), z(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(e.begin(), e.end(), 0.);
    e[j] = 1;
    m(std::span<const double>(e), z);
    for (std::size_t i = 0; i < n; ++i) inverse[i * n + j] = static_cast<long double>(z[i]);
  }
  bool fill = false;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<long double> unit(n, 0);
    unit[j] = 1;
    const auto column = reference_solution(inverse, unit);
    for (std::size_t i = 0; i < n; ++i) {
      const bool kept = i / 3 == j / 3 || a.position(std::min(i, j) / 3, std::max(i, j) / 3) != sparsity_pattern::absent;
      const double element = a.block(i / 3, j / 3)(i % 3, j % 3);
      if (kept) EXPECT_NEAR(static_cast<double>(column[i]), element, 1e-11) << i << ", " << j;
      else fill = fill || std::fabs(static_cast<double>(column[i])) > 1e-6;
    }
  }
  EXPECT_TRUE(fill) << "no fill: this matrix tests nothing";
}

template <class T, class Preconditioner>
krylov_result solve_lattice(std::size_t n, const block3<T>& b, T shift, double relative, std::vector<T>& x,
                            double* true_residual = nullptr) {
  const auto a = lattice_matrix<T>(n, true, shift, b);
  const auto right = random_vector<T>(a.size(), 17);
  Preconditioner m(a);
  EXPECT_TRUE(m.factor(a));
  conjugate_gradients<T> cg(a.size());
  x.assign(a.size(), T(0));
  const auto end = cg.solve(a, std::span<const T>(right), std::span<T>(x), m, no_filter{}, {.relative = relative});
  if (true_residual) {
    std::vector<T> ax(a.size());
    a.multiply(x, ax);
    for (std::size_t i = 0; i < ax.size(); ++i) ax[i] -= right[i];
    *true_residual = static_cast<double>(euclidean_norm<T>(ax) / euclidean_norm<T>(right));
  }
  return end;
}

/// Iterations depend on the stiffness, not on how many particles there are; IC(0) needs less than half of block Jacobi's.
TEST(conjugate_gradients, takes_the_same_iterations_on_large_lattices) {
  std::vector<double> x;
  double residual = 1;
  std::size_t jacobi[2], cholesky[2];
  const std::size_t sides[2] = {sanitized ? 40u : 100u, sanitized ? 60u : 300u};
  for (int k = 0; k < 2; ++k) {
    const auto one = solve_lattice<double, block_jacobi<double>>(sides[k], spring_block<double>(), 0.1, 1e-6, x, &residual);
    EXPECT_TRUE(one.converged());
    EXPECT_LE(residual, 1.01e-6);
    EXPECT_NEAR(one.residual, residual, 1e-9);
    const auto other = solve_lattice<double, incomplete_cholesky<double>>(sides[k], spring_block<double>(), 0.1, 1e-6, x, &residual);
    EXPECT_TRUE(other.converged());
    EXPECT_LE(residual, 1.01e-6);
    jacobi[k] = one.iterations, cholesky[k] = other.iterations;
    EXPECT_LT(2 * cholesky[k], jacobi[k]);
  }
  EXPECT_LE(jacobi[1], jacobi[0] + jacobi[0] / 10);
  EXPECT_LE(cholesky[1], cholesky[0] + cholesky[0] / 10 + 1);
  RecordProperty("block_jacobi", static_cast<int>(jacobi[0]));
  RecordProperty("incomplete_cholesky", static_cast<int>(cholesky[0]));
}

TEST(conjugate_gradients, reaches_round_off_and_repeats_itself_bit_for_bit) {
  std::vector<double> x, again;
  double residual = 1;
  using mixed = incomplete_cholesky<double, float>;
  EXPECT_TRUE((solve_lattice<double, mixed>(30, spring_block<double>(), 0.1, 1e-14, x, &residual)).converged());
  EXPECT_LT(residual, 2e-14);
  solve_lattice<double, mixed>(30, spring_block<double>(), 0.1, 1e-14, again);
  EXPECT_EQ(x, again);
  std::vector<float> single;
  EXPECT_TRUE((solve_lattice<float, block_jacobi<float>>(30, spring_block<float>(), 0.1f, 1e-5, single, &residual)).converged());
  EXPECT_LT(residual, 2e-5);
}

TEST(conjugate_gradients, says_why_it_ended) {
  const auto a = lattice_matrix<double>(10, false, 0.01, block3<double>::identity());
  const auto b = random_vector<double>(a.size(), 2);
  conjugate_gradients<double> cg(a.size());
  const auto run = [&](const auto& matrix, std::span<const double> right, krylov_options options = {}) {
    std::vector<double> x(a.size(), 0.);
    return cg.solve(matrix, right, std::span<double>(x), no_preconditioner{}, no_filter{}, options);
  };
  const auto short_of = run(a, b, {.max_iterations = 3});
  EXPECT_EQ(short_of.outcome, krylov_outcome::out_of_iterations);
  EXPECT_EQ(short_of.iterations, 3u);
  EXPECT_GT(short_of.residual, 1e-8);
  EXPECT_EQ(run(lattice_matrix<double>(10, false, -3., block3<double>::identity()), b).outcome, krylov_outcome::not_positive_definite);
  EXPECT_EQ(run(lattice_matrix<double>(10, false, 1., block3<double>::identity(std::nan(""))), b).outcome, krylov_outcome::breakdown);
  const std::vector<double> zero(a.size(), 0.);
  const auto nothing = run(a, zero);
  EXPECT_TRUE(nothing.converged());
  EXPECT_EQ(nothing.iterations, 0u);
  EXPECT_TRUE(run(a, b).converged()) << "a solver is as good as new after a failure";
  block_jacobi<double> m(a);
  EXPECT_FALSE(m.factor(lattice_matrix<double>(10, false, -30., block3<double>::identity())));
  incomplete_cholesky<double> ic(a);
  EXPECT_FALSE(ic.factor(lattice_matrix<double>(10, false, -30., block3<double>::identity())));
}

/// A pinned corner keeps what it was given, a particle on a table its height; the others solve their own equations, and the same is found
/// with the rows and columns taken out by hand.
TEST(constraint_filter, keeps_what_is_prescribed) {
  const auto a = lattice_matrix<double>(5, true, 0.5, spring_block<double>());
  const std::size_t n = a.size();
  const auto b = random_vector<double>(n, 4);
  constraint_filter<double> filter(25);
  filter.fix(0);
  filter.keep_in_plane(7, {0, 0, 2});
  filter.keep_on_line(12, {3, 0, 0});
  EXPECT_EQ(filter.count(), 3u);
  std::vector<double> x(n, 0.);
  x[0] = 1, x[1] = 2, x[2] = 3;
  x[3 * 7 + 2] = -1;
  const std::vector<std::size_t> held{0, 1, 2, 3 * 7 + 2, 3 * 12 + 1, 3 * 12 + 2};
  std::vector<long double> dense(n * n, 0), right(b.begin(), b.end());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) dense[i * n + j] = static_cast<long double>(a.block(i / 3, j / 3)(i % 3, j % 3));
  for (const std::size_t i : held) {
    for (std::size_t j = 0; j < n; ++j) dense[i * n + j] = i == j ? 1 : 0;
    right[i] = static_cast<long double>(x[i]);
  }
  const auto expected = reference_solution(dense, right);
  incomplete_cholesky<double> m(a);
  ASSERT_TRUE(m.factor(a));
  conjugate_gradients<double> cg(n);
  const auto end = cg.solve(a, std::span<const double>(b), std::span<double>(x), m, filter, {.relative = 1e-13});
  EXPECT_TRUE(end.converged());
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], static_cast<double>(expected[i]), 1e-11) << i;
  for (const std::size_t i : held) EXPECT_EQ(x[i], static_cast<double>(right[i])) << "to the bit";
}

}  // namespace
