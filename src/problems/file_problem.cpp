#include "problems/file_problem.hpp"

#include <utility>

namespace ensue {

expression_system::expression_system(expression::program derivatives, force_of force, std::vector<bool> algebraic)
    : evaluator_(std::move(derivatives)),
      positions_(force == force_of::none ? 0 : evaluator_.size()),
      force_(force),
      algebraic_(std::move(algebraic)) {}

expression_system::expression_system(system_function model, const expression::program& none, std::size_t size)
    : evaluator_(none), positions_(size / 2), force_(model.force()), built_in_(std::move(model)) {}

void expression_system::acceleration(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) {
  if (built_in_) return void(built_in_->accelerate(t, q, v, a));
  // A program that needs no velocities does not look at them; others find them behind the positions, where most methods keep them.
  if (force_ == force_of::position || v.data() == q.data() + positions_) return evaluator_.run(t, q.data(), a.data());
  joined_.resize(2 * positions_);
  std::copy(q.begin(), q.end(), joined_.begin());
  std::copy(v.begin(), v.end(), joined_.begin() + static_cast<std::ptrdiff_t>(positions_));
  evaluator_.run(t, joined_.data(), a.data());
}

expression_values::expression_values(expression::program values, std::vector<std::string> names)
    : evaluator_(std::move(values)), names_(std::move(names)), values_(names_.size()) {}

expression_values::expression_values(function values, const expression::program& none, std::vector<std::string> names)
    : evaluator_(none), names_(std::move(names)), values_(names_.size()), built_in_(std::move(values)) {}

void expression_values::evaluate(double t, std::span<const double> x) {
  if (built_in_) built_in_(x, values_);
  else evaluator_.run(t, x.data(), values_.data());
}

}  // namespace ensue
