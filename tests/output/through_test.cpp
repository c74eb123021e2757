/// Through many times inside one loop: the same numbers as one `advance_to` after the other.
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/methods/explicit/rkf45.hpp>
#include <ensue/integrator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using namespace ensue;

struct pendulum {
  template <class State> void operator()(double t, const State& x, State& dx) const {
    dx[0] = x[1];
    dx[1] = -std::sin(x[0]) + 0.1 * std::cos(t);
  }
};

template <class Method> struct through : testing::Test {};
using methods = testing::Types<dp54, rkf45, dop853, rk4>;
TYPED_TEST_SUITE(through, methods);

template <class Method, class State> void expect_the_same(const State& start, const std::vector<double>& times) {
  options<State> s;
  s.rtol = 1e-5;
  if (!stepper_of<Method, State>::may_estimate) s.step = 0.03;
  integrator one{pendulum{}, start, Method{}, s}, other{pendulum{}, start, Method{}, s};
  std::size_t n = 0;
  EXPECT_EQ(one.advance_through(times,
                                [&](double t, const State& x) {
                                  ASSERT_LT(n, times.size());
                                  EXPECT_EQ(t, times[n]);
                                  EXPECT_EQ(other.advance_to(times[n++]), outcome::finished);
                                  EXPECT_EQ(x, other.state()) << "at " << t;
                                }),
            outcome::finished)
      << one.message();
  EXPECT_EQ(n, times.size());
  EXPECT_EQ(one.time(), times.empty() ? 0 : times.back());
  EXPECT_EQ(one.state(), other.state());
  EXPECT_EQ(one.statistics().evaluations, other.statistics().evaluations);
  EXPECT_EQ(one.statistics().steps, other.statistics().steps);
}

TYPED_TEST(through, many_times_gives_the_numbers_of_one_after_the_other) {
  for (const std::vector<double>& times : {std::vector<double>{},
                                           {0.},
                                           {0.1},
                                           {0., 0., 0.1, 0.1, 0.1, 2.},
                                           {1., 2., 3., 3.0000001, 10.},
                                           {-1., -1.5, -7.},
                                           {1., -1., 1., 0.}}) {
    expect_the_same<TypeParam>(vec{1., 0.5}, times);
    expect_the_same<TypeParam>(std::vector{1., 0.5}, times);
  }
}

// Every step ends at a time asked for, also the one after which the loop looks whether the problem is stiff.
TYPED_TEST(through, more_times_than_steps_between_two_looks) {
  std::vector<double> times;
  for (int i = 1; i <= 300; ++i) times.push_back(0.03 * i);
  expect_the_same<TypeParam>(vec{1., 0.5}, times);
  expect_the_same<TypeParam>(std::vector{1., 0.5}, times);
}

TEST(through_times, that_are_no_numbers_ends_before_them) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    integrator sim{pendulum{}, vec{1., 0.5}, dp54{}};
    std::vector<double> met;
    EXPECT_EQ(sim.advance_through(std::vector{1., bad, 2.}, [&](double t, auto&) { met.push_back(t); }),
              outcome::bad_input);
    EXPECT_EQ(met, std::vector{1.});
    EXPECT_EQ(sim.time(), 1);
    EXPECT_EQ(sim.advance_to(2), outcome::finished);
  }
}

TEST(through_times, that_a_run_does_not_reach_are_not_met) {
  const auto wall = [](double t, const auto& x, auto& dx) { dx[0] = t > 1.5 ? std::nan("") : -x[0]; };
  integrator sim{wall, vec{1.}, dp54{}};
  std::vector<double> met;
  EXPECT_EQ(sim.advance_through(std::vector{1., 2., 3.}, [&](double t, auto&) { met.push_back(t); }),
            outcome::derivative_not_finite);
  EXPECT_EQ(met, std::vector{1.});
  EXPECT_NEAR(sim.time(), 1.5, 1e-6);
}

TEST(through_times, that_are_none_or_now_have_nothing_to_fail) {
  for (const double step : {0., 0.1}) {
    integrator sim{pendulum{}, vec{1., 0.5}, dp54{}, {.step = step, .max_evaluations = 20}};
    for (const std::size_t count : {0u, 1u}) {
      EXPECT_EQ(sim.advance(100), outcome::too_many_evaluations);
      EXPECT_EQ(sim.advance_through(std::vector(count, sim.time()), [](double, auto&) {}), outcome::finished);
    }
  }
}

TEST(through_times, leaves_the_integrator_whole_when_whoever_looks_throws) {
  integrator sim{pendulum{}, vec{1., 0.5}, dp54{}}, other = sim;
  EXPECT_THROW(sim.advance_through(std::vector{1., 2., 3.},
                                   [&](double t, auto&) {
                                     if (t == 2) throw std::runtime_error("enough");
                                   }),
               std::runtime_error);
  other.advance_to(1);
  other.advance_to(2);
  EXPECT_EQ(sim.time(), 2);
  EXPECT_EQ(sim.state(), other.state());
  sim.advance_to(3);
  other.advance_to(3);
  EXPECT_EQ(sim.state(), other.state());
}

}  // namespace
