/// Gravity: Kepler's ellipse, momenta, lanes against one at a time, the restricted three-body problem.
#include "models/support.hpp"
#include "support/restricted_three_body.hpp"

#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/models/n_body.hpp>
#include <ensue/methods/second_order/rkn1210.hpp>
#include <ensue/solve.hpp>

#include <numbers>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

/// Two bodies of masses 0.75 and 0.25 around their centre: relative motion with e = 0.6, period 2π.
TEST(n_body, two_bodies_move_as_kepler_says) {
  const n_body<double> pair({0.75, 0.25});
  const std::vector<double> x = {-0.1, 0, 0, 0.3, 0, 0, 0, -0.5, 0, 0, 1.5, 0};
  const auto run = solve(pair, x, {0, 2 * std::numbers::pi}, rkn1210{}, {.rtol = 1e-13, .atol = 1e-14});
  ASSERT_TRUE(run.finished()) << run.message();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(run.state[i], x[i], 1e-10) << i;
  EXPECT_NEAR(pair.energy(x), -0.5 * 0.75 * 0.25, 1e-15);
  EXPECT_NEAR(pair.angular_momentum(x)[2], 0.8 * 0.75 * 0.25, 1e-15);
  EXPECT_NEAR(pair.energy(run.state), pair.energy(x), 1e-13);
}

std::vector<double> cloud(std::size_t bodies) { return random_vector<double>(6 * bodies, 3); }

TEST(n_body, bodies_in_lanes_are_attracted_as_one_alone) {
  constexpr std::size_t bodies = 19;  // two registers and three
  const n_body<double> all(std::vector<double>(bodies, 0.5), {.gravitation = 2});
  const auto x = cloud(bodies);
  std::vector<double> a(3 * bodies);
  all.acceleration(0., std::span<const double>(x).first(3 * bodies), a);
  for (std::size_t i = 0; i < bodies; ++i) {
    point sum = {0, 0, 0};
    for (std::size_t j = 0; j < bodies; ++j) {
      const point d = at<double>(std::span<const double>(x), j) - at<double>(std::span<const double>(x), i);
      if (j != i) sum = sum + (1 / std::pow(dot(d, d), 1.5)) * d;
    }
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a[3 * i + c], sum[c], 1e-12 * largest_of(a)) << i;
  }
}

TEST(n_body, forces_are_the_gradient_of_the_energy_and_have_no_sum) {
  constexpr std::size_t bodies = 9;
  std::vector<double> masses;
  for (std::size_t i = 0; i < bodies; ++i) masses.push_back(1 + 0.3 * static_cast<double>(i));
  const n_body<double> all(masses, {.gravitation = 1.3, .softening = 0.1});
  const auto x = cloud(bodies);
  std::vector<double> a(3 * bodies);
  all.acceleration(0., std::span<const double>(x).first(3 * bodies), a);
  using number = dual<double, 1>;
  std::vector<number> moved(x.begin(), x.end());
  point force = {0, 0, 0};
  for (std::size_t i = 0; i < 3 * bodies; ++i) {
    moved[i].derivative[0] = 1;
    EXPECT_NEAR(masses[i / 3] * a[i], -all.energy(moved).derivative[0], 1e-12 * largest_of(a));
    moved[i].derivative[0] = 0;
    force[i % 3] += masses[i / 3] * a[i];
  }
  EXPECT_LT(largest_of(force), 1e-12 * largest_of(a));
}

TEST(n_body, bodies_in_one_place_leave_each_other_alone) {
  const n_body<double> two({1, 1});
  std::vector<double> q(6, 0.25), a(6);
  two.acceleration(0., q, a);
  EXPECT_EQ(largest_of(a), 0);
}

TEST(n_body, wrong_masses_are_refused) {
  EXPECT_THROW(n_body<double>({1, -1}), std::invalid_argument);
  EXPECT_THROW(n_body<double>({std::nan("")}), std::invalid_argument);
  EXPECT_THROW(n_body<double>({1}, {.softening = -1}), std::invalid_argument);
}

/// R. F. Arenstorf's orbit as in Hairer, Nørsett & Wanner, Solving ODEs I, (0.1), closes; Jacobi's integral stays.
TEST(restricted_three_body, arenstorfs_orbit_closes) {
  const restricted_three_body<double> moon{0.012277471};
  const vec<double, 4> start = {0.994, 0., 0., -2.00158510637908252240537862224};
  const auto run = solve(moon, start, {0, 17.0652165601579625588917206249}, dop853{}, {.rtol = 1e-13, .atol = 1e-13});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(run.state[0], start[0], 1e-6);
  EXPECT_NEAR(run.state[1], start[1], 1e-6);
  EXPECT_NEAR(moon.jacobi_integral(run.state), moon.jacobi_integral(start), 1e-9);
}

}  // namespace
