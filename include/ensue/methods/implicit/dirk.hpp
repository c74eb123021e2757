/// Diagonally implicit Runge–Kutta methods as data: stage by stage, each an equation of the same form as backward Euler's.
///
///     X_1 = x,  k_1 = f(t, x)
///     X_i = x + h Σ_{j<i} a_ij k_j + hγ k_i,  k_i = f(t + c_i h, X_i)          i = 2 … s
///     x_new = X_s       error = h Σ e_j k_j
///
/// The first stage is explicit and, since the last one is the new state, it is the last stage of the step before (ESDIRK methods, stiffly
/// accurate): k_1 of a step costs nothing, and stiff components see no derivative that the equations have not tamed.
#pragma once

#include <ensue/methods/implicit/a_stability.hpp>
#include <ensue/numbers/scalar.hpp>

#include <type_traits>

namespace ensue {

/// Where a step's error comes from.
enum class dirk_estimate : unsigned char {
  embedded,  ///< another solution from the same stages
  filtered,  ///< the same times (I − hγf')⁻¹, without which stiff components, in which it does not decay, would dominate it
  history    ///< the change of f over this step and the one before: h³/12 x''', the trapezoidal rule's; after a restart h/2 (k_2 − k_1)
};

/// How the error between the ends of a step is measured, for those who look there. On a stiff problem an error estimate that is filtered
/// vanishes, and steps grow beyond what Hermite's cubic resolves.
enum class dirk_probe : unsigned char {
  none,   ///< it is not: the error at the ends is enough
  stage,  ///< three times the distance of the cubic from the second stage
  defect  ///< (I/(hγ) − f')⁻¹ (f(P) − P'/h) at θ = 0.3; not at 1/2, where the slope of the cubic's error is 0
};

template <int Stages> struct dirk_table {
  static constexpr int stages = Stages;

  int order = 0;
  int embedded_order = 0;  ///< of the solution that the error compares with
  long double gamma = 0;
  long double a[Stages][Stages] = {};  ///< row i holds a_ij for j < i; γ follows
  long double embedded[Stages] = {};   ///< weights of that solution
  dirk_estimate estimate = dirk_estimate::embedded;
  dirk_probe probe = dirk_probe::none;
  long double caution = 1;  ///< the estimate is taken so many times, where it is too small for what errors of steps add up to

  constexpr long double diagonal(int i) const { return i > 0 ? gamma : 0; }
  constexpr long double coefficient(int i, int j) const { return i == j ? diagonal(i) : j < i ? a[i][j] : 0; }
  constexpr long double node(int i) const {
    if (i + 1 == Stages) return 1;
    long double sum = diagonal(i);
    for (int j = 0; j < i; ++j) sum += a[i][j];
    return sum;
  }
  constexpr long double error(int j) const { return caution * (coefficient(Stages - 1, j) - embedded[j]); }
  constexpr int estimate_order() const { return embedded_order < order ? embedded_order : order; }
};

/// The first element of every row such that its sum is the node, and that of the embedded weights such that theirs is 1.
template <int Stages> constexpr dirk_table<Stages> with_first_elements(dirk_table<Stages> table, const long double (&nodes)[Stages]) {
  long double embedded = 1;
  for (int i = 1; i < Stages; ++i) {
    long double first = nodes[i] - table.gamma;
    for (int j = 1; j < i; ++j) first -= table.a[i][j];
    table.a[i][0] = first;
    embedded -= table.embedded[i];
  }
  table.embedded[0] = embedded;
  return table;
}

/// What is left of x in one step of x' = λx where hλ → ∞: X_i = −Σ_j a_ij X_j / γ.
template <int Stages> constexpr long double growth_at_infinity(const dirk_table<Stages>& table) {
  long double x[Stages] = {1};
  for (int i = 1; i < Stages; ++i)
    for (int j = 0; j < i; ++j) x[i] -= table.a[i][j] * x[j] / table.gamma;
  return x[Stages - 1];
}

/// |R(iy)|²: what a step of x' = iωx, y = hω, multiplies |x|² by.
template <int Stages> constexpr long double squared_growth(const dirk_table<Stages>& table, long double y) {
  using detail::complex_number;
  complex_number x[Stages] = {{1, 0}};
  for (int i = 1; i < Stages; ++i) {
    complex_number sum;
    for (int j = 0; j < i; ++j) sum = sum + table.a[i][j] * x[j];
    x[i] = (complex_number{1, 0} + complex_number{0, y} * sum) / complex_number{1, -y * table.gamma};
  }
  return squared_magnitude(x[Stages - 1]);
}

namespace detail {
template <class Table> inline constexpr bool is_dirk_table = false;
template <int Stages> inline constexpr bool is_dirk_table<dirk_table<Stages>> = true;
}  // namespace detail

/// A method that is a diagonally implicit table.
template <class Method>
concept has_dirk_table = detail::is_dirk_table<std::remove_cvref_t<decltype(Method::table)>>;

}  // namespace ensue
