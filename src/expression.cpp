#include "expression.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace ensue::expression {

// ---- the nearest known name ----

namespace {

// Letters missing, wrong, too many or transposed (optimal string alignment); in halves, because a letter of the other case and
// one typed twice count half.
int distance_in_halves(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = 2 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      const int leave_out = i > 1 && a[i - 1] == a[i - 2] ? 1 : 2, put_in = j > 1 && b[j - 1] == b[j - 2] ? 1 : 2;
      now[j] = std::min({last[j] + leave_out, now[j - 1] + put_in, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 2);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 64;  // a name longer than this is no slip of the finger
  if (name.size() > longest || candidates.size() > most_candidates) return {};
  // One slip in three letters; a name of one letter may only have the wrong case.
  int allowed = name.size() < 2 ? 1 : 2 * std::max<int>(1, static_cast<int>(name.size()) / 3);
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest || (candidate.size() == 1 && name.size() > 1)) continue;
    const int distance = distance_in_halves(name, candidate);
    if (distance > allowed || (distance == allowed && !found.empty())) continue;
    allowed = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string found = nearest(name, candidates);
  return found.empty() ? "" : ", did you mean `" + found + "`?";
}

// ---- the graph ----

std::size_t graph::hash::operator()(const node& n) const {
  std::uint64_t h = static_cast<std::uint64_t>(n.what);
  for (const std::uint64_t part :
       {std::uint64_t{n.a}, std::uint64_t{n.b}, std::uint64_t{n.c}, std::bit_cast<std::uint64_t>(n.value)}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15u;  // 2^64/φ
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

// By bits: -0 is not 0, and a NaN is itself.
bool graph::same::operator()(const node& m, const node& n) const {
  return m.what == n.what && m.a == n.a && m.b == n.b && m.c == n.c &&
         std::bit_cast<std::uint64_t>(m.value) == std::bit_cast<std::uint64_t>(n.value);
}

graph::id graph::merge(const node& n) {
  if (nodes_.size() >= most_in_graph)
    throw std::length_error("the problem has more than " + std::to_string(most_in_graph) + " operations");
  const auto [at, is_new] = known_.try_emplace(n, static_cast<id>(nodes_.size()));
  if (is_new) nodes_.push_back(n);
  return at->second;
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
      if (is_constant(a)) return nodes_[a].value != 0 ? b : c;
      if (b == c) return b;
      break;
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
