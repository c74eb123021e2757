/// Bars and strings against textbooks: how far a load bends a cantilever, how fast it swings, how fast a wave runs; each nearer the finer the mesh.
#include "models/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/implicit/condensed.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/solid.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/second_order/verlet.hpp>
#include <ensue/solve.hpp>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

/// A constant force on each particle: a load.
class load {
 public:
  explicit load(std::vector<point> forces) : forces_(std::move(forces)) {}
  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (std::size_t i = 0; i < forces_.size(); ++i) sum = sum - dot(constant<S>(forces_[i]), at(q, i));
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S>, std::span<const S>, std::span<S> f) const {
    for (std::size_t i = 0; i < forces_.size(); ++i) add_at(f, i, constant<S>(forces_[i]));
  }
  template <class Receiver> void add_blocks(double, std::span<const double>, std::span<const double>, force_derivatives, Receiver&) const {}
  bool depends_on_velocity() const { return false; }
  void check(std::size_t) const {}

 private:
  std::vector<point> forces_;
};

/// Ten times as long as thick, of cells that are cubes, held at x = 0.
struct cantilever {
  static constexpr double length = 1, side = 0.1, young = 1e6, density = 1, area = side * side, second_moment = area * area / 12;
  std::size_t across;
  tetrahedron_mesh bar = box({.cells = {10 * across, across, across}, .size = {length, side, side}});

  /// P, downwards, on the free end: a share for each of the end's squares, from which their corners have a quarter each.
  load at_the_tip(double whole) const {
    std::vector<point> forces(bar.positions.size(), point{0, 0, 0});
    const auto share = [&](std::size_t j) { return j == 0 || j == across ? 0.5 : 1.; };
    for (std::size_t k = 0; k <= across; ++k)
      for (std::size_t j = 0; j <= across; ++j)
        forces[tip(j, k)] = {0, 0, -whole * share(j) * share(k) / static_cast<double>(across * across)};
    return load(std::move(forces));
  }
  std::size_t tip(std::size_t j, std::size_t k) const { return (k * (across + 1) + j) * (10 * across + 1) + 10 * across; }

  auto model(double tip_load) const {
    elastic<3, st_venant_kirchhoff> body(bar.positions, bar.tetrahedra, {lame::of_solid(young, 0)});
    std::vector<double> masses = body.masses(bar.positions.size(), density);
    particle_system made(std::move(masses), {}, std::move(body), at_the_tip(tip_load));
    for (std::size_t i = 0; i < bar.positions.size(); ++i)
      if (bar.positions[i][0] == 0) made.fix(i);
    return made;
  }
};

/// How far the tip sinks ÷ P L³/(3 E I). Steps of an hour go to where it rests.
double deflection_against_textbook(std::size_t across) {
  const cantilever shape{across};
  const double weight = 1e-4 * 3 * shape.young * shape.second_moment;  // a ten-thousandth of its length
  const auto model = shape.model(weight);
  const auto run = solve(model, at_rest(shape.bar.positions), {0, 7200}, condensed_linearly_implicit_euler{{.linear = 1e-9}}, {.step = 3600});
  EXPECT_TRUE(run.finished()) << run.message();
  const std::size_t middle = shape.tip(across / 2, across / 2);
  return -(run.state[3 * middle + 2] - shape.bar.positions[middle][2]) / 1e-4;
}

/// A shape as Euler and Bernoulli's beam has it in its first mode, and its slope: cosh κx − cos κx − σ(sinh κx − sin κx), κL = 1.8751.
struct first_mode {
  static constexpr double kappa = 1.875104068711961;
  double rise, slope;
  explicit first_mode(double x) {
    const double sigma = (std::cosh(kappa) + std::cos(kappa)) / (std::sinh(kappa) + std::sin(kappa)), s = kappa * x;
    rise = std::cosh(s) - std::cos(s) - sigma * (std::sinh(s) - std::sin(s));
    slope = kappa * (std::sinh(s) + std::sin(s) - sigma * (std::cosh(s) - std::cos(s)));
  }
};

/// The frequency ÷ κ²√(EI/(ρA)): let go in the shape of the first mode, a quarter of a period later nothing of that shape is left.
double frequency_against_textbook(std::size_t across) {
  const cantilever shape{across};
  const auto model = shape.model(0);
  const auto& rest = shape.bar.positions;
  std::vector<double> x = at_rest(rest);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const first_mode mode(rest[i][0]);
    x[3 * i] -= 1e-5 * mode.slope * (rest[i][2] - shape.side / 2);
    x[3 * i + 2] += 1e-5 * mode.rise;
  }
  const auto of_mode = [&](const auto& state) {
    double sum = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) sum += model.mass(i) * (state[3 * i + 2] - rest[i][2]) * first_mode(rest[i][0]).rise;
    return sum;
  };
  const double kappa = first_mode::kappa, speed = std::sqrt(shape.young / shape.density);
  const double omega = kappa * kappa * speed * std::sqrt(shape.second_moment / shape.area);
  const double step = 0.3 * shape.side / static_cast<double>(across) / speed;
  integrator sim{conservative(model), x, verlet{}, options<std::vector<double>>{.step = step}};
  double before = of_mode(x), now = before;
  while (now > 0 && sim.time() * omega < 10) {
    before = now;
    EXPECT_EQ(sim.advance(step), outcome::finished);
    now = of_mode(sim.state());
  }
  const double quarter = sim.time() - step * now / (now - before);
  return std::numbers::pi / 2 / quarter / omega;
}

/// Linear elements are too stiff, the less the finer they are, with the square of their size: what two sizes say of none at all is the textbook's,
/// but for the 0.6 % by which a bar that is not thin is softer than Euler and Bernoulli's beam, which does not shear.
void expect_stiffness_of_the_textbook(double coarse, double fine) {
  EXPECT_NEAR((coarse - 1) / (fine - 1), 4, 0.4);
  EXPECT_NEAR(fine + (fine - coarse) / 3, 1, 0.01);
}
TEST(vibrations, a_load_bends_a_cantilever_as_the_textbook_says) {
  if (sanitized) GTEST_SKIP() << "long without optimisation";
  expect_stiffness_of_the_textbook(1 / deflection_against_textbook(2), 1 / deflection_against_textbook(4));
}
TEST(vibrations, a_cantilever_swings_as_the_textbook_says) {
  if (sanitized) GTEST_SKIP() << "long without optimisation";
  const auto stiffness = [](double frequency) { return frequency * frequency; };
  expect_stiffness_of_the_textbook(stiffness(frequency_against_textbook(2)), stiffness(frequency_against_textbook(4)));
}

/// A pulse across a stretched chain runs with √(tension ÷ mass a length).
double speed_against_textbook(std::size_t particles) {
  const double length = 1, stretch = 1.25, mass = 2, tension = 50;
  const double spacing = length / static_cast<double>(particles - 1), stiffness = tension / ((1 - 1 / stretch) * spacing);
  const double whole_mass = mass * static_cast<double>(particles) / static_cast<double>(particles - 1);
  auto net = chain({.particles = particles, .length = length / stretch, .mass = whole_mass, .stiffness = stiffness});
  particle_system model(net.masses, {}, springs(net.springs));
  model.fix(0), model.fix(particles - 1);
  for (point& each : net.positions) each = stretch * each;
  const double speed = std::sqrt(tension / (mass / length)), width = 0.04, from = 0.25, time = 0.5 / speed;
  std::vector<double> x = at_rest(net.positions);
  for (std::size_t i = 1; i + 1 < particles; ++i) {
    const double s = (x[3 * i] - from) / width, height = 1e-4 * std::exp(-s * s / 2);
    x[3 * i + 2] = height;
    x[3 * (particles + i) + 2] = speed * height * s / width;  // as it runs to the right
  }
  const auto run = solve(conservative(model), x, {0, time}, verlet{}, {.step = 0.02 * spacing / speed});
  EXPECT_TRUE(run.finished()) << run.message();
  double heights = 0, centre = 0;
  for (std::size_t i = 0; i < particles; ++i) heights += run.state[3 * i + 2], centre += run.state[3 * i + 2] * run.state[3 * i];
  return (centre / heights - from) / time / speed;
}

TEST(vibrations, a_wave_runs_along_a_string_as_the_textbook_says) {
  EXPECT_NEAR(speed_against_textbook(26), 1, 5e-3);
  EXPECT_NEAR(speed_against_textbook(101), 1, 1e-6);
}

}  // namespace
