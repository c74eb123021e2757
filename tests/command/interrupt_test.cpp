/// Ctrl-C, and SIGTERM, on long sweeps and sculptures.
#include "support/running_command.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace {

using namespace ensue::tests;

const std::string lorenz = (tree / "examples/lorenz.toml").string();

struct ended_command {
  int status = 0;
  double seconds = 0;
  std::string out, error, file;  ///< `file`: what stands at the place asked for
  std::size_t files = 0;
};

/// What is left of a command that writes a file of this name, interrupted after so long.
ended_command interrupted(std::vector<std::string> arguments, const std::string& name, int signal, std::chrono::milliseconds after) {
  const temporary_folder folder, said;
  const std::string out = said.file("out"), error = said.file("error");
  arguments.insert(arguments.end(), {"--output", folder.file(name)});
  const running_command run(arguments, out, error);
  run.wait_until_it_listens();
  std::this_thread::sleep_for(after);
  run.interrupt(signal);
  const auto began = std::chrono::steady_clock::now();
  ended_command ended;
  ended.status = run.status();
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  ended.out = content_of(out), ended.error = content_of(error), ended.file = content_of(folder.file(name));
  ended.files = static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.file("")), {}));
  return ended;
}

/// One begins with the other.
bool agree(const std::string& a, const std::string& b) { return a.starts_with(b) || b.starts_with(a); }

/// The rows are the first of those that a sweep to its end has: the last points are harder by far, and do not come to theirs.
void expect_clean_prefix(std::vector<std::string> arguments, int signal) {
  const temporary_file file("slow.toml",
                            "to = 1\n[parameters]\na = 0\n[state]\nx = 1\ny = 0\n[derivative]\n"
                            "x = \"exp(1.7*a)*y\"\ny = \"-exp(1.7*a)*x\"\n[solver]\nmax_evaluations = 1e15\n");
  arguments.insert(arguments.begin(), {"sweep", file.path});
  std::vector<std::string> easy = arguments, hard = arguments;
  easy.insert(easy.end(), {"--vary", "a=0..4:5"});
  hard.insert(hard.end(), {"--vary", "a=0..16:17"});
  const ended_command ended = interrupted(hard, "ends.csv", signal, std::chrono::milliseconds(700));
  EXPECT_EQ(ended.status, 1);
  EXPECT_LT(ended.seconds, 10);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.files, 1u) << "the table and nothing else";
  EXPECT_TRUE(agree(ended.file, ensue_command(easy).out)) << ended.file;
  EXPECT_EQ(ended.file.find("cancelled"), std::string::npos) << ended.file;
  const auto rows = std::count(ended.file.begin(), ended.file.end(), '\n') - 1;
  EXPECT_GE(rows, 1);
  EXPECT_EQ(ended.error, "ensue: cancelled after " + std::to_string(rows) + " of 17 points\n");
}

TEST(interrupt, sweep_side_by_side_keeps_the_rows_up_to_there) {
  for (const char* backend : {"scalar", "lanes", "threads"}) expect_clean_prefix({"--backend", backend}, SIGINT);
}

TEST(interrupt, sweep_one_by_one_keeps_the_rows_up_to_there) {
  for (const char* backend : {"scalar", "threads"}) expect_clean_prefix({"--extrema", "--backend", backend}, SIGTERM);
}

TEST(interrupt, sculpt_leaves_nothing) {
  const std::string stroke = (tree / "examples/strokes/test0_righthandstroke.bin").string();
  const std::vector<std::string> moving = {"sculpt", "--sphere", sanitized ? "2e5" : "4e6", "--stroke", stroke, "--every-frame", "--no-culling", "--json"};
  const std::vector<std::string> measuring = {"sculpt", "--sphere", "1e6", "--stroke", stroke, "--check", "1e6", "--json"};
  for (const auto& arguments : {moving, measuring}) {
    const ended_command ended = interrupted(arguments, "clay.obj", SIGINT, std::chrono::milliseconds(100));
    EXPECT_EQ(ended.status, 1);
    EXPECT_LT(ended.seconds, 10);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.error, "ensue: cancelled, nothing is written\n");
    EXPECT_EQ(ended.files, 0u);
  }
}

}  // namespace
