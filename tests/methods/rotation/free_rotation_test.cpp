/// The exact rotation of a free body: against tight runs over its numbers, and closed forms where there are some.
#include <ensue/numbers/dual.hpp>
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/methods/rotation/free_rotation.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace ensue;
using body = models::rigid_body<double>;
using placed = rotating_body<double>;

/// The angle between two orientations.
double angle_between(const quaternion<double>& a, const quaternion<double>& b) {
  const auto u = (a.conjugate() * b).log();
  return std::sqrt(dot(u, u));
}

placed turned_exactly(const body& b, const placed& x, double h) {
  return placed::of(x.orientation().turned(free_rotation::turn(h, b.inertia(), x.body_momentum())), x.angular_momentum());
}

/// Euler's equations and the quaternion's as seven plain numbers.
struct as_numbers {
  vec<long double, 3> inertia;
  void operator()(long double, const vec<long double, 7>& x, vec<long double, 7>& dx) const {
    const rotating_body<long double> b{x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
    const auto m = b.body_momentum();
    const auto v = b.velocity({m[0] / inertia[0], m[1] / inertia[1], m[2] / inertia[2], 0.L, 0.L, 0.L});
    for (std::size_t i = 0; i < 7; ++i) dx[i] = v[i];
  }
};
placed turned_tightly(const body& b, const placed& x, double h) {
  vec<long double, 7> start;
  for (std::size_t i = 0; i < 7; ++i) start[i] = x[i];
  const vec<double, 3>& i = b.inertia();
  const auto run = solve(as_numbers{{i[0], i[1], i[2]}}, start, {0, h}, dop853{}, {.rtol = 1e-17L, .atol = 1e-17L});
  EXPECT_TRUE(run.finished()) << run.message();
  placed end;
  for (std::size_t k = 0; k < 7; ++k) end[k] = static_cast<double>(run.state[k]);
  return end;
}

/// How far rounding may take a step: the error of the start, 1e-16, grows near the middle axis as e^(λt).
double allowed(const body& b, const placed& x, double h) {
  const auto w = b.angular_velocity(x);
  const double speed = std::sqrt(dot(w, w)) * std::fabs(h);
  return 1e-15 * (3 + speed) * std::exp(std::min(20., speed));
}

TEST(free_rotation, agrees_with_tight_runs_on_both_sides_of_the_separatrix) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> inertia(0.2, 1.2), exponent(-4, 0.7);
  std::normal_distribution<double> normal;
  int about_least = 0, about_greatest = 0;
  for (int n = 0; n < 300; ++n) {
    body b{{inertia(random), inertia(random), inertia(random)}};
    auto& i = b.principal_inertia;
    if (n % 6 == 1) i[1] = i[0];                           // a top
    if (n % 6 == 2) i[0] = i[1] = i[2];                    // a ball
    if (n % 6 == 3) i[2] = i[1] * (1 + 1e-9);              // nearly a top
    if (n % 6 == 4) i = {0.5, 0.5 * (1 + 1e-9), 0.5 * (1 - 1e-9)};  // nearly a ball
    vec<double, 3> w{normal(random), normal(random), normal(random)};
    if (n % 6 == 5) w[static_cast<std::size_t>(n) % 3] *= 1e-8;
    if (n % 7 == 0) w = {0., 0., 0.}, w[static_cast<std::size_t>(n) % 3] = 1.5;  // along an axis
    const double h = (n % 2 ? 1 : -1) * std::pow(10., exponent(random));
    const placed x = b.spinning(w, quaternion<double>::exp({normal(random), normal(random), normal(random)}));
    EXPECT_LE(angle_between(turned_exactly(b, x, h).orientation(), turned_tightly(b, x, h).orientation()), allowed(b, x, h))
        << "inertia " << i[0] << ' ' << i[1] << ' ' << i[2] << " spin " << w[0] << ' ' << w[1] << ' ' << w[2] << " h " << h;
    const double middle = std::max(std::min(i[0], i[1]), std::min(std::max(i[0], i[1]), i[2])), m2 = dot(x.angular_momentum(), x.angular_momentum());
    (2 * b.energy(x) * middle > m2 ? about_least : about_greatest)++;
  }
  EXPECT_GT(about_least, 50);
  EXPECT_GT(about_greatest, 50);
}

/// Many half periods in one step are as many small steps.
TEST(free_rotation, takes_steps_of_many_periods) {
  for (const vec<double, 3>& w : {vec{2., 0.3, 0.2}, vec{0.2, 0.3, 2.}, vec{0.1, 1., 0.1}, vec{0.2, 1., 0.7}}) {
    const body b{{0.3, 0.5, 0.9}};
    const placed x = b.spinning(w, quaternion<double>::exp({1., 2., -0.4}));
    for (const double h : {7., 31., 100., -100.}) {
      placed y = x;
      for (int i = 0; i < 64; ++i) y = turned_exactly(b, y, h / 64);
      EXPECT_LE(angle_between(turned_exactly(b, x, h).orientation(), y.orientation()), 1e-11) << w[0] << ' ' << h;
    }
  }
}

/// A symmetric top: the body turns about its own axis at (1/I₃ − 1/I₁)·m₃ while its axis precesses about L at |L|/I₁.
TEST(free_rotation, of_a_symmetric_top_is_two_turns) {
  for (const double i3 : {0.2, 0.9})
    for (const double h : {0.01, 1., 50.}) {
      const body b{{0.5, 0.5, i3}};
      const placed x = b.spinning({0.4, -0.3, 1.1}, quaternion<double>::exp({0.2, 0.1, -0.5}));
      const auto momentum = x.angular_momentum(), m = x.body_momentum();
      const auto precession = quaternion<double>::exp({momentum[0] * h / 0.5, momentum[1] * h / 0.5, momentum[2] * h / 0.5});
      const auto spin = quaternion<double>::exp({0., 0., h * m[2] * (1 / i3 - 1 / 0.5)});
      EXPECT_LE(angle_between(turned_exactly(b, x, h).orientation(), precession * x.orientation() * spin), 1e-15 * (4 + 4 * h));
    }
}

/// On the separatrix 2T·I₂ = L² the momentum is (sech, tanh, sech) times constants, and does not come back.
TEST(free_rotation, on_the_separatrix_is_hyperbolic) {
  const double a1 = 1 / 0.25, a2 = 1 / 0.5, a3 = 1 / 1.;  // exact in binary, and so is what follows: (a₁ − a₂)m₁² = (a₂ − a₃)m₃²
  const body b{{0.25, 0.5, 1.}};
  const double m1 = 1, m3 = std::sqrt(2.), L = std::sqrt(3.), rate = L * std::sqrt((a1 - a2) * (a2 - a3));
  const placed x = b.spinning({a1 * m1, 0., a3 * m3});
  // m₂' = (a₁ − a₃)m₃m₁ > 0. Behind t = 5 the rounding of √2 shows.
  for (const double t : {0.1, 1., 2., 4.}) {
    const auto m = turned_exactly(b, x, t).body_momentum();
    EXPECT_NEAR(m[1], L * std::tanh(rate * t), 1e-14 * std::exp(rate * t)) << t;
    EXPECT_NEAR(m[0], m1 / std::cosh(rate * t), 1e-15 * std::exp(rate * t)) << t;
    EXPECT_NEAR(m[2], m3 / std::cosh(rate * t), 1e-15 * std::exp(rate * t)) << t;
  }
}

TEST(free_rotation, stays_where_nothing_turns) {
  const body b{{0.3, 0.5, 0.9}};
  const placed x = b.spinning({0., 0., 0.}, quaternion<double>::exp({1., 2., 3.}));
  EXPECT_EQ(turned_exactly(b, x, 5), x);
}

TEST(free_rotation, period_is_that_of_the_body) {
  for (const vec<double, 3>& w : {vec{2., 0.3, 0.2}, vec{0.2, 0.3, 2.}, vec{0.2, 1., 0.7}, vec{-0.1, 0.3, -2.}}) {
    const body b{{0.3, 0.5, 0.9}};
    const placed x = b.spinning(w);
    const double period = b.period(x);
    const auto after = b.angular_velocity(turned_exactly(b, x, period)), half = b.angular_velocity(turned_exactly(b, x, period / 2));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after[i], w[i], 2e-14);
    EXPECT_NEAR(half[1], -w[1], 2e-14) << "half of it turns the middle component round";
  }
  // A top: 2π over the speed of its own turn. A ball and the middle axis: never.
  const body top{{0.5, 0.5, 0.2}};
  EXPECT_NEAR(top.period(top.spinning({0.4, 0.3, 1.})), 4 * std::acos(0.) / (0.2 * (1 / 0.2 - 1 / 0.5)), 1e-14);
  const body ball{{0.5, 0.5, 0.5}};
  EXPECT_EQ(ball.period(ball.spinning({1., 2., 3.})), infinity<double>);
  const body box{{0.3, 0.5, 0.9}};
  EXPECT_EQ(box.period(box.spinning({0., 1., 0.})), infinity<double>);
}

/// The step's derivative by its length is the velocity at its end: dual numbers go through the elliptic functions.
TEST(free_rotation, differentiates) {
  using D = dual<double, 1>;
  const vec<double, 3> inertia{0.3, 0.5, 0.9}, m{0.2, -0.5, 1.1};
  const auto q = free_rotation::turn(D::variable(1.3), {D(0.3), D(0.5), D(0.9)}, {D(m[0]), D(m[1]), D(m[2])});
  const quaternion<double> value{q[0].value, q[1].value, q[2].value, q[3].value};
  const auto seen = value.rotate_back(m);
  const auto velocity = value.velocity({seen[0] / inertia[0], seen[1] / inertia[1], seen[2] / inertia[2]});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q[i].derivative[0], velocity[i], 1e-14);
}

TEST(free_rotation, in_float_and_long_double) {
  const auto in = free_rotation::turn(1.3L, {0.3L, 0.5L, 0.9L}, {0.2L, -0.5L, 1.1L});
  const auto d = free_rotation::turn(1.3, {0.3, 0.5, 0.9}, {0.2, -0.5, 1.1});
  const auto f = free_rotation::turn(1.3f, {0.3f, 0.5f, 0.9f}, {0.2f, -0.5f, 1.1f});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(d[i], static_cast<double>(in[i]), 2e-15);
    EXPECT_NEAR(f[i], static_cast<double>(in[i]), 1e-6);
  }
}

}  // namespace
