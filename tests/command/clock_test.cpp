/// Issue 25, finding 6: where the clock has too few digits, that is said everywhere.
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue::tests;

std::string decay_from(const std::string& from, const std::string& span) {
  return "from = " + from + "\nto = \"" + from + " + " + span + "\"\n[state]\nx = 1\n[derivative]\nx = \"-x\"\n";
}

const std::string few_digits = "At t = 1e+16 the clock's numbers are 2 apart, too far for a span of 2; count time from nearer by.";

TEST(clock, that_has_too_few_digits_is_said) {
  const temporary_file file("p.toml", decay_from("1e16", "2"));
  const command_run said = solve({file.path}), quiet = solve({file.path, "--quiet"});
  EXPECT_EQ(said.status, 1) << "the error of the step is larger than the tolerance";
  EXPECT_TRUE(mentions(said.out, few_digits)) << said.out;
  EXPECT_EQ(quiet.status, 1);
  EXPECT_TRUE(mentions(quiet.error, few_digits)) << quiet.error;

  const json answer = solved({file.path}, 1);
  EXPECT_EQ(answer["outcome"], "finished");
  EXPECT_EQ(answer["tolerance_kept"], false);
  EXPECT_TRUE(mentions(answer["message"], few_digits));
}

TEST(clock, that_has_too_few_digits_gives_no_estimate) {
  const temporary_file file("p.toml", decay_from("1e16", "2"));
  const json answer = solved({file.path, "--check", "--method", "rk4", "--step", "2"}, 1);
  EXPECT_TRUE(answer["error"]["estimate"].is_null());
  EXPECT_TRUE(mentions(answer["check"]["failed"], "the clock's numbers are 2 apart"));
}

TEST(clock, with_digits_enough_is_not_mentioned) {
  const temporary_file file("p.toml", decay_from("1e9", "2"));
  const json answer = solved({file.path, "--check"});
  EXPECT_FALSE(mentions(answer["message"], "clock"));
  EXPECT_FALSE(answer.contains("tolerance_kept"));
  EXPECT_LT(answer["error"]["estimate"], 1e-5);
}

}  // namespace
