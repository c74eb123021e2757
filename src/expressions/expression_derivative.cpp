#include "expressions/expression_derivative.hpp"

#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace ensue::expression {
namespace {

using id = graph::id;

// The derivatives of one node that are not 0, inputs ascending.
struct component {
  std::uint32_t input;
  id value;
};
using gradient = std::vector<component>;

class differentiation {
 public:
  differentiation(graph& in, std::uint32_t first_slot, std::uint32_t slots)
      : graph_(in), first_slot_(first_slot), slots_(slots) {}

  derivative_matrix of(std::span<const id> outputs) {
    const std::size_t nodes = graph_.size();
    std::vector<std::uint32_t> uses = counted_uses(outputs);
    gradients_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (uses[i] == 0) continue;
      const graph::node n = graph_[static_cast<id>(i)];  // a copy: the graph grows
      gradients_[i] = of_node(static_cast<id>(i), n);
      formed_ += gradients_[i].size();
      if (formed_ > most_partial_derivatives)
        throw std::length_error("the Jacobian needs more than " + std::to_string(most_partial_derivatives) +
                                " derivatives of sub-expressions");
      const id operands[] = {n.a, n.b,
                             n.c};  // what nobody needs any more is let go, or long sums would fill the memory
      for (int k = 0; k < operands_of(n.what); ++k)
        if (--uses[operands[k]] == 0) gradients_[operands[k]] = {};
    }
    derivative_matrix result;
    result.row_start.push_back(0);
    for (const id output : outputs) {
      for (const component& one : gradients_[output]) {
        result.column.push_back(one.input);
        result.entries.push_back(one.value);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    return result;
  }

 private:
  std::vector<std::uint32_t> counted_uses(std::span<const id> outputs) const {
    std::vector<std::uint32_t> uses(graph_.size());
    for (const id i : outputs) ++uses[i];
    for (std::size_t i = graph_.size(); i-- > 0;) {
      if (uses[i] == 0) continue;
      const graph::node& n = graph_[static_cast<id>(i)];
      const id operands[] = {n.a, n.b, n.c};
      for (int k = 0; k < operands_of(n.what); ++k) ++uses[operands[k]];
    }
    return uses;
  }

  // ---- nodes, kept small: 0·x is 0 here, since a derivative that is not there is 0 whatever it is multiplied with ----

  id number(double value) { return graph_.constant(value); }
  bool is_zero(id i) const { return graph_.is_constant(i) && graph_[i].value == 0; }
  id apply(operation what, id a, id b = 0, id c = 0) { return graph_.apply(what, a, b, c); }
  id negative(id a) { return apply(operation::negate, a); }
  id quotient(id a, id b) { return apply(operation::divide, a, b); }
  id square(id a) { return apply(operation::multiply, a, a); }
  id one_plus(id a) { return apply(operation::add, number(1), a); }
  id one_minus(id a) { return apply(operation::subtract, number(1), a); }

  id product(id a, id b) {
    if (is_zero(a)) return a;
    if (is_zero(b)) return b;
    if (graph_[a].what == operation::negate) return negative(product(graph_[a].a, b));  // at most twice: −(−x) is x
    if (graph_[b].what == operation::negate) return negative(product(a, graph_[b].a));
    return apply(operation::multiply, a, b);
  }

  id sum(id a, id b) {
    if (graph_[b].what == operation::negate) return difference(a, graph_[b].a);
    if (graph_[a].what == operation::negate) return difference(b, graph_[a].a);
    if (a == b) return product(number(2), a);
    return apply(operation::add, a, b);
  }

  id difference(id a, id b) {
    if (a == b) return number(0);
    if (is_zero(a)) return negative(b);
    return apply(operation::subtract, a, b);
  }

  // ---- gradients ----

  gradient scaled(const gradient& by, id factor) {
    gradient result;
    result.reserve(by.size());
    for (const component& one : by) add(result, one.input, product(factor, one.value));
    return result;
  }

  static constexpr id absent = std::numeric_limits<id>::max();

  // Both along their inputs; `combine` gets `absent` for what one of them does not have.
  template <class Combine> gradient merged(const gradient& a, const gradient& b, Combine combine) {
    gradient result;
    result.reserve(a.size() + b.size());
    auto i = a.begin(), j = b.begin();
    while (i != a.end() || j != b.end()) {
      const bool from_a = j == b.end() || (i != a.end() && i->input <= j->input);
      const bool from_b = i == a.end() || (j != b.end() && j->input <= i->input);
      const std::uint32_t input = from_a ? i->input : j->input;
      add(result, input, combine(from_a ? i++->value : absent, from_b ? j++->value : absent));
    }
    return result;
  }

  void add(gradient& to, std::uint32_t input, id value) const {
    if (!is_zero(value)) to.push_back({input, value});
  }

  gradient added(const gradient& a, const gradient& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return merged(a, b, [&](id x, id y) { return x == absent ? y : y == absent ? x : sum(x, y); });
  }

  // Where both branches have the same derivative, it does not depend on the condition. (Where that is NaN, f is NaN anyway.)
  gradient chosen(id condition, const gradient& a, const gradient& b) {
    return merged(a, b, [&](id x, id y) {
      if (x == y) return x;
      return apply(operation::choose, condition, x == absent ? number(0) : x, y == absent ? number(0) : y);
    });
  }

  gradient of_node(id self, const graph::node& n) {
    if (n.what == operation::constant) return {};
    if (n.what == operation::variable) {
      if (n.a < first_slot_ || n.a - first_slot_ >= slots_) return {};
      return {{n.a - first_slot_, number(1)}};
    }
    const int operands = operands_of(n.what);
    const gradient none;
    const gradient& a = gradients_[n.a];
    const gradient& b = operands > 1 ? gradients_[n.b] : none;
    const gradient& c = operands > 2 ? gradients_[n.c] : none;
    if (a.empty() && b.empty() && c.empty()) return {};
    switch (n.what) {
      case operation::add: return added(a, b);
      case operation::subtract: return added(a, scaled(b, number(-1)));
      case operation::choose: return chosen(n.a, b, c);
      case operation::min: return chosen(apply(operation::less_equal, n.a, n.b), a, b);
      case operation::max: return chosen(apply(operation::greater_equal, n.a, n.b), a, b);
      default: break;
    }
    if (operands == 1) return scaled(a, slope(self, n));
    if (n.a == n.b && n.what == operation::multiply) return scaled(a, product(number(2), n.a));
    return added(a.empty() ? gradient() : scaled(a, slope_by_first(self, n)),
                 b.empty() ? gradient() : scaled(b, slope_by_second(self, n)));
  }

  // The derivative of a function of one operand; of one that jumps 0.
  id slope(id self, const graph::node& n) {
    const id a = n.a;
    switch (n.what) {
      case operation::negate: return number(-1);
      case operation::abs: return apply(operation::sign, a);
      case operation::sqrt: return quotient(number(0.5), self);
      case operation::cbrt: return quotient(number(1), product(number(3), square(self)));
      case operation::exp: return self;
      case operation::log: return quotient(number(1), a);
      case operation::log10: return quotient(number(std::numbers::log10e), a);
      case operation::sin: return apply(operation::cos, a);
      case operation::cos: return negative(apply(operation::sin, a));
      case operation::tan: return one_plus(square(self));
      case operation::asin: return quotient(number(1), apply(operation::sqrt, one_minus(square(a))));
      case operation::acos: return quotient(number(-1), apply(operation::sqrt, one_minus(square(a))));
      case operation::atan: return quotient(number(1), one_plus(square(a)));
      case operation::sinh: return apply(operation::cosh, a);
      case operation::cosh: return apply(operation::sinh, a);
      case operation::tanh: return one_minus(square(self));
      default: return number(0);  // sign, floor, ceil
    }
  }

  // hypot(0, 0) is 0 and has slope 0: divided by the least number above 0, if by nothing else.
  id not_zero(id a) { return apply(operation::max, a, number(std::numeric_limits<double>::denorm_min())); }

  id squared_distance(const graph::node& n) { return apply(operation::add, square(n.a), square(n.b)); }

  id slope_by_first(id self, const graph::node& n) {
    switch (n.what) {
      case operation::multiply: return n.b;
      case operation::divide: return quotient(number(1), n.b);
      case operation::pow: {  // b·a^(b − 1); 0 for b = 0, where a^(b − 1) may be infinite
        const id value = product(n.b, apply(operation::pow, n.a, apply(operation::subtract, n.b, number(1))));
        return apply(operation::choose, apply(operation::equal, n.b, number(0)), number(0), value);
      }
      case operation::hypot: return quotient(n.a, not_zero(self));
      case operation::atan2: return quotient(n.b, squared_distance(n));
      default: return number(0);  // comparisons
    }
  }

  id slope_by_second(id self, const graph::node& n) {
    switch (n.what) {
      case operation::multiply: return n.a;
      case operation::divide: return negative(quotient(self, n.b));
      case operation::pow: {  // a^b·log a, whose limit for a → 0 is 0
        const id value = product(self, apply(operation::log, n.a));
        return apply(operation::choose, apply(operation::equal, n.a, number(0)), number(0), value);
      }
      case operation::hypot: return quotient(n.b, not_zero(self));
      case operation::atan2: return negative(quotient(n.a, squared_distance(n)));
      default: return number(0);
    }
  }

  graph& graph_;
  std::uint32_t first_slot_, slots_;
  std::vector<gradient> gradients_;
  std::size_t formed_ = 0;
};

}  // namespace

derivative_matrix differentiate(graph& in, std::span<const id> outputs, std::uint32_t first_slot, std::uint32_t slots) {
  return differentiation(in, first_slot, slots).of(outputs);
}

id derivative(graph& in, id of, std::uint32_t slot) {
  const derivative_matrix one = differentiate(in, std::span(&of, 1), slot, 1);
  return one.entries.empty() ? in.constant(0) : one.entries[0];
}

}  // namespace ensue::expression
