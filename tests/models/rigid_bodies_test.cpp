/// Rigid bodies on springs: energy and momenta, textbooks' pendulums, bodies of meshes, the group, scenes that are wrong.
#include "models/support.hpp"

#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/models/rigid_bodies.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/models/shapes.hpp>
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/solve.hpp>

#include <numbers>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

rigid_body_shape box_shape(const point& size, double density) {
  const auto mesh = box({.cells = {1, 1, 1}, .size = size});
  return rigid_shape_of(mesh.positions, surface_of(mesh), density);
}

/// Two boxes, corner to corner on a spring, thrown and spinning.
struct pair_on_a_spring {
  rigid_bodies bodies;
  std::vector<double> start;

  explicit pair_on_a_spring(double damping = 0)
      : bodies({box_shape({0.3, 0.4, 0.5}, 20).body, box_shape({0.2, 0.2, 0.6}, 40).body},
               {{0, 1, {0.25, 0.2, 0.15}, {-0.3, 0.1, -0.1}, 40, 0.5, damping}}),
        start(bodies.start({body_motion{{0, 0, 0}, quaternion<double>::exp({0.3, 0.5, 0}), {0, -1, 0.2}, {1, 2, 0.5}},
                            body_motion{{1.3, 0, 0}, quaternion<double>::exp({0, 1, 0.2}), {0.3, 0.5, 0}, {0, -3, 1}}})) {}
};

double distance(const point& a, const point& b) {
  const point d = a - b;
  return std::sqrt(dot(d, d));
}

TEST(rigid_bodies, on_a_spring_keep_energy_and_momenta) {
  const pair_on_a_spring pair;
  const auto run = solve(pair.bodies, pair.start, {0, 10}, dop853{}, {.rtol = 1e-12, .atol = 1e-12});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(pair.bodies.energy(run.state) / pair.bodies.energy(pair.start), 1, 1e-10);
  EXPECT_LT(distance(pair.bodies.momentum(run.state), pair.bodies.momentum(pair.start)), 1e-13);
  EXPECT_LT(distance(pair.bodies.angular_momentum(run.state), pair.bodies.angular_momentum(pair.start)), 1e-10);
  EXPECT_GT(std::fabs(pair.bodies.kinetic_energy(run.state) - pair.bodies.kinetic_energy(pair.start)), 1e-3) << "the spring did nothing";
  EXPECT_GT(distance(pair.bodies.motion(run.state, 0).spin, pair.bodies.motion(pair.start, 0).spin), 0.1) << "it turned nothing";
}

TEST(rigid_bodies, damping_takes_energy_and_no_momentum) {
  const pair_on_a_spring pair(2);
  const auto run = solve(pair.bodies, pair.start, {0, 10}, dop853{}, {.rtol = 1e-10, .atol = 1e-10});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_LT(pair.bodies.energy(run.state), 0.95 * pair.bodies.energy(pair.start));
  EXPECT_LT(distance(pair.bodies.momentum(run.state), pair.bodies.momentum(pair.start)), 1e-13);
  EXPECT_LT(distance(pair.bodies.angular_momentum(run.state), pair.bodies.angular_momentum(pair.start)), 1e-9);
}

/// As numbers and on the group: the same motion; there, a quaternion keeps its length to rounding.
TEST(rigid_bodies, move_on_the_group_as_in_numbers) {
  const pair_on_a_spring pair;
  const auto numbers = solve(pair.bodies, pair.start, {0, 2}, dop853{}, {.rtol = 1e-12, .atol = 1e-12});
  const auto error = [&](double step) {
    const auto run = solve(pair.bodies, rigid_motion<double, 2>::of(pair.start), {0, 2}, rkmk4{}, {.step = step});
    EXPECT_TRUE(run.finished()) << run.message();
    double largest = 0, length = 0;
    for (std::size_t i = 0; i < pair.start.size(); ++i) largest = std::max(largest, std::fabs(run.state[i] - numbers.state[i]));
    for (std::size_t c = 3; c < 7; ++c) length += run.state[c] * run.state[c];
    EXPECT_NEAR(length, 1, 1e-13);
    return largest;
  };
  EXPECT_NEAR(std::log2(error(0.002) / error(0.001)), 4, 0.2);
}

/// Without springs: the benchmark's thrown box, whose energy is known, and whose spin comes back after one period.
TEST(rigid_bodies, a_thrown_box_tumbles_as_it_does_alone) {
  const auto shape = box_shape({0.1, 0.4, 0.9}, 10 / (0.1 * 0.4 * 0.9));
  const rigid_bodies one({shape.body}, {}, {}, {0, 0, thrown_box::gravity});
  const point spin = thrown_box::spin();
  const auto start = one.start({body_motion{{0, 0, 0}, shape.axes, thrown_box::speed(), spin}});
  EXPECT_NEAR(one.energy(start), 368.546417, 1e-6);  // scpeters/benchmark
  constexpr double period = 6.056844158007826;
  const auto run = solve(one, start, {0, period}, dop853{}, {.rtol = 1e-12, .atol = 1e-12});
  const body_motion then = one.motion(run.state, 0);
  EXPECT_LT(distance(then.orientation.rotate_back(then.spin), shape.axes.rotate_back(spin)), 1e-7);
  EXPECT_NEAR(then.position[2], 8 * period - 4.9 * period * period, 1e-9);
}

/// Hung by its end on a stiff, short spring, a rod swings as the compound pendulum: T = 2π√((I + m l²)/(m g l)), a little more for its swing.
TEST(rigid_bodies, a_hanging_rod_is_a_compound_pendulum) {
  const double length = 1, mass = 2, gravity = 9.81;
  const auto shape = box_shape({0.01, 0.01, length}, mass / (0.01 * 0.01 * length));
  const point top = shape.to_body({0.005, 0.005, length});
  const rigid_bodies rod({shape.body}, {}, {{0, top, {0, 0, 0}, 1e7}}, {0, 0, -gravity});
  const quaternion<double> tilt = quaternion<double>::exp({0.01, 0, 0}), orientation = tilt * shape.axes;
  const point hanging = orientation.rotate(top);
  const auto start = rod.start({body_motion{{-hanging[0], -hanging[1], -hanging[2] - mass * gravity / 1e7}, orientation}});
  const double moment = mass * (length * length + 1e-4) / 12 + mass * length * length / 4;
  const double period = 2 * std::numbers::pi * std::sqrt(moment / (mass * gravity * length / 2));
  const auto run = solve(rod, start, {0, period / 4}, dop853{}, {.rtol = 1e-10, .atol = 1e-12});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(rod.motion(run.state, 0).position[1] / start[1], 0, 1e-3);
}

TEST(rigid_bodies, forces_and_torques_of_others_act) {
  rigid_bodies one(std::vector<body>{{2, {1, 1, 1}}});
  one.add([](double t, std::size_t, const body_motion&, point& force, point& torque) { force[0] += 6 * t, torque[2] += 3; });
  const auto run = solve(one, one.start({body_motion{}}), {0, 2}, dop853{}, {.rtol = 1e-10, .atol = 1e-10});
  EXPECT_NEAR(run.state[0], 4, 1e-9);  // t³/2
  EXPECT_NEAR(one.motion(run.state, 0).spin[2], 6, 1e-9);
  EXPECT_NEAR(2 * std::atan2(run.state[6], run.state[3]), 6, 1e-8);  // 3t²/2
}

TEST(rigid_bodies, wrong_ones_are_refused_with_their_number) {
  const body good{1, {1, 1, 1}};
  EXPECT_EQ(complaint([&] { rigid_bodies({good, {0, {1, 1, 1}}}); }), "ensue: body 1: its mass is 0, expected a positive number");
  EXPECT_EQ(complaint([&] { rigid_bodies(std::vector<body>{{1, {1, -1, 1}}}); }), "ensue: body 0: its moment of inertia is -1, expected a positive number");
  EXPECT_EQ(complaint([&] { rigid_bodies({good}, {{0, 3, {}, {}, 1}}); }), "ensue: spring 0: there is no body 3, expected one of 0 to 0");
  EXPECT_EQ(complaint([&] { rigid_bodies({good, good}, {{0, 1, {}, {}, 1}, {1, 0, {}, {}, -2}}); }),
            "ensue: spring 1: its stiffness is -2, expected a number that is not negative");
  EXPECT_EQ(complaint([&] { rigid_bodies({good}, {{0, 0, {}, {}, 1}}); }), "ensue: spring 0: it joins body 0 to itself");
  EXPECT_NE(complaint([&] { rigid_bodies({good}, {}, {{0, {std::nan(""), 0, 0}, {}, 1}}); }), "");
}

}  // namespace
