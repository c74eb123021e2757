/// A stiff solver for tests only, as plain as it can be: Radau IIA of order 5 (E. Hairer & G. Wanner (1996), Solving Ordinary
/// Differential Equations II, IV.5 and table IV.5.6), Newton's method with the Jacobian of the step's start, dense elimination,
/// the error by step doubling. By it the stiff problem files are known to reach their end states before the library has a
/// method for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ensue::tests {

/// mass·y' = f(y): mass is a diagonal with 0 where f is an equation without a derivative.
struct implicit_problem {
  std::function<void(const std::vector<double>& y, std::vector<double>& dy)> f;
  std::function<void(const std::vector<double>& y, std::vector<double>& rows)> jacobian;  ///< n·n, row by row
  std::vector<double> mass;
};

/// Gauss's elimination with the largest pivot of each column.
class eliminated_matrix {
 public:
  explicit eliminated_matrix(std::vector<double> rows, std::size_t n) : a_(std::move(rows)), n_(n), order_(n) {
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
      order_[k] = pivot;
      for (std::size_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
      for (std::size_t i = k + 1; i < n; ++i) {
        at(i, k) /= at(k, k);
        for (std::size_t j = k + 1; j < n; ++j) at(i, j) -= at(i, k) * at(k, j);
      }
    }
  }

  void solve(std::vector<double>& b) const {
    for (std::size_t k = 0; k < n_; ++k) std::swap(b[k], b[order_[k]]);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) b[i] -= at(i, j) * b[j];
      b[i] /= at(i, i);
    }
  }

 private:
  double& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }
  double at(std::size_t i, std::size_t j) const { return a_[i * n_ + j]; }

  std::vector<double> a_;
  std::size_t n_;
  std::vector<std::size_t> order_;
};

class radau {
 public:
  using vector = std::vector<double>;

  /// An error is weighed by rtol·|y| + atol.
  radau(implicit_problem what, double rtol, double atol)
      : problem_(std::move(what)), n_(problem_.mass.size()), rtol_(rtol), atol_(atol) {}

  /// From 0 to `to`.
  vector solve(vector y, double to) const {
    constexpr int most_steps = 100'000;
    double t = 0, h = 1e-10 * to;
    for (int steps = 0; steps < most_steps; ++steps) {
      const bool last = t + h >= to;
      if (last) h = to - t;
      vector whole = y, halves = y;
      double error = 1e9;  // where Newton's method does not converge: a step of a fifth
      if (step(whole, h) && step(halves, h / 2) && step(halves, h / 2)) error = distance(whole, halves, halves) / 31;
      if (error <= 1) {
        t += h;
        y = std::move(halves);
        if (last) return y;
      }
      h *= std::clamp(0.9 * std::pow(error, -1. / 6), 0.2, 5.);
    }
    throw std::runtime_error("radau: too many steps, at t = " + std::to_string(t));
  }

 private:
  double distance(const vector& a, const vector& b, const vector& size) const {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double d = std::abs(a[i] - b[i]) / (rtol_ * std::abs(size[i % n_]) + atol_);
      largest = d <= largest ? largest : d;  // NaN stays
    }
    return largest;
  }

  /// One step: mass·z_i = h Σ a_ij f(y + z_j) for the three z, of which the last is the change of y. False if Newton's method
  /// does not converge.
  bool step(vector& y, double h) const {
    static const double root = std::sqrt(6.);
    static const double a[3][3] = {{(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225},
                                   {(296 + 169 * root) / 1800, (88 + 7 * root) / 360, (-2 - 3 * root) / 225},
                                   {(16 - root) / 36, (16 + root) / 36, 1. / 9}};
    const std::size_t m = 3 * n_;
    vector jacobian(n_ * n_), matrix(m * m), z(m), residual(m), stage(n_), slopes(m), slope(n_);
    problem_.jacobian(y, jacobian);
    for (std::size_t row = 0; row < m; ++row)
      for (std::size_t column = 0; column < m; ++column)
        matrix[row * m + column] = (row == column ? problem_.mass[row % n_] : 0) -
                                   h * a[row / n_][column / n_] * jacobian[row % n_ * n_ + column % n_];
    const eliminated_matrix newton(std::move(matrix), m);
    for (int iteration = 0; iteration < 12; ++iteration) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < n_; ++i) stage[i] = y[i] + z[j * n_ + i];
        problem_.f(stage, slope);
        std::copy(slope.begin(), slope.end(), slopes.begin() + static_cast<std::ptrdiff_t>(j * n_));
      }
      for (std::size_t row = 0; row < m; ++row) {
        residual[row] = -problem_.mass[row % n_] * z[row];
        for (std::size_t j = 0; j < 3; ++j) residual[row] += h * a[row / n_][j] * slopes[j * n_ + row % n_];
      }
      newton.solve(residual);
      for (std::size_t i = 0; i < m; ++i) z[i] += residual[i];
      const double change = distance(residual, vector(m), y);
      if (!std::isfinite(change)) return false;
      if (change > 1e-2) continue;
      for (std::size_t i = 0; i < n_; ++i) y[i] += z[2 * n_ + i];
      return true;
    }
    return false;
  }

  implicit_problem problem_;
  std::size_t n_;
  double rtol_, atol_;
};

}  // namespace ensue::tests
