// Many trajectories at once, in lanes of any width, with any threads, beside any others; what is said of wrong input.
#include "batch/lorenz_ensemble.hpp"
#include "support/sanitized.hpp"

#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

namespace ensue::tests {
namespace {

// A compiler takes seconds over a method in lanes, and half a minute with sanitizers: there, a short one in one width.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
using sample_method = bs32;
constexpr int narrow = preferred_lanes<double>, wide = narrow;
#else
using sample_method = dp54;
constexpr int narrow = 2, wide = 16;
#endif

TEST(batch, does_not_depend_on_lanes_or_threads) {
  const ensemble start = random_ensemble(sanitized ? 300 : 1000);
  const options<std::span<double>> settings{.rtol = 1e-6, .atol = 1e-8};
  ensemble alone = start;
  const batch_report first = run<1, sample_method>(alone, settings);
  const auto agrees = [&](ensemble other, const batch_report& report) {
    EXPECT_EQ(alone.states, other.states);
    EXPECT_EQ(alone.endings, other.endings);
    EXPECT_EQ(first.evaluations, report.evaluations);
    EXPECT_EQ(first.rejected, report.rejected);
  };
  for (const unsigned threads : {1u, 3u}) {
    ensemble few = start, many = start;
    const batch_report of_narrow = run<narrow, sample_method>(few, settings, threads),
                       of_wide = run<wide, sample_method>(many, settings, threads);
    agrees(few, of_narrow);
    agrees(many, of_wide);
  }
}

/// Lorenz's equations where they have a value: inside of a ball.
struct inside_of_a_ball {
  double radius;
  template <class Time, class X, class DX, class P> auto operator()(const Time& t, const X& u, DX& du, const P& p) const {
    using T = element_of<X>;
    lorenz_family{}(t, u, du, p);
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < T(radius * radius);
  }
};

template <class State> std::vector<std::pair<const char*, options<State>>> questions() {
  std::vector<std::pair<const char*, options<State>>> all;
  const auto ask = [&](const char* what, auto change) {
    options<State> asked{.rtol = 1e-5, .atol = 1e-6, .max_evaluations = 6'000};
    change(asked);
    all.emplace_back(what, asked);
  };
  ask("nothing special", [](auto&) {});
  ask("a law with a memory", [](auto& s) { s.control.law = laws::pid; });
  ask("another norm", [](auto& s) { s.norm = norms::maximum; });
  ask("errors per unit of time", [](auto& s) { s.control.per = error_per::unit_step; });
  ask("a law for every step", [](auto& s) { s.control.keep = 1; });
  ask("compensated sums", [](auto& s) { s.compensated = true; });
  ask("few evaluations", [](auto& s) { s.max_evaluations = 1200; });
  ask("hardly any", [](auto& s) { s.max_evaluations = 40; });
  ask("a smallest step", [](auto& s) { s.min_step = 0.02; });
  ask("a smallest step that is taken", [](auto& s) { s.min_step = 0.02, s.when_too_small = at_min_step::accept_and_mark; });
  ask("a largest step", [](auto& s) { s.max_step = 0.01; });
  ask("absolute errors", [](auto& s) { s.rtol = 0., s.atol = 1e-4; });
  ask("more digits than there are", [](auto& s) { s.rtol = 0., s.atol = 4e-15, s.max_evaluations = sanitized ? 20'000 : 1'000'000, s.control.keep = s.control.safety = 1; });
  ask("a first step that is too long", [](auto& s) { s.first_step = 0.5; });
  return all;
}

template <class F> void expect_what_solve_gives(const F& f) {
  const ensemble start = random_ensemble(sanitized ? 20 : 50);
  const auto asked = questions<std::span<double>>();
  const auto alone = questions<state3>();
  for (std::size_t q = 0; q < asked.size(); ++q) {
    SCOPED_TRACE(asked[q].first);
    ensemble lanes = start;
    const batch_report report = batch{f, sample_method{}, asked[q].second}.template advance_with<wide>(lanes.parameters, lanes.states, lanes.spans, lanes.endings);
    std::int64_t evaluations = 0;
    for (std::size_t i = 0; i < start.states.size(); ++i) {
      SCOPED_TRACE(i);
      const auto of_one = [&](const auto& t, const auto& x, auto& dx) { return f(t, x, dx, start.parameters[i]); };
      const auto run = solve(of_one, start.states[i], start.spans[i], sample_method{}, alone[q].second);
      const trajectory_ending& ending = lanes.endings[i];
      for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(run.state[c] == lanes.states[i][c] || (run.state[c] != run.state[c] && lanes.states[i][c] != lanes.states[i][c]));
      EXPECT_EQ(run.outcome, ending.how);
      EXPECT_EQ(run.ending[0].smallest_step_accepted, ending.smallest_step_accepted);
      EXPECT_EQ(run.t, ending.t);
      EXPECT_EQ(run.statistics.steps, ending.steps);
      EXPECT_EQ(run.statistics.rejected, ending.rejected);
      EXPECT_EQ(run.statistics.evaluations, ending.evaluations);
      evaluations += ending.evaluations;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(report.evaluations, evaluations);
    EXPECT_EQ(report.trajectories, start.states.size());
  }
}
TEST(batch, is_what_solve_gives) { expect_what_solve_gives(lorenz_family{}); }
TEST(batch, is_what_solve_gives_where_f_has_no_value) { expect_what_solve_gives(inside_of_a_ball{25}); }

/// A step to beyond all numbers seems to have no error, because its tolerance is as large.
TEST(batch, does_not_finish_beyond_all_numbers) {
  const auto grows = [](const auto&, const auto&, auto& dx) { dx[0] = element_of<std::remove_cvref_t<decltype(dx)>>(1e308); };
  std::vector<number> x(20, number{0.});
  x[7] = {1.7e308};
  std::vector<trajectory_ending> endings(x.size());
  const batch_report report = batch{grows, sample_method{}, options<std::span<double>>{.rtol = 1e-6, .max_evaluations = 2000}}.template advance<wide>(x, {0., 1.}, endings);
  const auto alone = solve(grows, number{1.7e308}, {0., 1.}, sample_method{}, {.rtol = 1e-6, .max_evaluations = 2000});
  EXPECT_EQ(report.finished, x.size() - 1);
  EXPECT_EQ(report.first_failure, 7u);
  EXPECT_EQ(endings[7].how, alone.outcome);
  EXPECT_NE(endings[7].how, outcome::finished);
  EXPECT_NEAR(x[8][0], 1e308, 1e294);
}

TEST(batch, ends_when_it_is_cancelled) {
  ensemble cut = random_ensemble(100);
  const std::atomic<bool> cancelled = true;
  const batch_report report = run<wide, sample_method>(cut, {.rtol = 1e-6, .cancel = &cancelled});
  EXPECT_EQ(report.trajectories, 100u);
  EXPECT_EQ(report.finished, 0u);
  for (const trajectory_ending& each : cut.endings) EXPECT_EQ(each.how, outcome::cancelled);
}

TEST(batch, keeps_lanes_busy) {
  ensemble uneven = random_ensemble(4000);
  const batch_report report = run<wide, sample_method>(uneven, {.rtol = 1e-6, .atol = 1e-8});
  EXPECT_GT(report.occupancy(), 0.95);
  EXPECT_LE(report.occupancy(), 1);
}

/// Everything that can go wrong with one of them, in different lanes.
TEST(batch, the_poisoned_do_not_touch_their_neighbours) {
  const ensemble sound = random_ensemble(500);
  const options<std::span<double>> settings{.rtol = 1e-6, .atol = 1e-8, .max_evaluations = 30'000};
  ensemble expected = sound;
  run<wide, sample_method>(expected, settings);

  constexpr double none = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  ensemble poisoned = sound;
  poisoned.states[3][1] = none;
  poisoned.states[77] = {1e300, 1e300, 1e300};  // its first step overflows
  poisoned.parameters[78] = {none};
  poisoned.spans[140].to = endless;
  poisoned.spans[141].from = none;
  poisoned.spans[300] = {0, 1e5};  // beyond the budget
  poisoned.states[499][0] = -endless;
  const batch_report report = run<wide, sample_method>(poisoned, settings);
  const std::pair<std::size_t, outcome> endings[] = {
      {3, outcome::state_not_finite}, {77, outcome::state_not_finite},      {78, outcome::derivative_not_finite}, {140, outcome::bad_input},
      {141, outcome::bad_input},      {300, outcome::too_many_evaluations}, {499, outcome::state_not_finite}};
  EXPECT_EQ(report.finished, 493u);
  EXPECT_EQ(report.first_failure, 3u);
  EXPECT_NE(report.message().find("7 of 500 trajectories did not finish; number 3: state not finite"), std::string::npos)
      << report.message();
  std::size_t next = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    if (next < 7 && endings[next].first == i) {
      EXPECT_EQ(poisoned.endings[i].how, endings[next++].second) << i;
    } else {
      ASSERT_EQ(poisoned.states[i], expected.states[i]) << i;
      ASSERT_EQ(poisoned.endings[i], expected.endings[i]) << i;
    }
  }
}

struct swirl {
  template <class Time, class X, class DX> void operator()(const Time&, const X& x, DX& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0];
  }
};

/// Nobody asks how each has ended: what the report says of them all must not depend on it.
TEST(batch, reports_failures_on_the_way_without_endings) {
  const auto escape = [](const auto&, const auto& x, auto& dx) { dx[0] = x[0] * x[0]; };  // 1/(1/x₀ − t): not until t = 1 from x₀ ≥ 1
  std::vector<vec<double, 1>> states(100, vec{0.5});
  for (const std::size_t i : {37u, 38u, 80u}) states[i] = {3.};
  batch run{escape, sample_method{}, {.rtol = 1e-4, .atol = 1e-4}};
  const batch_report failed = run.advance<wide>(states, {0., 1.});
  EXPECT_EQ(failed.trajectories, 100u);
  EXPECT_EQ(failed.finished, 97u);
  EXPECT_EQ(failed.first_failure, 37u);
  EXPECT_NEAR(failed.failure.t, 1. / 3, 1e-3);
  EXPECT_DOUBLE_EQ(states[36][0], states[99][0]);

  states.assign(100, vec{0.5});
  states[37] = {0.999};
  run.settings.min_step = 0.05;
  run.settings.when_too_small = at_min_step::accept_and_mark;
  const batch_report marked = run.advance<wide>(states, {0., 1.});
  EXPECT_EQ(marked.finished, 100u);
  EXPECT_EQ(marked.at_smallest_step, 1u);
}

TEST(batch, takes_columns_and_rows) {
  std::vector<double> x, y;
  std::vector<std::array<double, 2>> rows;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i);
    y.push_back(1);
    rows.push_back({static_cast<double>(i), 1});
  }
  batch turn{swirl{}, sample_method{}, {.rtol = 1e-5, .atol = 1e-5}};
  EXPECT_TRUE(turn.advance(columns_of(x, y), {0., 1.}).all_finished());
  EXPECT_TRUE(turn.advance(rows, {0., 1.}).all_finished());
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(x[i], rows[i][0]);
    EXPECT_EQ(y[i], rows[i][1]);
    EXPECT_NEAR(x[i], std::cos(1.) * static_cast<double>(i) - std::sin(1.), 1e-3);
  }
}

TEST(batch, says_what_it_was_given_wrong) {
  std::vector<vec<double, 2>> states(10);
  const std::vector<interval<double>> spans(9);
  std::vector<trajectory_ending> endings(3);
  EXPECT_THROW(batch(swirl{}, sample_method{}).advance(states, spans), std::length_error);
  EXPECT_THROW(batch(swirl{}, sample_method{}).advance(states, {0., 1.}, endings), std::length_error);
  EXPECT_THROW(batch(swirl{}, rk4{}).advance(states, {0., 1.}), std::invalid_argument);
  EXPECT_THROW(batch(swirl{}, sample_method{}, {.atol = vec{1e-3, 1e-3, 1e-3}}).advance(states, {0., 1.}), std::invalid_argument);
  std::vector<float> x(3), y(4);
  EXPECT_THROW((void)columns_of(x, y), std::length_error);
}

struct failing {
  template <class Time, class X, class DX> void operator()(const Time&, const X&, DX&) const { throw std::runtime_error("f"); }
};

TEST(batch, brings_what_f_throws_to_the_caller) {
  std::vector<vec<double, 2>> states(1000);
  batch thrown{failing{}, sample_method{}};
  thrown.threads = 2;
  EXPECT_THROW(thrown.advance(states, {0., 1.}), std::runtime_error);
}

TEST(batch, of_nothing_is_nothing) {
  std::vector<vec<double, 2>> states;
  const batch_report report = batch{swirl{}, sample_method{}}.advance(states, {0., 1.});
  EXPECT_EQ(report.trajectories, 0u);
  EXPECT_TRUE(report.all_finished());
}

}  // namespace
}  // namespace ensue::tests
