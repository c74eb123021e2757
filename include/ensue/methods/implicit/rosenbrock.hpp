/// Rosenbrock methods as data: one linear solve a stage, all with the same matrix, and no iteration.
///
/// In the transformed variables of Kaps & Wanner (Hairer & Wanner, Solving ODEs II, (IV.7.25)), in which no stage multiplies by f':
///
///     (I/(hγ) − f') u_i = f(t + α_i h, x + Σ_j a_ij u_j) + Σ_j (c_ij/h) u_j + γ_i h ∂f/∂t          j < i
///     x_new = x + Σ m_i u_i       error = Σ e_i u_i
///
/// with f' = ∂f/∂x and ∂f/∂t at the step's start. Inside the step x(θ) = (1 − θ)x + θx_new + θ(1 − θ) Σ_m θ^m Σ_j d_mj u_j, as in
/// RODAS.
#pragma once

#include <ensue/methods/implicit/a_stability.hpp>
#include <ensue/numbers/scalar.hpp>

#include <type_traits>

namespace ensue {

/// `DenseTerms` 0: the inside of a step is the chord.
template <int Stages, int DenseTerms = 0> struct rosenbrock_table {
  static constexpr int stages = Stages;
  static constexpr int dense_terms = DenseTerms;

  int order = 0;
  int embedded_order = 0;  ///< of the solution that the error compares with; 0: there is none
  int dense_order = 1;
  long double gamma = 0;
  long double alpha[Stages] = {};
  long double gamma_sum[Stages] = {};
  long double a[Stages][Stages] = {};
  long double c[Stages][Stages] = {};
  long double m[Stages] = {};
  long double error[Stages] = {};  ///< of the solution minus those of the embedded one
  long double dense[DenseTerms > 0 ? DenseTerms : 1][Stages] = {};

  /// The last stage's f is that of the new state.
  constexpr bool fsal() const {
    if constexpr (Stages == 1) {
      return false;
    } else {
      if (m[Stages - 1] != 0 || alpha[Stages - 1] != 1) return false;
      for (int j = 0; j + 1 < Stages; ++j)
        if (a[Stages - 1][j] != m[j]) return false;
      return true;
    }
  }

  constexpr int estimate_order() const { return embedded_order < order ? embedded_order : order; }

  /// The weight of u_j in x(θ) − x, and its derivative by θ.
  constexpr long double inside(int j, long double theta) const {
    long double sum = 0;
    for (int term = DenseTerms - 1; term >= 0; --term) sum = dense[term][j] + theta * sum;
    return theta * m[j] + theta * (1 - theta) * sum;
  }
  constexpr long double inside_slope(int j, long double theta) const {
    long double sum = 0, slope = 0;
    for (int term = DenseTerms - 1; term >= 0; --term) slope = sum + theta * slope, sum = dense[term][j] + theta * sum;
    return m[j] + (1 - 2 * theta) * sum + theta * (1 - theta) * slope;
  }
};

/// The coefficients that the order conditions are written in: Γ = (γ_ij), with γ on its diagonal, α = (α_ij) and b. From them the
/// transformed ones are C = I/γ − Γ⁻¹, a = αΓ⁻¹ and m = bΓ⁻¹.
template <int Stages> struct rosenbrock_coefficients {
  long double gamma[Stages][Stages] = {};
  long double alpha[Stages][Stages] = {};
  long double b[Stages] = {};
  long double embedded[Stages] = {};  ///< b minus the error's weights
};

template <int Stages, int Terms>
constexpr rosenbrock_coefficients<Stages> original_form(const rosenbrock_table<Stages, Terms>& table) {
  rosenbrock_coefficients<Stages> out;
  for (int i = 0; i < Stages; ++i) {
    // Γ⁻¹Γ = I, row by row: γ_ij = γ (δ_ij + Σ_k c_ik γ_kj)
    for (int j = 0; j <= i; ++j) {
      long double sum = i == j ? 1 : 0;
      for (int k = j; k < i; ++k) sum += table.c[i][k] * out.gamma[k][j];
      out.gamma[i][j] = table.gamma * sum;
    }
  }
  for (int j = 0; j < Stages; ++j)
    for (int k = j; k < Stages; ++k) {
      for (int i = k + 1; i < Stages; ++i) out.alpha[i][j] += table.a[i][k] * out.gamma[k][j];
      out.b[j] += table.m[k] * out.gamma[k][j];
      out.embedded[j] += (table.m[k] - table.error[k]) * out.gamma[k][j];
    }
  return out;
}

/// What is left of x in one step of x' = λx where hλ → ∞.
template <int Stages, int Terms> constexpr long double growth_at_infinity(const rosenbrock_table<Stages, Terms>& table) {
  long double u[Stages] = {}, growth = 1;
  for (int i = 0; i < Stages; ++i) {
    u[i] = -1;
    for (int j = 0; j < i; ++j) u[i] -= table.a[i][j] * u[j];
    growth += table.m[i] * u[i];
  }
  return growth;
}

/// |R(iy)|²: what a step of x' = iωx, y = hω, multiplies |x|² by.
template <int Stages, int Terms>
constexpr long double squared_growth(const rosenbrock_table<Stages, Terms>& table, long double y) {
  using detail::complex_number;
  complex_number u[Stages], growth{1, 0};
  for (int i = 0; i < Stages; ++i) {
    complex_number argument{1, 0}, rest;
    for (int j = 0; j < i; ++j) argument = argument + table.a[i][j] * u[j], rest = rest + table.c[i][j] * u[j];
    u[i] = (complex_number{0, y} * argument + rest) / complex_number{1 / table.gamma, -y};
    growth = growth + table.m[i] * u[i];
  }
  return squared_magnitude(growth);
}

namespace detail {
template <class Table> inline constexpr bool is_rosenbrock_table = false;
template <int Stages, int Terms> inline constexpr bool is_rosenbrock_table<rosenbrock_table<Stages, Terms>> = true;
}  // namespace detail

/// A method that is a Rosenbrock table.
template <class Method>
concept has_rosenbrock_table = detail::is_rosenbrock_table<std::remove_cvref_t<decltype(Method::table)>>;

}  // namespace ensue
