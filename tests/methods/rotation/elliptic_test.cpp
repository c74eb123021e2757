/// Elliptic functions and Carlson's R_J against published values and their own identities.
#include <ensue/methods/rotation/elliptic.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace ensue;

// B. C. Carlson (1995), Numer. Algorithms 10, section 3: 14 digits. The middle one lies between p = x, y, z and p large.
TEST(carlson_rj, has_the_published_values) {
  EXPECT_NEAR(carlson_rj(0., 1., 2., 3.), 0.77688623778582, 1e-14);
  EXPECT_NEAR(carlson_rj(2., 3., 4., 5.), 0.14297579667157, 1e-14);
  EXPECT_DOUBLE_EQ(carlson_rj(4., 4., 4., 4.), 1. / 8);
  EXPECT_NEAR(carlson_rj(2.f, 3.f, 4.f, 5.f), 0.142975797f, 3e-8f);
}

// R_J(λx, …) = λ^(−3/2) R_J(x, …); R_J(1, 1, 1, 1 + w) = 3(1 − arctan(√w)/√w)/w.
TEST(carlson_rj, scales_and_reduces) {
  for (const long double w : {1e-3L, 1.L, 50.L, 1e6L})
    EXPECT_NEAR(static_cast<double>(carlson_rj(1.L, 1.L, 1.L, 1 + w) / (3 * (1 - std::atan(std::sqrt(w)) / std::sqrt(w)) / w)), 1, 1e-14) << w;
  for (long double w = 0.5L; w < 1e4L; w *= 1.07L)  // each with another remainder for the series
    EXPECT_LE(static_cast<double>(std::fabs(carlson_rj(1.L, 1.L, 1.L, 1 + w) / (3 * (1 - std::atan(std::sqrt(w)) / std::sqrt(w)) / w) - 1)), 3e-18)
        << static_cast<double>(w);
  EXPECT_NEAR(carlson_rj(0.2, 0.3, 1.1, 7.) / carlson_rj(0.2 * 9, 0.3 * 9, 1.1 * 9, 63.), 27, 1e-13);
}

TEST(elliptic_functions, have_the_published_values) {
  EXPECT_DOUBLE_EQ(elliptic_functions<double>(0.5).quarter(), 1.8540746773013719);  // DLMF 19.6, Γ(¼)²/(4√π)
  EXPECT_DOUBLE_EQ(elliptic_functions<double>(1).quarter(), std::acos(0.));
  // NIST DLMF 22.5: at K/2, sn² = 1/(1 + k').
  for (const double complement : {1., 0.9, 0.5, 0.01, 1e-10}) {
    const elliptic_functions<double> e(complement);
    const auto at = e(e.quarter() / 2);
    EXPECT_NEAR(at.sn * at.sn * (1 + std::sqrt(complement)), 1, 1e-15);
  }
}

TEST(elliptic_functions, satisfy_their_equations) {
  for (const long double complement : {1.L, 0.7L, 0.1L, 1e-6L, 1e-30L, 0.L})
    for (const long double part : {-0.99L, -0.3L, 1e-12L, 1e-4L, 0.2L, 0.5L, 0.9L, 1.L}) {
      const elliptic_functions<long double> e(complement);
      const long double u = part * std::min(e.quarter(), 20.L), k2 = 1 - complement;
      const auto at = e(u), on = e(u + 1e-5L), back = e(u - 1e-5L);
      EXPECT_NEAR(static_cast<double>(at.sn * at.sn + at.cn * at.cn), 1, 1e-18);
      EXPECT_NEAR(static_cast<double>(at.dn * at.dn + k2 * at.sn * at.sn), 1, 1e-18);
      EXPECT_NEAR(static_cast<double>((on.sn - back.sn) / 2e-5L), static_cast<double>(at.cn * at.dn), 1e-9);
      EXPECT_NEAR(static_cast<double>((on.dn - back.dn) / 2e-5L), static_cast<double>(-k2 * at.sn * at.cn), 1e-9);
    }
}

TEST(elliptic_functions, become_those_of_the_circle_and_of_the_hyperbola) {
  const elliptic_functions<double> circle(1), hyperbola(0);
  for (const double u : {-3., -1e-3, 0., 1e-200, 0.4, 1.5}) {
    EXPECT_NEAR(circle(u).sn, std::sin(u), 4e-16);
    EXPECT_NEAR(circle(u).cn, std::cos(u), 4e-16);
    EXPECT_NEAR(hyperbola(u).sn, std::tanh(u), 4e-16);
    EXPECT_NEAR(hyperbola(u).cn, 1 / std::cosh(u), 4e-16);
    EXPECT_NEAR(hyperbola(u).dn, 1 / std::cosh(u), 4e-16);
  }
}

}  // namespace
