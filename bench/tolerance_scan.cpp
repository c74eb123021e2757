/// Stiff problems at 201 tolerances from 1e-2 to 1e-6, every adaptive implicit method: how many finished answers are wrong by more than a
/// tenth of the component's largest value (tests/reliability/tolerance_scan.hpp). The exit status is 1 where one is.
///
///     bench_tolerance_scan [--quick] [--only PART_OF_A_PROBLEMS_NAME] [--into FOLDER] [METHOD…]      --quick: every tenth tolerance
#include "figures.hpp"
#include "reliability/tolerance_scan.hpp"

#include <chrono>

using namespace ensue;

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  bench::csv_file table(given.file("runs"), {"problem", "method", "runs", "finished", "wrong", "worst", "at tolerance", "seconds"});
  const int every = given.quick ? 10 : 1;
  int wrong = 0;
  std::printf("%-24s %-16s %5s %9s %6s %10s %13s %8s\n", "problem", "method", "runs", "finished", "wrong", "worst", "at tolerance", "seconds");
  for (const tests::scanned_problem& problem : tests::scanned_problems()) {
    if (problem.name.find(given.only) == std::string::npos) continue;
    for (const method_info* method : tests::scanned_methods()) {
      if (!given.rest.empty() && std::ranges::count(given.rest, method->name) == 0) continue;
      const auto began = std::chrono::steady_clock::now();
      const tests::scan_result found = tests::scan(problem, *method, every);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      std::printf("%-24s %-16s %5d %9d %6d %10.2g %13.3g %8.2f\n", problem.name.c_str(), std::string(method->name).c_str(), found.runs,
                  found.finished, found.wrong, found.worst, found.worst_tolerance, seconds);
      if (!found.unfinished.empty()) std::printf("    %s\n", found.unfinished.c_str());
      std::fflush(stdout);
      table.add({problem.name, std::string(method->name), std::to_string(found.runs), std::to_string(found.finished),
                 std::to_string(found.wrong), bench::short_number(found.worst), bench::short_number(found.worst_tolerance),
                 bench::short_number(seconds)});
      wrong += found.wrong;
    }
  }
  std::printf("finished and wrong: %d\n", wrong);
  return wrong > 0 ? 1 : 0;
}
