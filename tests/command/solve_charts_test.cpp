/// What `ensue solve --plot` draws.
#include "support/solve_command.hpp"

#include "problem_file.hpp"
#include "solve_charts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace ensue;
using namespace ensue::tests;
using command::kept_rows;
using command::solve_charts;

file_problem problem_of(const std::string& text) { return std::move(*read_problem(text).file->make().problem); }

const std::string oscillator =
    "title = \"Oscillator\"\nto = 1\n[position]\nx = 1\n[velocity]\nx = 0\n[acceleration]\nx = \"-x\"\n"
    "[invariants]\nenergy = \"x^2 + x'^2\"\n";

kept_rows rows_of(std::size_t count, std::size_t components) {
  kept_rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = 0.5 * static_cast<double>(i);
    std::vector<double> x;
    for (std::size_t k = 0; k < components; ++k) x.push_back(t + 100 * static_cast<double>(k));
    const std::vector<double> invariant{3 + t};
    rows.keep({t, x, invariant});
  }
  return rows;
}

TEST(solve_charts, an_oscillator_has_three) {
  const auto charts = solve_charts(problem_of(oscillator), rows_of(3, 2));
  ASSERT_EQ(charts.size(), 3u);
  EXPECT_EQ(charts[0].title, "Oscillator");
  EXPECT_EQ(charts[0].x.label, "t");
  ASSERT_EQ(charts[0].lines.size(), 2u);
  EXPECT_EQ(charts[0].lines[1].name, "x'");
  EXPECT_EQ(charts[0].lines[1].x, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(charts[0].lines[1].y, (std::vector<double>{100, 100.5, 101}));

  EXPECT_EQ(charts[1].x.label, "x");
  EXPECT_EQ(charts[1].y.label, "x'");
  EXPECT_FALSE(charts[1].equal_scales) << "a place against a velocity";
  ASSERT_EQ(charts[1].lines.size(), 1u);
  EXPECT_EQ(charts[1].lines[0].x, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(charts[1].lines[0].y, (std::vector<double>{100, 100.5, 101}));

  EXPECT_EQ(charts[2].lines[0].name, "energy");
  EXPECT_EQ(charts[2].lines[0].y, (std::vector<double>{0, 0.5, 1})) << "its drift";
}

TEST(solve_charts, what_the_file_names_in_its_order) {
  file_problem problem =
      problem_of("to = 1\n[state]\na = 1\nb = 1\nc = 1\n[derivative]\na = 1\nb = 1\nc = 1\n[invariants]\ni = \"a\"\n");
  problem.output.plot = {"c", "i", "a"};
  const auto charts = solve_charts(problem, rows_of(2, 3));
  ASSERT_EQ(charts.size(), 3u);
  ASSERT_EQ(charts[0].lines.size(), 3u);
  EXPECT_EQ(charts[0].lines[0].name, "c");
  EXPECT_EQ(charts[0].lines[1].name, "i");
  EXPECT_EQ(charts[0].lines[1].y, (std::vector<double>{3, 3.5}));
  EXPECT_EQ(charts[1].x.label + charts[1].y.label, "ca");
  problem.output.plot = {"b"};
  EXPECT_EQ(solve_charts(problem, rows_of(2, 3)).size(), 2u) << "no portrait of one component";
}

TEST(solve_charts, places_in_a_plane_have_equal_scales) {
  const auto kepler = std::move(*read_problem_file(example("kepler")).file->make().problem);
  kept_rows rows;
  rows.keep({0, kepler.start, std::vector<double>{-0.5, 0.8}});
  const auto charts = solve_charts(kepler, rows);
  ASSERT_EQ(charts.size(), 3u);
  EXPECT_TRUE(charts[1].equal_scales);
  EXPECT_EQ(charts[1].x.label + charts[1].y.label, "xy");
}

TEST(solve_charts, long_runs_are_thinned_and_keep_their_ends) {
  const auto charts = solve_charts(problem_of(oscillator), rows_of(25'000, 2));
  const auto& t = charts[0].lines[0].x;
  EXPECT_LE(t.size(), command::most_points_of_a_curve + 1);
  EXPECT_EQ(t.front(), 0);
  EXPECT_EQ(t.back(), 0.5 * 24'999);
}

TEST(solve_charts, many_components_are_not_all_drawn) {
  std::string state = "title = \"Many\"\nto = 1\n[state]\n", derivative = "[derivative]\n";
  for (int i = 0; i < 40; ++i) {
    state += "x" + std::to_string(i) + " = 1\n";
    derivative += "x" + std::to_string(i) + " = 1\n";
  }
  const auto charts = solve_charts(problem_of(state + derivative), rows_of(2, 40));
  EXPECT_EQ(charts[0].lines.size(), command::most_curves_of_a_chart);
  EXPECT_EQ(charts[0].title, "Many (the first 12 of 40)");
}

TEST(solve_plot, is_written_beside_the_answer) {
  const temporary_folder folder;
  const std::string svg = folder.file("out.svg");
  const json answer = solved({example("kepler"), "--plot", svg});
  EXPECT_EQ(answer["outcome"], "finished");
  const std::string text = content_of(svg);
  EXPECT_TRUE(mentions(text, "<svg") && mentions(text, "</svg>"));
}

}  // namespace
