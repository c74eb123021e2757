/// The command that `ensue compare` advises does what it promises: run alone, at the times that the help names.
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <regex>
#include <sstream>

namespace {

using namespace ensue::tests;

json advised(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--patience", "200", "--json"});
  const command_run run = ensue_command(arguments);
  EXPECT_EQ(run.status, 0) << run.error;
  return json::parse(run.out)["advice"];
}

// As a shell would take it apart; nothing in it has spaces.
std::vector<std::string> arguments_of(const json& advice) {
  std::vector<std::string> words;
  std::istringstream line(std::regex_replace(advice["command"].get<std::string>(), std::regex("^ensue |'"), ""));
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

/// The largest error of the first component at the points of the table that the advised command writes.
double error_at_its_points(const json& advice, const std::function<double(double)>& exact) {
  const temporary_folder folder;
  std::vector<std::string> arguments = arguments_of(advice);
  arguments.insert(arguments.end(), {"--quiet", "--output", folder.file("points.csv")});
  EXPECT_EQ(ensue_command(arguments).status, 0);
  const table points = read_csv(folder.file("points.csv"));
  EXPECT_EQ(points.rows.size(), 21u) << "both ends";
  double largest = 0;
  for (const auto& row : points.rows) largest = std::max(largest, std::abs(row[1] - exact(row[0])));
  return largest;
}

// Steps of implicit methods pass many of the times: judged at their ends, where the stiff problem holds them, ten steps seem to do.
TEST(compare_advice, holds_between_steps_of_a_stiff_problem) {
  const temporary_file file("sharp.toml", "to = 10\n[state]\nx = 0\n[derivative]\nx = \"-1e5*(x - sin(t)) + cos(t)\"\n");
  for (const char* error : {"1e-2", "1e-4", "1e-7"}) {
    const json advice = advised({file.path, "--error", error});
    EXPECT_LE(error_at_its_points(advice, [](double t) { return std::sin(t); }), std::stod(error)) << advice;
  }
}

// What [solver] says beside method and tolerances holds for the advised command as well.
TEST(compare_advice, is_measured_with_the_files_own_settings) {
  const temporary_file file("steps.toml",
                            "to = 5\n[solver]\nmax_step = 0.05\ncompensated = true\n[state]\nx = 1\n[derivative]\nx = \"-2*x\"\n[exact]\nx = "
                            "\"exp(-2*t)\"\n");
  const json advice = advised({file.path, "--error", "1e-5"});
  std::vector<std::string> arguments = arguments_of(advice);
  arguments.push_back("--json");
  const json run = json::parse(ensue_command(arguments).out);
  EXPECT_EQ(run["statistics"]["evaluations"], advice["evaluations"]);
  EXPECT_EQ(run["statistics"]["steps"], advice["steps"]);
  EXPECT_GE(run["statistics"]["steps"], 100);
  EXPECT_NEAR(run["error"]["largest"].get<double>(), advice["error"].get<double>(), 1e-3 * advice["error"].get<double>());
}

// A pulse of 1/2500 of the span, between two of the 20 times.
TEST(compare_advice, sees_a_short_pulse) {
  const temporary_file file("pulse.toml", "to = 100\n[state]\nx = 0\n[derivative]\nx = \"exp(-((t - 52.7)/0.02)^2)\"\n");
  const json advice = advised({file.path, "--error", "1e-3"});
  const double area = 0.02 * std::sqrt(std::acos(-1.));
  EXPECT_LE(error_at_its_points(advice, [&](double t) { return t > 52.7 ? area : 0; }), 1e-3 * area) << advice;
}

TEST(compare_advice, errors_that_nothing_can_tell_are_refused) {
  const temporary_file file("decay.toml", "to = 5\n[state]\nx = 1\n[derivative]\nx = \"-2*x\"\n");
  const command_run rounding = ensue_command({"compare", file.path, "--error", "1e-30"});
  EXPECT_EQ(rounding.status, 2);
  EXPECT_EQ(rounding.error, "--error 1e-30: expected at least 1e-13: smaller errors cannot be told from rounding\n");

  // Kepler's orbit, ten times: the reference is known to some 1e-11.
  const command_run finer = ensue_command({"compare", example("kepler"), "--error", "1e-12", "--json"});
  EXPECT_EQ(finer.status, 1);
  const json answer = json::parse(finer.out);
  EXPECT_TRUE(answer["advice"].is_null());
  EXPECT_EQ(finer.error, "ensue: " + answer["failure"].get<std::string>() + "\n");
  EXPECT_TRUE(mentions(finer.error, "apart, so that no error below ")) << finer.error;
  EXPECT_FALSE(mentions(finer.error, "magnifies")) << finer.error;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(finer.error, found, std::regex("Ask for an --error of ([0-9.e-]+) or more")));
  EXPECT_EQ(ensue_command({"compare", example("kepler"), "--error", found[1].str(), "--quiet", "--patience", "200"}).status, 0);
}

}  // namespace
