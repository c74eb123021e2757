/// Any text as a problem file: read, made, evaluated once with its Jacobian. What is wrong with it is said with a place in it.
#include "problems/problem_file.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace ensue;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const problem_reading reading = read_problem(text);
  if (reading.file.has_value() != reading.errors.empty()) std::abort();
  for (const problem_error& error : reading.errors)
    if (error.what.empty() || error.where.line < 1 || error.where.column < 1 || error.where.line > size + 1)
      std::abort();
  if (!reading.file) return 0;
  try {
    problem_file::made made = reading.file->make();
    if (!made.problem) return 0;
    file_problem& problem = *made.problem;
    std::vector<double> derivative(problem.start.size());
    problem.system(problem.from, problem.start, derivative);
    problem.invariants.evaluate(problem.from, problem.start);
    if (!problem.equations) return 0;  // a built-in model
    expression_jacobian jacobian = problem.jacobian();
    std::vector<double> values(jacobian.nonzeros());
    jacobian.evaluate(problem.from, problem.start, values);
    jacobian.time_derivative(problem.from, problem.start, derivative);
  } catch (const std::length_error&) {  // too large, and said so
  }
  return 0;
}
