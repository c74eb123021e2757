/// Solvers of (re + i·im)·I − J: dense, of fixed and dynamic size, and over a pattern.
#include <ensue/linear/complex_forms.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

namespace {

using namespace ensue::linear;
using number = std::complex<double>;

/// ‖(σ − J)x − b‖ for what the solver makes of b.
template <class Solver, class Matrix> double residual(Solver solver, const Matrix& j, number sigma, const std::vector<std::vector<double>>& full) {
  const std::size_t n = full.size();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> re(n), im(n);
  for (std::size_t i = 0; i < n; ++i) re[i] = any(random), im[i] = any(random);
  const auto b = [re, im](std::size_t i) { return number(re[i], im[i]); };
  EXPECT_TRUE(solver.factor_shifted(j, sigma.real(), sigma.imag()));
  std::vector<double> x = re, y = im;
  solver.solve(x, y);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    number sum = sigma * number(x[i], y[i]) - b(i);
    for (std::size_t k = 0; k < n; ++k) sum -= full[i][k] * number(x[k], y[k]);
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

std::vector<std::vector<double>> random_matrix(std::size_t n, std::size_t band) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-10, 10);
  std::vector<std::vector<double>> full(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) full[i][j] = i <= j + band && j <= i + band ? any(random) : 0;
  return full;
}

TEST(complex_solvers, solve_dense_systems) {
  constexpr std::size_t n = 5;
  const auto full = random_matrix(n, n);
  dense_matrix<double, n> fixed;
  dense_matrix<double> dynamic(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) fixed(i, j) = dynamic(i, j) = full[i][j];
  for (const number sigma : {number(1, 2), number(0, 1e-3), number(1e6, -3e6)}) {
    EXPECT_LT(residual(complex_dense_lu<double, n>(), fixed, sigma, full), 1e-12) << sigma;
    EXPECT_LT(residual(complex_dense_lu<double>(n), dynamic, sigma, full), 1e-12) << sigma;
  }
}

TEST(complex_solvers, solve_bands_and_patterns) {
  constexpr std::size_t n = 40;
  const auto full = random_matrix(n, 2);
  banded_form<double> band(n, {2, 2});
  patterned_form<double> pattern(sparsity_pattern::banded(n, 2, 2));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i > 2 ? i - 2 : 0; j < n && j <= i + 2; ++j) band.matrix()(i, j) = pattern.matrix()(i, j) = full[i][j];
  for (const number sigma : {number(1, 2), number(30, 70)}) {
    EXPECT_LT(residual(complex_solver_of(band), band.matrix(), sigma, full), 1e-11) << sigma;
    EXPECT_LT(residual(complex_solver_of(pattern), pattern.matrix(), sigma, full), 1e-11) << sigma;
  }
}

TEST(complex_solvers, say_where_a_matrix_is_singular) {
  // [0 −1; 1 0] has the eigenvalues ±i
  dense_matrix<double, 2> j;
  j.clear();
  j(0, 1) = -1, j(1, 0) = 1;
  complex_dense_lu<double, 2> lu;
  EXPECT_FALSE(lu.factor_shifted(j, 0., 1.));
  EXPECT_EQ(lu.singular_at(), 1u);
  EXPECT_TRUE(lu.factor_shifted(j, 0., 2.));
}

}  // namespace
