/// Events: none missed, none doubled, none on a step that was thrown away, in their order; and the ways in which they end a run.
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/output/events.hpp>
#include <ensue/registry.hpp>

#include "support/on_numbers.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ensue;

using state = vec<double, 2>;
const double pi = std::acos(-1.);

/// (cos t, sin t) from (1, 0): every time is an angle.
struct circle {
  template <class X, class DX> void operator()(double, const X& x, DX&& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0];
  }
};

struct ball {
  static constexpr double gravity = 9.81;
  template <class Q, class A> void acceleration(double, const Q&, A& a) const { a[0] = -gravity; }
};
struct spring {
  template <class Q, class A> void acceleration(double, const Q& q, A& a) const { a[0] = -q[0]; }
};

const auto height = [](double, const auto& x) { return x[0]; };
auto into(std::vector<double>& times) {
  return note([&times](double t, const auto&) { times.push_back(t); });
}

/// g = ± Π sin(t − r_i), as a function of the state: roots r_i + kπ, any two of them at least a tenth of the largest step apart.
TEST(events, of_ten_thousand_random_functions_are_all_found_once) {
  constexpr double longest = 0.5, tolerance = 1e-7, end = 3.1;
  std::mt19937_64 random(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  double worst = 0;
  std::int64_t roots = 0;
  const int runs = tests::sanitized ? 1000 : 10'000;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> angles;
    for (double r = uniform(0.01, 0.6); r < pi; r += 0.1 * longest * (1.001 + std::pow(uniform(0, 1), 3) * 15))
      angles.push_back(r);
    while (angles.back() > pi - 0.1 * longest * 1.001 + angles.front()) angles.pop_back();
    const double direction = run % 2 ? 1 : -1;
    const auto g = [&](double, const auto& x) {
      double product = run % 3 ? 1 : -1;
      for (const double r : angles) product *= x[1] * std::cos(r) - x[0] * std::sin(direction * r);
      return product;
    };
    std::vector<double> found;
    const auto result =
        solve(circle{}, state{1., 0.}, {0, direction * end}, tsit5{},
              {.rtol = tolerance, .atol = tolerance, .max_step = longest}, events{event{g, into(found)}});
    ASSERT_TRUE(result.finished());
    std::vector<double> expected;
    for (const double r : angles)
      if (r <= end) expected.push_back(direction * r);
    ASSERT_EQ(found.size(), expected.size()) << "run " << run;
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
    roots += static_cast<std::int64_t>(found.size());
  }
  EXPECT_LE(worst, 10 * tolerance);
  EXPECT_GT(roots, 5 * runs);
  RecordProperty("worst_in_tolerances", std::to_string(worst / tolerance));
  RecordProperty("roots", std::to_string(roots));
}

// The ball.

struct bounces : testing::TestWithParam<const method_info*> {};

TEST_P(bounces, come_when_they_should_until_they_accumulate) {
  const double fall = std::sqrt(2 / ball::gravity);
  for (const crossing which : {crossing::falling, crossing::any}) {
    std::vector<double> times;
    double lowest = 0;
    event_list floor({any_event{[](double, std::span<const double> x) { return x[0]; },
                                [&](double t, std::span<double> x) {
                                  times.push_back(t);
                                  lowest = std::min(lowest, x[0]);
                                  x[1] *= -0.5;
                                  return reaction::change;
                                },
                                which}});
    options<std::span<double>> s;
    s.rtol = s.atol = GetParam()->order == 1 ? 1e-6 : 1e-10;
    if (!GetParam()->adaptive) s.step = 0.01;
    const std::vector start{1., 0.};
    const auto sim = GetParam()->make(ball{}, start, 0, s);
    const outcome how = observe(*sim, 10., floor);
    EXPECT_GE(lowest, -1e-12) << "fell through the floor";
    if (GetParam()->order == 1) continue;  // a parabola is beyond it, and it gains the height that the bounces lose
    EXPECT_EQ(how, outcome::events_accumulating) << sim->message();
    ASSERT_GE(times.size(), 20u);
    double t = fall;
    // After each bounce bdf starts with order 1, for which a parabola is as hard as any curve.
    const double near = GetParam()->name == "bdf" ? 2e-6 : 1e-9;
    for (int i = 0; i < 10; ++i) {
      EXPECT_NEAR(times[i], t, near) << "bounce " << i;
      t += 2 * fall * std::pow(0.5, i + 1);
    }
    EXPECT_NEAR(sim->time(), 3 * fall, near);
    EXPECT_NE(sim->message().find("events accumulating"), std::string::npos);
  }
}
INSTANTIATE_TEST_SUITE_P(method, bounces, testing::ValuesIn(tests::registered_on_numbers()), tests::name_of_method);

TEST(events, of_a_ball_that_bounces_for_ever_do_not_accumulate) {
  int count = 0;
  event floor{height, change([&](double, auto& x) { ++count, x[1] = -x[1]; })};
  const auto run = solve(ball{}, state{1., 0.}, {0, 100}, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, events{floor});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(count, static_cast<int>(std::lround(100 / std::sqrt(8 / ball::gravity))));
}

/// Regular events late in a long run, closer together than a billionth of the time: no accumulation.
TEST(events, that_are_regular_do_not_accumulate_however_late_it_is) {
  const double late = 1e9;
  int count = 0;
  event tick{[](double, const auto& x) { return std::sin(200 * pi * x[0] + 0.5); },
             change([&](double, auto&) { ++count; })};
  integrator sim(problem{[](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; }, vec{0.}, {late, late}},
                 dp54{}, options<vec<double, 1>>{.max_step = 0.01});
  EXPECT_EQ(observe(sim, late + 1, events{tick}), outcome::finished) << sim.message();
  EXPECT_EQ(count, 200);
}

// Order and direction.

TEST(events, come_in_the_order_of_the_run) {
  for (const double direction : {1., -1.}) {
    std::string order;
    const auto at = [&](double angle, char name) {
      return event{[=](double t, const auto&) { return t - direction * angle; },
                   note([&order, name](double, const auto&) { order += name; })};
    };
    solve(circle{}, state{1., 0.}, {0, direction}, dp54{}, {.first_step = 1},
          events{at(0.9, 'd'), at(0.3, 'b'), at(0.30001, 'c'), at(0.1, 'a')});
    EXPECT_EQ(order, "abcd") << direction;
  }
}

TEST(events, that_coincide_act_together_in_the_order_of_the_list) {
  std::string order;
  const auto at = [&](double time, char name) {
    return event{[=](double t, const auto&) { return t - time; }, change([&order, name](double, auto& x) {
                   order += name;
                   x[0] = 10 * x[0] + name - 'a';
                 })};
  };
  const auto run = solve([](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 0; }, vec{0.}, {0, 1}, dp54{},
                         {}, events{at(0.5, 'b'), at(0.5, 'c'), at(0.25, 'a'), at(0.5, 'd')});
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(run.state[0], 123);
}

TEST(events, of_one_direction_leave_the_other_alone) {
  std::vector<double> rising, falling, any;
  const auto sine = [](double, const auto& x) { return x[1]; };
  solve(circle{}, state{0., -1.}, {0, 20}, dp54{}, {.rtol = 1e-9},
        events{event{sine, into(rising), crossing::rising}, event{sine, into(falling), crossing::falling},
               event{sine, into(any)}});
  ASSERT_EQ(rising.size(), 3u);
  ASSERT_EQ(falling.size(), 3u);
  ASSERT_EQ(any.size(), 6u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(rising[i], pi / 2 + 2 * pi * i, 1e-6);
    EXPECT_NEAR(falling[i], 3 * pi / 2 + 2 * pi * i, 1e-6);
  }
}

// Two roots in one step, and dips.

TEST(events, that_dip_through_zero_between_two_samples_are_not_missed) {
  for (const double depth : {1e-2, 1e-4, 1e-6, 1e-8})
    for (double middle = 0.002; middle < 0.9981; middle += 0.0137) {
      std::vector<double> found;
      const auto dip = [=](double t, const auto&) { return (t - middle) * (t - middle) - depth * depth * 1e-2; };
      solve([](double, const state&, state& dx) { dx = {1., 0.}; }, state{0., 0.}, {0, 1}, dp54{}, {.first_step = 1},
            events{event{dip, into(found)}});
      ASSERT_EQ(found.size(), 2u) << "a dip of depth " << depth << " at " << middle;
      EXPECT_NEAR(found[0], middle - 0.1 * depth, 1e-9);
      EXPECT_NEAR(found[1], middle + 0.1 * depth, 1e-9);
    }
}

TEST(events, that_only_come_near_zero_are_not_invented) {
  for (const double distance : {1e-3, 1e-6, 1e-9}) {
    int count = 0;
    const auto near = [=](double t, const auto&) { return (t - 0.4567) * (t - 0.4567) + distance; };
    solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, {.first_step = 1},
          events{event{near, note([&](double, const auto&) { ++count; })}});
    EXPECT_EQ(count, 0);
  }
}

// Ends of a run.

TEST(events, at_the_start_do_not_fire_and_at_the_end_do) {
  std::vector<double> found;
  const auto linear = [](double t, const auto&) { return t * (t - 1); };
  solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, {}, events{event{linear, into(found)}});
  EXPECT_EQ(found, std::vector{1.});
  found.clear();
  solve(circle{}, state{1., 0.}, {1, 0}, dp54{}, {}, events{event{linear, into(found)}});
  EXPECT_EQ(found, std::vector{0.});
  found.clear();
  solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, {},
        events{event{[](double, const auto& x) { return x[1]; }, into(found)}});
  EXPECT_TRUE(found.empty()) << "left zero at the start, and fired";
}

/// Thrown up from the floor, and back before the first sample of a long step.
// The steps of a constant slope are long: one of them goes on for much of the stretch on which g is zero.
TEST(events, are_where_g_becomes_zero_and_stays_so) {
  const auto meets = [](const auto& g, crossing which) {
    std::vector<double> times;
    solve([](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; }, vec{0.}, {0, 9}, dp54{}, {},
          events{event{[&](double, const auto& x) { return g(x[0]); }, note([&](double t, const auto&) { times.push_back(t); }), which}});
    return times;
  };
  const auto expect_1 = [](const std::vector<double>& times) {
    ASSERT_EQ(times.size(), 1u);
    EXPECT_NEAR(times[0], 1, 1e-14);
  };
  const auto lands = [](double x) { return std::max(0., 1 - x); };
  const auto goes_on = [](double x) { return x < 1 ? 1 - x : std::min(0., 3 - x); };
  expect_1(meets(lands, crossing::any));
  expect_1(meets(lands, crossing::falling));
  EXPECT_TRUE(meets(lands, crossing::rising).empty());
  expect_1(meets(goes_on, crossing::any));
}

TEST(events, that_leave_zero_at_the_start_and_are_back_soon_are_not_missed) {
  for (const double speed : {1., 1e-2, 1e-4}) {
    std::vector<double> found;
    solve(ball{}, state{0., speed}, {0, 10}, dp54{}, {.first_step = 10}, events{event{height, into(found)}});
    ASSERT_EQ(found.size(), 1u) << speed;
    EXPECT_NEAR(found[0], 2 * speed / ball::gravity, 1e-9);
  }
}

/// One run in two parts sees what one run sees.
TEST(events, are_not_doubled_where_one_run_ends_and_the_next_begins) {
  std::vector<double> found;
  events all{event{[](double t, const auto&) { return t - 1; }, into(found)}};
  integrator sim{circle{}, state{1., 0.}, dp54{}};
  observe(sim, 1., all);
  observe(sim, 2., all);
  EXPECT_EQ(found, std::vector{1.});
}

/// A change that takes g far from its zero: g's side is what it is there, not where it goes.
TEST(events, are_found_again_after_a_reset) {
  using number = vec<double, 1>;
  for (const crossing how : {crossing::rising, crossing::any}) {
    int resets = 0;
    const auto grows = [](double, const number&, number& dx) { dx[0] = 1; };
    const auto run = solve(grows, number{0.}, {0, 100.5}, dp54{}, {},
                           events{event{[](double, const auto& x) { return x[0] - 1; }, change([&](double, auto& x) { ++resets, x[0] = 0; }), how}});
    EXPECT_EQ(run.outcome, outcome::finished);
    EXPECT_EQ(resets, 100);
    EXPECT_NEAR(run.state[0], 0.5, 1e-9);
    int spikes = 0;
    const auto charges = [](double, const number& x, number& dx) { dx[0] = 2 - x[0]; };
    EXPECT_EQ(solve(charges, number{0.}, {0, 20}, dp54{}, {.rtol = 1e-9, .atol = 1e-12},
                    events{event{[](double, const auto& x) { return x[0] - 1; }, change([&](double, auto& x) { ++spikes, x[0] = 0; }), how}})
                  .outcome,
              outcome::finished);
    EXPECT_EQ(spikes, 28);  // every ln 2
  }
}

/// A run that goes on where an event stopped it, beside the root by a rounding, does not stop there again.
TEST(events, that_stopped_a_run_let_it_go_on) {
  for (const crossing how : {crossing::any, crossing::falling}) {
    integrator sim{circle{}, state{1., 0.}, dp54{}, {.rtol = 1e-9, .atol = 1e-12}};
    int stops = 0;
    while (observe(sim, 100., events{event{[](double, const auto& x) { return x[0]; }, stop, how}}) == outcome::stopped_by_event && stops < 100) ++stops;
    EXPECT_EQ(stops, how == crossing::any ? 32 : 16);
    EXPECT_EQ(sim.time(), 100.);
  }
}

/// g that is zero exactly where it is looked at.
TEST(events, are_where_g_is_zero_at_an_end_of_the_search) {
  const auto times = [](auto g) {
    std::vector<double> found;
    const auto grows = [](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; };
    solve(grows, vec<double, 1>{0.}, {0, 1}, dp54{}, {.first_step = 1.},
          events{event{[g](double t, const auto&) { return g(t); }, note([&](double t, const auto&) { found.push_back(t); })}});
    return found;
  };
  const auto twelfth = times([](double t) { return t * (1 / 12. - t); });
  ASSERT_EQ(twelfth.size(), 1u);
  EXPECT_NEAR(twelfth[0], 1 / 12., 1e-12);
}

TEST(events, stop_a_run_where_they_are) {
  for (const double direction : {1., -1.}) {
    event quarter{height, stop};
    const auto run =
        solve(circle{}, state{1., 0.}, {0, direction * 10}, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, events{quarter});
    EXPECT_EQ(run.outcome, outcome::stopped_by_event);
    EXPECT_NEAR(run.t, direction * pi / 2, 1e-8);
    EXPECT_NEAR(run.state[0], 0, 1e-12);
    EXPECT_NEAR(run.state[1], direction, 1e-8);
    EXPECT_EQ(run.ending[0].event, 0);
    EXPECT_EQ(run.message().rfind("stopped by event 0 at t = ", 0), 0u) << run.message();
  }
}

TEST(events, that_stop_are_not_asked_about_what_comes_after) {
  std::string order;
  const auto run = solve(
      circle{}, state{1., 0.}, {0, 10}, dp54{}, {.first_step = 3},
      events{event{[](double t, const auto&) { return t - 0.5; },
                   [&](double, auto&) { return order += 's', reaction::stop; }},
             event{[](double t, const auto&) { return t - 0.6; }, note([&](double, const auto&) { order += 'x'; })}});
  EXPECT_EQ(order, "s");
  EXPECT_EQ(run.t, 0.5);
}

/// A derivative saved from before the change would give another step.
TEST(events, leave_nothing_of_the_old_state_in_the_next_step) {
  for (const method_info* method : tests::registered_on_numbers()) {
    options<std::span<double>> s;
    s.step = 0.25;
    const std::vector start{1., 0.};
    const auto sim = method->make(spring{}, start, 0, s);
    event_list kick({any_event{[](double t, auto) { return t - 0.6; },
                               [](double, std::span<double> x) { return x[0] = 5, x[1] = -3, reaction::change; }}});
    observe(*sim, 0.85, kick);
    const std::vector kicked{5., -3.};
    const auto fresh = method->make(spring{}, kicked, 0.6, s);
    fresh->step_towards(0.85);
    EXPECT_EQ(sim->time(), fresh->time());
    EXPECT_EQ(sim->state()[0], fresh->state()[0]) << method->name;
    EXPECT_EQ(sim->state()[1], fresh->state()[1]) << method->name;
  }
}

TEST(events, do_not_fire_on_rejected_steps) {
  // Were the first attempt, over several turns, believed for a moment, roots would be seen beyond the end of the first step.
  std::vector<double> found;
  integrator sim{circle{}, state{1., 0.}, dp54{}, options<state>{.rtol = 1e-9, .first_step = 30}};
  observe(sim, 10., events{event{height, into(found)}});
  EXPECT_GT(sim.statistics().rejected, 0);
  ASSERT_EQ(found.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], pi / 2 + pi * i, 1e-6);
}

TEST(events, whose_function_is_no_number_end_the_run) {
  for (const double from : {0.3, -1.}) {
    const auto g = [=](double t, const auto&) { return t > from ? std::numeric_limits<double>::quiet_NaN() : 1.; };
    const auto run =
        solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, {.max_step = 0.05}, events{event{height, stop}, event{g, stop}});
    EXPECT_EQ(run.outcome, outcome::event_not_finite);
    EXPECT_EQ(run.ending[0].event, 1);
    EXPECT_NEAR(run.t, std::max(from, 0.), 0.051);
    EXPECT_NEAR(run.state[0], std::cos(run.t), 1e-6);
    EXPECT_NE(run.message().find("event not finite"), std::string::npos);
  }
}

}  // namespace
