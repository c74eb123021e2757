/// The orders that methods for second-order systems claim, measured with shrinking steps down to round-off.
#include "models.hpp"
#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace ensue;

/// error(h) for steps that shrink by about √2 until it drowns in rounding; the slope over the last two above that.
double observed_order(const std::function<double(double)>& error, double floor) {
  std::vector<double> errors, steps;
  for (int n = 8; n < 20000; n += (3 * n + 4) / 8) {
    const double e = error(4. / n);
    if (e < floor) break;
    errors.push_back(e);
    steps.push_back(4. / n);
  }
  const std::size_t last = errors.size();
  if (last < 3) return 0;
  return std::log(errors[last - 3] / errors[last - 1]) / std::log(steps[last - 3] / steps[last - 1]);
}

struct second_order : testing::TestWithParam<const method_info*> {};

TEST_P(second_order, has_the_order_that_it_claims) {
  for (const double end : {4., -4.}) {
    const auto truth = tests::truly(tests::pushed_pendulums{}, tests::pendulums_start, end);
    const double order = observed_order(
        [&](double h) {
          const auto sim = GetParam()->make(tests::pushed_pendulums{}, tests::pendulums_start, 0, {.step = h});
          EXPECT_EQ(sim->advance_to(end), outcome::finished);
          return tests::distance(sim->state(), truth);
        },
        2e-12);
    const int claimed = GetParam()->name == "lagged(verlet)" ? 2 : GetParam()->order;  // without drag it is Verlet's own step
    EXPECT_NEAR(order, claimed, 0.2) << GetParam()->name;
  }
}

TEST_P(second_order, has_the_order_that_it_claims_where_velocities_count) {
  if (GetParam()->needs != system_needed::acceleration) return;
  const auto truth = tests::truly(tests::dragged_pendulums{}, tests::pendulums_start, 4);
  const double order = observed_order(
      [&](double h) {
        const auto sim = GetParam()->make(tests::dragged_pendulums{}, tests::pendulums_start, 0, {.step = h});
        EXPECT_EQ(sim->advance_to(4), outcome::finished);
        return tests::distance(sim->state(), truth);
      },
      2e-12);
  EXPECT_NEAR(order, GetParam()->order, 0.2) << GetParam()->name;
}

/// Inside steps, forwards, backwards and after the state was set anew.
TEST_P(second_order, has_the_dense_order_that_it_claims) {
  for (const double direction : {1., -1.}) {
    const double order = observed_order(
        [&](double h) {
          const auto sim = GetParam()->make(tests::pushed_pendulums{}, tests::pendulums_start, 0, {.step = h});
          std::vector<double> inside(4);
          double worst = 0;
          const auto look_into_the_last_step_before = [&](double end) {
            double before = sim->time();
            for (; sim->time() != end; sim->step_towards(end)) before = sim->time();
            for (const double part : {0.23, 0.5, 0.79}) {
              const double at = before + part * (end - before);
              sim->interpolate(at, inside);
              worst = std::max(worst, tests::distance(inside, tests::truly(tests::pushed_pendulums{}, tests::pendulums_start, at)));
            }
          };
          look_into_the_last_step_before(direction);
          sim->set_state(sim->snapshot().view());
          look_into_the_last_step_before(2 * direction);
          return worst;
        },
        1e-12);
    EXPECT_GT(order, GetParam()->dense_order - 0.3) << GetParam()->name;
  }
}

/// The curve passes through both ends, and its slope is the velocity there.
TEST_P(second_order, curves_join) {
  const auto sim = GetParam()->make(tests::pushed_pendulums{}, tests::pendulums_start, 0, {.step = 0.1});
  std::vector<double> at(4);
  for (int i = 0; i < 20; ++i) {
    const auto before = sim->snapshot();
    const double t = sim->time();
    ASSERT_EQ(sim->step(), outcome::finished);
    sim->interpolate(t, at);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(at[j], before[j], 4 * epsilon<double> * std::abs(before[j]));
    sim->interpolate(sim->time(), at);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(at[j], sim->state()[j]);
  }
}

INSTANTIATE_TEST_SUITE_P(method, second_order, testing::ValuesIn(tests::registered_second_order_methods()), tests::name_of_method);

}  // namespace
