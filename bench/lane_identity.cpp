/// Random trajectories in lanes, in threads and alone, with every explicit method: are they the same to the bit, also beside poisoned ones?
///
///     build/bench/bench/bench_lane_identity [trajectories]
///
/// A row a method. Exit status 1 where anything differs. tests/batch has the same for fewer of them.
#include "batch/lorenz_ensemble.hpp"

#include <ensue/methods.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

using namespace ensue;
using namespace ensue::tests;

constexpr std::size_t sound_for_a_poisoned = 10'000;
constexpr int preferred = preferred_lanes<double>;

/// One in ten thousand with something wrong: its state, its parameter, its times, or a span beyond every budget.
void poison(ensemble& of) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::size_t kind = 0;
  for (std::size_t i = sound_for_a_poisoned / 3; i < of.states.size(); i += sound_for_a_poisoned) {
    switch (kind++ % 5) {
      case 0: of.states[i][1] = none; break;
      case 1: of.states[i] = {1e300, 1e300, 1e300}; break;
      case 2: of.parameters[i] = {none}; break;
      case 3: of.spans[i].to = std::numeric_limits<double>::infinity(); break;
      default: of.spans[i] = {0, 1e5};
    }
  }
}

/// How many have another end state or another ending. Bits are compared: a NaN equals itself. With `but_poisoned`, those are passed over.
std::size_t differing(const ensemble& a, const ensemble& b, bool but_poisoned = false) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    if (but_poisoned && i % sound_for_a_poisoned == sound_for_a_poisoned / 3) continue;
    count += std::memcmp(&a.states[i], &b.states[i], sizeof a.states[i]) != 0 || !(a.endings[i] == b.endings[i]);
  }
  return count;
}

template <class Method> bool same(const ensemble& start) {
  options<std::span<double>> settings{.rtol = 1e-5, .atol = 1e-7, .max_evaluations = 300'000};
  if (Method::table.embedded_rows == 0) settings.step = 0.01;
  ensemble alone = start, in_lanes = start, in_threads = start, poisoned = start;
  const batch_report report = run<1, Method>(alone, settings);
  run<preferred, Method>(in_lanes, settings);
  run<preferred, Method>(in_threads, settings, 3);
  poison(poisoned);
  ensemble poisoned_in_threads = poisoned;
  const batch_report with_poison = run<preferred, Method>(poisoned, settings);
  run<preferred, Method>(poisoned_in_threads, settings, 3);
  const std::size_t found[] = {differing(alone, in_lanes), differing(alone, in_threads), differing(alone, poisoned, true),
                               differing(alone, poisoned_in_threads, true)};
  std::printf("%-18s %9zu %9zu %9.1f %8zu %8zu %9zu %8zu %8zu\n", Method::name, report.trajectories, report.finished,
              static_cast<double>(report.evaluations) / static_cast<double>(report.trajectories), found[0], found[1],
              with_poison.trajectories - with_poison.finished, found[2], found[3]);
  std::fflush(stdout);
  return found[0] + found[1] + found[2] + found[3] == 0 && report.all_finished();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? static_cast<std::size_t>(std::strtod(argv[1], nullptr)) : 100'000;
  const ensemble start = random_ensemble(count);
  std::printf(
      "Lorenz's equations, random starts, parameters and spans; %d lanes, 3 threads. Trajectories that differ from "
      "those alone:\n",
      preferred);
  std::printf("%-18s %9s %9s %9s %8s %8s %9s %8s %8s\n", "", "", "finished", "evals", "lanes", "threads", "poisoned", "lanes", "threads");
  bool good = true;
#define ENSUE_METHOD(...) good = same<__VA_ARGS__>(start) && good;
#include <ensue_explicit.inc>
#undef ENSUE_METHOD
  std::printf("%s\n", good ? "all the same" : "SOME DIFFER");
  return good ? 0 : 1;
}
