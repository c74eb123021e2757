// Of `ensue verify`: numbers of mechanics.
#include "verified.hpp"

#include <ensue/models/n_body.hpp>
#include <ensue/models/rigid_bodies.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/models/shapes.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>
#include <ensue/registry.hpp>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <numbers>

namespace ensue::command {
namespace {

using std::numbers::pi;

std::unique_ptr<any_integrator> tight(const char* method, system_function f, std::span<const double> start) {
  return find_method(method)->make(std::move(f), start, 0, {.rtol = 1e-13, .atol = 1e-13});
}

void add_pendulum(std::vector<verified_row>& rows) {
  const std::vector<double> start{pi / 2, 0.};
  const auto f = [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = -9.81 * std::sin(x[0]);
  };
  double quarter = 0;
  event_list down({any_event{[](double, std::span<const double> x) { return x[0]; },
                             [&](double t, std::span<double>) { return quarter = t, reaction::stop; }}});
  const auto run = tight("vern9", f, start);
  observe(*run, 10., down);
  rows.push_back(compared("pendulum of 1 m let go at 90 degrees: period", 2.3678419475762, 4 * quarter, 1e-11,
                          "2 pi sqrt(L/g)/agm(1, cos(45 degrees))"));
}

// ---- orbits ----

void add_kepler(std::vector<verified_row>& rows) {
  const std::vector<double> start{0.4, 0., 0., 2.};
  const auto f = [](double, std::span<const double> x, std::span<double> dx) {
    const double r = std::hypot(x[0], x[1]), pull = -1 / (r * r * r);
    dx[0] = x[2], dx[1] = x[3], dx[2] = pull * x[0], dx[3] = pull * x[1];
  };
  const auto run = tight("vern9", f, start);
  run->advance_to(2 * pi);
  const auto x = run->state();
  const double energy = (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / std::hypot(x[0], x[1]),
               moment = x[0] * x[3] - x[1] * x[2];
  const char* const source = "Kepler's laws; e = 0.6, a = 1";
  rows.push_back(compared("Kepler, e = 0.6: energy after a period", -0.5, energy, 1e-11, source));
  rows.push_back(compared("Kepler, e = 0.6: angular momentum after a period", 0.8, moment, 1e-11, source));
  rows.push_back(compared("Kepler, e = 0.6: position after a period", start, x, 1e-10, source));
}

/// The same ellipse as that of two bodies about their centre; of the pair, energy and momentum are those of the reduced mass.
void add_two_bodies(std::vector<verified_row>& rows) {
  const models::n_body<double> pair({0.75, 0.25});
  constexpr double reduced_mass = 0.75 * 0.25;
  const std::vector<double> start{-0.1, 0, 0, 0.3, 0, 0, 0, -0.5, 0, 0, 1.5, 0};
  const auto run = tight("rkn1210", pair, start);
  run->advance_to(2 * pi);
  const char* const source = "Kepler's laws; e = 0.6, a = 1";
  rows.push_back(compared("two bodies of n_body, e = 0.6: energy/reduced mass", -0.5,
                          pair.energy(run->state()) / reduced_mass, 1e-11, source));
  rows.push_back(compared("two bodies of n_body, e = 0.6: angular momentum/reduced mass", 0.8,
                          pair.angular_momentum(run->state())[2] / reduced_mass, 1e-11, source));
  rows.push_back(
      compared("two bodies of n_body, e = 0.6: positions after a period", start, run->state(), 1e-10, source));
}

/// The Sun, Jupiter, Saturn, Uranus, Neptune and Pluto, in astronomical units, days and masses of the Sun.
void add_outer_solar_system(std::vector<verified_row>& rows) {
  const models::n_body<double> bodies(
      {1.00000597682, 9.54786104043e-4, 2.85583733151e-4, 4.37273164546e-5, 5.17759138449e-5, 1 / 1.3e8},
      {.gravitation = 2.95912208286e-4});
  const std::vector<double> start{0,           0,           0,            // positions
                                  -3.5023653,  -3.8169847,  -1.5507963,   //
                                  9.0755314,   -3.0458353,  -1.6483708,   //
                                  8.3101420,   -16.2901086, -7.2521278,   //
                                  11.4707666,  -25.7294829, -10.8169456,  //
                                  -15.5387357, -25.2225594, -3.1902382,   //
                                  0,           0,           0,            // velocities
                                  0.00565429,  -0.00412490, -0.00190589,  //
                                  0.00168318,  0.00483525,  0.00192462,   //
                                  0.00354178,  0.00137102,  0.00055029,   //
                                  0.00288930,  0.00114527,  0.00039677,   //
                                  0.00276725,  -0.00170702, -0.00136504};
  constexpr double published = -3.215453183208e-8;
  const char* const source = "Hairer, Lubich & Wanner, Geometric Numerical Integration, I.2.3";
  rows.push_back(compared("outer solar system: energy", published, bodies.energy(start), 1e-12, source, 0));
  const auto run = find_method("kahan-li8")->make(bodies, start, 0, {.step = 50});
  run->advance_to(200000);
  rows.push_back(compared("outer solar system, kahan-li8: energy after 200000 days", published,
                          bodies.energy(run->state()), 1e-11, source, 0));
}

// ---- a box thrown with a spin about its middle axis, dt = 1e-3, 10 s, and what engines make of it ----

using thrown = models::thrown_box;
constexpr const char* benchmark = "scpeters/benchmark, free rigid box; engines at dt = 1e-3";
constexpr double period_of_spin = 6.056844158007826, energy_of_box = 368.546417;

void add_turns_of_thrown_box(std::vector<verified_row>& rows, const char* method) {
  constexpr double dt = 1e-3;
  const auto box = thrown::body();
  const auto start = box.spinning(thrown::spin());
  const auto run = find_method(method)->make(box, std::span(start.data(), start.size()), 0, {.step = dt});
  double period = 0, energy_error = 0, momentum_error = 0;
  event_list again({any_event{
      [&](double, std::span<const double> x) {
        return box.angular_velocity(body_function::from(x))[2] - thrown::spin()[2];
      },
      [&](double t, std::span<double>) { return period = t > 1 && period == 0 ? t : period, reaction::go_on; },
      crossing::rising}});
  const auto watch = [&](double, std::span<const double> x) {
    const auto now = body_function::from(x);
    energy_error = std::max(energy_error, std::abs(box.energy(now) / box.energy(start) - 1));
    for (std::size_t i = 4; i < 7; ++i) momentum_error = std::max(momentum_error, std::abs(now[i] - start[i]));
  };
  observe(*run, thrown::span, again, save_steps(watch));
  const std::string what = fmt::format("thrown box, {}: ", method);
  if (find_method(method)->name == "free-rotation")
    rows.push_back(compared(what + "period of its spin in the body", period_of_spin, period, 1e-9, "4 K(k)/lambda"));
  rows.push_back(compared(what + "energy error (Simbody 0.0062, ODE 0.0125)", 0, energy_error, 1e-10, benchmark));
  rows.push_back(
      compared(what + "momentum error (Simbody 0.0064, ODE 0.0131, DART 2.19)", 0, momentum_error, 1e-10, benchmark));
}

/// The box as a mesh, and as the only one of `rigid_bodies`.
void add_box_of_a_mesh(std::vector<verified_row>& rows) {
  const auto mesh = models::box({.cells = {1, 1, 1}, .size = {0.1, 0.4, 0.9}});
  const auto shape = models::rigid_shape_of(mesh.positions, models::surface_of(mesh), thrown::mass / (0.1 * 0.4 * 0.9));
  std::vector<double> moments(shape.body.moments.begin(), shape.body.moments.end());
  std::ranges::sort(moments, std::greater{});
  rows.push_back(compared("thrown box, from its mesh: principal moments of inertia",
                          std::vector{0.8083333333333333, 0.6833333333333333, 0.1416666666666667}, moments, 1e-14,
                          benchmark));
  const models::rigid_bodies one({shape.body}, {}, {}, {0, 0, thrown::gravity});
  const auto start = one.start({models::body_motion{{0, 0, 0}, shape.axes, thrown::speed(), thrown::spin()}});
  const auto run = tight("vern9", one, start);
  run->advance_to(period_of_spin);
  const auto spin_in_body = [&](std::span<const double> x) {
    const models::body_motion now = one.motion(x, 0);
    return now.orientation.rotate_back(now.spin);
  };
  const auto before = spin_in_body(start), after = spin_in_body(run->state());
  rows.push_back(compared("thrown box of rigid_bodies: energy after a period", energy_of_box, one.energy(run->state()),
                          2e-9, benchmark));
  rows.push_back(compared("thrown box of rigid_bodies: spin in the body after a period", before,
                          std::span(after.begin(), after.end()), 1e-9, "4 K(k)/lambda"));
}

/// In free fall the first-order error of the position is the only one.
void add_fall_of_thrown_box(std::vector<verified_row>& rows) {
  struct fall {
    void acceleration(double, std::span<const double>, std::span<double> a) const { a[0] = thrown::gravity; }
  };
  const std::vector<double> thrown_up{0, thrown::speed()[2]};
  const auto run = find_method("semi-implicit-euler")->make(fall{}, thrown_up, 0, {.step = 1e-3});
  run->advance_to(thrown::span);
  const double height = thrown::speed()[2] * thrown::span + thrown::gravity / 2 * thrown::span * thrown::span;
  rows.push_back(compared("thrown box, semi-implicit-euler: position error", 0.049, std::abs(run->state()[0] - height),
                          1e-9, "g dt T/2"));
}

void add_thrown_box(std::vector<verified_row>& rows) {
  const auto box = thrown::body();
  const double energy =
      thrown::mass / 2 * dot(thrown::speed(), thrown::speed()) + box.energy(box.spinning(thrown::spin()));
  rows.push_back(compared("thrown box: energy", energy_of_box, energy, 2e-9, benchmark));
  add_box_of_a_mesh(rows);
  add_turns_of_thrown_box(rows, "free-rotation");
  add_turns_of_thrown_box(rows, "moser-veselov");
  add_fall_of_thrown_box(rows);
}

}  // namespace

void add_mechanics(std::vector<verified_row>& rows) {
  add_kepler(rows);
  add_two_bodies(rows);
  add_pendulum(rows);
  add_outer_solar_system(rows);
  add_thrown_box(rows);
}

}  // namespace ensue::command
