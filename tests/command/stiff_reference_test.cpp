/// The stiff reference problems through the command, from their problem files, with --json: the true error at the end is at most 100
/// tolerances, in units of rtol·|x| + atol. atol is fixed for each problem: rtol times the size below which its components are noise.
#include "reference/files.hpp"
#include "published/stiff_problems.hpp"
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace ensue;
using namespace ensue::tests;

struct stiff_command : testing::TestWithParam<const char*> {};

TEST_P(stiff_command, ends_within_100_tolerances) {
  const std::string method = GetParam();
  const bool takes_algebraic = method == "rodas5p" || method == "radau" || method == "bdf";
  for (const stiff_problem& p : stiff_problems()) {
    if (std::ranges::count(p.mass, 0.) > 0 && !takes_algebraic) continue;
    for (const double rtol : sanitized ? std::vector{1e-4} : std::vector{1e-4, 1e-7, 1e-10}) {
      SCOPED_TRACE(p.file + ", rtol " + std::to_string(rtol));
      const double atol = rtol * p.least_size();
      const auto text = [](double number) { return nlohmann::json(number).dump(); };
      const std::vector<double> state =
          state_solved({reference_file(p.file), "--method", method, "--rtol", text(rtol), "--atol", text(atol)}, p.to);
      ASSERT_EQ(state.size(), p.end.size());
      for (std::size_t i = 0; i < state.size(); ++i) {
        const double exact = static_cast<double>(p.end[i]);
        EXPECT_LE(std::abs(state[i] - exact), 100 * (rtol * std::abs(exact) + atol)) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(methods, stiff_command, testing::Values("rodas5p", "radau", "bdf", "esdirk4", "auto"),
                         [](const auto& info) { return std::string(info.param); });

/// Equations without a derivative: rodas5p unless another is named, others refuse, a start that does not fit is said or mended.
TEST(algebraic_equations, are_solved_by_methods_that_take_them) {
  const std::string akzo = reference_file("chemakzo");
  EXPECT_EQ(solved({akzo})["method"], "rodas5p");
  const command_run refused = solve({akzo, "--method", "dp54"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.error, "auto, rodas5p, radau and bdf take it")) << refused.error;
  const json wrong = solved({akzo, "--set", "y6=0.3"}, 1);
  EXPECT_EQ(wrong["outcome"], "start not consistent");
  EXPECT_EQ(wrong["t"], 0.);
  const json mended = solved({akzo, "--set", "y6=0.3", "--consistent", "--rtol", "1e-8"});
  EXPECT_NEAR(mended["state"]["y6"].get<double>(), 4.87353e-3, 1e-7);
  const json checked = solved({akzo, "--check", "--rtol", "1e-6"});
  EXPECT_LT(checked["error"]["estimate"].get<double>(), 1e-5);
  for (const char* command : {"compare", "field", "sweep"}) {
    std::vector<std::string> arguments{command, akzo};
    if (std::string(command) == "sweep") arguments.insert(arguments.end(), {"--vary", "k1=18..19:2"});
    const command_run run = ensue_command(arguments);
    EXPECT_EQ(run.status, 2) << command;
    EXPECT_TRUE(mentions(run.error, "found [algebraic]")) << run.error;
  }
}

}  // namespace
