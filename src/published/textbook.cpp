#include "published/textbook.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/integrator.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/solid.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/methods/second_order/semi_implicit_euler.hpp>
#include <ensue/methods/second_order/verlet.hpp>
#include <ensue/solve.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ensue::textbook {
namespace {

using namespace ensue::models;
using numbers_of = std::vector<double>;

/// The state in which a run has ended.
template <class Run> numbers_of ended(const Run& run) {
  if (!run.finished()) throw std::runtime_error("ensue: " + run.message());
  return run.state;
}

/// When what is left of a shape is nothing for the first time: let go at rest in it, after a quarter of its period.
template <class Model, class Left> double quarter_of_period(const Model& model, const numbers_of& x, double step,
                                                            const Left& left) {
  integrator sim{conservative(model), x, verlet{}, options<numbers_of>{.step = step}};
  double before = left(x), now = before;
  while (now > 0) {
    before = now;
    if (sim.advance(step) != outcome::finished) throw std::runtime_error("ensue: " + sim.message());
    now = left(sim.state());
  }
  return sim.time() - step * now / (now - before);
}

// ---- bars ----

/// A constant force on each particle.
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
  template <class Receiver>
  void add_blocks(double, std::span<const double>, std::span<const double>, force_derivatives, Receiver&) const {}
  bool depends_on_velocity() const { return false; }
  void check(std::size_t) const {}

 private:
  std::vector<point> forces_;
};

/// Of cells that are cubes, held at x = 0.
struct cantilever {
  static constexpr double length = 1, side = 0.1, young = 1e6, density = 1, area = side * side,
                          second_moment = area * area / 12;
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
  std::size_t tip(std::size_t j, std::size_t k) const {
    return (k * (across + 1) + j) * (10 * across + 1) + 10 * across;
  }

  auto model(double tip_load) const {
    elastic<3, st_venant_kirchhoff> body(bar.positions, bar.tetrahedra, {lame::of_solid(young, 0)});
    std::vector<double> masses = body.masses(bar.positions.size(), density);
    particle_system made(std::move(masses), {}, std::move(body), at_the_tip(tip_load));
    for (std::size_t i = 0; i < bar.positions.size(); ++i)
      if (bar.positions[i][0] == 0) made.fix(i);
    return made;
  }
};

/// A shape as Euler and Bernoulli's beam has it in its first mode, and its slope: cosh κx − cos κx − σ(sinh κx − sin κx).
struct first_mode {
  static constexpr double kappa = 1.875104068711961;
  double rise, slope;
  explicit first_mode(double x) {
    const double sigma = (std::cosh(kappa) + std::cos(kappa)) / (std::sinh(kappa) + std::sin(kappa)), s = kappa * x;
    rise = std::cosh(s) - std::cos(s) - sigma * (std::sinh(s) - std::sin(s));
    slope = kappa * (std::sinh(s) + std::sin(s) - sigma * (std::cosh(s) - std::cos(s)));
  }
};

// ---- chains ----

/// a of y = a cosh(x/a) over a span of 1 with this length: 2a sinh(1/(2a)) = length.
double parameter_of_catenary(double length) {
  double low = 0.1, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double a = (low + high) / 2;
    (2 * a * std::sinh(1 / (2 * a)) > length ? low : high) = a;
  }
  return low;
}

}  // namespace

/// Steps of an hour go to where it rests.
double cantilever_deflection(std::size_t across) {
  const cantilever shape{across};
  const double part = 1e-4,
               weight = part * 3 * shape.young * shape.second_moment;  // sinks by a ten-thousandth of its length
  const auto x = ended(solve(shape.model(weight), at_rest(shape.bar.positions), {0, 7200},
                             condensed_linearly_implicit_euler{{.linear = 1e-9}}, {.step = 3600}));
  const std::size_t middle = shape.tip(across / 2, across / 2);
  return -(x[3 * middle + 2] - shape.bar.positions[middle][2]) / part;
}

double cantilever_frequency(std::size_t across) {
  const cantilever shape{across};
  const auto model = shape.model(0);
  const auto& rest = shape.bar.positions;
  numbers_of x = at_rest(rest);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const first_mode mode(rest[i][0]);
    x[3 * i] -= 1e-5 * mode.slope * (rest[i][2] - shape.side / 2);
    x[3 * i + 2] += 1e-5 * mode.rise;
  }
  const auto of_mode = [&](const auto& state) {
    double sum = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
      sum += model.mass(i) * (state[3 * i + 2] - rest[i][2]) * first_mode(rest[i][0]).rise;
    return sum;
  };
  const double kappa = first_mode::kappa, speed = std::sqrt(shape.young / shape.density);
  const double omega = kappa * kappa * speed * std::sqrt(shape.second_moment / shape.area);
  const double step = 0.3 * shape.side / static_cast<double>(across) / speed;
  return std::numbers::pi / 2 / quarter_of_period(model, x, step, of_mode) / omega;
}

double string_wave_speed(std::size_t particles) {
  const double length = 1, stretch = 1.25, mass = 2, tension = 50;
  const double spacing = length / static_cast<double>(particles - 1),
               stiffness = tension / ((1 - 1 / stretch) * spacing);
  const double whole_mass = mass * static_cast<double>(particles) / static_cast<double>(particles - 1);
  auto net = chain({.particles = particles, .length = length / stretch, .mass = whole_mass, .stiffness = stiffness});
  particle_system model(net.masses, {}, springs(net.springs));
  model.fix(0), model.fix(particles - 1);
  for (point& each : net.positions) each = stretch * each;
  const double speed = std::sqrt(tension / (mass / length)), width = 0.04, from = 0.25, time = 0.5 / speed;
  numbers_of x = at_rest(net.positions);
  for (std::size_t i = 1; i + 1 < particles; ++i) {
    const double s = (x[3 * i] - from) / width, height = 1e-4 * std::exp(-s * s / 2);
    x[3 * i + 2] = height;
    x[3 * (particles + i) + 2] = speed * height * s / width;  // as it runs to the right
  }
  const numbers_of end = ended(solve(conservative(model), x, {0, time}, verlet{}, {.step = 0.02 * spacing / speed}));
  double heights = 0, centre = 0;
  for (std::size_t i = 0; i < particles; ++i) heights += end[3 * i + 2], centre += end[3 * i + 2] * end[3 * i];
  return (centre / heights - from) / time / speed;
}

double chain_frequency(int mode) {
  constexpr std::size_t n = 40;
  const double stiffness = 9, half_phase = std::numbers::pi * mode / (n + 1) / 2,
               omega = 2 * std::sqrt(stiffness) * std::sin(half_phase);
  const auto net = chain({.particles = n + 2, .length = n + 1, .mass = n + 2, .stiffness = stiffness});
  particle_system model(net.masses, {}, springs(net.springs));
  model.fix(0), model.fix(n + 1);
  const auto shape = [&](std::size_t i) { return std::sin(2 * half_phase * static_cast<double>(i)); };
  numbers_of x = at_rest(net.positions);
  for (std::size_t i = 1; i <= n; ++i) x[3 * i] += 1e-3 * shape(i);
  const auto left = [&](const auto& state) {
    double sum = 0;
    for (std::size_t i = 1; i <= n; ++i) sum += shape(i) * (state[3 * i] - net.positions[i][0]);
    return sum;
  };
  return std::numbers::pi / 2 / quarter_of_period(model, x, 1e-3, left) / omega;
}

double chain_stable_step() {
  constexpr std::size_t n = 100;
  const double stiffness = 4, textbooks = std::sqrt(1 / stiffness);
  const auto net = chain({.particles = n, .length = n - 1, .mass = n, .stiffness = stiffness});
  const conservative model(particle_system(net.masses, {}, springs(net.springs)));
  numbers_of x = at_rest(net.positions);
  for (std::size_t i = 0; i < n; ++i) x[3 * i] += i % 2 ? 1e-6 : -1e-6;
  const double start = model.model().energy(x);
  const auto blows_up = [&](double step) {
    return model.model().energy(solve(model, x, {0, 400}, verlet{}, {.step = step}).state) > 1e4 * start;
  };
  double stable = 0.9, unstable = 1.1;
  for (int i = 0; i < 10; ++i) {
    const double middle = (stable + unstable) / 2;
    (blows_up(middle * textbooks) ? unstable : stable) = middle;
  }
  return stable;
}

hanging_shape catenary() {
  constexpr std::size_t n = 61;
  const double length = 1.5, a = parameter_of_catenary(length), sag = a * (std::cosh(1 / (2 * a)) - 1);
  const auto net = chain({.particles = n, .length = length, .mass = 1, .stiffness = 2e5, .damping = 1});
  particle_system model(net.masses, {.gravity = {0, 0, -9.81}, .mass_damping = 8}, springs(net.springs));
  model.fix(0), model.fix(n - 1);
  numbers_of x(6 * n, 0.);  // from a triangle
  for (std::size_t i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) / (n - 1);
    x[3 * i] = s, x[3 * i + 2] = -2 * std::min(s, 1 - s) * std::sqrt(length * length - 1) / 2;
  }
  const numbers_of end = ended(solve(model, x, {0, 3}, semi_implicit_euler{}, {.step = 2e-4}));
  hanging_shape seen{-end[3 * (n / 2) + 2] / sag, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const double on_the_curve = a * (std::cosh((end[3 * i] - 0.5) / a) - std::cosh(0.5 / a));
    seen.off_the_curve = std::max(seen.off_the_curve, std::fabs(end[3 * i + 2] - on_the_curve));
  }
  return seen;
}

}  // namespace ensue::textbook
