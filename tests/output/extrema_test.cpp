// The least and the greatest values along a run: between steps, at its ends, and after an event.
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/extrema.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace ensue::tests {
namespace {

struct oscillator {
  template <class Time, class X, class DX> void operator()(const Time&, const X& x, DX& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0];
  }
};

TEST(extrema, lie_between_steps) {
  extrema seen;
  options<vec<double, 2>> settings;
  settings.step = 0.7;  // from a top to the nearest end of a step it falls by up to 6 %
  solve(oscillator{}, vec{0., 1.}, {0, 7}, dop853{}, settings, seen);
  for (const double greatest : seen.greatest) EXPECT_NEAR(greatest, 1, 1e-7);
  for (const double least : seen.least) EXPECT_NEAR(least, -1, 1e-7);
}

TEST(extrema, are_those_of_the_ends_where_nothing_turns) {
  extrema seen;
  const auto run = solve(oscillator{}, vec{0., 1.}, {0, 1}, dp54{}, {.rtol = 1e-9, .atol = 1e-9}, seen);
  EXPECT_EQ(seen.least[0], 0);
  EXPECT_EQ(seen.greatest[0], run.state[0]);
  EXPECT_EQ(seen.least[1], run.state[1]);
  EXPECT_EQ(seen.greatest[1], 1);
}

TEST(extrema, have_what_an_event_makes_of_the_state) {
  extrema seen;
  const auto rises = [](double, const auto& x) { return x[0] - 0.5; };
  const auto jump = [](double, auto& x) {
    x[0] = 3;
    return reaction::stop;
  };
  solve(oscillator{}, vec{0., 1.}, {0, 1}, dp54{}, {}, seen, events{event{rises, jump}});
  EXPECT_EQ(seen.greatest[0], 3);
}

}  // namespace
}  // namespace ensue::tests
