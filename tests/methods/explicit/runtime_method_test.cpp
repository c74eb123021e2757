/// A table typed at run time, run: the same steps as the type that was compiled from it.
#include <ensue/methods/explicit/runtime_method.hpp>

#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace ensue;

/// Nonlinear, and not autonomous: a stage at the wrong time would show.
struct driven_pendulum {
  long* calls = nullptr;
  template <class T, class X, class DX> void operator()(const T& t, const X& x, DX& dx) const {
    using std::sin;
    if (calls) ++*calls;
    dx[0] = x[1];
    dx[1] = -sin(x[0]) + 0.3 * sin(1.7 * t);
  }
};

const vec start{1.2, 0.1};

std::string refused(const runtime_tableau& table) {
  try {
    const runtime_method method(table);
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Method> struct typed_again : testing::Test {};
TYPED_TEST_SUITE(typed_again, tests::typed<tests::tested_methods>);

template <class Method> void expect_the_same(const options<vec<double, 2>>& settings) {
  long typed_calls = 0;
  const runtime_method typed(runtime_tableau::from(Method::table));
  const auto expected = solve(driven_pendulum{}, start, {0, 20}, Method{}, settings);
  const auto run = solve(driven_pendulum{&typed_calls}, start, {0, 20}, typed, settings);
  EXPECT_EQ(run.outcome, outcome::finished) << run.message();
  EXPECT_EQ(run.t, 20);
  EXPECT_EQ(run.statistics.steps, expected.statistics.steps);
  EXPECT_EQ(run.statistics.rejected, expected.statistics.rejected);
  // dop853 evaluates f at the end of a step once more than its table says; typed, it leaves that to the next step
  const bool after_accept = Method::table.end() == end_derivative::after_accept;
  EXPECT_EQ(run.statistics.evaluations + (after_accept ? 1 : 0), expected.statistics.evaluations);
  EXPECT_EQ(run.statistics.evaluations, typed_calls);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(run.state[i], expected.state[i], 1e-14);
}

TYPED_TEST(typed_again, takes_the_same_fixed_steps) { expect_the_same<TypeParam>({.step = 0.03}); }

TYPED_TEST(typed_again, takes_the_same_adaptive_steps) {
  if constexpr (TypeParam::table.embedded_rows > 0) {
    expect_the_same<TypeParam>({.rtol = 1e-5, .atol = 1e-7});
    expect_the_same<TypeParam>({.rtol = 1e-5, .atol = 1e-7, .first_step = 5});  // rejected at first
  }
}

TYPED_TEST(typed_again, finds_the_orders_that_the_type_states) {
  const runtime_method typed(runtime_tableau::from(TypeParam::table));
  EXPECT_EQ(typed.order(), TypeParam::table.order);
  EXPECT_EQ(typed.fsal(), TypeParam::table.fsal());
  EXPECT_EQ(typed.estimate_order(), TypeParam::table.estimate_order());
}

/// Orders measured, not found: the error of a fixed step falls by 2^p.
TEST(runtime_method, converges_with_the_order_it_reports) {
  // Ralston (1962), third order; not one of ours
  const runtime_method ralston(runtime_tableau{.c = {0, 0.5L, 0.75L},
                                               .a = {{}, {0.5L}, {0, 0.75L}},
                                               .b = {2 / 9.0L, 1 / 3.0L, 4 / 9.0L},
                                               .embedded = {},
                                               .dense = {}});
  EXPECT_EQ(ralston.order(), 3);
  const auto reference = solve(driven_pendulum{}, start, {0, 5}, vern9{}, {.rtol = 1e-13, .atol = 1e-14});
  const auto error = [&](double step) {
    return std::fabs(solve(driven_pendulum{}, start, {0, 5}, ralston, {.step = step}).state[0] - reference.state[0]);
  };
  EXPECT_NEAR(std::log2(error(0.01) / error(0.005)), 3, 0.2);
}

TEST(runtime_method, reports_a_lower_order_after_a_wrong_digit) {
  runtime_tableau table = runtime_tableau::from(dp54::table);
  table.b[2] += 1e-9L;  // 500/1113 with its ninth digit wrong
  table.b[3] -= 1e-9L;  // the sum stays 1
  table.a[6][2] += 1e-9L;
  table.a[6][3] -= 1e-9L;
  const runtime_method method(table);
  EXPECT_EQ(method.order(), 1);
  EXPECT_EQ(method.report().main.violated, "[τ]");
  EXPECT_TRUE(method.fsal());
  EXPECT_EQ(runtime_method(table, 1e-7).order(), 5) << "the caller may allow for few digits";
}

TEST(runtime_method, refuses_what_cannot_be_run_and_says_why) {
  const runtime_tableau heun_euler{.c = {0, 1}, .a = {{}, {1}}, .b = {0.5L, 0.5L}, .embedded = {{1, 0}}, .dense = {}};
  EXPECT_EQ(refused(heun_euler), "");
  const auto after = [&](auto change) {
    runtime_tableau table = heun_euler;
    change(table);
    return refused(table);
  };
  using table = runtime_tableau;
  EXPECT_TRUE(mentions(after([](table& t) { t.b = {1}; }), "b has 1 entries, but c states 2 stages"));
  EXPECT_TRUE(mentions(after([](table& t) { t.a[1] = {0.5L, 0.5L}; }), "not explicit: a_2,2 = 0.5"));
  EXPECT_TRUE(mentions(after([](table& t) { t.b = {0.5L, 0.4L}; }), "not consistent: the sum of b has to be 1"));
  EXPECT_TRUE(mentions(after([](table& t) { t.c = {0.5L, 1}; }), "c_1 has to be 0"));
  EXPECT_TRUE(mentions(after([](table& t) { t.embedded = {{0, 0}}; }), "embedded row 1 is not consistent"));
  EXPECT_TRUE(mentions(after([](table& t) { t.embedded = {{1, 0}, t.b}; }), "embedded row 2 is b itself"));
}

/// A budget that is spent to the last evaluation that still makes a whole step.
TEST(runtime_method, ends_on_the_same_evaluation_when_the_budget_is_spent) {
  const auto ends_alike = [](auto method, std::int64_t budget) {
    const options<vec<double, 2>> settings{.first_step = 0.1, .max_evaluations = budget};
    const auto expected = solve(driven_pendulum{}, start, {0, 20}, method, settings);
    const auto run =
        solve(driven_pendulum{}, start, {0, 20}, runtime_method(runtime_tableau::from(method.table)), settings);
    EXPECT_EQ(run.outcome, outcome::too_many_evaluations);
    EXPECT_EQ(run.statistics.evaluations, expected.statistics.evaluations) << "of " << budget;
    EXPECT_EQ(run.t, expected.t);
  };
  for (std::int64_t budget = 1; budget < 40; ++budget) {
    ends_alike(dp54{}, budget);
    ends_alike(rkf45{}, budget);
  }
}

/// Without an embedded row there is no error to control: said, not run with steps of anybody's choosing.
TEST(runtime_method, needs_a_fixed_step_without_an_embedded_row) {
  const runtime_method method(runtime_tableau::from(rk4::table));
  std::string said;
  try {
    const auto run = solve(driven_pendulum{}, start, {0, 1}, method);
    EXPECT_EQ(run.outcome, outcome::bad_input);
    said = run.message();
  } catch (const std::logic_error& refusal) {
    said = refusal.what();
  }
  EXPECT_TRUE(mentions(said, "no error estimate: give a fixed step")) << said;

  integrator one_step_an_advance{driven_pendulum{}, start, method};
  EXPECT_EQ(one_step_an_advance.advance(0.1), outcome::finished);
  EXPECT_EQ(one_step_an_advance.statistics().evaluations, 4);
}

/// Hermite's cubic: exact at both ends, off by h⁴ at most between them.
TEST(runtime_method, interpolates) {
  for (const bool fsal : {true, false}) {
    const runtime_method method(fsal ? runtime_tableau::from(dp54::table) : runtime_tableau::from(rkf45::table));
    integrator sim{driven_pendulum{}, start, method, {.step = 0.05}};
    sim.advance_to(0.5);
    auto at_end = start, between = start, before = start;
    sim.interpolate(0.5, at_end);
    sim.interpolate(0.475, between);
    sim.interpolate(0.45, before);
    const auto exact = [](double t) {
      return solve(driven_pendulum{}, start, {0, t}, dp54{}, {.rtol = 1e-12}).state[0];
    };
    EXPECT_NEAR(at_end[0], sim.state()[0], 1e-15);
    EXPECT_NEAR(before[0], exact(0.45), 1e-9);
    EXPECT_NEAR(between[0], exact(0.475), 1e-7);
  }
}

TEST(runtime_method, runs_over_every_kind_of_state) {
  const runtime_method method(runtime_tableau::from(tsit5::table));
  const options<vec<double, 2>> settings{.rtol = 1e-7};
  const auto expected = solve(driven_pendulum{}, start, {0, 5}, tsit5{}, settings);
  const auto on_the_heap = solve(driven_pendulum{}, std::vector{1.2, 0.1}, {0, 5}, method, {.rtol = 1e-7});
  std::vector memory{1.2, 0.1};
  const auto seen = solve(driven_pendulum{}, std::span<double>(memory), {0, 5}, method, {.rtol = 1e-7});
  const auto wide = solve(driven_pendulum{}, vec{1.2L, 0.1L}, {0, 5}, method, {.rtol = 1e-7});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(on_the_heap.state[i], expected.state[i], 1e-14);
    EXPECT_NEAR(seen.state.data()[i], expected.state[i], 1e-14);
    EXPECT_NEAR(static_cast<double>(wide.state[i]), expected.state[i], 1e-12);
  }
  EXPECT_EQ(memory[0], 1.2);
  EXPECT_EQ(on_the_heap.statistics.evaluations, expected.statistics.evaluations);
}

/// f that has no value beyond x = 1: the rejected attempts stop at the stage that met it.
TEST(runtime_method, stops_at_the_stage_where_f_is_not_defined) {
  const auto root = [](double, const auto& x, auto& dx) {
    dx[0] = x[0] < 1 ? std::sqrt(1 - x[0]) + 0.1 : 0;
    return x[0] < 1;
  };
  const auto expected = solve(root, vec{0.}, {0, 10}, dp54{});
  const auto run = solve(root, vec{0.}, {0, 10}, runtime_method{runtime_tableau::from(dp54::table)});
  EXPECT_EQ(run.outcome, expected.outcome);
  EXPECT_EQ(run.statistics.evaluations, expected.statistics.evaluations);
  EXPECT_NEAR(run.t, expected.t, 1e-12);
}

}  // namespace
