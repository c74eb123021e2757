/// The power of h with which an error falls, observed.
///
/// The slope is that of a least-squares line through the last halving of the step whose errors are above round-off: five step
/// sizes, 2^(1/4) apart.
///
/// - The last halving, because the next term of the error spoils longer steps: the pairs of high order are made so that
///   their leading coefficients nearly vanish, and where vern7's error is 1e-10, its second term is the larger one.
/// - A line through five points, because a single pair so close to round-off is at its mercy.
#pragma once

#include <cmath>
#include <vector>

namespace ensue::tests {

/// The slope of the line through the last points of y over x, by least squares.
inline double slope_of_last(int points, const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t first = x.size() - static_cast<std::size_t>(points);
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = first; i < x.size(); ++i) mean_x += x[i] / points, mean_y += y[i] / points;
  for (std::size_t i = first; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / xx;
}

/// The power of h with which `error_of(n)`, h = length/n, falls down to `floor_of(n)`; NaN if it does not fall for a halving.
template <class Error, class Floor>
double observed_power(double length, int most_steps, Error error_of, Floor floor_of) {
  constexpr int points = 5;
  std::vector<double> log_h, log_error;
  for (int quarters = 0;; ++quarters) {
    const int n = static_cast<int>(std::lround(2 * std::exp2(quarters / 4.)));
    const double error = n <= most_steps ? error_of(n) : 0;
    if (!(error > floor_of(n))) break;
    log_h.push_back(std::log(length / n));
    log_error.push_back(std::log(error));
  }
  return log_h.size() < points ? std::nan("") : slope_of_last(points, log_h, log_error);
}

}  // namespace ensue::tests
