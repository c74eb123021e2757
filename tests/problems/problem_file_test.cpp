/// Problem files: what is read from them.
#include "problem_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace {

using namespace ensue;
using namespace ensue::tests;
using expression::dependence;

const std::string lorenz = R"toml(title = "Lorenz"
to = 40
[parameters]
sigma = 10
rho = 28
beta = "8/3"
[state]
z = 3
y = 2
x = 1
[derivative]
x = "sigma*(y - x)"
y = "x*(rho - z) - y"
z = "x*y - beta*z"
)toml";

const std::string spring = R"toml(from = 1
to = "2*pi*periods"
[parameters]
k = 40
m = 1
c = 0.05
g = 9.81
omega = "sqrt(k/m)"
periods = 3
[position]
x = "m + 1"
y = 0
[velocity]
y = -1
x = 0.5
[definitions]
pull = "-k/m*(1 - 1/r)"
r = "hypot(x, y)"
[acceleration]
y = "pull*y - g - c/m*y'"
x = "pull*x - c/m*x'"
[invariants]
energy = "m/2*(x'^2 + y'^2) + k/2*(r - 1)^2 + m*g*y"
"spin of it" = "x*y' - y*x'"
[exact]
"x'" = "cos(omega*t)"
x = "sin(omega*t)/omega"
[solver]
method = "tsit5"
rtol = 1e-8
atol = {x = 1e-9, y = 2e-9, "x'" = 3e-9, "y'" = "4e-9*m"}
min_step = 1e-12
max_step = "1/m"
max_evaluations = 1e6
)toml";

TEST(problem_file, first_order) {
  file_problem problem = made(lorenz);
  EXPECT_EQ(problem.title, "Lorenz");
  EXPECT_EQ(problem.from, 0);
  EXPECT_EQ(problem.to, 40);
  EXPECT_FALSE(problem.second_order);
  EXPECT_EQ(problem.names, (names{"z", "y", "x"})) << "the order of the file, not of the alphabet";
  EXPECT_EQ(problem.start, (numbers{3, 2, 1}));
  EXPECT_EQ(problem.uses, dependence::state);
  EXPECT_EQ(derivative(problem, 0, problem.start), (numbers{1 * 2. - 8. / 3 * 3, 1 * (28. - 3) - 2, 10 * (2. - 1)}));
  EXPECT_EQ(problem.invariants.size(), 0u);
  EXPECT_EQ(problem.exact.size(), 0u);
}

TEST(problem_file, second_order_is_positions_then_velocities) {
  file_problem problem = made(spring);
  EXPECT_TRUE(problem.second_order);
  EXPECT_EQ(problem.from, 1);
  EXPECT_EQ(problem.to, 2 * std::numbers::pi * 3);
  EXPECT_EQ(problem.names, (names{"x", "y", "x'", "y'"}));
  EXPECT_EQ(problem.start, (numbers{2, 0, 0.5, -1}));
  EXPECT_EQ(problem.uses, dependence::state | dependence::velocity);
  const double r = std::hypot(3., 4.), pull = -40 * (1 - 1 / r);
  const numbers dx = derivative(problem, 0, {3, 4, 0.1, 0.2});
  EXPECT_EQ(dx[0], 0.1);
  EXPECT_EQ(dx[1], 0.2);
  EXPECT_DOUBLE_EQ(dx[2], pull * 3 - 0.05 * 0.1);
  EXPECT_DOUBLE_EQ(dx[3], pull * 4 - 9.81 - 0.05 * 0.2);
}

TEST(problem_file, invariants_and_exact_solutions) {
  file_problem problem = made(spring);
  ASSERT_EQ(problem.invariants.size(), 2u);
  EXPECT_EQ(problem.invariants.names()[0], "energy");
  EXPECT_EQ(problem.invariants.names()[1], "spin of it");
  problem.invariants.evaluate(0, numbers{3, 4, 0.1, 0.2});
  EXPECT_DOUBLE_EQ(problem.invariants[0], 0.5 * (0.1 * 0.1 + 0.2 * 0.2) + 20 * 16. + 9.81 * 4);
  EXPECT_DOUBLE_EQ(problem.invariants[1], 3 * 0.2 - 4 * 0.1);
  EXPECT_EQ(problem.exact_components, (std::vector<std::size_t>{2, 0}));
  problem.exact.evaluate(0.3, numbers{0, 0, 0, 0});
  EXPECT_DOUBLE_EQ(problem.exact[0], std::cos(std::sqrt(40.) * 0.3));
  EXPECT_DOUBLE_EQ(problem.exact[1], std::sin(std::sqrt(40.) * 0.3) / std::sqrt(40.));
}

TEST(problem_file, solver_settings) {
  const solver_settings solver = made(spring).solver;
  EXPECT_EQ(solver.method, "tsit5");
  EXPECT_EQ(solver.step, std::nullopt);
  EXPECT_EQ(solver.rtol, 1e-8);
  EXPECT_EQ(solver.atol, (numbers{1e-9, 2e-9, 3e-9, 4e-9}));
  EXPECT_EQ(solver.min_step, 1e-12);
  EXPECT_EQ(solver.max_step, 1);
  EXPECT_EQ(solver.max_evaluations, 1'000'000);
  EXPECT_EQ(made(spring, {{"x", 5}}).solver.atol[0], 1e-9) << "an initial value is not a tolerance";
  EXPECT_EQ(made(lorenz + "[solver]\natol = 1e-3\n").solver.atol, (numbers{1e-3}));
}

TEST(problem_file, values_replace_parameters_and_initial_values) {
  file_problem problem = made(spring, {{"k", 90}, {"m", 10}, {"y'", 7}});
  EXPECT_EQ(problem.start, (numbers{11, 0, 0.5, 7})) << "what depends on a parameter follows it";
  problem.exact.evaluate(0.1, problem.start);
  EXPECT_DOUBLE_EQ(problem.exact[0], std::cos(3 * 0.1));
  problem = made(spring, {{"omega", 2}});
  problem.exact.evaluate(0.1, problem.start);
  EXPECT_DOUBLE_EQ(problem.exact[0], std::cos(2 * 0.1)) << "also in the place of an expression";

  const auto unknown = read_problem(spring).file->make({{"omegga", 1}, {"r", 2}, {"x", 3}});
  EXPECT_FALSE(unknown.problem);
  ASSERT_EQ(unknown.unknown.size(), 2u);
  EXPECT_EQ(unknown.unknown[0], "unknown name `omegga`, did you mean `omega`?");
  EXPECT_EQ(unknown.unknown[1], "unknown name `r`, expected a parameter or an initial value");
}

TEST(problem_file, two_problems_of_one_file_do_not_disturb_each_other) {
  const problem_reading reading = read_problem(lorenz);
  file_problem a = std::move(*reading.file->make({{"rho", 1}}).problem), b = std::move(*reading.file->make().problem);
  expression_system copy = a.system;
  numbers dx(3), other(3);
  a.system(0, numbers{1, 2, 3}, dx);
  b.system(0, numbers{5, 6, 7}, other);
  copy(0, numbers{1, 2, 3}, other);
  EXPECT_EQ(dx, other);
}

TEST(problem_file, definitions_in_any_order_are_computed_once) {
  std::string text = "to = 1\n[state]\nx = 1\n[derivative]\nx = \"d0\"\n[definitions]\n";
  for (int i = 0; i < 2000; ++i)
    text += "d" + std::to_string(i) + " = \"(d" + std::to_string(i + 1) + " + d" + std::to_string(i + 1) + ")/2\"\n";
  file_problem problem = made(text + "d2000 = \"sin(x)\"\n");
  EXPECT_EQ(derivative(problem, 0, {0.5}), (numbers{std::sin(0.5)}));
  EXPECT_EQ(problem.system.program().code().size(), 4001u);
}

}  // namespace
