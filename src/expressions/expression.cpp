#include "expressions/expression.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace ensue::expression {

std::size_t graph::hash(const node& n) {
  std::uint64_t h = static_cast<std::uint64_t>(n.what);
  for (const std::uint64_t part :
       {std::uint64_t{n.a}, std::uint64_t{n.b}, std::uint64_t{n.c}, std::bit_cast<std::uint64_t>(n.value)}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15u;  // 2^64/φ
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

// By bits: -0 is not 0, and a NaN is itself.
bool graph::same(const node& m, const node& n) {
  return m.what == n.what && m.a == n.a && m.b == n.b && m.c == n.c &&
         std::bit_cast<std::uint64_t>(m.value) == std::bit_cast<std::uint64_t>(n.value);
}

constexpr graph::id nobody = static_cast<graph::id>(-1);

graph::id graph::merge(const node& n) {
  if (2 * nodes_.size() >= table_.size()) grow_table();
  std::size_t at = hash(n) & (table_.size() - 1);
  for (; table_[at] != nobody; at = (at + 1) & (table_.size() - 1))
    if (same(nodes_[table_[at]], n)) return table_[at];
  if (nodes_.size() >= most_in_graph)
    throw std::length_error("the problem has more than " + std::to_string(most_in_graph) + " operations");
  nodes_.push_back(n);
  return table_[at] = static_cast<id>(nodes_.size() - 1);
}

void graph::grow_table() {
  table_.assign(std::max<std::size_t>(64, 2 * table_.size()), nobody);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::size_t at = hash(nodes_[i]) & (table_.size() - 1);
    while (table_[at] != nobody) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<id>(i);
  }
}

graph::id graph::constant(double value) { return merge({operation::constant, dependence::nothing, 0, 0, 0, value}); }

graph::id graph::input(std::uint32_t slot, dependence uses) {
  return merge({operation::variable, uses, slot, 0, 0, 0});
}

graph::id graph::apply(operation what, id a, id b, id c) {
  const int operands = operands_of(what);
  if (operands < 2) b = 0;
  if (operands < 3) c = 0;
  if (is_constant(a) && (operands < 2 || is_constant(b)) && (operands < 3 || is_constant(c)))
    return constant(compute(what, nodes_[a].value, nodes_[b].value, nodes_[c].value));
  if (const auto simpler = simplified(what, a, b, c)) return *simpler;
  if ((what == operation::add || what == operation::multiply) && b < a) std::swap(a, b);  // so that y*x is x*y
  dependence uses = nodes_[a].uses;
  if (operands > 1) uses = uses | nodes_[b].uses;
  if (operands > 2) uses = uses | nodes_[c].uses;
  return merge({what, uses, a, b, c, 0});
}

// What equals it with less work, for infinite and undefined operands too (so not 0*x); the sign of a zero may differ.
std::optional<graph::id> graph::simplified(operation what, id a, id b, id c) {
  const auto is = [&](id i, double value) { return is_constant(i) && nodes_[i].value == value; };
  switch (what) {
    case operation::add:
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      break;
    case operation::subtract:
      if (is(b, 0)) return a;
      break;
    case operation::multiply:
      if (is(a, 1)) return b;
      if (is(b, 1)) return a;
      if (is(a, -1)) return apply(operation::negate, b);
      if (is(b, -1)) return apply(operation::negate, a);
      break;
    case operation::divide:
      if (is(b, 1)) return a;
      break;
    case operation::negate:
      if (nodes_[a].what == operation::negate) return nodes_[a].a;
      break;
    case operation::pow:
      if (!is_constant(b)) break;
      if (nodes_[b].value == 0.5) return apply(operation::sqrt, a);
      for (int n = 1; n <= 8; ++n) {
        if (nodes_[b].value == n) return whole_power(a, n);
        if (nodes_[b].value == -n) return apply(operation::divide, constant(1), whole_power(a, n));
      }
      break;
    case operation::choose:
      if (!is_constant(a)) break;
      if (nodes_[a].value != nodes_[a].value) return a;
      return nodes_[a].value != 0 ? b : c;
    default: break;
  }
  return {};
}

graph::id graph::whole_power(id base, int exponent) {
  if (exponent == 1) return base;
  const id half = whole_power(base, exponent / 2);
  const id even = apply(operation::multiply, half, half);
  return exponent % 2 ? apply(operation::multiply, even, base) : even;
}

graph::id graph::insert(const tree& from, std::span<const id> meanings) {
  std::vector<id> ids;
  ids.reserve(from.nodes.size());
  for (const tree::node& n : from.nodes) switch (n.what) {
      case operation::constant: ids.push_back(constant(n.value)); break;
      case operation::variable: ids.push_back(meanings[n.a]); break;
      default: {
        const int operands = operands_of(n.what);
        ids.push_back(apply(n.what, ids[n.a], operands > 1 ? ids[n.b] : 0, operands > 2 ? ids[n.c] : 0));
      }
    }
  return ids.back();
}

}  // namespace ensue::expression
