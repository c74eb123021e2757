/// Random problems with known solutions, every adaptive method that takes them, three tolerances: how far off is what a method says, in
/// tolerances times the problem's own amplification of errors (tests/reliability/calibration/judge.hpp)? At step ends, at random points
/// between them, at the time of an event.
///
///     bench_calibration [--problems N] [--seed S] [--method NAME] [--kind KIND] [--tolerance T] [--verbose] [--into FOLDER]
///
/// The problems are those with the seeds S, S + 1, …, S + N - 1: `--seed S --problems 1 --method M` runs a worst case again. --verbose
/// shows each run. The exit status is 1 where a method of order 3 or more is off by more than 1000 anywhere.
#include "csv.hpp"
#include "reliability/calibration/judge.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <tuple>

using namespace ensue;
using namespace ensue::calibration;

struct wishes {
  std::uint64_t problems = 10'000, seed = 1;
  std::string method, kind, into;
  double tolerance = 0;
  bool verbose = false;

  wishes(int count, char** given) {
    for (int i = 1; i < count; ++i) {
      const std::string word = given[i];
      if (word == "--verbose") verbose = true;
      else if (i + 1 == count) usage();
      else if (word == "--problems") problems = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--seed") seed = std::strtoull(given[++i], nullptr, 10);
      else if (word == "--method") method = given[++i];
      else if (word == "--kind") kind = given[++i];
      else if (word == "--tolerance") tolerance = std::strtod(given[++i], nullptr);
      else if (word == "--into") into = given[++i];
      else usage();
    }
    if (!method.empty() && !find_method(method)) std::fprintf(stderr, "%s\n", no_such_method(method).c_str()), std::exit(2);
  }
  [[noreturn]] static void usage() {
    std::fprintf(stderr, "usage: bench_calibration [--problems N] [--seed S] [--method NAME] [--kind KIND] [--tolerance T] [--verbose] [--into FOLDER]\n");
    std::exit(2);
  }
};

/// By method (in the registry's order), place and kind; kind "" is all of them.
using scores = std::map<std::tuple<std::size_t, int, std::string_view>, score>;

void print(const scores& all, const std::string& into) {
  bench::csv_file table(into.empty() ? "" : into + "/calibration.csv",
                        {"method", "order", "place", "kind", "runs", "within 1", "within 10", "within 30", "within 100", "within 1000", "ended early",
                         "worst", "tolerance", "seed"});
  std::printf("%-18s %-7s %7s %8s %8s %8s %8s %8s %6s %10s  %s\n", "method", "place", "runs", "<= 1", "<= 10", "<= 30", "<= 100", "<= 1000", "early",
              "worst", "again with");
  for (const auto& [key, found] : all) {
    const auto& [number, where, kind] = key;
    const method_info& method = *all_methods()[number];
    bench::csv_cells row{std::string(method.name), std::to_string(method.order), std::string(places[where]), std::string(kind), std::to_string(found.runs)};
    for (std::size_t k = 0; k < std::size(thresholds); ++k) row.push_back(bench::short_number(found.share(k), 6));
    row.push_back(std::to_string(found.ended_early));
    for (const double value : {found.worst, found.worst_tolerance}) row.push_back(bench::short_number(value));
    row.push_back(std::to_string(found.worst_seed));
    table.add(row);
    if (!kind.empty()) continue;
    std::printf("%-18s %-7s %7d", row[0].c_str(), row[2].c_str(), found.runs);
    for (std::size_t k = 0; k < std::size(thresholds); ++k) std::printf(" %7.2f%%", 100 * found.share(k));
    std::printf(" %6d %10.3g  --seed %llu --tolerance %.0e\n", found.ended_early, found.worst, static_cast<unsigned long long>(found.worst_seed),
                found.worst_tolerance);
  }
}

int main(int argc, char** argv) {
  const wishes given(argc, argv);
  const auto began = std::chrono::steady_clock::now();
  scores all;
  for (std::uint64_t seed = given.seed; seed < given.seed + given.problems; ++seed) {
    const random_problem one(seed);
    if (!given.kind.empty() && one.kind != given.kind) continue;
    const allowance allowed(one);
    for (const method_info* method : methods_for(one)) {
      if (!given.method.empty() && !same_method_name(given.method, method->name)) continue;
      const auto number = static_cast<std::size_t>(std::ranges::find(all_methods(), method) - all_methods().begin());
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        if (given.tolerance > 0 && std::abs(std::log(tolerance / given.tolerance)) > 1) continue;
        const finding found = judge(one, allowed, *method, tolerance);
        for (const int where : {at_steps, at_points, at_events})
          if (where != at_events || found.has_event)
            for (const std::string_view kind : {std::string_view(), one.kind}) {
              score& to = all[{number, where, kind}];
              to.add(found.ratio[where], tolerance, seed);
              to.ended_early += !found.finished;
            }
        if (given.verbose)
          std::printf("seed %llu %s n=%zu %s %.0e: steps %.3g points %.3g events %.3g %s\n", static_cast<unsigned long long>(seed), std::string(one.kind).c_str(),
                      one.size(), std::string(method->name).c_str(), tolerance, found.ratio[at_steps], found.ratio[at_points],
                      found.has_event ? found.ratio[at_events] : 0, found.ending.c_str());
      }
    }
  }
  print(all, given.into);
  std::printf("%llu problems, %.0f s\n", static_cast<unsigned long long>(given.problems),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  for (const auto& [key, found] : all)
    if (has_high_order(*all_methods()[std::get<0>(key)]) && !(found.worst <= 1000)) return 1;
  return 0;
}
