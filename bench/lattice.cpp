// A net of n × n particles with springs to eight neighbours, k/m = 1e5, hung by two corners and let fall: what an implicit step costs and how that
// grows with n, and one second of motion by explicit and by implicit methods, with the error that each has after a quarter of a second, in
// units of the spacing. Arguments: the sides n to measure (100 300 without any).
#include "timing.hpp"

#include <ensue/ensue.hpp>
#include <ensue/implicit/condensed.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::models;

constexpr double stiffness_to_mass = 1e5, spacing = 0.01;
using net_model = particle_system<springs>;

spring_net net_of(std::size_t side) {
  return lattice({.across = side, .down = side, .spacing = spacing, .mass = 1, .stiffness = stiffness_to_mass});
}
net_model model_of(const spring_net& net, std::size_t side) {
  net_model model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
  model.fix(0), model.fix(side - 1);
  return model;
}

/// A net at rest whose particles have got velocities of their own, up to 0.1 m/s in each direction: as much is going on everywhere, however
/// large it is. (In a net that falls, hung by two corners, what is not a common fall is near these corners, and a smaller part of the whole
/// the larger it is: a relative residual of 1e-3 then takes fewer iterations.)
std::vector<double> shaken(const spring_net& net) {
  std::vector<double> x = at_rest(net.positions);
  std::uint64_t bits = 1;
  for (std::size_t i = x.size() / 2; i < x.size(); ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;  // Knuth, The Art of Computer Programming 2, 3.3.4
    x[i] = 0.1 * (2 * static_cast<double>(bits >> 11) / 9007199254740992. - 1);
  }
  return x;
}

enum class start { shaken, falling };

/// The step at 1/`rate` s: of a net that was shaken, or after a tenth of a second of falling.
void measure_step(std::size_t side, double rate, start from) {
  using method = condensed_linearly_implicit_euler;
  const auto net = net_of(side);
  const auto model = model_of(net, side);
  const method settings{{.linear = 1e-3}};
  std::vector<double> x =
      from == start::shaken ? shaken(net) : solve(model, at_rest(net.positions), {0, 0.1}, settings, {.step = 1 / rate}).state;
  stepper_of<method, std::vector<double>> stepper(settings, x);
  stepper.fit(model);
  run_statistics<std::int64_t> spent;
  std::vector<bench::contestant> runs;
  const auto f = model;
  runs.push_back({"step", [&] {
                    stepper.derivative(f, 0, x);
                    stepper.attempt(f, 0, 1 / rate, 1 / rate, x, true, spent);
                    return static_cast<long long>(side * side);
                  }});
  std::vector<double> a(x.size() / 2);
  runs.push_back({"forces", [&] {
                    std::span<double> out(a);
                    f.acceleration(0, std::span<const double>(x).first(a.size()), std::span<const double>(x).last(a.size()), out);
                    bench::keep(a);
                    return static_cast<long long>(side * side);
                  }});
  bench::alternate(runs, side < 1000 ? 9 : 3);
  const double count = static_cast<double>(side * side), whole = bench::quantile(runs[0].nanoseconds, 0.5);
  std::printf("%5zu^2 %s at %3.0f Hz: %7.0f ns a particle and step [%.0f, %.0f], %.3f s a step; %zu iterations to 1e-3%s; %.0f bytes a particle; forces %.1f ns\n",
              side, from == start::shaken ? "shaken " : "falling", rate, whole, bench::quantile(runs[0].nanoseconds, 0.25), bench::quantile(runs[0].nanoseconds, 0.75), whole * count * 1e-9,
              stepper.last_solve().iterations, stepper.definite() ? " (definite)" : "", static_cast<double>(stepper.bytes()) / count,
              bench::quantile(runs[1].nanoseconds, 0.5));
}

double error_in_spacings(const std::vector<double>& x, const std::vector<double>& reference) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size() / 2; ++i) largest = std::max(largest, std::fabs(x[i] - reference[i]));
  return largest / spacing;
}

void measure_second(std::size_t side) {
  const auto net = net_of(side);
  const auto model = model_of(net, side);
  const conservative still(model);
  const std::vector<double> start = at_rest(net.positions);
  const auto reference = solve(still, start, {0, 0.25}, verlet{}, {.step = 2e-5}).state;
  const auto report = [&](const char* name, const auto& run) {
    const double error = error_in_spacings(run(0.25), reference), before = bench::thread_seconds();
    run(1.);
    std::printf("%5zu^2 %-46s %7.2f s for 1 s; error at 0.25 s %.1e spacings\n", side, name, bench::thread_seconds() - before, error);
  };
  for (const double step : {1. / 900, 1. / 1800, 1. / 3600}) {
    char name[64];
    std::snprintf(name, sizeof name, "verlet, %.0f Hz", 1 / step);
    report(name, [&](double to) { return solve(still, start, {0, to}, verlet{}, {.step = step}).state; });
  }
  report("bs32, rtol 1e-3", [&](double to) { return solve(model, start, {0, to}, bs32{}, {.rtol = 1e-3, .atol = 1e-3 * spacing}).state; });
  for (const double rate : {60., 240., 960.}) {
    char name[64];
    std::snprintf(name, sizeof name, "linearly-implicit-euler, condensed, %.0f Hz", rate);
    report(name, [&](double to) { return solve(model, start, {0, to}, condensed_linearly_implicit_euler{{.linear = 1e-5}}, {.step = 1 / rate}).state; });
  }
}

}  // namespace

int main(int count, char** given) {
  std::vector<std::size_t> sides;
  for (int i = 1; i < count; ++i) sides.push_back(static_cast<std::size_t>(std::atoi(given[i])));
  if (sides.empty()) sides = {100, 300};
  for (const start from : {start::shaken, start::falling})
    for (const std::size_t side : sides)
      for (const double rate : {240., 60.}) measure_step(side, rate, from);
  measure_second(sides.front() < 100 ? sides.front() : 100);
}
