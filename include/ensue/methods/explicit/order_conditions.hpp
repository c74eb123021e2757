/// A table's promise, checked while it compiles: a mistyped digit is a compile error at the method's own header.
///
/// The exact solution and the step x + h Σ b_i k_i, both expanded in h, are sums over rooted trees t, each standing for
/// one way of nesting derivatives of f. They agree up to h^p exactly when (Butcher (1963), J. Austral. Math. Soc. 3,
/// 185–201; Hairer, Nørsett & Wanner, Solving ODEs I, II.2, theorem 2.13)
///
///     Σ_i b_i Φ_i(t) = 1/γ(t)     for every tree t of at most p vertices,
///
/// where Φ(τ) = 1 for the single vertex, and joining subtrees u, v, … to a new root gives Φ(t) = (A Φ(u)) · (A Φ(v)) ⋯
/// stage by stage, γ(t) = |t| γ(u) γ(v) ⋯. With the row sums A·1 = c, a leaf on the root is a factor c.
///
/// Here the 17 trees up to order 5 are written out, because every program that includes a method pays for them at
/// compile time. All trees of higher orders: rooted_trees.hpp, which the tests run over every table.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {
namespace detail {

inline constexpr int conditions_up_to_order[6] = {0, 1, 2, 4, 8, 17};
inline constexpr long double tree_density[17] = {1, 2, 3, 6, 4, 8, 12, 24, 5, 10, 20, 15, 30, 20, 40, 60, 120};

/// Coefficients are rounded to long double and are multiplied up to five deep: about 1e-16 on x86, where one typed
/// digit too few or wrong is far more. Relative to the terms' size, since some tables cancel large terms down to 1/γ.
inline constexpr long double order_condition_tolerance = 1024 * epsilon<long double>;

/// Written so that a NaN is not small.
constexpr bool is_rounding(long double residual, long double size) {
  return magnitude(residual) <= order_condition_tolerance * size;
}

/// c_i = Σ_j a_ij, and nothing on or above the diagonal, where the driver would not look.
template <class Table> constexpr bool rows_are_consistent(const Table& table) {
  for (int i = 0; i < Table::stages; ++i) {
    long double sum = 0, size = magnitude(table.c[i]);
    for (int j = 0; j < i; ++j) sum += table.a[i][j], size += magnitude(table.a[i][j]);
    if (!is_rounding(sum - table.c[i], size)) return false;
    for (int j = i; j < Table::stages; ++j)
      if (table.a[i][j] != 0) return false;
  }
  return true;
}

/// Φ of the trees in the order of `tree_density`, one row a tree.
template <int Stages> struct elementary_weights {
  long double of[17][Stages] = {};
};

template <class Table>
constexpr void compute_weights(const Table& table, int order, elementary_weights<Table::stages>& phi) {
  // A·Φ(of[m]) for m = 1…7 is itself the weight of a tree: the old one with a new root below.
  constexpr int with_new_root[8] = {-1, 3, 6, 7, 13, 14, 15, 16};
  const int products = order < 3 ? 0 : order == 3 ? 1 : order == 4 ? 3 : 7;
  for (int i = 0; i < Table::stages; ++i) {
    const long double c = table.c[i];
    long double below[8] = {};
    for (int j = 1; j < i; ++j)  // stage 0 has c = 0: every product with it is zero
      if (const long double a = table.a[i][j]; a != 0)
        for (int m = 1; m <= products; ++m) below[m] += a * phi.of[m][j];
    for (int m = 1; m <= products; ++m) phi.of[with_new_root[m]][i] = below[m];

    const long double ac = below[1];  // (A c)_i
    phi.of[0][i] = 1;
    phi.of[1][i] = c;
    phi.of[2][i] = c * c;
    if (order < 4) continue;
    phi.of[4][i] = c * c * c;
    phi.of[5][i] = c * ac;
    if (order < 5) continue;
    phi.of[8][i] = c * c * c * c;
    phi.of[9][i] = c * c * ac;
    phi.of[10][i] = ac * ac;
    phi.of[11][i] = c * below[2];
    phi.of[12][i] = c * below[3];
  }
}

template <int Stages>
constexpr bool weights_have_order(const long double (&weights)[Stages], int order,
                                  const elementary_weights<Stages>& phi) {
  for (int tree = 0; tree < conditions_up_to_order[order]; ++tree) {
    const long double wanted = 1 / tree_density[tree];
    long double sum = 0, size = wanted;
    for (int i = 0; i < Stages; ++i) {
      if (weights[i] == 0) continue;
      const long double term = weights[i] * phi.of[tree][i];
      sum += term;
      size += magnitude(term);
    }
    if (!is_rounding(sum - wanted, size)) return false;
  }
  return true;
}

constexpr int checked_order(int stated) { return stated < 5 ? stated : 5; }

}  // namespace detail

/// Whether the table is explicit with right row sums, its main row has its stated order, and each embedded row its own;
/// orders above 5 are checked up to 5. A negative or zero stated order is refused: no method has one.
///
///     static_assert(ensue::satisfies_stated_orders(my_method::table));
template <class Table> constexpr bool satisfies_stated_orders(const Table& table) {
  if (table.order < 1 || !detail::rows_are_consistent(table)) return false;
  int highest = detail::checked_order(table.order);
  for (int row = 0; row < Table::embedded_rows; ++row) {
    const int order = detail::checked_order(table.embedded[row].order);
    if (order < 1) return false;
    if (order > highest) highest = order;
  }
  detail::elementary_weights<Table::stages> phi;
  detail::compute_weights(table, highest, phi);
  if (!detail::weights_have_order(table.b, detail::checked_order(table.order), phi)) return false;
  for (int row = 0; row < Table::embedded_rows; ++row)
    if (!detail::weights_have_order(table.embedded[row].weights, detail::checked_order(table.embedded[row].order), phi))
      return false;
  return true;
}

}  // namespace ensue
