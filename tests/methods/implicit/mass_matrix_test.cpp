/// M x' = f: methods that take a mass matrix solve equations with one, whatever form it has; starts that are not consistent are named, or
/// mended; other methods refuse.
#include <ensue/methods/implicit/automatic.hpp>
#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/integrator.hpp>
#include <ensue/registry.hpp>

#include "published/stiff_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using numbers = std::vector<double>;

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// y' = z − (y − sin t), 0 = (1 + y²) z − (1 + sin² t) cos t: y = sin t, z = cos t.
struct turning {
  void operator()(double t, std::span<const double> x, std::span<double> f) const {
    const double s = std::sin(t);
    f[0] = x[1] - (x[0] - s);
    f[1] = (1 + x[0] * x[0]) * x[1] - (1 + s * s) * std::cos(t);
  }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

/// H. H. Robertson's reaction with what is conserved in the place of the third equation.
struct rober {
  void operator()(double, std::span<const double> x, std::span<double> f) const {
    f[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    f[1] = 0.04 * x[0] - 1e4 * x[1] * x[2] - 3e7 * x[1] * x[1];
    f[2] = x[0] + x[1] + x[2] - 1;
  }
  void mass_matrix(auto& m) const { m(0, 0) = m(1, 1) = 1; }
};

struct mass_matrix : testing::TestWithParam<const char*> {
  const method_info& method = *find_method(GetParam());
};

TEST_P(mass_matrix, errors_of_all_variables_are_controlled) {
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    const auto run = method.make(turning{}, numbers{0, 1}, 0, {.rtol = rtol, .atol = rtol});
    ASSERT_EQ(run->advance_to(10), outcome::finished) << run->message();
    EXPECT_LE(largest_difference(run->state(), numbers{std::sin(10), std::cos(10)}), 30 * rtol) << rtol;
    EXPECT_LT(run->statistics().steps, 3000);
  }
}

/// Orders in fixed steps: those that the methods have where nothing is algebraic.
TEST_P(mass_matrix, keeps_the_order_of_the_method) {
  numbers errors;
  for (const double step : {0.1, 0.05}) {
    const auto run = method.make(turning{}, numbers{0, 1}, 0, {.step = step});
    ASSERT_EQ(run->advance_to(2), outcome::finished) << run->message();
    errors.push_back(largest_difference(run->state(), numbers{std::sin(2), std::cos(2)}));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), method.order, 0.3) << errors[0] << ' ' << errors[1];
}

TEST_P(mass_matrix, rober_with_its_invariant_as_an_equation) {
  const auto& all = stiff_problems();
  const auto reference = std::ranges::find(all, "rober", &stiff_problem::file);
  const double rtol = 1e-7, atol = 1e-13;
  const auto run = method.make(rober{}, reference->start, 0, {.rtol = rtol, .atol = atol});
  ASSERT_EQ(run->advance_to(reference->to), outcome::finished) << run->message();
  for (std::size_t i = 0; i < 3; ++i) {
    const double exact = static_cast<double>(reference->end[i]);
    EXPECT_LE(std::abs(run->state()[i] - exact), 100 * (rtol * std::abs(exact) + atol)) << i;
  }
}

/// Linear finite elements on (0, 1), u_t = u_xx: M is h/6 (1 4 1), the boundary values are algebraic, and sin πx decays at the rate
/// 6/h² (1 − cos πh)/(2 + cos πh).
template <int Form> struct elements {
  std::size_t points = 25;
  double width() const { return 1 / static_cast<double>(points - 1); }

  numbers at(double t) const {
    const double h = width(), c = std::cos(std::numbers::pi * h);
    numbers u(points);
    for (std::size_t i = 0; i < points; ++i)
      u[i] = std::sin(std::numbers::pi * h * static_cast<double>(i)) * std::exp(-t * 6 / (h * h) * (1 - c) / (2 + c));
    return u;
  }
  void operator()(double, std::span<const double> u, std::span<double> f) const {
    for (std::size_t i = 1; i + 1 < points; ++i) f[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) / width();
    f[0] = u[0], f[points - 1] = u[points - 1];
  }
  void mass_matrix(auto& m) const {
    for (std::size_t i = 1; i + 1 < points; ++i)
      m(i, i) = 4 * width() / 6, m(i, i - 1) = m(i, i + 1) = width() / 6;
  }
  linear::bandwidth jacobian_bandwidth() const
    requires(Form == 1)
  {
    return {1, 1};
  }
  linear::sparsity_pattern jacobian_pattern() const
    requires(Form == 2)
  {
    return linear::sparsity_pattern::banded(points, 1, 1);
  }
  linear::sparsity_pattern mass_pattern() const
    requires(Form == 2)
  {
    return linear::sparsity_pattern::banded(points, 1, 1);
  }
};

template <int Form> void expect_elements_solved(const method_info& method) {
  const elements<Form> model;
  const auto run = method.make(model, model.at(0), 0, {.rtol = 1e-7, .atol = 1e-7});
  ASSERT_EQ(run->advance_to(0.1), outcome::finished) << run->message();
  EXPECT_LE(largest_difference(run->state(), model.at(0.1)), 3e-6) << "form " << Form;
}
TEST_P(mass_matrix, is_dense_banded_or_over_a_pattern) {
  expect_elements_solved<0>(method);
  expect_elements_solved<1>(method);
  expect_elements_solved<2>(method);
}

TEST_P(mass_matrix, a_start_that_is_not_consistent_is_named) {
  const auto run = method.make(turning{}, numbers{0, 1.5}, 0, {});
  EXPECT_EQ(run->advance_to(1), outcome::start_not_consistent);
  EXPECT_EQ(run->ending().component, 1);
  EXPECT_DOUBLE_EQ(run->ending().residual, 0.5);
  EXPECT_EQ(run->time(), 0);
  EXPECT_EQ(run->state()[1], 1.5);
  EXPECT_NE(run->message().find("equation without a derivative of x[1] = 1.5 leaves 0.5"), std::string::npos) << run->message();
}

TEST_P(mass_matrix, a_consistent_start_is_found_on_request) {
  const auto run = method.make(turning{}, numbers{0.5, 7}, 0, {.rtol = 1e-9, .atol = 1e-9, .find_consistent_start = true});
  ASSERT_EQ(run->step(), outcome::finished) << run->message();
  numbers start(2);
  run->interpolate(0, start);
  EXPECT_NEAR(start[0], 0.5, 1e-14) << "what has a derivative stays";
  EXPECT_NEAR(start[1], 1 / 1.25, 1e-9);
  run->set_state(0, numbers{1, 3});
  ASSERT_EQ(run->step(), outcome::finished) << "again after a change: " << run->message();
}

/// y' = 0, 0 = 1 + z²
struct unsolvable {
  void operator()(double, std::span<const double> x, std::span<double> f) const { f[0] = 0, f[1] = 1 + x[1] * x[1]; }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};
TEST_P(mass_matrix, a_start_that_is_looked_for_in_vain_stays) {
  const auto run = method.make(unsolvable{}, numbers{1, 0.5}, 0, {.find_consistent_start = true});
  EXPECT_NE(run->advance_to(1), outcome::finished);
  EXPECT_EQ(run->state()[1], 0.5);
}

/// y' = z, 0 = y − t: nothing says what z is.
struct higher_index {
  void operator()(double t, std::span<const double> x, std::span<double> f) const { f[0] = x[1], f[1] = x[0] - t; }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};
TEST_P(mass_matrix, a_higher_index_is_named) {
  const auto run = method.make(higher_index{}, numbers{0, 1}, 0, {});
  EXPECT_EQ(run->advance_to(1), outcome::matrix_singular);
  EXPECT_NE(run->message().find("not of index 1"), std::string::npos) << run->message();
}

INSTANTIATE_TEST_SUITE_P(method, mass_matrix, testing::Values("rodas5p", "radau", "bdf", "auto"),
                         [](const auto& info) { return std::string(info.param); });

/// m x' = −x
struct heavy {
  double m;
  void operator()(double, const auto& x, auto& f) const { f[0] = -x[0]; }
  void mass_matrix(auto& M) const { M(0, 0) = m; }
};
template <class Method> struct changed_mass : testing::Test {};
using takers = testing::Types<ensue::rodas5p, ensue::radau, ensue::bdf, ensue::automatic>;
TYPED_TEST_SUITE(changed_mass, takers);
TYPED_TEST(changed_mass, is_that_of_the_steps_after_the_change) {
  const auto expect_change = [](auto start) {
    integrator sim{heavy{1}, start, TypeParam{}, options<decltype(start)>{.rtol = 1e-8, .atol = 1e-10}};
    sim.advance(1);
    sim.system().m = 4;
    sim.advance(1);
    EXPECT_NEAR(sim.state()[0], std::exp(-1.25), 1e-6);
  };
  expect_change(vec{1.});
  expect_change(numbers{1});
}

TEST(mass_matrices, others_refuse) {
  std::size_t takers = 0;
  for (const method_info* const method : all_methods()) {
    if (method->takes_mass_matrix) {
      ++takers;
      continue;
    }
    if (method->needs != system_needed::any) continue;
    try {
      method->make(turning{}, numbers{0, 1}, 0, {.step = 0.1});
      ADD_FAILURE() << method->name;
    } catch (const std::invalid_argument& refused) {
      EXPECT_NE(std::string(refused.what()).find("auto, rodas5p, radau and bdf take it"), std::string::npos) << refused.what();
    }
  }
  EXPECT_EQ(takers, 4u);
}

}  // namespace
