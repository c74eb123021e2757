/// The work–precision table: for each problem and error level the best of each library, ours against the best peer, and what
/// that comes to.
#pragma once

#include "figures.hpp"
#include "peers/entrant.hpp"
#include "timing.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace bench {

struct table_settings : arguments {
  using arguments::arguments;

  std::vector<double> levels() const { return quick ? std::vector{1e-3, 1e-6} : std::vector{1e-3, 1e-6, 1e-9}; }
  int last_decade() const { return quick ? 11 : 13; }  ///< of the tolerances
  int rounds() const { return quick ? 3 : 7; }
  int final_rounds() const { return quick ? 15 : 31; }
  double batch_seconds() const { return quick ? 1e-4 : 3e-4; }
  double solve_seconds() const { return quick ? 0.1 : 1; }                 ///< who takes longer is not asked for more
  static constexpr double hopeless_times = 25, never_long_seconds = 2e-3;  ///< or so many times as long as another one, above this
  double cell_seconds() const { return quick ? 0.5 : 20; }                 ///< for the last rounds of the best
};

/// What the quotients of ours by the best peer's are to be.
struct table_goals {
  std::string topic;
  double mean, largest;
};

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
  table(const table_goals& goals, const table_settings& settings)
      : goals_(goals),
        settings_(settings),
        figures_(settings),
        cells_file_(settings.file("cells"), {"problem", "level", "library", "method", "tolerance", "error", "evaluations", "microseconds",
                                             "low", "high", "ours / it", "ratio low", "ratio high"}) {}

  /// The points of one problem, all of them swept. The best of each library and level, by the sweep, run once more against
  /// each other: the least of many medians is a lucky one.
  template <class Contest> void add(const std::string& problem, const std::vector<point>& points, Contest contest) {
    std::printf("\n%s\n", problem.c_str());
    for (const double level : settings_.levels()) {
      std::map<std::string, const point*> best;
      for (const point& p : points)
        if (p.error <= level && (!best[p.who->library] || p.nanoseconds < best[p.who->library]->nanoseconds)) best[p.who->library] = &p;
      std::erase_if(best, [](const auto& entry) { return !entry.second; });
      if (!best.empty()) add_cell(problem, level, best, contest);
      compare_evaluations(problem, level, points);
    }
  }

  void print_verdict() {
    const std::string name = goals_.topic + " table, best of ours / best peer, ";
    if (times_.cells > 0) {
      std::printf("\nours / best peer, all cells but Arenstorf at 1e-9: geometric mean %.3f, largest %.3f (%s)\n", times_.mean(),
                  times_.largest, times_.where.c_str());
      figures_.add({goals_.topic, name + "geometric mean of " + std::to_string(times_.cells) + " cells", times_.mean(),
                    std::exp(low_logarithms_ / times_.cells), std::exp(high_logarithms_ / times_.cells), "",
                    "<= " + short_number(goals_.mean)});
      figures_.add({goals_.topic, name + "largest (" + times_.where + ")", times_.largest, low_of_largest_, high_of_largest_, "",
                    "<= " + short_number(goals_.largest)});
    }
    if (evaluations_.cells == 0) return;
    std::printf("evaluations, ours / best Runge-Kutta peer: geometric mean %.3f, largest %.3f (%s)\n", evaluations_.mean(),
                evaluations_.largest, evaluations_.where.c_str());
    const std::string counted = "evaluations at equal true error, fewest of ours / fewest of a Runge-Kutta peer, ";
    figures_.add("evaluations", counted + "geometric mean", evaluations_.mean());
    figures_.add("evaluations", counted + "largest (" + evaluations_.where + ")", evaluations_.largest, "", "<= 1");
  }

 private:
  /// Quotients of the cells.
  struct quotients {
    double logarithms = 0, largest = 0;
    int cells = 0;
    std::string where;

    double mean() const { return std::exp(logarithms / cells); }
    bool add(double ratio, const std::string& cell) {
      logarithms += std::log(ratio), ++cells;
      const bool is_largest = ratio > largest;
      if (is_largest) largest = ratio, where = cell;
      return is_largest;
    }
  };

  template <class Contest>
  void add_cell(const std::string& problem, double level, const std::map<std::string, const point*>& best, Contest contest) {
    std::vector<contestant> runs;
    double seconds = 0;
    for (const auto& [library, p] : best) {
      runs.push_back(contest(*p));
      seconds += std::max(1e-9 * runs.back().nanoseconds[0], settings_.batch_seconds());
      runs.back().nanoseconds.clear();
    }
    alternate(runs, std::clamp(static_cast<int>(settings_.cell_seconds() / seconds), 3, settings_.final_rounds()));
    const contestant *ours = nullptr, *peer = nullptr;
    std::size_t i = 0;
    std::printf("  error <= %.0e\n", level);
    for (const auto& [library, p] : best) {
      const contestant& run = runs[i++];
      const double median = quantile(run.nanoseconds, 0.5);
      std::printf("    %-8s %-28s tol %7.1e  error %7.1e  %7lld evals %10.2f us [%.2f, %.2f]\n", library.c_str(), p->who->method.c_str(),
                  p->tolerance, p->error, p->evaluations, median / 1e3, quantile(run.nanoseconds, 0.25) / 1e3,
                  quantile(run.nanoseconds, 0.75) / 1e3);
      if (library == "ensue") ours = &run;
      else if (!peer || median < quantile(peer->nanoseconds, 0.5)) peer = &run;
    }
    write_cell(problem, level, best, runs, ours);
    if (!ours || !peer) return;
    const std::vector<double> all = ratios(*ours, *peer);
    const double ratio = quantile(all, 0.5), low = quantile(all, 0.25), high = quantile(all, 0.75);
    std::printf("    ours / best peer %.3f [%.3f, %.3f]%s\n", ratio, low, high, ratio > goals_.largest ? "  too large" : "");
    if (problem == arenstorf::name && level == 1e-9) return;
    low_logarithms_ += std::log(low), high_logarithms_ += std::log(high);
    if (times_.add(ratio, cell_name(problem, level))) low_of_largest_ = low, high_of_largest_ = high;
  }

  void write_cell(const std::string& problem, double level, const std::map<std::string, const point*>& best,
                  const std::vector<contestant>& runs, const contestant* ours) {
    std::size_t i = 0;
    for (const auto& [library, p] : best) {
      const contestant& run = runs[i++];
      const auto microseconds = [&](double q) { return short_number(quantile(run.nanoseconds, q) / 1e3); };
      const auto ratio = [&](double q) { return ours ? short_number(quantile(ratios(*ours, run), q)) : ""; };
      cells_file_.add({problem, short_number(level), library, p->who->method, short_number(p->tolerance), short_number(p->error),
                       std::to_string(p->evaluations), microseconds(0.5), microseconds(0.25), microseconds(0.75), ratio(0.5), ratio(0.25),
                       ratio(0.75)});
    }
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
    std::printf("    evaluations: %s %lld, %s %s %lld: %.3f%s\n", ours->who->method.c_str(), ours->evaluations, peer->who->library.c_str(),
                peer->who->method.c_str(), peer->evaluations, ratio, ratio > 1 ? "  over 1" : "");
    evaluations_.add(ratio, cell_name(problem, level));
  }

  static std::string cell_name(const std::string& problem, double level) { return problem + " at " + short_number(level); }

  table_goals goals_;
  table_settings settings_;
  figures figures_;
  csv_file cells_file_;
  quotients times_, evaluations_;
  double low_logarithms_ = 0, high_logarithms_ = 0, low_of_largest_ = 0, high_of_largest_ = 0;
};

}  // namespace bench
