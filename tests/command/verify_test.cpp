/// `ensue verify`: every published number, and ours beside it.
#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace {

using namespace ensue::tests;
using nlohmann::json;

TEST(verify_command, holds_in_every_row) {
  const auto run = ensue_command({"verify", "--json"});
  EXPECT_EQ(run.status, 0);
  const json rows = json::parse(run.out);
  EXPECT_GE(rows.size(), 20u);
  for (const json& row : rows) {
    EXPECT_TRUE(row["holds"].get<bool>()) << row;
    EXPECT_LE(row["difference"].get<double>(), row["within"].get<double>()) << row;
    EXPECT_LE(std::abs(row["theirs"].get<double>() - row["ours"].get<double>()),
              row["within"].get<double>() * (1 + std::abs(row["theirs"].get<double>())))
        << row;
    EXPECT_FALSE(row["source"].get<std::string>().empty());
  }
}

TEST(verify_command, shows_a_row_a_number) {
  const auto run = ensue_command({"verify"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("pleiades"), std::string::npos);
  EXPECT_NE(run.out.find("theirs"), std::string::npos);
  EXPECT_EQ(run.out.find("  off"), std::string::npos);
}

}  // namespace
