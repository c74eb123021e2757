/// What a pair's error estimate sees of a jump inside a step.
///
/// If x' jumps by J at θ of a step of length h, the stages with c_i > θ see the jump and the others do not. The solution
/// is off by h J |Σ_{c_i > θ} b_i − (1 − θ)|, and the estimate is h J |Σ_{c_i > θ} e_i|. The weights e of a pair that is
/// good on smooth problems may nearly cancel: dp54's estimate is h J/331 for θ between 0.3 and 0.8, where its solution is
/// off by up to h J/4, which is 83 times as much. (docs/reliability.md has the ratios of all pairs.)
#pragma once

#include <ensue/numbers/config.hpp>

namespace ensue::detail {

/// Whether a jump's error is more than ten times its estimate for half of all θ. c, b and the estimate's weights e have
/// `stages` elements. Two estimates that are combined overlook jumps, too: their combination E₁²/√(E₁² + E₂²/100) is
/// small wherever E₁ is.
template <class C, class B, class E>
constexpr bool estimate_overlooks_jumps(int stages, const C& c, const B& b, const E& e, bool two_estimates) {
  if (two_estimates) return true;
  constexpr int samples = 200;
  int overlooked = 0;
  for (int k = 0; k < samples; ++k) {
    const long double theta = (k + 0.5L) / samples;
    long double error = theta - 1, estimate = 0;
    for (int i = 0; i < stages; ++i)
      if (c[i] > theta) error += b[i], estimate += e[i];
    overlooked += error * error > 100 * estimate * estimate;
  }
  return 2 * overlooked > samples;
}

template <class Table> constexpr bool estimate_overlooks_jumps(const Table& table) {
  if (Table::embedded_rows == 0) return false;
  long double e[Table::stages] = {};
  for (int i = 0; i < Table::stages; ++i) e[i] = table.b[i] - table.embedded[0].weights[i];
  return estimate_overlooks_jumps(Table::stages, table.c, table.b, e, Table::embedded_rows == 2);
}

}  // namespace ensue::detail
