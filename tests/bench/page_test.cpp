/// The page of benchmarks says of given figures what is true of them.
#include "../../bench/benchmarks_page.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace {

using namespace bench;

csv_table table_of(const std::string& text) {
  std::istringstream stream(text);
  return csv_table(stream);
}

const std::string header = "topic,measure,value,low,high,unit,target\n";

figure only_figure(const std::string& row) { return read_figures(table_of(header + row + '\n')).at(0); }

TEST(benchmarks_page, says_whether_a_ratio_is_at_most_its_target) {
  EXPECT_EQ(verdict(only_figure("dp54-step,\"step, Lorenz / odeint's\",0.7,0.69,0.72,,<= 0.75")), "pass");
  EXPECT_EQ(verdict(only_figure("dp54-step,step,0.75,0.7,0.8,,<= 0.75")), "pass");
  EXPECT_EQ(verdict(only_figure("dp54-step,step,0.9,0.88,0.92,,<= 0.75")), "**falls short** by 20 %");
}

TEST(benchmarks_page, says_large_numbers_without_powers_of_ten) {
  EXPECT_EQ(verdict(only_figure("cloth,implicit / explicit,3.61,3.06,3.61,,<= 0.1")), "**falls short** by 3510 %");
}

TEST(benchmarks_page, says_whether_a_rate_is_at_least_its_target) {
  EXPECT_EQ(verdict(only_figure("lanes,ABC flow,20.8,20,21,,>= 15")), "pass");
  EXPECT_EQ(verdict(only_figure("lanes,Lorenz,3.5,3,4,,>= 7")), "**falls short** by 50 %");
}

TEST(benchmarks_page, does_not_pass_what_could_not_be_measured) {
  EXPECT_NE(verdict(only_figure("cloth,none of ours,inf,inf,inf,,<= 0.1")), "pass");
  EXPECT_NE(verdict(only_figure("cloth,nothing,nan,nan,nan,,>= 0.1")), "pass");
}

TEST(benchmarks_page, shows_a_row_a_target_with_its_spread) {
  const std::vector<figure> all = read_figures(table_of(header + "a,\"cloth, 32^2, ours / theirs\",0.16,0.15,0.17,,<= 0.5\n"
                                                                 "a,vertices,16,15.5,17,Mvertices/s,>= 17\n"
                                                                 "a,counted,12,12,12,,\n"));
  EXPECT_EQ(figures_table(all, true),
            "| measure | target | ours | |\n|---|---|---|---|\n"
            "| cloth, 32², ours ÷ theirs | ≤ 0.5 | 0.16 [0.15, 0.17] | pass |\n"
            "| vertices | ≥ 17 | 16 [15.5, 17] Mvertices/s | **falls short** by 5.88 % |\n");
  EXPECT_EQ(figures_table(all, false), "| measure | seen |\n|---|---|\n| counted | 12 |\n");
  EXPECT_EQ(count_of_targets(all), "1 of 2 are met");
}

TEST(benchmarks_page, says_why_under_what_falls_short_and_only_there) {
  const std::vector<figure> all = read_figures(table_of(header + "good,met,1,1,1,,<= 2\n"
                                                                 "bad,missed,3,3,3,,<= 2\n"
                                                                 "bad,met too,1,1,1,,<= 2\n"
                                                                 "unknown,missed as well,3,3,3,,<= 2\n"));
  const std::string text =
      shortfalls(all, [](const std::string& topic) { return topic == "unknown" ? "" : "The reason of " + topic + ".\n"; });
  EXPECT_NE(text.find("### bad\n\n- missed: 3, ≤ 2 was asked for\n\nThe reason of bad.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("### unknown\n\n- missed as well: 3, ≤ 2 was asked for\n\nWhere the time goes has not been looked at.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("good"), std::string::npos);
  EXPECT_EQ(text.find("met too"), std::string::npos);
}

TEST(benchmarks_page, sets_ours_beside_the_fastest_peer) {
  const csv_table cells = table_of(
      "problem,level,library,method,tolerance,error,evaluations,microseconds,low,high,ours / it,ratio low,ratio high\n"
      "\"Lorenz, t <= 1\",0.001,ensue,tsit5,0.01,1e-4,100,1.5,1.4,1.6,1,1,1\n"
      "\"Lorenz, t <= 1\",0.001,gsl,rkf45,0.01,1e-4,120,4,4,4,0.375,0.3,0.4\n"
      "\"Lorenz, t <= 1\",0.001,odeint,dopri5,0.01,1e-4,120,2,2,2,0.75,0.7,0.8\n"
      "\"Lorenz, t <= 1\",1e-6,odeint,dopri5,0.01,1e-7,120,3,3,3,,,\n");
  EXPECT_EQ(cells_table(cells),
            "| problem | error ≤ 0.001 | error ≤ 1e-6 |\n|---|---|---|\n"
            "| Lorenz, t ≤ 1 | 0.75 [0.7, 0.8]<br>tsit5 1.5 µs<br>odeint dopri5 2 µs | none of ours; odeint 3 µs |\n");
}

TEST(benchmarks_page, draws_what_a_library_needs_at_least) {
  const csv_table points = table_of(
      "problem,library,method,tolerance,error,evaluations,microseconds\n"
      "p,ensue,a,1e-3,1e-4,1,10\n"
      "p,ensue,b,1e-3,1e-5,1,8\n"  // beats the one before in both
      "p,ensue,b,1e-2,1e-2,1,3\n"
      "p,gsl,c,1e-2,1e-2,1,5\n"
      "q,gsl,c,1e-2,1e-2,1,5\n");
  const auto charts = work_precision_charts(points);
  ASSERT_EQ(charts.size(), 2u);
  ASSERT_EQ(charts[0].lines.size(), 2u);
  EXPECT_EQ(charts[0].lines[0].x, (std::vector{1e-5, 1e-2}));
  EXPECT_EQ(charts[0].lines[0].y, (std::vector{8., 3.}));
  EXPECT_EQ(charts[1].lines.size(), 1u);
}

TEST(csv, cells_come_back_as_they_were) {
  const csv_cells cells{"plain", "with, comma", "with \"quotes\"", "", "last"};
  std::string line = csv_line(cells);
  line.pop_back();
  EXPECT_EQ(cells_of(line), cells);
}

}  // namespace
