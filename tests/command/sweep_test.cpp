// ensue sweep: the rows are those of single solves, and the same whatever runs them.
#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
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
  EXPECT_EQ(rows[0], (std::vector<std::string>{"rho", "x", "x", "y", "z", "outcome", "evaluations"}));
  EXPECT_EQ(rows[1][0], "0");
  EXPECT_EQ(rows[16][0], "28");
  EXPECT_EQ(rows[16][1], "2");
  for (const std::size_t i : {2u, 9u, 16u}) {
    const command_run run =
        ensue_command({"solve", lorenz, "--set", "rho=" + rows[i][0], "--set", "x=" + rows[i][1], "--to", "5", "--json"});
    const auto answer = nlohmann::json::parse(run.out);
    EXPECT_EQ(rows[i][5], "finished");
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(std::stod(rows[i][2 + c]), answer["state"][rows[0][2 + c]].get<double>(), 1e-4) << "row " << i;
  }
}

TEST(sweep, is_the_same_with_every_backend) {
  const auto of = [](const char* backend) { return swept({lorenz, "--vary", "rho=0..28:500", "--to", "2", "--backend", backend}); };
  const std::string scalar = of("scalar");
  EXPECT_EQ(scalar, of("lanes"));
  EXPECT_EQ(scalar, of("threads"));
  const auto sample = [](const char* seed) {
    return swept({lorenz, "--vary", "rho=0..28", "--sample", "20", "--seed", seed, "--to", "1"});
  };
  EXPECT_EQ(sample("7"), sample("7"));
  EXPECT_NE(sample("7"), sample("8"));
}

TEST(sweep, takes_equations_of_second_order_and_computed_parameters) {
  const temporary_file file(
      "spring.toml",
      "to = 1\n[parameters]\nk = 4\nm = 1\nomega = \"sqrt(k/m)\"\n[position]\nx = 1\ny = 0\n[velocity]\nx = 0\ny = 0.5\n"
      "[acceleration]\nx = \"-omega^2*x\"\ny = \"-y\"\n[solver]\nrtol = 1e-10\n");
  const auto rows = rows_of(swept({file.path, "--vary", "k=1..9:3", "--vary", "x'=0..1:2", "--method", "vern7"}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"k", "x'", "x", "y", "x'", "y'", "outcome", "evaluations"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double omega = std::sqrt(std::stod(rows[i][0])), v = std::stod(rows[i][1]);
    EXPECT_NEAR(std::stod(rows[i][2]), std::cos(omega) + v / omega * std::sin(omega), 1e-8);
    EXPECT_NEAR(std::stod(rows[i][3]), 0.5 * std::sin(1.), 1e-8);
    EXPECT_NEAR(std::stod(rows[i][4]), -omega * std::sin(omega) + v * std::cos(omega), 1e-7);
  }
}

TEST(sweep, says_how_each_run_ended) {
  const temporary_file file("blow.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const command_run run = ensue_command({"sweep", file.path, "--vary", "x=0.1..1:4", "--max-evaluations", "5000"});
  EXPECT_EQ(run.status, 1);
  const auto rows = rows_of(run.out);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][2], "finished");
  EXPECT_NE(rows[4][2], "finished");
  EXPECT_NE(run.error.find("of 4 trajectories did not finish"), std::string::npos) << run.error;
}

TEST(sweep, says_what_is_wrong) {
  const temporary_file file("start.toml", "to = 1\n[parameters]\na = 1\n[state]\nx = \"2*a\"\n[derivative]\nx = \"-a*x\"\n");
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sweep");
    const command_run run = ensue_command(arguments);
    EXPECT_EQ(run.status, 2) << run.out;
    return run.error;
  };
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28"}), "--vary rho=0..28: expected name=a..b:n\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "r=0..28:3"}), "--vary: unknown name `r`, expected a parameter or a component of the state\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28:2.5"}), "--vary rho = 2.5: expected a whole number up to 1000000000000\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28:2", "--method", "rodas5p"}),
            "--method rodas5p: a sweep takes rk4, bs32, dp54, tsit5, vern7, dop853\n");
  EXPECT_EQ(complaint({lorenz, "--vary", "rho=0..28:2", "--backend", "x"}), "--backend x: expected one of scalar, lanes, threads\n");
  EXPECT_NE(complaint({(tree / "examples/hanging_cloth.toml").string(), "--vary", "stiffness=1..2:2"}).find("found a built-in model"), std::string::npos);
  EXPECT_EQ(complaint({file.path, "--vary", "a=0..1:2"}),
            "--vary: the initial value `x` is computed from what varies, expected a number that does not\n");
}

}  // namespace
