/// The nested form in which DOP853 states its interpolant, as polynomials of the stages.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>

namespace ensue::detail {

/// Fills in `extra.dense` from D (Hairer, Nørsett & Wanner, Solving ODEs I, II.6; subroutine CONTD8 of DOP853):
///
///     x(t + θh) = x + θ(F_0 + (1 − θ)(F_1 + θ(F_2 + (1 − θ)(F_3 + θ(F_4 + (1 − θ)(F_5 + θ F_6))))))
///     F_0 = x_new − x,   F_1 = h f − F_0,   F_2 = 2 F_0 − h (f + f_new),   F_3+r = h Σ_j D_rj k_j
///
/// b_j(θ) is the same with the factor of h k_j in each F: F_0 has b_j, h f is the first column, h f_new the one behind
/// the step's stages. Whatever D is, the value and the derivative are x and f at θ = 0, x_new and f_new at θ = 1.
template <int Stages, int Columns, int Rows>
constexpr auto from_nested_form(extra_stages<Columns, Columns - Stages - 1, Rows + 3> extra,
                                const long double (&b)[Stages], const long double (&d)[Rows][Columns]) {
  for (int j = 0; j < Columns; ++j) {
    const long double step = j < Stages ? b[j] : 0, f = j == 0, f_new = j == Stages;
    long double power[Rows + 4] = {};  // of the part inside the brackets, from the innermost outwards
    for (int k = Rows + 2; k >= 0; --k) {
      power[0] += k == 0 ? step : k == 1 ? f - step : k == 2 ? 2 * step - f - f_new : d[k - 3][j];
      const bool complement = k % 2 == 1;  // times 1 − θ, else times θ
      for (int m = Rows + 3; m > 0; --m) power[m] = complement ? power[m] - power[m - 1] : power[m - 1];
      if (!complement) power[0] = 0;
    }
    for (int m = 0; m < Rows + 3; ++m) extra.dense[j][m] = power[m + 1];
  }
  return extra;
}

}  // namespace ensue::detail
