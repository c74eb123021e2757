/// Stiff problems at many tolerances: how often does a method say "finished" and is wrong?
///
///     const auto result = tests::scan(tests::scanned_problems()[0], *find_method("bdf"), 10);   // every tenth tolerance
///     result.wrong                                                                             // should be 0
///
/// The full scan has 201 tolerances from 1e-2 to 1e-6, equally spaced in their logarithm; atol = rtol * least_size. An answer is wrong
/// where a component is off by more than a tenth of the largest value that this component has on its way. A method of order 1 takes about
/// rtol^(-1/2) steps, whose errors of one tolerance each add up: its answer may also be off by 3 rtol^(1/2).
#pragma once

#include <ensue/registry.hpp>

#include "published/stiff_problems.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace ensue::tests {

inline constexpr int scanned_tolerances = 201;
inline double scanned_tolerance(int i) { return std::pow(10., -2 - 4. * i / (scanned_tolerances - 1)); }

struct scanned_problem {
  std::string name;
  stiff_problem problem;
  double least_size;  ///< atol/rtol
};

/// Van der Pol's y' = z, z' = mu((1 - y²)z - y) for mu → ∞, from 2 to t = 2: y follows ln y - y²/2 = t + constant down to 1, jumps from
/// there to -2, and so on. What mu = 1e12 changes of that is of the size mu^(-2/3) = 1e-8.
inline std::vector<long double> relaxation_at_two() {
  const double half_period = 1.5 - std::log(2.), rest = 2 - 2 * half_period;
  const double level = std::log(2.) - 2 + rest;
  double y = 2;
  for (int i = 0; i < 60; ++i) y -= (std::log(y) - y * y / 2 - level) / (1 / y - y);
  return {y, y / (1 - y * y)};
}

inline const std::vector<scanned_problem>& scanned_problems() {
  static const std::vector<scanned_problem> all = [] {
    const auto named = [](const char* file) { return *std::ranges::find(stiff_problems(), file, &stiff_problem::file); };
    const auto relaxation = [](const std::vector<double>& y, std::vector<double>& dy) {
      dy[0] = y[1], dy[1] = 1e12 * ((1 - y[0] * y[0]) * y[1] - y[0]);
    };
    return std::vector<scanned_problem>{{"Van der Pol, mu = 1e6", named("vdpol"), 1},
                                        {"Van der Pol, mu = 1e12", {"vdpol12", 2, {2, 0}, relaxation, relaxation_at_two()}, 1},
                                        {"Robertson", named("rober"), 1e-6},
                                        {"OREGO", named("orego"), 1},
                                        {"HIRES", named("hires"), 1e-3},
                                        {"E5", named("detest_stiff_e5"), 1e-10}};
  }();
  return all;
}

inline std::vector<const method_info*> scanned_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (method->adaptive && method->evaluations.differentiates) found.push_back(method);
  return found;
}

/// The largest size of each component, from an accurate run.
inline std::vector<double> largest_sizes(const scanned_problem& scanned) {
  const stiff_problem& p = scanned.problem;
  const auto sim = find_method("rodas5p")->make(stiff_model{&p}, p.start, 0, {.rtol = 1e-7, .atol = 1e-7 * scanned.least_size});
  std::vector<double> largest(p.start.size());
  const auto look = [&] {
    for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], std::abs(sim->state()[i]));
  };
  look();
  while (sim->time() < p.to && sim->step_towards(p.to) == outcome::finished) look();
  return largest;
}

struct scan_result {
  int runs = 0, finished = 0, wrong = 0;
  double worst = 0;            ///< error of a finished run, in the component's largest size
  double worst_tolerance = 0;  ///< at which it was made
  std::string unfinished;      ///< what the first run said that did not finish
};

inline scan_result scan(const scanned_problem& scanned, const method_info& method, int every = 1,
                        std::int64_t max_evaluations = 200'000) {
  const stiff_problem& p = scanned.problem;
  const std::vector<double> largest = largest_sizes(scanned);
  scan_result result;
  for (int i = 0; i < scanned_tolerances; i += every, ++result.runs) {
    const double rtol = scanned_tolerance(i);
    const auto sim = method.make(stiff_model{&p}, p.start, 0, {.rtol = rtol, .atol = rtol * scanned.least_size, .max_evaluations = max_evaluations});
    if (sim->advance_to(p.to) != outcome::finished) {
      if (result.unfinished.empty()) result.unfinished = sim->message();
      continue;
    }
    ++result.finished;
    double error = 0;
    for (std::size_t j = 0; j < largest.size(); ++j)
      error = std::max(error, std::abs(sim->state()[j] - static_cast<double>(p.end[j])) / largest[j]);
    if (!(error <= (method.order > 1 ? 0.1 : std::max(0.1, 3 * std::sqrt(rtol))))) ++result.wrong;
    if (!(error <= result.worst)) result.worst = error, result.worst_tolerance = rtol;
  }
  return result;
}

}  // namespace ensue::tests
