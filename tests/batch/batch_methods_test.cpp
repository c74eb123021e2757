// Explicit methods of every kind give in eight lanes, bit for bit, what they give alone. (All of them, in four: methods/lanes_test.cpp.)
#include "batch/lorenz_ensemble.hpp"
#include "support/methods.hpp"
#include "support/sanitized.hpp"

#include <ensue/solve.hpp>

#include <gtest/gtest.h>

namespace ensue::tests {
namespace {

template <class Method> class method_of_every_kind : public testing::Test {};
TYPED_TEST_SUITE(method_of_every_kind, typed<tested_kinds_with_packs>);

TYPED_TEST(method_of_every_kind, gives_in_lanes_what_solve_gives) {
  const ensemble start = random_ensemble(sanitized ? 100 : 1000);
  const bool adaptive = TypeParam::table.embedded_rows > 0;
  options<std::span<double>> settings{.rtol = 1e-5, .atol = 1e-7};
  if (!adaptive) settings.step = 0.01;
  ensemble in_lanes = start;
  const batch_report report = run<8, TypeParam>(in_lanes, settings);
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
