/// Evaluations of f, counted where they happen, against what the solver says and against the formula, exactly.
///
///     start + accepted·a + rejected·r + restarts·start (+ 1 where the first step is chosen)
///
///                                              start       a             r
///     the last stage is the next first (FSAL)    1     stages − 1   stages − 1
///     f at the end once a step is accepted       1     stages       stages − 1
///     neither                                    0     stages       stages − 1
///
/// The runs are those of the registry: every method, and none of them compiled again here.
#include <ensue/methods.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include "support/kinds.hpp"
#include "support/methods.hpp"
#include "support/on_numbers.hpp"
#include "support/problems.hpp"
#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace ensue;

using settings = options<std::span<double>>;
const std::vector<double> start{1.2, 0.1};

/// A pendulum that is hit in passing: the force jumps at every t that `kicks` divides, which no step foresees.
struct kicked_pendulum {
  double kicks = 0;

  void acceleration(double t, std::span<const double> q, std::span<double> a) const {
    const double kick = kicks > 0 && std::fmod(std::fabs(t), 2 * kicks) >= kicks ? 20 : 0;
    a[0] = -std::sin(q[0]) - kick * q[0];
  }
};

struct evaluations : testing::TestWithParam<const method_info*> {
  std::int64_t calls = 0;

  std::unique_ptr<any_integrator> make(const kicked_pendulum& model, const settings& s, double from = 0) {
    calls = 0;
    return GetParam()->make(tests::counted{model, &calls}, start, from, s);
  }

  /// The model has no Jacobian of its own.
  static std::int64_t spent_on_differences(const any_integrator& run) {
    return run.statistics().jacobians * static_cast<std::int64_t>(run.state().size() + 1);
  }

  void expect_the_formula(const any_integrator& run, int restarts = 0, int choices = 0, int looks = 0) const {
    const method_info& info = *GetParam();
    const auto& spent = run.statistics();
    EXPECT_EQ(spent.evaluations, calls) << info.name << " says another number than there were calls";
    const auto& per = info.evaluations;
    if (per.iterates) {
      EXPECT_GE(calls, per.accepted * spent.steps) << info.name;
      return;
    }
    EXPECT_EQ(calls, per.start + per.accepted * spent.steps + per.rejected * spent.rejected + per.restart * restarts +
                         per.first_step_choice * choices + per.dense * looks + spent_on_differences(run))
        << info.name << ": " << spent.steps << " accepted, " << spent.rejected << " rejected";
  }
};

TEST_P(evaluations, of_fixed_steps) {
  for (const division divide : {division::shorten_last, division::even})
    for (const double step : {0.1, 0.07, 3.})  // divides the span; does not; is longer than it
      for (const double end : {1., -1.}) {
        const auto run = make({}, {.step = step, .divide = divide});
        ASSERT_EQ(run->advance_to(end), outcome::finished) << run->message();
        EXPECT_GE(run->statistics().steps, step == 3. ? 1 : 9);
        expect_the_formula(*run);
      }
}

/// What is known at the end of one frame is known at the start of the next.
TEST_P(evaluations, of_frames) {
  const auto run = make({}, {.step = 1. / 120});
  for (int frame = 0; frame < 30; ++frame) ASSERT_EQ(run->advance(1. / 60), outcome::finished);
  if (!GetParam()->sets_pace) {
    EXPECT_EQ(run->statistics().steps, 60);
  }
  expect_the_formula(*run);
  if (!GetParam()->adaptive) return;
  const auto adaptive = make({}, {.first_step = 0.01});
  for (int frame = 0; frame < 30; ++frame) ASSERT_EQ(adaptive->advance(1. / 60), outcome::finished);
  expect_the_formula(*adaptive);
}

TEST_P(evaluations, with_a_first_step_far_too_long) {
  if (!GetParam()->adaptive) return;
  for (const double end : {10., -10.}) {
    const auto run = make({}, {.rtol = 1e-7, .first_step = 8});
    ASSERT_EQ(run->advance_to(end), outcome::finished) << run->message();
    EXPECT_GT(run->statistics().rejected, 0);
    expect_the_formula(*run);
  }
}

TEST_P(evaluations, with_a_first_step_of_the_solvers_choice) {
  if (!GetParam()->adaptive) return;
  for (const double end : {10., -10.}) {
    const auto run = make({}, {.rtol = 1e-5});
    ASSERT_EQ(run->advance_to(end), outcome::finished) << run->message();
    expect_the_formula(*run, 0, 1);
  }
}

TEST_P(evaluations, with_steps_rejected_all_along) {
  if (!GetParam()->adaptive) return;
  for (const double end : {12., -12.}) {
    const auto run = make({.kicks = 0.9}, {.rtol = 1e-5, .first_step = 0.1});
    ASSERT_EQ(run->advance_to(end), outcome::finished) << run->message();
    EXPECT_GT(run->statistics().rejected, 10);
    expect_the_formula(*run);
  }
}

TEST_P(evaluations, after_changes_of_the_state) {
  for (const bool adaptive : {false, true}) {
    if (adaptive && !GetParam()->adaptive) continue;
    const auto run = adaptive ? make({.kicks = 0.9}, {.rtol = 1e-4, .first_step = 0.1}) : make({}, {.step = 0.05});
    int restarts = 0;
    for (const double end : {1., 2., 0.5, -3.}) {
      ASSERT_EQ(run->advance_to(end), outcome::finished) << run->message();
      expect_the_formula(*run, restarts);
      run->set_state(start);
      ++restarts;
    }
    run->set_state(7, start);  // a second time before a step is not a second restart
    ASSERT_EQ(run->advance_to(8), outcome::finished) << run->message();
    expect_the_formula(*run, restarts);
  }
}

TEST_P(evaluations, of_single_steps_there_and_back) {
  const auto run = GetParam()->adaptive ? make({}, {.first_step = 0.2}) : make({}, {.step = 0.1});
  for (const bool backwards : {false, false, true, false, true}) {
    ASSERT_EQ(run->step(backwards), outcome::finished) << run->message();
    expect_the_formula(*run);
  }
  EXPECT_EQ(run->statistics().steps, 5);
}

/// Looking between the steps makes an evaluation early, and those of the interpolant's extra stages, once a step.
TEST_P(evaluations, with_looks_in_between) {
  const auto run = GetParam()->adaptive ? make({}, {.first_step = 0.2}) : make({}, {.step = 0.1});
  std::vector<double> between(2);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(run->step(), outcome::finished);
    expect_the_formula(*run, 0, 0, i);
    const double last = run->time();
    for (const double ago : {0.01, 0.02, 0.}) run->interpolate(last - ago, between);
    EXPECT_EQ(run->statistics().evaluations, calls);
  }
  ASSERT_EQ(run->step(), outcome::finished);
  expect_the_formula(*run, 0, 0, 5);
}

/// Where f says "not defined here" in the middle of a step, the stages after it are not paid for: fewer calls than the
/// formula's, and still as many as the solver says.
TEST_P(evaluations, of_steps_broken_off) {
  if (!GetParam()->adaptive || GetParam()->needs != system_needed::any) return;
  std::int64_t made = 0;
  const auto wall = [&made](double, auto x, auto dx) {
    ++made;
    dx[0] = -std::sqrt(std::fabs(x[0]));
    return x[0] > 0;
  };
  const auto run = GetParam()->make(wall, std::vector{1.}, 0, {.rtol = 1e-6, .first_step = 8});
  ASSERT_EQ(run->advance_to(1.5), outcome::finished) << run->message();
  const auto& spent = run->statistics();
  const auto& per = GetParam()->evaluations;
  EXPECT_EQ(spent.evaluations, made);
  if (per.iterates) return;  // as often as f asks for
  EXPECT_GT(spent.rejected, 0);
  if (per.iterates) return;
  const std::int64_t both_ways = 3 * spent.jacobians;  // a difference beyond the wall is taken the other way
  EXPECT_LE(made, per.start + per.accepted * spent.steps + per.rejected * spent.rejected + both_ways);
}

INSTANTIATE_TEST_SUITE_P(method, evaluations, testing::ValuesIn(tests::registered_on_numbers()), tests::name_of_method);

/// The table above, beside the registry's formulas.
TEST(evaluation_formula, is_what_the_tables_need) {
  tests::for_each_method<tests::only<tests::has_table>>([]<class Method> {
    constexpr auto& table = Method::table;
    constexpr int start_of = table.fsal() || table.derivative_after_accept ? 1 : 0;
    constexpr int accepted = table.fsal() ? table.stages - 1 : table.stages;
    constexpr int choice = table.embedded_rows > 0 ? 1 : 0;
    int dense = 0;
    if constexpr (requires { Method::extra; }) dense = static_cast<int>(std::size(Method::extra.c));
    const evaluation_formula expected{start_of, accepted, table.stages - 1, start_of, choice, dense};
    EXPECT_EQ(find_method(Method::name)->evaluations, expected) << Method::name;
  });
}

// The numbers as they are published, with states of a fixed size and the types themselves.

template <class Method> run_statistics<std::int64_t> spent_on_kicks(std::int64_t& calls, double first_step = 2) {
  calls = 0;
  const auto run = solve(tests::counted{kicked_pendulum{0.9}, &calls}, vec{1.2, 0.1}, {0, 10}, Method{},
                         {.rtol = 1e-5, .first_step = first_step});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(run.statistics.evaluations, calls);
  EXPECT_GT(run.statistics.steps, 10);
  EXPECT_GT(run.statistics.rejected, 5);
  return run.statistics;
}

TEST(evaluations_by_the_book, dp54_takes_one_and_six_an_attempt) {
  std::int64_t calls = 0;
  const auto spent = spent_on_kicks<dp54>(calls);
  EXPECT_EQ(calls, 1 + 6 * (spent.steps + spent.rejected));
  const auto chosen = spent_on_kicks<dp54>(calls, 0);
  EXPECT_EQ(calls, 1 + 6 * (chosen.steps + chosen.rejected) + 1);
}

TEST(evaluations_by_the_book, rkf45_takes_six_and_five_for_a_rejected_step) {
  std::int64_t calls = 0;
  const auto spent = spent_on_kicks<rkf45>(calls);
  EXPECT_EQ(calls, 6 * spent.steps + 5 * spent.rejected);
}

TEST(evaluations_by_the_book, dop853_takes_one_and_eleven_an_attempt_and_one_a_step) {
  std::int64_t calls = 0;
  const auto spent = spent_on_kicks<dop853>(calls);
  EXPECT_EQ(calls, 1 + 11 * (spent.steps + spent.rejected) + spent.steps);
}

TEST(evaluations_by_the_book, rk4_twice_takes_eleven_not_twelve) {
  std::int64_t calls = 0;
  const auto spent = spent_on_kicks<doubling<rk4>>(calls);
  EXPECT_EQ(calls, 11 * spent.steps + 10 * spent.rejected);
  calls = 0;
  const auto fixed =
      solve(tests::counted{kicked_pendulum{}, &calls}, vec{1.2, 0.1}, {0, 1}, doubling<rk4>{}, {.step = 0.1});
  EXPECT_EQ(fixed.statistics.steps, 10);
  EXPECT_EQ(calls, 11 * 10);
}

}  // namespace
