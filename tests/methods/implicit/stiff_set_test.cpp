/// Every stiff reference problem with the methods for them, at three tolerances: all finish, and the true error at the end is at most 100
/// tolerances. With ENSUE_STIFF_TABLE=1 in the environment the table of all runs is printed.
#include <ensue/registry.hpp>

#include "published/stiff_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace ensue;

struct stiff_set : testing::TestWithParam<const char*> {};

TEST_P(stiff_set, is_solved) {
  const method_info& method = *find_method(GetParam());
  const bool prints = std::getenv("ENSUE_STIFF_TABLE") != nullptr;
  for (const stiff_problem& p : stiff_problems()) {
    if (stiff_model{&p}.offers_mass_matrix() && !method.takes_mass_matrix) continue;
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
      const double atol = rtol * p.least_size();
      const auto run = method.make(stiff_model{&p}, p.start, 0, {.rtol = rtol, .atol = atol});
      ASSERT_EQ(run->advance_to(p.to), outcome::finished) << p.file << " at " << rtol << ": " << run->message();
      double worst = 0;
      for (std::size_t i = 0; i < p.end.size(); ++i) {
        const double exact = static_cast<double>(p.end[i]);
        worst = std::max(worst, std::abs(run->state()[i] - exact) / (rtol * std::abs(exact) + atol));
      }
      EXPECT_LE(worst, 100) << p.file << " at " << rtol;
      const auto& spent = run->statistics();
      if (prints)
        std::printf("| %s | %s | %.0e | %.2g | %ld | %ld | %ld | %ld | %ld |\n", p.file.c_str(), GetParam(), rtol,
                    worst, static_cast<long>(spent.steps), static_cast<long>(spent.rejected),
                    static_cast<long>(spent.evaluations), static_cast<long>(spent.jacobians),
                    static_cast<long>(spent.factorizations));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(method, stiff_set, testing::Values("rodas5p", "radau", "bdf", "esdirk4", "auto"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
