/// x' is 1 for a part of each period and −1 for the rest: between two jumps every error estimate is rounding.
#pragma once

#include <cmath>
#include <span>

namespace ensue::tests {

struct square_wave {
  double period, part;
  void operator()(double t, std::span<const double>, std::span<double> dx) const { dx[0] = std::fmod(t, period) < part * period ? 1 : -1; }
  /// The solution that starts at 0.
  double at(double t) const {
    const double whole = std::floor(t / period), rest = t - whole * period, up = part * period;
    return whole * (2 * up - period) + (rest < up ? rest : 2 * up - rest);
  }
};

}  // namespace ensue::tests
