/// What must never happen to wrong input: a hang, a crash, or an answer. And to input that is merely unusual: a refusal.
#include "reliability/support.hpp"

#include <ensue/registry.hpp>

#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

struct decay {
  int* calls = nullptr;
  template <class T, class State> void operator()(const T&, const State& x, State& dx) const {
    if (calls) ++*calls;
    for (std::size_t i = 0; i < x.size(); ++i) dx[i] = -x[i];
  }
};

using state = vec<double, 2>;
using settings = options<state>;

template <class Method = dp54> void expect_refused(input_fault fault, interval<double> span, const settings& s,
                                                   const char* word) {
  int calls = 0;
  const auto run = solve(decay{&calls}, state{1., 2.}, span, Method{}, s);
  EXPECT_EQ(run.outcome, outcome::bad_input) << run.message();
  EXPECT_EQ(run.ending[0].fault, fault);
  EXPECT_EQ(calls, 0) << "f was asked although the input is refused";
  EXPECT_EQ(run.statistics.steps, 0);
  EXPECT_TRUE(same_state(run.state, state{1., 2.}));
  EXPECT_TRUE(same_bits(run.t, span.from));
  EXPECT_TRUE(says(run.message(), {"bad input", word}));
}

TEST(bad_input, times_that_are_no_numbers_are_not_run_to) {
  for (const double fixed : {0., 0.1})
    for (const interval<double> span : {interval<double>{0, not_a_number}, interval<double>{not_a_number, 1},
                                        interval<double>{not_a_number, not_a_number}})
      expect_refused(input_fault::time_not_finite, span, {.step = fixed}, "finite");
}

TEST(bad_input, infinite_times_are_not_run_to) {
  for (const double fixed : {0., 0.1})
    for (const interval<double> span : {interval<double>{0, infinite}, interval<double>{0, -infinite},
                                        interval<double>{infinite, 1}, interval<double>{-infinite, infinite}})
      expect_refused(input_fault::time_not_finite, span, {.step = fixed, .max_evaluations = 1000}, "finite");
}

TEST(bad_input, tolerances_below_nothing_are_not_met) {
  for (const double bad : {-1e-6, not_a_number}) {
    expect_refused(input_fault::tolerance_not_positive, {0, 1}, {.rtol = bad}, "tolerance");
    expect_refused(input_fault::tolerance_not_positive, {0, 1}, {.atol = bad}, "tolerance");
    expect_refused(input_fault::tolerance_not_positive, {0, 1}, {.atol = state{1e-6, bad}}, "tolerance");
  }
}

/// An infinite tolerance allows everything; 0·∞ must not make it forbid everything.
TEST(bad_input, tolerances_that_are_infinite_do_not_stop_a_run) {
  const auto run = solve(decay{}, state{1., 0.}, {0, 1}, dp54{}, {.rtol = infinite, .max_evaluations = 1000});
  EXPECT_TRUE(run.finished() || run.ending[0].fault == input_fault::tolerance_not_positive) << run.message();
}

TEST(bad_input, tolerances_for_another_number_of_components_are_not_read) {
  using dynamic = std::vector<double>;
  for (const std::size_t count : {std::size_t(0), std::size_t(2), std::size_t(4), std::size_t(100)}) {
    const dynamic each(count, 1e-6);
    for (const bool relative : {true, false}) {
      options<dynamic> s;
      (relative ? s.rtol : s.atol) = each;
      const auto run = solve(decay{}, dynamic{1., 2., 3.}, {0, 1}, dp54{}, s);
      EXPECT_EQ(run.outcome, outcome::bad_input) << count << " tolerances for three components";
      EXPECT_EQ(run.ending[0].fault, input_fault::tolerance_count);
      EXPECT_TRUE(says(run.message(), {"bad input", "each component"}));

      options<vec<double, 3>> fixed;  // for a state whose length is known
      (relative ? fixed.rtol : fixed.atol) = each;
      EXPECT_EQ(solve(decay{}, vec<double, 3>{1., 2., 3.}, {0, 1}, dp54{}, fixed).ending[0].fault, input_fault::tolerance_count) << count;
    }
  }
}

TEST(bad_input, steps_that_are_not_positive_are_not_taken) {
  for (const double bad : {-0.1, not_a_number, -infinite}) {
    expect_refused(input_fault::step_not_positive, {0, 1}, {.step = bad}, "step");
    expect_refused(input_fault::step_not_positive, {0, 1}, {.first_step = bad}, "first_step");
    expect_refused(input_fault::step_not_positive, {0, 1}, {.max_step = bad}, "max_step");
    expect_refused(input_fault::step_not_positive, {0, 1}, {.min_step = bad}, "min_step");
  }
  expect_refused(input_fault::step_not_positive, {0, 1}, {.max_step = 0}, "max_step");
  expect_refused(input_fault::step_not_positive, {0, 1}, {.max_step = 0.1, .min_step = 0.2}, "max_step");
}

TEST(bad_input, a_negative_fixed_step_is_not_taken_for_a_missing_one) {
  expect_refused<euler>(input_fault::step_not_positive, {0, 1}, {.step = -0.1}, "step");
  expect_refused<euler>(input_fault::step_not_positive, {0, 1}, {.step = not_a_number}, "step");
}

TEST(bad_input, an_infinite_fixed_step_is_one_step_or_none) {
  const auto run = solve(decay{}, state{1., 2.}, {0, 1}, rk4{}, {.step = infinite});
  EXPECT_TRUE((run.finished() && run.statistics.steps == 1) || run.ending[0].fault == input_fault::step_not_positive)
      << run.message();
}

TEST(bad_input, a_method_without_estimate_does_not_guess_a_step) {
  expect_refused<euler>(input_fault::no_error_estimate, {0, 1}, {}, "euler has no error estimate");
  expect_refused<rk4>(input_fault::no_error_estimate, {0, 1}, {}, "doubling(rk4)");
}

TEST(bad_input, a_law_that_cannot_work_is_not_followed) {
  using control = step_size_settings;
  for (const control& bad :
       {control{.safety = 0}, control{.safety = 1.1}, control{.safety = not_a_number}, control{.shrink = 0},
        control{.shrink = 1}, control{.shrink = not_a_number}, control{.grow = 1}, control{.grow = not_a_number},
        control{.keep = 0.5}, control{.keep = not_a_number}})
    expect_refused(input_fault::control_out_of_range, {0, 1}, {.control = bad}, "safety");
}

TEST(bad_input, a_refused_integrator_is_not_spoiled) {
  integrator sim{decay{}, state{1., 2.}, dp54{}};
  EXPECT_EQ(sim.advance_to(not_a_number), outcome::bad_input);
  EXPECT_EQ(sim.advance(not_a_number), outcome::bad_input);
  EXPECT_EQ(sim.advance_to(infinite), outcome::bad_input);
  EXPECT_EQ(sim.time(), 0);
  EXPECT_EQ(sim.advance_to(1), outcome::finished);
  EXPECT_EQ(sim.time(), 1);
  EXPECT_EQ(sim.advance_to(not_a_number), outcome::bad_input);
  EXPECT_EQ(sim.time(), 1);
  EXPECT_EQ(sim.advance(0.5), outcome::finished);
  EXPECT_NEAR(sim.state()[0], std::exp(-1.5), 1e-5);
  EXPECT_TRUE(says(sim.message(), {"finished at t = 1.5"}));
}

TEST(bad_input, a_state_of_another_length_is_not_read) {
  using dynamic = std::vector<double>;
  integrator sim{decay{}, dynamic(64, 1.), dp54{}};
  sim.advance(0.1);
  const dynamic before = sim.state();
  EXPECT_THROW(sim.set_state(dynamic(3)), std::length_error);
  EXPECT_THROW(sim.set_state(dynamic(65)), std::length_error);
  EXPECT_TRUE(same_state(sim.state(), before));
}

TEST(bad_input, positions_without_as_many_velocities_are_not_run) {
  struct spring {
    void acceleration(double, std::span<const double> q, std::span<double> a) const { a[0] = -q[0]; }
  };
  const std::vector<double> three{1., 0., 0.};
  EXPECT_THROW((integrator{spring{}, three, dp54{}}), std::length_error);
  EXPECT_THROW((integrator{spring{}, three, leapfrog{}}), std::length_error);
  for (const char* name : {"dp54", "leapfrog", "rodas5p"}) EXPECT_THROW(find_method(name)->make(spring{}, three, 0, {.step = 0.1}), std::length_error) << name;
}

TEST(bad_input, a_place_of_another_length_is_not_written) {
  using dynamic = std::vector<double>;
  integrator sim{decay{}, dynamic(64, 1.), dp54{}};
  sim.advance(0.1);
  for (dynamic out : {dynamic(), dynamic(3), dynamic(100)}) {
    try {
      sim.interpolate(sim.time(), out);  // either it is given the right length …
      EXPECT_TRUE(same_state(out, sim.state()));
    } catch (const std::length_error&) {  // … or refused
    }
  }
}

// Unusual, not wrong.

template <class Method> struct unusual_input : testing::Test {};
TYPED_TEST_SUITE(unusual_input, typed<tested_kinds>);

TYPED_TEST(unusual_input, an_empty_span_evaluates_nothing) {
  for (const double t : {0., 1., -3., 1e300})
    for (const double step : {0., 0.1}) {
      if (step == 0 && !is_adaptive<TypeParam>::value) continue;
      int calls = 0;
      const field<double, 3> f = [&](auto&, auto& x, auto& dx) { ++calls, dx = x; };
      const auto run = solve(f, vec{1., 2., 3.}, {t, t}, TypeParam{}, {.step = step});
      EXPECT_EQ(run.outcome, outcome::finished);
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(run.statistics.evaluations, 0);
      EXPECT_EQ(run.statistics.steps, 0);
      EXPECT_TRUE(same_bits(run.t, t));
      EXPECT_TRUE(same_state(run.state, vec{1., 2., 3.}));
    }
}

TYPED_TEST(unusual_input, a_state_without_components_does_not_hang) {
  using dynamic = std::vector<double>;
  options<dynamic> s = own_way<TypeParam, dynamic>(0.1);
  s.max_evaluations = 10'000;
  const auto run = solve(decay{}, dynamic{}, {0, 1}, TypeParam{}, s);
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(run.t, 1);
}

/// atol = 0: a component that is and stays zero has no error, one that passes through zero has a scale all the same.
TYPED_TEST(unusual_input, no_absolute_tolerance_does_not_divide_by_zero) {
  if constexpr (is_adaptive<TypeParam>::value) {
    for (const error_norm<double>& norm : {error_norm<double>(norms::rms), error_norm<double>(norms::maximum)}) {
      const field<double, 3> f = [](auto&, auto& x, auto& dx) { dx = {-x[0], 0., -x[2]}; };
      const auto run =
          solve(f, vec{1., 0., 0.}, {0, 1}, TypeParam{}, {.atol = 0, .norm = norm, .max_evaluations = plenty});
      EXPECT_TRUE(run.finished()) << run.message();
      EXPECT_NEAR(run.state[0], std::exp(-1), 1e-3);
      EXPECT_EQ(run.state[1], 0);
      EXPECT_EQ(run.state[2], 0);
      const field<double, 3> leaves_zero = [](auto&, auto&, auto& dx) { dx = {1., -1., 0.}; };
      const auto from_zero = solve(leaves_zero, vec{0., 0.25, 1.}, {0, 1}, TypeParam{},
                                   {.atol = 0, .norm = norm, .max_evaluations = plenty});
      EXPECT_TRUE(from_zero.finished()) << from_zero.message();
      EXPECT_NEAR(from_zero.state[0], 1, 1e-12);
    }
  }
}

TYPED_TEST(unusual_input, nothing_to_do_for_f_takes_no_time) {
  options<vec<double, 3>> s = own_way<TypeParam, vec<double, 3>>(0.1);
  s.max_evaluations = plenty;
  const field<double, 3> rest = [](auto&, auto&, auto& dx) { dx = {0., 0., 0.}; };
  for (const double end : {1., -1., 1e30, 1e-30}) {
    if (s.step > 0) s.step = std::abs(end) / 10;
    const auto run = solve(rest, vec{1., 0., 0.}, {0, end}, TypeParam{}, s);
    EXPECT_TRUE(run.finished()) << run.message();
    EXPECT_TRUE(same_state(run.state, vec{1., 0., 0.}));
    EXPECT_LT(run.statistics.steps, 200);
  }
}

}  // namespace
