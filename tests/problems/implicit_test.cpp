/// Problem files under implicit methods: their exact Jacobian arrives in its pattern, and a family of any length has a band.
#include "problems/problem_model.hpp"
#include "problem_text.hpp"

#include <ensue/linear/choice.hpp>
#include <ensue/registry.hpp>

#include <cmath>

namespace {

using namespace ensue;
using namespace ensue::tests;

const std::string line = R"toml(to = 10
[parameters]
N = 40
d = 0.02
[state]
"u[i=1..N]" = "1 + sin(2*pi*i/(N + 1))"
"v[i=1..N]" = 3
[boundary]
"u[0]" = 1
"u[N+1]" = 1
"v[0]" = 3
"v[N+1]" = 3
[derivative]
"u[i=1..N]" = "1 + u[i]^2*v[i] - 4*u[i] + d*(N + 1)^2*(u[i-1] - 2*u[i] + u[i+1])"
"v[i=1..N]" = "3*u[i] - u[i]^2*v[i] + d*(N + 1)^2*(v[i-1] - 2*v[i] + v[i+1])"
)toml";

/// All u, then all v: the coupling of u[i] with v[i] is N away from the diagonal, and two in the order that is found.
TEST(implicit_problem, of_a_family_is_a_band) {
  const file_problem problem = made(line, {{"N", 500}});
  const system_function model = model_of(problem, *find_method("rodas5p"));
  const auto choice = linear::choose_form(model.jacobian().pattern());
  EXPECT_EQ(choice.form, linear::matrix_form::banded);
  EXPECT_LE(choice.band.lower + choice.band.upper, 6u);
  EXPECT_EQ(choice.order.size(), 1000u);
  EXPECT_FALSE(model_of(problem, *find_method("dp54")).jacobian().offers<linear::sparse_matrix<double>>())
      << "nobody asks for it";
}

/// By an order of 5 and an order of 2, whose equations and matrices have nothing in common but f and f'.
TEST(implicit_problem, of_a_family_is_solved_by_one_step_methods_of_any_kind) {
  const file_problem problem = made(line, {{"N", 500}});
  const auto end = [&](const char* name, double rtol) {
    const method_info& method = *find_method(name);
    const auto run = method.make(model_of(problem, method), problem.start, 0, {.rtol = rtol, .atol = rtol});
    EXPECT_EQ(run->advance_to(2), outcome::finished) << run->message();
    EXPECT_LT(run->statistics().evaluations, 3000) << "no differences";
    return numbers(run->state().begin(), run->state().end());
  };
  const numbers precise = end("rodas5p", 1e-7);
  for (const char* method : {"trbdf2", "esdirk4", "rosenbrock23"}) {
    const numbers found = end(method, 1e-4);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - precise[i]));
    EXPECT_LT(worst, 2e-2) << method;
  }
}

/// A small system is full, with the same entries.
TEST(implicit_problem, of_few_components_is_solved_as_before) {
  const file_problem problem = made(
      "to = 1\n[state]\nx = 1\ny = 2\nz = 0\n[derivative]\nx = \"-0.04*x + 1e4*y*z\"\n"
      "y = \"0.04*x - 1e4*y*z - 3e7*y^2\"\nz = \"3e7*y^2\"\n");
  const method_info& method = *find_method("rodas5p");
  const auto with_own = method.make(model_of(problem, method), problem.start, 0, {.rtol = 1e-8, .atol = 1e-10});
  const auto with_differences = method.make(problem.system, problem.start, 0, {.rtol = 1e-8, .atol = 1e-10});
  ASSERT_EQ(with_own->advance_to(1), outcome::finished) << with_own->message();
  ASSERT_EQ(with_differences->advance_to(1), outcome::finished);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(with_own->state()[i], with_differences->state()[i], 1e-7);
  EXPECT_EQ(with_own->statistics().evaluations,
            8 * with_own->statistics().steps + 7 * with_own->statistics().rejected + 1);
}

}  // namespace
