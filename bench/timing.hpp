/// Ratios that survive a noisy machine: contestants alternate in one process, thread CPU time, medians, spread.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class T> inline void keep(const T& value) { asm volatile("" : : "g"(&value) : "memory"); }

struct contestant {
  std::string name;
  std::function<long long()> run;        ///< returns how many units (steps, …) it did
  std::vector<double> nanoseconds = {};  ///< a unit
};

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Runs all of them once untimed, then `rounds` times in turn.
inline void alternate(std::vector<contestant>& all, int rounds) {
  for (auto& one : all) one.run();
  for (int r = 0; r < rounds; ++r)
    for (auto& one : all) {
      const double before = thread_seconds();
      const long long units = one.run();
      one.nanoseconds.push_back(1e9 * (thread_seconds() - before) / static_cast<double>(units));
    }
}

/// The quotients of two contestants, round by round: what slows down both cancels.
inline std::vector<double> ratios(const contestant& one, const contestant& reference) {
  std::vector<double> all;
  for (std::size_t r = 0; r < one.nanoseconds.size(); ++r) all.push_back(one.nanoseconds[r] / reference.nanoseconds[r]);
  return all;
}

/// Alternates them and prints, for each, the median time a unit with its quartiles, and the median of the ratio to the
/// reference of the same round.
inline void compare(const char* title, const char* unit, std::vector<contestant>& all, std::size_t reference,
                    int rounds) {
  alternate(all, rounds);
  std::printf("%s (ns a %s; median [quartiles] of %d rounds; ratio to %s)\n", title, unit, rounds,
              all[reference].name.c_str());
  for (auto& one : all) {
    const std::vector<double> quotients = ratios(one, all[reference]);
    std::printf("  %-34s %8.2f [%.2f, %.2f]   x %.3f [%.3f, %.3f]\n", one.name.c_str(), quantile(one.nanoseconds, 0.5),
                quantile(one.nanoseconds, 0.25), quantile(one.nanoseconds, 0.75), quantile(quotients, 0.5),
                quantile(quotients, 0.25), quantile(quotients, 0.75));
  }
}

}  // namespace bench
