/// A Butcher table that arrives at run time (typed by a user, read from a file), and what can be told about it.
///
///     ensue::runtime_tableau table{.c = {0, 0.5L}, .a = {{}, {0.5L}}, .b = {0, 1}};
///     auto report = ensue::check_orders(table);   // report.main.order == 2, report.main.violated == "[ττ]"
///
/// The same conditions judge the library's own tables in its tests, through `first_violation`.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/numbers/scalar.hpp>

#include <string>
#include <vector>

namespace ensue {

/// As explicit_tableau, with lengths known at run time. A row of `a` may leave out its trailing zeros.
struct runtime_tableau {
  std::vector<long double> c;
  std::vector<std::vector<long double>> a;  ///< row i holds a_ij
  std::vector<long double> b;
  std::vector<std::vector<long double>> embedded;  ///< weights b̂, one vector for each embedded solution
  std::vector<std::vector<long double>> dense;  ///< dense[i][m] goes with θ^(m+1) and stage i; empty: no dense output

  int stages() const { return static_cast<int>(c.size()); }

  template <class Table> static runtime_tableau from(const Table& table) {
    runtime_tableau copy;
    copy.c.assign(table.c, table.c + Table::stages);
    copy.b.assign(table.b, table.b + Table::stages);
    for (const auto& row : table.a) copy.a.emplace_back(row, row + Table::stages);
    for (int i = 0; i < Table::embedded_rows; ++i)
      copy.embedded.emplace_back(table.embedded[i].weights, table.embedded[i].weights + Table::stages);
    if (Table::dense_degree > 0)
      for (const auto& row : table.dense) copy.dense.emplace_back(row, row + Table::dense_degree);
    return copy;
  }
};

/// No order above this one is looked for (its last 719 trees of 1205).
inline constexpr int highest_checked_order = 10;

/// What the order conditions say of one row of weights.
struct row_report {
  int order = 0;                      ///< the highest order whose conditions all hold, at most `highest_checked_order`
  long double residual = 0;           ///< the largest |Σ b_i Φ_i − 1/γ| among them: rounding, or digits left out
  std::string violated;               ///< the first tree whose condition fails, as "[[τ]τ]"; empty if none does
  long double violated_residual = 0;  ///< Σ b_i Φ_i − 1/γ of that tree
};

struct order_report {
  std::string error;  ///< not empty: the table makes no sense, says why; nothing else is filled in
  row_report main;
  std::vector<row_report> embedded;
  row_report dense;                  ///< the interpolant at every θ; order 0 if there is none
  long double row_sum_residual = 0;  ///< the largest |Σ_j a_ij − c_i|
  bool is_explicit = true;
  bool fsal = false;  ///< the last stage is f(t + h, x_new): free after an accepted step
  std::vector<std::string> warnings;
};

/// Finds the order of each row by the conditions of all rooted trees. A condition holds if it is off by at most
/// `tolerance` times the size of its terms; the default suits coefficients typed as doubles. With wrong row sums only
/// order 1 is certain, and no higher one is looked at. Implicit tables are judged too, with a warning. Milliseconds.
order_report check_orders(const runtime_tableau& table, double tolerance = 1e-14);

/// The orders that a table claims for its rows; `dense` 0 if it has no interpolant.
struct stated_orders {
  int main = 0;
  std::vector<int> embedded;
  int dense = 0;

  template <class Table> static stated_orders of(const Table& table) {
    stated_orders orders{table.order, {}, Table::dense_degree > 0 ? table.dense_order : 0};
    for (int i = 0; i < Table::embedded_rows; ++i) orders.embedded.push_back(table.embedded[i].order);
    return orders;
  }
};

/// What the library's own tables keep to: every coefficient is right to the last bit of a long double, and no condition
/// of theirs is off by more than 1.6 units of that rounding. A wrong digit among the first ten of any coefficient is
/// far beyond (tests/methods/explicit/order_conditions_test.cpp plants them all).
inline constexpr double own_tables_tolerance = 8 * static_cast<double>(epsilon<long double>);

/// The first promise that the table breaks, as a sentence; empty if it keeps all: an explicit table with right row
/// sums, every row of its stated order (up to `highest_checked_order`), an interpolant that ends at x_new. The cheapest
/// conditions come first.
std::string first_violation(const runtime_tableau& table, const stated_orders& orders,
                            double tolerance = own_tables_tolerance);

/// As for constexpr tables (stability.hpp). NaN if the table is not explicit or makes no sense.
double real_stability_interval(const runtime_tableau& table);
double imaginary_stability_interval(const runtime_tableau& table);

}  // namespace ensue
