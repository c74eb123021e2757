/// How a step tells, from what it computed anyway, that it is stability and not accuracy that keeps it small.
///
/// Take weights w_i over the stages with Σ w_i = 0 and Σ w_i c_i = 0. What is smooth in t cancels from Σ w_i k_i and from
/// Σ w_i X_i (X_i the stages' states), and for the rest Σ w_i k_i ≈ f'·Σ w_i X_i. Since X_i = x + h Σ_j a_ij k_j,
///
///     h·ρ = ‖Σ w_i k_i‖ / ‖Σ_j (Σ_i w_i a_ij) k_j‖
///
/// estimates h times the size of the eigenvalue that dominates there: no evaluation, no memory. Two stages at the same c
/// (dp54's last two) make it the test of Hairer & Wanner (Solving ODEs II, IV.2); this is that test for any table.
///
/// At loose tolerances a method of high order takes steps near its limit of stability where accuracy wants no smaller ones: on an oscillator,
/// say. There the solution itself moves as fast as λ says, which the same ratio shows with weights −1 and 1 for the first and the last stage.
/// Where stability limits the steps, what is fast is no larger than a tolerance, and a solution that moves by many of them moves slowly.
#pragma once

#include <ensue/methods/explicit/stability.hpp>
#include <ensue/methods/explicit/tableau.hpp>

namespace ensue::detail {

template <int Stages> struct stiffness_weights {
  double of_k[Stages] = {};  ///< w_i
  double of_x[Stages] = {};  ///< Σ_i w_i a_ij
};

template <class Table> constexpr void weigh_states(stiffness_weights<Table::stages>& weights, const Table& table) {
  for (int i = 0; i < Table::stages; ++i)
    for (int j = 0; j < i; ++j) weights.of_x[j] += weights.of_k[i] * static_cast<double>(table.a[i][j]);
}

template <class Table> constexpr auto make_stiffness_weights(const Table& table) {
  constexpr int s = Table::stages;
  stiffness_weights<s> weights;
  int picked[3] = {s - 1, -1, -1};
  // The latest pair at one c whose states differ …
  for (int i = s - 1; i > 0 && picked[1] < 0; --i)
    for (int j = i - 1; j > 0 && picked[1] < 0; --j)
      if (table.c[i] == table.c[j]) {
        for (int l = 0; l < i; ++l)
          if (table.a[i][l] != table.a[j][l]) {
            picked[0] = i, picked[1] = j;
            break;
          }
      }
  if (picked[1] >= 0) {
    weights.of_k[picked[0]] = 1;
    weights.of_k[picked[1]] = -1;
  } else {
    // … or a second divided difference over the last three c's.
    int found = 1;
    for (int j = s - 2; j >= 0 && found < 3; --j) {
      bool distinct = true;
      for (int l = 0; l < found; ++l) distinct = distinct && table.c[j] != table.c[picked[l]];
      if (distinct) picked[found++] = j;
    }
    if (found < 2) return weights;
    for (int l = 0; l < found; ++l) {
      long double product = 1;
      for (int m = 0; m < found; ++m)
        if (m != l) product *= table.c[picked[l]] - table.c[picked[m]];
      weights.of_k[picked[l]] = static_cast<double>(1 / product);
    }
  }
  weigh_states(weights, table);
  return weights;
}

/// Of the solution's own motion.
template <class Table> constexpr auto make_motion_weights(const Table& table) {
  stiffness_weights<Table::stages> weights;
  if (Table::stages < 2) return weights;
  weights.of_k[0] = -1;
  weights.of_k[Table::stages - 1] = 1;
  weigh_states(weights, table);
  return weights;
}

template <class Method> struct stiffness_probe {
  static constexpr auto weights = make_stiffness_weights(Method::table);
};
template <class Method> struct motion_probe {
  static constexpr auto weights = make_motion_weights(Method::table);
};

}  // namespace ensue::detail
