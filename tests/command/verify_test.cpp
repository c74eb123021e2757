/// `ensue verify`: every published number, and ours beside it.
#include "published/end_states.hpp"
#include "published/stiff_problems.hpp"
#include "support/command.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace ensue::tests;
using nlohmann::json;

/// What has rows: every problem of the reference set, and the physics that the models are judged by.
std::vector<std::string> published() {
  std::vector<std::string> all = {"Kepler, e = 0.6: ",
                                  "two bodies of n_body, e = 0.6: ",
                                  "pendulum of 1 m let go at 90 degrees: period",
                                  "outer solar system: energy",
                                  "thrown box: energy",
                                  "thrown box, from its mesh: principal moments of inertia",
                                  "thrown box of rigid_bodies: spin",
                                  "thrown box, free-rotation: period",
                                  "thrown box, semi-implicit-euler: position error",
                                  "chain of 40 masses, mode 35: frequency",
                                  "chain of 100 masses: longest stable step",
                                  "hanging chain of 61 masses: sag",
                                  "stretched string of 101 masses: speed",
                                  "cantilever, meshes of 2 and 4 cells across extrapolated: deflection",
                                  "cantilever, meshes of 2 and 4 cells across extrapolated: first frequency"};
  for (const auto& end : ensue::end_states()) all.push_back(std::string(end.problem) + ": state at t = ");
  for (const auto& problem : ensue::stiff_problems()) all.push_back(problem.file + ": state at t = ");
  return all;
}

TEST(verify_command, holds_in_every_row) {
  const auto run = ensue_command({"verify", "--json"});
  EXPECT_EQ(run.status, 0);
  const json rows = json::parse(run.out);
  EXPECT_GE(rows.size(), 60u);
  for (const json& row : rows) {
    EXPECT_TRUE(row["holds"].get<bool>()) << row;
    EXPECT_LE(row["difference"].get<double>(), row["within"].get<double>()) << row;
    EXPECT_LE(std::abs(row["theirs"].get<double>() - row["ours"].get<double>()),
              row["within"].get<double>() * (row["size"].get<double>() + std::abs(row["theirs"].get<double>())))
        << row;
    EXPECT_FALSE(row["source"].get<std::string>().empty());
  }
  for (const std::string& what : published())
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const json& row) {
      return row["what"].get<std::string>().starts_with(what);
    })) << what;
}

TEST(verify_command, shows_a_row_a_number) {
  if (sanitized) GTEST_SKIP() << "half a minute for what the test above has computed";
  const auto run = ensue_command({"verify"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("pleiades"), std::string::npos);
  EXPECT_NE(run.out.find("theirs"), std::string::npos);
  EXPECT_EQ(run.out.find("  off"), std::string::npos);
}

}  // namespace
