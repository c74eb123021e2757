/// `ensue solve --check`: the error by a second run is the error.
#include <ensue/registry.hpp>

#include "support/registered.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace ensue::tests;

/// The second run errs too, by up to its own tolerance: `floor`.
void expect_within(double factor, const json& answer, const std::string& what, double floor = 0) {
  const double largest = answer["error"]["largest"], estimate = answer["error"]["estimate"];
  EXPECT_LT(estimate, std::max(factor * largest, floor)) << what;
  EXPECT_GT(estimate, largest / factor) << what;
}

TEST(solve_check, estimates_the_error_of_every_method) {
  for (const ensue::method_info* method : registered_first_order_methods()) {
    const std::string name(method->name);
    std::vector<std::string> arguments{example("decay"), "--check", "--method", name, "--points", "51"};
    std::vector<std::string> fixed = arguments, adaptive = arguments;
    fixed.insert(fixed.end(), {"--step", "0.5"});
    expect_within(1.01, solved(fixed), name + " with fixed steps");
    if (!method->adaptive) continue;
    adaptive.insert(adaptive.end(), {"--rtol", "1e-6"});
    expect_within(5, solved(adaptive), name, 1e-7);
  }
}

TEST(solve_check, the_first_run_is_unchanged) {
  const json checked = solved({example("kepler"), "--check"}), plain = solved({example("kepler")});
  for (const char* part : {"state", "method", "invariants", "t"}) EXPECT_EQ(checked[part], plain[part]);
  EXPECT_EQ(checked["statistics"]["evaluations"], plain["statistics"]["evaluations"]);
  EXPECT_EQ(checked["error"].size(), 3u) << "the estimate, and its two parts";
  EXPECT_FALSE(plain.contains("error"));
}

TEST(solve_check, backwards_and_fixed_steps) {
  expect_within(3, solved({example("decay"), "--check", "--to", "-2"}), "backwards");
  expect_within(1.01, solved({example("decay"), "--check", "--to", "-2", "--method", "rk4", "--step", "0.1"}), "rk4");
  expect_within(1.01, solved({example("decay"), "--check", "--method", "dp54", "--step", "0.25"}), "dp54, fixed");
}

TEST(solve_check, is_over_the_output_points_and_the_end) {
  const double ends = solved({example("decay"), "--check", "--points", "2"})["error"]["estimate"];
  const double many = solved({example("decay"), "--check", "--points", "1001"})["error"]["estimate"];
  EXPECT_GT(many, 2 * ends);
  EXPECT_GT(ends, 0);
}

TEST(solve_check, an_early_end_is_checked_as_far_as_it_went) {
  const json answer = solved({example("lorenz"), "--check", "--max-evaluations", "1000"}, 1);
  EXPECT_LT(answer["error"]["estimate"], 1e-3);
  EXPECT_GT(answer["error"]["estimate"], 1e-9);
}

TEST(solve_check, is_said_in_the_summary) {
  const command_run run = solve({example("kepler"), "--check"});
  EXPECT_TRUE(mentions(run.out, "check             error about ")) << run.out;
  EXPECT_TRUE(mentions(run.out, "by vern7 with tighter tolerances")) << run.out;
  EXPECT_TRUE(mentions(solve({example("kepler"), "--check", "--method", "vern9"}).out, "by dop853 with"));
  const command_run quiet = solve({example("kepler"), "--check", "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.error, "");
}

// Where the second run does not arrive there is no estimate, and that is said: f jumps where only fixed steps do not mind.
TEST(solve_check, says_where_there_is_no_estimate) {
  const temporary_file file("p.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"1/(t - 1.05)\"\n");
  const std::vector<std::string> arguments{file.path, "--method", "euler", "--step", "0.1", "--check"};
  const json answer = solved(arguments, 1);
  EXPECT_EQ(answer["outcome"], "finished");
  EXPECT_TRUE(answer["error"]["estimate"].is_null());
  const command_run said = solve(arguments);
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(mentions(said.out, "the error could not be estimated: vern7")) << said.out;
}

}  // namespace
