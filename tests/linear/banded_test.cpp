/// Banded LU: against a plain reference, at round-off, with pivots that must be exchanged, and refused where singular.
#include "linear/support.hpp"

#include <ensue/linear/banded.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

template <class T> banded_matrix<T> random_band(std::size_t n, std::size_t lower, std::size_t upper, std::uint64_t seed) {
  numbers random(seed);
  banded_matrix<T> a(n, lower, upper);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (a.holds(i, j)) a(i, j) = static_cast<T>(random());
  return a;
}

template <class T> double norm(const banded_matrix<T>& a) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j)
      if (a.holds(i, j)) sum += std::fabs(static_cast<double>(a(i, j)));
    largest = std::fmax(largest, sum);
  }
  return largest;
}

template <class T> std::vector<long double> dense_copy(const banded_matrix<T>& a, T shift, T scale) {
  std::vector<long double> dense(a.size() * a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j)
      dense[i * a.size() + j] = static_cast<long double>((a.holds(i, j) ? scale * a(i, j) : T(0)) + (i == j ? shift : T(0)));
  return dense;
}

template <class T> struct banded : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(banded, scalars);

/// Every pair of bandwidths, those that are unrolled among them, and bands wider than the matrix.
TYPED_TEST(banded, agrees_with_the_reference) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 5u, 23u})
    for (std::size_t lower = 0; lower <= 5; ++lower)
      for (std::size_t upper = 0; upper <= 5; ++upper) {
        const auto a = random_band<T>(n, lower, upper, 100 * n + 10 * lower + upper);
        const auto b = random_vector<T>(n, 7);
        const auto expected = reference_solution(dense_copy<T>(a, T(3), T(-1)), {b.begin(), b.end()});
        banded_lu<T> lu(n, lower, upper);
        ASSERT_TRUE(lu.factor_shifted(a, T(3)));
        auto x = b;
        lu.solve(x);
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_NEAR(x[i], static_cast<double>(expected[i]), 2e3 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(x[i])))
              << "n " << n << " lower " << lower << " upper " << upper << " element " << i;
      }
}

TYPED_TEST(banded, leaves_residuals_at_round_off) {
  using T = TypeParam;
  for (const auto& [lower, upper] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 2}, {3, 3}, {4, 4}, {2, 5}, {7, 1}, {20, 20}}) {
    const std::size_t n = 500;
    const auto a = random_band<T>(n, lower, upper, 11);  // no dominant diagonal: without exchanges, digits are lost
    banded_lu<T> lu(n, lower, upper);
    ASSERT_TRUE(lu.factor(a));
    const auto b = random_vector<T>(n, 3);
    auto x = b;
    lu.solve(x);
    EXPECT_LT(backward_error(a, norm(a), x, b), 20 * std::numeric_limits<T>::epsilon()) << lower << ", " << upper;
  }
}

/// A zero in the first pivot's place, and one that is 10¹² times too small (by hand: x = (1, 1, 1) to round-off).
TYPED_TEST(banded, exchanges_rows_where_it_must) {
  using T = TypeParam;
  for (const T tiny : {T(0), std::numeric_limits<T>::epsilon() * T(1e-4)}) {
    banded_matrix<T> a(3, 1, 1);
    a(0, 0) = tiny, a(0, 1) = 1;
    a(1, 0) = 1, a(1, 1) = 1, a(1, 2) = 1;
    a(2, 1) = 1, a(2, 2) = 2;
    std::vector<T> x{tiny + T(1), T(3), T(3)};
    banded_lu<T> lu(3, 1, 1);
    ASSERT_TRUE(lu.factor(a));
    lu.solve(x);
    for (const T value : x) EXPECT_NEAR(value, 1, 8 * std::numeric_limits<T>::epsilon());
  }
}

/// Unknowns in other units, from 2⁻⁵⁰ to 2⁵⁰ of the first: pivots are chosen within a column, so that the solution is the same in those
/// units to the last bit. Rows scaled as badly may cost digits of x, never of the residual.
TYPED_TEST(banded, survives_bad_scales) {
  using T = TypeParam;
  const std::size_t n = 200;
  const auto plain = random_band<T>(n, 2, 2, 5);
  auto columns = plain, rows = plain;
  const auto scale = [](std::size_t i) { return std::ldexp(T(1), static_cast<int>(i * 37 % 101) - 50); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (plain.holds(i, j)) columns(i, j) *= scale(j), rows(i, j) *= scale(i);
  const auto b = random_vector<T>(n, 6);
  auto x = b, y = b, z = b;
  banded_lu<T> lu(n, 2, 2);
  ASSERT_TRUE(lu.factor(plain));
  lu.solve(x);
  ASSERT_TRUE(lu.factor(columns));
  lu.solve(y);
  for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(y[j] * scale(j), x[j]);
  ASSERT_TRUE(lu.factor(rows));
  lu.solve(z);
  EXPECT_LT(backward_error(rows, norm(rows), z, b), 20 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(banded, refuses_singular_matrices) {
  using T = TypeParam;
  const std::size_t n = 20;
  banded_lu<T> lu(n, 1, 1);
  banded_matrix<T> a(n, 1, 1);
  EXPECT_FALSE(lu.factor(a));
  EXPECT_EQ(lu.singular_at(), 0u);
  for (std::size_t i = 0; i < n; ++i) {  // springs with both ends free: the sum of all columns is zero
    a(i, i) = i == 0 || i == n - 1 ? T(1) : T(2);
    if (i > 0) a(i, i - 1) = -1;
    if (i + 1 < n) a(i, i + 1) = -1;
  }
  EXPECT_FALSE(lu.factor(a));
  EXPECT_EQ(lu.singular_at(), n - 1);
  EXPECT_TRUE(lu.factor_shifted(a, T(-1)));
  EXPECT_EQ(lu.singular_at(), nowhere);
  a(7, 7) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_FALSE(lu.factor(a));
  a(7, 7) = std::numeric_limits<T>::infinity();
  EXPECT_FALSE(lu.factor(a));
  EXPECT_FALSE(lu.factor(banded_matrix<T>(n, 2, 1))) << "a band wider than the memory";
}

/// What is written outside the matrix, in the corners of the storage, does not count: not even a NaN.
TEST(banded_corners, do_not_matter) {
  for (const std::size_t lower : {3u, 2u}) {  // any band, and one that is unrolled
    auto a = random_band<double>(9, lower, 2, 1);
    banded_lu<double> lu(9, lower, 2);
    const auto b = random_vector<double>(9, 2);
    ASSERT_TRUE(lu.factor(a));
    auto x = b, y = b;
    lu.solve(x);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < a.width(); ++k)
        if (i + k < lower || i + k >= 9 + lower) a.row(i)[k] = std::numeric_limits<double>::quiet_NaN();
    ASSERT_TRUE(lu.factor(a));
    lu.solve(y);
    EXPECT_EQ(x, y);
  }
}

}  // namespace
