/// Dense, banded or sparse: which form of a matrix is factored and solved with the least time.
///
/// The costs below were fitted to measurements (bench/linear_solvers forms; docs/measurements.md, "Linear solvers"): within a factor of
/// 2.3 from n = 64 on, on bands, grids and full matrices (full ones as sparse four times too dear, on purpose). What comes of it: a
/// square grid of n unknowns stays a band up to n = 10⁴ and is sparse beyond; dense wins up to 16 unknowns and where hardly anything
/// is zero.
#pragma once

#include <ensue/linear/ordering.hpp>
#include <ensue/linear/pattern.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
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
  cost.dense = size * size * (0.5 + 0.065 * size);
  cost.banded = size * (10 + lower * (2.5 + 0.16 * reach));
  // A mesh in the plane has separators of √n unknowns and takes n^1.5 operations (George 1973, nested dissection); one in a strip, n times
  // the strip's width. No order of a matrix with e elements a row takes fewer than n e², which keeps full matrices from being sparse.
  const double elements = static_cast<double>(nonzeros), separator = std::fmin(lower, std::sqrt(size));
  cost.sparse = 2000 + 60 * elements + 35 * size * separator + 0.07 * elements * elements / size;
  return cost;
}

/// The form with the least estimated cost. Ties, and systems of up to 16 unknowns, which a register file holds, are dense. Where there is
/// no sparse solver, none is chosen.
inline matrix_form choose_form(std::size_t n, bandwidth b, std::size_t nonzeros, bool sparse_can_be_solved = true) {
  if (n <= 16 && b.lower + b.upper > 2) return matrix_form::dense;
  factor_cost cost = estimate_cost(n, b, nonzeros);
  if (!sparse_can_be_solved) cost.sparse = std::numeric_limits<double>::infinity();
  if (cost.banded < cost.dense && cost.banded <= cost.sparse) return matrix_form::banded;
  return cost.sparse < cost.dense ? matrix_form::sparse : matrix_form::dense;
}

struct form_choice {
  matrix_form form = matrix_form::dense;
  bandwidth band;                  ///< of the order below
  std::vector<std::size_t> order;  ///< empty: as the unknowns are; else order[k] is the unknown that becomes the k-th
};

/// The same from a pattern, trying a better order for a band where the one given is wide.
inline form_choice choose_form(const sparsity_pattern& p, bool sparse_can_be_solved = true) {
  form_choice choice;
  choice.band = bandwidth_of(p);
  choice.form = choose_form(p.rows, choice.band, p.nonzeros(), sparse_can_be_solved);
  if (choice.form == matrix_form::banded && 2 * (choice.band.lower + choice.band.upper + 1) * p.rows <= 3 * p.nonzeros()) return choice;
  std::vector<std::size_t> order = reverse_cuthill_mckee(p);
  const bandwidth narrow = bandwidth_in_order(p, order);
  if (narrow.lower + narrow.upper >= choice.band.lower + choice.band.upper) return choice;
  const matrix_form other = choose_form(p.rows, narrow, p.nonzeros(), sparse_can_be_solved);
  if (other == matrix_form::banded) choice = {other, narrow, std::move(order)};
  return choice;
}

}  // namespace ensue::linear
