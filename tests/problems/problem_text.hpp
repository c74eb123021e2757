/// Problem files in tests: what they give, and everything that is wrong with them.
#pragma once

#include "problems/problem_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ensue::tests {

using numbers = std::vector<double>;
using names = std::vector<std::string>;

/// Everything that is wrong with a text, a line each, as `line:column: what`.
inline std::string faults(const std::string& text, const std::map<std::string, double>& values = {}) {
  const problem_reading reading = read_problem(text);
  EXPECT_EQ(reading.file.has_value(), reading.errors.empty());
  std::vector<problem_error> errors = reading.errors;
  if (reading.file) {
    const problem_file::made result = reading.file->make(values);
    errors = result.errors;
    EXPECT_EQ(result.problem.has_value(), errors.empty() && result.unknown.empty());
  }
  std::string all;
  for (const problem_error& error : errors) all += error.text("").substr(1) + "\n";
  return all;
}

inline file_problem made(const std::string& text, const std::map<std::string, double>& values = {}) {
  const problem_reading reading = read_problem(text);
  if (!reading.file) throw std::runtime_error(reading.errors[0].text("text"));
  problem_file::made result = reading.file->make(values);
  if (!result.problem) throw std::runtime_error(faults(text, values));
  return std::move(*result.problem);
}

inline numbers derivative(file_problem& problem, double t, const numbers& x) {
  numbers dx(x.size());
  problem.system(t, x, dx);
  return dx;
}

}  // namespace ensue::tests
