/// The loop opened up: frames, single steps, both directions, reading and editing, and the state inside a step.
#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>

namespace {

using namespace ensue;

using state = vec<double, 2>;
using field = std::function<void(double, const state&, state&)>;

template <class Method> constexpr bool adaptive = Method::table.embedded_rows > 0;
template <class Method> struct is_adaptive : std::false_type {};
template <has_explicit_table Method> struct is_adaptive<Method> : std::bool_constant<adaptive<Method>> {};

const field oscillator = [](double, const state& x, state& dx) { dx = {x[1], -x[0]}; };

template <class Method> options<state> own_way(double step = 1. / 64) {
  return adaptive<Method> ? options<state>{} : options<state>{.step = step};
}

template <class Method> struct any_integrator : testing::Test {};
TYPED_TEST_SUITE(any_integrator, tests::typed<tests::tested_kinds>);

template <class Method> struct adaptive_integrator : testing::Test {};
using adaptive_kinds = tests::only<is_adaptive, tests::tested_kinds>;
TYPED_TEST_SUITE(adaptive_integrator, tests::typed<adaptive_kinds>);

constexpr double rough = 0.25;  // what Euler manages on the oscillator with steps of 1/64

TYPED_TEST(any_integrator, starts_at_zero_or_where_the_problem_does) {
  integrator plain{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  EXPECT_EQ(plain.time(), 0);
  EXPECT_EQ(plain.state(), (state{1., 0.}));
  EXPECT_EQ(plain.statistics().evaluations, 0);
  integrator later{problem{oscillator, state{1., 0.}, {5., 7.}}, TypeParam{}, own_way<TypeParam>()};
  EXPECT_EQ(later.time(), 5);
}

TYPED_TEST(any_integrator, advances_to_the_time_asked_for_and_back) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  for (const double t : {1., 0.3, -2., -2., 7., 6.999, 0.}) {
    EXPECT_EQ(sim.advance_to(t), outcome::finished);
    EXPECT_EQ(sim.time(), t);
    EXPECT_EQ(sim.ending().t, t);
    EXPECT_NEAR(sim.state()[0], std::cos(t), rough);
    EXPECT_NEAR(sim.state()[1], -std::sin(t), rough);
  }
}

TYPED_TEST(any_integrator, takes_frames_that_end_at_n_times_dt) {
  for (const double dt : {1. / 60, 0.1, -0.1}) {
    integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
    for (int n = 1; n <= 600; ++n) {
      ASSERT_EQ(sim.advance(dt), outcome::finished);
      ASSERT_EQ(sim.time(), n * dt) << "frame " << n;
    }
  }
}

TYPED_TEST(any_integrator, counts_frames_anew_after_a_jump) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  for (int n = 0; n < 7; ++n) sim.advance(0.1);
  sim.set_state(100., state{1., 0.});
  EXPECT_EQ(sim.time(), 100);
  for (int n = 1; n <= 7; ++n) {
    sim.advance(0.1);
    EXPECT_EQ(sim.time(), 100 + n * 0.1);
  }
  sim.advance(0.25);
  EXPECT_EQ(sim.time(), 100 + 7 * 0.1 + 0.25);
  sim.advance_to(50);
  sim.advance(0.25);
  EXPECT_EQ(sim.time(), 50.25);
}

TYPED_TEST(any_integrator, goes_on_from_an_edited_state) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  sim.advance(1);
  sim.set_state(state{0., 3.});
  EXPECT_EQ(sim.time(), 1);
  EXPECT_EQ(sim.state(), (state{0., 3.}));
  sim.advance(1);
  EXPECT_EQ(sim.time(), 2);
  EXPECT_NEAR(sim.state()[0], 3 * std::sin(1), 3 * rough);
}

TYPED_TEST(any_integrator, adds_up_what_it_spent) {
  int calls = 0;
  const field counted = [&](double t, const state& x, state& dx) { ++calls, oscillator(t, x, dx); };
  integrator sim{counted, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  std::int64_t steps = 0;
  for (int i = 0; i < 10; ++i) {
    sim.advance(i % 3 ? 0.7 : -0.2);
    EXPECT_EQ(sim.statistics().evaluations, calls);
    EXPECT_GT(sim.statistics().steps, steps);
    steps = sim.statistics().steps;
  }
  EXPECT_EQ(sim.advance(0), outcome::finished);
  EXPECT_EQ(sim.statistics().steps, steps);
  EXPECT_EQ(sim.statistics().evaluations, calls);
}

TYPED_TEST(any_integrator, is_solve_when_it_advances_once) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  sim.advance_to(5);
  const auto run = solve(oscillator, state{1., 0.}, {0, 5}, TypeParam{}, own_way<TypeParam>());
  EXPECT_EQ(sim.state(), run.state);
  EXPECT_EQ(sim.statistics().evaluations, run.statistics.evaluations);
  EXPECT_EQ(sim.message(), run.message());
}

TYPED_TEST(any_integrator, takes_single_steps_both_ways) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  for (int n = 1; n <= 10; ++n) {
    const double before = sim.time();
    EXPECT_EQ(sim.step(), outcome::finished);
    EXPECT_GT(sim.time(), before);
    EXPECT_EQ(sim.statistics().steps, n);
  }
  if (!adaptive<TypeParam>) {
    EXPECT_EQ(sim.time(), 10. / 64);
  }
  for (int n = 11; n <= 20; ++n) {
    const double before = sim.time();
    EXPECT_EQ(sim.step(true), outcome::finished);
    EXPECT_LT(sim.time(), before);
    EXPECT_EQ(sim.statistics().steps, n);
  }
  EXPECT_NEAR(sim.state()[0], std::cos(sim.time()), rough);
}

TEST(integrator, without_a_step_or_an_estimate_makes_each_advance_one_step) {
  integrator sim{oscillator, state{1., 0.}, rk4{}};
  for (int n = 1; n <= 60; ++n) {
    EXPECT_EQ(sim.advance(1. / 60), outcome::finished);
    EXPECT_EQ(sim.statistics().steps, n);
    EXPECT_EQ(sim.statistics().evaluations, 4 * n);
  }
  EXPECT_NEAR(sim.state()[0], std::cos(1), 1e-7);
}

TEST(integrator, without_a_step_or_an_estimate_does_not_pretend_to_have_stepped) {
  integrator sim{oscillator, state{1., 0.}, rk4{}};
  EXPECT_EQ(sim.step(), outcome::bad_input);
  EXPECT_EQ(sim.ending().fault, input_fault::no_error_estimate);
  EXPECT_EQ(sim.time(), 0);
  EXPECT_EQ(sim.advance(0.1), outcome::finished);
}

TEST(integrator, of_a_fixed_step_takes_one_step_a_frame_of_its_length_however_late_it_is) {
  integrator sim{oscillator, state{1., 0.}, rk4{}, options<state>{.step = 1. / 60}};
  sim.set_state(1000., state{1., 0.});
  for (int n = 1; n <= 1000; ++n) sim.advance(1. / 60);
  EXPECT_EQ(sim.statistics().steps, 1000);
}

// What a step proposes outlives the frame.

TYPED_TEST(adaptive_integrator, pays_for_sixty_frames_little_more_than_for_one_run) {
  const options<state> s{.rtol = TypeParam::table.order < 3 ? 1e-3 : 1e-6, .atol = 1e-9};
  integrator whole{oscillator, state{1., 0.}, TypeParam{}, s};
  whole.advance_to(40);
  const double frame = 4.3 * 40 / static_cast<double>(whole.statistics().steps);  // a few steps, and a bit
  integrator run{oscillator, state{1., 0.}, TypeParam{}, s}, frames = run;
  run.advance_to(60 * frame);
  for (int n = 0; n < 60; ++n) frames.advance(frame);
  EXPECT_LE(frames.statistics().evaluations, 1.4 * static_cast<double>(run.statistics().evaluations));
}

TYPED_TEST(adaptive_integrator, does_not_forget_in_short_frames_how_long_its_steps_may_be) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, options<state>{.rtol = 1e-3}};
  sim.advance(1);
  const double start = sim.time();
  sim.step();
  const double natural = sim.time() - start;
  for (const double frame : {1e-3 * natural, -1e-3 * natural}) {
    const auto before = sim.statistics();
    for (int n = 0; n < 60; ++n) sim.advance(frame);
    EXPECT_EQ(sim.statistics().steps - before.steps, 60);
    EXPECT_EQ(sim.statistics().rejected, before.rejected);
  }
  const double reached = sim.time();
  sim.step();
  EXPECT_GT(sim.time() - reached, 0.3 * natural);
}

// Inside the last step.

/// x' = −x² + sin t's derivative … written so that the solution is known: x = cos t, y = 1/(1 + t).
const field known = [](double t, const state& x, state& dx) {
  dx = {-std::sin(t) + (x[0] - std::cos(t)) * x[1], -x[1] * x[1]};
};
double error_at(double t, const state& x) { return std::hypot(x[0] - std::cos(t), x[1] - 1 / (1 + t)); }

TYPED_TEST(any_integrator, interpolates_from_the_old_state_to_the_new_one) {
  for (const bool backwards : {false, true}) {
    integrator sim{problem{known, state{1., 1.}, {0., 0.}}, TypeParam{}, own_way<TypeParam>()};
    for (int n = 0; n < 5; ++n) {
      const double t = sim.time();
      const state old = sim.state();
      sim.step(backwards);
      state first, last;
      sim.interpolate(t, first);
      sim.interpolate(sim.time(), last);
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(first[i], old[i], 1e-14);
        EXPECT_NEAR(last[i], sim.state()[i], 1e-14);
      }
    }
  }
}

TYPED_TEST(adaptive_integrator, interpolates_after_a_step_cut_short_by_its_end) {
  integrator sim{problem{known, state{1., 1.}, {0., 0.}}, TypeParam{}, options<state>{.rtol = 1e-6}};
  for (const double end : {0.37, 0.38, 0.5, 0.2, 0.19}) {
    const double before = sim.time();
    sim.advance_to(end);
    const double inside_time = end + 1e-3 * (before < end ? -1 : 1);
    state inside;
    sim.interpolate(inside_time, inside);
    EXPECT_LT(error_at(inside_time, inside), 1e-3) << "just before " << end;
    EXPECT_LT(std::hypot(inside[0] - sim.state()[0], inside[1] - sim.state()[1]), 5e-3);
  }
}

/// The run has ended on attempts that failed and have overwritten the last accepted step. Its end is still known.
TYPED_TEST(adaptive_integrator, interpolates_no_failed_attempt) {
  const field wall = [](double t, const state& x, state& dx) {
    known(t, x, dx);
    if (t > 1.15) dx[0] = std::nan("");
  };
  integrator sim{problem{wall, state{1., 1.}, {0., 0.}}, TypeParam{},
                 options<state>{.rtol = 1e-5, .max_evaluations = 50'000}};
  for (int n = 0; n < 3; ++n) sim.step();
  EXPECT_NE(sim.advance_to(3), outcome::finished);
  state inside;
  sim.interpolate(sim.time(), inside);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(inside[i], sim.state()[i], 1e-12);
}

TYPED_TEST(any_integrator, interpolates_before_the_first_step_nothing_but_the_start) {
  integrator sim{oscillator, state{1., 0.}, TypeParam{}, own_way<TypeParam>()};
  state inside{7., 7.};
  sim.interpolate(0, inside);
  EXPECT_EQ(inside, (state{1., 0.}));
}

TYPED_TEST(any_integrator, interpolates_into_a_view_of_the_callers_memory) {
  double start[] = {1., 0.}, memory[] = {7., 7., 7., 7.};
  const auto f = [](double, std::span<double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = -x[0]; };
  options<std::span<double>> s;
  if (!adaptive<TypeParam>) s.step = 1. / 64;
  integrator sim{f, std::span<double>(start), TypeParam{}, s};
  sim.advance(0.5);
  std::span<double> out(memory + 1, 2);
  sim.interpolate(0.5, out);
  EXPECT_NEAR(memory[1], sim.state()[0], 1e-14);
  EXPECT_NEAR(memory[2], sim.state()[1], 1e-14);
  EXPECT_EQ(memory[0], 7);
  EXPECT_EQ(memory[3], 7);
}

}  // namespace
