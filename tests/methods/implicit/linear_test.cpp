/// Dense LU: solutions, singular matrices, pivots; and the checker of Jacobians.
#include <ensue/model/check_jacobian.hpp>
#include <ensue/linear/dense.hpp>
#include <ensue/linear/forms.hpp>
#include <ensue/models/stiff.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace ensue;
using linear::dense_lu;
using linear::dense_matrix;

template <std::size_t N> void expect_solutions_of_random_matrices(std::size_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 50; ++trial) {
    dense_matrix<double, N> a(n);
    std::vector<double> x(n), b(n, 0.), shifted(n, 0.);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a(i, j) = (i + j) % 3 == 0 ? 0 : number(random);  // zeros, on the diagonal as well
    for (std::size_t i = 0; i < n; ++i) a(i, (i + 1) % n) += 4;                             // regular, and pivoting is needed
    for (double& one : x) one = number(random);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) b[i] += a(i, j) * x[j];
      shifted[i] = 9 * x[i] - b[i];
    }
    dense_lu<double, N> lu(n);
    ASSERT_TRUE(lu.factor(a));
    lu.solve(b);
    ASSERT_TRUE(lu.factor_shifted(a, 9));
    lu.solve(shifted);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(b[i], x[i], 1e-13) << n << " unknowns, trial " << trial;
      EXPECT_NEAR(shifted[i], x[i], 1e-13) << n << " unknowns, trial " << trial;
    }
  }
}

TEST(dense_lu, solves_of_fixed_and_of_dynamic_size) {
  expect_solutions_of_random_matrices<1>(1);
  expect_solutions_of_random_matrices<2>(2);
  expect_solutions_of_random_matrices<5>(5);
  for (const std::size_t n : {1, 2, 3, 8, 40}) expect_solutions_of_random_matrices<0>(n);
}

TEST(dense_lu, pivots_where_elimination_in_order_would_lose_everything) {
  dense_matrix<double, 2> a(2);
  a(0, 0) = 1e-20, a(0, 1) = 1, a(1, 0) = 1, a(1, 1) = 1;
  dense_lu<double, 2> lu(2);
  double b[] = {1, 2};
  ASSERT_TRUE(lu.factor(a));
  lu.solve(b);
  EXPECT_DOUBLE_EQ(b[0], 1);
  EXPECT_DOUBLE_EQ(b[1], 1);
}

TEST(dense_lu, says_where_a_matrix_is_singular) {
  dense_matrix<double> a(3);
  for (std::size_t i = 0; i < 3; ++i) a(i, 0) = 1. + static_cast<double>(i), a(i, 1) = 2 * a(i, 0), a(i, 2) = i == 0 ? 5 : -1;
  dense_lu<double> lu(3);
  EXPECT_FALSE(lu.factor(a)) << "the second column is twice the first";
  EXPECT_EQ(lu.singular_at(), 1u);
  a(1, 1) += 1;
  EXPECT_TRUE(lu.factor(a));
  a(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factor(a));
  a.clear();
  EXPECT_FALSE(lu.factor(a));
  EXPECT_EQ(lu.singular_at(), 0u);
  for (std::size_t i = 0; i < 3; ++i) a(i, i) = 2;
  EXPECT_FALSE(lu.factor_shifted(a, 2));
  EXPECT_TRUE(lu.factor_shifted(a, 3));
}

// The checker.

/// x₀' = −k x₀ x₁ + sin t, x₁' = x₀³ t. One entry, or a time derivative, can be wrong.
struct driven {
  double k = 3;
  int wrong = -1;

  template <class X> void operator()(double t, const X& x, X& dx) const {
    dx[0] = -k * x[0] * x[1] + std::sin(t);
    dx[1] = x[0] * x[0] * x[0] * t;
  }
  template <class X, class J> void jacobian(double t, const X& x, J& j) const {
    j(0, 0) = -k * x[1];
    j(0, 1) = -k * x[0];
    j(1, 0) = 3 * x[0] * x[0] * t;
    if (wrong >= 0 && wrong < 4) j(wrong / 2, wrong % 2) += 0.01;
  }
  template <class X> void time_derivative(double t, const X& x, X& ft) const {
    ft[0] = std::cos(t);
    ft[1] = x[0] * x[0] * x[0];
    if (wrong >= 4) ft[wrong - 4] *= 1.01;
  }
};

TEST(check_jacobian, finds_nothing_wrong_with_a_right_one) {
  for (const double size : {1., 1e-6, 1e6}) {
    const auto found = check_jacobian(driven{}, 0.7, vec{0.8 * size, -0.3 * size});
    EXPECT_TRUE(found.agrees()) << found.message() << ", states of size " << size;
  }
  EXPECT_TRUE(check_jacobian(driven{}, 0.7, vec{0., 0.}).agrees());
}

TEST(check_jacobian, names_the_wrong_entry) {
  for (int wrong = 0; wrong < 6; ++wrong) {
    const auto found = check_jacobian(driven{.wrong = wrong}, 0.7, vec{0.8, -0.3});
    EXPECT_FALSE(found.agrees());
    EXPECT_EQ(found.row, wrong < 4 ? wrong / 2 : wrong - 4);
    EXPECT_EQ(found.column, wrong < 4 ? wrong % 2 : jacobian_difference::time);
  }
  const auto found = check_jacobian(driven{.wrong = 2}, 0.7, std::vector{0.8, -0.3});
  EXPECT_NEAR(found.theirs - found.ours, 0.01, 1e-8);
  EXPECT_NE(found.message().find("row 1, column 0: jacobian says 1.354"), std::string::npos) << found.message();
}

/// f' by duals and by differences, of a state with components from 1 to 1e-9.
TEST(differentiator, finds_the_same_by_duals_and_by_differences) {
  using model = models::rober<double>;
  const auto plain = [](double t, const auto& x, auto& dx) { model{}(t, x, dx); };
  using state = vec<double, 3>;
  for (const state& x : {state{1., 0., 0.}, state{0.5, 1e-5, 0.5}, state{1e-3, 1e-9, 1.}}) {
    state f0, argument, result;
    model{}(0., x, f0);
    differentiator<state> by_duals(x), by_differences(x);
    linear::dense_form<double, 3> exactly(3), nearly(3);
    run_statistics<std::int64_t> spent;
    model exact;
    auto differenced = plain;
    EXPECT_EQ(by_duals.compute(exact, 0, 1e-3, x, f0, spent, argument, result, exactly), report::nowhere);
    EXPECT_EQ(spent.evaluations, 0);
    EXPECT_EQ(by_differences.compute(differenced, 0, 1e-3, x, f0, spent, argument, result, nearly), report::nowhere);
    EXPECT_EQ(spent.evaluations, 4);
    EXPECT_EQ(spent.jacobians, 2);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(nearly.matrix()(i, j), exactly.matrix()(i, j), 1e-5 * std::abs(exactly.matrix()(i, j)) + 1e-2)
            << i << ", " << j;
  }
}

}  // namespace
