/// Condensed steps against the textbook's formula, solved densely; constraints, handles, compression, how they end.
#include "models/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/methods/implicit/linearly_implicit_euler.hpp>
#include <ensue/integrator.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/solve.hpp>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest / largest_of(b);
}

spring_net stiff_net() { return lattice({.across = 4, .down = 4, .spacing = 0.1, .mass = 0.02, .stiffness = 1e4}); }
constexpr condensed_linearly_implicit_euler to_rounding{{.linear = 1e-15}};

/// Stretched, so that exact derivatives are definite.
std::vector<double> stretched(const spring_net& net) {
  std::vector<double> x = disturbed(net.positions, 0.005, 4);
  for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] *= 1.2;
  return x;
}

TEST(condensed, agrees_with_the_dense_formula) {
  const auto net = stiff_net();
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}, .drag = 0.05}, springs(net.springs), anchors({{9, {0, 0, 1}, 100, 0.1}}));
  model.fix(0);
  model.keep_in_plane(5, {1, 2, 3});
  const auto x = stretched(net);
  const auto condensed = solve(model, x, {0, 0.01}, to_rounding, {.step = 0.01});
  const auto dense = solve(model, x, {0, 0.01}, linearly_implicit_euler{}, {.step = 0.01});
  ASSERT_TRUE(condensed.finished()) << condensed.message();
  ASSERT_TRUE(dense.finished()) << dense.message();
  EXPECT_LT(difference(condensed.state, dense.state), 1e-12);
}

/// What damping along springs has of the other part is left out of the matrix: no force, no torque comes of it.
TEST(condensed, conserves_momenta_of_damped_springs) {
  const auto net = lattice({.across = 4, .down = 4, .spacing = 0.1, .mass = 0.02, .stiffness = 1e4, .damping = 3});
  const particle_system model(net.masses, {}, springs(net.springs));
  const auto x = stretched(net);
  const auto run = solve(model, x, {0, 0.1}, condensed_linearly_implicit_euler{{.linear = 1e-12}}, {.step = 0.01});
  ASSERT_TRUE(run.finished()) << run.message();
  const point before = model.momentum(x), after = model.momentum(run.state);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(after[c], before[c], 1e-11);
}

TEST(condensed, backward_euler_solves_its_equations) {
  const auto net = lattice({.across = 4, .down = 4, .spacing = 0.1, .mass = 0.02, .stiffness = 1e4, .damping = 3});
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
  model.fix(0);
  const auto x = disturbed(net.positions, 0.03, 4);  // compressed here, stretched there
  const double h = 0.02;
  const auto run = solve(model, x, {0, h}, condensed_backward_euler{{.linear = 1e-8, .nonlinear = 1e-12}}, {.step = h});
  ASSERT_TRUE(run.finished()) << run.message();
  const std::size_t n = x.size() / 2;
  const std::vector<double> f = forces_of(model, std::vector<double>(run.state.begin(), run.state.end()));
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(run.state[i], x[i] + h * run.state[n + i], 1e-14);
    EXPECT_NEAR(run.state[n + i], x[n + i] + h * f[i] / model.mass(i / 3), 1e-8);
  }
}

TEST(condensed, has_order_one) {
  const auto net = lattice({.across = 3, .down = 3, .spacing = 0.1, .mass = 0.02, .stiffness = 40, .damping = 0.2});
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
  model.move(0, [](double t) { return point{std::cos(3 * t), 0, 0}; });
  const auto x = stretched(net);
  const auto error = [&](const auto& method, double step) {
    const auto coarse = solve(model, x, {0, 0.25}, method, {.step = step}), fine = solve(model, x, {0, 0.25}, method, {.step = step / 8});
    EXPECT_TRUE(coarse.finished()) << coarse.message();
    return difference(coarse.state, fine.state);
  };
  EXPECT_NEAR(std::log2(error(to_rounding, 1. / 1024) / error(to_rounding, 1. / 2048)), 1, 0.1);
  constexpr condensed_backward_euler iterated{};
  EXPECT_NEAR(std::log2(error(iterated, 1. / 1024) / error(iterated, 1. / 2048)), 1, 0.1);
}

TEST(condensed, a_handle_goes_where_it_is_told) {
  const auto net = stiff_net();
  particle_system model(net.masses, {}, springs(net.springs));
  model.move(3, [](double) { return point{0, 0, 2}; });
  std::vector<double> x = at_rest(net.positions);
  const auto run = solve(model, x, {0, 0.5}, condensed_backward_euler{}, {.step = 1e-3});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_NEAR(run.state[11], 0.25, 1e-3);  // t²
  EXPECT_EQ(run.state[9], x[9]);
  EXPECT_NEAR(run.state[x.size() / 2 + 11], 1, 1e-12);
}

/// Pressed together to half its length: exact derivatives are not definite there.
TEST(condensed, goes_on_where_springs_are_compressed) {
  const auto net = stiff_net();
  const particle_system model(net.masses, {.drag = 0.1}, springs(net.springs));
  std::vector<double> x = disturbed(net.positions, 0.001, 9);
  for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] *= 0.5;
  const double start = model.energy(x);
  for (const auto& run : {solve(model, x, {0, 0.5}, condensed_linearly_implicit_euler{}, {.step = 1. / 60}),
                          solve(model, x, {0, 0.5}, condensed_backward_euler{}, {.step = 1. / 60})}) {
    ASSERT_TRUE(run.finished()) << run.message();
    EXPECT_LT(model.energy(run.state), start);
  }
}

/// A net of 576 particles, whose products have two parts.
TEST(condensed, threads_change_no_bit) {
  const auto net = lattice({.across = 24, .down = 24, .spacing = 0.1, .mass = 0.02, .stiffness = 1e4, .damping = 1});
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
  model.fix(0), model.fix(23);
  const auto after = [&](unsigned threads) {
    return solve(model, at_rest(net.positions), {0, sanitized ? 1. / 60 : 0.05}, condensed_backward_euler{{.threads = threads}}, {.step = 1. / 60});
  };
  const auto alone = after(1), together = after(2);
  ASSERT_TRUE(alone.finished()) << alone.message();
  EXPECT_EQ(alone.state, together.state);
}

/// The first change of a step may be less than the rounding of a position that is far away, and is all there is of a velocity.
TEST(condensed, falls_also_where_positions_are_large_and_steps_short) {
  const particle_system<> model({1.}, {.gravity = {0, 0, -9.81}});
  const auto run = solve(model, std::vector<double>{1e5, 0, 0, 0, 0, 0}, {0, 1e-2}, condensed_backward_euler{}, {.step = 1e-5});
  EXPECT_NEAR(run.state[5], -9.81e-2, 1e-9);
}

TEST(condensed, holds_what_is_fixed_on_the_way) {
  const auto expect_held = [](auto method) {
    const auto net = stiff_net();
    integrator sim{particle_system(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs)), at_rest(net.positions), method, options<std::vector<double>>{.step = 0.01}};
    sim.system().fix(0);
    sim.advance(0.1);
    EXPECT_EQ(sim.state()[2], net.positions[0][2]) << method.name;
  };
  expect_held(condensed_linearly_implicit_euler{});
  expect_held(condensed_backward_euler{});
}

TEST(condensed, says_that_its_equations_were_not_solved) {
  const auto net = stiff_net();
  const particle_system model(net.masses, {}, springs(net.springs));
  const auto run = solve(model, disturbed(net.positions, 0.3, 4), {0, 1}, condensed_backward_euler{{.nonlinear = 0, .most_iterations = 2}}, {.step = 1});
  EXPECT_EQ(run.outcome, outcome::equations_not_solved);
  EXPECT_EQ(run.t, 0);
}

}  // namespace
