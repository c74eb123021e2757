// Strokes read from bytes, and bytes that are none.
#include "sculpting/stroke.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ensue::tests {
namespace {

/// The bytes of a stroke of two poses, to be spoilt.
struct stroke_bytes {
  std::string bytes;

  stroke_bytes() {
    add(std::uint32_t{0});
    add(std::uint32_t{2});
    for (const float x :
         {1.f, 2.f, 3.f, 0.f, 0.f, 0.f, 2.f / 1.5f, 1.f, 332.5f, 4.f, 5.f, 6.f, 1.f, 0.f, 0.f, 0.f, 2.f, 333.f, 0.01f, 0.1f})
      add(x);
    add(std::uint32_t{1});
    add(1.f);
    add(0.4f);
  }
  template <class Number> void add(Number value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(word >> (8 * i));
  }
  template <class Number> std::string with(std::size_t at, Number value) const {
    stroke_bytes one;
    one.bytes.clear();
    one.add(value);
    return std::string(bytes).replace(at, 4, one.bytes);
  }
};

std::string complaint(const std::string& bytes) {
  try {
    stroke_of(bytes, "it");
  } catch (const file_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(stroke, is_read) {
  const stroke made = stroke_of(stroke_bytes().bytes, "it");
  ASSERT_EQ(made.poses.size(), 2u);
  EXPECT_EQ(made.poses[0].position, (vec<double, 3>{1, 2, 3}));
  EXPECT_EQ(made.poses[0].orientation, (quaternion<double>{0, 0, 0, 1})) << "of length 1";
  EXPECT_EQ(made.poses[0].time, 332.5);
  EXPECT_EQ(made.poses[1].scale, 2);
  EXPECT_EQ(made.outer_radius, 0.1f);
  EXPECT_TRUE(made.elastic);
  EXPECT_EQ(made.compressibility, 0.4f);
}

TEST(stroke, that_is_wrong_is_refused_with_the_byte) {
  const stroke_bytes good;
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint(good.bytes), "nothing");
  EXPECT_EQ(complaint(""), "it: byte 0: the file ends, expected a stroke of at least 28 bytes");
  EXPECT_EQ(complaint(good.with(0, 7u)), "it: byte 0: version 7, expected 0");
  EXPECT_EQ(complaint(good.with(4, 0u)), "it: byte 4: no poses, expected at least one");
  EXPECT_EQ(complaint(good.with(4, 0xFFFFFFFFu)), "it: byte 4: 4294967295 poses take 154618822648 bytes, and the file has 100");
  EXPECT_EQ(complaint(good.bytes.substr(0, 99)), "it: byte 4: 2 poses take 100 bytes, and the file has 99");
  EXPECT_EQ(complaint(good.with(12, none)), "it: byte 12: a number that is not finite");
  EXPECT_EQ(complaint(good.with(56, 0.f)), "it: byte 56: an orientation, expected a quaternion of length 1");
  EXPECT_EQ(complaint(good.with(36, 0.f)), "it: byte 36: a scale, expected a positive number");
  EXPECT_EQ(complaint(good.with(76, 1.f)), "it: byte 76: a time before that of the last pose, expected times that do not decrease");
  EXPECT_EQ(complaint(good.with(84, 0.01f)), "it: byte 80: radii, expected 0 <= inner < outer");
  EXPECT_EQ(complaint(good.with(96, 0.7f)), "it: byte 96: a compressibility, expected more than -1 and at most 0.5");
}

}  // namespace
}  // namespace ensue::tests
