// Roots, sines and cosines of our own: how wrong they are, and that lanes agree with one number.
#include <ensue/numbers/pack.hpp>
#include <ensue/numbers/reciprocal_root.hpp>
#include <ensue/numbers/sine_and_cosine.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ensue::tests {
namespace {

TEST(reciprocal_root, of_floats_is_right_to_six_digits) {
  double worst = 0;
  for (float x = 1; x < 4; x = std::nextafter(x, 5.f) + 3e-6f) {  // the error repeats with every factor of 4
    worst = std::fmax(worst, std::fabs(double(reciprocal_root(x)) * std::sqrt(double(x)) - 1));
  }
  EXPECT_LT(worst, 2.5e-7);
  for (const float x : {1e-30f, 3e-5f, 7.f, 1e30f}) EXPECT_NEAR(double(reciprocal_root(x)) * std::sqrt(double(x)), 1, 2.5e-7);
  EXPECT_EQ(reciprocal_root(16.), 0.25);
}

template <class T> void expect_same_in_lanes(T most) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<T> angle(-most, most);
  for (int n = 0; n < 200; ++n) {
    T x[8];
    for (T& each : x) each = angle(random);
    const auto lanes = pack<T, 8>::load(x);
    const auto both = sine_and_cosine(lanes);
    const auto root = reciprocal_root(lanes * lanes + 1);
    for (int l = 0; l < 8; ++l) {
      ASSERT_EQ(both.sine[l], sine_and_cosine(x[l]).sine) << x[l];
      ASSERT_EQ(both.cosine[l], sine_and_cosine(x[l]).cosine) << x[l];
      ASSERT_EQ(root[l], reciprocal_root(x[l] * x[l] + 1)) << x[l];
    }
  }
}

TEST(sine_and_cosine, are_the_same_in_lanes) {
  expect_same_in_lanes<double>(50);
  expect_same_in_lanes<double>(4e6);  // some of them beyond what the polynomials are for
  expect_same_in_lanes<float>(50);
  expect_same_in_lanes<float>(2e4f);
}

template <class T> T worst_units(T most) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> angle(-most, most);
  T worst = 0;
  for (int n = 0; n < 100'000; ++n) {
    const T x = n == 0 ? T(0) : angle(random);
    const auto [sine, cosine] = sine_and_cosine(x);
    const long double exact = x;
    worst = std::fmax(worst, T(std::fabs(sine - std::sin(exact)) / std::numeric_limits<T>::epsilon()));
    worst = std::fmax(worst, T(std::fabs(cosine - std::cos(exact)) / std::numeric_limits<T>::epsilon()));
  }
  return worst;
}

TEST(sine_and_cosine, are_right_to_the_last_digit) {
  EXPECT_LT(worst_units(10.), 0.9);
  EXPECT_LT(worst_units(1e6), 0.9);
  EXPECT_LT(worst_units(10.f), 0.8f);
  EXPECT_LT(worst_units(8000.f), 0.8f);
}

TEST(sine_and_cosine, of_no_number_are_none) {
  EXPECT_TRUE(std::isnan(sine_and_cosine(std::numeric_limits<double>::infinity()).sine));
  EXPECT_TRUE(std::isnan(sine_and_cosine(std::numeric_limits<float>::quiet_NaN()).cosine));
}

}  // namespace
}  // namespace ensue::tests
