#include "expressions/expression_program.hpp"

#include <utility>

namespace ensue::expression {
namespace {

using id = graph::id;
using nodes = std::vector<graph::node>;

// What some outputs need of a graph, operands before what is made of them.
struct part {
  nodes all;
  std::vector<id> outputs;  // ids are indices of `all`
};

part needed(const graph& from, std::span<const id> outputs) {
  std::vector<bool> seen(from.size());
  std::vector<id> to_see(outputs.begin(), outputs.end());
  while (!to_see.empty()) {
    const id i = to_see.back();
    to_see.pop_back();
    if (seen[i]) continue;
    seen[i] = true;
    const graph::node& n = from[i];
    const id operands[] = {n.a, n.b, n.c};
    to_see.insert(to_see.end(), operands, operands + operands_of(n.what));
  }
  part found;
  std::vector<id> index(from.size());
  for (id i = 0; i < from.size(); ++i) {
    if (!seen[i]) continue;
    index[i] = static_cast<id>(found.all.size());
    graph::node n = from[i];
    id* const operands[] = {&n.a, &n.b, &n.c};
    for (int k = 0; k < operands_of(n.what); ++k) *operands[k] = index[*operands[k]];
    found.all.push_back(n);
  }
  for (const id i : outputs) found.outputs.push_back(index[i]);
  return found;
}

std::vector<std::uint32_t> counted_uses(const part& of) {
  std::vector<std::uint32_t> uses(of.all.size());
  for (const id i : of.outputs) ++uses[i];
  for (const graph::node& n : of.all) {
    const id operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < operands_of(n.what); ++k) ++uses[operands[k]];
  }
  return uses;
}

// An instruction whose operands are still nodes.
struct step {
  operation what;
  id to;
  id operands[instruction::most_operands];
};

// Sums, differences and products of each other that nothing else needs are one instruction. It rounds as they do.
class fusion {
 public:
  fusion(const nodes& all, const std::vector<std::uint32_t>& uses) : all_(all), uses_(uses), absorbed_(all.size()) {}

  bool has_absorbed(id i) const { return absorbed_[i]; }

  step made(id i) {
    const graph::node& n = all_[i];
    if (n.what == operation::multiply) return product(n, i);
    if (n.what != operation::add && n.what != operation::subtract) return {n.what, i, {n.a, n.b, n.c, 0}};
    const bool sum = n.what == operation::add;
    const bool left = lone(n.a, operation::multiply), right = lone(n.b, operation::multiply);
    if (left && right) {
      const graph::node &a = absorb(n.a), &b = absorb(n.b);
      return {sum ? operation::add_products : operation::subtract_products, i, {a.a, a.b, b.a, b.b}};
    }
    if (left) return with_product(n.a, n.b, i, sum ? operation::multiply_add : operation::multiply_subtract);
    if (right) return with_product(n.b, n.a, i, sum ? operation::multiply_add : operation::subtract_product);
    return {n.what, i, {n.a, n.b, 0, 0}};
  }

 private:
  bool lone(id i, operation what) const { return all_[i].what == what && uses_[i] == 1; }
  const graph::node& absorb(id i) {
    absorbed_[i] = true;
    return all_[i];
  }

  /// Of a sum or a difference and something else, if one of the factors is that.
  step product(const graph::node& n, id i) {
    for (const auto& [factor, other] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
      for (const operation inner : {operation::add, operation::subtract})
        if (lone(factor, inner)) {
          const graph::node& f = absorb(factor);
          return {
              inner == operation::add ? operation::sum_times : operation::difference_times, i, {f.a, f.b, other, 0}};
        }
    return {n.what, i, {n.a, n.b, 0, 0}};
  }

  step with_product(id which, id other, id i, operation outer) {
    const graph::node& n = absorb(which);
    const step inner = outer == operation::subtract_product ? step{n.what, which, {}} : product(n, which);
    if (inner.what == operation::multiply) return {outer, i, {n.a, n.b, other, 0}};
    const bool add = outer == operation::multiply_add;
    const operation what = inner.what == operation::sum_times
                               ? add ? operation::sum_times_add : operation::sum_times_subtract
                           : add ? operation::difference_times_add
                                 : operation::difference_times_subtract;
    return {what, i, {inner.operands[0], inner.operands[1], inner.operands[2], other}};
  }

  const nodes& all_;
  const std::vector<std::uint32_t>& uses_;
  std::vector<bool> absorbed_;
};

std::vector<step> ordered_steps(const nodes& all, const std::vector<std::uint32_t>& uses) {
  fusion fused(all, uses);
  std::vector<step> backwards;
  for (auto i = static_cast<id>(all.size()); i-- > 0;)
    if (!fused.has_absorbed(i) && operands_of(all[i].what) > 0) backwards.push_back(fused.made(i));
  return {backwards.rbegin(), backwards.rend()};
}

// Where a node's value is found.
struct location {
  std::uint32_t index = 0;
  bool outside = false;
};

}  // namespace

program::program(const graph& from, std::span<const id> outputs, std::uint32_t inputs)
    : inputs_(inputs), outputs_(outputs.size()) {
  const part of = needed(from, outputs);
  const nodes& all = of.all;
  const std::vector<std::uint32_t> uses = counted_uses(of);
  const std::vector<step> steps = ordered_steps(all, uses);
  const auto is_computed = [&](id i) { return operands_of(all[i].what) > 0; };

  // Which step is a node's last; an output's never comes.
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last_use(all.size(), 0);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (int k = 0; k < operands_of(steps[s].what); ++k) last_use[steps[s].operands[k]] = s;
  for (const id i : of.outputs) last_use[i] = never;

  // Constants and the first input have registers for good, the other inputs are where the caller has them.
  std::vector<location> at(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].what == operation::constant) {
      at[i].index = static_cast<std::uint32_t>(constants_.size());
      constants_.push_back(all[i].value);
    }
  const auto first_input = static_cast<std::uint32_t>(constants_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].what == operation::variable)
      at[i] = all[i].a == 0 ? location{first_input, false} : location{all[i].a - 1, true};

  // An output that nothing else needs is computed into its place; the others are copied there in the end.
  const auto no_place = static_cast<std::uint32_t>(outputs_);
  std::vector<std::uint32_t> place(all.size(), no_place);
  for (std::uint32_t k = 0; k < outputs_; ++k)
    if (const id i = of.outputs[k]; uses[i] == 1 && is_computed(i)) place[i] = k;

  // What is computed takes the first free register: operands are read before the result is written, so it may be an operand's.
  registers_ = first_input + 1;
  std::vector<std::uint32_t> free;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const step& now = steps[s];
    instruction made{now.what};
    for (int k = 0; k < operands_of(now.what); ++k) {
      const id operand = now.operands[k];
      made.operands[k] = at[operand].index;
      if (at[operand].outside) made.outside |= 1u << k;
      if (last_use[operand] == s && is_computed(operand)) {
        free.push_back(at[operand].index);
        last_use[operand] = never;  // x*x frees x once
      }
    }
    if (place[now.to] != no_place) {
      made.outside |= instruction::result;
      made.to = place[now.to];
    } else if (free.empty()) {
      made.to = static_cast<std::uint32_t>(registers_++);
    } else {
      made.to = free.back();
      free.pop_back();
    }
    at[now.to].index = made.to;
    code_.push_back(made);
  }
  for (std::uint32_t k = 0; k < outputs_; ++k)
    if (const id i = of.outputs[k]; place[i] == no_place)
      (at[i].outside ? copied_inputs_ : copied_registers_).push_back({k, at[i].index});
}

}  // namespace ensue::expression
