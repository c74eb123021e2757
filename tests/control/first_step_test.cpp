/// The first step: what its choice costs, that it stays within the span, and that it fits problems of every scale.
#include <ensue/control/first_step.hpp>

#include <ensue/numbers/pack.hpp>
#include <ensue/registry.hpp>

#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;

using state = vec<double, 1>;

struct choice {
  double step;
  std::vector<double> evaluated_at;
};

/// The choice for x' = f(t, x) alone, with the default tolerances and order 5.
template <class F> choice choose(F f, double x0, double from, double to) {
  choice result{0, {}};
  auto recorded = [&](double t, const state& x, state& dx) {
    result.evaluated_at.push_back(t);
    dx[0] = f(t, x[0]);
  };
  error_measure<state> measure(1e-6, 1e-9, norms::rms, 1);
  state x1{}, f1{};
  const state f0{f(from, x0)};
  result.step = first_step(recorded, from, state{x0}, f0, to, 5, measure, x1, f1);
  return result;
}

TEST(first_step, costs_one_evaluation_within_the_span) {
  const auto decay = [](double, double x) { return -x; };
  for (const double to : {1., 1e-3, 1e-9, -1., -1e-9, 100.}) {
    const choice c = choose(decay, 2, 0, to);
    ASSERT_EQ(c.evaluated_at.size(), 1u);
    EXPECT_LE(std::fabs(c.evaluated_at[0]), std::fabs(to));
    EXPECT_GE(c.evaluated_at[0] * to, 0) << "in the direction of the run";
  }
}

TEST(first_step, leads_towards_the_end_and_never_beyond_it) {
  const auto slow = [](double, double x) { return -1e-6 * x; };
  const auto still = [](double, double) { return 0.; };
  const auto fast = [](double, double x) { return 1e6 * x; };
  const auto forced = [](double t, double) { return std::cos(t); };
  for (const double from : {0., 17., -1e6})
    for (const double length : {1e-12, 1e-6, 0.1, 1e4, -1e-12, -1e-6, -0.1, -1e4})
      for (const double x0 : {0., 1e-12, 1., 1e12})
        for (const choice& c : {choose(slow, x0, from, from + length), choose(still, x0, from, from + length),
                                choose(fast, x0, from, from + length), choose(forced, x0, from, from + length)}) {
          const double span = (from + length) - from;
          if (span == 0) continue;
          EXPECT_GT(c.step * span, 0) << "from " << from << " by " << length << ", x = " << x0;
          EXPECT_LE(std::fabs(c.step), std::fabs(span)) << "from " << from << " by " << length << ", x = " << x0;
        }
}

TEST(first_step, is_cautious_where_f_has_no_value_nearby) {
  const auto edge = [](double t, double) { return t > 0 ? std::nan("") : -1.; };
  const choice c = choose(edge, 1, 0, 10);
  EXPECT_GT(c.step, 0);
  EXPECT_LT(c.step, 1e-3);
}

TEST(first_step, of_a_pack_is_each_lanes_own) {
  using real = pack<double, 4>;
  const double rates[] = {-1, 300, -1e-5, 0}, starts[] = {1, 1e-7, 20, 0}, ends[] = {1, -5, 1e5, 0.1};
  real rate, start, end;
  for (int l = 0; l < 4; ++l) set_lane(rate, l, rates[l]), set_lane(start, l, starts[l]), set_lane(end, l, ends[l]);
  auto many = [&](const real&, const vec<real, 1>& x, vec<real, 1>& dx) { dx[0] = rate * x[0]; };
  error_measure<vec<real, 1>> measure(1e-6, 1e-9, norms::rms, 1);
  const vec<real, 1> x{start}, f0{rate * start};
  vec<real, 1> x1{}, f1{};
  const real together = first_step(many, real(0), x, f0, end, 5, measure, x1, f1);
  for (int l = 0; l < 4; ++l) {
    const choice alone = choose([&](double, double u) { return rates[l] * u; }, starts[l], 0, ends[l]);
    EXPECT_EQ(lane(together, l), alone.step) << "lane " << l;
  }
}

// In runs, of every method.

struct first_step_of : testing::TestWithParam<const method_info*> {};

/// x' = −λx over twelve powers of ten. A good first step is neither thrown away more than once or twice, nor so short that
/// growing to the right size (five times a step) takes longer than it takes from a millionth of it.
TEST_P(first_step_of, decays_of_every_scale_is_sensible) {
  if (GetParam()->name == "trapezoid") GTEST_SKIP() << "its estimate needs the step before, and takes the first one for worse than it is";
  for (double lambda = 1e-6; lambda < 2e6; lambda *= 100) {
    const auto decay = [=](double, auto x, auto dx) { dx[0] = -lambda * x[0]; };
    const auto run = GetParam()->make(decay, std::vector{1.}, 0, {});
    ASSERT_EQ(run->step(), outcome::finished);
    EXPECT_LE(run->statistics().rejected, 2) << "lambda = " << lambda;
    double step = run->time(), grown = 1e300;
    int growing = 0;
    for (; grown > 1.5 * step && growing < 20; ++growing) {
      if (growing > 0) step = grown;
      const double before = run->time();
      ASSERT_EQ(run->step(), outcome::finished);
      grown = run->time() - before;
    }
    EXPECT_LE(growing, 11) << "lambda = " << lambda;
  }
}

/// What it accepts is as exact as any other step: the first step's own error is the tolerance's business as well. (Hairer,
/// Nørsett and Wanner's bound of 100·h₀ is |x/f|, and with it hλ = 1 in any decay; there the error estimate of Bogacki and
/// Shampine's pair, z³(1 + z)/48 in z = −hλ, is zero whatever the error.)
TEST_P(first_step_of, decays_of_every_scale_errs_no_more_than_allowed) {
  for (double lambda = 1e-6; lambda < 2e6; lambda *= 10) {
    const auto decay = [=](double, auto x, auto dx) { dx[0] = -lambda * x[0]; };
    const auto run = GetParam()->make(decay, std::vector{1.}, 0, {.rtol = 1e-6});
    ASSERT_EQ(run->step(), outcome::finished);
    EXPECT_NEAR(run->state()[0], std::exp(-lambda * run->time()), 1e-5) << "lambda = " << lambda;
  }
}

TEST_P(first_step_of, a_span_shorter_than_it_is_the_span) {
  const auto decay = [](double, auto x, auto dx) { dx[0] = -x[0]; };
  for (const double end : {1e-7, -1e-7}) {
    const auto run = GetParam()->make(decay, std::vector{1.}, 0, {});
    ASSERT_EQ(run->advance_to(end), outcome::finished);
    EXPECT_EQ(run->time(), end);
    EXPECT_EQ(run->statistics().steps, 1);
  }
}

/// A step that the caller gives is the first one tried, to the last bit, either way: a solution that is no problem at all
/// takes it at once.
TEST_P(first_step_of, the_callers_is_used_as_given) {
  const auto slope = [](double, auto, auto dx) { dx[0] = 1; };
  for (const double given : {0.1, 1e-5, 0.7})
    for (const bool backwards : {false, true}) {
      const auto run = GetParam()->make(slope, std::vector{1.}, 0, {.first_step = given});
      ASSERT_EQ(run->step(backwards), outcome::finished);
      EXPECT_EQ(run->time(), backwards ? -given : given);
      EXPECT_EQ(run->statistics().rejected, 0);
    }
}

/// Longer than the longest step allowed, it is cut to that.
TEST_P(first_step_of, the_solvers_own_respects_the_longest_step) {
  const auto slope = [](double, auto, auto dx) { dx[0] = 1; };
  const auto run = GetParam()->make(slope, std::vector{1.}, 0, {.max_step = 1e-5});
  ASSERT_EQ(run->step(), outcome::finished);
  EXPECT_LE(run->time(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(method, first_step_of, testing::ValuesIn(tests::registered_adaptive_methods()),
                         tests::name_of_method);

}  // namespace
