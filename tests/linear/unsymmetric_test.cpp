/// GMRES and BiCGSTAB on operators that are not symmetric and are never written down.
#include "linear/support.hpp"

#include <ensue/linear/bicgstab.hpp>
#include <ensue/linear/gmres.hpp>

#include <gtest/gtest.h>

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

/// x' = D x'' + wind·x' on a ring, and the shift of an implicit step.
template <class T> struct convection {
  std::size_t n;
  T shift, wind;
  void operator()(std::span<const T> x, std::span<T> y) const {
    for (std::size_t i = 0; i < n; ++i) {
      const T left = x[(i + n - 1) % n], right = x[(i + 1) % n];
      y[i] = shift * x[i] + (T(2) * x[i] - left - right) + wind * (right - left);
    }
  }
  void multiply(std::span<const T> x, std::span<T> y) const { (*this)(x, y); }
};

/// Both solvers under one name.
template <class T> struct by_gmres {
  static auto make(std::size_t n) { return gmres<T>(n, 25); }
};
template <class T> struct by_bicgstab {
  static auto make(std::size_t n) { return bicgstab<T>(n); }
};
template <class Solver> struct unsymmetric : testing::Test {};
using solvers = testing::Types<by_gmres<double>, by_bicgstab<double>>;
TYPED_TEST_SUITE(unsymmetric, solvers);

TYPED_TEST(unsymmetric, converges_to_round_off) {
  const convection<double> a{400, 0.5, 0.7};
  const auto b = random_vector<double>(a.n, 1);
  auto solver = TypeParam::make(a.n);
  std::vector<double> x(a.n, 0.);
  const auto end = solver.solve(a, std::span<const double>(b), std::span<double>(x), no_preconditioner{}, {.relative = 1e-13});
  EXPECT_TRUE(end.converged());
  EXPECT_LE(end.residual, 1e-13);
  EXPECT_LT(backward_error(a, 6, x, b), 1e-13);
  std::vector<double> again(a.n, 0.);
  solver.solve(a, std::span<const double>(b), std::span<double>(again), no_preconditioner{}, {.relative = 1e-13});
  EXPECT_EQ(x, again) << "bit for bit";
}

/// A preconditioner that is the inverse is done after one step.
TYPED_TEST(unsymmetric, takes_a_preconditioner) {
  const std::size_t n = 50;
  const auto diagonal = [](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<double>(1 + i * i);
  };
  const auto inverse = [](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / static_cast<double>(1 + i * i);
  };
  const auto b = random_vector<double>(n, 1);
  auto solver = TypeParam::make(n);
  std::vector<double> x(n, 0.);
  const auto end = solver.solve(diagonal, std::span<const double>(b), std::span<double>(x), inverse, {.relative = 1e-12});
  EXPECT_TRUE(end.converged());
  EXPECT_LE(end.iterations, 2u);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i] * static_cast<double>(1 + i * i), b[i], 1e-12);
}

TYPED_TEST(unsymmetric, says_why_it_ended) {
  const convection<double> a{100, 0.001, 0.7};
  const auto b = random_vector<double>(a.n, 1);
  auto solver = TypeParam::make(a.n);
  std::vector<double> x(a.n, 0.);
  const auto cut = solver.solve(a, std::span<const double>(b), std::span<double>(x), no_preconditioner{}, {.max_iterations = 4});
  EXPECT_EQ(cut.outcome, krylov_outcome::out_of_iterations);
  EXPECT_EQ(cut.iterations, 4u);
  const auto singular = [](std::span<const double> v, std::span<double> y) {  // nothing reaches the last equation
    for (std::size_t i = 0; i + 1 < v.size(); ++i) y[i] = v[i] + v[i + 1];
    y[v.size() - 1] = 0;
  };
  std::fill(x.begin(), x.end(), 0.);
  EXPECT_EQ(solver.solve(singular, std::span<const double>(b), std::span<double>(x), no_preconditioner{}, {.max_iterations = 5000}).outcome,
            krylov_outcome::breakdown);
  const auto undefined = [](std::span<const double>, std::span<double> y) { std::fill(y.begin(), y.end(), std::nan("")); };
  std::fill(x.begin(), x.end(), 0.);
  EXPECT_EQ(solver.solve(undefined, std::span<const double>(b), std::span<double>(x)).outcome, krylov_outcome::breakdown);
  const std::vector<double> zero(a.n, 0.);
  std::fill(x.begin(), x.end(), 0.);
  const auto nothing = solver.solve(a, std::span<const double>(zero), std::span<double>(x));
  EXPECT_TRUE(nothing.converged());
  EXPECT_EQ(nothing.iterations, 0u);
}

/// In exact arithmetic n directions are enough, and each one lessens the residual.
TEST(gmres, ends_after_n_directions) {
  const std::size_t n = 12;
  std::vector<double> matrix = random_vector<double>(n * n, 3);
  const auto a = [&](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = 0;
      for (std::size_t j = 0; j < n; ++j) y[i] += matrix[i * n + j] * x[j];
    }
  };
  const auto b = random_vector<double>(n, 4);
  gmres<double> solver(n, n);
  std::vector<double> x(n, 0.);
  const auto end = solver.solve(a, std::span<const double>(b), std::span<double>(x), no_preconditioner{}, {.relative = 1e-11});
  EXPECT_TRUE(end.converged());
  EXPECT_LE(end.iterations, n);
  const auto expected = reference_solution({matrix.begin(), matrix.end()}, {b.begin(), b.end()});
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], static_cast<double>(expected[i]), 1e-9 * (1 + std::fabs(x[i])));
}

}  // namespace
