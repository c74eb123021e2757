/// The classical course as tests: A. Witkin & D. Baraff, "Differential Equation Basics" (Physically Based Modeling, 2001), and
/// the notes on solvers of Oculus Medium (2019) on step doubling, Bogacki & Shampine's pair and FSAL.
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/doubling.hpp>
#include <ensue/methods/explicit/euler.hpp>
#include <ensue/methods/explicit/midpoint.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/integrator.hpp>
#include <ensue/registry.hpp>

#include "support/problems.hpp"
#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <vector>

namespace {

using namespace ensue;

using numbers = std::vector<double>;
using state_view = std::span<const double>;
using rate_view = std::span<double>;

/// A run of fixed steps by the method of that name.
std::unique_ptr<any_integrator> fixed(const char* method, const system_function& f, const numbers& x0, double step,
                                      double from = 0) {
  return find_method(method)->make(f, x0, from, {.step = step});
}

// 2.1 Euler's method: inaccuracy.

const auto circles = [](double, state_view x, rate_view dx) {
  dx[0] = -x[1];
  dx[1] = x[0];
};

/// "Shrinking the stepsize will slow the rate of this outward drift, but never eliminate it."
TEST(textbook, euler_turns_circles_into_spirals_for_every_step_and_less_for_smaller_ones) {
  double drift_before = 1e9;
  for (double step = 0.5; step > 1e-3; step /= 2) {
    const auto run = fixed("euler", circles, {1, 0}, step);
    double radius = 1;
    while (run->time() < 10) {
      ASSERT_EQ(run->step(), outcome::finished);
      const double next = std::hypot(run->state()[0], run->state()[1]);
      EXPECT_GT(next, radius) << "every step leads outward";
      EXPECT_NEAR(next, radius * std::sqrt(1 + step * step), 1e-14 * next) << "along the tangent, by Pythagoras";
      radius = next;
    }
    const double drift = std::log(radius) / run->time();
    EXPECT_LT(drift, 0.6 * drift_before);
    drift_before = drift;
  }
  EXPECT_GT(drift_before, 0);
}

// 2.1 Euler's method: instability.

constexpr double k = 5;
const auto decay = [](double, state_view x, rate_view dx) { dx[0] = -k * x[0]; };

/// "When h > 1/k, we have |Δx| > |x|, so the solution oscillates about zero. Beyond h = 2/k, the oscillation diverges."
TEST(textbook, euler_decays_then_oscillates_then_blows_up) {
  const auto after = [](double step, int steps) {
    const auto run = fixed("euler", decay, {1}, step);
    for (int i = 0; i < steps; ++i) EXPECT_EQ(run->step(), outcome::finished);
    return run->state()[0];
  };
  for (const double h : {0.1 / k, 0.5 / k, 0.99 / k})
    for (int n = 1; n < 10; ++n) EXPECT_GT(after(h, n), 0);
  for (const double h : {1.01 / k, 1.5 / k, 1.99 / k, 2.01 / k})
    for (int n = 1; n < 10; ++n) EXPECT_EQ(after(h, n) > 0, n % 2 == 0) << "h = " << h << ", step " << n;
  EXPECT_LT(std::fabs(after(1.99 / k, 1000)), 1e-4);
  EXPECT_GT(std::fabs(after(2.01 / k, 1000)), 1e4);
}

/// The least step in [low, high] for which something is the case, to a thousandth, if it is for all longer ones.
template <class Case> double least_step(double low, double high, Case is_the_case) {
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (is_the_case(middle) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

TEST(textbook, euler_oscillates_from_one_over_k_and_blows_up_from_two_over_k) {
  const auto first_step_crosses_zero = [](double h) {
    const auto run = fixed("euler", decay, {1}, h);
    run->step();
    return run->state()[0] < 0;
  };
  EXPECT_NEAR(least_step(0.01 / k, 100 / k, first_step_crosses_zero) * k, 1, 0.01);
  const auto grows = [](double h) {
    const auto run = fixed("euler", decay, {1}, h);
    for (int i = 0; i < 500; ++i) run->step();
    return std::fabs(run->state()[0]) > 1;
  };
  EXPECT_NEAR(least_step(0.01 / k, 100 / k, grows) * k, 2, 0.02);
}

/// What the book shows of Euler, for every method: found by trying, the limit is the one that is computed from the table.
struct real_axis : testing::TestWithParam<const method_info*> {};
TEST_P(real_axis, is_stable_as_far_as_the_registry_says) {
  if (GetParam()->evaluations.iterates) GTEST_SKIP() << "ends where its equations cannot be solved: tests/implicit";
  const auto unit_decay = [](double, state_view x, rate_view dx) { dx[0] = -x[0]; };
  const auto grows = [&](double h) {
    const auto run = GetParam()->make(unit_decay, numbers{1}, 0, {.step = h});
    for (int i = 0; i < 500 && std::fabs(run->state()[0]) < 1e6; ++i) run->step();
    return std::fabs(run->state()[0]) > 1;
  };
  if (GetParam()->real_stability == infinity<double>) {
    for (double h = 0.5; h < 1e9; h *= 1.5) EXPECT_FALSE(grows(h)) << "h = " << h;
    return;
  }
  double unstable = 0.5;  // a scan, since a polynomial may grow and be tame again
  while (!grows(unstable)) unstable *= 1.01;
  EXPECT_NEAR(least_step(unstable / 1.02, unstable, grows), GetParam()->real_stability,
              0.01 * GetParam()->real_stability);
}
INSTANTIATE_TEST_SUITE_P(method, real_axis, testing::ValuesIn(tests::registered_first_order_methods()), tests::name_of_method);

// 2.1 and 2.2: errors when the step is halved.

const auto swirling = [](double t, state_view x, rate_view dx) {
  vec<double, 3> rate{};
  tests::swirl<double>()(t, {x[0], x[1], x[2]}, rate);
  for (std::size_t i = 0; i < 3; ++i) dx[i] = rate[i];
};
double swirl_error(const char* method, double step, double end) {
  const auto start = tests::swirl<double>::solution(0), exact = tests::swirl<double>::solution(end);
  const auto run = fixed(method, swirling, {start[0], start[1], start[2]}, step);
  EXPECT_EQ(run->advance_to(end), outcome::finished);
  return std::hypot(run->state()[0] - exact[0], run->state()[1] - exact[1], run->state()[2] - exact[2]);
}

struct halving {
  const char* method;
  double step, a_step_falls, overall_falls;
};
TEST(textbook, halving_the_step_divides_the_errors_by_powers_of_two) {
  for (const auto& [method, step, a_step_falls, overall_falls] :
       {halving{"euler", 1. / 256, 4, 2}, {"midpoint", 1. / 256, 8, 4}, {"rk4", 1. / 64, 32, 16}}) {
    EXPECT_NEAR(swirl_error(method, step, step) / swirl_error(method, step / 2, step / 2), a_step_falls,
                0.05 * a_step_falls)
        << method << ", one step";
    EXPECT_NEAR(swirl_error(method, step, 2) / swirl_error(method, step / 2, 2), overall_falls, 0.05 * overall_falls)
        << method << ", overall";
  }
}

/// "More sophisticated methods … can greatly outperform Euler's method because their higher cost per step is more than offset
/// by the larger stepsizes they allow."
TEST(textbook, at_equal_error_euler_costs_more_than_midpoint_and_midpoint_more_than_rk4) {
  const auto evaluations_for = [](const char* method, double error) {
    std::int64_t steps = 1;
    while (swirl_error(method, 2. / static_cast<double>(steps), 2) > error) steps += 1 + steps / 50;
    return find_method(method)->evaluations.accepted * steps;
  };
  for (const double error : {1e-2, 1e-3, 1e-4}) {
    const auto euler = evaluations_for("euler", error), midpoint = evaluations_for("midpoint", error),
               rk4 = evaluations_for("rk4", error);
    EXPECT_GT(euler, 4 * midpoint) << error;
    EXPECT_GT(midpoint, rk4) << error;
  }
  EXPECT_GT(evaluations_for("midpoint", 1e-6), 10 * evaluations_for("rk4", 1e-6));
}

// 2.2 The midpoint method and RK4, as printed.

template <class Method> numbers one_step(const system_function& f, const numbers& x0, double t, double h) {
  const auto run = find_method(Method::name)->make(f, x0, t, {.step = h});
  EXPECT_EQ(run->step(), outcome::finished);
  return {run->state().begin(), run->state().end()};
}
const auto curved = [](double t, state_view x, rate_view dx) { dx[0] = std::sin(t) - x[0] * x[0]; };

/// The text: x + h f(x + Δx/2, t + h/2) with Δx = h f(x, t). The figure prints f((x + Δx)/2, (t + Δt)/2), half of where it
/// should be, which the text does not mean.
TEST(textbook, midpoint_evaluates_half_a_step_ahead_and_not_at_half_of_everything) {
  const double t = 0.7, x = 1.3, h = 0.2;
  const auto f = [](double time, double u) { return std::sin(time) - u * u; };
  const double change = h * f(t, x);
  const double right = x + h * f(t + h / 2, x + change / 2), as_printed = x + h * f((t + h) / 2, (x + change) / 2);
  EXPECT_NEAR(one_step<midpoint>(curved, {x}, t, h)[0], right, 1e-15);
  EXPECT_GT(std::fabs(as_printed - right), 0.1);
}

TEST(textbook, rk4_is_the_formula_of_the_book) {
  const double t = 0.7, x = 1.3, h = 0.2;
  const auto f = [](double time, double u) { return std::sin(time) - u * u; };
  const double k1 = h * f(t, x), k2 = h * f(t + h / 2, x + k1 / 2), k3 = h * f(t + h / 2, x + k2 / 2),
               k4 = h * f(t + h, x + k3);
  EXPECT_NEAR(one_step<rk4>(curved, {x}, t, h)[0], x + k1 / 6 + k2 / 3 + k3 / 3 + k4 / 6, 1e-15);
}

// Taylor's series needs a smooth f. A force with a kink has none there.

/// A ball falls onto a spring that pushes and never pulls: x'' = −g + stiffness·max(−x, 0), from x = 1 at rest.
struct ball_on_spring {
  static constexpr double g = 2, stiffness = 30;
  static inline const double contact = std::sqrt(2 / g);  // x = 1 − g t²/2 = 0

  static void force(double, state_view x, rate_view dx) {
    dx[0] = x[1];
    dx[1] = -g + stiffness * std::fmax(-x[0], 0);
  }
  /// After the contact, swings about −g/stiffness.
  static double position(double t) {
    const double w = std::sqrt(stiffness), s = t - contact, rest = -g / stiffness, speed = -g * contact;
    return rest - rest * std::cos(w * s) + speed / w * std::sin(w * s);
  }
};

/// The observed order when the kink lies at a fraction `where` of the step that meets it (0: steps land on it).
double order_at_the_kink(const char* method, double where, int coarse) {
  const double end = 1.3 * ball_on_spring::contact;  // before the ball leaves the spring again
  double errors[2];
  for (const int i : {0, 1}) {
    const double step = ball_on_spring::contact / (coarse * (i + 1) + where);
    const auto run = fixed(method, ball_on_spring::force, {1, 0}, step);
    if (where == 0) {
      EXPECT_EQ(run->advance_to(ball_on_spring::contact), outcome::finished);
      run->set_state(numbers{0, run->state()[1]});  // exactly there, whatever rounding says
    }
    EXPECT_EQ(run->advance_to(end), outcome::finished);
    errors[i] = std::fabs(run->state()[0] - ball_on_spring::position(end));
  }
  return std::log(errors[0] / errors[1]) / std::log((2 * coarse + where) / (coarse + where));
}

TEST(textbook, a_kink_inside_a_step_costs_the_high_order_and_a_step_that_ends_on_it_does_not) {
  EXPECT_NEAR(order_at_the_kink("rk4", 0.3, 200), 2, 0.1);
  EXPECT_NEAR(order_at_the_kink("dp54", 0.3, 200), 2, 0.1);
  EXPECT_NEAR(order_at_the_kink("vern7", 0.3, 200), 2, 0.1);
  EXPECT_NEAR(order_at_the_kink("rk4", 0, 200), 4, 0.2);
  EXPECT_NEAR(order_at_the_kink("dp54", 0, 40), 5, 0.3);
}

/// The same in t alone, where it can be worked out. For x' = |t − c| a step of RK4 is Simpson's rule: exact on either side of c;
/// across it, θ = 0.304 of the step before and the rest behind,
///
///     h²·(1 + 4·|½ − θ|)/6   for   h²·(θ² + (1 − θ)²)/2.
TEST(textbook, a_kink_spoils_the_one_step_that_meets_it) {
  const double c = 0.5304, h = 0.1, theta = 0.304;
  const auto kink = [=](double t, state_view, rate_view dx) { dx[0] = std::fabs(t - c); };
  const auto exact = [=](double t) { return (c * c + (t - c) * std::fabs(t - c)) / 2; };
  const double spoiled = h * h * ((1 + 4 * (0.5 - theta)) / 6 - (theta * theta + (1 - theta) * (1 - theta)) / 2);
  const auto run = fixed("rk4", kink, {0}, h);
  for (int n = 1; n <= 10; ++n) {
    ASSERT_EQ(run->step(), outcome::finished);
    EXPECT_NEAR(run->state()[0] - exact(run->time()), n < 6 ? 0 : spoiled, 1e-15) << "step " << n;
  }
  EXPECT_GT(spoiled, 1e-5);
}

// 3 Adaptive stepsizes.

/// The estimate of a doubled step as the solver sees it, and x_b, in `after`.
template <class Method> double doubling_estimate(double t, double x, double h, double& after) {
  using state = vec<double, 1>;
  auto f = [](double time, const state& u, state& du) { du[0] = std::sin(time) - u[0] * u[0]; };
  explicit_stepper<doubling<Method>, state> stepper(doubling<Method>{}, state{x});
  std::int64_t evaluations = 0;
  stepper.derivative(f, t, state{x});
  stepper.attempt(f, t, t + h, h, state{x}, true, evaluations);
  error_measure<state> absolute(0., 1., norms::euclidean, 1);
  after = stepper.candidate()[0];
  return std::sqrt(stepper.squared_error(state{x}, h, absolute));
}

template <class Method> void expect_the_estimate_on_paper(double divisor) {
  const double t = 0.7, x = 1.3, h = 0.2;
  const double full = one_step<Method>(curved, {x}, t, h)[0];
  const double halves = one_step<Method>(curved, one_step<Method>(curved, {x}, t, h / 2), t + h / 2, h / 2)[0];
  double after = 0;
  EXPECT_NEAR(doubling_estimate<Method>(t, x, h, after), std::fabs(full - halves) / divisor, 2e-16);
  EXPECT_NEAR(after, halves, 1e-15);
}
/// "e = |x_a − x_b|" for Euler, whose 2^p − 1 is 1; |y0 − y1|/15 for RK4.
TEST(textbook, step_doubling_estimates_the_difference_over_two_to_the_p_less_one) {
  expect_the_estimate_on_paper<euler>(1);
  expect_the_estimate_on_paper<midpoint>(3);
  expect_the_estimate_on_paper<rk4>(15);
}

/// The example by numbers: x' = −x from 1 with h = ½: x_a = ½, x_b = ¾² = 9/16, e = 1/16.
TEST(textbook, doubled_euler_by_numbers) {
  const auto run = find_method("doubling(euler)")
                       ->make([](double, auto x, auto dx) { dx[0] = -x[0]; }, numbers{1}, 0,
                              {.rtol = 0., .atol = 1. / 16, .first_step = 0.5});
  ASSERT_EQ(run->step(), outcome::finished);
  EXPECT_EQ(run->statistics().rejected, 0) << "an error of exactly what is allowed is allowed";
  EXPECT_EQ(run->time(), 0.5);
  EXPECT_EQ(run->state()[0], 9. / 16);
  const auto stricter = find_method("doubling(euler)")
                            ->make([](double, auto x, auto dx) { dx[0] = -x[0]; }, numbers{1}, 0,
                                   {.rtol = 0., .atol = 0.99 / 16, .first_step = 0.5});
  ASSERT_EQ(stricter->step(), outcome::finished);
  EXPECT_EQ(stricter->statistics().rejected, 1);
}

/// The notes count three evaluations for Bogacki and Shampine's pair, two with FSAL; their own formulas have four, three
/// with FSAL.
TEST(textbook, bogacki_and_shampine_take_four_evaluations_and_then_three) {
  EXPECT_EQ(bs32::table.stages, 4);
  const auto run = fixed("bs32", decay, {1}, 0.01);
  for (int n = 1; n <= 5; ++n) {
    run->step();
    EXPECT_EQ(run->statistics().evaluations, 4 + 3 * (n - 1));
  }
}

/// "We can only proceed as fast as the 'worst' sections of x(t) will allow": a Kepler ellipse has a fast end and a slow one.
TEST(textbook, adaptive_steps_cost_less_than_fixed_ones_where_a_solution_has_two_paces) {
  const auto kepler = [](double, state_view x, rate_view dx) {
    const double r = std::hypot(x[0], x[1]);
    dx[0] = x[2], dx[1] = x[3];
    dx[2] = -x[0] / (r * r * r), dx[3] = -x[1] / (r * r * r);
  };
  const double eccentricity = 0.9, year = 2 * 3.14159265358979;
  const numbers start{1 - eccentricity, 0, 0, std::sqrt((1 + eccentricity) / (1 - eccentricity))};
  const auto error_of = [&](const any_integrator& run) {
    return std::hypot(run.state()[0] - start[0], run.state()[1] - start[1]);
  };
  for (const char* method : {"bs32", "dp54", "dop853"}) {
    const auto adaptive = find_method(method)->make(kepler, start, 0, {.rtol = 1e-6, .atol = 1e-6});
    ASSERT_EQ(adaptive->advance_to(year), outcome::finished);
    const double error = error_of(*adaptive);
    for (double steps = 64;; steps *= 1.2) {
      const auto even = fixed(method, kepler, start, year / std::floor(steps));
      ASSERT_EQ(even->advance_to(year), outcome::finished);
      if (error_of(*even) > error) continue;
      EXPECT_GT(even->statistics().evaluations, 3 * adaptive->statistics().evaluations) << method;
      break;
    }
  }
}

}  // namespace
