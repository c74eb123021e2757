/// The command where memory is small: the end of the run is said, and the exit status is 1.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace {

using namespace ensue::tests;

const std::string problem = "to = 1\n[state]\nx = 1\ny = 0\n[derivative]\nx = \"y\"\ny = \"-x\"\n";

/// In a folder with `text` in p.toml and an address space of so many megabytes; sanitizers reserve terabytes.
struct small_machine {
  temporary_folder folder;
  explicit small_machine(const std::string& text) { std::ofstream(folder.file("p.toml")) << text; }

  command_run run(int megabytes, const std::string& arguments) const {
    return run_in_shell("cd '" + folder.file("") + "' && ulimit -v " + std::to_string(1024 * megabytes) + " && exec '" + ENSUE_COMMAND_PATH + "' " + arguments);
  }
  std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(folder.file("")), {}); }
};

constexpr int room = 48;  // megabytes; a small run needs less than 30

/// The least address space that a small run needs, in megabytes.
int needed() {
  const small_machine here(problem);
  int megabytes = 16;
  while (megabytes < 1000 && here.run(megabytes, "solve p.toml --quiet").status != 0) megabytes += 2;
  return megabytes;
}

// Every event of a run is kept, so that its number is not bounded.
TEST(out_of_memory, a_run_ends_with_what_was_reached) {
  if (sanitized) GTEST_SKIP();
  const small_machine here(problem + "[[event]]\nname = \"tick\"\nwhen = \"sin(30000*t)\"\n[solver]\nmethod = \"rk4\"\nstep = 1e-4\nmax_evaluations = 1e12\n");
  const command_run run = here.run(needed() + 6, "solve p.toml --to 1000 --json --every 1 --output out.csv --plot out.svg");
  EXPECT_EQ(run.status, 1);
  const json answer = json::parse(run.out);
  EXPECT_EQ(answer["outcome"], "out of memory");
  const double t = answer["t"];
  EXPECT_GT(t, 1);
  EXPECT_LT(t, 1000);
  EXPECT_NEAR(answer["state"]["x"], std::cos(t), 1e-6);
  EXPECT_TRUE(run.error.starts_with("ensue: out of memory at t = ")) << run.error;
  EXPECT_EQ(here.files(), 3);
  EXPECT_GE(read_csv(here.folder.file("out.csv")).rows.size(), 2u);
}

TEST(out_of_memory, a_sweep_ends_with_the_rows_before) {
  if (sanitized) GTEST_SKIP();
  const small_machine here("to = 1000\n[parameters]\nw = 1\n[state]\nx = 1\n[derivative]\nx = \"-x\"\n[[event]]\nname = \"tick\"\nwhen = \"sin(w*t)\"\n"
                           "[solver]\nmethod = \"rk4\"\nstep = 1e-2\nmax_evaluations = 1e12\n");
  const command_run run = here.run(needed() + 6, "sweep p.toml --vary w=1..3000:3 --backend scalar --to 10000 --output out.csv");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.error, "ensue: out of memory after 1 of 3 points\n");
  const std::string rows = content_of(here.folder.file("out.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2) << rows;
}

TEST(out_of_memory, a_picture_of_many_points_takes_little) {
  if (sanitized) GTEST_SKIP();
  const small_machine here(problem);
  const command_run run = here.run(room, "solve p.toml --points 1000000 --plot out.svg");
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(here.files(), 2);
}

TEST(out_of_memory, a_problem_that_is_too_large_is_not_wrong) {
  if (sanitized) GTEST_SKIP();
  const small_machine here(
      "to = 1\n[parameters]\nn = 300000\n[state]\n\"u[i=1..n]\" = 1\n[derivative]\n\"u[i=1..n]\" = \"-u[i]\"\n");
  for (const char* rest : {"solve p.toml --output out.csv", "sweep p.toml --vary n=300000..300001:2 --output out.csv", "compare p.toml --plot out.svg"}) {
    const command_run run = here.run(room, rest);
    EXPECT_EQ(run.status, 1) << rest;
    EXPECT_EQ(run.error, "ensue: out of memory\n") << rest;
    EXPECT_EQ(here.files(), 1) << rest;
  }
}

}  // namespace
