/// Exact derivatives of expressions, as expressions of the same graph.
///
///     const auto slope = derivative(graph, force, 1);            // ∂force/∂(input 1), a node
///     const auto J = differentiate(graph, outputs, 1, n);        // ∂outputs/∂(inputs 1 … n), only what is not zero
///     expression::program jacobian(graph, J.entries, 1 + n);
///
/// Accumulated forwards over the shared graph: a sub-expression is differentiated once, whoever uses it, by those inputs that
/// it changes with. A branch of `if`, `min` or `max` is chosen after it was differentiated, so that what is not defined in the
/// branch that is not taken does not matter: the derivative of if(x > 0, sqrt(x), 0) at −1 is 0.
///
/// Where a derivative does not exist, as in dual.hpp:
///
///     abs at 0, hypot at (0, 0)                 0, the middle of the slopes on either side
///     min, max of equal values                  the first argument's
///     sign, floor, ceil                         0, also where they jump: no entry in a Jacobian
///     if                                        that of the branch taken; the jump between branches is not seen
///     sqrt, cbrt, log at 0, asin, acos at ±1    ±infinity
///     atan2 at (0, 0)                           NaN
#pragma once

#include "expressions/expression.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ensue::expression {

/// Derivatives that are formed on the way, of all sub-expressions by all their inputs.
inline constexpr std::size_t most_partial_derivatives = 50'000'000;

/// A matrix of nodes by rows (CSR): row i is entries[row_start[i]] … entries[row_start[i + 1] − 1], columns ascending.
struct derivative_matrix {
  std::vector<std::uint32_t> row_start, column;
  std::vector<graph::id> entries;  ///< none is the constant 0
};

/// ∂outputs/∂inputs of slots first_slot … first_slot + slots − 1, as new nodes of the graph. Column 0 is first_slot. Throws
/// std::length_error beyond `most_partial_derivatives` or `most_in_graph`.
derivative_matrix differentiate(graph& in, std::span<const graph::id> outputs, std::uint32_t first_slot,
                                std::uint32_t slots);

/// ∂of/∂input.
graph::id derivative(graph& in, graph::id of, std::uint32_t slot);

}  // namespace ensue::expression
