/// Expressions: text to tree, tree to graph, graph to program, and what is refused on the way.
#include "expressions/expression_derivative.hpp"
#include "expressions/expression_program.hpp"

#include <ensue/numbers/dual.hpp>
#include <ensue/numbers/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <numbers>
#include <random>
#include <string>

namespace {
std::size_t allocations = 0;
}
// Not inlined, or g++ sees malloc and free behind `new` and `delete` and takes them for a mismatch.
ENSUE_COLD void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
ENSUE_COLD void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
ENSUE_COLD void operator delete(void* memory) noexcept { std::free(memory); }
ENSUE_COLD void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace ensue;
using namespace ensue::expression;

// t, x, y and the velocity of x, at slots 0 to 3; k = 40 is a constant.
struct formula {
  expression::graph graph;
  graph::id root = 0;

  explicit formula(const std::string& text) {
    const std::map<std::string, graph::id> meanings = {{"t", graph.input(0, dependence::time)},
                                                       {"x", graph.input(1, dependence::state)},
                                                       {"y", graph.input(2, dependence::state)},
                                                       {"x'", graph.input(3, dependence::velocity)},
                                                       {"k", graph.constant(40)}};
    const parsed result = parse(text);
    if (result.fault) throw std::runtime_error(text + ": " + result.fault->what);
    std::vector<graph::id> ids;
    for (const tree::name& name : result.tree.names) ids.push_back(meanings.at(name.text));
    root = graph.insert(result.tree, ids);
  }
  expression::program program() const { return {graph, std::span(&root, 1), 4}; }
};

template <class T> T value(const std::string& text, const T& t, const T& x, const T& y, const T& v) {
  evaluator<T> f(formula(text).program());
  const T others[] = {x, y, v};
  T out(0);
  f.run(t, others, &out);
  return out;
}
double value(const std::string& text, double x = 0, double y = 0) { return value<double>(text, 0.5, x, y, -3); }

// "offset: what" of a text that is refused.
std::string refusal(const std::string& text) {
  const parsed result = parse(text);
  return result.fault ? std::to_string(result.fault->offset) + ": " + result.fault->what : "accepted";
}

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

TEST(expression, precedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("24/4/3"), 2);
  EXPECT_EQ(value("24/4*3"), 18);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-x^2", 3), -9);
  EXPECT_EQ(value("(-x)^2", 3), 9);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-x^2", 2), 0.0625);
  EXPECT_EQ(value("-2*-3"), 6);
  EXPECT_EQ(value("1 - -x", 5), 6);
  EXPECT_EQ(value("--x + +y", 5, 1), 6);
  EXPECT_EQ(value("-x*y", 2, 3), -6);
  EXPECT_EQ(value("x/y^2", 18, 3), 2);
  EXPECT_EQ(value("if(1 + x < 2*y, 1, 0)", 1, 2), 1);
}

TEST(expression, numbers_and_constants) {
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value(".5e1"), 5);
  EXPECT_EQ(value("5."), 5);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("6.02214076E+23"), 6.02214076e23);
  EXPECT_EQ(value("2*e"), 2 * std::numbers::e);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("k"), 40);
  EXPECT_EQ(value("t + x'"), -2.5);
  EXPECT_EQ(value("\t( x\n+\r\n y )", 1, 2), 3);
}

TEST(expression, every_function_of_the_contract) {
  volatile double not_known_to_the_compiler = 0.7;  // which would round sinh(0.7) better than the library does
  const double x = not_known_to_the_compiler, y = x - 2;
  const std::map<std::string, double> expected = {
      {"min(x, y)", y},
      {"max(x, y)", x},
      {"min(x, y, -5)", -5},
      {"max(x, 1, y, 9, 2)", 9},
      {"abs(y)", -y},
      {"sign(y)", -1},
      {"sign(x)", 1},
      {"sign(x - x)", 0},
      {"floor(y)", -2},
      {"ceil(y)", -1},
      {"sqrt(x)", std::sqrt(x)},
      {"cbrt(y)", std::cbrt(y)},
      {"exp(x)", std::exp(x)},
      {"log(x)", std::log(x)},
      {"log10(x)", std::log10(x)},
      {"pow(x, y)", std::pow(x, y)},
      {"x^y", std::pow(x, y)},
      {"hypot(x, y)", std::hypot(x, y)},
      {"hypot(x, y, 2)", std::hypot(std::hypot(x, y), 2)},
      {"sin(x)", std::sin(x)},
      {"cos(x)", std::cos(x)},
      {"tan(x)", std::tan(x)},
      {"asin(x)", std::asin(x)},
      {"acos(x)", std::acos(x)},
      {"atan(y)", std::atan(y)},
      {"atan2(y, x)", std::atan2(y, x)},
      {"sinh(x)", std::sinh(x)},
      {"cosh(x)", std::cosh(x)},
      {"tanh(x)", std::tanh(x)},
      {"if(x > y, 10, 20)", 10},
      {"if(x < y, 10, 20)", 20},
      {"if(x >= x, 10, 20)", 10},
      {"if(x <= y, 10, 20)", 20},
      {"if(x == x, 10, 20)", 10},
      {"if(x != x, 10, 20)", 20},
      {"if((x > y), if(y > x, 1, 2), 3)", 2},
  };
  for (const auto& [text, result] : expected) EXPECT_EQ(value(text, x, y), result) << text;
  for (const function& f : functions()) {
    bool covered = false;
    for (const auto& [text, result] : expected) covered |= begins_with(text, std::string(f.name) + "(");
    EXPECT_TRUE(covered) << f.name;
  }
}

TEST(expression, constants_are_folded_to_what_the_program_computes) {
  for (const function& f : functions()) {
    if (f.what == operation::choose) continue;
    const std::string folded = std::string(f.name) + (f.fewest == 2 ? "(0.7, -1.3)" : "(0.7)");
    const std::string computed = std::string(f.name) + (f.fewest == 2 ? "(x, y)" : "(x)");
    EXPECT_TRUE(formula(folded).program().code().empty()) << folded;
    EXPECT_EQ(value(folded), value(computed, 0.7, -1.3)) << folded;
  }
}

TEST(expression, a_nan_is_never_lost) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* text : {"min(x, y)", "min(y, x)", "max(x, y)", "max(y, x)", "sign(x)", "abs(x)", "0*x", "x^0.5",
                           "x - x", "hypot(x, y)"})
    EXPECT_TRUE(std::isnan(value(text, nan, 1))) << text;
  for (const char* text : {"if(x > 0, 1, 2)", "if(x >= 0, 1, 2)", "if(x < 0, 1, 2)", "if(x <= 0, 1, 2)", "if(x == x, 1, 2)", "if(x != y, 1, 2)",
                           "if(y > x, 1, 2)", "if(y != x, 1, 2)", "if(sqrt(-1) > 0, 1, 2)", "if(sqrt(x) > 0, y, y)", "if(y > 0, if(x > 0, 1, 2), 3)",
                           "if(x > 0, 1, 0)*if(y > 5, 1, 0)", "x^0", "x^k*0", "1^x", "hypot(x, 1/0)", "floor(x)", "ceil(x)", "max(0, x)", "min(0, x, 1)"})
    EXPECT_TRUE(std::isnan(value(text, nan, 1))) << text;
  EXPECT_TRUE(std::isnan(value("sqrt(x)", -1)));
  EXPECT_EQ(value("if(x > 0, log(x), 0)", -1), 0) << "what is not chosen does not matter";
}

/// The same of lanes, each by itself, of numbers with derivatives, and of derivatives.
TEST(expression, a_nan_is_not_lost_in_lanes_and_derivatives) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using four = pack<double, 4>;
  four x(1);
  set_lane(x, 2, nan);
  const four chosen = value<four>("if(x > 0, 10, 20) + x^0", four(0), x, four(1), four(0));
  for (int l = 0; l < 4; ++l) {
    if (l == 2) EXPECT_TRUE(std::isnan(lane(chosen, l)));
    else EXPECT_EQ(lane(chosen, l), 11);
  }
  using number = dual<double, 1>;
  EXPECT_TRUE(std::isnan(value_of(value<number>("if(x > 0, 10, 20)", number(0), number(nan), number(1), number(0)))));
  for (const char* text : {"if(sqrt(x) > 1, x, 2*x)", "min(sqrt(x), 2*x)", "if(sqrt(x) > 1, x^2, 3)"}) {
    formula f(text);
    const graph::id slope = derivative(f.graph, f.root, 1);
    evaluator<double> df(program(f.graph, std::span(&slope, 1), 4));
    const double others[] = {-1, 1, 0};
    double out = 0;
    df.run(0, others, &out);
    EXPECT_TRUE(std::isnan(out)) << text;
  }
}

TEST(expression, whole_powers_are_products) {
  EXPECT_EQ(value("x^2", 1.1), 1.1 * 1.1);
  for (int n = -8; n <= 8; ++n) EXPECT_NEAR(value("x^" + std::to_string(n), 1.1) / std::pow(1.1, n), 1, 1e-15) << n;
  const program powers = formula("x^8 + y^-3 + x^0.5").program();
  for (const instruction& i : powers.code()) EXPECT_NE(i.what, operation::pow);
}

TEST(expression, equal_parts_are_computed_once) {
  EXPECT_EQ(formula("sin(x)*sin(x)").program().code().size(), 2u);
  EXPECT_EQ(formula("(x*y + 1)/(1 + y*x)").program().code().size(), 2u);
  EXPECT_EQ(formula("hypot(x, y) - hypot(x, y)").program().code().size(), 2u);
  EXPECT_EQ(formula("2*pi/3 + x*1 + 0").program().code().size(), 1u);
  EXPECT_EQ(formula("x*y + t").program().code().size(), 1u) << "a sum with a product is one instruction";
}

TEST(expression, registers_are_used_again) {
  std::string text = "x";
  for (int i = 0; i < 150; ++i) text = "sin(" + text + " + y)";
  EXPECT_LE(formula(text).program().registers(), 6u);
}

// Thirty expressions at a time share a graph and a program; each must give what its tree gives, node by node.
TEST(expression, programs_compute_what_the_trees_say) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  const std::function<std::string(int)> any = [&](int depth) -> std::string {
    const char* const leaves[] = {"x", "y", "t", "x'", "k", "0.3", "1", "7"};
    if (depth == 0 || below(6) == 0) return leaves[below(8)];
    const std::string a = any(depth - 1), b = any(depth - 1);
    switch (below(8)) {
      case 0: return "(" + a + " + " + b + ")";
      case 1: return "(" + a + " - " + b + ")";
      case 2: return "(" + a + "*" + b + ")";
      case 3: return "(" + a + "*" + b + " - " + any(depth - 1) + ")";
      case 4: return "(" + any(depth - 1) + " + " + a + "*" + b + ")";
      case 5: return "sin(" + a + ")/(2 + cos(" + b + "))";
      case 6: return "if(" + a + " < " + b + ", " + b + ", " + any(depth - 1) + ")";
      default: return "-max(" + a + ", " + b + ")";
    }
  };
  const double inputs[] = {0.5, 1.25, -0.75, 3, 40};  // t, x, y, x', k
  const std::map<std::string, std::size_t> slots = {{"t", 0}, {"x", 1}, {"y", 2}, {"x'", 3}, {"k", 4}};
  for (int round = 0; round < 100; ++round) {
    graph shared;
    std::vector<graph::id> outputs;
    std::vector<double> expected;
    for (int i = 0; i < 30; ++i) {
      const tree one = parse(any(1 + i % 6)).tree;
      std::vector<graph::id> ids;
      for (const tree::name& name : one.names)
        ids.push_back(shared.input(static_cast<std::uint32_t>(slots.at(name.text)), dependence::state));
      outputs.push_back(shared.insert(one, ids));
      std::vector<double> values;
      for (const tree::node& n : one.nodes) {
        if (n.what == operation::constant) values.push_back(n.value);
        else if (n.what == operation::variable) values.push_back(inputs[slots.at(one.names[n.a].text)]);
        else values.push_back(compute(n.what, values[n.a], values[n.b], values[n.c]));
      }
      expected.push_back(values.back());
    }
    evaluator<double> f(program(shared, outputs, 5));
    for (int again = 0; again < 2; ++again) {  // registers that are left over do no harm
      std::vector<double> found(outputs.size());
      f.run(inputs[0], inputs + 1, found.data());
      for (std::size_t i = 0; i < outputs.size(); ++i) ASSERT_EQ(found[i], expected[i]) << round << " " << i;
    }
  }
}

TEST(expression, says_what_it_depends_on) {
  const auto of = [](const std::string& text) {
    const formula f(text);
    return f.graph[f.root].uses;
  };
  EXPECT_EQ(of("k*2 + pi"), dependence::nothing);
  EXPECT_EQ(of("sin(t)"), dependence::time);
  EXPECT_EQ(of("-k*x + y"), dependence::state);
  EXPECT_EQ(of("-k*x'"), dependence::velocity);
  EXPECT_EQ(of("if(t > 1, x, x')"), dependence::time | dependence::state | dependence::velocity);
}

TEST(expression, the_same_program_runs_packs_and_dual_numbers) {
  const std::string text = "if(x > 0, sqrt(x)*sin(y), min(x, y)^3) + atan2(y, x) - x*y";
  pack<double, 4> x(0), y(0);
  for (int l = 0; l < 4; ++l) {
    set_lane(x, l, 1.5 - l);
    set_lane(y, l, 0.3 * l - 0.5);
  }
  const auto lanes = value<pack<double, 4>>(text, 0, x, y, 0);
  for (int l = 0; l < 4; ++l) EXPECT_EQ(lane(lanes, l), value(text, lane(x, l), lane(y, l))) << l;

  using number = dual<double, 1>;
  number seeded(0.8);
  seeded.derivative[0] = 1;
  const auto slope = value<number>("sin(x)*x^2", number(0), seeded, number(0), number(0));
  EXPECT_NEAR(slope.derivative[0], std::cos(0.8) * 0.64 + 2 * 0.8 * std::sin(0.8), 1e-15);
}

TEST(expression, evaluation_does_not_allocate) {
  evaluator<double> f(formula("if(x > y, hypot(x, y)^2.5, sin(x*y) + t*x' - k)").program());
  const double others[] = {1, 0, 0};
  double out = 0;
  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) f.run(i, others, &out);
  EXPECT_EQ(allocations, before);
}

TEST(expression, errors_have_a_place_and_say_what_was_expected) {
  EXPECT_EQ(refusal(""), "0: found the end of the expression, expected a number, a name or `(`");
  EXPECT_EQ(refusal("1 +"), "3: found the end of the expression, expected a number, a name or `(`");
  EXPECT_EQ(refusal("1 + * 2"), "4: found `*`, expected a number, a name or `(`");
  EXPECT_EQ(refusal("(x + 1"), "6: found the end of the expression, expected `)` or an operator");
  EXPECT_EQ(refusal("x + 1)"), "5: found `)`, expected an operator or the end of the expression");
  EXPECT_EQ(refusal("2x"), "1: found `x`, expected an operator or the end of the expression; to multiply, write `2*x`");
  EXPECT_EQ(refusal("(x)(y)"),
            "3: found `(`, expected an operator or the end of the expression; to multiply, write `)*(`");
  EXPECT_EQ(refusal("sinn(x)"), "0: unknown function `sinn`, did you mean `sin`?");
  EXPECT_EQ(refusal("x + foo(x)"),
            "4: unknown function `foo`, expected a known one, or `*` before the `(` to multiply");
  EXPECT_EQ(refusal("sin"), "0: found `sin` without arguments, expected `sin` followed by `(`");
  EXPECT_EQ(refusal("sin()"), "4: found `)`, expected a number, a name or `(`");
  EXPECT_EQ(refusal("sin(x, y)"), "7: found one more argument of `sin`, expected 1 argument");
  EXPECT_EQ(refusal("atan2(x)"), "7: found the end of the arguments of `atan2` after 1, expected 2 arguments");
  EXPECT_EQ(refusal("hypot(x)"), "7: found the end of the arguments of `hypot` after 1, expected 2 or more arguments");
  EXPECT_EQ(refusal("atan2(x; y)"), "7: found `;`, expected a number, a name or an operator");
  EXPECT_EQ(refusal("1 + x''"), "6: found a second `'` after `x'`, expected one: x' is the velocity of x");
  EXPECT_EQ(refusal("x**2"), "1: found `**`, expected an operator: a power is written `^`");
  EXPECT_EQ(refusal("x = 2"), "2: found `=`, expected an operator: equality is written `==`");
  EXPECT_TRUE(begins_with(refusal("x > 0 && y > 0"), "6: found `&&`, expected one comparison"));
  EXPECT_EQ(refusal("1 + 1e999"), "4: `1e999` is out of the range of numbers, expected one between 1e-307 and 1e308");
  EXPECT_EQ(refusal("x − 1"), "2: found `−`, expected a number, a name or an operator");
  EXPECT_EQ(refusal("x + \x01"), "4: found a control character, expected a number, a name or an operator");
}

TEST(expression, comparisons_are_not_numbers) {
  EXPECT_EQ(refusal("1 + (x > 0)"), "4: found a comparison, expected a number: if(…, 1, 0) makes one of it");
  EXPECT_EQ(refusal("x > 0"), "0: found a comparison, expected a number: if(…, 1, 0) makes one of it");
  EXPECT_EQ(refusal("-(x > 0)"), "1: found a comparison, expected a number: if(…, 1, 0) makes one of it");
  EXPECT_EQ(refusal("if(x, 1, 2)"),
            "3: found a number, expected a comparison such as x > 0 as the first argument of `if`");
  EXPECT_TRUE(begins_with(refusal("if(0 < x < 1, 1, 2)"), "9: found a second comparison, `<`, expected one"));
}

TEST(expression, elements_and_sums_are_names_with_trees_of_their_own) {
  const parsed result = parse("u[i-1] - 2*u[i] + sum(k=1..n, v[k, i]*u[i]) + u[ i-1 ]' + u'[i] + u[i-1]");
  ASSERT_FALSE(result.fault);
  const auto& all = result.tree.names;
  ASSERT_EQ(all.size(), 5u) << "what is written alike is there once";
  EXPECT_EQ(all[0].text, "u");
  EXPECT_EQ(all[0].parts.size(), 1u);
  EXPECT_EQ(all[0].parts[0].names[0].offset, 2u) << "counted from the start of the whole expression";
  EXPECT_EQ(all[2].what, tree::name::form::sum);
  EXPECT_EQ(all[2].text, "k");
  EXPECT_EQ(all[2].parts[2].names[0].parts.size(), 2u);
  EXPECT_EQ(all[3].text, "u'");
  EXPECT_EQ(all[4].text, "u'");

  EXPECT_EQ(refusal("u[]"), "2: found `]`, expected a number, a name or `(`");
  EXPECT_EQ(refusal("u[1"), "3: found the end of the expression, expected `,`, `]` or an operator");
  EXPECT_EQ(refusal("u[1,2,3]"), "6: found a third index, expected one or two");
  EXPECT_EQ(refusal("u'[1]'"), "5: found a second `'`, expected one: u[1]' is the velocity of u[1]");
  EXPECT_EQ(refusal("sum(x, 3)"), "0: found `sum` without a range, expected sum(i=1..N, …)");
  EXPECT_EQ(refusal("sum(i=1, i)"), "7: found `,`, expected `..` or an operator: a range is written i=1..N");
  EXPECT_EQ(refusal("sum(t=1..3, t)"), "4: found `t`, expected an index such as i");
  EXPECT_EQ(refusal("sum(i=1..3, i < 2)"), "12: found a comparison, expected a number: if(…, 1, 0) makes one of it");
  EXPECT_EQ(refusal("1 + sum(i=1..3, i"), "17: found the end of the expression, expected `)` or an operator");
}

TEST(expression, depth_and_size_are_limited) {
  const std::clock_t began = std::clock();
  const auto nested = [](const std::string& open, const std::string& middle, const std::string& close, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += middle;
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(refusal(nested("(", "x", ")", most_nesting - 1)), "accepted");
  EXPECT_TRUE(begins_with(refusal(nested("(", "x", ")", most_nesting)),
                          "200: the expression is nested deeper than 200 levels"));
  for (const char* open : {"(", "sin(", "2^", "-(", "if(x > ", "min(x, "})
    EXPECT_NE(refusal(nested(open, "x", *open == '2' ? "" : ")", 100'000)).find("nested deeper than 200"),
              std::string::npos)
        << open;
  EXPECT_EQ(value(std::string(100'000, '-') + "x", 3), 3) << "signs side by side are not nested";
  EXPECT_NE(refusal(nested("x + ", "x", "", 300'000)).find("more than 200000 parts"), std::string::npos);
  EXPECT_EQ(value(nested("x + ", "x", "", 50'000), 1), 50'001);
  EXPECT_LT(std::clock() - began, 5 * CLOCKS_PER_SEC);
}

TEST(expression, the_nearest_name) {
  const std::vector<std::string> names = {"sigma", "rho", "beta", "x", "Mass"};
  EXPECT_EQ(nearest("sigm", names), "sigma");
  EXPECT_EQ(nearest("simga", names), "sigma");
  EXPECT_EQ(nearest("bbeta", names), "beta");
  EXPECT_EQ(nearest("mass", names), "Mass");
  EXPECT_EQ(nearest("X", names), "x");
  EXPECT_EQ(nearest("y", names), "");
  EXPECT_EQ(nearest("gamma", names), "");
  EXPECT_EQ(did_you_mean("sigm", names), ", did you mean `sigma`?");
  EXPECT_EQ(did_you_mean("omega", names), "");
}

}  // namespace
