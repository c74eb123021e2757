/// Whole documents: well-formed, without NaN, legible on both backgrounds, whatever the numbers and texts are.
#include "plot/plot.hpp"
#include "plot/plot_document.hpp"

#include "support/sanitized.hpp"
#include "support/xml.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <regex>

namespace {

using namespace ensue;
using namespace ensue::plot;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool mentions(const std::string& text, const std::string& part) { return count(text, part) > 0; }

curve line(std::string name, std::vector<double> x, std::vector<double> y, mark as = mark::line) {
  curve result;
  result.name = std::move(name);
  result.x = std::move(x);
  result.y = std::move(y);
  result.as = as;
  return result;
}

chart chart_of(std::vector<curve> lines, bool logarithmic = false) {
  chart result;
  result.lines = std::move(lines);
  result.y.logarithmic = logarithmic;
  return result;
}

void expect_sound(const std::string& text, const std::string& what) {
  EXPECT_EQ(tests::fault_of_xml(text), "") << what;
  // Coordinates are the numbers of attributes; texts may say what they like.
  const std::string attributes = std::regex_replace(text, std::regex(">[^<]*<"), "><");
  EXPECT_FALSE(mentions(attributes, "nan") || mentions(attributes, "inf")) << what;
}

TEST(svg, a_chart_has_its_parts) {
  chart c = chart_of({line("first", {0, 1, 2}, {0, 1, 0}), line("second", {0, 1, 2}, {1, 0, 1}, mark::line_and_dots),
                      line("third", {0, 2}, {1, 1}, mark::dashes), line("", {1}, {1}, mark::dots)});
  c.title = "A title";
  c.x.label = "time";
  c.y.label = "height above the ground";
  const std::string text = svg({c});
  expect_sound(text, "a chart");
  for (const char* part :
       {"<title>A title</title>", ">time<", ">height above the ground<", ">first<", ">second<", ">third<", ">1.0<",
        "class=\"grid\"", "class=\"frame\"", "class=\"line c0\"", "class=\"dots c1\"", "class=\"dashes c2\"",
        "class=\"dots c3\"", "prefers-color-scheme:dark"})
    EXPECT_TRUE(mentions(text, part)) << part;
  EXPECT_EQ(count(text, ">first<"), 1u);
  EXPECT_FALSE(mentions(text, "id=")) << "names would collide with those of another picture in the page";
}

TEST(svg, charts_stand_below_each_other) {
  chart a = chart_of({line("", {0, 1}, {0, 1})}), b = a;
  a.title = "upper";
  b.title = "lower";
  const std::string text = svg({a, b});
  expect_sound(text, "two charts");
  std::smatch upper, lower;
  ASSERT_TRUE(std::regex_search(text, upper, std::regex("y=\"([0-9.]+)\" class=\"title\"[^>]*>upper")));
  ASSERT_TRUE(std::regex_search(text, lower, std::regex("y=\"([0-9.]+)\" class=\"title\"[^>]*>lower")));
  EXPECT_GT(std::stod(lower[1]) - std::stod(upper[1]), frame_height);
  expect_sound(svg({}), "no chart");
}

TEST(svg, texts_are_escaped) {
  chart c = chart_of({line("a<b & \"c\" > 'd'", {0, 1}, {0, 1})});
  c.title = "</svg><script>alert(1)</script>\x01\xff\xc0\x80\xed\xa0\x80";
  c.x.label = "\u03b8\u2032 \u00b5\xe2\x82";  // cut off in the middle of a character
  c.y.label = "]]>";
  c.notes = {{0.5, 0.5, "<note>"}};
  const std::string text = svg({c});
  expect_sound(text, "texts");
  EXPECT_FALSE(mentions(text, "<script"));
  EXPECT_TRUE(mentions(text, "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;"));
  EXPECT_TRUE(mentions(text, "\u03b8\u2032 \u00b5\uFFFD"));
  EXPECT_TRUE(mentions(text, "&lt;note&gt;"));
  EXPECT_EQ(plot::detail::escaped(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(plot::detail::escaped("\xc3("), "\uFFFD(") << "a character that does not go on";
  EXPECT_EQ(plot::detail::escaped("\xf0\x9f\x8c\x8d"), "\xf0\x9f\x8c\x8d");
}

TEST(svg, long_texts_are_cut) {
  chart c = chart_of({line(std::string(3000, 'n'), {0, 1}, {0, 1})});
  c.title = std::string(5000, 't');
  const std::string text = svg({c});
  expect_sound(text, "long texts");
  EXPECT_FALSE(mentions(text, std::string(1000, 'n')));
  EXPECT_TRUE(mentions(text, "\u2026"));
}

TEST(svg, long_names_go_below_and_many_are_cut_off) {
  const std::string beside = svg({chart_of({line("short", {0, 1}, {0, 1})})});
  const std::string below =
      svg({chart_of({line("a name of a curve that is far too long for the side", {0, 1}, {0, 1})})});
  const std::regex entry("<text x=\"([0-9.]+)\" y=\"[0-9.]+\" class=\"entry\"");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(beside, found, entry));
  EXPECT_GT(std::stod(found[1]), frame_width);
  ASSERT_TRUE(std::regex_search(below, found, entry));
  EXPECT_LT(std::stod(found[1]), 200);
  std::vector<curve> many;
  for (int i = 0; i < 100; ++i) many.push_back(line("curve " + std::to_string(i), {0, 1}, {0., 1. * i}));
  const std::string text = svg({chart_of(many)});
  expect_sound(text, "many");
  EXPECT_TRUE(mentions(text, " more<"));
  EXPECT_LT(count(text, "class=\"entry\""), 20u);
}

TEST(svg, degenerate_numbers_give_a_sane_picture) {
  const std::vector<std::pair<std::string, std::vector<double>>> lists = {
      {"no points", {}},
      {"one point", {2}},
      {"all equal", {5, 5, 5}},
      {"all zero", {0, 0}},
      {"all NaN", {nan, nan, nan}},
      {"infinite", {-infinity, 0, infinity}},
      {"huge", {-1e300, 0, 1e300}},
      {"as large as can be", {-1.7976931348623157e308, 1.7976931348623157e308}},
      {"tiny", {1e-310, 2e-310, 5e-324}},
      {"not positive", {-1, 0, -2}},
      {"late digits", {1, 1 + 1e-15, 1 + 2e-15}},
      {"mixed", {1e-300, -4, nan, 1e300, 7}}};
  std::vector marks = {mark::line_and_dots};
  if (!tests::sanitized) marks.insert(marks.end(), {mark::line, mark::dots});
  for (const auto& [x_name, x] : lists)
    for (const auto& [y_name, y] : lists)
      for (const mark as : marks)
        for (int variant = 0; variant < 4; ++variant) {
          chart c = chart_of({line("a", x, y, as)}, variant == 1);
          c.x.logarithmic = variant == 2;
          c.equal_scales = variant == 3;
          if (!x.empty() && !y.empty()) c.arrows = {{x[0], y[0], x.back(), y.back()}}, c.notes = {{x[0], y[0], "here"}};
          const std::string text = svg({c});
          expect_sound(text, x_name + " over " + y_name);
          EXPECT_LT(text.size(), 40'000u);
        }
}

TEST(svg, axes_that_were_given_hold) {
  chart c = chart_of({line("", {0, 1, 2, 3}, {-1e9, 0, 1, 1e9})});
  c.y.from = 0;
  c.y.to = 1;
  const std::string text = svg({c});
  expect_sound(text, "given");
  EXPECT_TRUE(mentions(text, ">0.2<") && mentions(text, ">0.8<"));
  c.y.from = nan, c.y.to = -infinity;
  expect_sound(svg({c}), "given as nothing");
  c.y.from = 1, c.y.to = 1;
  expect_sound(svg({c}), "given empty");
}

// A circle is a circle: its path is as wide as it is high.
TEST(svg, equal_scales_are_equal) {
  std::vector<double> x, y;
  for (int i = 0; i <= 360; ++i)
    x.push_back(3 * std::cos(i * std::numbers::pi / 180)), y.push_back(3 * std::sin(i * std::numbers::pi / 180));
  for (const double width : {4., 8., 30.}) {
    chart c = chart_of({line("", x, y)});
    c.equal_scales = true;
    c.x.from = -width, c.x.to = width, c.y.from = -4, c.y.to = 4;
    const std::string text = svg({c});
    const std::size_t begin = text.find("class=\"line c0\" d=\"");
    ASSERT_NE(begin, std::string::npos);
    const std::string data = text.substr(begin + 19, text.find("/>", begin) - begin - 19);
    double low_x = 1e9, high_x = -1e9, low_y = 1e9, high_y = -1e9;
    const std::regex pair("[ML]([-0-9.]+) ([-0-9.]+)");
    for (std::sregex_iterator at(data.begin(), data.end(), pair), end; at != end; ++at) {
      low_x = std::min(low_x, std::stod((*at)[1])), high_x = std::max(high_x, std::stod((*at)[1]));
      low_y = std::min(low_y, std::stod((*at)[2])), high_y = std::max(high_y, std::stod((*at)[2]));
    }
    EXPECT_NEAR(high_x - low_x, high_y - low_y, 0.1) << width;
    EXPECT_GT(high_x - low_x, 30) << width;
  }
}

TEST(svg, a_million_points_make_a_small_file) {
  std::vector<double> t, x;
  for (int i = 0; i < 1'000'000; ++i) t.push_back(i * 1e-4), x.push_back(std::sin(i * 0.01));
  x[500'000] = 40;
  const std::string text = svg({chart_of({line("x", t, x)})});
  EXPECT_LT(text.size(), 250'000u);
  EXPECT_TRUE(mentions(text, ">40<"));
}

}  // namespace
