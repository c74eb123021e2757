/// The Butcher table of an explicit Runge–Kutta method: what a method is, as data.
///
///     k_i   = f(t + c_i h, x + h Σ_{j<i} a_ij k_j)
///     x_new = x + h Σ b_i k_i
///     x̂     = x + h Σ b̂_i k_i         one for each embedded row; the error estimate is x_new − x̂
///     x(t + θh) = x + h Σ_i (Σ_m dense_im θ^(m+1)) k_i
///
/// Coefficients are long double so that one table serves every scalar; the driver rounds each of them once, at compile time.
#pragma once

#include <ensue/numbers/config.hpp>

namespace ensue {

/// A fraction as printed in the papers: `ratio(35, 384)`.
constexpr long double ratio(long double numerator, long double denominator) { return numerator / denominator; }

/// Weights b̂ of an embedded solution and the order they reach.
template <int Stages> struct embedded_row {
  int order = 0;
  long double weights[Stages] = {};
};

/// When f(t_new, x_new), which is the next step's k_1, is computed.
enum class end_derivative {
  last_stage,    ///< it is the step's last stage (FSAL): free after an accepted step
  after_accept,  ///< evaluated once the step is accepted, because the method's dense output needs it (dop853)
  next_step      ///< evaluated when the next step asks for it
};

/// Everything a method of `Stages` stages states. What follows from these numbers is derived below, never typed.
///
/// `EmbeddedRows`: embedded solutions (0: no error estimate; 2: dop853's pair of estimates, see `combined_order`).
/// `DenseDegree`: degree in θ of the method's own interpolant over its stages (0: none).
template <int Stages, int EmbeddedRows = 0, int DenseDegree = 0> struct explicit_tableau {
  static constexpr int stages = Stages;
  static constexpr int embedded_rows = EmbeddedRows;
  static constexpr int dense_degree = DenseDegree;

  int order = 0;
  long double c[Stages] = {};
  long double a[Stages][Stages] = {};  ///< row i holds a_ij for j < i
  long double b[Stages] = {};
  embedded_row<Stages> embedded[EmbeddedRows > 0 ? EmbeddedRows : 1] = {};
  int dense_order = 0;
  long double dense[Stages][DenseDegree > 0 ? DenseDegree : 1] = {};
  bool derivative_after_accept = false;

  /// The last stage is evaluated at (t + h, x_new): its row is b and its c is 1. (c_s = 1 alone is not enough.)
  constexpr bool fsal() const {
    if (Stages < 2 || c[Stages - 1] != 1 || b[Stages - 1] != 0) return false;
    for (int j = 0; j < Stages - 1; ++j)
      if (a[Stages - 1][j] != b[j]) return false;
    return true;
  }

  constexpr end_derivative end() const {
    if (fsal()) return end_derivative::last_stage;
    return derivative_after_accept ? end_derivative::after_accept : end_derivative::next_step;
  }

  /// q: the error estimate of a step grows as h^(q+1). For one row, the lower order of the pair. For two rows of orders
  /// p₁ > p₂, combined as E₁²/√(E₁² + E₂²/100) (Hairer, Nørsett & Wanner, Solving ODEs I, II.10), h^(2(p₁+1) − (p₂+1)).
  constexpr int estimate_order() const {
    if (EmbeddedRows == 0) return 0;
    if (EmbeddedRows == 1) return embedded[0].order < order ? embedded[0].order : order;
    return 2 * (embedded[0].order + 1) - (embedded[EmbeddedRows > 0 ? EmbeddedRows - 1 : 0].order + 1) - 1;
  }
};

/// Stages that only an interpolant needs, evaluated after an accepted step where one is asked for. Columns are the step's stages,
/// f(t_new, x_new) where no stage is that, and the extra stages themselves.
template <int Columns, int Extra, int Degree> struct extra_stages {
  int order = 0;
  long double c[Extra] = {};
  long double a[Extra][Columns] = {};
  long double dense[Columns][Degree] = {};
};

/// A step's table continued by the extra stages of its interpolant, as one table: its order conditions are the interpolant's.
template <int Stages, int Rows, int Columns, int Extra, int Degree>
constexpr auto with_extra_stages(const explicit_tableau<Stages, Rows>& table, const extra_stages<Columns, Extra, Degree>& extra) {
  explicit_tableau<Columns, 0, Degree> all;
  constexpr int known = Columns - Extra;
  static_assert(known == Stages || known == Stages + 1);
  all.order = table.order;
  for (int i = 0; i < Stages; ++i) {
    all.c[i] = table.c[i];
    all.b[i] = table.b[i];
    for (int j = 0; j < i; ++j) all.a[i][j] = table.a[i][j];
  }
  if (known > Stages) {
    all.c[Stages] = 1;
    for (int j = 0; j < Stages; ++j) all.a[Stages][j] = table.b[j];
  }
  for (int i = 0; i < Extra; ++i) {
    all.c[known + i] = extra.c[i];
    for (int j = 0; j < known + i; ++j) all.a[known + i][j] = extra.a[i][j];
  }
  all.dense_order = extra.order;
  for (int i = 0; i < Columns; ++i)
    for (int m = 0; m < Degree; ++m) all.dense[i][m] = extra.dense[i][m];
  return all;
}

}  // namespace ensue
