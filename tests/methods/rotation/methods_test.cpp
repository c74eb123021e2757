/// What every method on rotations promises: its order, unit quaternions, momenta, counts, the inside of a step.
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/integrator.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/solve.hpp>

#include "support/methods.hpp"
#include "support/power.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace {

using namespace ensue;

/// A top in a pull that sways: its third axis, from the point it hangs on to its centre, feels n = R e₃ × F(t).
struct swaying_pull {
  template <class T> void operator()(const T& t, const quaternion<T>& q, vec<T, 3>& n) const {
    using std::cos, std::sin;
    n = cross(q.rotate({T(0), T(0), T(1)}), vec<T, 3>{T(0.3) * cos(t), T(0.2), -T(1) - T(0.5) * sin(T(2) * t)});
  }
};
template <class T> using driven = models::rigid_body<T, swaying_pull>;
template <class T> driven<T> top() { return {{T(0.7), T(1), T(0.4)}, {}}; }
template <class T> rotating_body<T> start() {
  return top<T>().spinning({T(0.5), T(-0.3), T(1.2)}, quaternion<T>::exp({T(0.4), T(0.8), T(-0.2)}));
}
constexpr double length = 2;

/// The same as seven plain numbers, followed tightly.
const rotating_body<double>& exact() {
  static const rotating_body<double> end = [] {
    const auto numbers = [](long double t, const vec<long double, 7>& x, vec<long double, 7>& dx) {
      const rotating_body<long double> b{x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
      const auto w = top<long double>().angular_velocity(b);
      vec<long double, 3> n;
      swaying_pull{}(t, b.orientation(), n);
      const auto v = b.velocity({w[0], w[1], w[2], n[0], n[1], n[2]});
      for (std::size_t i = 0; i < 7; ++i) dx[i] = v[i];
    };
    vec<long double, 7> x;
    for (std::size_t i = 0; i < 7; ++i) x[i] = start<long double>()[i];
    const auto run = solve(numbers, x, {0, length}, dop853{}, {.rtol = 1e-16L, .atol = 1e-16L});
    rotating_body<double> result;
    for (std::size_t i = 0; i < 7; ++i) result[i] = static_cast<double>(run.state[i]);
    return result;
  }();
  return end;
}

double distance(const rotating_body<double>& a, const rotating_body<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 7; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

template <class Method> struct on_rotations : testing::Test {};
TYPED_TEST_SUITE(on_rotations, tests::typed<tests::rotation_methods>);

template <class Method> constexpr int stated_order = stepper_of<Method, rotating_body<double>>::order();
template <class Method> constexpr int order_of_free = [] {
  if constexpr (requires { Method::order_without_torque; }) return Method::order_without_torque;
  else return stated_order<Method>;
}();
/// Those that turn a rigid body between kicks.
template <class Method> constexpr bool turns = has_free_turn<Method>;
constexpr double round_off(int n) { return 1e-14 + 1e-15 * n; }

TYPED_TEST(on_rotations, order_is_the_stated_one_under_a_torque) {
  const double order = tests::observed_power(
      length, 4000,
      [](int n) {
        stepping_loop<driven<double>, rotating_body<double>, TypeParam> run(top<double>(), start<double>(), 0, {}, {});
        run.advance_fixed(length, length / n);
        return run.reports[0].how == outcome::finished ? distance(run.now.x, exact()) : 1;  // moser-veselov has no steps of 1
      },
      [](int n) { return 10 * round_off(n); });
  EXPECT_NEAR(order, stated_order<TypeParam>, 0.2) << TypeParam::name;
  testing::Test::RecordProperty("order", std::to_string(order));
}

/// Without a torque, against the exact rotation, which has no order then.
TYPED_TEST(on_rotations, order_is_the_stated_one_for_a_free_body) {
  const models::rigid_body<double> body{{0.7, 1., 0.4}, {}};
  const auto x = body.spinning({0.5, -0.3, 1.2});
  const auto end = solve(body, x, {0, length}, free_rotation{}, {.step = length}).state;
  const auto error_after = [&](int n) {
    stepping_loop<models::rigid_body<double>, rotating_body<double>, TypeParam> run(body, x, 0, {}, {});
    run.advance_fixed(length, length / n);
    for (std::size_t i = 4; i < 7; ++i) EXPECT_EQ(run.now.x[i], x[i]) << "without a torque nobody touches the momentum";
    return run.reports[0].how == outcome::finished ? distance(run.now.x, end) : 1;
  };
  if (std::is_same_v<TypeParam, free_rotation>) {
    for (const int n : {1, 3, 10, 100}) EXPECT_LE(error_after(n), round_off(n));
  } else {
    EXPECT_NEAR(tests::observed_power(length, 4000, error_after, [](int n) { return 10 * round_off(n); }), order_of_free<TypeParam>, 0.2);
  }
}

/// 10⁶ steps, nothing renormalised: lengths wander by roundings, whichever way the body turns. (Fewer under sanitizers.)
TYPED_TEST(on_rotations, quaternions_stay_unit) {
  const models::rigid_body<double> ball{{1., 1., 1.}, {}}, body{{0.7, 1., 0.4}, {}};
  for (const auto& b : {ball, body}) {  // the ball's turn is the same in every step
    stepping_loop<models::rigid_body<double>, rotating_body<double>, TypeParam> run(b, b.spinning({0.5, -0.3, 1.2}), 0, {}, {});
    const double to = tests::sanitized ? 100 : 10000;
    run.advance_fixed(to, 1e-2);
    EXPECT_EQ(run.now.statistics.steps, static_cast<std::int64_t>(100 * to));
    EXPECT_LE(std::fabs(run.now.x.orientation().squared_norm() - 1), 1e-12) << TypeParam::name;
  }
}

/// One evaluation a step and one at the start for those that kick; a table's for the others.
TYPED_TEST(on_rotations, evaluations_are_counted_as_made) {
  struct counted {
    int* calls;
    void operator()(double t, const quaternion<double>& q, vec<double, 3>& n) const { ++*calls, swaying_pull{}(t, q, n); }
  };
  int calls = 0;
  const models::rigid_body<double, counted> body{{0.7, 1., 0.4}, {&calls}};
  const auto run = solve(body, start<double>(), {0, 1}, TypeParam{}, {.step = 0.01});
  ASSERT_TRUE(run.finished());
  EXPECT_EQ(run.statistics.evaluations, calls);
  if constexpr (turns<TypeParam>) EXPECT_EQ(calls, 101);
  else EXPECT_EQ(calls, 100 * TypeParam::table_on_group.stages);
}

/// Steps of symmetric methods, taken back, end where they began.
TYPED_TEST(on_rotations, symmetric_methods_go_back) {
  const auto x = start<double>();
  integrator sim{top<double>(), x, TypeParam{}, options<rotating_body<double>>{.step = 0.01}};
  sim.advance_to(10);
  sim.advance_to(0);
  if constexpr (turns<TypeParam>) EXPECT_LE(distance(sim.state(), x), 1e-12) << TypeParam::name;
  else EXPECT_GT(distance(sim.state(), x), 1e-9) << "not one of them";
}

/// Inside a step: a unit quaternion, and an error that falls with h^(dense order + 1).
TYPED_TEST(on_rotations, inside_of_a_step) {
  constexpr int order = stepper_of<TypeParam, rotating_body<double>>::dense_order;
  EXPECT_EQ(order, std::min(3, stated_order<TypeParam>));
  const models::rigid_body<double> body{{0.7, 1., 0.4}, {}};
  const auto x = body.spinning({0.5, -0.3, 1.2});
  const auto error_of = [&](double h) {
    integrator sim{body, x, TypeParam{}, options<rotating_body<double>>{.step = h}};
    sim.step();
    double worst = 0;
    for (const double theta : {0.2, 0.5, 0.8}) {
      rotating_body<double> inside;
      sim.interpolate(theta * h, inside);
      EXPECT_NEAR(inside.orientation().squared_norm(), 1, 1e-15);
      worst = std::max(worst, distance(inside, solve(body, x, {0, theta * h}, free_rotation{}, {.step = 1}).state));
    }
    rotating_body<double> end;
    sim.interpolate(h, end);
    EXPECT_EQ(end, sim.state());
    sim.interpolate(0, end);
    EXPECT_EQ(end, x);
    return worst;
  };
  const double observed = std::log2(error_of(0.02) / error_of(0.01));
  // Where a free turn is better than the order says, Hermite's error is all there is.
  const bool better = std::is_same_v<TypeParam, free_rotation> || order_of_free<TypeParam> > order;
  EXPECT_NEAR(observed, (better ? 3 : order) + 1, 0.2) << TypeParam::name;
}

/// The energy of a free body over 10⁵ steps: exact for two of them, bounded for the splitting, drifting for the others.
TEST(energy_of_a_free_body, ranks_the_methods) {
  const models::rigid_body<double> body{{0.7, 1., 0.4}, {}};
  const auto x = body.spinning({0.5, -0.3, 1.2});
  const auto worst = [&]<class Method>(const Method& method, double to) {
    double most = 0;
    integrator sim{body, x, method, options<rotating_body<double>>{.step = 0.05}};
    while (sim.time() < to) {
      sim.step();
      most = std::max(most, std::fabs(body.energy(sim.state()) / body.energy(x) - 1));
    }
    return most;
  };
  const double to = tests::sanitized ? 1000 : 5000;
  EXPECT_LE(worst(free_rotation{}, to), 1e-12);
  EXPECT_LE(worst(moser_veselov{}, to), 1e-12);
  EXPECT_LE(worst(moser_veselov4{}, to), 1e-12);
  const double early = worst(rotation_splitting{}, 50), late = worst(rotation_splitting{}, to);
  EXPECT_GT(early, 1e-6);
  EXPECT_LE(late, 1.1 * early);
  EXPECT_GT(worst(rkmk4{}, to), to / 100 * worst(rkmk4{}, 50));
}

/// A rotation alone, whose velocity is a given function of time: coning, for which the solution is known. With
/// ω = (Ω sin β cos Ωt …) the body's axis describes a cone: q = exp(Ωt e₃)·exp(β e₁)·exp(−Ωt e₃).
TEST(rkmk4, follows_a_gyroscope) {
  constexpr double speed = 3, tilt = 0.4;
  struct gyroscope {
    void tangent(double t, const quaternion<double>&, vec<double, 3>& w) const {
      const auto tilted = quaternion<double>::exp({tilt, 0., 0.}), back = quaternion<double>::exp({0., 0., -speed * t});
      const auto axis = (tilted * back).rotate_back({0., 0., speed});
      w = {axis[0], axis[1], axis[2] - speed};
    }
  };
  const auto solution = [](double t) {
    return quaternion<double>::exp({0., 0., speed * t}) * quaternion<double>::exp({tilt, 0., 0.}) * quaternion<double>::exp({0., 0., -speed * t});
  };
  const auto error_after = [&](int n) {
    const auto run = solve(gyroscope{}, solution(0), {0, 2}, rkmk4{}, {.step = 2. / n});
    const auto off = (run.state.conjugate() * solution(2)).log();
    return std::sqrt(dot(off, off));
  };
  EXPECT_NEAR(tests::observed_power(2, 2000, error_after, [](int n) { return 10 * round_off(n); }), 4, 0.2);
}

/// A step so long that no discrete rotation has this momentum ends with a reason, not with a guess.
TEST(moser_veselov, says_where_it_has_no_solution) {
  const models::rigid_body<double> body{{0.7, 1., 0.4}, {}};
  const auto run = solve(body, body.spinning({50., -30., 120.}), {0, 1}, moser_veselov{}, {.step = 0.1});
  EXPECT_EQ(run.outcome, outcome::state_not_finite) << run.message();
  EXPECT_EQ(run.t, 0);
  // Nor is the torque asked for where the body is not.
  struct nowhere {
    void operator()(double, const quaternion<double>& q, vec<double, 3>& n) const {
      EXPECT_EQ(q[0], q[0]);
      n = {0., 0., 0.};
    }
  };
  const models::rigid_body<double, nowhere> pulled{{0.7, 1., 0.4}, {}};
  EXPECT_EQ(solve(pulled, pulled.spinning({50., -30., 120.}), {0, 1}, moser_veselov{}, {.step = 0.1}).outcome, outcome::state_not_finite);
}

/// What the model says wrong is said of the model.
TEST(torques, that_are_not_finite_are_named) {
  struct broken {
    void operator()(double t, const quaternion<double>&, vec<double, 3>& n) const { n = {0., t > 0.5 ? std::nan("") : 0., 0.}; }
  };
  const models::rigid_body<double, broken> body{{0.7, 1., 0.4}, {}};
  const auto check = [&](const auto& run) {
    EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << run.message();
    EXPECT_EQ(run.ending[0].component, 5);
    EXPECT_NEAR(run.t, 0.5, 1e-12);
  };
  check(solve(body, body.spinning({0.5, -0.3, 1.2}), {0, 1}, moser_veselov{}, {.step = 0.1}));
  check(solve(body, body.spinning({0.5, -0.3, 1.2}), {0, 1}, free_rotation{}, {.step = 0.1}));
  check(solve(body, body.spinning({0.5, -0.3, 1.2}), {0, 1}, rkmk4{}, {.step = 0.1}));
}

}  // namespace
