/// Hard reports from the trackers of other libraries, as cases for this one. docs/reliability.md says which library passes which;
/// bench/others_bugs.py and bench/others_bugs.cpp run those of them that are installed.
#include <ensue/ensue.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/registry.hpp>

#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace {

using namespace ensue;
using span_options = options<std::span<double>>;

struct others_bugs_with : testing::TestWithParam<const method_info*> {};
INSTANTIATE_TEST_SUITE_P(method, others_bugs_with, testing::ValuesIn(tests::registered_adaptive_methods()), tests::name_of_method);

bool has_low_order() { return others_bugs_with::GetParam()->order < 3 && others_bugs_with::GetParam()->name != "bdf"; }

any_event noted(std::function<double(double, std::span<const double>)> g, std::vector<double>& times) {
  return {std::move(g), [&times](double t, std::span<double>) {
            times.push_back(t);
            return reaction::go_on;
          }};
}

/// scipy/scipy #9228: solve_ivp finds one of three zeros that lie in one step of a polynomial solution.
TEST_P(others_bugs_with, scipy_9228_three_zeros_in_one_step) {
  const auto f = [](double t, std::span<const double>, std::span<double> dx) { dx[0] = 3 * t * t + 12 * t - 4; };
  const auto sim = GetParam()->make(f, std::vector{-120.}, -8, span_options{.rtol = 1e-3, .atol = 1e-6, .max_evaluations = 2'000'000});
  std::vector<double> times;
  observe(*sim, 4., event_list({noted([](double, std::span<const double> x) { return x[0]; }, times)}));
  ASSERT_EQ(times.size(), 3u);  // of (t + 6)(t + 2)(t - 2)
  const double exact[] = {-6, -2, 2};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(times[static_cast<std::size_t>(i)], exact[i], has_low_order() ? 0.2 : 0.02);
}

/// scipy/scipy #15262 and #17066: a terminal event in a span of 1e-11 ends in an exception, for its root is sought to an absolute 1e-15.
TEST_P(others_bugs_with, scipy_15262_an_event_in_a_very_short_span) {
  constexpr double acceleration = 1.602176634e-19 / 9.1093837015e-31 * 1e9, distance = 1e-6;
  const double hit = std::sqrt(2 * distance / acceleration);
  const auto f = [](double, std::span<const double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = acceleration; };
  const auto sim = GetParam()->make(f, std::vector{0., 0.}, 0, span_options{.rtol = 1e-6, .atol = 1e-12});
  const any_event wall{[](double, std::span<const double> x) { return x[0] - distance; }, [](double, std::span<double>) { return reaction::stop; }};
  EXPECT_EQ(observe(*sim, 1.51 * hit, event_list({wall})), outcome::stopped_by_event) << sim->message();
  EXPECT_NEAR(sim->time() / hit, 1, has_low_order() ? 1e-3 : 1e-5);
  EXPECT_NEAR(sim->state()[0] / distance, 1, 1e-9);
}

/// scipy/scipy #14480: what LSODA's interpolant says at the end of a step is not the state there, so that an event fires where there is none.
TEST_P(others_bugs_with, scipy_14480_the_interpolant_meets_the_ends_of_its_step) {
  const auto f = [](double t, std::span<const double> x, std::span<double> dx) { dx[0] = -5 * x[0] + std::sin(t), dx[1] = x[0] - x[1]; };
  const auto sim = GetParam()->make(f, std::vector{1., 0.}, 0, span_options{.rtol = 5e-4, .atol = 5e-7, .first_step = 1e-9});
  std::vector<double> before = {1, 0}, inside(2);
  for (int step = 0; step < 200 && sim->time() < 5; ++step) {
    const double from = sim->time();
    ASSERT_EQ(sim->step_towards(5), outcome::finished) << sim->message();
    for (const double beside : {0., 1e-9}) {
      const double reach = beside * (sim->time() - from);
      sim->interpolate(from + reach, inside);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(inside[i], before[i], 1e-7 * beside / 1e-9 + 1e-11) << "start of step " << step;
      sim->interpolate(sim->time() - reach, inside);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(inside[i], sim->state()[i], 1e-7 * beside / 1e-9 + 1e-11) << "end of step " << step;
    }
    before.assign(sim->state().begin(), sim->state().end());
  }
}

/// patrick-kidger/diffrax #703: where the clock's digits do not hold the smallest step exactly, it is tried again for ever.
TEST_P(others_bugs_with, diffrax_703_the_smallest_step_at_a_late_time) {
  const auto f = [](double t, std::span<const double> x, std::span<double> dx) { dx[0] = 50 * (std::cos(40 * t) - x[0]); };
  span_options settings{.rtol = 1e-10, .atol = 1e-10, .max_evaluations = 20'000};
  settings.min_step = 0.2, settings.when_too_small = at_min_step::accept_and_mark;
  const auto sim = GetParam()->make(f, std::vector{0.}, 967.1378944377053, settings);
  const outcome how = sim->advance_to(1067);
  const bool overflowed = how == outcome::state_not_finite || how == outcome::derivative_not_finite;  // h·λ = 10 is unstable
  EXPECT_TRUE(overflowed || (how == outcome::finished && sim->time() == 1067)) << sim->message();
  EXPECT_LT(sim->statistics().steps, 600);
}

/// patrick-kidger/diffrax #702: z' = -(z² + a²) in real and imaginary part; no solver reaches t = 1000 within its usual number of steps.
/// The solution is z = a tan(c - a t), here to t = 100: 509 periods.
TEST(others_bugs, diffrax_702_a_centre_whose_period_is_short) {
  constexpr double a = 16, end = tests::sanitized ? 10 : 100;
  const auto f = [](double, std::span<const double> w, std::span<double> dw) { dw[0] = -w[0] * w[0] + w[1] * w[1] - a * a, dw[1] = -2 * w[0] * w[1]; };
  const std::complex<double> exact = a * std::tan(std::atan(std::complex<double>(0, 1.1)) - a * end);
  for (const char* name : {"dp54", "tsit5", "vern7", "vern9", "dop853", "rodas5p", "radau", "bdf"}) {
    const auto sim = find_method(name)->make(f, std::vector{0., 1.1 * a}, 0, span_options{.rtol = 1e-8, .atol = 1e-8});
    ASSERT_EQ(sim->advance_to(end), outcome::finished) << name << ": " << sim->message();
    const double amplification = 2 * a * end;  // a tolerance in each radian
    EXPECT_LT(std::abs(std::complex(sim->state()[0], sim->state()[1]) - exact), 30 * 2e-7 * amplification) << name;
  }
}

struct dae {
  void operator()(double t, std::span<const double> x, std::span<double> f) const { f[0] = 3 * t * t, f[1] = x[0] - x[1]; }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

/// SciML/OrdinaryDiffEq.jl #1554: Rodas5's dense output is wrong for algebraic components. y' = 3t², 0 = y - z.
TEST(others_bugs, ordinarydiffeq_1554_algebraic_components_between_steps) {
  for (const method_info* method : all_methods()) {
    if (!method->takes_mass_matrix) continue;
    const auto sim = method->make(dae{}, std::vector{0., 0.}, 0, span_options{.rtol = 1e-6, .atol = 1e-6});
    const auto look = [&](double t, std::span<const double> x) {
      for (const double value : x) EXPECT_NEAR(value, t * t * t, 3e-5) << method->name << " at " << t;
    };
    EXPECT_EQ(observe(*sim, 1., save_every(0.01, look)), outcome::finished) << method->name;
  }
}

/// SciML/DifferentialEquations.jl #696: a ball that bounces with a restitution of 0 or 0.5 falls through the floor after a while.
TEST_P(others_bugs_with, differentialequations_696_a_ball_stays_above_the_floor) {
  const auto f = [](double, std::span<const double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = -9.8; };
  for (const double restitution : {0.8, 0.5, 0.}) {
    // Of order 1: its error in the ball's speed outgrows the bounces, and the ball leaves the floor downwards.
    if (GetParam()->name == "backward-euler" && restitution > 0) continue;
    const auto sim = GetParam()->make(f, std::vector{1., 0.}, 0, span_options{.rtol = 1e-6, .atol = 1e-9, .max_evaluations = 2'000'000});
    const any_event floor{[](double, std::span<const double> x) { return x[0] + 1; },
                          [restitution](double, std::span<double> x) {
                            x[1] *= -restitution;
                            return reaction::change;
                          },
                          crossing::falling};
    double lowest = 0;
    const outcome how = observe(*sim, 20., event_list({floor}), save_every(1e-2, [&](double, auto x) { lowest = std::min(lowest, x[0]); }));
    EXPECT_GE(lowest, -1 - 1e-6) << "restitution " << restitution << ": " << sim->message();
    EXPECT_TRUE(how == outcome::events_accumulating || how == outcome::finished || how == outcome::stopped_by_event) << sim->message();
  }
}

/// boostorg/odeint #41 and headmyshoulder/odeint-v2 #99: backwards to -23.8 with dense output loops for ever at the end, or overshoots it.
TEST_P(others_bugs_with, odeint_41_backwards_to_an_end_that_rounding_hides) {
  const auto f = [](double, std::span<const double>, std::span<double> dx) { dx[0] = 2 * std::numbers::pi / -35; };
  const auto sim = GetParam()->make(f, std::vector{0.}, 0, span_options{.rtol = 1e-5, .atol = 1e-6, .first_step = 0.238});
  double last = 0;
  const auto look = [&](double t, std::span<const double>) {
    EXPECT_GE(t, -23.8);
    EXPECT_LE(t, last);
    last = t;
  };
  EXPECT_EQ(observe(*sim, -23.8, save_every(0.1, look)), outcome::finished) << sim->message();
  EXPECT_EQ(sim->time(), -23.8);
  EXPECT_NEAR(sim->state()[0], 2 * std::numbers::pi / 35 * 23.8, 1e-12);
  EXPECT_LT(sim->statistics().steps, 200);
}

/// llnl/sundials #258: a root function that returns NaN: the search for its root never ends.
TEST_P(others_bugs_with, sundials_258_an_event_function_that_is_no_number) {
  const auto f = [](double, std::span<const double> x, std::span<double> dx) { dx[0] = -x[0]; };
  const auto sim = GetParam()->make(f, std::vector{1.}, 0, span_options{.rtol = 1e-6, .atol = 1e-9});
  const any_event root{[](double, std::span<const double> x) { return std::sqrt(x[0] - 0.5); }, [](double, std::span<double>) { return reaction::stop; }};
  EXPECT_EQ(observe(*sim, 2., event_list({root})), outcome::event_not_finite) << sim->message();
  EXPECT_LE(sim->time(), std::numbers::ln2 + 1e-3);
  EXPECT_FALSE(sim->message().empty());
}

/// llnl/sundials #722: x' = t mod 1 to t = 10, where x = 5. With a root function that restarts the run at each jump it ends with "too close",
/// because the last jump is its end.
TEST_P(others_bugs_with, sundials_722_a_saw_tooth_whose_jumps_are_events) {
  const auto f = [](double t, std::span<const double>, std::span<double> dx) { dx[0] = t - std::floor(t); };
  const auto sim = GetParam()->make(f, std::vector{0.}, 0, span_options{.rtol = 1e-6, .atol = 1e-8, .max_step = 0.9, .max_evaluations = 2'000'000});
  int jumps = 0;
  const any_event jump{[](double t, std::span<const double>) { return std::abs(std::fmod(t - 0.5, 2) - 1) - 0.5; },
                       [&](double, std::span<double>) {
                         ++jumps;
                         return reaction::change;
                       }};
  EXPECT_EQ(observe(*sim, 10., event_list({jump})), outcome::finished) << sim->message();
  EXPECT_EQ(jumps, 10);
  // Thirty tolerances for each jump: the step that it cuts has met it. (Midpoint's steps, and halves of them, do not look at their ends.)
  EXPECT_TRUE(has_low_order() || std::abs(sim->state()[0] - 5) < 1.5e-3) << sim->state()[0];
}

/// google-deepmind/mujoco #3553: a thin free body that spins ends with BADQACC after 4294 of 10,000 steps of a millisecond.
TEST(others_bugs, mujoco_3553_a_thin_body_spins_freely) {
  const models::rigid_body<double> rod{{0.00017231, 0.00000658, 0.00017243}};
  const rotating_body<double> start = rod.spinning({3., 200., 2.});
  for (const char* name : {"free_rotation", "rotation_splitting", "moser_veselov", "moser_veselov4", "rkmk4"}) {
    const auto sim = find_method(name)->make(rod, std::vector<double>(start.elements, start.elements + 7), 0, span_options{.step = 1e-3});
    ASSERT_EQ(sim->advance_to(tests::sanitized ? 1 : 10), outcome::finished) << name << ": " << sim->message();
    rotating_body<double> end;
    std::copy_n(sim->state().begin(), 7, end.elements);
    EXPECT_NEAR(rod.energy(end) / rod.energy(start), 1, 0.05) << name;
  }
}

/// hannorein/rebound #546 and #485: an extremely eccentric orbit that is thrown out of the system, and a state that depends on when the run ends.
TEST(others_bugs, rebound_546_an_extremely_eccentric_orbit) {
  struct kepler {
    void acceleration(double, std::span<const double> q, std::span<double> a) const {
      const double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * std::sqrt(r2);
      a[0] = -q[0] / r3, a[1] = -q[1] / r3;
    }
  };
  const double e = 0.9999, far = 1 + e, slow = std::sqrt((1 - e) / (1 + e)), period = 2 * std::numbers::pi;
  const auto energy = [](std::span<const double> x) { return (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / std::hypot(x[0], x[1]); };
  for (const char* name : {"dp54", "vern9", "dop853", "rkn86", "rkn1210"}) {
    const span_options settings{.rtol = 1e-12, .atol = 1e-14};
    const auto once = find_method(name)->make(kepler{}, std::vector{far, 0., 0., slow}, 0, settings);
    ASSERT_EQ(once->advance_to(5 * period), outcome::finished) << name << ": " << once->message();
    EXPECT_NEAR(energy(once->state()), -0.5, 1e-5) << name;
    const auto often = find_method(name)->make(kepler{}, std::vector{far, 0., 0., slow}, 0, settings);
    for (int i = 1; i <= 10; ++i) ASSERT_EQ(often->advance_to(i * period / 2), outcome::finished) << name;
    EXPECT_NEAR(often->state()[0], once->state()[0], 1e-4) << name;
  }
}

/// rtqichen/torchdiffeq #27 and #244: at a singularity an assertion, "underflow in dt", and no solution up to there.
TEST_P(others_bugs_with, torchdiffeq_27_a_pole_ahead) {
  const auto f = [](double, std::span<const double> x, std::span<double> dx) { dx[0] = x[0] * x[0]; };
  const auto sim = GetParam()->make(f, std::vector{1.}, 0, span_options{.rtol = 1e-6, .atol = 1e-9, .max_evaluations = 400'000});
  const outcome how = sim->advance_to(2);
  EXPECT_TRUE(how == outcome::step_too_small || how == outcome::state_not_finite || how == outcome::too_many_evaluations ||
              how == outcome::derivative_not_finite || how == outcome::equations_not_solved)
      << sim->message();
  EXPECT_NEAR(sim->time(), 1, 1e-3);
  EXPECT_TRUE(std::isfinite(sim->state()[0]));
}

}  // namespace
