/// A span cut into steps of one length: how many, how long, and when.
#include <ensue/control/fixed_grid.hpp>

#include <ensue/numbers/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

using namespace ensue;

template <class T> struct grid_of : testing::Test {};
using plain_numbers = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(grid_of, plain_numbers);

TYPED_TEST(grid_of, parts_of_one_has_as_many_steps_as_parts) {
  using T = TypeParam;
  for (int n = 1; n <= 2000; ++n)
    for (const T end : {T(1), T(-1)}) {
      const auto grid = divide_span(T(0), end, T(1) / static_cast<T>(n), division::shorten_last);
      ASSERT_EQ(grid.count, n);
      EXPECT_EQ(grid.step, end / static_cast<T>(n));
      EXPECT_EQ(grid.last, grid.step);
    }
}

/// From anywhere, however late: where the end is a whole number of steps away but for the rounding of the two times, that
/// number it is. A step more would be one of no length, at a full step's price.
TYPED_TEST(grid_of, a_whole_number_of_steps_has_that_number) {
  using T = TypeParam;
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (int i = 0; i < 20'000; ++i) {
    const T size = static_cast<T>(mantissa(random) * std::exp2(static_cast<int>(random() % 20) - 10));
    const auto n = static_cast<std::int64_t>(random() % 1000 + 1);
    // up to a thousand spans away, but not so late that a step is no longer a hundred spacings of the clock
    T from = static_cast<T>(mantissa(random)) * size * static_cast<T>(random() % 1000) * static_cast<T>(n);
    if (random() % 2) from = -from;
    if (epsilon<T> * std::fabs(from) * 100 > size) from = 0;
    for (const int direction : {1, -1}) {
      const T to = grid_time(from, direction * n, size);
      for (const division how : {division::shorten_last, division::even})
        ASSERT_EQ(divide_span(from, to, size, how).count, n) << n << " steps of " << size << " from " << from;
    }
  }
}

/// A frame of a sixtieth in steps of half that, all day long.
TYPED_TEST(grid_of, a_frame_in_two_steps_has_two_steps_all_day) {
  using T = TypeParam;
  const T frame = T(1) / 60;
  const std::int64_t day = std::is_same_v<T, float> ? 60 * 60 : 60 * 60 * 60 * 24;
  for (std::int64_t n = 0; n < day; n += 1 + n / 1000) {
    const T from = grid_time(T(0), n, frame), to = grid_time(T(0), n + 1, frame);
    ASSERT_EQ(divide_span(from, to, frame / 2, division::shorten_last).count, 2) << "frame " << n;
    ASSERT_EQ(divide_span(from, to, frame, division::shorten_last).count, 1) << "frame " << n;
  }
}

TYPED_TEST(grid_of, a_step_that_does_not_fit_shortens_the_last) {
  using T = TypeParam;
  for (const T direction : {T(1), T(-1)}) {
    const auto grid = divide_span(T(0), direction, T(0.375), division::shorten_last);
    EXPECT_EQ(grid.count, 3);
    EXPECT_EQ(grid.step, T(0.375) * direction);
    EXPECT_EQ(grid.last, T(0.25) * direction);
    const auto longer = divide_span(T(0), direction, T(5), division::shorten_last);
    EXPECT_EQ(longer.count, 1);
    EXPECT_EQ(longer.last, direction);
  }
}

TYPED_TEST(grid_of, even_steps_is_the_nearest_count_of_equal_ones) {
  using T = TypeParam;
  const auto three = divide_span(T(0), T(1), T(0.375), division::even);
  EXPECT_EQ(three.count, 3);
  EXPECT_EQ(three.step, T(1) / 3);
  EXPECT_EQ(three.last, T(1) / 3);
  EXPECT_EQ(divide_span(T(0), T(1), T(0.41), division::even).count, 2);
  EXPECT_EQ(divide_span(T(0), T(1), T(7), division::even).count, 1);
  EXPECT_EQ(divide_span(T(0), T(-1), T(0.41), division::even).step, T(-0.5));
}

/// Whatever the numbers: as many full steps as fit, and a last one that is no longer than they are and leads to the end.
TYPED_TEST(grid_of, any_span_and_step_is_covered_once) {
  using T = TypeParam;
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> number(-10, 10);
  for (int i = 0; i < 20'000; ++i) {
    const T from = static_cast<T>(number(random)), to = static_cast<T>(number(random));
    const T size = static_cast<T>(std::fabs(number(random)) * 0.1 + 1e-3);
    const auto grid = divide_span(from, to, size, division::shorten_last);
    const T rounding = 64 * epsilon<T>;
    ASSERT_GE(grid.count, 1);
    EXPECT_EQ(grid.step, to > from ? size : -size);
    EXPECT_GT(grid.last * grid.step, 0);
    EXPECT_LE(std::fabs(grid.last), size * (1 + rounding));
    EXPECT_NEAR(grid_time(from, grid.count - 1, grid.step) + grid.last, to, 10 * rounding);
  }
}

TEST(grid, of_more_steps_than_can_be_counted_is_not_undefined) {
  const auto grid = divide_span(0., 1e300, 1e-300, division::shorten_last);
  EXPECT_GE(grid.count, std::int64_t{1} << 61);
}

/// n·h rounded once. In float, h itself is exact only in float: what counts is the product of the numbers as they are.
TEST(grid_time, rounds_once) {
  std::mt19937_64 random{13};
  for (int i = 0; i < 100'000; ++i) {
    const float start = static_cast<float>(random() % 1000) * 0.1f, h = 1.f / static_cast<float>(random() % 1000 + 1);
    const auto n = static_cast<std::int64_t>(random() % 1'000'000);
    const auto exact = static_cast<long double>(start) + static_cast<long double>(n) * static_cast<long double>(h);
    EXPECT_EQ(grid_time(start, n, h), static_cast<float>(exact));
    const double wide = static_cast<double>(h) / 3;
    const auto product = static_cast<long double>(n) * static_cast<long double>(wide);
    EXPECT_NEAR(static_cast<double>(grid_time(0., n, wide) - product), 0,
                0.51 * epsilon<double> * static_cast<double>(product));
  }
}

/// Every lane has the grid it has alone.
TEST(grid, of_a_pack_is_each_lanes_own) {
  using real = pack<double, 4>;
  const double froms[] = {0, 3, 1, 1000}, tos[] = {1, -2, 1.3, 1000.5}, sizes[] = {0.1, 0.3, 7, 0.25};
  real from, to, size;
  for (int l = 0; l < 4; ++l) set_lane(from, l, froms[l]), set_lane(to, l, tos[l]), set_lane(size, l, sizes[l]);
  for (const division how : {division::shorten_last, division::even}) {
    const fixed_grid<real> together(from, to, size, how);
    for (int l = 0; l < 4; ++l) {
      const auto alone = divide_span(froms[l], tos[l], sizes[l], how);
      EXPECT_EQ(lane(together.count, l), alone.count);
      EXPECT_EQ(lane(together.step, l), alone.step);
      EXPECT_EQ(lane(together.last, l), alone.last);
      for (const std::int64_t n : {0, 1, 2, 1'000'000})
        EXPECT_EQ(lane(together.time(n), l), grid_time(froms[l], n, alone.step));
    }
  }
}

}  // namespace
