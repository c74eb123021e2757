/// `ensue solve` on a long run: progress on a terminal and nowhere else, Ctrl-C.
#include "support/solve_command.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace ensue::tests;

std::vector<std::string> for_ever(std::vector<std::string> extra) {
  extra.insert(extra.begin(), {"solve", example("lorenz"), "--to", "1e9", "--max-evaluations", "1e15"});
  return extra;
}

TEST(solve_interrupt, ctrl_c_ends_with_what_was_reached) {
  const temporary_folder folder;
  const std::string out = folder.file("out"), error = folder.file("error"), csv = folder.file("lorenz.csv");
  const running_command run(for_ever({"--json", "--check", "--every", "1", "--output", csv}), out, error);
  run.wait_until_it_listens();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(std::filesystem::exists(csv)) << "not before it is whole";
  run.interrupt();
  EXPECT_EQ(run.status(), 1);
  const json answer = json::parse(content_of(out));
  EXPECT_EQ(answer["outcome"], "cancelled");
  EXPECT_GT(answer["t"], 0);
  EXPECT_TRUE(answer["error"]["estimate"].is_null());
  const table reached = read_csv(csv);
  ASSERT_GT(reached.rows.size(), 2u);
  EXPECT_EQ(reached.rows.back()[0], answer["t"]);
  EXPECT_EQ(reached.rows.back()[1], answer["state"]["x"]);
  const std::string said = content_of(error);
  EXPECT_TRUE(said.starts_with("ensue: cancelled at t = ")) << said;
  EXPECT_FALSE(mentions(said, "left")) << "no progress where standard error is a file: " << said;
}

// The answer is said even if the table cannot be moved to its place: meanwhile there is a folder.
TEST(solve_interrupt, a_table_that_cannot_be_written_in_the_end) {
  const temporary_folder folder;
  const std::string out = folder.file("out"), error = folder.file("error"), csv = folder.file("lorenz.csv");
  const running_command run(for_ever({"--json", "--every", "1", "--output", csv}), out, error);
  run.wait_until_it_listens();
  std::filesystem::create_directory(csv);
  run.interrupt();
  EXPECT_EQ(run.status(), 1);
  EXPECT_EQ(json::parse(content_of(out))["outcome"], "cancelled");
  EXPECT_TRUE(mentions(content_of(error), "lorenz.csv could not be written: Is a directory")) << content_of(error);
  std::filesystem::remove(csv);
  EXPECT_FALSE(std::filesystem::exists(csv));
}

TEST(solve_interrupt, progress_on_a_terminal) {
  const std::string text = shown_on_a_terminal(for_ever({}), std::chrono::milliseconds(2000));
  EXPECT_TRUE(text.starts_with("\rt = ")) << text;
  for (const char* part : {" of 1e+09, 0 %, ", " a second, ", " left\x1b[K"}) EXPECT_TRUE(mentions(text, part)) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << "gone at the end: " << text;
  const auto lines = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(lines, 3) << text;
  EXPECT_LE(lines, 14) << "ten times in the second after the first one";
}

TEST(solve_interrupt, no_progress_in_the_first_second_nor_if_quiet) {
  EXPECT_EQ(shown_on_a_terminal(for_ever({}), std::chrono::milliseconds(300)), "");
  EXPECT_FALSE(mentions(shown_on_a_terminal(for_ever({"--quiet"}), std::chrono::milliseconds(1500)), "left"));
}

}  // namespace
