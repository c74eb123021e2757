/// What is handed out along a run: the right times, once each, in order, and right states there.
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/invariant.hpp>
#include <ensue/output/phase.hpp>
#include <ensue/output/save.hpp>
#include <ensue/output/trajectory.hpp>
#include <ensue/registry.hpp>

#include "support/on_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;

using state = vec<double, 2>;

struct circle {
  template <class X, class DX> void operator()(double, const X& x, DX&& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0];
  }
};

struct spring {
  template <class Q, class A> void acceleration(double, const Q& q, A& a) const { a[0] = -q[0]; }
};

/// Times, each with a state that has to be that of the circle.
struct record {
  std::vector<double> times;
  auto operator()() {
    return [this](double t, const auto& x) {
      times.push_back(t);
      EXPECT_NEAR(x[0], std::cos(t), 1e-7) << "at " << t;
      EXPECT_NEAR(x[1], std::sin(t), 1e-7) << "at " << t;
    };
  }
};
const options<state> tight{.rtol = 1e-9, .atol = 1e-10};

TEST(save_at, hands_out_the_times_of_its_list_and_no_other) {
  for (const double direction : {1., -1.}) {
    record forward;
    std::vector<double> list;
    for (const double t : {2., 0., 3.5, 0.1, 0.1000001, 4., 5., -1., 0.5}) list.push_back(direction * t);
    solve(circle{}, state{1., 0.}, {0, direction * 4}, dp54{}, tight, save_at(list, forward()));
    std::vector<double> expected;
    for (const double t : {0., 0.1, 0.1000001, 0.5, 2., 3.5, 4.}) expected.push_back(direction * t);
    EXPECT_EQ(forward.times, expected);
  }
}

TEST(save_at, hands_out_a_time_as_often_as_it_is_in_the_list) {
  record twice;
  solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, tight, save_at({0., 0., 0.5, 0.5, 1., 1.}, twice()));
  EXPECT_EQ(twice.times, (std::vector{0., 0., 0.5, 0.5, 1., 1.}));
}

// Four roundings of such a time are longer than a distance asked for.
TEST(save_every, keeps_its_distance_where_the_clock_is_coarse) {
  constexpr double start = 0x1p52;
  std::vector<double> times;
  solve([](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; }, vec{0.}, {start, start + 8}, dp54{}, {}, save_every(2., [&](double t, const auto&) { times.push_back(t - start); }));
  EXPECT_EQ(times, (std::vector{0., 2., 4., 6., 8.}));
}

TEST(save_every, counts_from_the_start_without_drift) {
  for (const double direction : {1., -1.})
    for (const double dt : {0.1, 0.01, 0.3, 7., 4.}) {
      record all;
      solve(circle{}, state{1., 0.}, {0, direction * 4}, dp54{}, tight, save_every(dt, all()));
      const auto count = static_cast<std::size_t>(std::floor(4 / dt * (1 + 1e-12))) + 1;
      ASSERT_EQ(all.times.size(), count) << dt;
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_NEAR(all.times[i], direction * dt * static_cast<double>(i), 4 * epsilon<double> * 4);
      if (std::abs(4 / dt - std::round(4 / dt)) < 1e-9) {
        EXPECT_EQ(all.times.back(), direction * 4);
      }
    }
}

// -0.3 + 3·0.1 is not 0, but it is the end.
TEST(save_every, meets_an_end_at_zero) {
  for (const double direction : {1., -1.})
    for (const int count : {3, 7, 10, 49}) {
      std::vector<double> times;
      solve(circle{}, state{1., 0.}, {direction * -0.3, 0}, dp54{}, tight,
            save_every(0.3 / count, [&](double t, const auto&) { times.push_back(t); }));
      ASSERT_EQ(times.size(), static_cast<std::size_t>(count) + 1);
      EXPECT_EQ(times.back(), 0);
    }
}

// Nothing inside a step is asked for: methods whose dense output has stages of its own do not compute them.
TEST(save_steps, costs_no_evaluations) {
  const std::vector<double> start{1, 0};
  for (const method_info* method : all_methods()) {
    if (!method->adaptive) continue;
    const auto watched = method->make(spring{}, start, 0, {}), alone = method->make(spring{}, start, 0, {});
    observe(*watched, 5., save_steps([](double, std::span<const double>) {}));
    alone->advance_to(5);
    EXPECT_EQ(watched->statistics().evaluations, alone->statistics().evaluations) << method->name;
  }
}

TEST(save_every, of_nothing_is_the_start_alone) {
  record all;
  solve(circle{}, state{1., 0.}, {0, 4}, dp54{}, tight, save_every(0., all()));
  EXPECT_EQ(all.times, std::vector{0.});
}

TEST(save_steps, hands_out_every_accepted_step) {
  record all;
  const auto run = solve(circle{}, state{1., 0.}, {0, 4}, dp54{}, tight, save_steps(all()));
  EXPECT_EQ(all.times.size(), static_cast<std::size_t>(run.statistics.steps) + 1);
  EXPECT_EQ(all.times.front(), 0);
  EXPECT_EQ(all.times.back(), 4);
}

TEST(save_steps, shows_an_event_before_and_after) {
  std::vector<std::pair<double, double>> all;
  event half{[](double t, const auto&) { return t - 0.5; }, change([](double, auto& x) { x[0] = 10; })};
  solve([](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; }, vec{0.}, {0, 1}, dp54{},
        {.first_step = 1}, events{half}, save_steps([&](double t, const auto& x) { all.push_back({t, x[0]}); }));
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(all[1].first, 0.5);
  EXPECT_NEAR(all[1].second, 0.5, 1e-15);
  EXPECT_EQ(all[2], std::pair(0.5, 10.));
  EXPECT_EQ(all.back(), std::pair(1., 10.5));
}

TEST(save_steps, shows_an_event_that_changes_nothing_once) {
  std::vector<double> times;
  int noted = 0;
  event half{[](double t, const auto&) { return t - 0.5; }, note([&](double, const auto&) { ++noted; })};
  solve(circle{}, state{1., 0.}, {0, 1}, dp54{}, {.first_step = 1}, events{half}, save_steps([&](double t, const auto&) { times.push_back(t); }));
  EXPECT_EQ(noted, 1);
  EXPECT_EQ(std::count(times.begin(), times.end(), 0.5), 1);
}

// Some methods have no f at the end of a step before they are asked for what is inside.
TEST(observers, do_not_change_how_a_run_ends_where_f_ends) {
  const auto spring_until_1 = [](double t, std::span<const double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = t < 1 ? -x[0] : std::nan(""); };
  int looked = 0;
  for (const method_info* method : tests::registered_on_numbers()) {
    if (method->needs != system_needed::any || method->order < 2) continue;
    const std::vector start{1., 0.};
    const auto alone = method->make(spring_until_1, start, 0, {.step = 0.1}), watched = method->make(spring_until_1, start, 0, {.step = 0.1});
    if (alone->advance_to(1) != outcome::finished) continue;
    const double near = method->order < 3 ? 5e-3 : 1e-4;
    const auto compare = [&](double t, std::span<const double> x) { EXPECT_NEAR(x[0], std::cos(t), near) << method->name; };
    EXPECT_EQ(observe(*watched, 1., save_at({0.93, 0.97}, compare)), outcome::finished) << method->name;
    ++looked;
  }
  EXPECT_GE(looked, 3);
}

TEST(only, picks_components_in_the_order_named) {
  std::vector<double> seen;
  solve([](double, const vec<double, 3>&, vec<double, 3>& dx) { dx = {0., 0., 0.}; }, vec{1., 2., 3.}, {0, 1}, dp54{},
        {}, save_at({0.5}, only({2, 0}, [&](double, std::span<const double> x) { seen.assign(x.begin(), x.end()); })));
  EXPECT_EQ(seen, (std::vector{3., 1.}));
}

TEST(save, works_with_fixed_steps_and_methods_by_name) {
  for (const method_info* method : tests::registered_on_numbers()) {
    options<std::span<double>> s;
    s.step = 0.01;
    const std::vector start{1., 0.};
    const auto sim = method->make(spring{}, start, 0, s);
    std::vector<double> times;
    double worst = 0;
    EXPECT_EQ(observe(*sim, 1.,
                      save_every(0.03,
                                 [&](double t, std::span<const double> x) {
                                   times.push_back(t);
                                   worst = std::max(worst, std::abs(x[0] - std::cos(t)));
                                 })),
              outcome::finished);
    EXPECT_EQ(times.size(), 34u);
    if (!method->sets_pace) {
      EXPECT_EQ(sim->statistics().steps, 100);
    }
    EXPECT_LT(worst, method->order == 1 ? 1e-2 : method->name == "bdf" ? 2e-4 : 1e-4) << method->name;
    const auto plain = method->make(spring{}, start, 0, s);
    plain->advance_to(1);
    EXPECT_EQ(sim->state()[0], plain->state()[0]) << method->name << ": watched, the run is another";
  }
}

TEST(observers, do_not_change_an_adaptive_run) {
  for (const method_info* method : all_methods()) {
    if (!method->adaptive) continue;
    options<std::span<double>> s;
    s.rtol = 1e-5;
    const std::vector start{1., 0.};
    const auto sim = method->make(spring{}, start, 0, s), plain = method->make(spring{}, start, 0, s);
    observe(*sim, 5., save_every(0.03, [](double, std::span<const double>) {}));
    plain->advance_to(5);
    EXPECT_EQ(sim->state()[0], plain->state()[0]) << method->name;
    EXPECT_EQ(sim->statistics().steps, plain->statistics().steps) << method->name;
  }
}

// Invariants.

TEST(invariant, remembers_the_start_the_end_and_the_worst_between) {
  invariant radius{"radius", [](double, const auto& x) { return std::hypot(x[0], x[1]); }};
  solve(circle{}, state{1., 0.}, {0, 10}, rk4{}, {.step = 0.5}, radius);
  EXPECT_EQ(radius.name, "radius");
  EXPECT_EQ(radius.seen.initial, 1);
  EXPECT_LT(radius.seen.final, 1);  // RK4 spirals inwards
  EXPECT_EQ(radius.seen.largest, 1 - radius.seen.final);
  EXPECT_EQ(radius.seen.largest_time, 10);
  invariant x{"x", [](double, const auto& s) { return s[0]; }};
  solve(circle{}, state{1., 0.}, {0, 6.25}, rk4{}, {.step = 0.125}, x);
  EXPECT_NEAR(x.seen.largest_time, std::acos(-1.), 0.0626);
  EXPECT_NEAR(x.seen.largest, 2, 2e-3);
  EXPECT_NEAR(x.seen.final, 1, 2e-3);
}

TEST(invariant, that_is_no_number_does_not_look_conserved) {
  invariant bad{"bad", [](double t, const auto&) { return t > 1 && t < 2 ? std::nan("") : 0.; }};
  solve(circle{}, state{1., 0.}, {0, 10}, rk4{}, {.step = 0.5}, bad);
  EXPECT_TRUE(std::isnan(bad.seen.largest));
  EXPECT_EQ(bad.seen.largest_time, 1.5);
}

/// A line with a swing upon it: both are found, and the uncertainty is as large as the error of the slope.
TEST(drift_record, tells_a_drift_from_a_swing) {
  for (const double slope : {0., 1e-3, -2e-5})
    for (const int count : {300, 5000, 100000}) {
      drift_record record(2, 7);
      for (int i = 1; i <= count; ++i) {
        const double t = 0.1 * i;
        record.add(2 + t, 7 + slope * t + 0.01 * std::sin(3 * t));
      }
      const drift_trend trend = record.trend();
      EXPECT_NEAR(trend.slope, slope, 4 * trend.uncertainty);
      EXPECT_LT(trend.uncertainty, 0.1 / count) << "far below the swing over the run";
      EXPECT_NEAR(record.oscillation(), 0.01, 0.002);
      EXPECT_EQ(record.initial, 7);
    }
  drift_record straight(0, 0);
  for (int i = 1; i <= 5000; ++i) straight.add(0.0128 * i, 0.0128 * i);
  EXPECT_NEAR(straight.trend().slope, 1, 1e-12);
  EXPECT_LT(straight.oscillation(), 1e-12);
  EXPECT_TRUE(std::isnan(drift_record(0, 1).trend().slope));
}

TEST(error_parts, are_along_the_motion_and_off_it) {
  // A point on the unit circle, 0.01 late and 0.001 too far out.
  const double late = 0.01, t = 0.7, r = 1.001;
  const std::vector x{r * std::cos(t - late), r * std::sin(t - late)}, truth{std::cos(t), std::sin(t)}, f{-std::sin(t), std::cos(t)};
  const error_parts parts = taken_apart(x, truth, f);
  EXPECT_NEAR(parts.late, late, 2e-5);
  EXPECT_NEAR(parts.shape, 0.001 * std::cos(t), 1e-4);
}

// Kept whole.

TEST(trajectory, is_the_motion_at_every_time) {
  for (const double direction : {1., -1.}) {
    trajectory<state> path;
    const auto run = solve(circle{}, state{1., 0.}, {0, direction * 10}, dp54{}, tight, path);
    EXPECT_EQ(path.steps(), static_cast<std::size_t>(run.statistics.steps));
    EXPECT_EQ(path.from(), 0);
    EXPECT_EQ(path.to(), direction * 10);
    for (int i = 0; i <= 1000; ++i) {
      const double t = direction * i / 100.;
      EXPECT_NEAR(path(t)[0], std::cos(t), 1e-7);
    }
    EXPECT_EQ(path(direction * 10), run.state);
    EXPECT_EQ(path(0)[0], 1);
    EXPECT_THROW(path(direction * 10.001), std::out_of_range);
    EXPECT_THROW(path(direction * -0.001), std::out_of_range);
    EXPECT_THROW(path(std::nan("")), std::out_of_range);
  }
}

TEST(trajectory, keeps_both_sides_of_an_event) {
  trajectory<vec<double, 1>> path;
  event half{[](double t, const auto&) { return (t - 0.5) * (t - 0.25); },
             [](double t, auto& x) {
               if (t < 0.4) return reaction::go_on;
               x[0] = 10;
               return reaction::change;
             }};
  solve([](double, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 1; }, vec{0.}, {0, 1}, dp54{},
        {.first_step = 1}, path, events{half});
  EXPECT_NEAR(path(0.2)[0], 0.2, 1e-15);
  EXPECT_NEAR(path(0.3)[0], 0.3, 1e-15);
  EXPECT_NEAR(path(0.5)[0], 0.5, 1e-15);
  EXPECT_NEAR(path(0.5000001)[0], 10.0000001, 1e-14);
  EXPECT_NEAR(path(1)[0], 10.5, 1e-14);
}

TEST(trajectory, of_dynamic_states_and_of_methods_by_name_is_the_same) {
  trajectory<std::vector<double>> path;
  solve(circle{}, std::vector{1., 0.}, {0, 10}, dp54{}, {.rtol = 1e-9, .atol = 1e-10}, path);
  trajectory<std::span<double>> named;
  options<std::span<double>> s;
  s.rtol = 1e-9, s.atol = 1e-10;
  const std::vector start{1., 0.};
  const auto sim = find_method("dp54")->make(circle{}, start, 0, s);
  observe(*sim, 10., named);
  for (double t = 0; t <= 10; t += 0.37) EXPECT_EQ(path(t)[0], named(t)[0]);
}

}  // namespace
