/// The Jacobian of a problem file's equations: exact, and only where it is not zero.
///
///     expression_jacobian jacobian = problem.jacobian();        // differentiated now; afterwards nothing is allocated
///     std::vector<double> values(jacobian.nonzeros());
///     jacobian.evaluate(t, x, values);                          // ∂f_i/∂x_j: i by row_start, j by columns
///     jacobian.time_derivative(t, x, df_dt);
#pragma once

#include "expressions/expression_derivative.hpp"
#include "expressions/expression_program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ensue {

/// A problem's equations while they can still be differentiated. Inputs: t, then the state.
struct expression_source {
  expression::graph graph;
  std::vector<expression::graph::id> equations;  ///< derivatives, or accelerations
  std::vector<expression::graph::id> invariants;
  std::uint32_t size;                            ///< of the state
  bool second_order;
};

/// ∂f/∂x of the whole f: of second order, the rows of positions say that their derivatives are the velocities. In the form
/// "compressed by rows": the entries of row i are row_start[i] … row_start[i + 1] − 1, columns ascending. An entry that is in
/// the pattern can still be 0 somewhere. Each copy has registers of its own.
class expression_jacobian {
 public:
  explicit expression_jacobian(const expression_source& of);

  std::size_t size() const { return row_start_.size() - 1; }
  std::size_t nonzeros() const { return column_.size(); }
  std::span<const std::uint32_t> row_start() const { return row_start_; }
  std::span<const std::uint32_t> columns() const { return column_; }

  /// One value for each entry of the pattern.
  void evaluate(double t, std::span<const double> x, std::span<double> values);
  /// ∂f/∂t, one a component.
  void time_derivative(double t, std::span<const double> x, std::span<double> out);

  const expression::program& program() const { return entries_.code(); }

 private:
  struct both;
  expression_jacobian(const expression_source& of, both&& derivatives);

  std::vector<std::uint32_t> row_start_, column_;
  std::vector<std::uint32_t> changing_;  ///< equations with t in them
  std::uint32_t identities_;             ///< rows of positions
  expression::evaluator<double> entries_, by_time_;
  std::vector<double> slopes_;  ///< what `by_time_` computes: ∂/∂t of the equations of `changing_`
};

/// What computes dI/dt = ∂I/∂t + ∇I·f of every invariant I: zero, but for rounding, where it is one; what damping takes where it is not.
expression::program rates_of_invariants(const expression_source& of);

}  // namespace ensue
