/// Random strokes (tests/sculpting/random_strokes.hpp): is the worst error of a vertex within what is asked for, with every method?
///
///     bench_sculpting_scan [--strokes N] [--seed S] [--kind KIND] [--method NAME] [--vertices V] [--verbose]
///
/// N strokes of each kind, with the seeds S, S + 1, …; `--kind K --seed S --strokes 1` runs one again. V: vertices in each of four groups. Each line: how many strokes miss what is asked
/// for, the worst error in units of it and its seed, evaluations a vertex. The exit status is 1 where any stroke misses it.
#include "sculpting/random_strokes.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ensue;
using namespace ensue::tests;

namespace {

constexpr sculpting_method methods[] = {sculpting_method::bs32, sculpting_method::dp54, sculpting_method::tsit5};
constexpr const char* names[] = {"bs32", "dp54", "tsit5"};

struct wishes {
  std::uint64_t strokes = 300, seed = 1;
  int vertices = 24;
  std::string kind, method;
  bool verbose = false;

  wishes(int count, char** given) {
    for (int i = 1; i < count; ++i) {
      const std::string word = given[i];
      if (word == "--verbose") verbose = true;
      else if (i + 1 == count) usage();
      else if (word == "--strokes") strokes = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--seed") seed = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--vertices") vertices = std::atoi(given[++i]);
      else if (word == "--kind") kind = given[++i];
      else if (word == "--method") method = given[++i];
      else usage();
    }
  }
  [[noreturn]] static void usage() {
    std::fprintf(stderr, "usage: bench_sculpting_scan [--strokes N] [--seed S] [--kind KIND] [--method NAME] [--vertices V] [--verbose]\n");
    std::exit(2);
  }
};

struct score {
  int runs = 0, missed = 0;
  double worst = 0;
  std::uint64_t seed = 0;
  std::int64_t evaluations = 0, vertices = 0;

  void add(double share, std::uint64_t of) {
    ++runs;
    missed += !(share <= 1);
    if (!(share <= worst)) worst = share, seed = of;
  }
};

void print_case(const random_sculpting& one, std::uint64_t seed, const char* method, double share) {
  double way = 0;
  const auto& poses = one.strokes[0].poses;
  for (std::size_t i = 1; i < poses.size(); ++i)
    way += std::hypot(poses[i].position[0] - poses[i - 1].position[0], poses[i].position[1] - poses[i - 1].position[1], poses[i].position[2] - poses[i - 1].position[2]);
  const vec<double, 3> turn = (poses.back().orientation * poses.front().orientation.conjugate()).log();
  std::printf("%-10s seed %llu %-5s share %.3g: way %.3g radii of %.3g, %zu poses, turn %.3g, growth %.3g, nu %.3g, tolerance %.3g radii%s\n", name_of(one.kind).data(),
              static_cast<unsigned long long>(seed), method, share, way / one.strokes[0].outer_radius, one.strokes[0].outer_radius, poses.size(), std::sqrt(dot(turn, turn)),
              std::log(poses.back().scale), one.strokes[0].compressibility, one.settings.tolerance / one.strokes[0].outer_radius, one.settings.bi_scale ? "" : ", one scale");
}

}  // namespace

int main(int argc, char** argv) {
  const wishes given(argc, argv);
  const auto began = std::chrono::steady_clock::now();
  bool held = true;
  std::printf("%-10s %-5s %7s %7s %10s %8s %12s\n", "kind", "", "strokes", "missed", "worst", "seed", "evaluations");
  for (const stroke_kind kind : stroke_kinds) {
    if (!given.kind.empty() && given.kind != name_of(kind)) continue;
    score found[std::size(methods)];
    for (std::uint64_t seed = given.seed; seed < given.seed + given.strokes; ++seed) {
      const random_sculpting one(kind, seed, given.vertices);
      const std::vector<vec<double, 3>> exact = exact_ends(one);
      for (std::size_t m = 0; m < std::size(methods); ++m) {
        if (!given.method.empty() && given.method != names[m]) continue;
        const double share = worst_share(one, methods[m], exact, &found[m].evaluations);
        found[m].add(share, seed);
        found[m].vertices += static_cast<std::int64_t>(one.vertices.size());
        if (given.verbose && !(share <= 1)) print_case(one, seed, names[m], share);
      }
    }
    for (std::size_t m = 0; m < std::size(methods); ++m) {
      if (found[m].runs == 0) continue;
      held = held && found[m].missed == 0;
      std::printf("%-10s %-5s %7d %7d %10.3g %8llu %12.1f\n", name_of(kind).data(), names[m], found[m].runs, found[m].missed, found[m].worst,
                  static_cast<unsigned long long>(found[m].seed), static_cast<double>(found[m].evaluations) / static_cast<double>(found[m].vertices));
    }
    std::fflush(stdout);
  }
  std::printf("%.0f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return held ? 0 : 1;
}
