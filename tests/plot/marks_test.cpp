/// Curves in a frame: thinned, clipped, interrupted.
#include "plot/plot_marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace {

using namespace ensue::plot;
using namespace ensue::plot::detail;

constexpr frame unit{0, 0, 100, 50};

std::string coordinate(double pixels) {
  std::string text;
  append(text, pixels);
  return text;
}

/// The numbers of path data.
std::vector<point> points_of(std::string path) {
  for (char& c : path)
    if (c == 'M' || c == 'L' || c == 'Z') c = ' ';
  std::istringstream stream(path);
  std::vector<point> points;
  for (point p; stream >> p.x >> p.y;) points.push_back(p);
  return points;
}

TEST(marks, coordinates_are_short) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(-0.5), "-0.5");
  EXPECT_EQ(coordinate(1.0 / 3), "0.33");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(3.05), "3.05");
}

TEST(marks, a_line_ends_at_the_frame) {
  EXPECT_EQ(line_path({{10, 10}, {20, 20}}, unit), "M10 10L20 20");
  EXPECT_EQ(line_path({{-10, 10}, {110, 10}}, unit), "M0 10L100 10");
  EXPECT_EQ(line_path({{-10, 60}, {110, 70}}, unit), "");
  EXPECT_EQ(line_path({{-20, 20}, {20, -20}}, unit), "M0 0L0 0") << "through the corner";
  EXPECT_EQ(line_path({{50, 25}, {50, 1e9}, {60, 25}}, unit), "M50 25L50 50M60 50L60 25") << "leaves and comes back";
  EXPECT_EQ(line_path({{50, 25}}, unit), "M50 25h0") << "a point is a dot";
  EXPECT_EQ(line_path({{50, 51}}, unit), "");
}

TEST(marks, everything_stays_in_the_frame) {
  std::vector<point> wild;
  for (int i = 0; i < 2000; ++i) wild.push_back({100 * std::sin(i * 1.7) + 50, std::tan(i * 0.37) * 40});
  for (const point& p : points_of(line_path(wild, unit))) EXPECT_TRUE(unit.contains(p)) << p.x << " " << p.y;
}

TEST(marks, a_spike_of_one_point_in_a_million_stays) {
  std::vector<point> line;
  for (int i = 0; i < 1'000'000; ++i) line.push_back({i * 1e-4, 25 + std::sin(i * 1e-3)});
  line[123'456].y = 3;
  line[654'321].y = 47;
  const std::vector<point> kept = thinned(line);
  EXPECT_LE(kept.size(), 4u * 400);
  double low = 100, high = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    low = std::min(low, kept[i].y);
    high = std::max(high, kept[i].y);
    if (i > 0) {
      EXPECT_GT(kept[i].x, kept[i - 1].x) << "in the order in which they came";
    }
  }
  EXPECT_EQ(low, 3);
  EXPECT_EQ(high, 47);
  EXPECT_EQ(kept.front().x, line.front().x);
  EXPECT_EQ(kept.back().x, line.back().x);
}

TEST(marks, a_turn_inside_of_a_column_stays) {
  const std::vector<point> line = {{10.01, 0}, {10.05, 1}, {10.2, 2}, {10.12, 3}, {10.03, 4}, {10.02, 5}, {10.06, 6}};
  const std::vector<point> kept = thinned(line);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[1].x, 10.2);
  const std::vector<point> mirrored = {{10.2, 0}, {10.1, 1}, {10.02, 2}, {10.1, 3}, {10.2, 4}};
  ASSERT_EQ(thinned(mirrored).size(), 3u);
  EXPECT_EQ(thinned(mirrored)[1].x, 10.02);
}

// Every point that was left out lies within a tenth of a pixel of what is drawn instead.
TEST(marks, what_is_straight_needs_no_points) {
  std::vector<point> circle, to_and_fro;
  for (int i = 0; i <= 5000; ++i)
    circle.push_back({50 + (5 + i * 3e-3) * std::cos(i * 0.01), 25 + (5 + i * 3e-3) * std::sin(i * 0.01)});
  for (int i = 0; i <= 1000; ++i) to_and_fro.push_back({30, i % 100 < 50 ? 0.5 * (i % 50) : 25 - 0.5 * (i % 50)});
  for (const auto& line : {circle, to_and_fro}) {
    const std::vector<point> kept = straightened(line);
    EXPECT_LT(kept.size(), line.size() / 4);
    EXPECT_EQ(kept.back().x, line.back().x);
    EXPECT_EQ(kept.back().y, line.back().y);
    std::size_t at = 0;  // points and legs come in the same order
    for (const point& p : line) {
      const auto distance = [&](std::size_t leg) {
        const point &a = kept[leg], &b = kept[leg + 1];
        const double dx = b.x - a.x, dy = b.y - a.y, size = dx * dx + dy * dy;
        const double t = size == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / size, 0., 1.);
        return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
      };
      while (at + 2 < kept.size() && distance(at) > 0.11) ++at;
      ASSERT_LE(distance(at), 0.11);
    }
  }
}

TEST(marks, few_points_all_stay) {
  const std::vector<point> line = {{0, 0}, {1, 5}, {2, 3}, {1, 1}, {1, 0}, {5, 5}};
  EXPECT_EQ(thinned(line).size(), line.size());
}

TEST(marks, what_is_not_finite_interrupts) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const scale x({0, 10}, false, 0, 100), y({1, 10}, true, 50, 0);
  curve drawn;
  drawn.x = {nan, 0, 1, nan, 3, 4, 5, 6, 7, 8};
  drawn.y = {1, 1, 2, 2, 3, 0, 5, -1, INFINITY, 8, 9};  // one too many: what has no partner is left out
  const auto lines = polylines(drawn, x, y);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].size(), 2u);
  EXPECT_EQ(lines[1].size(), 1u);
  EXPECT_EQ(lines[2].size(), 1u);
  EXPECT_EQ(lines[3].size(), 1u);
}

TEST(marks, dots_upon_each_other_are_one) {
  EXPECT_EQ(dots_path({{{10, 10}, {10.2, 10.3}, {30, 10}}, {{10.1, 10.1}, {200, 10}}}, unit), "M10 10h0M30 10h0");
}

TEST(marks, arrows_have_their_heads_in_the_frame) {
  arrow_paths inside, leaving, outside, none, wrong;
  add_arrow(inside, {10, 10}, {30, 10}, unit);
  EXPECT_TRUE(inside.shafts.starts_with("M10 10L2")) << inside.shafts;
  EXPECT_TRUE(inside.heads.starts_with("M30 10L")) << inside.heads;
  EXPECT_EQ(points_of(inside.heads).size(), 3u);
  add_arrow(leaving, {90, 10}, {130, 10}, unit);
  EXPECT_EQ(leaving.shafts, "M90 10L100 10");
  EXPECT_EQ(leaving.heads, "");
  add_arrow(outside, {-5, 10}, {30, 10}, unit);
  EXPECT_EQ(outside.shafts + outside.heads, "");
  add_arrow(none, {10, 10}, {10, 10}, unit);
  EXPECT_EQ(none.shafts, "M10 10h0") << "no speed: a dot";
  add_arrow(wrong, {10, 10}, {std::numeric_limits<double>::quiet_NaN(), 10}, unit);
  EXPECT_EQ(wrong.shafts + wrong.heads, "");
}

}  // namespace
