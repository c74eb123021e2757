/// The order of every method, observed: fixed steps, refined until round-off takes over.
///
/// - An error is the root mean square over eight starts, so that it cannot vanish by accident where a component crosses the
///   exact one, and so that the product of the first term and the second, of varying sign, averages out.
/// - Rounding errors of n steps add up as a random walk does: ε√n. Eight times that is above round-off.
#include <ensue/step/loop.hpp>
#include <ensue/methods.hpp>

#include "support/kinds.hpp"
#include "support/methods.hpp"
#include "support/power.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using namespace ensue;

constexpr double allowed = 0.2;
constexpr int starts = 8;
constexpr double length = 2;  // of the intervals, in time

/// Root mean square, over the starts, of the error after n steps.
template <class Method, class T> double error_after(int n, bool backwards) {
  double sum = 0;
  for (int k = 0; k < starts; ++k) {
    T from = static_cast<T>(tests::swirl<T>::period * k / starts), to = from + static_cast<T>(length);
    if (backwards) std::swap(from, to);
    // The loop itself rather than `solve`: the adaptive half need not be compiled 28 times.
    stepping_loop<tests::swirl<T>, vec<T, 3>, Method> run({}, tests::swirl<T>::solution(from), from, {}, {});
    run.advance_fixed(to, static_cast<T>(length) / static_cast<T>(n));
    EXPECT_EQ(run.reports[0].how, outcome::finished);
    EXPECT_EQ(run.now.statistics.steps, n);
    const auto exact = tests::swirl<long double>::solution(to);
    for (std::size_t i = 0; i < 3; ++i) {
      const double error = static_cast<double>(run.now.x[i] - exact[i]);
      sum += error * error;
    }
  }
  return std::sqrt(sum / starts);
}

template <class Method> inline constexpr int stated_order = stepper_of<Method, vec<double, 3>>::order();

template <class Method, class T> void expect_its_order(const char* property) {
  const auto round_off = [](int n) { return 8 * static_cast<double>(epsilon<T>) * std::sqrt(n); };
  for (const bool backwards : {false, true}) {
    const double order = tests::observed_power(length, 2000, [=](int n) { return error_after<Method, T>(n, backwards); }, round_off);
    EXPECT_NEAR(order, stated_order<Method>, allowed) << Method::name << (backwards ? " backwards" : " forwards");
    testing::Test::RecordProperty(std::string(property) + (backwards ? "_backwards" : ""), std::to_string(order));
  }
}

template <class Method> struct order : testing::Test {};
TYPED_TEST_SUITE(order, tests::typed<tests::tested_methods>);

TYPED_TEST(order, is_the_one_stated_in_double) { expect_its_order<TypeParam, double>("double"); }

TYPED_TEST(order, is_the_one_stated_in_long_double) { expect_its_order<TypeParam, long double>("long_double"); }

/// Seven digits leave no room between the truncation errors of order 5 and round-off.
template <class Method> struct shows_in_float : std::bool_constant<(stated_order<Method> <= 4)> {};
template <class Method> struct order_of_the_lower : testing::Test {};
TYPED_TEST_SUITE(order_of_the_lower, tests::typed<tests::only<shows_in_float>>);

TYPED_TEST(order_of_the_lower, is_the_one_stated_in_float) { expect_its_order<TypeParam, float>("float"); }

/// The error estimate of a step grows as h^(q+1), with q what the table says of its embedded rows. A controller whose
/// exponent does not fit the estimate would show in no other test of accuracy.
template <class Method> struct error_estimate : testing::Test {};
TYPED_TEST_SUITE(error_estimate, tests::typed<tests::only<tests::estimates_error>>);

template <class Method> double estimate_of_a_step(double h) {
  using state = vec<double, 3>;
  tests::swirl<double> f;
  error_measure<state> absolute(0., 1., norms::euclidean, 3);
  double sum = 0;
  for (int k = 0; k < starts; ++k) {
    const double t = tests::swirl<double>::period * k / starts;
    const state x = tests::swirl<double>::solution(t);
    explicit_stepper<Method, state> stepper(Method{}, x);
    std::int64_t evaluations = 0;
    stepper.derivative(f, t, x);
    stepper.attempt(f, t, t + h, h, x, true, evaluations);
    sum += stepper.squared_error(x, h, absolute);
  }
  return std::sqrt(sum / starts);
}

TYPED_TEST(error_estimate, grows_with_the_power_of_h_that_the_controller_uses) {
  // Nothing adds up in one step, and its rounding errors, of the size of ε·h, are smaller than ε.
  const double power = tests::observed_power(
      length, 2000, [](int n) { return estimate_of_a_step<TypeParam>(length / n); }, [](int) { return 8 * epsilon<double>; });
  EXPECT_NEAR(power, TypeParam::table.estimate_order() + 1, allowed) << TypeParam::name;
  this->RecordProperty("power", std::to_string(power));
}

}  // namespace
