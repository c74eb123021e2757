/// Gauss's methods at work: tables, orders observed, the inside of a step, lanes, and what happens where the equations cannot be solved.
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include "support/methods.hpp"
#include "support/power.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace {

using namespace ensue;
using tests::swirl;

constexpr int starts = 8;
constexpr double length = 2;
constexpr int finer = 8;  ///< the longest steps are no longer than the iteration can take

template <class Method> struct gauss : testing::Test {};
TYPED_TEST_SUITE(gauss, tests::typed<tests::collocation_methods>);

// Tables.

TEST(gauss_tables, are_the_published_ones) {
  const long double root3 = std::sqrt(3.0L), root15 = std::sqrt(15.0L);
  const long double two[2][2] = {{1.0L / 4, 1.0L / 4 - root3 / 6}, {1.0L / 4 + root3 / 6, 1.0L / 4}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(static_cast<double>(gauss4::table.a[i][j] - two[i][j]), 0, 1e-18);
  const long double three[3][3] = {{5.0L / 36, 2.0L / 9 - root15 / 15, 5.0L / 36 - root15 / 30},
                                   {5.0L / 36 + root15 / 24, 2.0L / 9, 5.0L / 36 - root15 / 24},
                                   {5.0L / 36 + root15 / 30, 2.0L / 9 + root15 / 15, 5.0L / 36}};
  const long double weights[3] = {5.0L / 18, 4.0L / 9, 5.0L / 18};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(static_cast<double>(gauss6::table.a[i][j] - three[i][j]), 0, 1e-18);
    EXPECT_NEAR(static_cast<double>(gauss6::table.b[i] - weights[i]), 0, 1e-18);
  }
}

TYPED_TEST(gauss, is_symplectic_and_symmetric_and_of_twice_its_stages_in_order) {
  EXPECT_EQ(TypeParam::table.order(), 2 * TypeParam::table.stages);
  EXPECT_TRUE(TypeParam::table.symplectic());
  EXPECT_TRUE(TypeParam::table.symmetric());
}

TYPED_TEST(gauss, is_neither_with_a_wrong_digit_in_a_node) {
  constexpr int stages = TypeParam::table.stages;
  for (int i = 0; i < stages; ++i)
    for (int digit = 1; digit <= 14; ++digit) {
      long double nodes[stages];
      std::copy_n(TypeParam::table.c, stages, nodes);
      nodes[i] += std::pow(10.0L, -digit);
      const auto wrong = collocation_at<stages>(nodes);
      EXPECT_LT(wrong.order(), 2 * stages) << "node " << i << ", digit " << digit;
      EXPECT_FALSE(wrong.symmetric());
    }
  EXPECT_FALSE(collocation_at<2>({0, 1}).symplectic()) << "the trapezoidal rule";
}

// Orders.

template <class Method, class T> double error_after(int n, bool backwards) {
  double sum = 0;
  for (int k = 0; k < starts; ++k) {
    T from = static_cast<T>(swirl<T>::period * k / starts), to = from + static_cast<T>(length);
    if (backwards) std::swap(from, to);
    stepping_loop<swirl<T>, vec<T, 3>, Method> run({}, swirl<T>::solution(from), from, {}, {});
    run.advance_fixed(to, static_cast<T>(length) / static_cast<T>(n));
    EXPECT_EQ(run.reports[0].how, outcome::finished);
    EXPECT_EQ(run.now.t, to) << "the end is the one asked for";
    EXPECT_EQ(run.now.statistics.steps, n);
    const auto exact = swirl<long double>::solution(to);
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(static_cast<double>(run.now.x[i] - exact[i]), 2);
  }
  return std::sqrt(sum / starts);
}

TYPED_TEST(gauss, has_the_order_stated) {
  const auto expect_it = [&]<class T>(T, const std::string& in) {
    for (const bool backwards : {false, true}) {
      const double order = tests::observed_power(
          length, 300, [=](int n) { return error_after<TypeParam, T>(finer * n, backwards); },
          [](int n) { return 8 * static_cast<double>(epsilon<T>) * std::sqrt(finer * n); });
      EXPECT_NEAR(order, TypeParam::table.order(), 0.2) << TypeParam::name << " in " << in << (backwards ? " backwards" : "");
      this->RecordProperty(in + (backwards ? "_backwards" : ""), std::to_string(order));
    }
  };
  expect_it(1., "double");
  expect_it(1.L, "long_double");
}

TYPED_TEST(gauss, has_an_inside_of_the_order_stated) {
  using T = long double;
  using state = vec<T, 3>;
  const auto error_inside = [](int n) {
    const T h = static_cast<T>(length) / (finer * n);
    double sum = 0;
    for (int k = 0; k < starts; ++k) {
      const T t = static_cast<T>(swirl<T>::period * k / starts);
      integrator<swirl<T>, state, TypeParam> sim(problem<swirl<T>, state>{{}, swirl<T>::solution(t), {t, t}}, {}, {.step = h});
      sim.step();
      double largest = 0;
      for (int part = 0; part <= 8; ++part) {
        state x;
        sim.interpolate(t + h * part / 8, x);
        const state exact = swirl<T>::solution(t + h * part / 8);
        for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, std::abs(static_cast<double>(x[i] - exact[i])));
      }
      sum += largest * largest;
    }
    return std::sqrt(sum / starts);
  };
  const double power = tests::observed_power(length, 300, error_inside, [](int) { return 64 * static_cast<double>(epsilon<T>); });
  EXPECT_NEAR(power - 1, (gauss_stepper<TypeParam, state>::dense_order), 0.3) << TypeParam::name;
  this->RecordProperty("order", std::to_string(power - 1));
}

/// Looking at a step makes the evaluation early that the next one begins with, and changes nothing.
TYPED_TEST(gauss, is_the_same_run_when_it_is_looked_at) {
  integrator<swirl<double>, vec<double, 3>, TypeParam> looked_at({}, swirl<double>::solution(0), {}, {.step = 0.1}), alone = looked_at;
  vec<double, 3> x;
  for (int i = 0; i < 10; ++i) {
    const vec<double, 3> before = looked_at.state();
    looked_at.step(), alone.step();
    looked_at.interpolate(looked_at.time() - 0.05, x);
    looked_at.interpolate(looked_at.time(), x);
    EXPECT_EQ(x, looked_at.state());
    looked_at.interpolate(looked_at.time() - 0.1, x);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(x[c], before[c], 1e-15);
  }
  EXPECT_EQ(looked_at.state(), alone.state());
  EXPECT_EQ(looked_at.statistics().evaluations, alone.statistics().evaluations + 1);
}

// What it costs.

TYPED_TEST(gauss, costs_at_least_what_the_registry_says_and_counts_it) {
  const method_info& info = *find_method(TypeParam::name);
  EXPECT_TRUE(info.evaluations.iterates);
  EXPECT_TRUE(info.symplectic && info.symmetric && !info.adaptive);
  std::int64_t calls = 0;
  const auto pendulum = [&calls](double, auto x, auto dx) { ++calls, dx[0] = x[1], dx[1] = -std::sin(x[0]); };
  const auto run = info.make(pendulum, std::vector{1.2, 0.1}, 0, {.step = 0.05});
  ASSERT_EQ(run->advance_to(5), outcome::finished);
  EXPECT_EQ(run->statistics().evaluations, calls);
  EXPECT_EQ(run->statistics().steps, 100);
  EXPECT_GT(calls, info.evaluations.accepted * 100);
  calls = 0;
  const auto nothing = [&calls](double, auto, auto dx) { ++calls, dx[0] = 1; };
  const auto straight = info.make(nothing, std::vector{10.}, 0, {.step = 0.05});
  ASSERT_EQ(straight->advance_to(5), outcome::finished);
  EXPECT_EQ(calls, info.evaluations.accepted * 100) << "one sweep is enough where the guess is the solution";
}

/// The last step's polynomial saves sweeps; a step from a state that was set has to do without.
TYPED_TEST(gauss, begins_with_what_it_remembers) {
  const double h = 0.02;
  integrator<swirl<double>, vec<double, 3>, TypeParam> remembering({}, swirl<double>::solution(2), {}, {.step = h});
  auto forgetting = remembering;
  for (int i = 0; i < 100; ++i) {
    remembering.step();
    forgetting.set_state(forgetting.state());
    forgetting.step();
  }
  EXPECT_LT(remembering.statistics().evaluations, forgetting.statistics().evaluations - 50 * TypeParam::table.stages);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(remembering.state()[c], forgetting.state()[c], 1e-14) << "and both are solved";
}

// Where the equations cannot be solved.

struct decay {
  double rate;
  template <class X, class DX> void operator()(double, const X& x, DX& dx) const { dx[0] = -rate * x[0]; }
};

TYPED_TEST(gauss, says_where_its_equations_cannot_be_solved) {
  const double limit = find_method(TypeParam::name)->real_stability;
  EXPECT_GT(limit, 1);
  const auto fine = solve(decay{0.9 * limit}, vec{1.}, {0, 10}, TypeParam{}, {.step = 1});
  EXPECT_TRUE(fine.finished()) << fine.message();
  for (const double beyond : {1.05, 3., 1000.}) {
    const auto run = solve(decay{beyond * limit}, vec{1.}, {5, 10}, TypeParam{}, {.step = 1});
    EXPECT_EQ(run.outcome, outcome::equations_not_solved) << run.message();
    EXPECT_STREQ(name_of(run.outcome), "equations not solved");
    EXPECT_EQ(run.t, 5);
    EXPECT_EQ(run.state[0], 1);
    EXPECT_NE(run.message().find("equations not solved: after t = 5"), std::string::npos) << run.message();
    EXPECT_NE(run.message().find("step of 1 "), std::string::npos) << run.message();
    EXPECT_NE(run.message().find("Take a smaller step."), std::string::npos) << run.message();
  }
  const auto turning = [&](double, const vec<double, 2>& x, vec<double, 2>& dx) {
    const double omega = 0.9 * find_method(TypeParam::name)->imaginary_stability;
    dx[0] = omega * x[1], dx[1] = -omega * x[0];
  };
  EXPECT_TRUE(solve(turning, vec{1., 0.}, {0, 50}, TypeParam{}, {.step = 1}).finished());
}

/// A force of 1e8 on a displacement: a change of a velocity is one of a position a sweep later, and neither is divergence.
TYPED_TEST(gauss, solves_equations_whose_parts_differ_in_size) {
  struct spring {
    void acceleration(double, const vec<double, 2>& q, vec<double, 2>& a) const {
      a[0] = -1e8 * q[0] + 1e-9 * q[1];
      a[1] = -q[1] + 1e3 * q[0] * q[0];
    }
  };
  const auto run = solve(spring{}, vec{1e-6, 1e3, 0., 0.}, {0, 0.1}, TypeParam{}, {.step = 2e-5});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(std::hypot(1e4 * run.state[0], run.state[2]), 0.01, 1e-7);
}

/// Other failures keep their own reasons.
TYPED_TEST(gauss, tells_other_failures_apart) {
  const auto root = solve([](double, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = -std::sqrt(x[0]); }, vec{0.01}, {0, 10},
                          TypeParam{}, {.step = 0.5});
  EXPECT_EQ(root.outcome, outcome::derivative_not_finite) << root.message();
  const auto wall = solve([](double, const vec<double, 1>& x, vec<double, 1>& dx) { return dx[0] = 1, x[0] < 1; }, vec{0.}, {0, 10},
                          TypeParam{}, {.step = 0.4});
  EXPECT_EQ(wall.outcome, outcome::derivative_failed) << wall.message();
  EXPECT_NEAR(wall.t, 0.8, 1e-12);
  const auto budget = solve(decay{1}, vec{1.}, {0, 10}, TypeParam{}, {.step = 0.1, .max_evaluations = 1000});
  EXPECT_EQ(budget.outcome, outcome::too_many_evaluations);
  EXPECT_LE(budget.statistics.evaluations, 1000);
}

/// A run goes on from a state that is set, with nothing of the failure left.
TYPED_TEST(gauss, forgets_a_failure) {
  double rate = 1000;
  const auto f = [&rate](double, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = -rate * x[0]; };
  integrator sim{f, vec{1.}, TypeParam{}, {.step = 0.1}};
  EXPECT_EQ(sim.step(), outcome::equations_not_solved);
  rate = 1;
  sim.set_state(vec{1.});
  EXPECT_EQ(sim.step(), outcome::finished);
  EXPECT_NEAR(sim.state()[0], std::exp(-0.1), 1e-4);
}

TYPED_TEST(gauss, has_lanes_that_are_the_runs_alone) {
  using number = pack<double, 4>;
  const double rates[] = {1, 3, 400, 0.2}, ends[] = {3, 2, 1, -4};
  const auto make = []<class T>(const T& rate) {
    return [rate](const auto& t, const auto& x, auto& dx) {
      using std::sin;
      dx[0] = x[1] + 0.1 * sin(t);
      dx[1] = -rate * sin(x[0]);
    };
  };
  number rate, end;
  for (int l = 0; l < 4; ++l) set_lane(rate, l, rates[l]), set_lane(end, l, ends[l]);
  auto all_f = make(rate);
  stepping_loop<decltype(all_f), vec<number, 2>, TypeParam> all(all_f, {number(1), number(0.5)}, number(0), {}, {.step = number(0.25)});
  all.advance_fixed(end, number(0.25));
  for (int l = 0; l < 4; ++l) {
    auto f = make(rates[l]);
    stepping_loop<decltype(f), vec<double, 2>, TypeParam> alone(f, {1., 0.5}, 0., {}, {.step = 0.25});
    alone.advance_fixed(ends[l], 0.25);
    EXPECT_EQ(all.reports[l].how, alone.reports[0].how) << "lane " << l;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(lane(all.now.x[i], l), alone.now.x[i]) << "lane " << l;
    EXPECT_EQ(lane(all.now.statistics.evaluations, l), alone.now.statistics.evaluations) << "lane " << l;
    EXPECT_EQ(alone.reports[0].how, l == 2 ? outcome::equations_not_solved : outcome::finished);
  }
}

}  // namespace
