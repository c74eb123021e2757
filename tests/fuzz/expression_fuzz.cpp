/// Any text as an expression: parsed, put into a graph, differentiated, run. The derivative is that of dual numbers and, where those agree
/// with each other, that of differences to both sides; lanes give what one number gives, bit for bit.
#include "expressions/expression_derivative.hpp"
#include "expressions/expression_program.hpp"

#include <ensue/numbers/dual.hpp>
#include <ensue/numbers/pack.hpp>

#include <algorithm>
#include <bit>
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

/// Beside such a number, what an input changes is lost, and differences are wrong.
static bool names_huge_number(std::string_view text) {
  int digits = 0;
  for (const char c : text)
    if (digits = c >= '0' && c <= '9' ? digits + 1 : 0; digits > 8) return true;
  return false;
}

/// A derivative beside differences of two widths, forwards and backwards. They say nothing where they differ: there is a corner, a jump or a pole. A derivative that is no number is no wrong one: a run
/// that needs it ends and says so (dual.hpp lists where it is none).
static void expect_slope(evaluator<double>& value, const double (&at)[3], std::uint32_t input, double slope, std::string_view text) {
  if (!std::isfinite(slope) || names_huge_number(text)) return;
  const auto moved = [&](double by) {
    double there[3] = {at[0], at[1], at[2]}, found;
    there[input] += by;
    value.run(there[0], there + 1, &found);
    return found;
  };
  const double here = moved(0);
  double differences[4];
  int i = 0;
  for (const double h : {1e-5, -1e-5, 3e-6, -3e-6}) differences[i++] = (moved(h) - here) / h;
  double least = differences[0], most = differences[0];
  for (const double d : differences) {
    if (!std::isfinite(d)) return;
    least = std::min(least, d), most = std::max(most, d);
  }
  if (least == 0 && most == 0) return;  // what changes may be lost beside a number that is too large
  const double size = 1 + std::abs(most) + std::abs(least);
  if (std::abs(here) > 1e4 || size > 1e4 || most - least > 1e-3 * size || std::abs(slope - most) <= 1e-2 * size) return;
  std::fprintf(stderr, "%.*s: slope %.17g, by differences %.17g to %.17g\n", static_cast<int>(text.size()), text.data(), slope, least, most);
  std::abort();
}

/// Four lanes with a number each beside four runs with one.
static void expect_lanes_alike(const program& code, std::string_view text) {
  using lanes = pack<double, 4>;
  evaluator<lanes> many(code);
  evaluator<double> one(code);
  lanes at[3], found;
  for (int l = 0; l < 4; ++l) set_lane(at[0], l, 0.37 - 0.5 * l), set_lane(at[1], l, -1.3 + l), set_lane(at[2], l, 2.2 * (l - 1));
  many.run(at[0], at + 1, &found);
  for (int l = 0; l < 4; ++l) {
    const double alone_at[3] = {lane(at[0], l), lane(at[1], l), lane(at[2], l)};
    double alone;
    one.run(alone_at[0], alone_at + 1, &alone);
    const double in_lane = lane(found, l);
    if (std::bit_cast<std::uint64_t>(in_lane) == std::bit_cast<std::uint64_t>(alone) || (std::isnan(in_lane) && std::isnan(alone))) continue;
    std::fprintf(stderr, "%.*s: %.17g in lane %d, %.17g alone\n", static_cast<int>(text.size()), text.data(), in_lane, l, alone);
    std::abort();
  }
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
    evaluator<double> plain(program(all, std::span(&root, 1), 3));
    expect_lanes_alike(plain.code(), text);
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
      expect_slope(plain, at, input, by_program, text);
    }
  } catch (const std::length_error&) {  // too large, and said so
  }
  return 0;
}
