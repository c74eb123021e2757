/// Embedded Runge–Kutta–Nyström pairs for q'' = a(t, q) as data: what such a method is.
///
///     a_i   = a(t + c_i h, q + c_i h v + h² Σ_{j<i} ā_ij a_j)
///     q_new = q + h v + h² Σ b̄_i a_i        v_new = v + h Σ b_i a_i
///
/// and the same with the weights of the pair's other solution; the error estimate is the difference of both halves. Positions come
/// from accelerations at once, so that a force which does not ask for velocities needs fewer stages than x' = f(t, x) would.
///
/// Inside of a step: v(θ) = v + h Σ w_i(θ) a_i with w_i(θ) = Σ_m dense_im θ^(m+1), and q(θ) is its integral.
#pragma once

#include <ensue/methods/explicit/stability.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue {

/// Weights of positions (b̄) and velocities (b), and the order that they reach together.
template <int Stages> struct nystrom_weights {
  int order = 0;
  long double positions[Stages] = {};
  long double velocities[Stages] = {};
};

/// `DenseDegree`: degree in θ of the velocities inside of a step (0: no interpolant of its own).
template <int Stages, int DenseDegree = 0> struct nystrom_table {
  static constexpr int stages = Stages;
  static constexpr int dense_degree = DenseDegree;

  long double c[Stages] = {};
  long double a[Stages][Stages] = {};  ///< row i holds ā_ij for j < i
  nystrom_weights<Stages> solution;
  nystrom_weights<Stages> embedded;
  int dense_order = 0;  ///< of v(θ); that of q(θ) is one more
  /// A row a stage, and last one for the acceleration at the step's end where no stage is it.
  long double dense[Stages + 1][DenseDegree > 0 ? DenseDegree : 1] = {};

  /// The last stage is at the new positions: the next step begins with it (FSAL).
  constexpr bool ends_with_stage() const {
    if (c[Stages - 1] != 1 || solution.positions[Stages - 1] != 0) return false;
    for (int j = 0; j < Stages - 1; ++j)
      if (a[Stages - 1][j] != solution.positions[j]) return false;
    return true;
  }

  /// The error estimate of a step grows as h^(q+1).
  constexpr int estimate_order() const { return embedded.order < solution.order ? embedded.order : solution.order; }
};

namespace detail {
/// A step for q'' = −w q, h = 1: its matrix has polynomials in w.
template <int Stages> struct oscillator_step {
  static constexpr int degree = Stages + 1;
  long double of[2][2][degree + 1] = {};  ///< [q_new or v_new][by q or by v]
};

template <class Table> constexpr auto oscillator_step_of(const Table& table) {
  constexpr int s = Table::stages;
  oscillator_step<s> m;
  for (int by = 0; by < 2; ++by) {
    long double a[s][s + 2] = {};
    for (int i = 0; i < s; ++i) {
      a[i][1] = by == 0 ? -1 : -table.c[i];
      for (int j = 0; j < i; ++j)
        for (int k = 0; k <= i; ++k) a[i][k + 1] -= table.a[i][j] * a[j][k];
    }
    m.of[0][by][0] = 1;  // q + v
    m.of[1][by][0] = by;
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < s + 2; ++k) {
        m.of[0][by][k] += table.solution.positions[i] * a[i][k];
        m.of[1][by][k] += table.solution.velocities[i] * a[i][k];
      }
  }
  return m;
}
}  // namespace detail

/// x'' = −ω²x is stable for h·ω up to this: there an eigenvalue of the step's matrix M leaves the unit circle for the first time, which is
/// where det M − 1, tr M − 1 − det M or −tr M − 1 − det M turns positive (Schur–Cohn). In a method of order p the first coefficients of
/// det M − 1 cancel, in numbers only nearly: below 1e-14 of their terms they are zero, as in methods/explicit/stability.hpp.
template <int Stages, int Degree> constexpr double imaginary_stability_interval(const nystrom_table<Stages, Degree>& table) {
  const auto m = detail::oscillator_step_of(table);
  constexpr int n = decltype(m)::degree;
  long double grows[2 * n + 1] = {}, through_one[2 * n + 1] = {}, through_minus_one[2 * n + 1] = {};
  for (int k = 0; k <= 2 * n; ++k) {
    long double det = 0, size = k == 0 ? 1 : 0;
    for (int i = k > n ? k - n : 0; i <= k && i <= n; ++i) {
      det += m.of[0][0][i] * m.of[1][1][k - i] - m.of[0][1][i] * m.of[1][0][k - i];
      size += magnitude(m.of[0][0][i] * m.of[1][1][k - i]) + magnitude(m.of[0][1][i] * m.of[1][0][k - i]);
    }
    const long double trace = k <= n ? m.of[0][0][k] + m.of[1][1][k] : 0, one = k == 0 ? 1 : 0;
    grows[k] = magnitude(det - one) > 1e-14L * size ? det - one : 0;
    through_one[k] = magnitude(trace - one - det) > 1e-14L * size ? trace - one - det : 0;
    through_minus_one[k] = -trace - one - det;
  }
  long double bound = 400;  // beyond any that there is: (hω)² of a table with this many stages
  bound = detail::first_positive(grows, 2 * n, bound);
  bound = detail::first_positive(through_one, 2 * n, bound);
  bound = detail::first_positive(through_minus_one, 2 * n, bound);
  return static_cast<double>(detail::square_root(bound));
}

}  // namespace ensue
