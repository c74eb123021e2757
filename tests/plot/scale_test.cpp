/// Axes: what is shown, and ticks at round numbers whose labels do not touch.
#include "plot/plot_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ensue::plot;
using namespace ensue::plot::detail;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

axis logarithmic_axis() {
  axis result;
  result.logarithmic = true;
  return result;
}

std::string text_of(const number_label& label) {
  return label.text + (label.exponent.empty() ? "" : "10^" + label.exponent);
}

std::vector<std::string> labels(double low, double high, bool logarithmic = false, double length = 560) {
  std::vector<std::string> result;
  for (const tick& each : ticks(scale({low, high}, logarithmic, 0, length), true).labelled)
    result.push_back(text_of(each.label));
  return result;
}

using texts = std::vector<std::string>;

TEST(ticks, stand_at_round_numbers_printed_short) {
  EXPECT_EQ(labels(0, 40), (texts{"0", "5", "10", "15", "20", "25", "30", "35", "40"}));
  EXPECT_EQ(labels(-1, 1), (texts{"\u22121.0", "\u22120.8", "\u22120.6", "\u22120.4", "\u22120.2", "0.0", "0.2", "0.4",
                                  "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(0, 0.3), (texts{"0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"}));
  EXPECT_EQ(labels(0.1, 0.9, false, 200), (texts{"0.2", "0.4", "0.6", "0.8"}));
  EXPECT_EQ(labels(0, 3e6),
            (texts{"0", "5\u00d710^5", "10^6", "1.5\u00d710^6", "2\u00d710^6", "2.5\u00d710^6", "3\u00d710^6"}));
  EXPECT_EQ(labels(0, 3e-6, false, 300), (texts{"0", "10^\u22126", "2\u00d710^\u22126", "3\u00d710^\u22126"}));
}

TEST(ticks, of_numbers_that_differ_late_are_printed_less_what_they_share) {
  const tick_marks marks = ticks(scale({-0.5 - 3e-12, -0.5 + 3e-12}, false, 350, 0), false);
  EXPECT_EQ(marks.offset, -0.5);
  ASSERT_GE(marks.labelled.size(), 3u);
  for (const tick& each : marks.labelled) EXPECT_LE(text_of(each.label).size(), 14u) << text_of(each.label);
  EXPECT_EQ(ticks(scale({1000, 1001}, false, 0, 560), true).offset, 0) << "1000.2 is short enough";
}

TEST(ticks, of_a_logarithmic_axis_are_decades) {
  EXPECT_EQ(labels(1, 1000, true), (texts{"1", "10", "100", "1000"}));
  EXPECT_EQ(labels(1e-9, 1, true, 300), (texts{"10^\u22128", "10^\u22126", "10^\u22124", "10^\u22122", "10^0"}));
  const tick_marks marks = ticks(scale({1, 1000}, true, 0, 560), true);
  EXPECT_EQ(marks.between.size(), 24u) << "2 to 9 of three decades";
  EXPECT_EQ(labels(2, 90, true), (texts{"2", "5", "10", "20", "50"})) << "less than two decades";
  EXPECT_EQ(labels(3, 4, true, 300), (texts{"3.0", "3.2", "3.4", "3.6", "3.8", "4.0"})) << "inside of a decade";
}

TEST(ticks, never_touch_and_lie_in_the_range) {
  for (const bool logarithmic : {false, true})
    for (const bool horizontal : {false, true})
      for (const double length : {40., 120., 350., 560.})
        for (const double low : {1e-300, 1e-12, 3e-5, 0.1, 0.99, 7., 1234.5, 8e9, 1e299})
          for (const double factor : {1 + 1e-9, 1.003, 1.7, 9., 23., 1e4, 1e17, 1e300}) {
            if (low * factor > 1e300) continue;
            const scale along({low, low * factor}, logarithmic, 0, length);
            const tick_marks marks = ticks(along, horizontal);
            EXPECT_LE(marks.labelled.size(), 20u);
            for (std::size_t i = 0; i < marks.labelled.size(); ++i) {
              const double at = along(marks.labelled[i].at);
              EXPECT_GE(at, -0.01) << low << " * " << factor;
              EXPECT_LE(at, length + 0.01) << low << " * " << factor;
              if (i == 0) continue;
              const tick& before = marks.labelled[i - 1];
              EXPECT_NE(text_of(before.label), text_of(marks.labelled[i].label)) << low << " * " << factor;
              const double gap = at - along(before.at);
              const double size = horizontal ? (before.label.width() + marks.labelled[i].label.width()) / 2 : tick_font;
              if (marks.labelled.size() > 2) {
                EXPECT_GT(gap, size) << low << " * " << factor << " over " << length;
              }
            }
          }
}

TEST(ticks, are_enough_to_read_by) {
  for (const double low : {-1e-7, -3., 0., 17.})
    for (const double span : {1e-6, 0.02, 0.7, 1., 3.3, 49., 1e3, 7e8})
      for (const bool horizontal : {false, true})
        EXPECT_GE(ticks(scale({low, low + span}, false, 0, 350), horizontal).labelled.size(), 3u)
            << low << " + " << span;
}

TEST(shown, is_what_is_drawn_or_what_the_axis_says) {
  const range all = shown({}, {3, -1, nan, infinity, 7}, 0);
  EXPECT_EQ(all.low, -1);
  EXPECT_EQ(all.high, 7);
  const range margins = shown({}, {0, 10}, 0.1);
  EXPECT_EQ(margins.low, -1);
  EXPECT_EQ(margins.high, 11);
  axis given;
  given.from = 2;
  EXPECT_EQ(shown(given, {0, 10}, 0.1).low, 2);
  given.to = -2;  // the wrong way round
  EXPECT_EQ(shown(given, {0, 10}, 0.1).low, -2);
  EXPECT_EQ(shown(given, {0, 10}, 0.1).high, 2);
  EXPECT_EQ(shown(logarithmic_axis(), {-1, 0, 1e-3, 10}, 0).low, 1e-3);
}

TEST(shown, is_never_empty) {
  axis beyond;
  beyond.from = 100;
  axis nowhere;
  nowhere.from = nan;
  nowhere.to = infinity;
  axis negative = logarithmic_axis();
  negative.from = -1;
  const std::vector<std::vector<double>> lists = {{},
                                                  {5},
                                                  {0, 0, 0},
                                                  {nan, nan},
                                                  {infinity, -infinity},
                                                  {-1.7e308, 1.7e308},
                                                  {1e300},
                                                  {1e-310},
                                                  {1, 1 + 1e-16},
                                                  {-3, -3},
                                                  {0, 1e-320},
                                                  {1e-320, 1.7e308},
                                                  {-1, -2},
                                                  {1e-300, 1e300}};
  for (const axis& each : {axis{}, logarithmic_axis(), beyond, nowhere, negative})
    for (const auto& values : lists)
      for (const double margin : {0., 0.05}) {
        const range r = shown(each, values, margin);
        EXPECT_TRUE(std::isfinite(r.low) && std::isfinite(r.high));
        EXPECT_LT(r.low, r.high);
        EXPECT_TRUE(std::isfinite(r.high - r.low));
        if (each.logarithmic) {
          EXPECT_GT(r.low, 0);
        }
        const scale along(r, each.logarithmic, 0, 560);
        EXPECT_LE(ticks(along, true).labelled.size(), 20u);
        for (const double value : values)
          if (const double at = along(value); !std::isnan(at)) {
            EXPECT_LE(std::abs(at), 1e9);
          }
      }
}

TEST(scale, has_no_place_for_what_is_no_number) {
  const scale linear({0, 10}, false, 0, 100), logarithmic({1, 100}, true, 100, 0);
  EXPECT_EQ(linear(5), 50);
  EXPECT_EQ(logarithmic(10), 50);
  EXPECT_TRUE(std::isnan(linear(nan)) && std::isnan(linear(infinity)));
  EXPECT_TRUE(std::isnan(logarithmic(0)) && std::isnan(logarithmic(-1)));
}

}  // namespace
