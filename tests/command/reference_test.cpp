/// The nonstiff reference problems through the command, from their problem files, with --json: the true error at the end is at
/// most 300 tolerances, 1000 for the chaotic one. The error is that of tests/reference, max |error|/(1 + |x|) in units of rtol;
/// the absolute tolerance and the norm of the step control are the command's own.
#include "reference/files.hpp"
#include "reference/problems.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue;
using namespace ensue::tests;

struct reference_command : testing::TestWithParam<const char*> {};

TEST_P(reference_command, ends_within_300_tolerances) {
  for (const reference_problem& p : reference_problems())
    for (const std::string rtol : {"1e-6", "1e-9"}) {
      SCOPED_TRACE(p.name + ", rtol " + rtol);
      std::vector<std::string> arguments{nonstiff_file(p.name), "--rtol", rtol};
      if (GetParam()) arguments.insert(arguments.end(), {"--method", GetParam()});
      const std::vector<double> state = state_solved(arguments, p.to);
      ASSERT_EQ(state.size(), p.end.size());
      EXPECT_LE(weighted_difference(state, p.end) / std::stod(rtol), p.name == chaotic ? 1000 : 300);
    }
}

INSTANTIATE_TEST_SUITE_P(methods, reference_command, testing::Values(nullptr, "tsit5", "vern7", "vern9", "dop853"),
                         [](const auto& info) { return std::string(info.param ? info.param : "default"); });

}  // namespace
