/// A whole work–precision table: every entrant at every tolerance on each problem, thread CPU time of a solve with its output against the
/// largest error over the output times. A point that fails, or costs more than the budget of evaluations, is left out.
#pragma once

#include "peers/entrant.hpp"
#include "peers/reference.hpp"
#include "table.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bench {

struct settings {
  bool quick = false;
  std::string only;
  const char* csv = nullptr;

  int rounds() const { return quick ? 3 : 7; }
  int final_rounds() const { return quick ? 7 : 31; }
  int decade_parts() const { return quick ? 1 : 2; }  ///< tolerances a decade
  double batch_seconds() const { return quick ? 1e-4 : 3e-4; }
};

inline settings parse(int argc, char** argv) {
  settings s;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--quick")) s.quick = true;
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) s.only = argv[++i];
    else if (argv[i][0] != '-') s.csv = argv[i];
    else std::fprintf(stderr, "usage: [--quick] [--only <part of a name>] [points.csv]\n"), std::exit(2);
  }
  return s;
}

inline std::vector<double> tolerances(int decade_parts) {
  std::vector<double> all;
  for (int i = 2 * decade_parts; i <= 13 * decade_parts; ++i)
    all.push_back(std::pow(10., -static_cast<double>(i) / decade_parts));
  return all;
}

/// Solves again and again until the clock's grain does not matter; the number of times is found once.
inline contestant contest(const point& p, std::size_t dimension, double batch_seconds) {
  auto out = std::make_shared<std::vector<double>>(output_count * dimension);
  long long repeats = 1;
  const auto run = [solve = p.ready.solve, out](long long times) {
    for (long long i = 0; i < times; ++i) {
      solve(out->data());
      keep(*out);
    }
    return times;
  };
  for (double seconds = 0;; repeats *= 2) {
    const double before = thread_seconds();
    run(repeats);
    seconds = thread_seconds() - before;
    if (seconds * 2 > batch_seconds) break;
  }
  return {p.who->method, [run, repeats] { return run(repeats); }};
}

/// Every method at every tolerance on one problem, with errors and evaluations.
inline std::vector<point> solved(const std::vector<entrant>& all, const reference& truth, const settings& s) {
  std::vector<point> points;
  std::vector<double> out(output_count * truth.dimension);
  for (const entrant& who : all) {
    if (who.problem != truth.problem) continue;
    for (const double tolerance : tolerances(s.decade_parts())) {
      prepared ready = who.prepare(tolerance, tolerance * who.atol_factor);
      const long long evaluations = ready.evaluations();
      if (evaluations < 0 || !ready.solve(out.data())) continue;
      const double error = truth.error(out);
      if (std::isfinite(error)) points.push_back({&who, tolerance, std::move(ready), error, evaluations, 0});
    }
  }
  return points;
}

inline void sweep(std::vector<point>& points, const reference& truth, const settings& s) {
  std::vector<contestant> runs;
  for (const point& p : points) runs.push_back(contest(p, truth.dimension, s.batch_seconds()));
  alternate(runs, s.rounds());
  for (std::size_t i = 0; i < points.size(); ++i) points[i].nanoseconds = quantile(runs[i].nanoseconds, 0.5);
}

/// Runs and prints it; returns the program's exit code.
inline int run_table(const std::vector<entrant>& all, const std::vector<reference>& truths, const settings& s) {
  std::FILE* csv = s.csv ? std::fopen(s.csv, "w") : nullptr;
  if (s.csv && !csv) return std::perror(s.csv), 1;
  if (csv) std::fprintf(csv, "problem,library,method,tolerance,error,evaluations,microseconds\n");
  table results(s.final_rounds());
  for (const reference& truth : truths) {
    if (truth.problem.find(s.only) == std::string::npos) continue;
    std::printf("%s: the two references agree to %.1e\n", truth.problem.c_str(), truth.doubt);
    std::vector<point> points = solved(all, truth, s);
    sweep(points, truth, s);
    if (csv)
      for (const point& p : points)
        std::fprintf(csv, "\"%s\",%s,%s,%.3e,%.3e,%lld,%.3f\n", truth.problem.c_str(), p.who->library.c_str(),
                     p.who->method.c_str(), p.tolerance, p.error, p.evaluations, p.nanoseconds / 1e3);
    results.add(truth.problem, points, [&](const point& p) { return contest(p, truth.dimension, s.batch_seconds()); });
    std::fflush(stdout);
  }
  results.print_verdict();
  if (csv) std::fclose(csv);
  return 0;
}

}  // namespace bench
