/// `ensue compare` keeps to the time it is given, says what it is doing, and ends on Ctrl-C whatever that is.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"
#include "support/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace {

using namespace ensue::tests;

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Cloth in the wind: at the tolerance of the reference a run of many minutes.
TEST(compare_time, patience_holds_for_the_reference_too) {
  const auto began = std::chrono::steady_clock::now();
  const command_run run = ensue_command({"compare", example("flag"), "--error", "1e-2", "--patience", "1", "--json"});
  EXPECT_LT(seconds_since(began), 1 + 2);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(mentions(run.error, "of 1 in its part of --patience, which is 1 s. Give more patience, or shorten the run")) << run.error;
  EXPECT_TRUE(mentions(json::parse(run.out)["failure"].get<std::string>(), "nothing to measure errors against"));
}

// A loose goal that many methods meet: the methods at the end of the list are left out, the advice is there.
TEST(compare_time, patience_holds_for_everything_after_it) {
  if (sanitized) GTEST_SKIP() << "the reference alone takes longer";
  const auto began = std::chrono::steady_clock::now();
  const command_run run = ensue_command({"compare", example("fermi_pasta_ulam"), "--error", "1e-2", "--patience", "1.5"});
  EXPECT_LT(seconds_since(began), 1.5 + 2);
  if (run.status == 1) GTEST_SKIP() << "a busy machine: " << run.error;
  EXPECT_TRUE(mentions(run.out, "no time left of --patience 1.5")) << run.out;
  EXPECT_TRUE(mentions(run.out, "no time was left for them")) << run.out;
  EXPECT_TRUE(mentions(run.out, "  ensue solve ")) << run.out;
}

TEST(compare_time, progress_on_a_terminal) {
  const std::string text = shown_on_a_terminal({"compare", example("flag"), "--patience", "60"}, std::chrono::milliseconds(1500));
  EXPECT_TRUE(text.starts_with("\r1.")) << text;
  EXPECT_TRUE(mentions(text, " of 60 s: the reference, by vern9 at a tolerance of 1e-13\x1b[K")) << text;
  EXPECT_TRUE(mentions(text, "\r\x1b[Kensue: cancelled before there was a reference")) << "the line is gone before something is said: " << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 12) << "ten times a second";
}

struct ended_comparison {
  int status = 0;
  double seconds = 0;
  std::string out, error;
  std::size_t files = 0;
};

ended_comparison interrupted(std::vector<std::string> arguments, std::chrono::milliseconds after) {
  const temporary_folder folder, said;
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--patience", "100", "--plot", folder.file("work.svg")});
  const running_command run(arguments, said.file("out"), said.file("error"));
  run.wait_until_it_listens();
  std::this_thread::sleep_for(after);
  run.interrupt();
  const auto began = std::chrono::steady_clock::now();
  ended_comparison ended;
  ended.status = run.status();
  ended.seconds = seconds_since(began);
  ended.out = content_of(said.file("out")), ended.error = content_of(said.file("error"));
  ended.files = static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.file("")), {}));
  return ended;
}

TEST(compare_time, ctrl_c_while_the_reference_is_made) {
  const ended_comparison ended = interrupted({example("flag"), "--error", "1e-2"}, std::chrono::milliseconds(100));
  EXPECT_EQ(ended.status, 1);
  EXPECT_LT(ended.seconds, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.error, "ensue: cancelled before there was a reference to measure errors against\n");
  EXPECT_EQ(ended.files, 0u);
}

// What was measured is written, and nothing is advised.
TEST(compare_time, ctrl_c_while_runs_are_measured) {
  const ended_comparison ended = interrupted({example("fermi_pasta_ulam"), "--drift", "1e-30"}, std::chrono::milliseconds(sanitized ? 6000 : 1000));
  EXPECT_EQ(ended.status, 1);
  EXPECT_LT(ended.seconds, 2);
  if (mentions(ended.error, "before there was a reference")) GTEST_SKIP() << "a busy machine";
  EXPECT_EQ(ended.error, "ensue: cancelled; what was measured up to there is written\n");
  EXPECT_TRUE(mentions(ended.out, "\nvern9 ")) << ended.out;
  EXPECT_TRUE(mentions(ended.out, "  euler: not run: cancelled\n")) << ended.out;
  EXPECT_FALSE(mentions(ended.out, "ensue solve")) << ended.out;
  EXPECT_EQ(ended.files, 1u) << "the picture";
}

}  // namespace
