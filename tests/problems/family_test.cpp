/// Families of components, with one and two indices: they are what a patient person would have written line by line.
#include "problem_text.hpp"

#include <cmath>
#include <cstdlib>

namespace {

using namespace ensue;
using namespace ensue::tests;

std::string text_of(int i) { return std::to_string(i); }

// The same f, bit for bit, at the start and at a place where everything differs.
void expect_same(file_problem a, file_problem b) {
  ASSERT_EQ(a.start.size(), b.start.size());
  EXPECT_EQ(a.start, b.start);
  numbers x(a.start.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1 + 3.7 * static_cast<double>(i)) + 1.5;
  for (const numbers& at : {a.start, x}) EXPECT_EQ(derivative(a, 0.3, at), derivative(b, 0.3, at));
}

const std::string brusselator = R"toml(to = 10
[parameters]
N = 7
a = 1
b = 3
d = 0.02
[state]
"u[i=1..N]" = "1 + sin(2*pi*i/(N + 1))"
"v[i=1..N]" = 3
[boundary]
"u[0]" = "1 + t"
"u[N+1]" = "v[N]*a"
"v[0]" = 3
"v[N+1]" = "v[N]"
[derivative]
"v[i=1..N]" = "b*u[i] - u[i]^2*v[i] + d*(N + 1)^2*(v[i-1] - 2*v[i] + v[i+1])"
"u[i=1..N]" = "a + u[i]^2*v[i] - (b + 1)*u[i] + d*(N + 1)^2*(u[i-1] - 2*u[i] + u[i+1])"
)toml";

std::string brusselator_by_hand(int n) {
  const auto u = [&](int i) { return i == 0 ? "(1 + t)" : i > n ? "v" + text_of(n) : "u" + text_of(i); };
  const auto v = [&](int i) { return i == 0 ? "3" : i > n ? "v" + text_of(n) : "v" + text_of(i); };
  const std::string spread = " + 0.02*" + text_of((n + 1) * (n + 1)) + "*(";
  std::string us, vs, of_u, of_v;
  for (int i = 1; i <= n; ++i) {
    us += "u" + text_of(i) + " = \"1 + sin(2*pi*" + text_of(i) + "/" + text_of(n + 1) + ")\"\n";
    vs += "v" + text_of(i) + " = 3\n";
    of_u += "u" + text_of(i) + " = \"1 + " + u(i) + "^2*" + v(i) + " - 4*" + u(i) + spread + u(i - 1) + " - 2*" + u(i) +
            " + " + u(i + 1) + ")\"\n";
    of_v += "v" + text_of(i) + " = \"3*" + u(i) + " - " + u(i) + "^2*" + v(i) + spread + v(i - 1) + " - 2*" + v(i) +
            " + " + v(i + 1) + ")\"\n";
  }
  return "to = 10\n[state]\n" + us + vs + "[derivative]\n" + of_u + of_v;
}

TEST(family, is_what_one_would_write_by_hand) {
  expect_same(made(brusselator), made(brusselator_by_hand(7)));
  const file_problem problem = made(brusselator, {{"N", 3}});
  expect_same(problem, made(brusselator_by_hand(3)));
  EXPECT_EQ(problem.names, (names{"u[1]", "u[2]", "u[3]", "v[1]", "v[2]", "v[3]"}));
  EXPECT_EQ(problem.uses, expression::dependence::state | expression::dependence::time);
}

TEST(family, of_second_order_has_velocities) {
  const std::string chain = R"toml(to = 1
[parameters]
N = 4
[position]
x = 7
"q[i=1..N]" = "i"
[velocity]
"q[i=2..N]" = "i/10"
x = 8
"q[1]" = 0.1
[boundary]
"q[0]" = 0
"q[N+1]" = 0
"q[0]'" = "sin(t)"
[acceleration]
"q[1]" = "q[2] - 2*q[1] + x - q'[0]"
"q[i=2..N]" = "q[i-1] - 2*q[i] + q[i+1] - 0.1*q[i]' + q'[i-1]"
x = "-x + q[N]"
[invariants]
energy = "sum(i=1..N, q[i]'^2)/2 + sum(i=0..N, (q[i+1] - q[i])^2)/2"
)toml";
  const std::string by_hand = R"toml(to = 1
[position]
x = 7
a = 1
b = 2
c = 3
d = 4
[velocity]
x = 8
a = 0.1
b = 0.2
c = "3/10"
d = 0.4
[acceleration]
x = "-x + d"
a = "b - 2*a + x - sin(t)"
b = "a - 2*b + c - 0.1*b' + a'"
c = "b - 2*c + d - 0.1*c' + b'"
d = "c - 2*d + 0 - 0.1*d' + c'"
[invariants]
energy = "(a'^2 + b'^2 + c'^2 + d'^2)/2 + ((a - 0)^2 + (b - a)^2 + (c - b)^2 + (d - c)^2 + (0 - d)^2)/2"
)toml";
  file_problem problem = made(chain), other = made(by_hand);
  expect_same(problem, other);
  EXPECT_EQ(problem.names, (names{"x", "q[1]", "q[2]", "q[3]", "q[4]", "x'", "q[1]'", "q[2]'", "q[3]'", "q[4]'"}));
  problem.invariants.evaluate(0, problem.start);
  other.invariants.evaluate(0, problem.start);
  EXPECT_EQ(problem.invariants[0], other.invariants[0]);
}

TEST(family, two_indices) {
  const std::string net = R"toml(to = 1
[parameters]
N = 2
M = 3
[state]
"q[i=1..N, j=1..M]" = "10*i + j"
[boundary]
"q[0, j=1..M]" = "t*j"
"q[N+1, j=1..M]" = 0
"q[i=1..N, 0]" = "q[i, M]"
"q[i=1..N, M+1]" = "q[i, 1]"
[derivative]
"q[i=1..N, j=1..M]" = "q[i-1, j] + q[i+1, j] + q[i, j-1] + q[i, j+1] - 4*q[i, j]"
)toml";
  std::string by_hand = "to = 1\n[state]\n", equations = "[derivative]\n";
  const auto q = [](int i, int j) {
    if (i == 0) return "t*" + text_of(j);
    return i == 3 ? "0" : "q" + text_of(i) + text_of((j + 2) % 3 + 1);
  };
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 3; ++j) {
      by_hand += q(i, j) + " = " + text_of(10 * i + j) + "\n";
      equations += q(i, j) + " = \"" + q(i - 1, j) + " + " + q(i + 1, j) + " + " + q(i, j - 1) + " + " + q(i, j + 1) +
                   " - 4*" + q(i, j) + "\"\n";
    }
  expect_same(made(net), made(by_hand + equations));
  EXPECT_EQ(made(net).names, (names{"q[1,1]", "q[1,2]", "q[1,3]", "q[2,1]", "q[2,2]", "q[2,3]"}));
}

TEST(family, definitions_are_families_too_and_may_build_on_their_earlier_elements) {
  file_problem problem = made(R"toml(to = 1
[parameters]
N = 5
[state]
"u[i=1..N]" = "i^2"
[definitions]
total = "before[N]"
"before[0]" = 0
"before[i=1..N]" = "before[i-1] + weight[i]*u[i]"
"weight[i=1..N]" = "if(i == 2, 10, 1)"
[derivative]
"u[i=1..N]" = "total"
)toml");
  EXPECT_EQ(derivative(problem, 0, problem.start)[4], 1 + 10 * 4 + 9 + 16 + 25);
}

TEST(family, sums) {
  file_problem problem = made(R"toml(to = "sum(i=1..4, i)"
[parameters]
n = "sum(k=1..3, k)"
[state]
x = "sum(i=1..n, sum(j=i..n, i*j))"
y = "sum(i=3..2, 1/0)"
[derivative]
x = "sum(i=1..n, x^i/i)"
y = "sum(i=1..2, x + sum(j=0..i, y*j))"
)toml");
  EXPECT_EQ(problem.to, 10);
  double expected = 0;
  for (int i = 1; i <= 6; ++i)
    for (int j = i; j <= 6; ++j) expected += i * j;
  EXPECT_EQ(problem.start, (numbers{expected, 0})) << "a sum that ends before it begins is 0";
  const numbers dx = derivative(problem, 0, {2, 3});
  EXPECT_EQ(dx[0], 2. + 2 + 8. / 3 + 4 + 32. / 5 + 64. / 6);
  EXPECT_EQ(dx[1], 2 + 3 + 2 + 9);
}

TEST(family, elements_are_set_by_their_names) {
  const file_problem problem = made(brusselator, {{"u[3]", 9}, {"N", 3}, {"v[ 1 ]", 8}});
  EXPECT_EQ(problem.start[2], 9);
  EXPECT_EQ(problem.start[3], 8);
  const auto unknown = read_problem(brusselator).file->make({{"u[8]", 1}, {"u", 2}}).unknown;
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(unknown[0], "unknown name `u`, expected a parameter or an initial value");
  EXPECT_EQ(unknown[1].substr(0, 37), "unknown name `u[8]`, did you mean `u[");
}

TEST(family, exact_solutions_and_tolerances) {
  file_problem problem = made(R"toml(to = 1
[state]
"u[i=1..3]" = "i"
x = 1
[derivative]
"u[i=1..3]" = "-i*u[i]"
x = 0
[exact]
"u[i=2..3]" = "i*exp(-i*t)"
[solver]
atol = {"u[i=1..2]" = "1e-9*i", "u[3]" = 1e-3, x = 1}
)toml");
  EXPECT_EQ(problem.exact_components, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(problem.exact.names()[1], "u[3]");
  problem.exact.evaluate(0.5, problem.start);
  EXPECT_EQ(problem.exact[1], 3 * std::exp(-3 * 0.5));
  EXPECT_EQ(problem.solver.atol, (numbers{1e-9, 2e-9, 1e-3, 1}));
}

}  // namespace
