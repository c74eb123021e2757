/// What must never happen between runs and steps: a derivative remembered of another state, a start overwritten, something
/// shared that nobody handed over.
#include "reliability/support.hpp"

#include <span>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

using state = vec<double, 2>;

/// Nonlinear, with t, and with a parameter to edit.
struct driven_pendulum {
  double stiffness = 1;
  template <class State> void operator()(double t, const State& x, State& dx) const {
    dx[0] = x[1];
    dx[1] = -stiffness * std::sin(x[0]) + 0.3 * std::cos(t);
  }
};

template <class Method> struct remembered : testing::Test {
  using simulation = integrator<driven_pendulum, state, Method>;

  static simulation from(double t, const state& x, const options<state>& s, driven_pendulum model = {}) {
    return simulation(problem<driven_pendulum, state>{model, x, {t, t}}, Method{}, s);
  }
  static options<state> fixed() { return {.step = 0.125}; }

  /// One step of `sim` is the first step of a fresh run from where it is.
  static void expect_like_fresh(simulation sim, options<state> s, driven_pendulum model, const char* after) {
    const double t = sim.time();
    const state x = sim.state();
    sim.step();
    if (s.step == 0) s.first_step = sim.time() - t;  // exact: t is 1 or more, the step less
    simulation fresh = from(t, x, s, model);
    fresh.step();
    EXPECT_TRUE(same_bits(sim.time(), fresh.time())) << "after " << after;
    EXPECT_TRUE(same_state(sim.state(), fresh.state())) << "after " << after;
  }

  static void expect_nothing_stale(const options<state>& s) {
    simulation sim = from(1, {1., 0.5}, s);
    for (int i = 0; i < 5; ++i) sim.step();
    expect_like_fresh(sim, s, {}, "an accepted step");

    simulation edited = sim;
    edited.set_state({-0.5, 2.});
    expect_like_fresh(edited, s, {}, "set_state");

    simulation moved = sim;
    moved.set_state(2.5, {-0.5, 2.});
    expect_like_fresh(moved, s, {}, "set_state with another time");

    simulation stiffer = sim;
    stiffer.system().stiffness = 3;
    expect_like_fresh(stiffer, s, {3}, "an edited system");

    simulation read = sim;
    state inside;
    read.interpolate(read.time(), inside);
    expect_like_fresh(read, s, {}, "interpolation");

    simulation back = sim;
    back.step(true);
    expect_like_fresh(back, s, {}, "a step backwards");
  }
};
TYPED_TEST_SUITE(remembered, typed<explicit_methods>);

TYPED_TEST(remembered, derivatives_are_not_those_of_another_state_in_fixed_steps) {
  TestFixture::expect_nothing_stale(TestFixture::fixed());
}

TYPED_TEST(remembered, derivatives_are_not_those_of_another_state_in_adaptive_steps) {
  if constexpr (is_adaptive<TypeParam>::value) TestFixture::expect_nothing_stale({.rtol = 1e-3});
}

/// Nothing to do is no step, and not the first one either: the run after it is the run without it.
TYPED_TEST(remembered, nothing_is_of_an_advance_to_where_it_is) {
  const options<state> s = is_adaptive<TypeParam>::value ? options<state>{.rtol = 1e-3} : TestFixture::fixed();
  auto waited = TestFixture::from(0, {1., 0.5}, s), direct = waited;
  EXPECT_EQ(waited.advance_to(0), outcome::finished);
  waited.advance_to(2);
  direct.advance_to(2);
  EXPECT_EQ(waited.statistics().steps, direct.statistics().steps);
  EXPECT_TRUE(same_state(waited.state(), direct.state()));
}

/// The first attempt is far too long. What follows is the first step of a run that never made it.
TYPED_TEST(remembered, derivatives_are_not_those_of_a_rejected_step) {
  if constexpr (is_adaptive<TypeParam>::value) {
    for (const double too_long : {3., 10., 100.}) {
      auto rejected = TestFixture::from(0, {1., 0.5}, {.first_step = too_long});
      rejected.step();
      EXPECT_GE(rejected.statistics().rejected, 1);
      auto direct = TestFixture::from(0, {1., 0.5}, {.first_step = rejected.time()});
      direct.step();
      EXPECT_EQ(direct.statistics().rejected, 0);
      EXPECT_TRUE(same_bits(rejected.time(), direct.time()));
      EXPECT_TRUE(same_state(rejected.state(), direct.state()));
    }
  }
}

/// Fixed steps by a hand-written loop over the same table: nothing of the last step may reach into the next.
TYPED_TEST(remembered, derivatives_of_fixed_steps_are_those_a_plain_loop_computes) {
  const auto& table = TypeParam::table;
  const driven_pendulum f;
  const double h = 0.125;
  state x{1., 0.5};
  auto sim = TestFixture::from(0, x, TestFixture::fixed());
  for (int n = 0; n < 20; ++n) {
    state k[table.stages], next = x;
    for (int i = 0; i < table.stages; ++i) {
      state at = x;
      for (int j = 0; j < i; ++j)
        for (int c = 0; c < 2; ++c) at[c] += h * static_cast<double>(table.a[i][j]) * k[j][c];
      f(n * h + static_cast<double>(table.c[i]) * h, at, k[i]);
      for (int c = 0; c < 2; ++c) next[c] += h * static_cast<double>(table.b[i]) * k[i][c];
    }
    x = next;
    sim.step();
    ASSERT_NEAR(sim.state()[0], x[0], 1e-13) << "step " << n;
    ASSERT_NEAR(sim.state()[1], x[1], 1e-13) << "step " << n;
  }
}

// What the caller owns.

template <class Method> struct start_of_a_run : testing::Test {};
TYPED_TEST_SUITE(start_of_a_run, typed<tested_kinds>);

TYPED_TEST(start_of_a_run, is_not_overwritten) {
  const auto way = []<class State>(std::type_identity<State>) { return own_way<TypeParam, State>(0.125); };
  const state fixed{1., 0.5};
  const std::vector<double> dynamic{1., 0.5};
  double memory[] = {7., 1., 0.5, 7.};
  const std::span<double> view(memory + 1, 2);

  const auto a = solve(driven_pendulum{}, fixed, {0, 5}, TypeParam{}, way(std::type_identity<state>{}));
  const auto b = solve(driven_pendulum{}, dynamic, {0, 5}, TypeParam{}, way(std::type_identity<std::vector<double>>{}));
  const auto c = solve(driven_pendulum{}, view, {0, 5}, TypeParam{}, way(std::type_identity<std::span<double>>{}));
  integrator sim{driven_pendulum{}, view, TypeParam{}, way(std::type_identity<std::span<double>>{})};
  sim.advance_to(5);

  EXPECT_TRUE(same_state(fixed, state{1., 0.5}));
  EXPECT_TRUE(same_state(dynamic, state{1., 0.5}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory[i], (i == 1 ? 1. : i == 2 ? 0.5 : 7.)) << "element " << i;
  EXPECT_TRUE(same_state(a.state, b.state));
  EXPECT_TRUE(same_state(a.state, c.state));
  EXPECT_TRUE(same_state(a.state, sim.state()));
  EXPECT_NE(sim.state().data(), view.data());
  EXPECT_NE(a.state[0], 1.);
}

TYPED_TEST(start_of_a_run, is_not_tied_to_what_set_state_was_given) {
  double memory[] = {1., 0.5};
  const std::span<double> view(memory);
  integrator sim{driven_pendulum{}, view, TypeParam{}, own_way<TypeParam, std::span<double>>(0.125)};
  sim.set_state(view);
  sim.advance(1);
  EXPECT_EQ(memory[0], 1.);
  const double before = sim.state()[0];
  memory[0] = 100;
  EXPECT_EQ(sim.state()[0], before);
}

// Runs beside each other.

template <class Method> struct two_runs : testing::Test {};
TYPED_TEST_SUITE(two_runs, typed<tested_kinds>);

TYPED_TEST(two_runs, share_nothing) {
  const options<state> s = own_way<TypeParam, state>(0.125);
  const auto run_alone = [&](driven_pendulum model, const state& x) {
    integrator sim{model, x, TypeParam{}, s};
    for (int i = 0; i < 20; ++i) sim.advance(0.3);
    return sim.state();
  };
  integrator a{driven_pendulum{1}, state{1., 0.5}, TypeParam{}, s};
  integrator b{driven_pendulum{4}, state{-2., 0.}, TypeParam{}, s};
  for (int i = 0; i < 20; ++i) a.advance(0.3), b.advance(0.3);
  EXPECT_TRUE(same_state(a.state(), run_alone({1}, {1., 0.5})));
  EXPECT_TRUE(same_state(b.state(), run_alone({4}, {-2., 0.})));
  EXPECT_TRUE(same_state(run_alone({1}, {1., 0.5}), run_alone({1}, {1., 0.5})))
      << "the second of two equal runs differs";
}

/// That the input of one was sound says nothing of the other's.
TYPED_TEST(two_runs, do_not_vouch_for_each_other) {
  options<state> s = own_way<TypeParam, state>(0.125);
  EXPECT_TRUE(solve(driven_pendulum{}, state{1., 0.5}, {0, 1}, TypeParam{}, s).finished());
  EXPECT_EQ(solve(driven_pendulum{}, state{1., 0.5}, {not_a_number, 1}, TypeParam{}, s).outcome, outcome::bad_input);
  EXPECT_EQ(solve(driven_pendulum{}, state{infinite, 0.5}, {0, 1}, TypeParam{}, s).outcome, outcome::state_not_finite);
  s.rtol = -1;
  EXPECT_EQ(solve(driven_pendulum{}, state{1., 0.5}, {0, 1}, TypeParam{}, s).outcome, outcome::bad_input);
}

template <class State> void expect_copies_go_their_own_ways(auto method, State start) {
  const auto s = own_way<decltype(method), State>(0.125);
  integrator original{driven_pendulum{}, start, method, s};
  original.advance(1);
  integrator copy = original;
  integrator other{driven_pendulum{}, start, method, s};
  other.advance(0.25);
  other = original;
  original.set_state(start);
  original.advance(2);
  integrator reference{driven_pendulum{}, start, method, s};
  reference.advance(1);
  EXPECT_TRUE(same_state(copy.state(), reference.state()));
  EXPECT_TRUE(same_state(other.state(), reference.state()));
  copy.advance(1.5), other.advance(1.5), reference.advance(1.5);
  EXPECT_TRUE(same_state(copy.state(), reference.state()));
  EXPECT_TRUE(same_state(other.state(), reference.state()));
}

TYPED_TEST(two_runs, that_were_one_share_nothing) {
  double memory[] = {1., 0.5};
  expect_copies_go_their_own_ways(TypeParam{}, state{1., 0.5});
  expect_copies_go_their_own_ways(TypeParam{}, std::vector<double>{1., 0.5});
  expect_copies_go_their_own_ways(TypeParam{}, std::span<double>(memory));
}

}  // namespace
