// What cannot be written to standard output is said, by every command.
#include "support/command.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue::tests;

std::string example(const char* name) { return (tree / "examples" / name).string(); }

/// With the end of a shell's line: where its output goes.
command_run run_into(const std::string& arguments, const std::string& where) {
  return run_in_shell(std::string("\"") + ENSUE_COMMAND_PATH + "\" " + arguments + " " + where);
}

TEST(standard_output, that_is_full_is_said) {
  const std::string lorenz = example("lorenz.toml"), stroke = example("strokes/test0_righthandstroke.bin");
  for (const std::string& arguments :
       {"solve " + lorenz, "solve " + lorenz + " --json", "sweep " + lorenz + " --vary rho=0..28:3 --to 1",
        "sweep " + lorenz + " --vary rho=0..28:300 --to 0.1", "field " + example("circle.toml"),
        "compare " + example("decay.toml") + " --patience 0.1", std::string("methods"), std::string("methods --json"),
        "sculpt --sphere 10 --stroke " + stroke, "sculpt --sphere 10 --json --stroke " + stroke, std::string("--help"),
        std::string("solve --help"), std::string("--version"), std::string()}) {
    const command_run run = run_into(arguments, "> /dev/full");
    EXPECT_EQ(run.status, 1) << arguments;
    EXPECT_TRUE(run.error.ends_with("ensue: standard output: No space left on device\n")) << arguments << ": " << run.error;
    EXPECT_EQ(run.error.find("No space"), run.error.rfind("No space")) << "once: " << run.error;
  }
}

TEST(standard_output, that_nobody_reads_is_not) {
  const command_run run = run_into("sweep " + example("lorenz.toml") + " --vary rho=0..28:100000 --to 0.01", "| head -n 1");
  EXPECT_EQ(run.status, 0) << "head's";
  EXPECT_EQ(run.out, "rho,t,x,y,z,outcome,evaluations\n");
  EXPECT_EQ(run.error, "");
}

}  // namespace
