/// Two chemicals on a line (Prigogine & Lefever (1968); numbers of Hairer & Wanner, Solving ODEs II, section IV.10), cut into points, u and
/// v of a point side by side, so that f' is a band of 2 + 2.
#pragma once

#include "problems.hpp"

#include <numbers>
#include <vector>

namespace bench {

struct brusselator {
  std::size_t points;
  static constexpr std::size_t reach = 2;  ///< of the band, to either side

  std::size_t size() const { return 2 * points; }
  double spread() const { return 0.02 * static_cast<double>((points + 1) * (points + 1)); }
  std::vector<double> start() const {
    std::vector<double> x(size());
    for (std::size_t i = 0; i < points; ++i) {
      x[2 * i] = 1 + std::sin(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(points + 1));
      x[2 * i + 1] = 3;
    }
    return x;
  }

  void derivative(const auto& x, auto& dx) const {
    using T = element<decltype(x)>;
    const T along = T(spread());
    T left = T(1), below = T(3), u = x[0], v = x[1];
    for (std::size_t i = 0; i < points; ++i) {
      const bool last = i + 1 == points;
      const T right = last ? T(1) : x[2 * i + 2], above = last ? T(3) : x[2 * i + 3], reacting = u * u * v;
      dx[2 * i] = T(1) + reacting - T(4) * u + along * (left - T(2) * u + right);
      dx[2 * i + 1] = T(3) * u - reacting + along * (below - T(2) * v + above);
      left = u, below = v, u = right, v = above;
    }
  }
  void jacobian(const auto& x, const auto& put) const {
    using T = element<decltype(x)>;
    const T along = T(spread());
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t u = 2 * i, v = u + 1;
      const T turned = T(2) * x[u] * x[v], square = x[u] * x[u];
      put(u, u, turned - T(4) - T(2) * along), put(u, v, square);
      put(v, u, T(3) - turned), put(v, v, -square - T(2) * along);
      if (i > 0) put(u, u - 2, along), put(v, v - 2, along);
      if (i + 1 < points) put(u, u + 2, along), put(v, v + 2, along);
    }
  }
};

}  // namespace bench
