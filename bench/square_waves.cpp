/// Square waves: x' is 1 for a part of each period and −1 for the rest, so that every error estimate is rounding between two jumps. How many of 120
/// does each adaptive method finish with a wrong answer, because its steps passed over a whole period?
///
///     bench_square_waves
///
/// Periods from 0.5 to 15, parts 0.2 to 0.8, a span of 100, tolerances 1e-3, 1e-6 and 1e-9. An answer is wrong where it is off by more than a
/// twentieth of the period and by more than 0.2 + 1000 tolerances.
#include "reliability/square_wave.hpp"

#include <ensue/registry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using ensue::tests::square_wave;

constexpr double to = 100;

bool is_wrong(const ensue::method_info& method, const square_wave& wave, double tolerance) {
  const auto run = method.make(wave, std::vector<double>{0}, 0, {.rtol = tolerance, .atol = tolerance});
  const double allowed = std::max(0.05 * wave.period, 0.2 + 1000 * tolerance);
  return run->advance_to(to) == ensue::outcome::finished && !(std::abs(run->state()[0] - wave.at(to)) <= allowed);
}

}  // namespace

int main() {
  for (const ensue::method_info* method : ensue::all_methods()) {
    if (!method->adaptive || method->needs != ensue::system_needed::any) continue;
    int wrong = 0, all = 0;
    for (int i = 0; i < 10; ++i)
      for (const double part : {0.2, 0.4, 0.6, 0.8})
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) ++all, wrong += is_wrong(*method, {0.5 + 14.5 * i / 9, part}, tolerance);
    std::printf("%-18s %3d of %d\n", std::string(method->name).c_str(), wrong, all);
  }
}
