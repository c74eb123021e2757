/// A whole work–precision table: every entrant at every tolerance on each problem, thread CPU time of a solve with its output against the
/// largest error over the output times. A point that fails, or costs more than the budget of evaluations, is left out.
///
/// What it costs is bounded: an entrant that took long for one solve, or far longer than another one, is not asked for tighter tolerances; only
/// points that may be the best of their library are timed again; the best of the libraries meet as often as the time for it allows.
#pragma once

#include "peers/entrant.hpp"
#include "peers/reference.hpp"
#include "table.hpp"
#include "timing.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace bench {

/// Every half decade: with whole ones a method misses an error level by chance.
inline std::vector<double> tolerances(const table_settings& s) {
  std::vector<double> all;
  for (int half_decades = 2 * 2; half_decades <= 2 * s.last_decade(); ++half_decades) all.push_back(std::pow(10., -half_decades / 2.));
  return all;
}

/// Solves again and again until the clock's grain does not matter; the number of times is found once, and what the last of them took is
/// its first time.
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
  double seconds = 0;
  for (;; repeats *= 2) {
    const double before = thread_seconds();
    run(repeats);
    seconds = thread_seconds() - before;
    if (seconds * 2 > batch_seconds) break;
  }
  return {p.who->method, [run, repeats] { return run(repeats); }, {1e9 * seconds / static_cast<double>(repeats)}};
}

/// Every method at every tolerance on one problem, with errors and evaluations.
inline std::vector<point> solved(const std::vector<entrant>& all, const reference& truth, const table_settings& s) {
  std::vector<point> points;
  std::vector<double> out(output_count * truth.dimension);
  std::map<double, double> least;  // seconds of anybody, by tolerance
  for (const entrant& who : all) {
    if (who.problem != truth.problem) continue;
    for (const double tolerance : tolerances(s)) {
      prepared ready = who.prepare(tolerance, tolerance * who.atol_factor);
      const double before = thread_seconds();
      const long long evaluations = ready.evaluations();
      const double seconds = thread_seconds() - before;
      double& best = least.try_emplace(tolerance, s.solve_seconds()).first->second;
      if (evaluations >= 0 && ready.solve(out.data())) {
        const double error = truth.error(out);
        if (std::isfinite(error)) points.push_back({&who, tolerance, std::move(ready), error, evaluations, 0});
        best = std::min(best, seconds);
      }
      if (seconds > std::clamp(s.hopeless_times * best, s.never_long_seconds, s.solve_seconds())) break;
    }
  }
  return points;
}

/// Whether nobody of its library does what it does in half of its time.
inline bool may_be_best(const point& one, const std::vector<point>& points) {
  return std::none_of(points.begin(), points.end(), [&](const point& other) {
    return other.who->library == one.who->library && other.error <= one.error && other.nanoseconds < one.nanoseconds / 2;
  });
}

inline void sweep(std::vector<point>& points, const reference& truth, const table_settings& s) {
  std::vector<contestant> runs;
  for (point& p : points) {
    runs.push_back(contest(p, truth.dimension, s.batch_seconds()));
    p.nanoseconds = runs.back().nanoseconds[0];
  }
  std::vector<contestant> again;
  std::vector<point*> their_points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!may_be_best(points[i], points)) continue;
    again.push_back(runs[i]);
    their_points.push_back(&points[i]);
  }
  alternate(again, s.rounds());
  for (std::size_t i = 0; i < again.size(); ++i) their_points[i]->nanoseconds = quantile(again[i].nanoseconds, 0.5);
}

/// Runs and prints it; returns the program's exit code.
inline int run_table(const std::vector<entrant>& all, const std::vector<reference_maker>& truths, const table_goals& goals,
                     const table_settings& s) {
  csv_file csv(s.file("points"), {"problem", "library", "method", "tolerance", "error", "evaluations", "microseconds"});
  table results(goals, s);
  for (const reference_maker& maker : truths) {
    if (maker.problem.find(s.only) == std::string::npos) continue;
    const reference truth = maker.make(s.levels().back());
    std::printf("%s: the two references agree to %.1e\n", truth.problem.c_str(), truth.doubt);
    std::vector<point> points = solved(all, truth, s);
    sweep(points, truth, s);
    for (const point& p : points)
      csv.add({truth.problem, p.who->library, p.who->method, short_number(p.tolerance), short_number(p.error),
               std::to_string(p.evaluations), short_number(p.nanoseconds / 1e3)});
    results.add(truth.problem, points, [&](const point& p) { return contest(p, truth.dimension, s.batch_seconds()); });
    std::fflush(stdout);
  }
  results.print_verdict();
  return 0;
}

}  // namespace bench
