#include "expression_program.hpp"

namespace ensue::expression {
namespace {

using id = graph::id;

// An instruction whose operands are still nodes.
struct step {
  operation what;
  id to;
  id operands[3];
};

std::vector<std::uint32_t> counted_uses(const graph& from, std::span<const id> outputs) {
  std::vector<std::uint32_t> uses(from.size());
  for (const id i : outputs) ++uses[i];
  for (std::size_t i = from.size(); i-- > 0;) {
    if (uses[i] == 0) continue;
    const graph::node& n = from[static_cast<id>(i)];
    const id operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < operands_of(n.what); ++k) ++uses[operands[k]];
  }
  return uses;
}

// A sum or difference with a product that nothing else needs is one instruction. It rounds as two do.
step fused(const graph& from, id i, const std::vector<std::uint32_t>& uses, std::vector<bool>& absorbed) {
  const graph::node& n = from[i];
  const auto lone_product = [&](id k) { return from[k].what == operation::multiply && uses[k] == 1; };
  const auto with = [&](operation what, id product, id other) {
    absorbed[product] = true;
    return step{what, i, {from[product].a, from[product].b, other}};
  };
  if (n.what == operation::add && lone_product(n.b)) return with(operation::multiply_add, n.b, n.a);
  if (n.what == operation::add && lone_product(n.a)) return with(operation::multiply_add, n.a, n.b);
  if (n.what == operation::subtract && lone_product(n.a)) return with(operation::multiply_subtract, n.a, n.b);
  if (n.what == operation::subtract && lone_product(n.b)) return with(operation::subtract_product, n.b, n.a);
  return {n.what, i, {n.a, n.b, n.c}};
}

std::vector<step> ordered_steps(const graph& from, std::span<const id> outputs) {
  const auto uses = counted_uses(from, outputs);
  std::vector<bool> absorbed(from.size());
  std::vector<step> backwards;
  for (std::size_t i = from.size(); i-- > 0;)
    if (uses[i] > 0 && !absorbed[i] && operands_of(from[static_cast<id>(i)].what) > 0)
      backwards.push_back(fused(from, static_cast<id>(i), uses, absorbed));
  return {backwards.rbegin(), backwards.rend()};
}

}  // namespace

program::program(const graph& from, std::span<const id> outputs, std::uint32_t inputs) : inputs_(inputs) {
  const std::vector<step> steps = ordered_steps(from, outputs);

  // Which step is a node's last; an output's never comes.
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last_use(from.size(), 0);
  std::vector<bool> needed(from.size());
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (int k = 0; k < operands_of(steps[s].what); ++k) {
      last_use[steps[s].operands[k]] = s;
      needed[steps[s].operands[k]] = true;
    }
  for (const id i : outputs) {
    last_use[i] = never;
    needed[i] = true;
  }

  // Constants and inputs have registers for good.
  std::vector<std::uint32_t> register_of(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (needed[i] && from.is_constant(static_cast<id>(i))) {
      register_of[i] = static_cast<std::uint32_t>(constants_.size());
      constants_.push_back(from[static_cast<id>(i)].value);
    }
  const auto first_input = static_cast<std::uint32_t>(constants_.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[static_cast<id>(i)].what == operation::variable) register_of[i] = first_input + from[static_cast<id>(i)].a;

  // What is computed takes the first free one: operands are read before the result is written, so it may be an operand's.
  registers_ = first_input + inputs;
  std::vector<std::uint32_t> free;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const step& now = steps[s];
    std::uint32_t registers[3] = {0, 0, 0};
    for (int k = 0; k < operands_of(now.what); ++k) {
      const id operand = now.operands[k];
      registers[k] = register_of[operand];
      if (last_use[operand] == s && operands_of(from[operand].what) > 0) {
        free.push_back(registers[k]);
        last_use[operand] = never;  // x*x frees x once
      }
    }
    if (free.empty()) {
      register_of[now.to] = static_cast<std::uint32_t>(registers_++);
    } else {
      register_of[now.to] = free.back();
      free.pop_back();
    }
    code_.push_back({now.what, register_of[now.to], registers[0], registers[1], registers[2]});
  }
  for (const id i : outputs) outputs_.push_back(register_of[i]);
}

}  // namespace ensue::expression
