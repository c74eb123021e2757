/// Many trajectories at once: particles a second beside Boost.odeint, and the bench case of sculpting (one million vertices on a sphere, Kelvinlets,
/// float). What refilling lanes and a second thread are worth: busy_lanes.cpp.
///
///     build/bench/bench/bench_batch [--quick] [--into FOLDER] FOLDER_OF_STROKES [vertices]        10^6 unless said
#include "figures.hpp"
#include "timing.hpp"

#include "meshes/mesh.hpp"
#include "sculpting/stroke.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/methods/explicit/vern9.hpp>
#include <ensue/models/flows.hpp>
#include <ensue/models/kelvinlet.hpp>
#include <ensue/solve.hpp>

#include <boost/numeric/odeint.hpp>

#include <array>
#include <cmath>
#include <random>

namespace {

using ensue::vec;

struct lorenz {
  template <class Time, class X, class DX> void operator()(const Time&, const X& u, DX& du) const {
    using T = std::remove_cvref_t<decltype(u[0])>;
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (T(28) - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8. / 3) * u[2];
  }
};

/// The flow as odeint's users write it, with the library's sines.
struct abc_with_library {
  void operator()(double, const auto& x, auto& dx) const {
    const double a = std::sqrt(3.), b = std::sqrt(2.), c = 1;
    dx[0] = a * std::sin(x[2]) + c * std::cos(x[1]);
    dx[1] = b * std::sin(x[0]) + a * std::cos(x[2]);
    dx[2] = c * std::sin(x[1]) + b * std::cos(x[0]);
  }
};

constexpr double first_step = 0.01;  // odeint's users name one, so that both are given it

template <class F> struct in_order_of_odeint {
  F f;
  void operator()(const auto& x, auto& dx, double t) const { f(t, x, dx); }
};

using particle = vec<double, 3>;

std::vector<particle> particles(std::size_t count, double low, double high) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place(low, high);
  std::vector<particle> made(count);
  for (particle& each : made)
    for (double& x : each) x = place(random);
  return made;
}

template <class F> __attribute__((noinline, flatten)) void by_odeint(const F& f, std::vector<particle>& all, double to, double tolerance) {
  namespace odeint = boost::numeric::odeint;
  using state = std::array<double, 3>;
  auto stepper = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<state>());
  for (particle& each : all) {
    state x = {each[0], each[1], each[2]};
    stepper.reset();
    odeint::integrate_adaptive(stepper, in_order_of_odeint<F>{f}, x, 0., to, first_step);
    each = {x[0], x[1], x[2]};
  }
}

/// Median error of a sample against tight runs.
template <class F> double median_error(const F& f, const std::vector<particle>& start, const std::vector<particle>& end, double to) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < start.size(); i += 37) {
    const auto exact = ensue::solve(f, start[i], {0, to}, ensue::vern9{}, {.rtol = 1e-12, .atol = 1e-12});
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) squared += std::pow(exact.state[c] - end[i][c], 2);
    errors.push_back(std::sqrt(squared));
  }
  return bench::quantile(errors, 0.5);
}

/// `Lanes`: 0, as many as there are where nothing is said.
template <int Lanes, class Ours, class Theirs> void beside_odeint(const char* title, const Ours& f, const Theirs& g, double low, double high,
                                                       double to, const char* target, int rounds, bench::figures& found) {
  constexpr double tolerance = 1e-4;
  const std::vector<particle> start = particles(20'000, low, high);
  std::vector<particle> ours, theirs;
  ensue::batch_report report;
  ensue::batch together{f, ensue::dp54{}, {.rtol = tolerance, .atol = tolerance, .first_step = first_step}};
  std::vector<bench::contestant> all;
  all.push_back({"odeint, dopri5, one by one", [&] {
                   theirs = start;
                   by_odeint(g, theirs, to, tolerance);
                   return static_cast<long long>(start.size());
                 }});
  all.push_back({"ensue::batch, dp54", [&] {
                   ours = start;
                   report = together.template advance<Lanes>(ours, {0., to});
                   return static_cast<long long>(start.size());
                 }});
  bench::compare(title, "particle", all, 0, rounds);
  found.add("lanes", std::string(title) + ", one core, particles a second, / odeint's", bench::ratios(all[0], all[1]), "", target);
  std::printf("  odeint takes %.2f times as long; median errors %.3g, odeint %.3g; %.1f evaluations a particle; lanes at work %.4f\n",
              1 / bench::quantile(bench::ratios(all[1], all[0]), 0.5), median_error(g, start, ours, to), median_error(g, start, theirs, to),
              static_cast<double>(report.evaluations) / static_cast<double>(start.size()), report.occupancy());
}

constexpr double tolerance = 1.3e-4, radius = 0.15;

template <class Method> void sculpting(const ensue::stroke& of, bool push, std::size_t vertices, const char* target, int rounds,
                                       bench::figures& found) {
  using namespace ensue::models;
  const auto tool = tool_motion<float>::between(of.poses.front(), of.poses.back());
  const auto exact_tool = tool_motion<double>::between(of.poses.front(), of.poses.back());
  const kelvinlet_settings body{.radius = of.outer_radius, .poisson_ratio = of.compressibility};
  const kelvinlet_field<double, 1> exact{{kelvinlet<double>(exact_tool, body)}};
  const double speed = std::sqrt(dot(exact_tool.velocity, exact_tool.velocity));
  vec<double, 3> centre;
  for (std::size_t i = 0; i < 3; ++i) centre[i] = of.poses.front().position[i] + (push ? radius : -radius) * exact_tool.velocity[i] / speed;
  const ensue::mesh start = ensue::fibonacci_sphere(vertices, radius, centre);
  const double duration = exact_tool.duration, radii_a_second = speed / of.outer_radius;
  constexpr bool bs32 = std::is_same_v<Method, ensue::bs32>, dp54 = std::is_same_v<Method, ensue::dp54>;
  ensue::options<std::span<double>> settings{.rtol = 0, .atol = tolerance / (bs32 ? 20 : 25)};  // as src/sculpting/sculpting_control.cpp has it where no vertex needs care
  settings.control.keep = bs32 || dp54 ? 1.2 : 1.3;
  if (bs32) settings.control.safety = 0.85;
  settings.first_step = (bs32 ? 0.22 : 0.86) / radii_a_second;
  settings.max_step = (bs32 ? 0.79 : 2.5) / radii_a_second;
  settings.min_step = 1e-4 * duration;
  settings.when_too_small = ensue::at_min_step::accept_and_mark;
  ensue::batch move{kelvinlet_field<float, 1>{{kelvinlet<float>(tool, body)}}, Method{}, settings};
  std::vector<vec<float, 3>> moved;
  ensue::batch_report report;
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    moved = start.vertices;
    const double before = bench::thread_seconds();
    report = move.advance(moved, {0.f, tool.duration});
    seconds.push_back(bench::thread_seconds() - before);
  }
  double worst = 0, mean = 0;
  const std::size_t sample = std::min<std::size_t>(vertices, 20'000);
  for (std::size_t k = 0; k < sample; ++k) {
    const std::size_t i = k * vertices / sample;
    const vec<float, 3>& x = start.vertices[i];
    const auto run = ensue::solve(exact, vec<double, 3>{x[0], x[1], x[2]}, {0, duration}, ensue::vern9{}, {.rtol = 1e-12, .atol = 1e-11});
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) squared += std::pow(run.state[c] - moved[i][c], 2);
    worst = std::max(worst, std::sqrt(squared));
    mean += std::sqrt(squared) / static_cast<double>(sample);
  }
  const auto count = static_cast<double>(vertices);
  std::vector<double> rates;
  for (const double each : seconds) rates.push_back(1e-6 * count / each);
  const std::string title = std::string("sculpting, ") + (push ? "push, " : "pull, ") + Method::name;
  found.add("sculpting", title, rates, "Mvertices/s", target);
  found.add("sculpting", title + ", worst error", worst, "m", "<= " + bench::short_number(tolerance));
  std::printf(
      "sculpting, %s, %-5s %6.2f Mvertices/s [%.2f, %.2f]; %.2f evaluations, %.3f rejected; worst error %.3g m, mean %.2g; at smallest "
      "step %zu\n",
      push ? "push" : "pull", Method::name, bench::quantile(rates, 0.5), bench::quantile(rates, 0.25), bench::quantile(rates, 0.75), static_cast<double>(report.evaluations) / count,
      static_cast<double>(report.rejected) / count, worst, mean, report.at_smallest_step);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  if (given.rest.empty()) {
    std::fprintf(stderr, "bench_batch FOLDER_OF_STROKES [vertices]\n");
    return 2;
  }
  bench::figures found(given);
  const int rounds = given.quick ? 5 : 9;
  beside_odeint<0>("ABC flow, t <= 10, tolerance 1e-4", ensue::models::abc_flow<double>{}, abc_with_library{}, 0, 6.283185307179586, 10, ">= 15", rounds, found);
  constexpr int one_register = ensue::lanes_of_register<double>;
  beside_odeint<0>("Lorenz, t <= 1, tolerance 1e-4", lorenz{}, lorenz{}, -10, 10, 1, "", rounds, found);
  beside_odeint<one_register>("Lorenz in lanes of one register, t <= 1, tolerance 1e-4", lorenz{}, lorenz{}, -10, 10, 1, ">= 7", rounds, found);
  const ensue::stroke pull = ensue::read_stroke(given.rest[0] + "/test0_righthandstroke.bin");
  const std::size_t vertices = static_cast<std::size_t>(given.number(1, 1e6));
  for (const bool push : {false, true}) {
    sculpting<ensue::dp54>(pull, push, vertices, ">= 17", rounds, found);
    sculpting<ensue::bs32>(pull, push, vertices, ">= 6", rounds, found);
    sculpting<ensue::tsit5>(pull, push, vertices, "", rounds, found);
  }
}
