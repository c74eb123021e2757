/// The command where memory is small: the end of the run is said, and the exit status is 1.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

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
