/// `ensue verify`: every published number, and ours beside it.
#include "end_states.hpp"
#include "stiff_problems.hpp"
#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace {

using namespace ensue::tests;
using nlohmann::json;

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
}

/// Every problem of the reference set, and the physics that the models are judged by.
TEST(verify_command, has_a_row_of_everything_published) {
  const std::string out = ensue_command({"verify"}).out;
  for (const auto& problem : ensue::end_states()) EXPECT_NE(out.find("\n" + std::string(problem.problem) + ": "), std::string::npos) << problem.problem;
  for (const auto& problem : ensue::stiff_problems()) EXPECT_NE(out.find("\n" + problem.file + ": "), std::string::npos) << problem.file;
  for (const char* what : {"Kepler", "two bodies of n_body", "pendulum", "outer solar system", "thrown box", "chain of 40 masses, mode 35: frequency",
                           "longest stable step", "hanging chain", "speed of a wave", "deflection", "first frequency"})
    EXPECT_NE(out.find(what), std::string::npos) << what;
}

TEST(verify_command, shows_a_row_a_number) {
  const auto run = ensue_command({"verify"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("pleiades"), std::string::npos);
  EXPECT_NE(run.out.find("theirs"), std::string::npos);
  EXPECT_EQ(run.out.find("  off"), std::string::npos);
}

}  // namespace
