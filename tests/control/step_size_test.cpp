/// The step-size law: its factors against std::pow, its limits, and what runs make of it.
#include <ensue/control/step_size.hpp>

#include <ensue/methods/explicit/doubling.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/euler.hpp>
#include <ensue/integrator.hpp>
#include <ensue/numbers/pack.hpp>

#include "support/kinds.hpp"
#include "support/methods.hpp"
#include "support/problems.hpp"
#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace {

using namespace ensue;

/// The rule as textbooks print it: no safety, no limits, no band.
constexpr step_size_settings classical{.law = laws::elementary, .safety = 1, .shrink = 1e-6, .grow = 1e6, .keep = 1};

double squared(double x) { return x * x; }
template <class real> step_size_history<real> no_history() { return {}; }

/// The polynomials behind the law's powers: 1e-7, measured in power_test.cpp.
constexpr double digits = 3e-7;

// Witkin and Baraff: 1e-4 is allowed, and Euler's error grows as h².

TEST(step_size_law, makes_a_hundred_steps_of_one_by_the_book) {
  const step_size_law<double> law(classical, 1);
  EXPECT_NEAR(law.after_accept(squared(1e-8 / 1e-4), no_history<double>()), 100, 100 * digits);
}

TEST(step_size_law, makes_a_third_of_a_step_by_the_book) {
  const step_size_law<double> law(classical, 1);
  EXPECT_NEAR(law.after_reject(squared(1e-3 / 1e-4)), 0.316227766, 0.316 * digits);
}

TEST(step_size_law, is_by_the_book_in_every_precision_and_in_packs) {
  const step_size_law<float> in_float(classical, 1);
  EXPECT_NEAR(in_float.after_accept(1e-8f, no_history<float>()), 100, 3e-4);
  const step_size_law<long double> in_long_double(classical, 1);
  EXPECT_NEAR(static_cast<double>(in_long_double.after_reject(100)), 0.316227766, 0.316 * digits);
  using real = pack<double, 4>;
  const step_size_law<real> in_pack(classical, 1);
  const step_size_law<double> alone(classical, 1);
  real errors;
  const double each[] = {1e-8, 0.5, 1, 1e-3};
  for (int l = 0; l < 4; ++l) set_lane(errors, l, each[l]);
  const real factors = in_pack.after_accept(errors, no_history<real>());
  for (int l = 0; l < 4; ++l) EXPECT_EQ(lane(factors, l), alone.after_accept(each[l], no_history<double>()));
}

/// Doubled Euler on x' = 4t errs by h² in every step, exactly: (x_b − x_a)/1 = h². With 1e-4 allowed, the steps of the book
/// are taken by a real run.
constexpr auto ramp = [](double t, const vec<double, 1>&, vec<double, 1>& dx) { dx[0] = 4 * t; };
using state = vec<double, 1>;
auto ramp_run(double first_step) {
  const options<state> settings{.rtol = 0., .atol = 1e-4, .control = classical, .first_step = first_step};
  return integrator{ramp, state{0}, doubling<euler>{}, settings};
}

TEST(step_size_law, makes_a_hundred_steps_of_one_in_a_run_of_doubled_euler) {
  auto run = ramp_run(1e-4);  // errs by 1e-8
  run.step();
  EXPECT_EQ(run.time(), 1e-4);
  EXPECT_EQ(run.statistics().rejected, 0);
  run.step();
  EXPECT_NEAR(run.time() - 1e-4, 100 * 1e-4, 1e-2 * digits);
}

TEST(step_size_law, makes_a_third_of_a_step_in_a_run_of_doubled_euler) {
  const double first = std::sqrt(1e-3);  // errs by 1e-3
  auto run = ramp_run(first);
  run.step();
  EXPECT_GE(run.statistics().rejected, 1);
  EXPECT_NEAR(run.time(), 0.316227766 * first, 1e-2 * digits);
}

// The formulas, wherever the limits are not met.

TEST(step_size_law, has_the_exponent_that_belongs_to_the_error) {
  EXPECT_EQ(growth_power(4, error_per::step), 5);
  EXPECT_EQ(growth_power(4, error_per::unit_step), 4);
  for (const error_per per : {error_per::step, error_per::unit_step})
    for (int q = 1; q <= 9; ++q) {
      step_size_settings settings = classical;
      settings.per = per;
      settings.safety = 0.9;
      const step_size_law<double> law(settings, q);
      const step_size_law<double, law_digits::three> rough(settings, q);
      const double k = per == error_per::step ? q + 1 : q, known = 1.72e-3 / k + 8e-5;  // by the rougher one, of a squared error's logarithm to 4.94e-3
      for (const double error : {1e-6, 1e-3, 0.3, 1.}) {
        const double expected = 0.9 * std::pow(error, -1 / k);
        EXPECT_NEAR(law.after_accept(squared(error), no_history<double>()), expected, expected * digits);
        EXPECT_NEAR(rough.after_accept(squared(error), no_history<double>()), expected, expected * known);
      }
      for (const double error : {1.1, 7., 1e4}) {
        const double expected = 0.9 * std::pow(error, -1 / k);
        EXPECT_NEAR(law.after_reject(squared(error)), expected, expected * digits);
        EXPECT_NEAR(rough.after_reject(squared(error)), expected, expected * known);
      }
    }
}

void expect_law(const control_law& constants, double now, double before, double before_that) {
  step_size_settings settings = classical;
  settings.law = constants;
  settings.safety = 0.8;
  constexpr int k = 5;
  const step_size_law<double> law(settings, k - 1);
  for (const double e0 : {1e-4, 0.2, 1.})
    for (const double e1 : {1e-3, 0.4, 1.})
      for (const double e2 : {1e-2, 0.7, 1.}) {
        step_size_history<double> history;
        law.remember(history, true, squared(e2));
        law.remember(history, true, squared(e1));
        const double expected =
            0.8 * std::pow(e0, -now / k) * std::pow(e1, -before / k) * std::pow(e2, -before_that / k);
        EXPECT_NEAR(law.after_accept(squared(e0), history), expected, expected * digits);
      }
  // a rejected step proves the history wrong: the classical rule, whatever the law
  EXPECT_NEAR(law.after_reject(squared(10)), 0.8 * std::pow(10, -1. / k), digits);
}
TEST(step_size_law, of_two_errors_is_gustafssons) { expect_law(laws::pi, 0.7, -0.4, 0); }
TEST(step_size_law, of_three_errors_is_kennedy_and_carpenters) { expect_law(laws::pid, 0.49, -0.34, 0.10); }
TEST(step_size_law, of_one_error_forgets_the_others) { expect_law(laws::elementary, 1, 0, 0); }

/// An accepted step with a history of steps that were exactly right: the first law of its kind is the elementary one slowed.
TEST(step_size_law, starts_without_a_history_as_if_it_had_been_perfect) {
  step_size_settings settings = classical;
  settings.law = laws::pi;
  const step_size_law<double> law(settings, 4);
  EXPECT_NEAR(law.after_accept(squared(0.01), no_history<double>()), std::pow(0.01, -0.7 / 5), 3 * digits);
}

// The limits.

TEST(step_size_law, grows_and_shrinks_within_its_limits) {
  const step_size_law<double> law({.safety = 0.9, .shrink = 0.25, .grow = 3, .keep = 1}, 4);
  for (const double error : {0., 1e-300, 1e-20, 1e-8})
    EXPECT_NEAR(law.after_accept(squared(error), no_history<double>()), 3, 3 * digits) << error;
  for (const double error : {1e5, 1e20, 1e150}) EXPECT_NEAR(law.after_reject(squared(error)), 0.25, digits) << error;
  EXPECT_NEAR(law.after_reject(std::numeric_limits<double>::infinity()), 0.25, digits);
}

TEST(step_size_law, shrinks_where_the_error_is_no_number) {
  for (const double keep : {1., 1.7}) {
    const step_size_law<double> law({.keep = keep}, 4);
    EXPECT_LT(law.after_reject(std::nan("")), 0.5);
    EXPECT_GT(law.after_reject(std::nan("")), 0.1);
    EXPECT_FALSE(law.keeps(std::nan("")));
  }
}

/// However little the error exceeded its limit, a step tried again is shorter by the safety factor at least.
TEST(step_size_law, shrinks_by_the_safety_factor_at_least_after_a_rejected_step) {
  for (const double keep : {1., 1.7}) {
    const step_size_law<double> law({.safety = 0.9, .keep = keep}, 4);
    for (const double error : {1.0001, 1.01, 1.5}) EXPECT_LE(law.after_reject(squared(error)), 0.9 * (1 + digits));
  }
}

TEST(step_size_law, does_not_grow_right_after_a_rejected_step) {
  const step_size_law<double> law({}, 4);
  step_size_history<double> history;
  history.just_rejected = true;
  for (const double error : {1e-12, 1e-3, 0.01}) EXPECT_LE(law.after_accept(squared(error), history), 1);
  law.remember(history, true, 0.1);
  EXPECT_GT(law.after_accept(squared(1e-3), history), 1) << "the step after that may";
}

// The band within which a step is kept.

TEST(step_size_law, keeps_a_step_that_it_would_lengthen_by_less_than_the_band) {
  for (const int k : {2, 3, 5, 8}) {
    const step_size_law<double> law({.safety = 0.9, .keep = 1.7}, k - 1);
    const auto kept_where_the_law_says = [&](double factor) { return law.keeps(squared(std::pow(0.9 / factor, k))); };
    for (const double factor : {1., 1.2, 1.4, 1.69}) EXPECT_TRUE(kept_where_the_law_says(factor)) << factor;
    for (const double factor : {1.71, 2., 10., 1 / 1.7, 0.5}) EXPECT_FALSE(kept_where_the_law_says(factor)) << factor;
    EXPECT_FALSE(law.keeps(squared(1.0001))) << "an error that is too large";
  }
}

TEST(step_size_law, without_a_band_keeps_nothing) {
  const step_size_law<double> law({.keep = 1}, 4);
  for (const double error : {0., 1e-3, 0.59049, 0.9, 1.}) EXPECT_FALSE(law.keeps(squared(error)));
}

/// A change aims into the band: one change, and the step can be kept.
TEST(step_size_law, changes_a_step_into_the_band) {
  for (const int k : {2, 3, 5, 8}) {
    const step_size_law<double> law({.safety = 0.9, .shrink = 1e-6, .grow = 1e6, .keep = 1.7}, k - 1);
    for (const double error : {1e-6, 1e-3, 1e-2}) {
      if (law.keeps(squared(error))) continue;
      const double factor = law.after_accept(squared(error), no_history<double>());
      EXPECT_TRUE(law.keeps(squared(error * std::pow(factor, k)))) << "k = " << k << ", error " << error;
    }
    const double factor = law.after_reject(squared(20));
    EXPECT_TRUE(law.keeps(squared(20 * std::pow(factor, k))));
  }
}

/// The sizes that a run's steps were proposed with.
std::vector<double> proposals(double keep) {
  const auto circle = [](double, const vec<double, 2>& x, vec<double, 2>& dx) { dx[0] = x[1], dx[1] = -x[0]; };
  stepping_loop<decltype(circle), vec<double, 2>, dp54> run(circle, {1., 0.}, 0, dp54{}, {.control = {.keep = keep}});
  std::vector<double> sizes;
  for (int i = 0; i < 200; ++i) run.step_adaptive(infinity<double>), sizes.push_back(run.now.h);
  return sizes;
}
TEST(step_size_law, keeps_the_steps_of_a_smooth_run_bit_for_bit) {
  const auto kept = proposals(1.7), changed = proposals(1);
  EXPECT_LE(std::set(kept.begin(), kept.end()).size(), 10u);
  EXPECT_GE(std::set(changed.begin(), changed.end()).size(), 150u);
  EXPECT_EQ(kept[199], kept[100]);
}

// Runs of every method.

using settings = options<std::span<double>>;

/// On a circle every step errs alike.
constexpr auto circle = [](double, const auto& x, auto& dx) {
  dx[0] = x[1];
  dx[1] = -x[0];
};
const std::vector<double> on_the_circle{0., 1.};

/// Those of methods with a law of their own, and of those whose estimates hang on an iteration or on the step before, are judged by their
/// results (tests/implicit).
std::vector<const method_info*> methods_with_the_loops_law() {
  std::vector<const method_info*> found = tests::registered_adaptive_methods();
  std::erase_if(found, [](const method_info* method) { return method->chooses_steps || method->evaluations.iterates; });
  return found;
}

struct step_sizes : testing::TestWithParam<const method_info*> {
  static auto make(const settings& s) { return GetParam()->make(circle, on_the_circle, 0, s); }

  /// The lengths of the next steps.
  static std::vector<double> lengths(any_integrator& run, int count) {
    std::vector<double> result;
    for (int i = 0; i < count; ++i) {
      const double before = run.time();
      EXPECT_EQ(run.step(), outcome::finished) << run.message();
      result.push_back(run.time() - before);
    }
    return result;
  }
};

/// q, which the registry does not tell of explicit methods.
int estimate_order_of(const method_info& method) {
  int order = std::min(method.order, method.embedded_order());
  tests::for_each_method<tests::only<tests::estimates_error, tests::all_methods>>([&]<class Method> {
    if (method.name == Method::name) order = Method::table.estimate_order();
  });
  return order;
}

/// The length that steps settle at, by the classical rule.
double settled_step(const method_info& method, double allowed, error_per per) {
  step_size_settings rule = classical;
  rule.per = per;
  rule.safety = 0.9;
  const auto run = method.make(circle, on_the_circle, 0, {.rtol = 0., .atol = allowed, .control = rule});
  step_sizes::lengths(*run, 50);
  const double before = run->time();
  step_sizes::lengths(*run, 100);
  return (run->time() - before) / 100;
}

/// h ~ tolerance^(1/(q+1)) where the error of a step is held, tolerance^(1/q) where that of a unit of time is.
TEST_P(step_sizes, follow_the_tolerance_with_the_power_that_belongs_to_it) {
  for (const error_per per : {error_per::step, error_per::unit_step}) {
    const double ratio = settled_step(*GetParam(), 1e-9, per) / settled_step(*GetParam(), 1e-12, per);
    const int power = growth_power(estimate_order_of(*GetParam()), per);
    EXPECT_NEAR(std::log10(ratio) / 3 * power, 1, 0.05) << (per == error_per::step ? "per step" : "per unit of time");
  }
}

/// From half of it, one change leads to the step that the tolerance allows: the rule's exponent is the error's own.
TEST_P(step_sizes, are_right_after_one_change) {
  for (const error_per per : {error_per::step, error_per::unit_step}) {
    const double settled = settled_step(*GetParam(), 1e-11, per);
    step_size_settings rule = classical;
    rule.per = per;
    rule.safety = 0.9;
    const auto run = make({.rtol = 0., .atol = 1e-11, .control = rule, .first_step = settled / 2});
    EXPECT_NEAR(lengths(*run, 2)[1] / settled, 1, 0.03) << (per == error_per::step ? "per step" : "per unit of time");
  }
}

/// Errors allowed per unit of time add up to no more than that times the time.
TEST_P(step_sizes, by_error_per_unit_of_time_bound_the_error_at_the_end) {
  const auto run = make({.rtol = 0., .atol = 1e-4, .norm = norms::euclidean, .control = {.per = error_per::unit_step}});
  ASSERT_EQ(run->advance_to(10), outcome::finished);
  EXPECT_LT(std::hypot(run->state()[0] - std::sin(10.), run->state()[1] - std::cos(10.)), 10 * 1e-4);
}

TEST_P(step_sizes, never_exceed_the_longest_allowed) {
  const double longest = 1. / 64;  // a power of two: sums of it do not round
  const auto run = make({.rtol = 1e-2, .atol = 1e-2, .first_step = longest, .max_step = longest});
  for (const double length : lengths(*run, 100)) EXPECT_EQ(length, longest);
  const auto growing = make({.rtol = 1e-2, .atol = 1e-2, .first_step = 1e-5, .max_step = longest});
  const auto taken = lengths(*growing, 100);
  for (const double length : taken) EXPECT_LE(length, longest + epsilon<double> * growing->time());
  EXPECT_NEAR(taken.back(), longest, epsilon<double> * growing->time());
}

TEST_P(step_sizes, grow_by_the_largest_factor_at_most) {
  const auto run = make({.control = {.grow = 3, .keep = 1}, .first_step = 1e-9});
  const auto taken = lengths(*run, 20);
  for (std::size_t i = 1; i < taken.size(); ++i) EXPECT_LE(taken[i], 3 * taken[i - 1] * (1 + digits));
  EXPECT_NEAR(taken[1] / taken[0], 3, 3 * digits);
}

/// The attempts at a first step far too long, seen from f: each ends at t = 0 again and takes stages − 1 evaluations.
TEST_P(step_sizes, shrink_by_the_least_factor_at_most) {
  if (GetParam()->evaluations.differentiates) GTEST_SKIP() << "evaluations of differences are in between";
  std::vector<double> times;
  const auto recorded = [&times](double t, auto x, auto dx) {
    times.push_back(t);
    circle(t, x, dx);
  };
  const auto run =
      GetParam()->make(recorded, on_the_circle, 0, {.control = {.shrink = 0.5, .keep = 1}, .first_step = 40});
  ASSERT_EQ(run->step(), outcome::finished);
  const auto stages = static_cast<std::size_t>(GetParam()->evaluations.rejected);
  std::vector<double> reach;  // of each attempt: its latest stage
  for (std::size_t i = 1; i + stages <= times.size(); i += stages)
    reach.push_back(
        *std::max_element(times.begin() + static_cast<long>(i), times.begin() + static_cast<long>(i + stages)));
  ASSERT_GE(reach.size(), 3u);
  EXPECT_NEAR(reach[1] / reach[0], 0.5, digits);
  for (std::size_t i = 1; i < reach.size(); ++i) EXPECT_GE(reach[i] / reach[i - 1], 0.5 * (1 - digits));
}

/// A force that jumps rejects steps; the step after a rejected one is no longer than it.
TEST_P(step_sizes, do_not_grow_right_after_a_rejected_step) {
  const auto kicked = [](double t, auto x, auto dx) {
    dx[0] = x[1];
    dx[1] = std::fmod(t, 3) > 1.5 ? -20 * x[0] : -x[0];
  };
  const auto run = GetParam()->make(kicked, on_the_circle, 0, {.rtol = 1e-4, .atol = 1e-4});
  double last = 0;
  int seen = 0;
  for (bool just_rejected = false; run->time() < 20;) {
    const auto rejected = run->statistics().rejected;
    const double length = lengths(*run, 1)[0];
    if (just_rejected) {
      EXPECT_LE(length, last * (1 + 1e-12)) << "at t = " << run->time();
      ++seen;
    }
    just_rejected = run->statistics().rejected > rejected;
    last = length;
  }
  EXPECT_GT(seen, 3);
}

/// The band is no loss: what a run with it errs and costs is on the same line, error ~ cost^−p, as without it.
TEST_P(step_sizes, kept_in_a_band_are_as_good_as_the_laws_own) {
  double error[2], cost[2];
  for (const bool band : {false, true}) {
    const auto start = tests::swirl<double>::solution(0), end = tests::swirl<double>::solution(20);
    settings s{.rtol = 1e-6, .atol = 1e-6};
    if (!band) s.control.keep = 1;
    const auto run = GetParam()->make(
        [](double t, auto x, auto dx) {
          vec<double, 3> dense{};
          tests::swirl<double>()(t, {x[0], x[1], x[2]}, dense);
          std::copy(dense.begin(), dense.end(), dx.begin());
        },
        start, 0, s);
    ASSERT_EQ(run->advance_to(20), outcome::finished);
    error[band] = std::hypot(run->state()[0] - end[0], run->state()[1] - end[1], run->state()[2] - end[2]);
    cost[band] = static_cast<double>(run->statistics().evaluations);
  }
  const double at_equal_error = cost[1] / cost[0] * std::pow(error[1] / error[0], 1. / GetParam()->order);
  EXPECT_LT(at_equal_error, 1.25);
  EXPECT_GT(at_equal_error, 0.75);
}

INSTANTIATE_TEST_SUITE_P(method, step_sizes, testing::ValuesIn(methods_with_the_loops_law()),
                         tests::name_of_method);

}  // namespace
