/// Expressions ready to be evaluated: a flat list of instructions over a file of registers.
///
///     expression::program force(graph, outputs, 1 + 2 * n);     // inputs: t, q, v
///     expression::evaluator<double> f(std::move(force));
///     f.inputs()[0] = t; …  f.run();  f[0], f[1], …             // no allocation
///
/// The evaluator is a template over the number: double for one state, `pack<double, 8>` for eight, `dual` for derivatives.
#pragma once

#include "expression.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ensue::expression {

struct instruction {
  operation what;
  std::uint32_t to, a, b, c;  ///< registers
};

/// What computes some nodes of a graph from its inputs. Registers: constants, then inputs, then what is computed; one that is
/// not needed any more is used again, so that long programs stay in the cache.
class program {
 public:
  /// Inputs are slots 0 … inputs − 1.
  program(const graph& from, std::span<const graph::id> outputs, std::uint32_t inputs);

  std::span<const double> constants() const { return constants_; }
  std::span<const instruction> code() const { return code_; }
  std::span<const std::uint32_t> outputs() const { return outputs_; }  ///< the register of each output
  std::size_t inputs() const { return inputs_; }
  std::size_t registers() const { return registers_; }

 private:
  std::vector<double> constants_;
  std::vector<instruction> code_;
  std::vector<std::uint32_t> outputs_;
  std::size_t inputs_, registers_;
};

/// An instruction as it is executed: what computes it for numbers of type T goes on to the next one by itself. Where the
/// compiler makes a jump of that last call (-O2), it costs half of what a loop over a switch does: 5 against 9 to 11 ns for
/// Lorenz's six instructions.
template <class T> struct threaded_instruction {
  void (*execute)(const threaded_instruction*, T* registers);
  std::uint32_t to, a, b, c;
};

namespace detail {
template <class T, operation What> void execute(const threaded_instruction<T>* now, T* r) {
  r[now->to] = compute(What, r[now->a], r[now->b], r[now->c]);
  ++now;
  return now->execute(now, r);
}
template <class T> void stop(const threaded_instruction<T>*, T*) {}

template <class T> inline constexpr decltype(&stop<T>) execute_as[] = {
    stop<T>,  // operation::constant and
    stop<T>,  // operation::variable are no instructions
#define ENSUE_EXECUTE(name, operands, formula) execute<T, operation::name>,
    ENSUE_EXPRESSION_OPERATIONS(ENSUE_EXECUTE)
#undef ENSUE_EXECUTE
};
}  // namespace detail

/// A program with registers of its own: two evaluators never disturb each other. Copies share the instructions.
template <class T> class evaluator {
 public:
  explicit evaluator(program what) : evaluator(std::make_shared<const program>(std::move(what))) {}
  explicit evaluator(std::shared_ptr<const program> what)
      : program_(std::move(what)),
        code_(threaded(*program_)),
        outputs_(program_->outputs()),
        first_input_(program_->constants().size()),
        registers_(program_->registers(), T(0)) {
    for (std::size_t i = 0; i < program_->constants().size(); ++i) registers_[i] = T(program_->constants()[i]);
  }

  /// Where the inputs are to be written before `run`.
  T* inputs() { return registers_.data() + first_input_; }

  void run() {
    T* const r = registers_.data();
    const std::vector<threaded_instruction<T>>& code = *code_;
    for (std::size_t i = 0; i < code.size(); i += block + 1) code[i].execute(&code[i], r);
  }

  std::size_t size() const { return outputs_.size(); }
  const T& operator[](std::size_t output) const { return registers_[outputs_[output]]; }
  const program& code() const { return *program_; }

 private:
  /// So many instructions, then a stop: calls that did not become jumps are never deeper.
  static constexpr std::size_t block = 64;

  static std::shared_ptr<const std::vector<threaded_instruction<T>>> threaded(const program& from) {
    std::vector<threaded_instruction<T>> code;
    for (const instruction& i : from.code()) {
      code.push_back({detail::execute_as<T>[static_cast<std::size_t>(i.what)], i.to, i.a, i.b, i.c});
      if (code.size() % (block + 1) == block) code.push_back({detail::stop<T>, 0, 0, 0, 0});
    }
    code.push_back({detail::stop<T>, 0, 0, 0, 0});
    return std::make_shared<const std::vector<threaded_instruction<T>>>(std::move(code));
  }

  std::shared_ptr<const program> program_;
  std::shared_ptr<const std::vector<threaded_instruction<T>>> code_;
  std::span<const std::uint32_t> outputs_;  // of the program
  std::size_t first_input_;
  std::vector<T> registers_;
};

}  // namespace ensue::expression
