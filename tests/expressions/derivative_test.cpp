/// Derivatives of expressions against dual numbers and differences, the Jacobian's pattern, and how large it gets.
#include "expressions/expression_derivative.hpp"
#include "problems/problem_file.hpp"

#include <ensue/numbers/dual.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>

namespace {

using namespace ensue;
using namespace ensue::expression;

// An expression of t, x and y at slots 0 to 2, with its derivatives by all of them.
struct formula {
  expression::graph graph;
  graph::id root = 0;
  derivative_matrix slopes;

  explicit formula(const std::string& text) {
    const std::map<std::string, graph::id> meanings = {{"t", graph.input(0, dependence::time)},
                                                       {"x", graph.input(1, dependence::state)},
                                                       {"y", graph.input(2, dependence::state)}};
    const parsed result = parse(text);
    if (result.fault) throw std::runtime_error(text + ": " + result.fault->what);
    std::vector<graph::id> ids;
    for (const tree::name& name : result.tree.names) ids.push_back(meanings.at(name.text));
    root = graph.insert(result.tree, ids);
    slopes = differentiate(graph, std::span(&root, 1), 0, 3);
  }

  template <class T> T value(const T (&at)[3]) const {
    evaluator<T> f(program(graph, std::span(&root, 1), 3));
    T out(0);
    f.run(at[0], at + 1, &out);
    return out;
  }

  // ∂/∂(slot); 0 where the pattern says so.
  double slope(std::uint32_t slot, const double (&at)[3]) const {
    evaluator<double> f(program(graph, slopes.entries, 3));
    std::vector<double> out(slopes.entries.size());
    f.run(at[0], at + 1, out.data());
    for (std::size_t i = 0; i < slopes.column.size(); ++i)
      if (slopes.column[i] == slot) return out[i];
    return 0;
  }

  double by_dual(std::uint32_t slot, const double (&at)[3]) const {
    dual<double> inputs[3] = {at[0], at[1], at[2]};
    inputs[slot] = dual<double>::variable(at[slot]);
    return value(inputs).derivative[0];
  }

  double by_difference(std::uint32_t slot, const double (&at)[3]) const {
    const long double h = 1e-6L;
    long double up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
    up[slot] += h;
    down[slot] -= h;
    return static_cast<double>((value(up) - value(down)) / (2 * h));
  }
};

double slope(const std::string& text, double x, double y = 0) { return formula(text).slope(1, {0.5, x, y}); }

// By differences to 1e-8, which is what they can do; by dual numbers to rounding.
void expect_right(const std::string& text, const double (&at)[3]) {
  const formula f(text);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    const double found = f.slope(slot, at), dual = f.by_dual(slot, at), difference = f.by_difference(slot, at);
    if (!std::isfinite(dual) || std::abs(dual) > 1e6) continue;
    EXPECT_NEAR(found, dual, 1e-12 * (1 + std::abs(dual))) << text << " by " << slot;
    EXPECT_NEAR(found, difference, 1e-8 * (1 + std::abs(difference))) << text << " by " << slot;
  }
}

TEST(derivative, every_function_against_dual_numbers_and_differences) {
  for (const std::string text : {"x + y",
                                 "x - y",
                                 "-x",
                                 "x*y",
                                 "x*x",
                                 "x/y",
                                 "1/x",
                                 "x/3",
                                 "x^y",
                                 "x^2.5",
                                 "x^-3",
                                 "x^11",
                                 "2^x",
                                 "pow(x*y, t)",
                                 "x^x",
                                 "if(x < y, x*y, sin(x))",
                                 "if(x > y, x*y, sin(x))",
                                 "if(x <= y, exp(x), y)",
                                 "if(x >= y, exp(x), y)",
                                 "if(x == y, x, y^2)",
                                 "if(x != y, x, y^2)",
                                 "min(x, y)",
                                 "max(x, y)",
                                 "min(x*t, y, x^2)",
                                 "abs(x - y)",
                                 "sign(x)*y",
                                 "floor(5*x)*y",
                                 "ceil(5*x) + y",
                                 "sqrt(x)",
                                 "cbrt(x*y)",
                                 "exp(x*y)",
                                 "log(x + y)",
                                 "log10(x*y)",
                                 "hypot(x, y)",
                                 "hypot(x, y, t)",
                                 "sin(x*y)",
                                 "cos(x*y)",
                                 "tan(x)",
                                 "asin(x - y)",
                                 "acos(x*y)",
                                 "atan(x/y)",
                                 "atan2(x, y)",
                                 "atan2(y, -x)",
                                 "sinh(x)",
                                 "cosh(x*t)",
                                 "tanh(x - y)",
                                 "(x + t)/(y + x)"})
    for (const double x : {0.31, 0.77}) expect_right(text, {0.6, x, 0.45});
  EXPECT_EQ(functions().size(), 24u) << "a new function wants a line above";
}

TEST(derivative, where_there_is_none) {
  EXPECT_EQ(slope("abs(x)", 0), 0);
  EXPECT_EQ(slope("hypot(x, y)", 0), 0);
  EXPECT_EQ(slope("hypot(x, y)", 1e-320), 1);
  EXPECT_EQ(slope("min(3*x, y)", 1, 3), 3);
  EXPECT_EQ(slope("max(3*x, y)", 1, 3), 3);
  EXPECT_EQ(slope("floor(x)", 2), 0);
  EXPECT_EQ(slope("sqrt(x)", 0), HUGE_VAL);
  EXPECT_EQ(slope("x^1.5", 0), 0);
  EXPECT_EQ(slope("x^y", 0, 0), 0);
  EXPECT_EQ(slope("y^x", 2, 0), 0);
}

// What is not defined in the branch that is not taken does not matter.
TEST(derivative, branches_keep_apart) {
  EXPECT_EQ(slope("if(x > 0, sqrt(x), 2*x)", -1), 2);
  EXPECT_EQ(slope("if(x > 0, x*log(x), 0)", 0), 0);
  EXPECT_EQ(slope("min(sqrt(x + 1), 3)", 8), 1. / 6);
}

TEST(derivative, of_what_does_not_change_there_is_no_entry) {
  for (const char* text :
       {"3", "t*y", "sign(x)", "floor(x) + ceil(x)", "floor(x*x*y)", "0*x", "0*(x*x)", "x - x", "if(x > 0, t, y)"}) {
    const formula f(text);
    for (const std::uint32_t column : f.slopes.column) EXPECT_NE(column, 1u) << text;
  }
  formula f("t*t");
  EXPECT_TRUE(f.graph.is_constant(derivative(f.graph, f.root, 1)));
  EXPECT_FALSE(f.graph.is_constant(derivative(f.graph, f.root, 0)));
}

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}
  std::string expression(int depth) {
    if (depth == 0) return leaves[random_() % std::size(leaves)];
    const auto inside = [&] { return expression(depth - 1 - static_cast<int>(random_() % 2) * (depth > 1)); };
    const auto one = [&](const char* name) { return std::string(name) + "(" + inside() + ")"; };
    switch (random_() % 16) {
      case 0: return "(" + inside() + " + " + inside() + ")";
      case 1: return "(" + inside() + " - " + inside() + ")";
      case 2:
      case 3: return "(" + inside() + "*" + inside() + ")";
      case 4: return "(" + inside() + "/(2 + " + one("abs") + "))";
      case 5: return "-" + inside();
      case 6: return one("sin");
      case 7: return one("cos");
      case 8: return one("tanh");
      case 9: return "sqrt(1 + " + one("abs") + ")";
      case 10: return "exp(" + one("sin") + ")";
      case 11: return "max(" + inside() + ", " + inside() + ")";
      case 12: return "if(" + inside() + " < " + inside() + ", " + inside() + ", " + inside() + ")";
      case 13: return "hypot(" + inside() + ", " + inside() + ")";
      case 14: return "(1 + " + one("abs") + ")^1.7";
      default: return "atan(" + inside() + ")^3";
    }
  }

 private:
  static constexpr const char* leaves[] = {"x", "y", "t", "x", "y", "0.7", "2"};
  std::mt19937 random_;
};

// Against dual numbers, which know nothing of graphs.
TEST(derivative, random_expressions) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const std::string text = generator(seed).expression(4);
    const formula f(text);
    for (const auto& at : {std::array{0.3, 0.8, -1.1}, std::array{1.7, -0.4, 0.9}})
      for (std::uint32_t slot = 0; slot < 3; ++slot) {
        const double point[3] = {at[0], at[1], at[2]};
        const double expected = f.by_dual(slot, point);
        if (!std::isfinite(expected)) continue;
        EXPECT_NEAR(f.slope(slot, point), expected, 1e-11 * (1 + std::abs(expected))) << seed << ": " << text;
      }
  }
}

// ---- Jacobians of problem files ----

file_problem problem(const std::string& text) {
  const problem_reading reading = read_problem(text);
  for (const problem_error& error : reading.errors) ADD_FAILURE() << error.text("problem");
  return std::move(*reading.file->make().problem);
}

file_problem example(const std::string& name) {
  const auto folder = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "examples";
  return std::move(*read_problem_file((folder / (name + ".toml")).string()).file->make().problem);
}

std::string chain(int n) {
  std::string state = "to = 1\n[state]\n", derivative = "[derivative]\n";
  for (int i = 1; i <= n; ++i) {
    const auto u = [](int k) { return "u" + std::to_string(k); };
    state += u(i) + " = " + std::to_string(i) + "\n";
    derivative += u(i) + " = \"" + (i > 1 ? u(i - 1) : "0") + " - 2*" + u(i) + " + " + (i < n ? u(i + 1) : "0") +
                  " + " + u(i) + "^2*sin(" + u(i) + ")\"\n";
  }
  return state + derivative;
}

TEST(jacobian, pattern_of_a_chain_is_exact) {
  constexpr int n = 100;
  const expression_jacobian jacobian = problem(chain(n)).jacobian();
  ASSERT_EQ(jacobian.size(), 100u);
  ASSERT_EQ(jacobian.nonzeros(), 3u * n - 2);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t column = i == 0 ? 0 : i - 1;
    for (std::uint32_t k = jacobian.row_start()[i]; k < jacobian.row_start()[i + 1]; ++k)
      EXPECT_EQ(jacobian.columns()[k], column++);
    EXPECT_EQ(column, std::min<std::uint32_t>(i + 2, n));
  }
}

// Every entry of every example against central differences of f, and no entry missing; ∂f/∂t too.
TEST(jacobian, of_every_example_against_differences) {
  for (const char* name :
       {"lorenz", "kepler", "pendulum", "lotka_volterra", "van_der_pol", "damped_spring_pendulum", "decay"}) {
    file_problem p = example(name);
    expression_jacobian jacobian = p.jacobian();
    const std::size_t n = p.start.size();
    std::vector<double> x = p.start, values(jacobian.nonzeros()), by_time(n), up(n), down(n);
    for (std::size_t i = 0; i < n; ++i) x[i] += 0.1 + 0.01 * static_cast<double>(i);
    const double t = 0.3, h = 1e-6;
    jacobian.evaluate(t, x, values);
    for (std::uint32_t j = 0; j < n; ++j) {
      std::vector<double> moved = x;
      moved[j] = x[j] + h;
      p.system(t, moved, up);
      moved[j] = x[j] - h;
      p.system(t, moved, down);
      for (std::size_t i = 0; i < n; ++i) {
        double found = 0;
        for (std::uint32_t k = jacobian.row_start()[i]; k < jacobian.row_start()[i + 1]; ++k)
          if (jacobian.columns()[k] == j) found = values[k];
        const double expected = (up[i] - down[i]) / (2 * h);
        EXPECT_NEAR(found, expected, 1e-7 * (1 + std::abs(expected))) << name << " " << i << ", " << j;
      }
    }
    jacobian.time_derivative(t, x, by_time);
    p.system(t + h, x, up);
    p.system(t - h, x, down);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(by_time[i], (up[i] - down[i]) / (2 * h), 1e-7) << name;
  }
}

TEST(jacobian, of_time) {
  expression_jacobian jacobian =
      problem("to = 1\n[state]\nx = 1\ny = 2\n[derivative]\nx = \"x*y\"\ny = \"x*sin(3*t)\"\n").jacobian();
  double out[2];
  jacobian.time_derivative(0.2, std::vector{5., 7.}, out);
  EXPECT_EQ(out[0], 0);
  EXPECT_DOUBLE_EQ(out[1], 15 * std::cos(0.6));
}

// Instructions of the Jacobian's program, beside those of f.
TEST(jacobian, stays_small) {
  const auto instructions = [](const file_problem& p) { return p.jacobian().program().code().size(); };
  EXPECT_LE(instructions(example("lorenz")), 4u);    // -sigma, sigma | rho - z, -1, -x | y, x, -beta
  EXPECT_LE(instructions(example("pendulum")), 2u);  // -g/L*cos(theta)
  EXPECT_LE(instructions(example("kepler")), 27u);
  const std::size_t hundred = instructions(problem(chain(100))), two_hundred = instructions(problem(chain(200)));
  EXPECT_LE(hundred, 700u);
  EXPECT_LE(two_hundred, 2 * hundred + 10) << "linear in the length of the chain";
}

// One sum over everything, used by everyone: N² entries, but not N² operations.
TEST(jacobian, of_a_shared_sum_shares_its_derivatives) {
  constexpr int n = 100;
  std::string text = "to = 1\n[state]\n", total = "0", derivative = "[derivative]\n";
  for (int i = 0; i < n; ++i) {
    const std::string u = "u" + std::to_string(i);
    text += u + " = 1\n";
    total += " + exp(" + u + ")";
    derivative += u + " = \"-" + u + " + sin(total)\"\n";
  }
  const expression_jacobian jacobian =
      problem(text + "[definitions]\ntotal = \"" + total + "\"\n" + derivative).jacobian();
  EXPECT_EQ(jacobian.nonzeros(), static_cast<std::size_t>(n) * n);
  EXPECT_LE(jacobian.program().code().size(), 5u * n);
}

TEST(jacobian, what_would_be_too_large_is_refused) {
  constexpr std::uint32_t n = 10'500;  // n²/2 derivatives of partial sums
  graph g;
  graph::id total = g.constant(0);
  for (std::uint32_t i = 0; i < n; ++i) total = g.apply(operation::add, total, g.input(i, dependence::state));
  EXPECT_THROW(differentiate(g, std::span(&total, 1), 0, n), std::length_error);
  EXPECT_EQ(differentiate(g, std::span(&total, 1), 0, n / 2).entries.size(), n / 2);
}

}  // namespace
