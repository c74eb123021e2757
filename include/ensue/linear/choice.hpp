/// Dense, banded or sparse: which form of a matrix is factored and solved with the least time.
///
/// What each costs, measured (bench/linear_solvers; docs/measurements.md, "Linear solvers"): dense LU a little over n³/3 multiplications in
/// vector registers, banded LU lower·(lower + upper) a row in short vectors, Eigen's sparse LU some 10² ns an element of
/// the matrix for its searches and supernodes before the first multiplication, and more with fill, which nobody knows beforehand.
#pragma once

#include <ensue/linear/ordering.hpp>
#include <ensue/linear/pattern.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ensue::linear {

enum class matrix_form { dense, banded, sparse };

/// Nanoseconds for one factorisation; their ratios are what counts.
struct factor_cost {
  double dense = 0, banded = 0, sparse = 0;
};

inline factor_cost estimate_cost(std::size_t n, bandwidth b, std::size_t nonzeros) {
  const double size = static_cast<double>(n), lower = static_cast<double>(b.lower), reach = static_cast<double>(b.lower + b.upper);
  factor_cost cost;
  cost.dense = 100 + size * size * 0.5 + size * size * size * 0.06;
  cost.banded = size * (10 + 3 * lower + 0.12 * lower * reach);
  // Fill of a mesh in the plane, n log n elements, taken for any: George (1973), nested dissection.
  cost.sparse = 5000 + static_cast<double>(nonzeros) * (100 + 15 * std::log2(size + 1));
  return cost;
}

/// The form with the least estimated cost. Ties, and systems of up to 16 unknowns, which a register file holds, are dense.
inline matrix_form choose_form(std::size_t n, bandwidth b, std::size_t nonzeros) {
  if (n <= 16 && b.lower + b.upper > 2) return matrix_form::dense;
  const factor_cost cost = estimate_cost(n, b, nonzeros);
  if (cost.banded < cost.dense && cost.banded <= cost.sparse) return matrix_form::banded;
  return cost.sparse < cost.dense ? matrix_form::sparse : matrix_form::dense;
}

struct form_choice {
  matrix_form form = matrix_form::dense;
  bandwidth band;                  ///< of the order below
  std::vector<std::size_t> order;  ///< empty: as the unknowns are; else order[k] is the unknown that becomes the k-th
};

/// The same from a pattern, trying a better order for a band where the one given is wide.
inline form_choice choose_form(const sparsity_pattern& p) {
  form_choice choice;
  choice.band = bandwidth_of(p);
  choice.form = choose_form(p.rows, choice.band, p.nonzeros());
  if (choice.form == matrix_form::banded && 2 * (choice.band.lower + choice.band.upper + 1) * p.rows <= 3 * p.nonzeros()) return choice;
  std::vector<std::size_t> order = reverse_cuthill_mckee(p);
  const bandwidth narrow = bandwidth_in_order(p, order);
  if (narrow.lower + narrow.upper >= choice.band.lower + choice.band.upper) return choice;
  const matrix_form other = choose_form(p.rows, narrow, p.nonzeros());
  if (other == matrix_form::banded) choice = {other, narrow, std::move(order)};
  return choice;
}

}  // namespace ensue::linear
