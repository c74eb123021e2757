// Compiled with -ffp-contract=off: packs must give the scalar's bits. The bounds are those stated in control/power.hpp.
#include <ensue/control/power.hpp>
#include <ensue/numbers/pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>

namespace {

using ensue::approximate_exp2;
using ensue::approximate_log2;
using ensue::exp2_for_step;
using ensue::log2_for_step;
using ensue::pack;
using ensue::power;

template <class T> struct PowerTest : ::testing::Test {
  static constexpr bool single = std::is_same_v<T, float>;
  static constexpr int samples = 2'000'000;
  static constexpr double largest_log = single ? 123 : 996;  // 1e37, 1e300

  std::mt19937_64 random{4};
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  void record(const char* name, double worst) {
    std::ostringstream text;
    text << worst;
    this->RecordProperty(std::string(name) + (single ? "_float" : "_double"), text.str());
  }
};
using scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PowerTest, scalars);

TYPED_TEST(PowerTest, Log2IsAccurateOverTheWholeRange) {
  using T = TypeParam;
  double worst_near = 0, worst_far = 0, worst_far_in_ulps = 0;
  for (int i = 0; i < TestFixture::samples; ++i) {
    const double range = i % 2 ? 16 : TestFixture::largest_log;
    const T x = static_cast<T>(std::exp2(this->between(-range, range)));
    const double exact = std::log2(static_cast<double>(x));
    const double error = std::abs(static_cast<double>(approximate_log2(x)) - exact);
    if (std::abs(exact) <= 16) worst_near = std::max(worst_near, error);
    worst_far = std::max(worst_far, error);
    const T size = std::abs(static_cast<T>(exact));
    if (size > 1) {
      const double ulp = std::nextafter(size, T(2000)) - size;
      worst_far_in_ulps = std::max(worst_far_in_ulps, error / ulp);
    }
  }
  this->record("log2_near_1", worst_near);
  this->record("log2_anywhere", worst_far);
  if constexpr (TestFixture::single) {
    EXPECT_LT(worst_near, 1.1e-6);
    EXPECT_LT(worst_far, 8e-6);
    EXPECT_LT(worst_far_in_ulps, 2);
  } else {
    EXPECT_LT(worst_far, 4.9e-8);
  }
  EXPECT_GT(worst_far, 4e-8) << "better than the polynomial can be: is the measurement sound?";
}

TYPED_TEST(PowerTest, Exp2IsAccurateOverTheWholeRange) {
  using T = TypeParam;
  double worst = 0;
  for (int i = 0; i < TestFixture::samples; ++i) {
    const double range = i % 2 ? 2 : 100;
    const T y = static_cast<T>(this->between(-range, range));
    const double exact = std::exp2(static_cast<double>(y));
    worst = std::max(worst, std::abs(static_cast<double>(approximate_exp2(y)) / exact - 1));
  }
  this->record("exp2", worst);
  EXPECT_LT(worst, TestFixture::single ? 1.8e-7 : 2.0e-9);
  EXPECT_GT(worst, 1e-9);
}

TYPED_TEST(PowerTest, PowersAreAccurate) {
  using T = TypeParam;
  double worst = 0;
  for (int i = 0; i < TestFixture::samples; ++i) {
    const T x = static_cast<T>(std::exp2(this->between(-30, 30)));
    const T p = static_cast<T>(this->between(-0.5, 0.5));
    const double exact = std::pow(static_cast<double>(x), static_cast<double>(p));
    worst = std::max(worst, std::abs(static_cast<double>(power(x, p)) / exact - 1));
  }
  this->record("power", worst);
  EXPECT_LT(worst, TestFixture::single ? 1.6e-6 : 2e-8);
}

TYPED_TEST(PowerTest, PowersOfTwoAreExactOrNearlySo) {
  using T = TypeParam;
  EXPECT_EQ(approximate_log2(T(1)), T(0));
  EXPECT_EQ(approximate_exp2(T(0)), T(1));
  EXPECT_EQ(approximate_exp2(-T(0)), T(1));
  EXPECT_EQ(power(T(1), T(-0.2)), T(1));
  EXPECT_EQ(power(T(123), T(0)), T(1));
  for (int e = -100; e <= 100; ++e) {
    EXPECT_EQ(approximate_log2(std::ldexp(T(1), e)), T(e));
    EXPECT_EQ(approximate_exp2(T(e)), std::ldexp(T(1), e));
  }
}

// A controller compares step sizes: no wiggles between neighbours, no jump where the exponent changes.
TYPED_TEST(PowerTest, NearlyMonotonic) {
  using T = TypeParam;
  const T slack = TestFixture::single ? T(1e-6) : T(1e-7);
  T x = T(0.125), previous = approximate_log2(x);
  for (int i = 0; i < 20000; ++i) {
    x *= T(1.0005);
    const T now = approximate_log2(x);
    EXPECT_GT(now, previous);
    previous = now;
  }
  for (const T boundary : {std::sqrt(T(0.5)), T(1), std::sqrt(T(2)), T(2)}) {
    const T below = approximate_log2(std::nextafter(boundary, T(0))), above = approximate_log2(boundary);
    EXPECT_NEAR(below, above, slack);
  }
  for (const T half : {T(-1.5), T(-0.5), T(0.5), T(1.5)}) {
    const T below = approximate_exp2(std::nextafter(half, T(-9))), above = approximate_exp2(std::nextafter(half, T(9)));
    EXPECT_NEAR(below / above, T(1), slack);
  }
}

TYPED_TEST(PowerTest, IsKnownToAThousandthForSteps) {
  using T = TypeParam;
  double worst_log2 = 0, worst_exp2 = 0;
  for (int i = 0; i < TestFixture::samples; ++i) {
    const T x = static_cast<T>(std::exp2(this->between(-TestFixture::largest_log, TestFixture::largest_log))), y = static_cast<T>(this->between(-100, 100));
    worst_log2 = std::max(worst_log2, std::abs(static_cast<double>(log2_for_step(x)) - std::log2(static_cast<double>(x))));
    worst_exp2 = std::max(worst_exp2, std::abs(static_cast<double>(exp2_for_step(y)) / std::exp2(static_cast<double>(y)) - 1));
  }
  this->record("log2_for_step", worst_log2);
  this->record("exp2_for_step", worst_exp2);
  EXPECT_LT(worst_log2, TestFixture::single ? 4.98e-3 : 4.95e-3);
  EXPECT_LT(worst_exp2, TestFixture::single ? 1.2e-4 : 7.5e-5);
  // What is not finite counts as at least infinite, and zero as less than anything.
  using limits = std::numeric_limits<T>;
  for (const T much : {limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()}) EXPECT_GT(log2_for_step(much), TestFixture::single ? T(127.9) : T(1023.9));
  EXPECT_LT(log2_for_step(T(0)), TestFixture::single ? T(-126.9) : T(-1022.9));
}

TYPED_TEST(PowerTest, NothingIsTooSmallTooLargeOrNotANumber) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  const T lowest = TestFixture::single ? T(-126) : T(-1022), highest = TestFixture::single ? T(128) : T(1024);
  EXPECT_EQ(approximate_log2(T(0)), lowest - 1);
  EXPECT_EQ(approximate_log2(-T(0)), lowest - 1);
  for (T tiny = limits::denorm_min(); tiny < limits::min(); tiny *= 2) {
    EXPECT_LT(approximate_log2(tiny), lowest);
    EXPECT_GE(approximate_log2(tiny), lowest - 1);
  }
  EXPECT_GE(approximate_log2(limits::infinity()), highest);
  // A NaN of either sign counts as infinite: x86 and CUDA differ in the sign of theirs.
  for (const T nan : {limits::quiet_NaN(), -limits::quiet_NaN(), std::copysign(limits::signaling_NaN(), T(-1))}) {
    EXPECT_GE(approximate_log2(nan), highest);
    EXPECT_LT(approximate_log2(nan), 2 * highest);
  }
  EXPECT_EQ(approximate_log2(T(-8)), T(3));
  for (const T p : {T(-0.98), T(-0.2), T(0.2), T(0.98)}) {
    for (const T x :
         {T(0), limits::denorm_min(), limits::min(), limits::max(), limits::infinity(), limits::quiet_NaN()}) {
      EXPECT_GT(power(x, p), T(0));
      EXPECT_LT(power(x, p), limits::infinity());
    }
    EXPECT_EQ(power(T(0), p) > 1, p < 0);
    EXPECT_EQ(power(limits::quiet_NaN(), p) > 1, p > 0);
  }
}

template <class T> using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T, int W> void expect_the_scalars_bits() {
  std::mt19937_64 random(W);
  const auto same = [](T a, T b) { return std::bit_cast<word<T>>(a) == std::bit_cast<word<T>>(b); };
  int different = 0;
  for (int repeat = 0; repeat < 20000 / W; ++repeat) {
    T x[W], y[W];
    for (int i = 0; i < W; ++i) {
      x[i] = std::bit_cast<T>(static_cast<word<T>>(random()));  // of every size and sign, NaNs too
      y[i] = std::uniform_real_distribution<T>(-100, 100)(random);
    }
    const auto logs = approximate_log2(pack<T, W>::load(x));
    const auto powers_of_two = approximate_exp2(pack<T, W>::load(y));
    const auto powers = power(pack<T, W>::load(x), 0.2);
    for (int i = 0; i < W; ++i) {
      different += !same(logs[i], approximate_log2(x[i]));
      different += !same(powers_of_two[i], approximate_exp2(y[i]));
      different += !same(powers[i], power(x[i], T(0.2)));
    }
  }
  EXPECT_EQ(different, 0) << "width " << W;
}

TYPED_TEST(PowerTest, PacksGiveTheScalarsBits) {
  expect_the_scalars_bits<TypeParam, 1>();
  expect_the_scalars_bits<TypeParam, 2>();
  expect_the_scalars_bits<TypeParam, 4>();
  expect_the_scalars_bits<TypeParam, 8>();
  expect_the_scalars_bits<TypeParam, 16>();
  expect_the_scalars_bits<TypeParam, 32>();
}

TEST(PowerOfLongDouble, IsThatOfDouble) {
  for (const long double x : {1e-30L, 0.3L, 1.0L, 7.0L, 1e30L}) {
    EXPECT_EQ(approximate_log2(x), static_cast<long double>(approximate_log2(static_cast<double>(x))));
    EXPECT_EQ(power(x, 0.2L),
              static_cast<long double>(approximate_exp2(static_cast<double>(0.2L * approximate_log2(x)))));
  }
  static_assert(std::is_same_v<decltype(approximate_log2(1.0L)), long double>);
  static_assert(std::is_same_v<decltype(power(1.0L, 1)), long double>);
  EXPECT_EQ(approximate_log2(1e-4000L), -1023.0L);  // beyond double: as zero
}

}  // namespace
