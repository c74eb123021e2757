// Every explicit method gives in lanes, bit for bit, what it gives alone.
#include "batch/lorenz_ensemble.hpp"
#include "support/methods.hpp"
#include "support/sanitized.hpp"

#include <ensue/solve.hpp>

#include <gtest/gtest.h>

namespace ensue::tests {
namespace {

template <class Method> class every_method : public testing::Test {};
TYPED_TEST_SUITE(every_method, typed<tested_with_packs>);

TYPED_TEST(every_method, gives_in_lanes_what_solve_gives) {
  const ensemble start = random_ensemble(sanitized ? 100 : 1000);
  const bool adaptive = TypeParam::table.embedded_rows > 0;
  options<std::span<double>> settings{.rtol = 1e-5, .atol = 1e-7};
  if (!adaptive) settings.step = 0.01;
  ensemble in_lanes = start;
  const batch_report report = run<0, TypeParam>(in_lanes, settings);
  EXPECT_TRUE(report.all_finished()) << report.message();
  std::int64_t evaluations = 0;
  for (std::size_t i = 0; i < start.states.size(); ++i) {
    const with_parameters<lorenz_family, number> system{{}, start.parameters[i]};
    options<state3> own{.rtol = 1e-5, .atol = 1e-7};
    own.step = settings.step;
    const auto alone = solve(system, start.states[i], start.spans[i], TypeParam{}, own);
    ASSERT_EQ(in_lanes.states[i], alone.state) << "trajectory " << i;
    ASSERT_EQ(in_lanes.endings[i].evaluations, alone.statistics.evaluations) << "trajectory " << i;
    ASSERT_EQ(in_lanes.endings[i].t, start.spans[i].to);
    evaluations += alone.statistics.evaluations;
  }
  EXPECT_EQ(report.evaluations, evaluations);
}

}  // namespace
}  // namespace ensue::tests
