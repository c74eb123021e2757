/// Any text as an expression: parsed, put into a graph, differentiated, run; the derivative is that of dual numbers.
#include "expression_derivative.hpp"
#include "expression_program.hpp"

#include <ensue/dual.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

using namespace ensue;
using namespace ensue::expression;

// Where both are numbers and not huge; tiny differences are those of another order of operations.
static void expect_near(double found, double expected, std::string_view text) {
  if (!std::isfinite(found) || !std::isfinite(expected) || std::abs(expected) > 1e8) return;
  if (std::abs(found - expected) <= 1e-6 * (1 + std::abs(expected))) return;
  std::fprintf(stderr, "%.*s: %.17g, by dual numbers %.17g\n", static_cast<int>(text.size()), text.data(), found,
               expected);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const parsed result = parse(text);
  if (result.fault) {
    if (result.fault->offset > size || result.fault->what.empty()) std::abort();
    return 0;
  }
  graph all;
  std::vector<graph::id> meanings;
  for (std::size_t i = 0; i < result.tree.names.size(); ++i)
    meanings.push_back(all.input(static_cast<std::uint32_t>(i % 3), dependence::state));
  const graph::id root = all.insert(result.tree, meanings);
  try {
    const derivative_matrix slopes = differentiate(all, std::span(&root, 1), 0, 3);
    evaluator<dual<double>> value(program(all, std::span(&root, 1), 3));
    evaluator<double> slope(program(all, slopes.entries, 3));
    const double at[3] = {0.37, -1.3, 2.2};
    std::vector<double> found(slopes.entries.size());
    slope.run(at[0], at + 1, found.data());
    for (std::uint32_t input = 0; input < 3; ++input) {
      dual<double> seeded[3] = {at[0], at[1], at[2]}, expected;
      seeded[input] = dual<double>::variable(at[input]);
      value.run(seeded[0], seeded + 1, &expected);
      if (!std::isfinite(expected.value) || std::abs(expected.value) > 1e8) continue;
      double by_program = 0;
      for (std::size_t i = 0; i < slopes.column.size(); ++i)
        if (slopes.column[i] == input) by_program = found[i];
      expect_near(by_program, expected.derivative[0], text);
    }
  } catch (const std::length_error&) {  // too large, and said so
  }
  return 0;
}
