/// The work–precision table: for each problem and error level the best of each library, ours against the best peer, and what
/// that comes to.
#pragma once

#include "peers/entrant.hpp"
#include "timing.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace bench {

inline constexpr double levels[] = {1e-3, 1e-6, 1e-9};

/// One method at one tolerance, measured.
struct point {
  const entrant* who;
  double tolerance;
  prepared ready;
  double error;
  long long evaluations;
  double nanoseconds;
};

class table {
 public:
  explicit table(int rounds) : rounds_(rounds) {}

  /// The points of one problem, all of them swept. The best of each library and level, by the sweep, run once more against
  /// each other: the least of many medians is a lucky one.
  template <class Contest> void add(const std::string& problem, const std::vector<point>& points, Contest contest) {
    std::printf("\n%s\n", problem.c_str());
    for (const double level : levels) {
      std::map<std::string, const point*> best;
      for (const point& p : points)
        if (p.error <= level && (!best[p.who->library] || p.nanoseconds < best[p.who->library]->nanoseconds))
          best[p.who->library] = &p;
      std::erase_if(best, [](const auto& entry) { return !entry.second; });
      if (!best.empty()) add_cell(problem, level, best, contest);
      compare_evaluations(problem, level, points);
    }
  }

  void print_verdict() const {
    std::printf("\nours / best peer, all cells but Arenstorf at 1e-9: geometric mean %.3f, largest %.3f (%s)\n",
                std::exp(logarithms_ / cells_), largest_, where_.c_str());
    if (evaluation_cells_ == 0) return;
    std::printf("evaluations, ours / best Runge-Kutta peer: geometric mean %.3f, largest %.3f (%s)\n",
                std::exp(evaluation_logarithms_ / evaluation_cells_), most_evaluations_, where_most_.c_str());
  }

 private:
  template <class Contest>
  void add_cell(const std::string& problem, double level, const std::map<std::string, const point*>& best,
                Contest contest) {
    std::vector<contestant> runs;
    for (const auto& [library, p] : best) runs.push_back(contest(*p));
    alternate(runs, rounds_);
    const contestant *ours = nullptr, *peer = nullptr;
    std::size_t i = 0;
    std::printf("  error <= %.0e\n", level);
    for (const auto& [library, p] : best) {
      const contestant& run = runs[i++];
      const double median = quantile(run.nanoseconds, 0.5);
      std::printf("    %-8s %-28s tol %7.1e  error %7.1e  %7lld evals %10.2f us [%.2f, %.2f]\n", library.c_str(),
                  p->who->method.c_str(), p->tolerance, p->error, p->evaluations, median / 1e3,
                  quantile(run.nanoseconds, 0.25) / 1e3, quantile(run.nanoseconds, 0.75) / 1e3);
      if (library == "ensue") ours = &run;
      else if (!peer || median < quantile(peer->nanoseconds, 0.5)) peer = &run;
    }
    if (!ours || !peer) return;
    const std::vector<double> quotients = ratios(*ours, *peer);
    const double ratio = quantile(quotients, 0.5);
    std::printf("    ours / best peer %.3f [%.3f, %.3f]%s\n", ratio, quantile(quotients, 0.25),
                quantile(quotients, 0.75), ratio > 0.9 ? "  over 0.9" : "");
    if (problem == arenstorf::name && level == 1e-9) return;
    logarithms_ += std::log(ratio), ++cells_;
    if (ratio > largest_) largest_ = ratio, where_ = cell_name(problem, level);
  }

  void compare_evaluations(const std::string& problem, double level, const std::vector<point>& points) {
    const point *ours = nullptr, *peer = nullptr;
    for (const point& p : points) {
      if (!(p.error <= level) || !p.who->runge_kutta) continue;
      const point*& best = p.who->library == "ensue" ? ours : peer;
      if (!best || p.evaluations < best->evaluations) best = &p;
    }
    if (!ours || !peer) return;
    const double ratio = static_cast<double>(ours->evaluations) / static_cast<double>(peer->evaluations);
    std::printf("    evaluations: %s %lld, %s %s %lld: %.3f%s\n", ours->who->method.c_str(), ours->evaluations,
                peer->who->library.c_str(), peer->who->method.c_str(), peer->evaluations, ratio,
                ratio > 1 ? "  over 1" : "");
    evaluation_logarithms_ += std::log(ratio), ++evaluation_cells_;
    if (ratio > most_evaluations_) most_evaluations_ = ratio, where_most_ = cell_name(problem, level);
  }

  static std::string cell_name(const std::string& problem, double level) {
    char text[16];
    std::snprintf(text, sizeof text, " at %.0e", level);
    return problem + text;
  }

  int rounds_;
  double logarithms_ = 0, evaluation_logarithms_ = 0, largest_ = 0, most_evaluations_ = 0;
  int cells_ = 0, evaluation_cells_ = 0;
  std::string where_, where_most_;
};

}  // namespace bench
