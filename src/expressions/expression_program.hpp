/// Expressions ready to be evaluated: a flat list of instructions.
///
///     expression::program force(graph, outputs, 1 + 2 * n);     // inputs: t, q, v
///     expression::evaluator<double> f(std::move(force));
///     f.run(t, x, out);                                         // x: the inputs after the first; no allocation
///
/// The evaluator is a template over the number: double for one state, `pack<double, 8>` for eight, `dual` for derivatives.
#pragma once

#include "expressions/expression.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ensue::expression {

/// Operands and result are registers, or, where a bit of `outside` says so, in the caller's memory: an operand one of the inputs
/// after the first, the result one of the outputs. What is read and written in place is not copied, and does not wait for the
/// copy.
struct instruction {
  static constexpr unsigned most_operands = 4, result = 1u << most_operands;
  operation what;
  unsigned outside = 0;  ///< bit k: operand k; bit `result`: the result
  std::uint32_t to = 0, operands[most_operands] = {};
};

/// What computes some nodes of a graph from its inputs. Registers: constants, then the first input, then what is computed; one
/// that is not needed any more is used again, so that long programs stay in the cache.
class program {
 public:
  /// Inputs are slots 0 … inputs − 1.
  program(const graph& from, std::span<const graph::id> outputs, std::uint32_t inputs);

  std::span<const double> constants() const { return constants_; }
  std::span<const instruction> code() const { return code_; }
  /// Outputs that are an input, a constant, or needed by others too.
  struct copy {
    std::uint32_t output, from;
  };
  std::span<const copy> copied_registers() const { return copied_registers_; }
  std::span<const copy> copied_inputs() const { return copied_inputs_; }  ///< from the inputs after the first
  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t registers() const { return registers_; }

 private:
  std::vector<double> constants_;
  std::vector<instruction> code_;
  std::vector<copy> copied_registers_, copied_inputs_;
  std::size_t inputs_, outputs_, registers_;
};

/// An instruction as it is executed: what computes it for numbers of type T goes on to the next one by itself. Where the
/// compiler makes a jump of that last call (-O2), it costs half of what a loop over a switch does.
template <class T> struct threaded_instruction {
  void (*execute)(const threaded_instruction*, T* registers, const T* inputs, T* outputs);
  std::uint32_t to, operands[instruction::most_operands];
  unsigned outside;
};

/// Numbers for which the places of operands are compiled in, 32 times each operation: one state at a time, or many. For the others, duals
/// for one, an instruction looks where they are.
template <class T> inline constexpr bool places_compiled_in = std::is_same_v<T, double> || lanes_of<T> >= 16;

namespace detail {
template <class T, operation What>
void execute_anywhere(const threaded_instruction<T>* now, T* registers, const T* inputs, T* outputs) {
  const auto operand = [&](unsigned k) -> const T& { return (now->outside >> k & 1u ? inputs : registers)[now->operands[k]]; };
  (now->outside & instruction::result ? outputs : registers)[now->to] =
      compute(What, operand(0), operand(1), operand(2), operand(3));
  ++now;
  return now->execute(now, registers, inputs, outputs);
}
template <class T, operation What, unsigned Outside>
void execute(const threaded_instruction<T>* now, T* registers, const T* inputs, T* outputs) {
  const auto operand = [&](unsigned k) ENSUE_INLINE_LAMBDA -> const T& {
    return (Outside >> k & 1u ? inputs : registers)[now->operands[k]];
  };
  (Outside & instruction::result ? outputs : registers)[now->to] =
      compute(What, operand(0), operand(1), operand(2), operand(3));
  ++now;
  return now->execute(now, registers, inputs, outputs);
}
template <class T> void stop(const threaded_instruction<T>*, T*, const T*, T*) {}

/// `execute` for each combination of places, those that differ only in operands that the operation does not have being one.
template <class T, operation What, unsigned... Outside>
constexpr auto execute_at(unsigned outside, std::integer_sequence<unsigned, Outside...>) {
  constexpr unsigned has = ((1u << operands_of(What)) - 1) | instruction::result;
  constexpr decltype(&stop<T>) all[] = {execute < T, What, Outside & has > ...};
  return all[outside];
}

template <class T> decltype(&stop<T>) execute_as(operation what, unsigned outside) {
  [[maybe_unused]] constexpr auto places = std::make_integer_sequence<unsigned, 2 * instruction::result>{};
  switch (what) {
    case operation::constant:
    case operation::variable: break;  // no instructions
#define ENSUE_CASE(name, operands, formula) \
  case operation::name: \
    if constexpr (places_compiled_in<T>) return execute_at<T, operation::name>(outside, places); \
    else return execute_anywhere<T, operation::name>;
      ENSUE_EXPRESSION_OPERATIONS(ENSUE_CASE)
#undef ENSUE_CASE
  }
  return stop<T>;
}
}  // namespace detail

/// A program with registers of its own: two evaluators never disturb each other. Copies share the instructions.
template <class T> class evaluator {
 public:
  explicit evaluator(program what) : evaluator(std::make_shared<const program>(std::move(what))) {}
  explicit evaluator(std::shared_ptr<const program> what)
      : program_(std::move(what)),
        code_(threaded(*program_)),
        begin_(code_->data()),
        size_(code_->size()),
        first_input_(program_->constants().size()),
        copied_registers_(program_->copied_registers()),
        copied_inputs_(program_->copied_inputs()),
        registers_(program_->registers(), T(0)) {
    for (std::size_t i = 0; i < first_input_; ++i) registers_[i] = T(program_->constants()[i]);
  }

  /// From the first input and the others, which are one after another in memory. The outputs are not the inputs' memory.
  ENSUE_INLINE void run(const T& first, const T* others, T* outputs) {
    T* const r = registers_.data();
    r[first_input_] = first;
    for (std::size_t i = 0; i < size_; i += block + 1) begin_[i].execute(begin_ + i, r, others, outputs);
    for (const program::copy& c : copied_registers_) outputs[c.output] = r[c.from];
    for (const program::copy& c : copied_inputs_) outputs[c.output] = others[c.from];
  }

  std::size_t size() const { return program_->outputs(); }
  const program& code() const { return *program_; }

 private:
  /// So many instructions, then a stop: calls that did not become jumps are never deeper.
  static constexpr std::size_t block = 64;

  static std::shared_ptr<const std::vector<threaded_instruction<T>>> threaded(const program& from) {
    std::vector<threaded_instruction<T>> code;
    for (const instruction& i : from.code()) {
      code.push_back({detail::execute_as<T>(i.what, i.outside),
                      i.to,
                      {i.operands[0], i.operands[1], i.operands[2], i.operands[3]},
                      i.outside});
      if (code.size() % (block + 1) == block) code.push_back({detail::stop<T>, 0, {}, 0});
    }
    code.push_back({detail::stop<T>, 0, {}, 0});
    return std::make_shared<const std::vector<threaded_instruction<T>>>(std::move(code));
  }

  std::shared_ptr<const program> program_;
  std::shared_ptr<const std::vector<threaded_instruction<T>>> code_;
  const threaded_instruction<T>* begin_;                             // of the code
  std::size_t size_, first_input_;                                   // of the code; the register of the first input
  std::span<const program::copy> copied_registers_, copied_inputs_;  // of the program
  std::vector<T> registers_;
};

}  // namespace ensue::expression
