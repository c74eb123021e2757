#include <ensue/methods/explicit/stability.hpp>

#include <ensue/methods/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace {

using namespace ensue;

static_assert(real_stability_interval(rk4::table) > 2.785, "usable as a constant");

template <class Table> std::complex<long double> amplification(const Table& table, std::complex<long double> z) {
  const auto r = stability_polynomial_of(table);
  std::complex<long double> sum = 0;
  for (int k = r.degree; k >= 0; --k) sum = sum * z + r.coefficients[k];
  return sum;
}

template <class Method> struct stability : testing::Test {};
TYPED_TEST_SUITE(stability, tests::typed<tests::all_methods>);

/// R is what one step makes of x' = zx, x = 1, computed stage by stage.
TYPED_TEST(stability, polynomial_is_a_step_of_the_test_equation) {
  const auto& table = TypeParam::table;
  const std::complex<long double> z(-0.7L, 0.4L);
  std::complex<long double> k[table.stages], x = 1;
  for (int i = 0; i < table.stages; ++i) {
    std::complex<long double> at = 1;
    for (int j = 0; j < i; ++j) at += table.a[i][j] * k[j];
    k[i] = z * at;
    x += table.b[i] * k[i];
  }
  EXPECT_LT(std::abs(x - amplification(table, z)), 1e-15L);
}

TYPED_TEST(stability, polynomial_is_exp_up_to_the_order) {
  const auto r = stability_polynomial_of(TypeParam::table);
  long double factorial = 1;
  for (int k = 0; k <= TypeParam::table.order; factorial *= ++k)
    EXPECT_NEAR(r.coefficients[k] * factorial, 1, 1e-14L) << "z^" << k;
}

TYPED_TEST(stability, real_interval_ends_where_growth_begins) {
  const auto& table = TypeParam::table;
  const double end = real_stability_interval(table);
  ASSERT_GE(end, 2);
  for (int i = 0; i <= 10000; ++i) {
    const long double y = (end - 1e-9L) * i / 10000;
    ASSERT_LE(std::abs(amplification(table, -y)), 1 + 1e-15L) << "y = " << y;
  }
  EXPECT_GT(std::abs(amplification(table, -(end + 1e-9L))), 1);
}

TYPED_TEST(stability, imaginary_interval_ends_where_growth_begins) {
  const auto& table = TypeParam::table;
  const double end = imaginary_stability_interval(table);
  for (int i = 0; i <= 10000 && end > 0; ++i) {
    const long double y = (end - 1e-9L) * i / 10000;
    ASSERT_LE(std::abs(amplification(table, {0, y})), 1 + 1e-17L) << "y = " << y;
  }
  EXPECT_GT(std::abs(amplification(table, {0, end + (end > 0 ? 1e-9L : 0.3L)})), 1);
}

TYPED_TEST(stability, is_the_same_at_run_time) {
  const runtime_tableau table = runtime_tableau::from(TypeParam::table);
  EXPECT_EQ(real_stability_interval(table), real_stability_interval(TypeParam::table));
  EXPECT_EQ(imaginary_stability_interval(table), imaginary_stability_interval(TypeParam::table));
}

/// Hairer & Wanner, Solving ODEs II, IV.2, and for the imaginary axis the roots by hand: the classical method has
/// |R(iy)|² = 1 − y⁶/72 + y⁸/576, any third-order one of three stages 1 − y⁴/12 + y⁶/36.
TEST(stability_interval, has_the_known_values) {
  EXPECT_NEAR(real_stability_interval(euler::table), 2, 1e-10);
  EXPECT_NEAR(real_stability_interval(midpoint::table), 2, 1e-10);
  EXPECT_NEAR(real_stability_interval(bs32::table), 2.512745326618329, 1e-10);
  EXPECT_NEAR(real_stability_interval(rk4::table), 2.785293563405282, 1e-10);
  EXPECT_NEAR(real_stability_interval(dp54::table), 3.3066, 1e-4);
  EXPECT_NEAR(imaginary_stability_interval(bs32::table), std::sqrt(3.0), 1e-10);
  EXPECT_NEAR(imaginary_stability_interval(rk4::table), std::sqrt(8.0), 1e-10);
}

/// |R(iy)|² = 1 + y² and 1 + y⁴/4: growth too small to see near 0, and growth all the same.
TEST(stability_interval, is_empty_where_growth_is_only_small) {
  EXPECT_EQ(imaginary_stability_interval(euler::table), 0);
  EXPECT_EQ(imaginary_stability_interval(midpoint::table), 0);
  EXPECT_EQ(imaginary_stability_interval(heun::table), 0);
}

/// Two half steps of rk4 are as stable as twice the step.
TEST(stability_interval, doubles_with_step_doubling) {
  EXPECT_NEAR(real_stability_interval(doubling<rk4>::table), 2 * real_stability_interval(rk4::table), 1e-9);
  EXPECT_NEAR(imaginary_stability_interval(doubling<rk4>::table), 2 * imaginary_stability_interval(rk4::table), 1e-9);
}

/// T_s(1 + z/s²) touches ±1 inside and reaches 2s², the most any polynomial can.
TEST(stability_interval, passes_over_a_touch) {
  std::vector<long double> before = {1}, chebyshev = {1, 1.0L / 25};
  for (int n = 2; n <= 5; ++n) {
    std::vector<long double> next(n + 1, 0.0L);
    for (std::size_t k = 0; k < chebyshev.size(); ++k) {
      next[k] += 2 * chebyshev[k];
      next[k + 1] += 2 * chebyshev[k] / 25;
    }
    for (std::size_t k = 0; k < before.size(); ++k) next[k] -= before[k];
    before = chebyshev;
    chebyshev = next;
  }
  std::vector<long double> room(6);
  EXPECT_NEAR(static_cast<double>(detail::real_interval(chebyshev.data(), 5, room.data())), 50, 1e-9);
}

TEST(stability_interval, sees_a_hump_between_two_points_of_the_scan) {
  const long double hump[] = {1e-6L - 1.03L * 1.03L, 2 * 1.03L, -1};  // 1e-6 − (x − 1.03)²
  EXPECT_NEAR(static_cast<double>(detail::first_positive(hump, 2, 100)), 1.029, 1e-10);
}

TEST(stability_interval, needs_a_method) {
  const runtime_tableau inconsistent{.c = {0}, .a = {{}}, .b = {0.5L}, .embedded = {}, .dense = {}};
  EXPECT_EQ(real_stability_interval(inconsistent), 0);
  EXPECT_EQ(imaginary_stability_interval(inconsistent), 0);
  const runtime_tableau implicit{.c = {1}, .a = {{1}}, .b = {1}, .embedded = {}, .dense = {}};
  EXPECT_TRUE(std::isnan(real_stability_interval(implicit)));
}

}  // namespace
