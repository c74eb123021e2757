/// A Nyström table's promise, checked while it compiles, as order_conditions.hpp does for x' = f(t, x).
///
/// With a force of positions alone, exact solution and step are sums over trees in which every vertex is an acceleration that was
/// differentiated by q along its branches: a branch that ends at once is a velocity (a factor c), any other carries a tree. With
///
///     Φ(τ) = 1,    Φ(t) = c^k (ā Φ(u)) (ā Φ(v)) ⋯          k velocities and the trees u, v, … joined to a new root
///     ρ(t) = 1 + k + (ρ(u) + 1) + (ρ(v) + 1) + ⋯            as many factors h as there are in front of it
///     e(t) = e(u)/(ρ(u)(ρ(u) + 1)) · e(v)/(ρ(v)(ρ(v) + 1)) ⋯      its exact value, from integrating twice a branch
///
/// the pair (b̄, b) has order p exactly when (Hairer, Nørsett & Wanner, Solving ODEs I, II.14)
///
///     Σ b_i Φ_i(t) = e(t)/ρ(t) for ρ(t) ≤ p    and    Σ b̄_i Φ_i(t) = e(t)/(ρ(t)(ρ(t) + 1)) for ρ(t) ≤ p − 1.
///
/// With the row sums Σ_j ā_ij = c_i²/2 a branch that carries a single vertex is c²/2, and such trees say nothing new.
#pragma once

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/second_order/nystrom.hpp>

namespace ensue {

/// A tree is one with fewer vertices, its `stem`, and a branch more at its root: a velocity, or the tree `branch`.
struct nystrom_tree {
  static constexpr int velocity = 0;  ///< tree 0, the single vertex, is never a branch
  int stem = 0;
  int branch = velocity;
  int order = 1;          ///< ρ
  long double exact = 1;  ///< e
};

inline constexpr int nystrom_trees_up_to[13] = {0, 1, 2, 3, 5, 8, 13, 22, 37, 64, 112, 199, 357};

/// All trees up to an order, each once: branches come in the order of the list, velocities first.
template <int Order> struct nystrom_forest {
  static constexpr int count = nystrom_trees_up_to[Order];
  nystrom_tree trees[count] = {};

  constexpr nystrom_forest() {
    int n = 1;
    for (int order = 2; order <= Order; ++order) {
      const int smaller = n;
      for (int stem = 0; stem < smaller; ++stem) {
        const nystrom_tree& from = trees[stem];
        if (from.order + 1 == order && from.branch == nystrom_tree::velocity)
          trees[n++] = {stem, nystrom_tree::velocity, order, from.exact};
        for (int branch = from.branch > 1 ? from.branch : 1; branch < smaller; ++branch) {
          const nystrom_tree& u = trees[branch];
          if (from.order + u.order + 1 != order) continue;
          trees[n++] = {stem, branch, order, from.exact * u.exact / static_cast<long double>(u.order * (u.order + 1))};
        }
      }
    }
  }
};

/// Φ of every tree, a row a tree; the last column belongs to the acceleration at the step's end, which an interpolant may use.
template <int Order, class Table> struct nystrom_phi {
  static constexpr nystrom_forest<Order> forest = {};
  static constexpr int columns = Table::stages + 1;
  long double of[forest.count][columns] = {};

  constexpr explicit nystrom_phi(const Table& table) {
    long double branched[forest.count][columns] = {};  // ā Φ
    for (int t = 0; t < forest.count; ++t) {
      const nystrom_tree& tree = forest.trees[t];
      for (int i = 0; i < columns; ++i) {
        const bool end = i == Table::stages;
        if (t == 0) of[t][i] = 1;
        else if (tree.branch == nystrom_tree::velocity) of[t][i] = of[tree.stem][i] * (end ? 1 : table.c[i]);
        else of[t][i] = of[tree.stem][i] * branched[tree.branch][i];
        for (int j = 0; j < (end ? Table::stages : i); ++j)
          branched[t][i] += (end ? table.solution.positions[j] : table.a[i][j]) * of[t][j];
      }
    }
  }

  /// Σ_i w_i Φ_i(tree) is what it should be, but for rounding.
  template <class Weight> constexpr bool meets(int tree, int terms, long double wanted, Weight weight) const {
    long double sum = 0, size = magnitude(wanted);
    for (int i = 0; i < terms; ++i) {
      const long double term = weight(i) * of[tree][i];
      sum += term;
      size += magnitude(term);
    }
    return detail::is_rounding(sum - wanted, size);
  }

  constexpr bool has_order(const nystrom_weights<Table::stages>& weights, int order) const {
    for (int t = 0; t < forest.count && forest.trees[t].order <= order; ++t) {
      const nystrom_tree& tree = forest.trees[t];
      const long double velocity = tree.exact / tree.order;
      if (!meets(t, Table::stages, velocity, [&](int i) { return weights.velocities[i]; })) return false;
      if (tree.order < order && !meets(t, Table::stages, velocity / (tree.order + 1), [&](int i) { return weights.positions[i]; }))
        return false;
    }
    return true;
  }

  /// Power m of θ in Σ w_i(θ) Φ_i is e/ρ where m = ρ, else 0; and the ends are those of the step.
  constexpr bool has_dense_order(const Table& table) const {
    const int last = table.ends_with_stage() ? Table::stages : columns;
    for (int m = 0; m < Table::dense_degree; ++m) {
      for (int i = last; i < columns; ++i)
        if (table.dense[i][m] != 0) return false;
      for (int t = 0; t < forest.count && forest.trees[t].order <= table.dense_order; ++t) {
        const nystrom_tree& tree = forest.trees[t];
        const long double wanted = tree.order == m + 1 ? tree.exact / tree.order : 0;
        if (!meets(t, last, wanted, [&](int i) { return table.dense[i][m]; })) return false;
      }
    }
    for (int i = 0; i < last && Table::dense_degree > 0; ++i) {
      const bool stage = i < Table::stages;
      long double v = 0, q = 0, size = 1;
      for (int m = 0; m < Table::dense_degree; ++m) {
        v += table.dense[i][m];
        q += table.dense[i][m] / (m + 2);
        size += magnitude(table.dense[i][m]);
      }
      if (!detail::is_rounding(v - (stage ? table.solution.velocities[i] : 0), size)) return false;
      if (!detail::is_rounding(q - (stage ? table.solution.positions[i] : 0), size)) return false;
    }
    return true;
  }
};

namespace detail {
/// Σ_j ā_ij = c_i²/2, and nothing on or above the diagonal.
template <class Table> constexpr bool nystrom_rows_are_consistent(const Table& table) {
  for (int i = 0; i < Table::stages; ++i) {
    const long double wanted = table.c[i] * table.c[i] / 2;
    long double sum = 0, size = wanted;
    for (int j = 0; j < i; ++j) sum += table.a[i][j], size += magnitude(table.a[i][j]);
    if (!is_rounding(sum - wanted, size)) return false;
    for (int j = i; j < Table::stages; ++j)
      if (table.a[i][j] != 0) return false;
  }
  return true;
}
}  // namespace detail

/// Whether the table has right row sums, both of its solutions have their stated orders and so has its interpolant; orders are checked
/// up to `Order`. The tests run it with all trees that there are.
///
///     static_assert(ensue::satisfies_stated_orders(my_pair::table));
template <int Order = 8, int Stages, int Degree> constexpr bool satisfies_stated_orders(const nystrom_table<Stages, Degree>& table) {
  if (table.solution.order < 1 || table.embedded.order < 1 || !detail::nystrom_rows_are_consistent(table)) return false;
  const nystrom_phi<Order, nystrom_table<Stages, Degree>> phi(table);
  return phi.has_order(table.solution, table.solution.order) && phi.has_order(table.embedded, table.embedded.order) &&
         phi.has_dense_order(table);
}

}  // namespace ensue
