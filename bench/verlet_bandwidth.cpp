// A Verlet step of 10⁶ particles under uniform gravity against the machine's copy bandwidth, in one program, alternating.
//
// What a step must move, in numbers of 8 bytes a coordinate: read q, v, a and write q', v (kick and drift); write a' (gravity reads
// nothing); read v, a' and write v' (kick). Nine, and a copy moves two. (Writes are counted once; on processors that read a line before
// they write it, both pay for that.)
//
//     bench_verlet_bandwidth [--quick] [--into FOLDER]
#include "figures.hpp"
#include "timing.hpp"

#include <ensue/ensue.hpp>

#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t particles = 1'000'000, coordinates = 3 * particles;
constexpr double numbers_a_step = 9, numbers_a_copy = 2;

struct gravity {
  void acceleration(double, std::span<const double>, std::span<double> a) const {
    for (std::size_t i = 0; i < a.size(); i += 3) a[i] = 0, a[i + 1] = 0, a[i + 2] = -9.81;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  std::vector<double> start(2 * coordinates, 1), from(2 * coordinates, 1), to(2 * coordinates);
  ensue::integrator sim{gravity{}, start, ensue::verlet{}, ensue::options<std::vector<double>>{.step = 1e-3}};
  sim.step();
  std::vector<bench::contestant> runs;
  runs.push_back({"verlet step", [&] { return sim.step(), 1; }});
  runs.push_back({"copy", [&] { std::copy(from.begin(), from.end(), to.begin());
                    bench::keep(to);
                    return 1;
                  }});
  bench::alternate(runs, given.rounds(101, 41));
  const double step = bench::quantile(runs[0].nanoseconds, 0.5), copy = bench::quantile(runs[1].nanoseconds, 0.5);
  const double step_rate = numbers_a_step * coordinates * 8 / step, copy_rate = numbers_a_copy * 2 * coordinates * 8 / copy;
  std::printf("verlet %.2f ms a step, %.1f GB/s; copy %.2f ms, %.1f GB/s; ratio %.2f\n", step * 1e-6, step_rate, copy * 1e-6, copy_rate,
              step_rate / copy_rate);
  std::vector<double> rates = bench::ratios(runs[1], runs[0]);  // of times
  for (double& rate : rates) rate *= numbers_a_step / (2 * numbers_a_copy);
  bench::figures(given).add("verlet-bandwidth", "Verlet step of 10^6 particles under gravity, bytes a second, / a copy's", rates, "", ">= 0.8");
}
