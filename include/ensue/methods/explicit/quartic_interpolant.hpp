/// An interpolant for methods that know one value inside their steps.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>

namespace ensue::detail {

/// The quartic that has value and slope of both ends and, at θ = `inside`, the value x + h Σ w_j k_j. It is of order 4 where that value is
/// and costs no evaluation: the last column is f at the step's end, which the next step begins with. (Not for FSAL tables, which have it.)
template <int Stages, int Rows>
constexpr auto with_value_inside(const explicit_tableau<Stages, Rows>& table, long double inside, const long double (&w)[Stages]) {
  explicit_tableau<Stages + 1, 0, 4> all;
  all.order = table.order;
  all.dense_order = table.order < 4 ? table.order : 4;
  for (int i = 0; i < Stages; ++i) {
    all.c[i] = table.c[i];
    all.b[i] = all.a[Stages][i] = table.b[i];
    for (int j = 0; j < i; ++j) all.a[i][j] = table.a[i][j];
  }
  all.c[Stages] = 1;
  const long double bubble = inside * (1 - inside), peak = bubble * bubble;
  for (int j = 0; j <= Stages; ++j) {
    const bool first = j == 0, last = j == Stages;
    // Hermite's cubic: (3θ² − 2θ³) b_j, and θ(1 − θ)² and −θ²(1 − θ) of the two slopes
    long double* const d = all.dense[j];
    if (first) d[0] = 1, d[1] = -2, d[2] = 1;
    if (last) d[1] = -1, d[2] = 1;
    d[1] += 3 * all.b[j], d[2] -= 2 * all.b[j];
    const long double cubic = inside * (d[0] + inside * (d[1] + inside * d[2]));
    const long double lacks = ((last ? 0 : w[last ? 0 : j]) - cubic) / peak;  // times θ²(1 − θ)²
    d[1] += lacks, d[2] -= 2 * lacks, d[3] += lacks;
  }
  return all;
}

}  // namespace ensue::detail
