#include "expressions/expression_jacobian.hpp"

#include <algorithm>

namespace ensue {

using expression::derivative_matrix;
using expression::graph;

struct expression_jacobian::both {
  graph all;
  derivative_matrix by_state, by_time;

  explicit both(const expression_source& of)
      : all(of.graph),
        by_state(differentiate(all, of.equations, 1, of.size)),
        by_time(differentiate(all, of.equations, 0, 1)) {}
};

expression_jacobian::expression_jacobian(const expression_source& of) : expression_jacobian(of, both(of)) {}

expression_jacobian::expression_jacobian(const expression_source& of, both&& derivatives)
    : identities_(of.second_order ? of.size / 2 : 0),
      entries_(expression::program(derivatives.all, derivatives.by_state.entries, 1 + of.size)),
      by_time_(expression::program(derivatives.all, derivatives.by_time.entries, 1 + of.size)) {
  for (std::uint32_t i = 0; i < identities_; ++i) {
    row_start_.push_back(i);
    column_.push_back(identities_ + i);
  }
  for (const std::uint32_t start : derivatives.by_state.row_start) row_start_.push_back(identities_ + start);
  column_.insert(column_.end(), derivatives.by_state.column.begin(), derivatives.by_state.column.end());
  const auto& start = derivatives.by_time.row_start;
  for (std::uint32_t i = 0; i + 1 < start.size(); ++i)
    if (start[i] != start[i + 1]) changing_.push_back(identities_ + i);
  slopes_.resize(changing_.size());
}

expression::program rates_of_invariants(const expression_source& of) {
  using expression::operation;
  graph all = of.graph;
  const derivative_matrix gradients = differentiate(all, of.invariants, 0, 1 + of.size);
  const std::uint32_t n = of.second_order ? of.size / 2 : 0;
  std::vector<graph::id> rates;
  for (std::size_t i = 0; i < of.invariants.size(); ++i) {
    graph::id rate = all.constant(0);
    for (std::uint32_t e = gradients.row_start[i]; e < gradients.row_start[i + 1]; ++e) {
      const std::uint32_t slot = gradients.column[e];
      graph::id part = gradients.entries[e];
      if (slot > 0) {
        const std::uint32_t j = slot - 1;  // which component, of which x'ⱼ is the velocity or an equation
        const graph::id moving = j < n ? all.input(1 + n + j, expression::dependence::velocity) : of.equations[j - n];
        part = all.apply(operation::multiply, part, moving);
      }
      rate = all.apply(operation::add, rate, part);
    }
    rates.push_back(rate);
  }
  return expression::program(all, rates, 1 + of.size);
}

void expression_jacobian::evaluate(double t, std::span<const double> x, std::span<double> values) {
  std::fill_n(values.begin(), identities_, 1.0);
  entries_.run(t, x.data(), values.data() + identities_);
}

void expression_jacobian::time_derivative(double t, std::span<const double> x, std::span<double> out) {
  by_time_.run(t, x.data(), slopes_.data());
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < changing_.size(); ++i) out[changing_[i]] = slopes_[i];
}

}  // namespace ensue
