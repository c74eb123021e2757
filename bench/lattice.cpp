// A net of n × n particles with springs to eight neighbours, hung by two corners and let fall. What an implicit step costs and how that grows
// with n, where k/m = 1e5; then one second of motion by explicit and by implicit methods and by the peers (peers/lattice.hpp), k/m = 1e5 and 1e8, with
// the error that each has after a quarter of a second, in units of the spacing.
//
//     bench_lattice [--quick] [--into FOLDER] [n …]        32 100 300 1000 unless said, quickly 32; the second is for n up to 300, of stiff springs up to 100
#include "figures.hpp"
#include "peers/lattice.hpp"
#include "timing.hpp"

#include <ensue/ensue.hpp>
#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
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

struct step_cost {
  std::vector<double> nanoseconds;  ///< a particle, in turn
  double iterations, bytes;         ///< bytes a particle
};

/// The step at 1/`rate` s: of a net that was shaken, or after a tenth of a second of falling.
step_cost measure_step(std::size_t side, double rate, start from) {
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
  return {runs[0].nanoseconds, static_cast<double>(stepper.last_solve().iterations), static_cast<double>(stepper.bytes()) / count};
}

/// How the step of a shaken net grows with its side; the largest two are compared.
void measure_growth(const std::vector<std::size_t>& sides, double rate, bench::figures& found) {
  std::vector<step_cost> costs;
  for (const std::size_t side : sides) costs.push_back(measure_step(side, rate, start::shaken));
  if (sides.size() < 2) return;
  const step_cost &large = costs.back(), &small = costs[costs.size() - 2];
  const std::string title =
      "cloth " + std::to_string(sides.back()) + "^2 / " + std::to_string(sides[sides.size() - 2]) + "^2, step at " + bench::short_number(rate) + " Hz, ";
  const auto of_large = [&](double q) { return bench::quantile(large.nanoseconds, q); };
  const double of_small = bench::quantile(small.nanoseconds, 0.5);
  found.add({"cloth-growth", title + "time a particle", of_large(0.5) / of_small, of_large(0.25) / of_small, of_large(0.75) / of_small, "", "<= 1.3"});
  found.add("cloth-growth", title + "conjugate gradients' iterations", large.iterations / small.iterations, "", "<= 1.1");
  found.add("cloth-growth", title + "bytes a particle", large.bytes / small.bytes, "", "<= 1.02");
}

double error_in_spacings(const std::vector<double>& x, const std::vector<double>& reference) {
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  for (std::size_t i = 0; i < reference.size() / 2; ++i) largest = std::max(largest, std::fabs(x[i] - reference[i]));
  return largest / spacing;
}

enum class who { ours_explicit, ours_implicit, peer };

struct row {
  std::string name;
  who whose;
  std::function<std::vector<double>(double to)> run;
  double error = 0;
};

/// One second by each, in turn.
std::vector<bench::contestant> measure_rows(std::size_t side, double stiffness_to_mass, std::vector<row>& rows, const std::vector<double>& reference,
                                            bool quick) {
  std::vector<bench::contestant> runs;
  for (row& each : rows) {
    each.error = error_in_spacings(each.run(0.25), reference);
    runs.push_back({each.name, [&each] {
                      bench::keep(each.run(1));
                      return 1LL;
                    }});
  }
  const int rounds = quick ? 2 : side <= 32 ? 7 : side <= 100 ? 3 : 1;
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
  return runs;
}

/// The fastest of those that `may_win` and whose error is within the bound; null if there is none.
template <class MayWin>
const bench::contestant* fastest(const std::vector<row>& rows, const std::vector<bench::contestant>& runs, double bound, MayWin may_win) {
  const bench::contestant* best = nullptr;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!may_win(rows[i].whose) || !(rows[i].error <= bound)) continue;
    if (!best || bench::quantile(runs[i].nanoseconds, 0.5) < bench::quantile(best->nanoseconds, 0.5)) best = &runs[i];
  }
  return best;
}

/// A net of `title` at an error: one of ours by what it is measured by; infinite where none of ours comes so close.
void compare(const std::string& title, double bound, const bench::contestant* ours, const bench::contestant* other, const char* target,
             bench::figures& found) {
  if (!other) return;
  const std::string measure = title + ", error <= " + bench::short_number(bound) + " spacings: " + (ours ? ours->name : "none of ours") + " / " + other->name;
  if (ours) found.add("cloth", measure, bench::ratios(*ours, *other), "", target);
  else found.add("cloth", measure, std::numeric_limits<double>::infinity(), "", target);
}

std::string with_rate(const char* name, double rate) { return std::string(name) + ", " + std::to_string(std::lround(rate)) + " Hz"; }

void measure_second(std::size_t side, double stiffness_to_mass, bool quick, bench::figures& found) {
  const auto net = net_of(side, stiffness_to_mass);
  const auto model = model_of(net, side);
  const conservative still(model);
  const bench::hung_net by_peers(side, stiffness_to_mass);
  const std::vector<double> start = at_rest(net.positions);
  const bool stiff = stiffness_to_mass > 1e6;
  const auto reference = solve(still, start, {0, 0.25}, blanes_moan4{}, {.step = 1 / (500 * std::sqrt(stiffness_to_mass / 1e5))}).state;
  const auto by_verlet = [&](double rate) {
    return row{with_rate("verlet", rate), who::ours_explicit, [=, &still](double to) { return solve(still, start, {0, to}, verlet{}, {.step = 1 / rate}).state; }};
  };
  const auto by_implicit_steps = [&](double rate) {
    constexpr condensed_linearly_implicit_euler method{{.linear = 1e-3}};
    return row{with_rate("linearly-implicit-euler", rate), who::ours_implicit, [=, &model](double to) { return solve(model, start, {0, to}, method, {.step = 1 / rate}).state; }};
  };
  const auto by_newton = [&](double rate) {  // solved as far as the error is to be
    constexpr condensed_backward_euler method{{.linear = 1e-4, .nonlinear = 1e-3}};
    return row{with_rate("backward-euler", rate), who::ours_implicit, [=, &model](double to) { return solve(model, start, {0, to}, method, {.step = 1 / rate}).state; }};
  };
  const auto by_peer = [&](const char* name, bench::net_solver solver, double setting) {
    return row{name, who::peer, [=, &by_peers](double to) { return solver(by_peers, to, setting); }};
  };
  std::vector<row> rows;
  if (stiff) {
    rows.push_back(by_verlet(16000));
    for (const double rate : {240., 960.}) rows.push_back(by_implicit_steps(rate));
    if (side <= 32)  // a larger net takes them half an hour
      for (const double rate : {60., 240.}) rows.push_back(by_newton(rate));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 960 Hz", bench::solve_net_by_hand, 960));
  } else {
    for (const double rate : {480., 740.}) rows.push_back(by_verlet(rate));
    for (const double rate : {60., 240.}) rows.push_back(by_implicit_steps(rate));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 60 Hz", bench::solve_net_by_hand, 60));
    rows.push_back(by_peer("by hand: linearly implicit Euler, 240 Hz", bench::solve_net_by_hand, 240));
    rows.push_back(by_peer("arkode: explicit Bogacki-Shampine 3(2), 1e-3", bench::solve_net_by_arkode, 1e-3));
    rows.push_back(by_peer("cvode: BDF, GMRES, block Jacobi, 1e-3", bench::solve_net_by_cvode, 1e-3));
  }
  const std::vector<bench::contestant> runs = measure_rows(side, stiffness_to_mass, rows, reference, quick);
  const std::string title = "cloth " + std::to_string(side) + "^2, k/m = " + (stiff ? "1e8" : "1e5");
  const auto best = [&](double bound, auto may_win) { return fastest(rows, runs, bound, may_win); };
  if (stiff) {
    compare(title, 0.12, best(0.12, [](who whose) { return whose == who::ours_implicit; }),
            best(0.12, [](who whose) { return whose == who::ours_explicit; }), "<= 0.1", found);
    return;
  }
  for (const double bound : {0.12, 3e-3})
    compare(title, bound, best(bound, [](who whose) { return whose != who::peer; }), best(bound, [](who whose) { return whose == who::peer; }),
            "<= 0.5", found);
}

}  // namespace

int main(int count, char** given) {
  const bench::arguments said(count, given);
  const std::vector<std::size_t> sides = said.sizes({32, 100, 300, 1000}, {32});
  bench::figures found(said);
  for (const double rate : {240., 60.}) {
    measure_growth(sides, rate, found);
    for (const std::size_t side : sides) measure_step(side, rate, start::falling);
  }
  for (const std::size_t side : sides)
    for (const double stiffness_to_mass : {1e5, 1e8})
      if (side <= (stiffness_to_mass > 1e6 ? 100 : 300)) measure_second(side, stiffness_to_mass, said.quick, found);
}
