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

/// A program with registers of its own: two evaluators never disturb each other.
template <class T> class evaluator {
 public:
  explicit evaluator(program what) : evaluator(std::make_shared<const program>(std::move(what))) {}
  explicit evaluator(std::shared_ptr<const program> what)
      : program_(std::move(what)), registers_(program_->registers(), T(0)) {
    for (std::size_t i = 0; i < program_->constants().size(); ++i) registers_[i] = T(program_->constants()[i]);
  }

  /// Where the inputs are to be written before `run`.
  T* inputs() { return registers_.data() + program_->constants().size(); }

  void run() {
    T* const r = registers_.data();
    for (const instruction& i : program_->code()) r[i.to] = compute(i.what, r[i.a], r[i.b], r[i.c]);
  }

  std::size_t size() const { return program_->outputs().size(); }
  const T& operator[](std::size_t output) const { return registers_[program_->outputs()[output]]; }
  const program& code() const { return *program_; }

 private:
  std::shared_ptr<const program> program_;
  std::vector<T> registers_;
};

}  // namespace ensue::expression
