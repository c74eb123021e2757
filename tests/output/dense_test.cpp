/// The inside of a step: its order, observed, and its ends.
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/output/events.hpp>

#include "support/methods.hpp"
#include "support/power.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using namespace ensue;

using scalar = long double;
using state = vec<scalar, 3>;
using model = tests::swirl<scalar>;
constexpr double allowed = 0.3;
constexpr int starts = 8;
constexpr double length = 2;

/// How a step comes about whose inside is looked at: each from the exact solution at its start.
enum class after { start, truncation, set_state, event };

template <class Method> integrator<model, state, Method> step_from(scalar t, scalar h, after what) {
  const auto exact = model::solution(t);
  const auto from = [&](scalar time, const state& x, scalar step) {
    return integrator<model, state, Method>(problem<model, state>{{}, x, {time, time}}, Method{},
                                            options<state>{.step = std::abs(step)});
  };
  switch (what) {
    case after::start: {
      auto sim = from(t, exact, h);
      sim.step_towards(t + h);
      return sim;
    }
    case after::truncation: {
      auto sim = from(t, exact, 3 * h);
      sim.step_towards(t + h);
      return sim;
    }
    case after::set_state: {
      auto sim = from(t - h, {1, 2, 3}, h);
      sim.step_towards(t);
      sim.set_state(t, exact);
      sim.step_towards(t + h);
      return sim;
    }
    case after::event: break;
  }
  auto sim = from(t - h / 3, model::solution(t - h / 3), h);
  event back_on_track{[&](scalar time, const state&) { return time - t; },
                      change([&](scalar, state& x) { x = exact; })};
  observe(sim, t + h, events{back_on_track});
  EXPECT_EQ(sim.statistics().steps, 2);
  return sim;
}

/// Root mean square, over the starts, of the largest error inside a step of length h (negative: backwards).
template <class Method> double error_inside(scalar h, after what) {
  double sum = 0;
  for (int k = 0; k < starts; ++k) {
    const scalar t = static_cast<scalar>(model::period * k / starts);
    auto sim = step_from<Method>(t, h, what);
    EXPECT_EQ(sim.time(), t + h);
    double largest = 0;
    for (int part = 0; part <= 8; ++part) {
      state x;
      sim.interpolate(t + h * part / 8, x);
      const state exact = model::solution(t + h * part / 8);
      for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, std::abs(static_cast<double>(x[i] - exact[i])));
    }
    sum += largest * largest;
  }
  return std::sqrt(sum / starts);
}

template <class Method> struct dense_output : testing::Test {
  static constexpr int stated = stepper_of<Method, state>::dense_order;
};
TYPED_TEST_SUITE(dense_output, tests::typed<tests::tested_methods>);

TYPED_TEST(dense_output, has_the_order_stated) {
  for (const after what : {after::start, after::truncation, after::set_state, after::event})
    for (const int direction : {1, -1}) {
      const double power = tests::observed_power(
          length, 2000,
          [=](int n) { return error_inside<TypeParam>(direction * static_cast<scalar>(length) / n, what); },
          [](int) { return 32 * static_cast<double>(epsilon<scalar>); });
      EXPECT_NEAR(power - 1, TestFixture::stated, allowed)
          << TypeParam::name << (direction < 0 ? " backwards" : " forwards") << ", case " << static_cast<int>(what);
      if (what == after::start)
        this->RecordProperty(direction < 0 ? "order_backwards" : "order", std::to_string(power - 1));
    }
}

double ulps(double a, double b) {
  return std::abs(a - b) /
         (std::nextafter(std::max(std::abs(a), std::abs(b)), INFINITY) - std::max(std::abs(a), std::abs(b)));
}

/// At its ends a step is what the run says, from either side.
TYPED_TEST(dense_output, does_not_jump_at_the_nodes) {
  for (const double end : {5., -5.})
    for (const double fixed : {0., 0.17}) {
      if (fixed == 0 && !stepper_of<TypeParam, state>::may_estimate) continue;
      options<vec<double, 3>> s;
      s.step = fixed;
      s.rtol = 1e-5;
      integrator sim{tests::swirl<double>{}, tests::swirl<double>::solution(0), TypeParam{}, s};
      double jump = 0, t = 0;
      vec<double, 3> before = sim.state(), at;
      while (sim.time() != end) {
        ASSERT_EQ(sim.step_towards(end), outcome::finished) << sim.message();
        sim.interpolate(t, at);
        for (int i = 0; i < 3; ++i) jump = std::max(jump, ulps(at[i], before[i]));
        sim.interpolate(sim.time(), at);
        for (int i = 0; i < 3; ++i) jump = std::max(jump, ulps(at[i], sim.state()[i]));
        before = sim.state();
        t = sim.time();
      }
      EXPECT_LE(jump, 4) << TypeParam::name << " to " << end << ", step " << fixed;
    }
}

/// What the extra stages cost, and that nobody pays for them who does not ask.
TYPED_TEST(dense_output, costs_nothing_until_it_is_asked_for) {
  using stepper = stepper_of<TypeParam, vec<double, 3>>;
  options<vec<double, 3>> s;
  s.step = 0.1;
  integrator sim{tests::swirl<double>{}, tests::swirl<double>::solution(0), TypeParam{}, s};
  integrator unasked = sim;
  vec<double, 3> x;
  for (int i = 0; i < 10; ++i) sim.step(), unasked.step();
  EXPECT_EQ(sim.statistics().evaluations, unasked.statistics().evaluations);
  sim.interpolate(sim.time() - 0.05, x);
  const auto once = sim.statistics().evaluations;
  sim.interpolate(sim.time() - 0.02, x);
  EXPECT_EQ(sim.statistics().evaluations, once);
  const int end = stepper::end == end_derivative::next_step ? 1 : 0;
  EXPECT_EQ(once - unasked.statistics().evaluations, end + stepper::extra_stages_of_dense);
  sim.step(), unasked.step();
  EXPECT_EQ(sim.statistics().evaluations - unasked.statistics().evaluations, stepper::extra_stages_of_dense);
  EXPECT_EQ(sim.state(), unasked.state());
}

/// f has no value in an extra stage, or at the end: the interpolant is a lower one, not a wrong one, and the run has ended as it had.
TYPED_TEST(dense_output, is_sound_where_f_is_not) {
  bool defined = true;
  const auto f = [&](double t, const vec<double, 3>& x, vec<double, 3>& dx) {
    tests::swirl<double>{}(t, x, dx);
    if (!defined) dx[0] = std::nan("");
    return true;
  };
  options<vec<double, 3>> s;
  s.step = 0.1;
  integrator sim{f, tests::swirl<double>::solution(0), TypeParam{}, s};
  sim.step();
  defined = false;
  vec<double, 3> x;
  sim.interpolate(0.05, x);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(x[i], tests::swirl<double>::solution(0.05)[i], TypeParam::table.order < 2 ? 2e-2 : 1e-3);
  EXPECT_EQ(sim.ending().how, outcome::finished);
}

}  // namespace
