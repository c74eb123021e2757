#include "problems/sweep.hpp"

#include "registry/explicit_tables.hpp"
#include "expressions/expression_program.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/runtime_method.hpp>

#include <stdexcept>

namespace ensue {
namespace {

/// Lanes of the interpreter: enough that what an instruction costs to find is spread over many numbers.
#if defined(ENSUE_HAS_PACK)
using many = pack<double, 8>;
#else
using many = double;
#endif

/// f(t, x, dx, p) of a problem whose parameters vary. Each copy has registers of its own.
template <class Number> class swept_system {
 public:
  explicit swept_system(const swept_problem& of)
      : evaluator_(of.problem().system.program()),
        from_(of.inputs().begin(), of.inputs().end()),
        equations_(of.equations()),
        positions_(of.problem().second_order ? of.equations() : 0),
        inputs_(from_.size(), Number(0)),
        outputs_(evaluator_.size(), Number(0)) {}

  template <class X, class DX, class P> void operator()(const Number& t, const X& x, DX& dx, const P& p) {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i].from == swept_input::origin::state) inputs_[i] = x[from_[i].index];
      else if (from_[i].from == swept_input::origin::parameter) inputs_[i] = p[from_[i].index];
    }
    evaluator_.run(t, inputs_.data(), outputs_.data());
    for (std::size_t i = 0; i < positions_; ++i) dx[i] = x[positions_ + i];
    for (std::size_t i = 0; i < equations_; ++i) dx[positions_ + i] = outputs_[i];
  }

 private:
  expression::evaluator<Number> evaluator_;
  std::vector<swept_input> from_;
  std::size_t equations_,
      positions_;  // of second order, positions come first, and their derivatives are the velocities
  std::vector<Number> inputs_, outputs_;
};

/// Rows of numbers, of a length known at run time.
template <class T> trajectory_table<T> rows(std::span<T> numbers, std::size_t components, std::size_t count) {
  trajectory_table<T> table;
  table.stride = components;
  table.count = count;
  for (std::size_t c = 0; c < components; ++c) table.first.push_back(numbers.data() + c);
  return table;
}

template <class Method, class Task>
batch_report run(const swept_problem& of, const Method& method, const char* name, sweep_backend backend,
                 const options<std::span<double>>& settings, const Task& task) {
  const unsigned threads = backend == sweep_backend::threads ? 0 : 1;
  return share_batch(task.states.count, threads, name, [&](shared_work& work) {
    if (backend == sweep_backend::scalar) return advance_share<double>(swept_system<double>(of), method, settings, task, work);
    return advance_share<many>(swept_system<many>(of), method, settings, task, work);
  });
}

}  // namespace

batch_report sweep(const swept_problem& of, const std::string& method, sweep_backend backend, const options<std::span<double>>& settings,
                   interval<double> span, std::span<double> states, std::span<const double> parameters,
                   std::span<trajectory_ending> endings) {
  const explicit_table* const listed = find_explicit_table(method);
  if (!listed) throw std::invalid_argument("ensue: a sweep has no method " + method);
  const std::size_t components = of.names().size(), count = states.size() / components;
  const batch_task task{rows(states, components, count), rows(parameters, of.parameters(), count), batch_spans<double>(span), endings};
  check_batch(task, settings, listed->name, listed->adaptive);
  // The default is compiled. One loop for all others takes 1.26 times as long, since expressions take most of it; each loop more would take a
  // compiler seven seconds.
  if (method == dp54::name) return run(of, dp54{}, listed->name, backend, settings, task);
  return run(of, runtime_method(listed->table()), listed->name, backend, settings, task);
}

}  // namespace ensue
