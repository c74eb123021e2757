/// Methods for second-order systems over every kind of number: duals see a symplectic map, lanes are runs alone.
#include "models.hpp"

#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace ensue;
using tests::henon_heiles;

/// Largest element of MᵀΩM − Ω, where M is the derivative of n steps with respect to where they started.
template <class Method> double symplectic_defect(int steps, double h) {
  using number = dual<double, 4>;
  vec<number, 4> start;
  for (std::size_t i = 0; i < 4; ++i) start[i] = number::variable(tests::henon_heiles_start[i], static_cast<int>(i));
  integrator sim{henon_heiles{}, start, Method{}, options<vec<number, 4>>{.step = h}};
  for (int n = 0; n < steps; ++n) sim.step();
  double m[4][4], largest = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) m[i][j] = sim.state()[i].derivative[j];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 2; ++k) sum += m[k][i] * m[k + 2][j] - m[k + 2][i] * m[k][j];
      const double omega = j == i + 2 ? 1 : i == j + 2 ? -1 : 0;
      largest = std::max(largest, std::abs(sum - omega));
    }
  return largest;
}

template <class Method> struct second_order_types : testing::Test {};
TYPED_TEST_SUITE(second_order_types, tests::typed<tests::tested_second_order_methods>);

TYPED_TEST(second_order_types, are_symplectic_where_they_say_so) {
  using stepper = stepper_of<TypeParam, vec<double, 4>>;
  const double defect = symplectic_defect<TypeParam>(10, 0.2);
  if (stepper::symplectic) {
    EXPECT_LT(defect, 1e-12) << TypeParam::name;
  }
  EXPECT_GT(symplectic_defect<rk4>(10, 0.2), 1e-8) << "RK4 is not";
}

/// Each lane with its own start, step and span, one of them backwards, ending one after the other; then further.
TYPED_TEST(second_order_types, run_lanes_as_if_alone) {
  constexpr int lanes = 4;
  using number = pack<double, lanes>;
  const double ends[lanes] = {3, 1.05, -2, 2.5}, further[lanes] = {3.4, 2, -2.3, 2.5}, steps[lanes] = {0.1, 0.25, 0.04, 0.3};
  vec<number, 4> start;
  number to(0), then(0);
  options<vec<number, 4>> settings;
  settings.compensated = true;
  for (int l = 0; l < lanes; ++l) {
    for (std::size_t i = 0; i < 4; ++i) set_lane(start[i], l, tests::henon_heiles_start[i] * (1 + 0.1 * l));
    set_lane(to, l, ends[l]);
    set_lane(then, l, further[l]);
    set_lane(settings.step, l, steps[l]);
  }
  integrator together{henon_heiles{}, start, TypeParam{}, settings};
  together.advance_to(to);
  together.advance_to(then);
  for (int l = 0; l < lanes; ++l) {
    vec<double, 4> one;
    for (std::size_t i = 0; i < 4; ++i) one[i] = lane(start[i], l);
    integrator alone{henon_heiles{}, one, TypeParam{}, options<vec<double, 4>>{.step = steps[l], .compensated = true}};
    alone.advance_to(ends[l]);
    alone.advance_to(further[l]);
    EXPECT_EQ(alone.ending().how, outcome::finished);
    for (std::size_t i = 0; i < 4; ++i) {
      const double x = lane(together.state()[i], l);
      EXPECT_EQ(std::memcmp(&x, &alone.state()[i], sizeof x), 0) << TypeParam::name << ", lane " << l << ": " << x << " " << alone.state()[i];
    }
    EXPECT_EQ(lane(together.statistics().evaluations, l), alone.statistics().evaluations);
  }
}

/// The acceleration is asked for by positions, velocities and time of one moment, through every kind of state.
TEST(second_order_systems, are_seen_as_the_state_would_have_it) {
  struct plain {
    void acceleration(double, const vec<double, 1>& q, const vec<double, 1>& v, vec<double, 1>& a) const { a[0] = -q[0] - v[0]; }
  };
  struct viewed {
    void acceleration(double, std::span<const double> q, std::span<const double> v, std::span<double> a) const { a[0] = -q[0] - v[0]; }
  };
  const auto fixed = solve(plain{}, vec{1., 0.}, {0, 2}, semi_implicit_euler{}, {.step = 0.01});
  const auto dynamic = solve(viewed{}, std::vector{1., 0.}, {0, 2}, semi_implicit_euler{}, {.step = 0.01});
  EXPECT_EQ(fixed.state[0], dynamic.state[0]);
  EXPECT_EQ(fixed.state[1], dynamic.state[1]);
  const auto first_order = solve(plain{}, vec{1., 0.}, {0, 2}, dp54{}, {.rtol = 1e-10, .atol = 1e-12});
  const double exact = std::exp(-1.) * (std::cos(std::sqrt(3.)) + std::sin(std::sqrt(3.)) / std::sqrt(3.));
  EXPECT_NEAR(first_order.state[0], exact, 1e-9);
  EXPECT_NEAR(fixed.state[0], exact, 1e-2);
}

TEST(second_order_systems, that_do_not_fit_are_refused_with_a_sentence) {
  const std::vector start{1., 0.};
  const auto refused = [&](const char* name, const system_function& f) -> std::string {
    try {
      find_method(name)->make(f, start, 0, {.step = 0.1});
      return "";
    } catch (const std::invalid_argument& why) {
      return why.what();
    }
  };
  const system_function decay = [](double, auto x, auto dx) { dx[0] = -x[0], dx[1] = -x[1]; };
  EXPECT_NE(refused("verlet", decay).find("verlet is for second-order systems"), std::string::npos) << refused("verlet", decay);
  EXPECT_EQ(refused("verlet", tests::henon_heiles{}), "");
  struct dragged {
    void acceleration(double, std::span<const double> q, std::span<const double> v, std::span<double> a) const { a[0] = -q[0] - v[0]; }
  };
  EXPECT_NE(refused("yoshida8", dragged{}).find("depends on positions alone"), std::string::npos) << refused("yoshida8", dragged{});
  for (const char* name : {"semi-implicit-euler", "lagged(verlet)", "predicted(verlet)", "dp54"}) EXPECT_EQ(refused(name, dragged{}), "") << name;
  // A force that says itself what it depends on.
  struct speaking : dragged {
    force_of force() const { return force_of::position; }
  };
  EXPECT_EQ(refused("verlet", speaking{}), "");
}

}  // namespace
