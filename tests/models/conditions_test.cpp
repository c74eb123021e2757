/// Baraff and Witkin's cloth: forces, energies and derivatives against each other, what its stiffnesses mean, long steps.
#include "models/support.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/models/conditions.hpp>
#include <ensue/solve.hpp>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

triangle_mesh small_sheet() { return sheet({.across = 3, .down = 2, .width = 1.2, .height = 0.9}); }
condition_material stiff(double damping) { return {.stretch = 50, .shear = 8, .bend = 0.3, .damping = damping}; }
constexpr double disturbances[] = {0.02, 0.3, 2};  // the second crushes triangles, the third turns some over

TEST(conditions, forces_are_the_gradient_of_the_energy) {
  const auto mesh = small_sheet();
  const auto model = conditioned_cloth(mesh, stiff(0));
  for (const double by : disturbances) EXPECT_LT(gradient_mismatch(model, disturbed(mesh.positions, by, 1)), 1e-11) << by;
}

TEST(conditions, blocks_are_the_derivative_of_the_forces) {
  const auto mesh = small_sheet();
  const auto model = conditioned_cloth(mesh, stiff(0.2));
  for (const double by : disturbances) EXPECT_LT(block_mismatch(model, disturbed(mesh.positions, by, 2), 7), 1e-11) << by;
}

TEST(conditions, definite_blocks_are) {
  const auto mesh = small_sheet();
  const auto model = conditioned_cloth(mesh, stiff(0.2));
  for (const double by : disturbances)
    for (const bool along_positions : {true, false}) EXPECT_GT(least_curvature(model, disturbed(mesh.positions, by, 3), along_positions), -1e-13) << by;
}

TEST(conditions, conserve_momenta) {
  const auto mesh = small_sheet();
  const auto model = conditioned_cloth(mesh, stiff(0.2), {.gravity = {0, 0, 0}});
  for (const double by : disturbances) EXPECT_LT(momentum_change(model, disturbed(mesh.positions, by, 3)), 1e-12) << by;
}

/// Pulled along the warp, ½ k·strain² an area; sheared by a small angle, ½ k·angle²; rolled to a radius R, ½ D/R². At rest there is no force.
TEST(conditions, stiffness_is_what_is_said) {
  const auto mesh = sheet({.across = 40, .down = 40, .width = 1, .height = 1});
  const auto model = conditioned_cloth(mesh, {.stretch = 300, .shear = 40, .bend = 0.7}, {.gravity = {0, 0, 0}});
  const auto rest = at_rest(mesh.positions);
  EXPECT_LT(largest_of(forces_of(model, rest)), 1e-10);
  const auto energy_of = [&](const auto& change) {
    auto x = rest;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) change(x.data() + 3 * i);
    return model.potential_energy(x);
  };
  constexpr double small = 1e-4, radius = 10;
  EXPECT_NEAR(energy_of([&](double* p) { p[0] *= 1 + small; }) / (0.5 * 300 * small * small), 1, 1e-6);
  EXPECT_NEAR(energy_of([&](double* p) { p[0] += small * p[1]; }) / (0.5 * 40 * small * small), 1, 1e-6);
  const double rolled = energy_of([&](double* p) { p[2] = radius * (1 - std::cos(p[0] / radius)), p[0] = radius * std::sin(p[0] / radius); });
  EXPECT_NEAR(rolled / (0.5 * 0.7 / (radius * radius)), 1, 0.06);  // edges along the rim have no hinge
}

TEST(conditions, hang_in_long_steps) {
  const auto mesh = sheet({.across = 4, .down = 4, .width = 1, .height = 1});
  auto model = conditioned_cloth(mesh, {.stretch = 1e5, .shear = 1e4, .bend = 1e-4});
  model.fix(0), model.fix(4);
  const auto start = at_rest(mesh.positions);
  const auto run = solve(model, start, {0, 0.4}, condensed_backward_euler{}, {.step = 1. / 60});
  ASSERT_TRUE(run.finished()) << run.message();
  EXPECT_LT(model.energy(run.state), model.energy(start));
  EXPECT_LT(run.state[3 * 24 + 2], -0.3) << "it fell";
}

TEST(conditions, wrong_meshes_are_refused) {
  auto mesh = small_sheet();
  mesh.triangles[4] = {0, 1, 1};
  EXPECT_EQ(complaint([&] { conditioned_cloth(mesh); }), "ensue: triangle 4: it has no area");
  mesh.triangles[4] = {0, 1, 99};
  EXPECT_EQ(complaint([&] { conditioned_cloth(mesh); }), "ensue: triangle 4: there is no particle 99, expected one of 0 to 11");
}

}  // namespace
