/// What refilling lanes is worth where costs are very uneven, and what a second thread is worth.
///
///     build/bench/bench/bench_busy_lanes [--quick] [--into FOLDER] [rounds]
///
/// Two threads are timed by the clock on the wall and want two quiet cores. Where others use these, the processor time of one thread, divided by that
/// of both together, still says what sharing costs: twice that is what quiet cores can give.
#include "figures.hpp"
#include "timing.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>

#include <chrono>
#include <cmath>
#include <random>
#include <vector>

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

/// A body in the plane around a heavy one: x, y and their velocities. Close passages cost many steps.
struct attraction {
  template <class Time, class X, class DX> void operator()(const Time&, const X& u, DX& du) const {
    using std::sqrt;
    using T = std::remove_cvref_t<decltype(u[0])>;
    const T squared = u[0] * u[0] + u[1] * u[1], pull = T(-1) / (squared * sqrt(squared));
    du[0] = u[2];
    du[1] = u[3];
    du[2] = pull * u[0];
    du[3] = pull * u[1];
  }
};

/// States, the time to which each goes, and how each ended.
template <std::size_t N> struct ensemble {
  std::vector<vec<double, N>> states;
  std::vector<ensue::interval<double>> spans = std::vector<ensue::interval<double>>(states.size());
  std::vector<ensue::trajectory_ending> endings = std::vector<ensue::trajectory_ending>(states.size());
};

constexpr std::size_t trajectories = 50'000;

/// Spans from nothing to 20.
ensemble<3> uneven_spans() {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> place(-10, 10);
  std::exponential_distribution<double> span(0.5);
  ensemble<3> made{std::vector<vec<double, 3>>(trajectories)};
  for (auto& each : made.states)
    for (double& x : each) x = place(random);
  for (auto& each : made.spans) each = {0, std::min(span(random), 20.)};
  return made;
}

/// Falls from rest, nearly: one orbit each, from a circle to eccentricities at which the passage lasts a millionth of it.
ensemble<4> uneven_field() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> digits(0, 4);
  ensemble<4> made{std::vector<vec<double, 4>>(trajectories)};
  for (auto& each : made.states) {
    const double eccentricity = 1 - std::pow(10., -digits(random));
    each = {1 + eccentricity, 0, 0, std::sqrt((1 - eccentricity) / (1 + eccentricity))};
  }
  for (auto& each : made.spans) each = {0, 2 * 3.14159265358979323846};
  return made;
}

/// With refilling as measured; without, from what each cost: lanes side by side wait for the slowest of them.
template <class System, std::size_t N> void occupancy(const char* title, const System& system, ensemble<N> all, bench::figures& found) {
  ensue::batch together{system, ensue::dp54{}, {.rtol = 1e-6, .atol = 1e-6}};
  const ensue::batch_report report = together.advance(all.states, all.spans, all.endings);
  constexpr std::size_t lanes = ensue::preferred_lanes<double>;
  const auto attempts_of = [&](std::size_t i) { return static_cast<double>(all.endings[i].steps + all.endings[i].rejected); };
  double at_work = 0, slowest = 0, least = attempts_of(0), most = 0;
  for (std::size_t first = 0; first + lanes <= all.endings.size(); first += lanes) {
    double slowest_here = 0;
    for (std::size_t i = first; i < first + lanes; ++i) {
      at_work += attempts_of(i);
      slowest_here = std::max(slowest_here, attempts_of(i));
      least = std::min(least, attempts_of(i));
    }
    slowest += static_cast<double>(lanes) * slowest_here;
    most = std::max(most, slowest_here);
  }
  std::printf("%s: %.0f to %.0f attempts; %zu lanes at work %.4f with refilling, %.4f without; %zu of %zu finished\n", title, least, most,
              lanes, report.occupancy(), at_work / slowest, report.finished, report.trajectories);
  found.add("occupancy", std::string("lanes at work, ") + title + ", with refilling", report.occupancy());
  found.add("occupancy", std::string("lanes at work, ") + title + ", without refilling", at_work / slowest);
}

double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Of all threads of this program.
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class System, std::size_t N> void two_threads(const char* title, const System& system, const ensemble<N>& start, int rounds,
                                                              bench::figures& found) {
  ensue::batch together{system, ensue::dp54{}, {.rtol = 1e-6, .atol = 1e-6}};
  std::vector<double> ratios, processor_ratios;
  for (int round = 0; round < rounds; ++round) {
    double seconds[2], processor[2];
    for (unsigned threads : {1u, 2u}) {
      ensemble<N> all = start;
      together.threads = threads;
      const double before = wall_seconds(), processor_before = processor_seconds();
      together.advance(all.states, all.spans);
      seconds[threads - 1] = wall_seconds() - before;
      processor[threads - 1] = processor_seconds() - processor_before;
    }
    ratios.push_back(seconds[0] / seconds[1]);
    processor_ratios.push_back(processor[0] / processor[1]);
  }
  found.add("two-threads", std::string(title) + ", batch: two threads / one, by the wall clock", ratios, "", ">= 1.8");
  found.add("two-threads", std::string(title) + ", batch: processor time of one thread / of two together", processor_ratios);
  std::printf(
      "%s: two threads %.2f times as fast as one [%.2f, %.2f] by the wall clock; processor time of one / of both "
      "together %.3f [%.3f, %.3f]\n",
      title, bench::quantile(ratios, 0.5), bench::quantile(ratios, 0.25), bench::quantile(ratios, 0.75),
      bench::quantile(processor_ratios, 0.5), bench::quantile(processor_ratios, 0.25), bench::quantile(processor_ratios, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  const int rounds = given.rounds(9, 5);
  bench::figures found(given);
  const ensemble<3> spans = uneven_spans();
  const ensemble<4> field = uneven_field();
  occupancy("Lorenz, spans from 0 to 20", lorenz{}, spans, found);
  occupancy("an orbit, eccentricities from 0 to 0.9999", attraction{}, field, found);
  two_threads("Lorenz", lorenz{}, spans, rounds, found);
  two_threads("orbits", attraction{}, field, rounds, found);
}
