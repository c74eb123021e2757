// A net of n × n particles with springs to eight neighbours, hung by two corners and let fall. What an implicit step costs and how that grows
// with n, where k/m = 1e5; then one second of motion by explicit and by implicit methods and by the peers (peers/lattice.hpp), k/m = 1e5 and 1e8, with
// the error that each has after a quarter of a second, in units of the spacing. Arguments: the sides n to measure (32 100 300 without any); the second is
// for sides up to 300, of stiff springs up to 100.
#include "peers/lattice.hpp"
#include "timing.hpp"

#include <ensue/ensue.hpp>
#include <ensue/implicit/condensed.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::models;

constexpr double spacing = bench::hung_net::spacing;
using net_model = particle_system<springs>;

spring_net net_of(std::size_t side, double stiffness_to_mass) {
  return lattice({.across = side, .down = side, .spacing = spacing, .mass = 1, .stiffness = stiffness_to_mass});
}
net_model model_of(const spring_net& net, std::size_t side) {
  net_model model(net.masses, {.gravity = {0, 0, bench::hung_net::gravity}}, springs(net.springs));
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
  const auto net = net_of(side, 1e5);
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
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  for (std::size_t i = 0; i < reference.size() / 2; ++i) largest = std::max(largest, std::fabs(x[i] - reference[i]));
  return largest / spacing;
}

struct row {
  std::string name;
  std::function<std::vector<double>(double to)> run;
  double error = 0;
};

/// One second by each, in turn.
void measure_rows(std::size_t side, double stiffness_to_mass, std::vector<row>& rows, const std::vector<double>& reference) {
  std::vector<bench::contestant> runs;
  for (row& each : rows) {
    each.error = error_in_spacings(each.run(0.25), reference);
    runs.push_back({each.name, [&each] {
                      bench::keep(each.run(1));
                      return 1LL;
                    }});
  }
  const int rounds = side <= 32 ? 7 : side <= 100 ? 3 : 1;
  for (int r = 0; r < rounds; ++r)
    for (bench::contestant& one : runs) {
      const double before = bench::thread_seconds();
      one.run();
      one.nanoseconds.push_back(1e9 * (bench::thread_seconds() - before));
    }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto seconds = [&](double q) { return 1e-9 * bench::quantile(runs[i].nanoseconds, q); };
    std::printf("%5zu^2 k/m = %.0e  %-46s %7.3f s [%.3f, %.3f]; error %.1e spacings\n", side, stiffness_to_mass, rows[i].name.c_str(), seconds(0.5), seconds(0),
                seconds(1), rows[i].error);
  }
  std::fflush(stdout);
}

std::string with_rate(const char* name, double rate) { return std::string(name) + ", " + std::to_string(std::lround(rate)) + " Hz"; }

void measure_second(std::size_t side, double stiffness_to_mass) {
  const auto net = net_of(side, stiffness_to_mass);
  const auto model = model_of(net, side);
  const conservative still(model);
  const bench::hung_net by_peers(side, stiffness_to_mass);
  const std::vector<double> start = at_rest(net.positions);
  const bool stiff = stiffness_to_mass > 1e6;
  const auto reference = solve(still, start, {0, 0.25}, blanes_moan4{}, {.step = 1 / (500 * std::sqrt(stiffness_to_mass / 1e5))}).state;
  const auto by_verlet = [&](double rate) {
    return row{with_rate("verlet", rate), [=, &still](double to) { return solve(still, start, {0, to}, verlet{}, {.step = 1 / rate}).state; }};
  };
  const auto by_implicit_steps = [&](double rate) {
    constexpr condensed_linearly_implicit_euler method{{.linear = 1e-3}};
    return row{with_rate("linearly-implicit-euler", rate), [=, &model](double to) { return solve(model, start, {0, to}, method, {.step = 1 / rate}).state; }};
  };
  const auto by_peer = [&](const char* name, bench::net_solver solver, double setting) {
    return row{name, [=, &by_peers](double to) { return solver(by_peers, to, setting); }};
  };
  std::vector<row> rows;
  if (stiff) {
    rows.push_back(by_verlet(16000));
    for (const double rate : {240., 960.}) rows.push_back(by_implicit_steps(rate));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 960 Hz", bench::solve_net_by_hand, 960));
  } else {
    for (const double rate : {480., 740.}) rows.push_back(by_verlet(rate));
    for (const double rate : {60., 240.}) rows.push_back(by_implicit_steps(rate));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 60 Hz", bench::solve_net_by_hand, 60));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 240 Hz", bench::solve_net_by_hand, 240));
    rows.push_back(by_peer("arkode: explicit Bogacki-Shampine 3(2), 1e-3", bench::solve_net_by_arkode, 1e-3));
    rows.push_back(by_peer("cvode: BDF, GMRES, block Jacobi, 1e-3", bench::solve_net_by_cvode, 1e-3));
  }
  measure_rows(side, stiffness_to_mass, rows, reference);
}

}  // namespace

int main(int count, char** given) {
  std::vector<std::size_t> sides;
  for (int i = 1; i < count; ++i) sides.push_back(static_cast<std::size_t>(std::atoi(given[i])));
  if (sides.empty()) sides = {32, 100, 300};
  for (const start from : {start::shaken, start::falling})
    for (const std::size_t side : sides)
      for (const double rate : {240., 60.}) measure_step(side, rate, from);
  for (const std::size_t side : sides)
    for (const double stiffness_to_mass : {1e5, 1e8})
      if (side <= (stiffness_to_mass > 1e6 ? 100 : 300)) measure_second(side, stiffness_to_mass);
}
