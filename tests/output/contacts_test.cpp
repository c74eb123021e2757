/// Contacts: a ball never falls through the floor in silence, whatever its bounces take of its speed, and wherever it starts.
#include "support/registered.hpp"

#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace ensue;
using namespace ensue::tests;

struct ball {
  static constexpr double gravity = 9.81;
  void acceleration(double, std::span<const double>, std::span<double> a) const { a[0] = -gravity; }
};

/// What happened to a ball over a floor of some height, whose bounces leave it a part of its speed.
struct fall {
  outcome how;
  std::string message;
  double t, lowest = infinity<double>;  ///< below the floor
  int bounces = 0;
};

/// `says_unchanged`: whether the event tells that it has changed nothing, as those of problem files do.
fall fall_of(const method_info& method, double height, double speed, double floor, double part, crossing which, bool says_unchanged) {
  fall seen;
  any_event bounce{[=](double, std::span<const double> x) { return x[0] - floor; },
                   [&, part](double, std::span<double> x) {
                     ++seen.bounces;
                     const double before = x[1];
                     x[1] *= -part;
                     return says_unchanged && x[1] == before ? reaction::go_on : reaction::change;
                   },
                   which};
  bounce.changes_state = true;
  event_list floors({bounce});
  options<std::span<double>> settings;
  if (!method.adaptive) settings.step = 0.01;
  const auto sim = method.make(ball{}, std::vector<double>{floor + height, speed}, 0, settings);
  seen.how = observe(*sim, 20., save_steps([&](double, std::span<const double> x) { seen.lowest = std::min(seen.lowest, x[0] - floor); }), floors);
  seen.message = sim->message();
  seen.t = sim->time();
  return seen;
}

std::vector<const method_info*> some_methods() {
  std::vector<const method_info*> found;
  for (const char* name : {"rk4", "bs32", "dp54", "tsit5", "dop853", "rodas5p", "radau", "trbdf2", "bdf", "auto", "rkn64"}) found.push_back(find_method(name));
  return found;
}

struct contact : testing::TestWithParam<const method_info*> {};

TEST_P(contact, is_never_left_for_the_other_side) {
  for (const bool says_unchanged : {false, true})
    for (const double floor : {0., 0.1, 1e4})
      for (const double part : {0., 1e-12, 1e-3, 0.5, 0.8})
        for (const double height : {0., 1., 1e-3}) {
          const fall seen = fall_of(*GetParam(), height, 0, floor, part, crossing::falling, says_unchanged);
          EXPECT_EQ(seen.how, outcome::events_accumulating) << seen.message << " floor " << floor << " part " << part << " height " << height;
          EXPECT_GE(seen.lowest, -1e-6 * (1 + floor)) << "floor " << floor << " part " << part << " height " << height;
          EXPECT_GE(seen.bounces, 1);
        }
}

TEST_P(contact, of_a_ball_that_starts_at_rest_on_the_floor_ends_the_run_there) {
  const fall seen = fall_of(*GetParam(), 0, 0, 0, 0.8, crossing::falling, true);
  EXPECT_EQ(seen.how, outcome::events_accumulating);
  EXPECT_EQ(seen.t, 0);
  EXPECT_EQ(seen.bounces, 1);
  EXPECT_NE(seen.message.find("come to rest"), std::string::npos) << seen.message;
}

TEST_P(contact, of_a_ball_without_restitution_ends_the_run_where_it_lands) {
  const fall seen = fall_of(*GetParam(), 1, 0, 0, 0, crossing::any, false);
  EXPECT_EQ(seen.how, outcome::events_accumulating) << seen.message;
  EXPECT_NEAR(seen.t, std::sqrt(2 / ball::gravity), 1e-4);
  EXPECT_EQ(seen.bounces, 1);
}

INSTANTIATE_TEST_SUITE_P(method, contact, testing::ValuesIn(some_methods()), name_of_method);

using state = vec<double, 2>;
constexpr auto falling_ball = [](double, const state& x, state& dx) { dx = {x[1], -ball::gravity}; };

/// Where nothing pushes it through, it stays; and where something lifts it off, it leaves.
TEST(contacts, hold_a_ball_whose_weight_the_floor_carries) {
  const auto carried = [](double t, const state& x, state& dx) { dx = {x[1], t > 2 ? 1. : x[0] > 0 ? -ball::gravity : 0.}; };
  event land{[](double, const auto& x) { return x[0]; }, change([](double, auto& x) { x = {0., 0.}; }), crossing::falling};
  for (const double start : {1., 0.}) {
    const auto run = solve(carried, state{start, 0.}, {0, 4}, dp54{}, {.rtol = 1e-8, .atol = 1e-8}, events{land});
    EXPECT_TRUE(run.finished()) << run.message();
    EXPECT_NEAR(run.state[0], 2, 1e-5);
  }
}

/// A change that lets the motion go on to the other side is not undone: a ball dives into water, slower.
TEST(contacts, let_through_what_goes_on_by_itself) {
  int dives = 0;
  event surface{[](double, const auto& x) { return x[0]; }, change([&](double, auto& x) { ++dives, x[1] *= 0.5; }), crossing::falling};
  const auto run = solve(falling_ball, state{1., 0.}, {0, 2}, dp54{}, {}, events{surface});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(dives, 1);
  EXPECT_LT(run.state[0], -5);
}

/// A run that starts where g is zero does not fire, but where a change starts at rest.
TEST(contacts, at_the_start_of_a_run_are_those_at_rest) {
  const auto turning = [](double, const state& x, state& dx) { dx = {x[1], -x[0]}; };
  int notes = 0, changes = 0;
  event noted{[](double, const auto& x) { return x[0] - 1; }, note([&](double, const auto&) { ++notes; })};
  event crossed{[](double, const auto& x) { return x[1]; }, change([&](double, auto&) { ++changes; }), crossing::falling};
  const auto run = solve(turning, state{1., 0.}, {0, 1}, dp54{}, {}, events{noted, crossed});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(notes, 0) << "at rest, and no change";
  EXPECT_EQ(changes, 0) << "not at rest";
  // A heater that is switched on where the temperature, at rest at the threshold, begins to fall.
  const auto cooling = [](double, const state& x, state& dx) { dx = {x[1], x[1] < 0.5 ? -1. : 0.}; };
  event heater{[](double, const auto& x) { return x[0] - 20; }, change([](double, auto& x) { x[1] = 1; }), crossing::falling};
  const auto heated = solve(cooling, state{20., 0.}, {0, 1}, dp54{}, {}, events{heater});
  EXPECT_TRUE(heated.finished()) << heated.message();
  EXPECT_NEAR(heated.state[0], 21, 1e-9);
}

}  // namespace
