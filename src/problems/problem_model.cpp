#include "problems/problem_model.hpp"

#include <stdexcept>
#include <utility>

namespace ensue {
namespace {

/// Each copy has registers of its own, as those of its parts.
class differentiated_system {
 public:
  differentiated_system(const expression_system& system, expression_jacobian jacobian)
      : system_(system), jacobian_(std::move(jacobian)) {}

  void operator()(double t, std::span<const double> x, std::span<double> dx) { system_(t, x, dx); }
  force_of force() const { return system_.force(); }

  void jacobian(double t, std::span<const double> x, linear::sparse_matrix<double>& j) { jacobian_.evaluate(t, x, j.values()); }
  linear::sparsity_pattern jacobian_pattern() const {
    linear::sparsity_pattern pattern;
    pattern.rows = pattern.width = jacobian_.size();
    pattern.row_start.assign(jacobian_.row_start().begin(), jacobian_.row_start().end());
    pattern.columns.assign(jacobian_.columns().begin(), jacobian_.columns().end());
    return pattern;
  }
  bool offers_mass_matrix() const { return system_.offers_mass_matrix(); }
  template <class Matrix> void mass_matrix(Matrix& m) const { system_.mass_matrix(m); }
  void time_derivative(double t, std::span<const double> x, std::span<double> ft) { jacobian_.time_derivative(t, x, ft); }

 private:
  expression_system system_;
  expression_jacobian jacobian_;
};

}  // namespace

system_function differentiated_model_of(const file_problem& problem) {
  if (problem.system.built_in()) return *problem.system.built_in();
  return differentiated_system(problem.system, problem.jacobian());
}

system_function model_of(const file_problem& problem, const method_info& method) {
  if (problem.system.built_in()) return *problem.system.built_in();
  if (!method.evaluations.differentiates) return problem.system;
  try {
    return differentiated_model_of(problem);
  } catch (const std::length_error&) {
    return problem.system;
  }
}

}  // namespace ensue
