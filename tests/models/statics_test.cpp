/// Cloth and bars as they hang at last, against textbooks; long implicit steps where explicit ones would have to be short.
#include "models/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/models/cloth.hpp>
#include <ensue/models/solid.hpp>
#include <ensue/solve.hpp>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

/// The tip of a bar that is fixed at one end sinks by ρ A g L⁴/(8 E I) under its own weight. (S. Timoshenko, Strength of Materials I, §39.) Steps of an
/// hour go to where it rests.
double tip_against_textbook(std::size_t across) {
  const double length = 1, side = 0.2, young = 1e6, density = 1, gravity = 0.01;
  const auto bar = box({.cells = {5 * across, across, across}, .size = {length, side, side}});
  auto model = solid<st_venant_kirchhoff>(bar, {.density = density, .young = young, .poisson = 0}, {.gravity = {0, 0, -gravity}});
  for (std::size_t i = 0; i < bar.positions.size(); ++i)
    if (bar.positions[i][0] == 0) model.fix(i);
  const auto run = solve(model, at_rest(bar.positions), {0, 7200}, condensed_linearly_implicit_euler{{.linear = 1e-9}}, {.step = 3600});
  EXPECT_TRUE(run.finished()) << run.message();
  const std::size_t tip = 5 * across;  // a corner of the free end
  const double area = side * side, inertia = area * area / 12;
  const double bending = density * area * gravity * std::pow(length, 4) / (8 * young * inertia);
  const double shearing = density * gravity * length * length / (2 * (5. / 6) * young / 2);  // of a bar that is not thin
  return -run.state[3 * tip + 2] / (bending + shearing);
}

/// Linear elements are too stiff in bending, and the less the finer they are, with the square of their size.
TEST(statics, a_cantilever_bends_as_the_textbook_says) {
  if (sanitized) GTEST_SKIP() << "half a minute without optimisation";
  const double coarse = tip_against_textbook(3), fine = tip_against_textbook(6);
  EXPECT_LT(coarse, fine);
  EXPECT_LT(fine, 1);
  EXPECT_NEAR(fine + (fine - coarse) / 3, 1, 0.05);
}

/// A strip hung by its upper edge is stretched by ρ g L²/(2 E).
TEST(statics, hanging_cloth_is_stretched_by_its_weight) {
  const double young = 1e4, density = 0.5;
  const auto mesh = sheet({.across = 2, .down = 16, .width = 0.2, .height = 2});
  auto model = cloth(mesh, {.density = density, .young = young, .poisson = 0, .bending = 0}, {.gravity = {0, -9.81, 0}});
  for (std::size_t i = 0; i < 3; ++i) model.fix(i);
  const auto run = solve(model, at_rest(mesh.positions), {0, 200}, condensed_backward_euler{}, {.step = 10});
  ASSERT_TRUE(run.finished()) << run.message();
  const double stretch = -run.state[3 * (mesh.positions.size() - 2) + 1] - 2;
  EXPECT_NEAR(stretch / (density * 9.81 * 2 * 2 / (2 * young)), 1, 0.02);
}

/// Cloth that an explicit method takes in steps of 1/10 000 s, in steps of 1/60 s: it falls on a ball, buckles, and its energy does not grow.
TEST(statics, stiff_cloth_takes_long_steps) {
  const auto mesh = sheet({.across = 6, .down = 6, .width = 1, .height = 1});
  const auto model = cloth(mesh, {.young = 1e5, .damping = 1e-4, .bending = 1e-3},
                           {.balls = {{{0.5, -0.5, -0.31}, 0.3}}, .touching = {200, 0.5, 0.5}});
  const auto start = at_rest(mesh.positions);
  const double energy = model.energy(start);
  integrator sim{model, start, condensed_backward_euler{}, options<std::vector<double>>{.step = 1. / 60}};
  double largest = 0;
  for (int frame = 0; frame < (sanitized ? 8 : 25); ++frame) {
    ASSERT_EQ(sim.advance(1. / 60), outcome::finished) << sim.message();
    largest = std::max(largest, model.kinetic_energy(sim.state()));
    EXPECT_LT(model.energy(sim.state()), energy + 1e-6) << frame;
  }
  EXPECT_GT(largest, sanitized ? 0.01 : 0.05) << "it fell";
}

}  // namespace
