/// What must never happen at the end of a run: no end, an end without a reason, a reason without time, component and remedy,
/// or a budget that was only a wish. Every outcome is reached here or in not_finite_test.cpp and input_test.cpp.
#include "reliability/support.hpp"

#include <atomic>

namespace {

using namespace ensue;
using namespace ensue::tests;

using two = vec<double, 2>;  // as many everywhere below: each method is compiled once

template <class Method> struct ending : testing::Test {};
TYPED_TEST_SUITE(ending, typed<tested_kinds>);

template <class Method> struct adaptive_ending : testing::Test {};
TYPED_TEST_SUITE(adaptive_ending, typed<adaptive_methods>);

TYPED_TEST(ending, that_finished_says_when_to_the_last_digit) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {-x[0], x[0]}; };
  const auto run = solve(f, two{1., 0.}, {0, 0.1}, TypeParam{}, own_way<TypeParam, two>(0.01));
  EXPECT_EQ(run.outcome, outcome::finished);
  EXPECT_TRUE(run.finished());
  EXPECT_EQ(run.message(), "finished at t = 0.10000000000000001.");
  EXPECT_FALSE(run.ending[0].smallest_step_accepted);
  EXPECT_FALSE(run.ending[0].stiff());
}

/// Counted where it counts: in f. With every budget around the cost of the first steps.
TYPED_TEST(ending, never_exceeds_its_budget_of_evaluations) {
  constexpr int stages = TypeParam::table.stages;
  for (const double first : {0., 0.01})
    for (const double step : {0., 0.01}) {
      if (step == 0 && !is_adaptive<TypeParam>::value) continue;
      for (std::int64_t budget = 0; budget <= 3 * stages + 3; ++budget) {
        std::int64_t calls = 0;
        const field<double, 2> f = [&](auto&, auto& x, auto& dx) { ++calls, dx = {x[1], -x[0]}; };
        const auto run = solve(f, two{1., 0.}, {0, 1e3}, TypeParam{},
                               {.step = step, .first_step = first, .max_evaluations = budget});
        EXPECT_EQ(run.outcome, outcome::too_many_evaluations);
        EXPECT_LE(calls, budget);
        EXPECT_EQ(run.statistics.evaluations, calls);
        EXPECT_TRUE(says(run.message(), {"too many evaluations", TypeParam::name, "t = ", "Raise max_evaluations"}));
      }
    }
}

TYPED_TEST(ending, asked_for_inside_f_does_not_wait) {
  std::atomic<bool> enough = false;
  int calls = 0;
  const field<double, 2> f = [&](auto&, auto& x, auto& dx) {
    if (++calls == 100) enough = true;
    dx = {x[1], -x[0]};
  };
  options<two> s = own_way<TypeParam, two>(0.01);
  s.cancel = &enough;
  integrator sim{f, two{1., 0.}, TypeParam{}, s};
  EXPECT_EQ(sim.advance_to(1e6), outcome::cancelled);
  EXPECT_LE(calls, 100 + TypeParam::table.stages);
  EXPECT_TRUE(is_finite(sim.state()));
  EXPECT_TRUE(says(sim.message(), {"cancelled at t = "}));
  const double reached = sim.time();
  EXPECT_GT(reached, 0);
  EXPECT_NEAR(std::hypot(sim.state()[0], sim.state()[1]), 1, 0.02);
  const int calls_before = calls;
  EXPECT_EQ(sim.advance_to(1e6), outcome::cancelled);
  EXPECT_EQ(calls, calls_before) << "f was called although the run was cancelled before it began";
  enough = false;
  EXPECT_EQ(sim.advance_to(reached + 1), outcome::finished);
  EXPECT_NEAR(sim.state()[0], std::cos(reached + 1), 0.05);
}

/// x' = x², x = 1/(1/x0 − t): no step is small enough for the pole.
TYPED_TEST(adaptive_ending, at_a_pole_is_neither_far_from_it_nor_endless) {
  constexpr int order = TypeParam::table.order;
  for (const double x0 : {1., 0.37, 3., 1000., 1e-3, -1.3, -1e5, 1e10}) {
    const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {x[0] * x[0], 0}; };
    const double pole = 1 / x0;
    const auto run =
        solve(f, two{x0}, {0, 4 * pole}, TypeParam{},
              {.rtol = order > 2 ? 1e-9 : 1e-6, .atol = std::abs(x0) * 1e-9, .max_evaluations = 2'000'000});
    EXPECT_TRUE(run.outcome == outcome::step_too_small || run.outcome == outcome::state_not_finite ||
                run.outcome == outcome::derivative_not_finite)
        << run.message();
    EXPECT_NEAR(run.t, pole, std::abs(pole) * (order > 2 ? 1e-6 : 2e-3)) << "x0 = " << x0;
    EXPECT_TRUE(is_finite(run.state));
    EXPECT_LT(run.statistics.evaluations, order > 2 ? 200'000 : 2'000'000) << "x0 = " << x0;
    if (run.outcome == outcome::step_too_small) {
      EXPECT_TRUE(
          says(run.message(), {"step too small", "t = ", "x[0]", "singularity", "loosen the tolerance"}));
    }
  }
}

TYPED_TEST(adaptive_ending, at_a_pole_names_the_component_that_runs_into_it) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {1., x[1] * x[1]}; };
  const auto run = solve(f, two{0., 1.}, {0, 2}, TypeParam{}, {.max_evaluations = 2'000'000});
  EXPECT_NE(run.outcome, outcome::finished);
  EXPECT_EQ(run.ending[0].component, 1) << run.message();
}

TEST(ending_in_every_precision, at_a_pole_is_neither_far_from_it_nor_endless) {
  const auto at_pole = []<class T>(T x0, double within) {
    const auto run = solve([](T, const vec<T, 1>& x, vec<T, 1>& dx) { dx[0] = x[0] * x[0]; }, vec<T, 1>{x0},
                           {0, 4 / x0}, tsit5{}, {.max_evaluations = plenty});
    EXPECT_NE(run.outcome, outcome::finished);
    EXPECT_NE(run.outcome, outcome::too_many_evaluations);
    EXPECT_NEAR(static_cast<double>(run.t * x0), 1, within) << run.message();
  };
  for (const double x0 : {1., 0.37, 0.77, 3.3, 1e4, -1.9}) {
    at_pole(static_cast<float>(x0), 1e-3);
    at_pole(x0, 1e-5);
    at_pole(static_cast<long double>(x0), 1e-5);
  }
}

// The smallest step.

TYPED_TEST(adaptive_ending, is_too_small_a_step_where_min_step_forbids_the_needed_one) {
  const field<double, 2> f = [](double t, auto&, auto& dx) { dx = {1., std::cos(1e4 * t) * 1e4}; };
  const auto run = solve(f, two{0., 0.}, {0, 1}, TypeParam{}, {.min_step = 0.01, .max_evaluations = plenty});
  EXPECT_EQ(run.outcome, outcome::step_too_small) << run.message();
  EXPECT_EQ(run.ending[0].component, 1);
  EXPECT_GE(std::abs(run.ending[0].step), 0.01 * (1 - 1e-9));
  EXPECT_TRUE(
      says(run.message(), {"step too small", "x[1]", "step of 0.01", "lower min_step", "loosen the tolerance"}));
}

/// However rough f is: the run finishes, says what it did, and costs no more than span/min_step steps and as many rejections.
TYPED_TEST(adaptive_ending, is_always_reached_where_the_smallest_step_is_accepted) {
  for (const double min_step : {0.01, 0.003, 0.1}) {
    std::int64_t calls = 0;
    const field<double, 2> f = [&](double t, auto& x, auto& dx) {
      ++calls;
      dx = {std::sin(1e5 * t) > 0 ? 100. : -100., std::cos(1e4 * t) - x[1]};
    };
    const auto run = solve(f, two{0., 0.}, {0, 1}, TypeParam{},
                           {.rtol = 1e-9, .min_step = min_step, .when_too_small = at_min_step::accept_and_mark});
    EXPECT_EQ(run.outcome, outcome::finished) << run.message();
    EXPECT_EQ(run.t, 1);
    EXPECT_TRUE(run.ending[0].smallest_step_accepted);
    EXPECT_TRUE(says(run.message(), {"finished at t = 1", "smallest size", "loosen the tolerance", "min_step"}));
    EXPECT_LE(calls, (2 / min_step + 20) * (TypeParam::table.stages + 1));
  }
}

TYPED_TEST(adaptive_ending, is_not_marked_where_every_step_was_good) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {x[1], -x[0]}; };
  const auto run = solve(f, two{1., 0.}, {0, 10}, TypeParam{},
                         {.rtol = 1e-4, .min_step = 1e-6, .when_too_small = at_min_step::accept_and_mark});
  EXPECT_TRUE(run.finished());
  EXPECT_FALSE(run.ending[0].smallest_step_accepted);
  EXPECT_EQ(run.message(), "finished at t = 10.");
}

/// What is not finite is not accepted, whatever was agreed about errors.
TYPED_TEST(adaptive_ending, is_not_marked_finished_beyond_the_finite) {
  for (const double wall : {1., 1.15}) {
    const field<double, 2> f = [=](double t, auto& x, auto& dx) { dx = {-x[0], t > wall ? not_a_number : 1.}; };
    const auto run =
        solve(f, two{1., 0.}, {0, 2}, TypeParam{},
              {.min_step = 0.01, .when_too_small = at_min_step::accept_and_mark, .max_evaluations = plenty});
    EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << run.message();
    EXPECT_TRUE(is_finite(run.state));
    EXPECT_NEAR(run.t, wall, 0.05);
  }
}

// Tolerances finer than the numbers.

TYPED_TEST(adaptive_ending, is_not_long_in_coming_where_the_tolerance_is_below_rounding) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {x[1], -x[0]}; };
  for (const double first : {0., 0.1})
    for (const double rtol : {0., 1e-17, 1e-20}) {
      const auto run = solve(f, two{0., 1.}, {0, 100}, TypeParam{},
                             {.rtol = rtol, .atol = 0, .first_step = first, .max_evaluations = plenty});
      EXPECT_EQ(run.outcome, outcome::tolerance_too_small) << run.message();
      EXPECT_EQ(run.ending[0].component, 1);
      EXPECT_TRUE(
          says(run.message(), {"tolerance too small", "t = 0", "x[1]", "Raise rtol or atol", "long double"}));
    }
}

/// The state outgrows its tolerance on the way: then is the time to say so.
TYPED_TEST(adaptive_ending, is_not_missed_where_the_state_outgrows_its_tolerance) {
  if (TypeParam::table.order < 4) return;  // too short steps to get there
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {x[0], 0}; };
  const auto run = solve(f, two{1e12}, {0, 20}, TypeParam{}, {.rtol = 0, .atol = 1e-3, .max_evaluations = plenty});
  EXPECT_EQ(run.outcome, outcome::tolerance_too_small) << run.message();
  EXPECT_TRUE(says(run.message(), {"tolerance too small", "x[0]", "Raise rtol or atol"}));
}

TEST(ending_in_float, is_not_long_in_coming_where_the_tolerance_is_below_rounding) {
  const auto run = solve([](float, const vec<float, 1>& x, vec<float, 1>& dx) { dx[0] = -x[0]; }, vec{1.f}, {0, 1},
                         dp54{}, {.rtol = 1e-9, .atol = 1e-12});
  EXPECT_EQ(run.outcome, outcome::tolerance_too_small);
}

// Names.

TEST(every_outcome, has_a_name_and_begins_its_sentence_with_it) {
  for (int i = 0; i <= static_cast<int>(outcome::bad_input); ++i) {
    report r;
    r.how = static_cast<outcome>(i);
    const std::string name = name_of(r.how);
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(sentence(r, "dp54").rfind(name, 0), 0u) << sentence(r, "dp54");
  }
}

TEST(every_outcome, fits_its_sentence_with_the_longest_numbers) {
  report r;
  r.t = -1.7976931348623157e308, r.step = -2.2250738585072014e-308, r.value = -1.2345678901234567e-300;
  r.component = std::numeric_limits<std::int64_t>::max();
  r.smallest_step_accepted = true, r.stiff_ratio = 123456.789, r.stable_ratio = 123456.789, r.stiff_since = r.step;
  for (int i = 0; i <= static_cast<int>(outcome::bad_input); ++i) {
    r.how = static_cast<outcome>(i);
    r.fault = input_fault::control_out_of_range;
    const std::string text = sentence(r, "doubling(dormand_prince_of_a_very_long_name, extrapolated)");
    EXPECT_EQ(text.back(), '.') << "cut short: " << text;
    EXPECT_TRUE(says(text, {"An implicit method fits: rodas5p, rosenbrock23."}));
  }
}

}  // namespace
