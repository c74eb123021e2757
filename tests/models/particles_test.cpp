/// Particles and springs: forces, energies and derivatives against each other, physics against numbers, scenes that are wrong.
#include "models/support.hpp"

#include <ensue/linear/dense.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/second_order/semi_implicit_euler.hpp>
#include <ensue/second_order/verlet.hpp>
#include <ensue/solve.hpp>

#include <numbers>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

spring_net small_net(double damping) { return lattice({.across = 4, .down = 3, .spacing = 0.5, .mass = 0.1, .stiffness = 30, .damping = damping, .bending = 7}); }

TEST(particles, forces_are_the_gradient_of_the_energy) {
  const auto net = small_net(0);
  const particle_system model(net.masses, {.gravity = {0.1, 0.2, -9.81}}, springs(net.springs), anchors({{3, {1, 2, 3}, 5, 0.7}}));
  for (const double by : {0.05, 0.4, 3.}) EXPECT_LT(gradient_mismatch(model, disturbed(net.positions, by, 1)), 1e-12) << by;  // compressed, turned over
}

struct shear_flow {
  template <class S> vec<S, 3> operator()(double t, const vec<S, 3>& x, const vec<S, 3>& v) const {
    return {0.3 * (x[1] * x[1] - v[0]) + t, sin(x[0]) * v[2], x[2] * v[1]};
  }
};

TEST(particles, blocks_are_the_derivative_of_the_forces) {
  const auto net = small_net(0.6);
  const particle_system model(net.masses, {.gravity = {0, 0, -9.81}, .drag = 0.2, .mass_damping = 0.4}, springs(net.springs),
                              anchors({{3, {1, 2, 3}, 5, 0.7, 0.3}}), field(shear_flow{}));
  for (const double by : {0.05, 0.4, 3.})
    for (const std::uint64_t seed : {1u, 2u, 3u}) EXPECT_LT(block_mismatch(model, disturbed(net.positions, by, seed), seed + 7, 0.3), 1e-12) << by;
}

TEST(particles, definite_blocks_are) {
  const auto net = small_net(0.6);
  const particle_system model(net.masses, {.drag = 0.2}, springs(net.springs));
  const auto x = disturbed(net.positions, 0.4, 5);
  EXPECT_GT(least_curvature(model, x, true), -1e-15);
  EXPECT_GT(least_curvature(model, x, false), -1e-15);
}

TEST(particles, springs_conserve_momenta) {
  const auto net = small_net(0.6);
  const particle_system model(net.masses, {}, springs(net.springs));
  EXPECT_LT(momentum_change(model, disturbed(net.positions, 0.4, 2)), 1e-14);
}

TEST(particles, two_in_one_place_have_finite_forces_and_blocks) {
  const particle_system model({1, 1}, {}, springs({{0, 1, 10, 1, 2}}), anchors({{0, {0, 0, 0}, 1, 2, 3}}));
  const std::vector<double> x(12, 0.);
  for (const double f : forces_of(model, x)) EXPECT_EQ(f, 0);
  std::vector<double> d(6, 0.), none(6, 0.);
  d[0] = 1;
  directional_receiver blocks{d, none, std::vector<double>(6, 0.)};
  model.blocks(0, std::span<const double>(x).first(6), std::span<const double>(x).last(6), force_derivatives::exact, blocks);
  EXPECT_EQ(blocks.change[0], -11);
  EXPECT_EQ(blocks.change[3], 10);
}

TEST(particles, constraints_leave_what_they_say) {
  const auto net = small_net(0);
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
  model.fix(0);
  model.keep_in_plane(1, {0, 0, 2});
  model.keep_on_line(2, {1, 1, 0});
  model.move(3, [](double t) { return point{t, 2, 0}; });
  const auto x = disturbed(net.positions, 0.1, 3);
  std::vector<double> a(x.size() / 2);
  std::span<double> out(a);
  model.acceleration(0.5, std::span<const double>(x).first(a.size()), std::span<const double>(x).last(a.size()), out);
  EXPECT_EQ(at<double>(a, 0), (point{0, 0, 0}));
  EXPECT_EQ(a[5], 0);
  EXPECT_NEAR(a[6], a[7], 1e-12);
  EXPECT_NE(a[6], 0);
  EXPECT_EQ(a[8], 0);
  EXPECT_EQ(at<double>(a, 3), (point{0.5, 2, 0}));
}

/// The whole f' against dual numbers, a column at a time, constraints included.
TEST(particles, jacobian_is_the_derivative_of_the_whole_state) {
  const auto net = small_net(0.5);
  particle_system model(net.masses, {.drag = 0.1}, springs(net.springs));
  model.fix(0);
  model.keep_in_plane(5, {1, 2, 3});
  const auto x = disturbed(net.positions, 0.2, 3);
  const std::size_t n = x.size() / 2;
  linear::dense_matrix<double> j(2 * n);
  j.clear();
  model.jacobian(0, x, j);
  const linear::sparsity_pattern pattern = model.jacobian_pattern();
  using number = dual<double, 1>;
  std::vector<number> moved(x.begin(), x.end()), dx(2 * n);
  for (std::size_t column = 0; column < 2 * n; ++column) {
    moved[column].derivative[0] = 1;
    evaluate(model, 0., moved, dx);
    moved[column].derivative[0] = 0;
    for (std::size_t row = 0; row < 2 * n; ++row) {
      ASSERT_NEAR(j(row, column), dx[row].derivative[0], 1e-9) << row << ", " << column;
      ASSERT_TRUE(j(row, column) == 0 || pattern.position(row, column) != linear::sparsity_pattern::absent) << row << ", " << column;
    }
  }
}

// ---- physics ----

/// A standing wave on a chain of n masses between fixed ends, along the chain: ω = 2√(k/m) sin(κa/2), κa = πj/(n + 1).
TEST(particles, a_chain_swings_with_the_frequency_of_its_dispersion) {
  constexpr std::size_t n = 40;
  const auto net = chain({.particles = n + 2, .length = n + 1, .mass = n + 2, .stiffness = 9});
  particle_system model(net.masses, {}, springs(net.springs));
  model.fix(0), model.fix(n + 1);
  for (const int mode : {1, 10, 35}) {
    const double half_phase = std::numbers::pi * mode / (n + 1) / 2, omega = 2 * 3 * std::sin(half_phase);
    std::vector<double> x = at_rest(net.positions);
    for (std::size_t i = 1; i <= n; ++i) x[3 * i] += 1e-3 * std::sin(2 * half_phase * static_cast<double>(i));
    const auto run = solve(conservative(model), x, {0, 2 * std::numbers::pi / omega}, verlet{}, {.step = 1e-3});
    ASSERT_TRUE(run.finished());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(run.state[i], x[i], 1e-7) << mode << ", " << i;  // after one period
  }
}

/// Verlet's h < 2/ω_max, which for a long chain is √(m/k).
TEST(particles, a_chain_is_stable_up_to_the_step_that_is_said_of_it) {
  constexpr std::size_t n = 100;
  const auto net = chain({.particles = n, .length = n - 1, .mass = n, .stiffness = 4});
  const conservative model(particle_system(net.masses, {}, springs(net.springs)));
  std::vector<double> x = at_rest(net.positions);
  for (std::size_t i = 0; i < n; ++i) x[3 * i] += i % 2 ? 1e-6 : -1e-6;
  const double limit = std::sqrt(1. / 4), start = model.model().energy(x);
  const auto energy_after = [&](double step) { return model.model().energy(solve(model, x, {0, 400}, verlet{}, {.step = step}).state); };
  EXPECT_LT(energy_after(0.99 * limit), 100 * start);
  EXPECT_GT(energy_after(1.01 * limit), 1e6 * start);
}

/// A chain that can hardly be stretched, hung between two points, at rest at last: y = a cosh(x/a). With span 1 and length L the sag follows from
/// 2a sinh(1/(2a)) = L.
TEST(particles, a_hanging_chain_becomes_a_catenary) {
  constexpr std::size_t n = 61;
  const double length = 1.5;
  const auto net = chain({.particles = n, .length = length, .mass = 1, .stiffness = 2e5, .damping = 1});
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}, .mass_damping = 8}, springs(net.springs));
  model.fix(0), model.fix(n - 1);
  double low = 0.1, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double a = (low + high) / 2;
    (2 * a * std::sinh(1 / (2 * a)) > length ? low : high) = a;
  }
  const double a = low, sag = a * (std::cosh(1 / (2 * a)) - 1);
  std::vector<double> x(6 * n, 0.);  // from a triangle
  for (std::size_t i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) / (n - 1);
    x[3 * i] = s, x[3 * i + 2] = -2 * std::min(s, 1 - s) * std::sqrt(length * length - 1) / 2;
  }
  const auto run = solve(model, x, {0, 3}, semi_implicit_euler{}, {.step = 2e-4});
  ASSERT_TRUE(run.finished());
  EXPECT_LT(model.kinetic_energy(run.state), 1e-6);
  EXPECT_NEAR(-run.state[3 * (n / 2) + 2], sag, 2e-3 * sag);
  for (std::size_t i = 0; i < n; ++i) {
    const double at_x = run.state[3 * i] - 0.5;
    EXPECT_NEAR(run.state[3 * i + 2], a * (std::cosh(at_x / a) - std::cosh(0.5 / a)), 2e-3) << i;
  }
}

// ---- scenes that are wrong ----

TEST(particles, wrong_scenes_are_refused_with_the_number_of_the_element) {
  const double nan = std::nan("");
  const spring good = {0, 1, 1, 1};
  const auto with = [](spring wrong) { return complaint([&] { particle_system({1, 1}, {}, springs({{0, 1, 1, 1}, wrong})); }); };
  EXPECT_EQ(complaint([&] { particle_system({1, 0}, {}, springs({good})); }), "ensue: particle 1: its mass is 0, expected a positive number");
  EXPECT_EQ(complaint([&] { particle_system({nan}, {}); }), "ensue: particle 0: its mass is nan, expected a positive number");
  EXPECT_EQ(with({0, 1, -5, 1}), "ensue: spring 1: its stiffness is -5, expected a number that is not negative");
  EXPECT_EQ(with({0, 1, 1, nan}), "ensue: spring 1: its rest length is nan, expected a number that is not negative");
  EXPECT_EQ(with({0, 7, 1, 1}), "ensue: spring 1: there is no particle 7, expected one of 0 to 1");
  EXPECT_EQ(with({1, 1, 1, 1}), "ensue: spring 1: it joins particle 1 to itself");
  EXPECT_NE(complaint([&] { particle_system({1}, {.gravity = {nan, 0, 0}}); }), "");
  EXPECT_NE(complaint([&] { particle_system({1}, {.drag = -1}); }), "");
  EXPECT_NE(complaint([&] { particle_system({1}, {}, anchors({{0, {0, nan, 0}, 1}})); }), "");
  EXPECT_NE(complaint([&] { particle_system({1}, {}).fix(1); }), "");
  EXPECT_NE(complaint([&] { particle_system({1}, {}).keep_in_plane(0, {0, 0, 0}); }), "");
  EXPECT_NE(complaint([&] { chain({.particles = 1, .length = 1, .mass = 1, .stiffness = 1}); }), "");
  EXPECT_NE(complaint([&] { conservative(particle_system({1}, {.drag = 1})); }), "");
}

TEST(particles, a_mesh_becomes_springs_along_its_edges) {
  const vec<std::size_t, 3> triangles[] = {{0, 1, 2}, {2, 1, 3}};
  const auto net = net_of_mesh({{0, 0, 0}, {3, 0, 0}, {0, 4, 0}, {3, 4, 0}}, triangles, 1, 10);
  ASSERT_EQ(net.springs.size(), 5u);
  EXPECT_EQ(net.springs[2].rest_length, 5);
  EXPECT_EQ(complaint([&] { net_of_mesh({{0, 0, 0}, {3, 0, 0}, {0, 4, 0}}, triangles, 1, 10); }),
            "ensue: triangle 1: there is no particle 3, expected one of 0 to 2");
}

}  // namespace
