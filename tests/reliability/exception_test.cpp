/// What must never happen when f throws, changes the length of dx, or says that it is not defined: a half-installed step, a
/// leak, a solver that cannot go on.
#include "reliability/support.hpp"

#include <stdexcept>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

/// A pendulum that misbehaves at one evaluation.
struct pendulum {
  enum class mischief { none, throws, grows_dx, empties_dx };
  struct diary {
    mischief at_trouble = mischief::none;
    int trouble = 0;  ///< the number of the evaluation
    int calls = 0;
  };
  diary* log;

  template <class State> void operator()(double t, const State& x, State& dx) const {
    dx[0] = x[1];  // half of dx is written when trouble comes
    if (++log->calls == log->trouble) {
      if (log->at_trouble == mischief::throws) throw std::runtime_error("trouble");
      if constexpr (requires { dx.resize(1); }) dx.resize(log->at_trouble == mischief::grows_dx ? x.size() + 1 : 0);
      if (dx.size() != x.size()) return;
    }
    dx[1] = -std::sin(x[0]) + 0.1 * std::cos(t);
  }
};

template <class State> State start() { return State{2., 0.}; }

template <class Method> struct exception_from_f : testing::Test {
  static constexpr double end = 3;

  template <class State> static options<State> way() {
    options<State> s = own_way<Method, State>(0.125);
    s.rtol = 1e-4;
    return s;
  }

  /// Trouble at every evaluation of the first third of a run, one run each. What is found afterwards is the last accepted
  /// step, and going on gives the very numbers of a run without trouble.
  template <class Exception, class State> static void expect_no_trace(pendulum::mischief what) {
    pendulum::diary undisturbed_log;
    integrator undisturbed{pendulum{&undisturbed_log}, start<State>(), Method{}, way<State>()};
    ASSERT_EQ(undisturbed.advance_to(end), outcome::finished);

    for (int trouble = 1; trouble <= std::min(120, undisturbed_log.calls / 3); ++trouble) {
      pendulum::diary log{what, trouble, 0}, step_log;
      integrator sim{pendulum{&log}, start<State>(), Method{}, way<State>()};
      EXPECT_THROW(sim.advance_to(end), Exception) << "evaluation " << trouble;
      EXPECT_EQ(log.calls, trouble);
      EXPECT_GE(sim.statistics().evaluations, trouble - 1) << "steps before the one that failed were lost";

      integrator steps{pendulum{&step_log}, start<State>(), Method{}, way<State>()};
      for (std::int64_t i = 0; i < sim.statistics().steps; ++i) steps.step();
      EXPECT_TRUE(same_bits(sim.time(), steps.time())) << "evaluation " << trouble;
      EXPECT_TRUE(same_state(sim.state(), steps.state())) << "evaluation " << trouble;

      EXPECT_EQ(sim.advance_to(end), outcome::finished) << "evaluation " << trouble;
      EXPECT_EQ(sim.time(), end);
      EXPECT_TRUE(same_state(sim.state(), undisturbed.state())) << "evaluation " << trouble;
      EXPECT_EQ(sim.statistics().steps, undisturbed.statistics().steps);
      EXPECT_LE(sim.statistics().evaluations, log.calls);
    }
  }
};
TYPED_TEST_SUITE(exception_from_f, typed<tested_kinds>);

TYPED_TEST(exception_from_f, leaves_no_trace_in_a_fixed_state) {
  this->template expect_no_trace<std::runtime_error, vec<double, 2>>(pendulum::mischief::throws);
}

TYPED_TEST(exception_from_f, leaves_no_trace_in_a_dynamic_state) {
  this->template expect_no_trace<std::runtime_error, std::vector<double>>(pendulum::mischief::throws);
}

TYPED_TEST(exception_from_f, is_raised_for_a_dx_of_another_length_and_leaves_no_trace) {
  this->template expect_no_trace<std::length_error, std::vector<double>>(pendulum::mischief::grows_dx);
  this->template expect_no_trace<std::length_error, std::vector<double>>(pendulum::mischief::empties_dx);
}

TYPED_TEST(exception_from_f, is_not_swallowed_by_solve) {
  pendulum::diary log{pendulum::mischief::throws, 3, 0};
  EXPECT_THROW(solve(pendulum{&log}, vec{2., 0.}, {0, 3}, TypeParam{}, this->template way<vec<double, 2>>()),
               std::runtime_error);
  pendulum::diary resized{pendulum::mischief::grows_dx, 3, 0};
  EXPECT_THROW(
      solve(pendulum{&resized}, std::vector{2., 0.}, {0, 3}, TypeParam{}, this->template way<std::vector<double>>()),
      std::length_error);
}

TEST(exception_from_f, does_not_spoil_the_interpolant) {
  for (const auto trouble_after : {0, 1, 3}) {
    pendulum::diary log;
    integrator sim{pendulum{&log}, vec{2., 0.}, rkf45{}, options<vec<double, 2>>{.rtol = 1e-6}};
    for (int i = 0; i < 5; ++i) sim.step();
    integrator untouched = sim;
    const double inside = sim.time() - 1e-3;
    vec<double, 2> expected, found;
    pendulum::diary quiet;
    untouched.system() = pendulum{&quiet};
    untouched = sim;
    untouched.interpolate(inside, expected);

    log = {pendulum::mischief::throws, 1 + trouble_after, 0};
    EXPECT_THROW(sim.step(), std::runtime_error);
    log = {};
    sim.interpolate(inside, found);  // thrown before the next step has begun, the last one is still there; later nothing is left of it
    EXPECT_TRUE(same_state(found, trouble_after == 0 ? expected : sim.state())) << trouble_after;
  }
}

// f returns false: not defined here.

template <class Method> struct f_that_is_not_defined : testing::Test {};
TYPED_TEST_SUITE(f_that_is_not_defined, typed<tested_kinds>);

TYPED_TEST(f_that_is_not_defined, at_the_start_is_not_stepped_from_however_often_one_asks) {
  int calls = 0;
  const partial_field<double, 2> f = [&](double t, auto& x, auto& dx) {
    ++calls;
    if (t == 0) return false;  // dx is left as it is
    dx = {-x[0], -x[1]};
    return true;
  };
  integrator sim{f, vec{1., 2.}, TypeParam{}, own_way<TypeParam, vec<double, 2>>(0.1)};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sim.advance_to(1), outcome::derivative_failed) << "attempt " << i;
    EXPECT_EQ(sim.time(), 0);
    EXPECT_EQ(sim.statistics().steps, 0);
    EXPECT_TRUE(same_state(sim.state(), vec{1., 2.}));
    EXPECT_TRUE(says(sim.message(), {"derivative failed", "not defined", "t = 0"}));
  }
  EXPECT_LE(calls, 3);
}

TYPED_TEST(f_that_is_not_defined, beyond_a_wall_is_neither_believed_nor_stared_at) {
  for (const double wall : {1., 1.15, 0.7, 1.9, 1000.1}) {
    bool believed = false;
    const partial_field<double, 2> f = [&](double t, auto& x, auto& dx) {
      believed = believed || x[1] > 1e10;
      dx = {-x[0] / wall, t > wall ? 1e20 : 0.};  // garbage where it is not defined
      return t <= wall;
    };
    options<vec<double, 2>> s = own_way<TypeParam, vec<double, 2>>(wall / 20);
    s.max_evaluations = plenty;
    const auto run = solve(f, vec{1., 0.}, {0, 3 * wall}, TypeParam{}, s);
    EXPECT_EQ(run.outcome, outcome::derivative_failed) << run.message();
    EXPECT_FALSE(believed) << "a value from where f is not defined went into a state";
    EXPECT_EQ(run.state[1], 0);
    EXPECT_NEAR(run.t, wall, wall * (is_adaptive<TypeParam>::value ? 0.02 : 0.051));
    EXPECT_LT(run.statistics.evaluations, 20'000) << "wall at " << wall;
    EXPECT_TRUE(says(run.message(), {"derivative failed", "not defined", "an event"})) << run.message();
  }
}

/// At the n-th evaluation only.
TYPED_TEST(f_that_is_not_defined, in_any_one_stage_is_never_accepted) {
  for (int n = 2; n <= 2 * TypeParam::table.stages + 2; ++n) {
    int calls = 0;
    const partial_field<double, 2> f = [&](double, auto& x, auto& dx) {
      if (++calls == n) {
        dx = {1e20, 1e20};
        return false;
      }
      dx = {-x[0], x[0]};
      return true;
    };
    options<vec<double, 2>> s = own_way<TypeParam, vec<double, 2>>(1. / 64);
    s.first_step = 1. / 256;
    const auto run = solve(f, vec{1., 0.}, {0, 0.5}, TypeParam{}, s);
    EXPECT_NEAR(run.state[0] + run.state[1], 1, 1e-9) << "evaluation " << n;  // an invariant of every method here
    if (run.finished()) EXPECT_GE(run.statistics.rejected, 1) << "evaluation " << n;
    else EXPECT_EQ(run.outcome, outcome::derivative_failed) << "evaluation " << n;
  }
}

}  // namespace
