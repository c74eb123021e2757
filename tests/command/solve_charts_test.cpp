/// What `ensue solve --plot` draws.
#include "support/solve_command.hpp"

#include "problems/problem_file.hpp"
#include "solve_charts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace {

using namespace ensue;
using namespace ensue::tests;
using command::plotted_rows;
using command::solve_charts;

file_problem problem_of(const std::string& text) { return std::move(*read_problem(text).file->make().problem); }

const std::string oscillator =
    "title = \"Oscillator\"\nto = 1\n[position]\nx = 1\n[velocity]\nx = 0\n[acceleration]\nx = \"-x\"\n"
    "[invariants]\nenergy = \"x^2 + x'^2\"\n";

plotted_rows rows_of(const file_problem& problem, std::size_t count) {
  const std::size_t components = problem.names.size();
  plotted_rows rows(problem);
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
  const file_problem problem = problem_of(oscillator);
  const auto charts = solve_charts(problem, rows_of(problem, 3));
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
  const auto charts = solve_charts(problem, rows_of(problem, 2));
  ASSERT_EQ(charts.size(), 3u);
  ASSERT_EQ(charts[0].lines.size(), 3u);
  EXPECT_EQ(charts[0].lines[0].name, "c");
  EXPECT_EQ(charts[0].lines[1].name, "i");
  EXPECT_EQ(charts[0].lines[1].y, (std::vector<double>{3, 3.5}));
  EXPECT_EQ(charts[1].x.label + charts[1].y.label, "ca");
  problem.output.plot = {"b"};
  EXPECT_EQ(solve_charts(problem, rows_of(problem, 2)).size(), 2u) << "no portrait of one component";
}

TEST(solve_charts, places_in_a_plane_have_equal_scales) {
  const auto kepler = std::move(*read_problem_file(example("kepler")).file->make().problem);
  plotted_rows rows(kepler);
  rows.keep({0, kepler.start, std::vector<double>{-0.5, 0.8}});
  const auto charts = solve_charts(kepler, rows);
  ASSERT_EQ(charts.size(), 3u);
  EXPECT_TRUE(charts[1].equal_scales);
  EXPECT_EQ(charts[1].x.label + charts[1].y.label, "xy");
}

TEST(solve_charts, long_runs_are_thinned_and_keep_their_ends) {
  const file_problem problem = problem_of(oscillator);
  for (const std::size_t rows : {9'999, 10'000, 10'001, 20'000, 20'001, 25'000, 40'002, 123'456}) {
    const auto charts = solve_charts(problem, rows_of(problem, rows));
    const auto &t = charts[0].lines[0].x, &x = charts[0].lines[1].y;
    EXPECT_LE(t.size(), command::most_points_of_a_curve + 1) << rows;
    EXPECT_GE(t.size(), std::min(rows, command::most_points_of_a_curve / 2)) << rows;
    EXPECT_EQ(t.front(), 0) << rows;
    EXPECT_EQ(t.back(), 0.5 * static_cast<double>(rows - 1)) << rows;
    ASSERT_EQ(x.size(), t.size());
    for (std::size_t i = 0; i < t.size(); ++i) ASSERT_EQ(x[i], t[i] + 100) << rows;
    for (std::size_t i = 2; i + 1 < t.size(); ++i) ASSERT_EQ(t[i] - t[i - 1], t[1]) << rows;
  }
}

// A family of 3e5 elements under its name took minutes to look up, and every row was kept whole.
TEST(solve_charts, a_large_family_is_drawn_at_once) {
  const file_problem problem = problem_of(
      "to = 1\n[parameters]\nn = 100000\n[state]\n\"u[i=1..n]\" = 1\n[derivative]\n\"u[i=1..n]\" = 1\n[output]\nplot = [\"u\"]\n");
  const auto began = std::chrono::steady_clock::now();
  const auto charts = solve_charts(problem, rows_of(problem, 2));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  EXPECT_EQ(charts[0].title, " (the first 12 of 100000)");
}

TEST(solve_charts, many_components_are_not_all_drawn) {
  std::string state = "title = \"Many\"\nto = 1\n[state]\n", derivative = "[derivative]\n";
  for (int i = 0; i < 40; ++i) {
    state += "x" + std::to_string(i) + " = 1\n";
    derivative += "x" + std::to_string(i) + " = 1\n";
  }
  const file_problem problem = problem_of(state + derivative);
  const auto charts = solve_charts(problem, rows_of(problem, 2));
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
