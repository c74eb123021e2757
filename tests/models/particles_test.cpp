/// Particles and springs: forces, energies and derivatives against each other, scenes that are wrong. (Physics against
/// numbers: vibrations_test.cpp.)
#include "models/support.hpp"

#include <ensue/linear/dense.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/solve.hpp>

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
