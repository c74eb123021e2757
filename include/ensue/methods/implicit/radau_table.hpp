/// Radau IIA as data: nodes from which everything else follows, and the coordinates in which a step's equations fall apart.
///
/// The collocation method of the nodes c_1 < … < c_s = 1 that are the roots of P_s(2c − 1) − P_{s−1}(2c − 1), with Legendre's
/// polynomials P: of order 2s − 1, L-stable and stiffly accurate (Hairer & Wanner, Solving ODEs II, IV.5). A step solves, with
/// z_i = X_i − x,
///
///     A⁻¹ z = h f(x + z)                                    s·n equations
///
/// and in the coordinates w = T⁻¹z, where Λ = T⁻¹A⁻¹T consists of one real eigenvalue and pairs α ± iβ, Newton's method solves one real
/// system of n equations and (s − 1)/2 complex ones (IV.8):
///
///     (γ/h − f') Δw₀ = …        ((α + iβ)/h − f') (Δw₁ + iΔw₂) = …
///
/// Nothing is typed in: all of it is computed from s, in long double, when compiling.
#pragma once

#include <ensue/methods/implicit/collocation.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

namespace detail {

/// As much of complex arithmetic as can be done when compiling.
struct constant_complex {
  long double re = 0, im = 0;
  friend constexpr constant_complex operator+(constant_complex a, constant_complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend constexpr constant_complex operator-(constant_complex a, constant_complex b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend constexpr constant_complex operator*(constant_complex a, constant_complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr constant_complex operator/(constant_complex a, constant_complex b) {
    const long double size = b.squared();
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
  }
  constexpr long double squared() const { return re * re + im * im; }
};
constexpr long double squared_size(long double x) { return x * x; }
constexpr long double squared_size(constant_complex x) { return x.squared(); }

/// Gauss's elimination with the largest pivot: b becomes the solution of a x = b, for several right-hand sides.
template <class Number, int N, int M> constexpr void solve_constant(Number (&a)[N][N], Number (&b)[N][M]) {
  for (int k = 0; k < N; ++k) {
    int pivot = k;
    for (int i = k + 1; i < N; ++i)
      if (squared_size(a[i][k]) > squared_size(a[pivot][k])) pivot = i;
    for (int j = 0; j < N; ++j) {
      const Number kept = a[k][j];
      a[k][j] = a[pivot][j], a[pivot][j] = kept;
    }
    for (int j = 0; j < M; ++j) {
      const Number kept = b[k][j];
      b[k][j] = b[pivot][j], b[pivot][j] = kept;
    }
    for (int i = 0; i < N; ++i) {
      if (i == k) continue;
      const Number factor = a[i][k] / a[k][k];
      for (int j = k; j < N; ++j) a[i][j] = a[i][j] - factor * a[k][j];
      for (int j = 0; j < M; ++j) b[i][j] = b[i][j] - factor * b[k][j];
    }
  }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) b[i][j] = b[i][j] / a[i][i];
}

/// P_s(x) − P_{s−1}(x), by Bonnet's recursion.
template <int Stages> constexpr long double radau_polynomial(long double x) {
  long double before = 1, now = x;
  for (int k = 1; k < Stages; ++k) {
    const long double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now, now = next;
  }
  return now - before;
}

/// The s − 1 roots inside are simple and further apart than a cell of the grid: bisected.
template <int Stages> constexpr auto radau_nodes() {
  struct {
    long double c[Stages] = {};
  } nodes;
  constexpr int cells = 64;
  int found = 0;
  for (int cell = 0; cell < cells && found < Stages - 1; ++cell) {
    long double low = -1 + 2.0L * cell / cells, high = -1 + 2.0L * (cell + 1) / cells;
    const bool rises = radau_polynomial<Stages>(low) < 0;
    if (rises == (radau_polynomial<Stages>(high) < 0)) continue;
    for (int halving = 0; halving < 66; ++halving) {
      const long double middle = (low + high) / 2;
      (rises == (radau_polynomial<Stages>(middle) < 0) ? low : high) = middle;
    }
    nodes.c[found++] = (1 + (low + high) / 2) / 2;
  }
  nodes.c[Stages - 1] = 1;
  return nodes;
}

/// The eigenvalues of A⁻¹ are the poles of the stability function, which is Padé's approximation of e^z with numerator of degree s − 1
/// and denominator of degree s: the roots of Σ_m (2s − 1 − m)! s!/((2s − 1)! m! (s − m)!) (−z)^m (Solving ODEs II, theorem IV.3.12), found
/// all at once (Durand 1960; Kerner 1966, Numer. Math. 8, 290–294).
template <int Stages> constexpr auto radau_poles() {
  long double q[Stages + 1] = {1};  // of z^m
  for (int m = 1; m <= Stages; ++m)
    q[m] = -q[m - 1] * (Stages - m + 1) / (static_cast<long double>(m) * (2 * Stages - m));
  struct {
    constant_complex at[Stages];
  } poles;
  constant_complex spread{1, 0};
  for (int i = 0; i < Stages; ++i, spread = spread * constant_complex{0.4L, 0.9L})
    poles.at[i] = {2 * Stages * spread.re, 2 * Stages * spread.im};
  for (int sweep = 0; sweep < 60; ++sweep)
    for (int i = 0; i < Stages; ++i) {
      constant_complex value{q[Stages], 0}, others{q[Stages], 0};
      for (int m = Stages - 1; m >= 0; --m) value = value * poles.at[i] + constant_complex{q[m], 0};
      for (int j = 0; j < Stages; ++j)
        if (j != i) others = others * (poles.at[i] - poles.at[j]);
      poles.at[i] = poles.at[i] - value / others;
    }
  return poles;
}

}  // namespace detail

/// Where the error inside a step is measured. In the stiff limit the stages lie on the slow solution, so the collocation polynomial P
/// errs by a multiple of ω(θ) = θ Π(θ − c_j). With one more unknown at θ*, Q = P + δ ω(θ)/ω(θ*), collocation there says to first order
///
///     (ω'(θ*)/ω(θ*)/h · M − f') δ = f(t + θ*h, P(θ*)) − M P'(θ*)/h                    P' with respect to θ
///
/// θ* is a place where ω'/ω = γ: the matrix is then the real one that a step has factored. Of those places, one in each gap between the
/// nodes, it is the one with the largest |ω|.
template <int Stages> struct radau_probe {
  long double node = 0;             ///< θ*
  long double most = 0;             ///< the largest |ω| of the step, as a multiple of |ω(θ*)|
  long double end_slope = 1;        ///< |ω'(1)/ω(θ*)|
  long double value[Stages] = {};   ///< P(θ*) = x + Σ value_j z_j
  long double slope[Stages] = {};   ///< P'(θ*) = Σ slope_j z_j
  long double bubble[Stages] = {};  ///< ω(θ)/ω(θ*) = θ(θ − 1) Σ_m bubble_m θ^m
};

/// The coefficients of s stages, s odd.
template <int Stages> struct radau_table {
  static_assert(Stages % 2 == 1 && Stages >= 3);
  static constexpr int stages = Stages;
  static constexpr int pairs = (Stages - 1) / 2;
  static constexpr int order = 2 * Stages - 1;
  static constexpr int estimate_order = Stages;

  collocation_table<Stages> method;
  long double inverse[Stages][Stages] = {};  ///< A⁻¹
  long double gamma = 0;                     ///< its real eigenvalue
  long double alpha[pairs] = {}, beta[pairs] = {};
  long double to_stages[Stages][Stages] = {};    ///< T: z = T w
  long double from_stages[Stages][Stages] = {};  ///< T⁻¹
  /// What the slope at the start lacks: error = h f(t, x) + Σ e_i z_i is h times f less the derivative of the collocation polynomial
  /// there, of order h^(s+1), and multiplied by 1/γ the difference to an embedded solution of order s (IV.8.16 for s = 3).
  long double error[Stages] = {};
  /// The collocation polynomial in the form of output/interpolant.hpp: s_m = Σ_j dense_mj z_j.
  long double dense[Stages - 1][Stages] = {};
  /// Below the line of Lagrange's polynomials of the nodes 0, c_1 … c_s: 1/((c_j − 0) Π_{m≠j}(c_j − c_m)).
  long double scale[Stages] = {};
  radau_probe<Stages> probe;
};

namespace detail {

/// Since A integrates, A⁻¹ differentiates: the polynomial through 0 at 0 and z_j at c_j, at c_i. In this form every element has nearly all
/// of its digits, which the inverse of A has not.
template <int Stages> constexpr void find_inverse(radau_table<Stages>& table) {
  const auto& c = table.method.c;
  for (int i = 0; i < Stages; ++i) {
    table.inverse[i][i] = 1 / c[i];
    for (int j = 0; j < Stages; ++j) {
      if (j == i) continue;
      table.inverse[i][i] += 1 / (c[i] - c[j]);
      table.inverse[i][j] = table.scale[j] / (table.scale[i] * (c[i] - c[j]));
    }
  }
}

/// The eigenvector of A⁻¹ whose last element is 1.
template <int Stages> constexpr auto eigenvector(const radau_table<Stages>& table, constant_complex lambda) {
  constexpr int n = Stages - 1;
  constant_complex a[n][n] = {}, b[n][1] = {};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i][j] = {table.inverse[i][j], 0};
    a[i][i] = a[i][i] - lambda;
    b[i][0] = {-table.inverse[i][n], 0};
  }
  solve_constant(a, b);
  struct {
    constant_complex at[Stages];
  } vector;
  for (int i = 0; i < n; ++i) vector.at[i] = b[i][0];
  vector.at[n] = {1, 0};
  return vector;
}

/// With A⁻¹(a + ib) = (α + iβ)(a + ib), the columns a and −b of T make w₁ + iw₂ what is multiplied by α + iβ.
template <int Stages> constexpr void find_coordinates(radau_table<Stages>& table) {
  const auto poles = radau_poles<Stages>();
  int pair = 0;
  for (const constant_complex lambda : poles.at) {
    const bool is_real = squared_size(lambda.im) < 1e-20L;
    if (!is_real && lambda.im < 0) continue;
    const auto vector = eigenvector(table, is_real ? constant_complex{lambda.re, 0} : lambda);
    const int column = is_real ? 0 : 1 + 2 * pair;
    for (int i = 0; i < Stages; ++i) {
      table.to_stages[i][column] = vector.at[i].re;
      if (!is_real) table.to_stages[i][column + 1] = -vector.at[i].im;
    }
    if (is_real) table.gamma = lambda.re;
    else table.alpha[pair] = lambda.re, table.beta[pair] = lambda.im, ++pair;
  }
  long double a[Stages][Stages] = {};
  for (int i = 0; i < Stages; ++i)
    for (int j = 0; j < Stages; ++j) a[i][j] = table.to_stages[i][j], table.from_stages[i][j] = i == j ? 1 : 0;
  solve_constant(a, table.from_stages);
}

/// The derivative at 0 of Lagrange's polynomial of node j among 0, c_1 … c_s is scale_j Π_{m≠j}(0 − c_m).
template <int Stages> constexpr void find_error(radau_table<Stages>& table) {
  const auto& c = table.method.c;
  for (int j = 0; j < Stages; ++j) {
    table.scale[j] = 1 / c[j];
    long double slope = 1;
    for (int m = 0; m < Stages; ++m) {
      if (m == j) continue;
      table.scale[j] /= c[j] - c[m];
      slope *= -c[m];
    }
    table.error[j] = -slope * table.scale[j];
  }
}

/// θ(θ − 1) q(θ) is what z(θ) is beyond θ z_s: q has at c_i, i < s, the value (z_i − c_i z_s)/(c_i (c_i − 1)).
template <int Stages> constexpr void find_dense(radau_table<Stages>& table) {
  constexpr int n = Stages - 1;
  long double powers[n][n] = {}, values[n][Stages] = {};
  for (int i = 0; i < n; ++i) {
    const long double c = table.method.c[i], bubble = c * (c - 1);
    powers[i][0] = 1;
    for (int m = 1; m < n; ++m) powers[i][m] = powers[i][m - 1] * c;
    values[i][i] = 1 / bubble, values[i][n] = -c / bubble;
  }
  solve_constant(powers, values);
  for (int m = 0; m < n; ++m)
    for (int j = 0; j < Stages; ++j) table.dense[m][j] = values[m][j];
}

/// ω and ω'/ω.
template <int Stages> constexpr long double node_polynomial(const radau_table<Stages>& table, long double theta) {
  long double product = theta;
  for (const long double c : table.method.c) product *= theta - c;
  return product < 0 ? -product : product;
}
template <int Stages> constexpr long double relative_slope(const radau_table<Stages>& table, long double theta) {
  long double sum = 1 / theta;
  for (const long double c : table.method.c) sum += 1 / (theta - c);
  return sum;
}

/// ω'/ω falls from ∞ to −∞ in every gap between two nodes.
template <int Stages> constexpr void find_probe(radau_table<Stages>& table) {
  const auto& c = table.method.c;
  auto& probe = table.probe;
  for (int gap = 0; gap < Stages; ++gap) {
    long double low = gap == 0 ? 0 : c[gap - 1], high = c[gap];
    for (int halving = 0; halving < 60; ++halving) {
      const long double middle = (low + high) / 2;
      (relative_slope(table, middle) > table.gamma ? low : high) = middle;
    }
    if (gap == 0 || node_polynomial(table, low) > node_polynomial(table, probe.node)) probe.node = low;
  }
  const long double there = node_polynomial(table, probe.node);
  for (int j = 0; j + 1 < Stages; ++j) probe.end_slope *= 1 - c[j];
  probe.end_slope /= there;
  constexpr int places = 400;
  for (int i = 1; i < places; ++i) {
    const long double size = node_polynomial(table, static_cast<long double>(i) / places) / there;
    if (size > probe.most) probe.most = size;
  }
  long double sign = 1;  // of ω(θ*)
  for (int j = 0; j < Stages; ++j) {
    if (probe.node < c[j]) sign = -sign;
    probe.value[j] = table.scale[j] * probe.node;
    for (int m = 0; m < Stages; ++m)
      if (m != j) probe.value[j] *= probe.node - c[m];
    probe.slope[j] = probe.value[j] * (relative_slope(table, probe.node) - 1 / (probe.node - c[j]));
  }
  probe.bubble[0] = sign / there;  // times Π (θ − c_j) over the nodes inside
  for (int j = 0; j + 1 < Stages; ++j)
    for (int m = j + 1; m >= 0; --m) probe.bubble[m] = (m > 0 ? probe.bubble[m - 1] : 0) - c[j] * probe.bubble[m];
}

template <int Stages> constexpr radau_table<Stages> make_radau() {
  radau_table<Stages> table;
  table.method = collocation_at<Stages>(radau_nodes<Stages>().c);
  find_error(table);
  find_inverse(table);
  find_coordinates(table);
  find_dense(table);
  find_probe(table);
  return table;
}

}  // namespace detail

template <int Stages> inline constexpr radau_table<Stages> radau_coefficients = detail::make_radau<Stages>();

}  // namespace ensue
