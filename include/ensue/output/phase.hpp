/// An error taken apart: how much of it is being early or late, and how much is being somewhere else.
///
/// A pendulum whose clock is wrong by a thousandth is soon far from where it should be, on the right curve all the while; and one with the
/// right energy need not be where it should be at all. To first order an answer that is late by τ is off by −τ f, with f the velocity of
/// the true solution in its state space: the part of the error along f is phase, the rest is shape.
///
///     const auto parts = ensue::taken_apart(x, truth, f);          // parts.late, in units of time; parts.shape
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace ensue {

struct error_parts {
  double late = 0;   ///< the time by which the answer is behind the truth; negative: ahead of it
  double shape = 0;  ///< the largest component of what is left
};

/// Of an answer x where the true solution is `truth` and moves with f.
inline error_parts taken_apart(std::span<const double> x, std::span<const double> truth, std::span<const double> f) {
  double along = 0, squared = 0;
  for (std::size_t i = 0; i < x.size(); ++i) along += (truth[i] - x[i]) * f[i], squared += f[i] * f[i];
  error_parts parts{squared > 0 ? along / squared : 0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) parts.shape = std::fmax(parts.shape, std::abs(x[i] - truth[i] + parts.late * f[i]));
  return parts;
}

}  // namespace ensue
