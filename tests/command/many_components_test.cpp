/// Problems of very many components and names: what is linear in their number stays so.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

namespace {

using namespace ensue::tests;

double seconds_of_children() {
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// Of the processor, for `ensue solve`.
double seconds_of(const std::string& text, std::vector<std::string> arguments) {
  const temporary_file file("p.toml", text);
  arguments.insert(arguments.begin(), file.path);
  const double before = seconds_of_children();
  EXPECT_EQ(solve(arguments).status, 0);
  return seconds_of_children() - before;
}

const std::string solver = "[solver]\nmethod = \"rk4\"\nstep = 0.01\n";

TEST(many_components, json_is_linear) {
  if (sanitized) GTEST_SKIP();
  const std::string family = "to = 0.01\n[parameters]\nN = 300000\n[state]\n\"u[i=1..N]\" = 1\n[derivative]\n\"u[i=1..N]\" = \"-u[i]\"\n";
  EXPECT_LT(seconds_of(family + solver, {"--json"}), 2) << "0.3 where it is linear, 48 where it is quadratic";
}

TEST(many_components, names_to_plot_and_invariants_are_linear) {
  if (sanitized) GTEST_SKIP();
  std::string state = "to = 0.01\n[state]\n", derivative = "[derivative]\n", invariants = "[invariants]\n", plotted = "[output]\nplot = [";
  for (int i = 0; i < 40'000; ++i) {
    const std::string name = "x" + std::to_string(i);
    state += name + " = 1\n", derivative += name + " = 0\n", invariants += "i" + name + " = 1\n", plotted += (i > 0 ? ", \"" : "\"") + name + '"';
  }
  const temporary_folder folder;
  EXPECT_LT(seconds_of(state + derivative + invariants + solver + plotted + "]\n", {"--json", "--points", "2", "--plot", folder.file("x.svg")}), 2) << "0.6 where it is linear";
}

}  // namespace
