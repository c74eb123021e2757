/// Where the next stage's derivative will be, seen from those that are known: a first guess for an iteration.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// Weights w with Σ w_j k_j = p(0), where p is the polynomial of the given degree (2 at most) that comes closest to the k_j at the places
/// u_j, in the sense of least squares: with many places, no two of which need be apart, no weight is large. The degree is lowered until
/// the places are enough for it.
template <class real, int Most>
ENSUE_HD constexpr void extrapolation_weights(const real (&places)[Most], int count, int degree, real (&weights)[Most]) {
  for (; degree >= 0; --degree) {
    // M y = (1, 0, 0), where M_ab = Σ u^(a + b): then p(0) = Σ_j (Σ_a y_a u_j^a) k_j
    real m[3][4] = {};
    for (int j = 0; j < count; ++j) {
      real power(1);
      for (int s = 0; s <= 2 * degree; ++s, power = power * places[j])
        for (int a = s > degree ? s - degree : 0; a <= (s < degree ? s : degree); ++a) m[a][s - a] = m[a][s - a] + power;
    }
    m[0][3] = real(1);
    bool solved = count > degree;
    for (int a = 0; a <= degree && solved; ++a) {
      const real whole = m[a][a];
      for (int b = 0; b < a; ++b) {
        const real factor = m[a][b] / m[b][b];
        for (int c = b; c <= 3; ++c) m[a][c] = m[a][c] - factor * m[b][c];
      }
      solved = m[a][a] > real(1e-4L) * whole;
    }
    if (!solved) continue;
    real y[3] = {};
    for (int a = degree; a >= 0; --a) {
      y[a] = m[a][3];
      for (int c = a + 1; c <= degree; ++c) y[a] = y[a] - m[a][c] * y[c];
      y[a] = y[a] / m[a][a];
    }
    for (int j = 0; j < count; ++j) weights[j] = y[0] + places[j] * (y[1] + places[j] * y[2]);
    return;
  }
}

}  // namespace ensue
