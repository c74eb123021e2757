// ensue sweep: the rows are those of single solves, and the same whatever runs them.
#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace ensue::tests;

const std::string lorenz = (tree / "examples/lorenz.toml").string();

std::string swept(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sweep");
  const command_run run = ensue_command(arguments);
  EXPECT_EQ(run.status, 0) << run.error;
  return run.out;
}

std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(sweep, gives_what_solve_gives) {
  const auto rows = rows_of(swept({lorenz, "--vary", "rho=0..28:8", "--vary", "x=1..2:2", "--to", "5"}));
  ASSERT_EQ(rows.size(), 17u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"rho", "x", "t", "x", "y", "z", "outcome", "evaluations"}));
  EXPECT_EQ(rows[1][0], "0");
  EXPECT_EQ(rows[16][0], "28");
  EXPECT_EQ(rows[16][1], "2");
  for (const std::size_t i : {2u, 9u, 16u}) {
    const command_run run =
        ensue_command({"solve", lorenz, "--set", "rho=" + rows[i][0], "--set", "x=" + rows[i][1], "--to", "5", "--json"});
    const auto answer = nlohmann::json::parse(run.out);
    EXPECT_EQ(rows[i][2], "5");
    EXPECT_EQ(rows[i][6], "finished");
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(std::stod(rows[i][3 + c]), answer["state"][rows[0][3 + c]].get<double>(), 1e-4) << "row " << i;
  }
}

TEST(sweep, quotes_names_with_commas) {
  const std::string path = testing::TempDir() + "lattice.toml";
  std::ofstream(path) << "to = 1\n[parameters]\nk = 1\n[state]\n\"u[i=1..2, j=1..2]\" = \"i+j\"\n[derivative]\n\"u[i=1..2, j=1..2]\" = \"-k*u[i,j]\"\n";
  const std::string out = swept({path, "--vary", "k=1..2:2"});
  EXPECT_EQ(out.substr(0, out.find('\n')), R"(k,t,"u[1,1]","u[1,2]","u[2,1]","u[2,2]",outcome,evaluations)");
}

TEST(sweep, is_the_same_with_every_backend) {
  const auto same = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--backend", "scalar"});
    const std::string scalar = swept(arguments);
    for (const char* other : {"lanes", "threads"}) {
      arguments.back() = other;
      EXPECT_EQ(scalar, swept(arguments)) << other;
    }
  };
  same({lorenz, "--vary", "rho=0..28:500", "--to", "2"});
  for (const char* method : {"bs32", "rkf45", "tsit5", "vern7", "vern9", "dop853", "doubling(euler)", "doubling(rk4)"})
    same({lorenz, "--vary", "rho=0..28:50", "--to", "1", "--rtol", "1e-4", "--method", method});
  same({lorenz, "--vary", "rho=0..28:50", "--to", "1", "--extrema"});
  same({lorenz, "--vary", "rho=0..28:50", "--to", "1", "--compensated"});
  same({lorenz, "--vary", "rho=0..28:50", "--to", "1", "--method", "rk4", "--step", "0.01"});
  const auto sample = [](const char* seed) {
    return swept({lorenz, "--vary", "rho=0..28", "--sample", "20", "--seed", seed, "--to", "1"});
  };
  EXPECT_EQ(sample("7"), sample("7"));
  EXPECT_NE(sample("7"), sample("8"));
}

TEST(sweep, takes_equations_of_second_order_and_computed_parameters) {
  const temporary_file file("spring.toml",
                            "to = 1\n[parameters]\nk = 4\nm = 1\nomega = \"sqrt(k/m)\"\n[position]\nx = 1\ny = "
                            "0\n[velocity]\nx = 0\ny = 0.5\n"
                            "[acceleration]\nx = \"-omega^2*x\"\ny = \"-y\"\n[solver]\nrtol = 1e-10\n");
  const auto rows = rows_of(swept({file.path, "--vary", "k=1..9:3", "--vary", "x'=0..1:2", "--method", "vern7"}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"k", "x'", "t", "x", "y", "x'", "y'", "outcome", "evaluations"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double omega = std::sqrt(std::stod(rows[i][0])), v = std::stod(rows[i][1]);
    EXPECT_NEAR(std::stod(rows[i][3]), std::cos(omega) + v / omega * std::sin(omega), 1e-8);
    EXPECT_NEAR(std::stod(rows[i][4]), 0.5 * std::sin(1.), 1e-8);
    EXPECT_NEAR(std::stod(rows[i][5]), -omega * std::sin(omega) + v * std::cos(omega), 1e-7);
  }
}

TEST(sweep, says_how_each_run_ended) {
  const temporary_file file("blow.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const command_run run = ensue_command({"sweep", file.path, "--vary", "x=0.1..1:4", "--max-evaluations", "5000"});
  EXPECT_EQ(run.status, 1);
  const auto rows = rows_of(run.out);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][3], "finished");
  EXPECT_NE(rows[4][3], "finished");
  EXPECT_NEAR(std::stod(rows[4][1]), 1, 1e-3) << "where it blows up";
  EXPECT_NE(run.error.find("of 4 trajectories did not finish"), std::string::npos) << run.error;
}

TEST(sweep, sums_up_extrema_and_events) {
  const temporary_file file("thrown.toml",
                            "to = 20\n[parameters]\nv = 1\nomega = 2\n[position]\ny = 0\nx = 0\n[velocity]\ny = \"v\"\nx = \"omega\"\n"
                            "[acceleration]\ny = -1\nx = \"-omega^2*x\"\n[solver]\nrtol = 1e-10\natol = 1e-10\n"
                            "[[event]]\nname = \"middle\"\nwhen = \"x\"\n[[event]]\nname = \"ground\"\nwhen = \"y\"\nstop = true\n");
  const auto rows = rows_of(swept({file.path, "--vary", "v=2..4:3", "--extrema"}));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"v",
                                               "t",
                                               "y",
                                               "x",
                                               "y'",
                                               "x'",
                                               "min(y)",
                                               "max(y)",
                                               "min(x)",
                                               "max(x)",
                                               "min(y')",
                                               "max(y')",
                                               "min(x')",
                                               "max(x')",
                                               "count(middle)",
                                               "first(middle)",
                                               "last(middle)",
                                               "count(ground)",
                                               "first(ground)",
                                               "last(ground)",
                                               "outcome",
                                               "evaluations"}));
  constexpr double half_turn = 3.14159265358979323846 / 2;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double v = std::stod(rows[i][0]);
    const auto number = [&](std::size_t column) { return std::stod(rows[i][column]); };
    EXPECT_NEAR(number(1), 2 * v, 1e-8) << "until it comes down";
    EXPECT_NEAR(number(7), v * v / 2, 1e-8) << "the top";
    EXPECT_NEAR(number(8), -1, 1e-8);
    EXPECT_NEAR(number(9), 1, 1e-8);
    EXPECT_NEAR(number(13), 2, 1e-8);
    EXPECT_EQ(number(14), std::floor(2 * v / half_turn));
    EXPECT_NEAR(number(15), half_turn, 1e-7);
    EXPECT_NEAR(number(16), half_turn * number(14), 1e-7);
    EXPECT_EQ(rows[i][17], "1");
    EXPECT_EQ(rows[i][18], rows[i][1]);
    EXPECT_EQ(rows[i][20], "stopped by event");
  }
  // An event that never happens has no times.
  const auto before = rows_of(swept({file.path, "--vary", "v=2..4:2", "--to", "1"}));
  EXPECT_EQ(std::vector<std::string>(before[1].begin() + 6, before[1].begin() + 12), (std::vector<std::string>{"0", "", "", "0", "", ""}));
}

TEST(sweep, gives_to_the_bit_what_solve_gives_where_runs_are_watched) {
  const auto rows = rows_of(swept({lorenz, "--vary", "rho=20..28:3", "--to", "3", "--method", "rodas5p"}));
  ASSERT_EQ(rows.size(), 4u);
  const auto answer = nlohmann::json::parse(
      ensue_command({"solve", lorenz, "--set", "rho=" + rows[2][0], "--to", "3", "--method", "rodas5p", "--json"}).out);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(std::stod(rows[2][2 + c]), answer["state"][rows[0][2 + c]].get<double>());
}

TEST(sweep, takes_initial_values_computed_from_what_varies) {
  const temporary_file file("start.toml", "to = 1\n[parameters]\na = 1\n[state]\nx = \"2*a\"\n[derivative]\nx = \"-a*x\"\n");
  const auto rows = rows_of(swept({file.path, "--vary", "a=0..1:3", "--rtol", "1e-9"}));
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double a = std::stod(rows[i][0]);
    EXPECT_NEAR(std::stod(rows[i][2]), 2 * a * std::exp(-a), 1e-8);
  }
}

const char* const root = "to = 1\n[parameters]\na = 1\n[state]\nx = \"sqrt(a)\"\ny = 2\n[derivative]\nx = \"-a*x\"\ny = 0\n";

TEST(sweep, a_point_without_a_problem_has_a_row_that_says_so) {
  const temporary_file file("root.toml", root);
  std::string table;
  for (const char* backend : {"scalar", "lanes", "threads"}) {
    const command_run run = ensue_command({"sweep", file.path, "--vary", "a=-2..2:5", "--backend", backend});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(run.error.starts_with("ensue: bad input at 2 of 5 points; the first: " + file.path + ":5:")) << run.error;
    EXPECT_TRUE(run.error.ends_with("(where a = -2)\n")) << run.error;
    if (table.empty()) table = run.out;
    EXPECT_EQ(run.out, table) << backend;
  }
  const auto rows = rows_of(table);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"-2", "", "", "", "bad input", "0"}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"-1", "", "", "", "bad input", "0"}));
  EXPECT_EQ(rows[5][4], "finished");
  EXPECT_NEAR(std::stod(rows[5][2]), std::sqrt(2.) * std::exp(-2.), 1e-6);
}

/// The rows of the first thousand wait for one that can be run.
TEST(sweep, is_refused_where_no_point_has_a_problem) {
  const temporary_file file("root.toml", root);
  const command_run none = ensue_command({"sweep", file.path, "--vary", "a=-2..-1:2000", "--output", file.folder.file("ends.csv")});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(none.error.ends_with("(where a = -2)\n")) << none.error;
  EXPECT_FALSE(std::filesystem::exists(file.folder.file("ends.csv")));
  const command_run last = ensue_command({"sweep", file.path, "--vary", "a=-1..0:2000", "--to", "0.1"});
  EXPECT_EQ(last.status, 1);
  EXPECT_EQ(rows_of(last.out).size(), 2001u);
}

TEST(sweep, unknown_names_are_refused_where_the_first_point_is_wrong_too) {
  const temporary_file file("root.toml", root);
  EXPECT_EQ(ensue_command({"sweep", file.path, "--vary", "a=-1..1:3", "--vary", "b=0..1:2"}).status, 2);
}

TEST(sweep, spans_the_whole_range_of_numbers) {
  const temporary_file file("still.toml", "to = 1\n[state]\nx = 1\n[derivative]\nx = 0\n");
  const auto rows = rows_of(swept({file.path, "--vary", "x=-1e308..1e308:5", "--method", "rk4", "--step", "1"}));
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& [row, x] : {std::pair(1u, "-1e+308"), std::pair(2u, "-5e+307"), std::pair(3u, "0"), std::pair(5u, "1e+308")}) {
    EXPECT_EQ(rows[row][0], x);
    EXPECT_EQ(rows[row][2], x);
  }
}

TEST(sweep, says_what_is_wrong) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sweep");
    const command_run run = ensue_command(arguments);
    EXPECT_EQ(run.status, 2) << run.out;
    return run.error;
  };
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28"}), "--vary rho=0..28: expected name=a..b:n\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "r=0..28:3"}), "--vary: unknown name `r`, expected a parameter or an initial value\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28:2.5"}), "--vary rho = 2.5: expected a whole number up to 1000000000000\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..1:2", "--vary", "rho=0..1:2"}), "--vary: found `rho` a second time, expected it once\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28:2", "--backend", "x"}), "--backend x: expected one of scalar, lanes, threads\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..1:2", "--set", "rho=3"}), "--vary: found `rho` in --set, too, expected it in one of them\n");
  EXPECT_TRUE(complaint({lorenz, "--vary", "rho=0..28:2", "--seed", "3"}).starts_with("--seed requires --sample\n"));
}

}  // namespace
