/// Collocation methods as data: nodes c_1 … c_s in a step, from which everything else follows.
///
/// The step is the polynomial u of degree s with u(t) = x and u'(t + c_i h) = f(t + c_i h, u(t + c_i h)). With Lagrange's polynomials
/// ℓ_j of the nodes it is the implicit Runge–Kutta method with (Hairer, Nørsett & Wanner, Solving ODEs I, theorem II.7.7)
///
///     a_ij = ∫₀^{c_i} ℓ_j(θ) dθ        b_j = ∫₀¹ ℓ_j(θ) dθ
///
/// At Gauss's nodes, the roots of Legendre's polynomial of degree s, it has order 2s, and is symplectic and symmetric.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>

namespace ensue {

template <int Stages> struct collocation_table {
  static constexpr int stages = Stages;

  long double c[Stages] = {};
  long double a[Stages][Stages] = {};
  long double b[Stages] = {};

  /// The order is as many conditions Σ b_i c_i^(k−1) = 1/k as hold (Solving ODEs I, theorem II.7.9).
  constexpr int order() const {
    for (int k = 1; k <= 2 * Stages; ++k) {
      long double sum = 0;
      for (int i = 0; i < Stages; ++i) {
        long double term = b[i];
        for (int m = 1; m < k; ++m) term *= c[i];
        sum += term;
      }
      if (!detail::is_rounding(sum - 1.0L / k, 1)) return k - 1;
    }
    return 2 * Stages;
  }

  /// b_i a_ij + b_j a_ji = b_i b_j: every quadratic invariant is kept (Sanz-Serna 1988; Hairer, Lubich & Wanner, Geometric Numerical
  /// Integration, theorem VI.4.3).
  constexpr bool symplectic() const {
    for (int i = 0; i < Stages; ++i)
      for (int j = 0; j < Stages; ++j)
        if (!detail::is_rounding(b[i] * a[i][j] + b[j] * a[j][i] - b[i] * b[j], 1)) return false;
    return true;
  }

  /// The nodes are the same seen from the end (Geometric Numerical Integration, theorem V.2.1).
  constexpr bool symmetric() const {
    for (int i = 0; i < Stages; ++i)
      if (!detail::is_rounding(c[i] + c[Stages - 1 - i] - 1, 1)) return false;
    return true;
  }
};

/// The method of these nodes.
///
///     static constexpr auto table = ensue::collocation_at<1>({0.5L});
template <int Stages> constexpr collocation_table<Stages> collocation_at(const long double (&nodes)[Stages]) {
  collocation_table<Stages> table;
  for (int j = 0; j < Stages; ++j) {
    table.c[j] = nodes[j];
    long double l[Stages] = {1};  // coefficients of ℓ_j
    int degree = 0;
    for (int m = 0; m < Stages; ++m) {
      if (m == j) continue;
      const long double scale = 1 / (nodes[j] - nodes[m]);
      ++degree;
      for (int k = degree; k >= 0; --k) l[k] = scale * ((k > 0 ? l[k - 1] : 0) - (k < degree ? nodes[m] * l[k] : 0));
    }
    const auto integral = [&](long double to) {
      long double sum = 0;
      for (int k = degree; k >= 0; --k) sum = (sum + l[k] / (k + 1)) * to;
      return sum;
    };
    for (int i = 0; i < Stages; ++i) table.a[i][j] = integral(nodes[i]);
    table.b[j] = integral(1);
  }
  return table;
}

}  // namespace ensue
