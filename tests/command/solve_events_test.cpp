/// Events of a problem file in `ensue solve`: what is reported, what they do, how the run ends.
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace ensue::tests;

// A ball from a height of 1 under g = 2: it falls for one unit of time, with x = 1 − t², and arrives with x' = −2.
const std::string ball =
    "title = \"Ball\"\nto = 4\n[parameters]\nkept = 1\n[position]\nx = 1\n[velocity]\nx = 0\n[acceleration]\nx = -2\n"
    "[invariants]\nenergy = \"x'^2/2 + 2*x\"\n[[event]]\nname = \"floor\"\nwhen = \"x\"\ndirection = \"falling\"\n";
const std::string bounces = "set = { \"x'\" = \"-kept*x'\" }\n", stops = "stop = true\n";

const std::string circle =
    "to = \"4*pi\"\n[state]\nx = 1\ny = 0\n[derivative]\nx = \"-y\"\ny = \"x\"\n"
    "[[event]]\nname = \"x is zero\"\nwhen = \"x\"\n[[event]]\nname = \"top\"\nwhen = \"x\"\ndirection = \"falling\"\n";

TEST(solve_events, are_reported_with_names_and_times) {
  const temporary_file file("circle.toml", circle);
  const json events = solved({file.path, "--rtol", "1e-10"})["events"];
  ASSERT_EQ(events.size(), 6u);
  const std::vector<std::string> names{"x is zero", "top", "x is zero", "x is zero", "top", "x is zero"};
  const double times[] = {0.5, 0.5, 1.5, 2.5, 2.5, 3.5};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(events[i]["name"], names[i]);
    EXPECT_NEAR(events[i]["t"], times[i] * std::numbers::pi, 1e-8);
    EXPECT_EQ(events[i].size(), 2u);
  }
  const std::string said = solve({file.path}).out;
  EXPECT_TRUE(mentions(said, "events  x is zero at t = 1.5707")) << said;
  EXPECT_TRUE(mentions(said, "        top at t = 7.85")) << said;
}

TEST(solve_events, backwards) {
  const temporary_file file("circle.toml", circle);
  const json events = solved({file.path, "--rtol", "1e-10", "--to", "-pi"})["events"];
  ASSERT_EQ(events.size(), 2u) << "along the run x falls through zero";
  EXPECT_NEAR(events[0]["t"], -0.5 * std::numbers::pi, 1e-8);
}

TEST(solve_events, of_many_a_dozen_is_shown) {
  const temporary_file file("circle.toml", circle);
  const std::string said = solve({file.path, "--to", "100"}).out;
  EXPECT_TRUE(mentions(said, "… and 36 more; --json has all of them")) << said;
  EXPECT_EQ(solved({file.path, "--to", "100"})["events"].size(), 48u);
}

TEST(solve_events, set_changes_the_state) {
  const temporary_file file("ball.toml", ball + bounces);
  const json answer = solved({file.path});
  ASSERT_EQ(answer["events"].size(), 2u);
  EXPECT_NEAR(answer["events"][0]["t"], 1, 1e-6);
  EXPECT_NEAR(answer["events"][1]["t"], 3, 1e-6);
  EXPECT_NEAR(answer["state"]["x"], 1, 1e-5) << "at the top again";
  EXPECT_LT(answer["invariants"]["energy"]["largest_drift"], 1e-5);
  const json lossy = solved({file.path, "--set", "kept=1/2", "--to", "1.5"});
  EXPECT_NEAR(lossy["state"]["x"], 0.25, 1e-5);
  EXPECT_NEAR(lossy["invariants"]["energy"]["largest_drift"], 1.5, 1e-5);
}

// Every one is computed from the state before any of them is set.
/// The method does not start again: the state is that of the run without the change.
TEST(solve_events, a_change_to_the_same_state_is_none) {
  const temporary_file only_noted("circle.toml", circle);
  const temporary_file changed("changing.toml", circle + "set = { x = \"x\" }\n");
  for (const std::string method : {"dp54", "esdirk4", "bdf"}) {
    const json noted = solved({only_noted.path, "--method", method}), set = solved({changed.path, "--method", method});
    EXPECT_EQ(noted["state"], set["state"]) << method;
    EXPECT_EQ(noted["statistics"]["evaluations"], set["statistics"]["evaluations"]) << method;
  }
}

TEST(solve_events, several_components_are_set_at_once) {
  const temporary_file file("swap.toml",
                            "to = 2\n[state]\nx = 1\ny = 5\n[derivative]\nx = 0\ny = 0\n[[event]]\nname = \"swap\"\n"
                            "when = \"t - 1\"\nset = { x = \"y\", y = \"x + t\" }\n");
  const json answer = solved({file.path});
  EXPECT_EQ(answer["state"]["x"], 5.);
  EXPECT_NEAR(answer["state"]["y"], 2, 1e-12);
}

TEST(solve_events, stop_is_what_the_file_asked_for) {
  const temporary_file file("ball.toml", ball + stops);
  const scratch_table out;
  const json answer = solved({file.path, "--every", "0.4", "--output", out.csv, "--check"});
  EXPECT_EQ(answer["outcome"], "stopped by event");
  EXPECT_NEAR(answer["t"], 1, 1e-9);
  EXPECT_NEAR(answer["state"]["x"], 0, 1e-9);
  EXPECT_NEAR(answer["state"]["x'"], -2, 1e-9);
  EXPECT_TRUE(mentions(answer["message"], "event floor")) << answer["message"];
  EXPECT_LT(answer["error"]["estimate"], 1e-6);
  const table csv = read_csv(out.csv);
  ASSERT_EQ(csv.rows.size(), 4u) << "0, 0.4, 0.8, and where it stopped";
  EXPECT_EQ(csv.rows.back()[0], answer["t"]);
  const command_run quiet = solve({file.path, "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.error, "");
}

TEST(solve_events, accumulating_ones_end_the_run_early) {
  const temporary_file file("ball.toml", ball + bounces);
  const json answer = solved({file.path, "--set", "kept=1/2"}, 1);
  EXPECT_EQ(answer["outcome"], "events accumulating");
  EXPECT_NEAR(answer["t"], 3, 1e-6) << "1 + 2·(1/2 + 1/4 + …)";
  EXPECT_TRUE(mentions(answer["message"], "event floor"));
}

TEST(solve_events, a_table_of_steps_has_both_sides_of_a_change) {
  const temporary_file file("ball.toml", ball + bounces);
  const scratch_table out;
  const json answer = solved({file.path, "--to", "2", "--output", out.csv});
  const table csv = read_csv(out.csv);
  const double t = answer["events"][0]["t"];
  std::vector<double> velocities;
  for (const auto& row : csv.rows)
    if (row[0] == t) velocities.push_back(row[2]);
  ASSERT_EQ(velocities.size(), 2u);
  EXPECT_NEAR(velocities[0], -2, 1e-6);
  EXPECT_NEAR(velocities[1], 2, 1e-6);
}

// Two runs meet a bounce at times that differ in the last digits, here at an output point: there the difference is no error.
TEST(solve_events, the_check_goes_through_changes) {
  const temporary_file file("oscillator.toml",
                            "to = \"2*pi\"\n[state]\nx = 1\ny = 0\n[derivative]\nx = \"-y\"\ny = \"x\"\n"
                            "[[event]]\nname = \"mirror\"\nwhen = \"x\"\nset = { y = \"-y\" }\n");
  for (const char* points : {"--every=pi/2", "--points=201", "--quiet"})
    for (const char* to : {"6", "-6"})
      for (const char* method : {"dp54", "bs32", "tsit5", "vern9"}) {
        const json answer = solved({file.path, "--check", points, "--to", to, "--method", method});
        EXPECT_GE(answer["events"].size(), 2u);
        EXPECT_LT(answer["error"]["estimate"], 1e-4) << points << " " << to << " " << method;
        EXPECT_GT(answer["error"]["estimate"], 1e-12) << points << " " << to << " " << method;
      }
}

TEST(solve_events, the_file_says_which_points) {
  const std::string decay = "to = 1\n[state]\nx = 1\n[derivative]\nx = \"-x\"\n[output]\n";
  const auto times = [&](const std::string& output, std::vector<std::string> extra) {
    const temporary_file file("decay.toml", decay + output);
    const scratch_table out;
    extra.insert(extra.begin(), {file.path, "--output", out.csv});
    solved(extra);
    return read_csv(out.csv).column(0);
  };
  EXPECT_EQ(times("points = 3\n", {}), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(times("every = 0.75\n", {}), (std::vector<double>{0, 0.75, 1}));
  EXPECT_EQ(times("points = 3\n", {"--points", "2"}), (std::vector<double>{0, 1}));
  EXPECT_EQ(times("points = 3\n", {"--every", "0.75"}), (std::vector<double>{0, 0.75, 1}));
}

}  // namespace
