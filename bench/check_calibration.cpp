/// Random problem files with known solutions, each solved by a random method, tolerance or fixed step: is the true error at most three times the
/// estimate of `--check`? What runs is what `ensue solve --check` runs (apps/ensue/check.hpp), in this process.
///
///     bench_check_calibration [--problems N] [--seed S] [--kind KIND] [--verbose] [--show]
///
/// The problems are those with the seeds S, S + 1, …, S + N - 1: `--seed S --problems 1 --verbose` runs a worst case again, --show prints its file. The exit
/// status is 1 where less than 99.5 % hold.
#include "reliability/calibration/judge_check.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

using namespace ensue;
using namespace ensue::calibration;

struct wishes {
  std::uint64_t problems = 5000, seed = 1;
  std::string kind;
  bool verbose = false, show = false;

  wishes(int count, char** given) {
    for (int i = 1; i < count; ++i) {
      const std::string word = given[i];
      if (word == "--verbose") verbose = true;
      else if (word == "--show") show = true;
      else if (i + 1 == count) usage();
      else if (word == "--problems") problems = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--seed") seed = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--kind") kind = given[++i];
      else usage();
    }
  }
  [[noreturn]] static void usage() {
    std::fprintf(stderr, "usage: bench_check_calibration [--problems N] [--seed S] [--kind KIND] [--verbose] [--show]\n");
    std::exit(2);
  }
};

struct tally {
  int runs = 0, without = 0, hold = 0, unseen = 0, too_high = 0;
  double worst = 0;
  std::uint64_t worst_seed = 0;

  void add(const judged_check& found, std::uint64_t seed) {
    if (!found.has_estimate()) return void(++without);
    ++runs;
    hold += found.holds();
    unseen += found.unseen;
    too_high += found.estimate > 10 * std::max(found.error, found.rounding);
    if (!(found.ratio() <= worst)) worst = found.ratio(), worst_seed = seed;
  }
};

int main(int argc, char** argv) {
  const wishes given(argc, argv);
  const auto began = std::chrono::steady_clock::now();
  std::map<std::string, tally> all;
  double before = 0, more = 0;
  for (std::uint64_t seed = given.seed; seed < given.seed + given.problems; ++seed) {
    const written_problem one(seed);
    if (!given.kind.empty() && one.kind != given.kind) continue;
    if (given.show) std::printf("%s\n", one.text.c_str());
    const judged_check found = judge_check(one);
    for (const std::string& kind : {std::string("all"), std::string(one.kind)}) all[kind].add(found, seed);
    before += static_cast<double>(found.evaluations), more += static_cast<double>(found.evaluations_of_check);
    if (given.verbose || !found.holds())
      std::printf("seed %llu %s %s rtol %.1e step %.3g points %.3g%s: error %.3g estimate %.3g ratio %.3g evaluations %lld + %lld %s %s\n",
                  static_cast<unsigned long long>(seed), std::string(one.kind).c_str(), std::string(one.method->name).c_str(), one.rtol, one.step,
                  one.between_points, one.backwards ? " backwards" : "", found.error, found.estimate, found.ratio(),
                  static_cast<long long>(found.evaluations), static_cast<long long>(found.evaluations_of_check), found.failed.c_str(),
                  found.ending.starts_with("finished") ? "" : found.ending.c_str());
  }
  std::printf("%-14s %7s %9s %9s %9s %9s %10s  %s\n", "kind", "runs", "<= 3", "10 x high", "unseen", "without", "worst", "again with");
  for (const auto& [kind, found] : all)
    std::printf("%-14s %7d %8.2f%% %9d %9d %9d %10.3g  --problems 1 --seed %llu\n", kind.c_str(), found.runs,
                100. * found.hold / std::max(found.runs, 1), found.too_high, found.unseen, found.without, found.worst,
                static_cast<unsigned long long>(found.worst_seed));
  std::printf("evaluations of the second run / of the first: %.3g; %.0f s\n", more / before,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return all["all"].hold >= 0.995 * all["all"].runs ? 0 : 1;
}
