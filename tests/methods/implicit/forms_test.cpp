/// f' in its own form: banded, in an order that makes it so, or sparse, implicit methods do what they do with a full matrix, and allocate
/// nothing in a step.
#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/registry.hpp>

#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <numbers>
#include <string>
#include <vector>

namespace {
std::int64_t allocations = 0;
}

// The array, nothrow and sized forms of the standard library call these.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace ensue;
using numbers = std::vector<double>;

enum class says { nothing, band, pattern };

/// Two chemicals on a line of n points, as examples/brusselator_line.toml: u and v side by side at each point, or first all u, then all v.
template <says Says, bool SideBySide = true, bool OwnJacobian = true> struct brusselator {
  std::size_t points;

  std::size_t u(std::size_t i) const { return SideBySide ? 2 * i : i; }
  std::size_t v(std::size_t i) const { return SideBySide ? 2 * i + 1 : points + i; }
  double spread() const { return 0.02 * static_cast<double>((points + 1) * (points + 1)); }

  numbers start() const {
    numbers x(2 * points);
    for (std::size_t i = 0; i < points; ++i) {
      x[u(i)] = 1 + std::sin(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(points + 1));
      x[v(i)] = 3;
    }
    return x;
  }
  template <class X, class D> void operator()(double, const X& x, D& dx) const {
    for (std::size_t i = 0; i < points; ++i) {
      const double a = x[u(i)], b = x[v(i)], left = i > 0 ? x[u(i - 1)] : 1, right = i + 1 < points ? x[u(i + 1)] : 1;
      const double below = i > 0 ? x[v(i - 1)] : 3, above = i + 1 < points ? x[v(i + 1)] : 3;
      dx[u(i)] = 1 + a * a * b - 4 * a + spread() * (left - 2 * a + right);
      dx[v(i)] = 3 * a - a * a * b + spread() * (below - 2 * b + above);
    }
  }
  template <class X, class J> void jacobian(double, const X& x, J& j) const
    requires OwnJacobian
  {
    for (std::size_t i = 0; i < points; ++i) {
      const double a = x[u(i)], b = x[v(i)];
      j(u(i), u(i)) = 2 * a * b - 4 - 2 * spread(), j(u(i), v(i)) = a * a;
      j(v(i), u(i)) = 3 - 2 * a * b, j(v(i), v(i)) = -a * a - 2 * spread();
      if (i > 0) j(u(i), u(i - 1)) = j(v(i), v(i - 1)) = spread();
      if (i + 1 < points) j(u(i), u(i + 1)) = j(v(i), v(i + 1)) = spread();
    }
  }
  linear::bandwidth jacobian_bandwidth() const
    requires(Says == says::band)
  {
    return {2, 2};
  }
  linear::sparsity_pattern jacobian_pattern() const
    requires(Says == says::pattern)
  {
    std::vector<linear::sparsity_pattern::entry> entries;
    for (std::size_t i = 0; i < points; ++i)
      for (const std::size_t k : {i - 1, i, i + 1}) {
        if (k >= points) continue;
        entries.push_back({u(i), u(k)}), entries.push_back({v(i), v(k)});
        if (k == i) entries.push_back({u(i), v(i)}), entries.push_back({v(i), u(i)});
      }
    return linear::sparsity_pattern::from_entries(2 * points, 2 * points, entries);
  }
};

template <class Model> linear::matrix_form form_of(const Model& model) {
  linearization<numbers> linear(model.start());
  linear.fit(model, "a method");
  return linear.form();
}

TEST(linearization, takes_the_form_that_the_model_names) {
  using linear::matrix_form;
  EXPECT_EQ(form_of(brusselator<says::nothing>{50}), matrix_form::dense);
  EXPECT_EQ(form_of(brusselator<says::band>{50}), matrix_form::banded);
  EXPECT_EQ(form_of(brusselator<says::pattern>{50}), matrix_form::banded);
  EXPECT_EQ((form_of(brusselator<says::pattern, false>{50})), matrix_form::banded) << "in another order";
  EXPECT_EQ(form_of(brusselator<says::band>{4}), matrix_form::dense) << "eight components are few";
}

/// The state after a while, and what it took.
struct ran {
  numbers state;
  run_statistics<std::int64_t> spent;
};
template <class Method, class Model> ran run(const Model& model, double until = 0.5) {
  integrator sim{model, model.start(), Method{}, {.rtol = 1e-5, .atol = 1e-5}};
  EXPECT_EQ(sim.advance_to(until), outcome::finished) << sim.message();
  return {sim.state(), sim.statistics()};
}

/// Of states that differ in rounding and, where differences are taken, in those: in units of `unit`.
void expect_same(const ran& found, const ran& expected, double unit, const char* what) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.state.size(); ++i)
    worst = std::max(worst, std::abs(found.state[i] - expected.state[i]));
  EXPECT_LT(worst, unit) << what;
  EXPECT_NEAR(static_cast<double>(found.spent.steps), static_cast<double>(expected.spent.steps),
              0.03 * static_cast<double>(expected.spent.steps));
}

template <class Method> void expect_the_same_in_every_form() {
  constexpr std::size_t points = 24;
  const ran full = run<Method>(brusselator<says::nothing>{points});
  expect_same(run<Method>(brusselator<says::band>{points}), full, 1e-11, "a band");
  expect_same(run<Method>(brusselator<says::pattern>{points}), full, 1e-11, "a pattern");
  const ran with_differences = run<Method>(brusselator<says::band, true, false>{points});
  expect_same(with_differences, full, 1e-5, "a band by differences");
  expect_same(run<Method>(brusselator<says::pattern, true, false>{points}), with_differences, 1e-11,
              "a pattern by differences");
  // In the other order of unknowns, its components are to be compared with those beside them.
  const ran apart = run<Method>(brusselator<says::pattern, false>{points}),
            reordered = run<Method>(brusselator<says::nothing, false>{points});
  expect_same(apart, reordered, 1e-11, "a pattern in another order");
}
TEST(linearization, is_the_same_in_every_form_for_rodas5p) { expect_the_same_in_every_form<rodas5p>(); }
TEST(linearization, is_the_same_in_every_form_for_trbdf2) { expect_the_same_in_every_form<trbdf2>(); }

TEST(linearization, differentiates_groups_of_columns) {
  const ran band = run<rodas5p>(brusselator<says::band, true, false>{60});
  EXPECT_EQ(band.spent.evaluations, 1 + band.spent.steps * (8 + 5 + 1) + band.spent.rejected * 7)
      << "five groups, and one for time";
}

TEST(linearization, is_of_the_models_size) {
  struct mistaken : brusselator<says::nothing> {
    linear::sparsity_pattern jacobian_pattern() const { return linear::sparsity_pattern::banded(7, 1, 1); }
  };
  const mistaken model{{20}};
  EXPECT_THROW((integrator{model, model.start(), rodas5p{}, {}}), std::length_error);
  struct too_large {
    void operator()(double, const numbers&, numbers&) const {}
  };
  EXPECT_THROW((integrator{too_large{}, numbers(most_dense_components + 1), rodas5p{}, {}}), std::length_error);
}

/// Leaves around a hub: no order makes a band of it.
struct star {
  std::size_t leaves = 400;
  numbers start() const {
    numbers x(leaves + 1, 0.);
    x[0] = 1;
    return x;
  }
  static double rate(std::size_t i) { return i % 2 == 0 ? 1e4 : 1; }
  template <class X, class D> void operator()(double, const X& x, D& dx) const {
    dx[0] = 0;
    for (std::size_t i = 1; i <= leaves; ++i)
      dx[i] = rate(i) * (x[0] - x[i]) - x[i] * x[i], dx[0] -= dx[i] / static_cast<double>(leaves);
  }
  template <class X, class J> void jacobian(double, const X& x, J& j) const {
    j(0, 0) = 0;
    for (std::size_t i = 1; i <= leaves; ++i) {
      j(i, 0) = rate(i), j(i, i) = -rate(i) - 2 * x[i];
      j(0, 0) -= j(i, 0) / static_cast<double>(leaves), j(0, i) = -j(i, i) / static_cast<double>(leaves);
    }
  }
};
struct sparse_star : star {
  linear::sparsity_pattern jacobian_pattern() const {
    std::vector<linear::sparsity_pattern::entry> entries{{0, 0}};
    for (std::size_t i = 1; i <= leaves; ++i)
      entries.push_back({i, 0}), entries.push_back({0, i}), entries.push_back({i, i});
    return linear::sparsity_pattern::from_entries(leaves + 1, leaves + 1, entries);
  }
};

TEST(linearization, is_sparse_where_no_order_helps) {
  if (linear::make_sparse_solver<double> != nullptr) {  // the library's, if it was built with Eigen
    EXPECT_EQ(form_of(sparse_star{}), linear::matrix_form::sparse);
  }
  const ran full = run<trbdf2>(star{60}), sparse = run<trbdf2>(sparse_star{{60}});
  expect_same(sparse, full, 1e-11, "a star");
  const sparse_star model{{300}};
  integrator sim{model, model.start(), trbdf2{}, {}};
  ASSERT_EQ(sim.advance_to(0.01), outcome::finished);
  integrator copy = sim;  // with a solver of its own
  ASSERT_EQ(sim.advance_to(0.02), outcome::finished);
  ASSERT_EQ(copy.advance_to(0.02), outcome::finished);
  EXPECT_EQ(sim.state(), copy.state());
}

/// Of a matrix that is singular in any form the column is known, and its name is that of the unknown and not of its place in the order.
struct diagonal : brusselator<says::pattern, false> {
  template <class X, class J> void jacobian(double, const X&, J& j) const {
    for (std::size_t i = 0; i < 2 * points; ++i) j(i, i) = i == 30 ? 2 : -1;
  }
};
TEST(linearization, knows_where_it_is_singular) {
  diagonal f{{20}};
  const numbers x = f.start();
  numbers f0(x), scratch(x), more(x);
  linearization<numbers> linear(x);
  linear.fit(f, "a method");
  ASSERT_EQ(linear.form(), linear::matrix_form::banded);
  run_statistics<std::int64_t> spent;
  ASSERT_EQ(linear.compute(f, 0, 1, x, f0, spent, scratch, more), report::nowhere);
  EXPECT_FALSE(linear.factor(2.));
  EXPECT_EQ(linear.singular_at(), 30);
  EXPECT_TRUE(linear.factor(3.));
}

template <class Method, class Model> void expect_no_allocation(const Model& model) {
  integrator sim{model, model.start(), Method{}, {.rtol = 1e-4, .atol = 1e-4}};
  sim.step();
  const std::int64_t before = allocations;
  sim.advance_to(1);
  const std::int64_t after = allocations;
  EXPECT_EQ(after - before, 0) << Method::name;
  EXPECT_GT(sim.statistics().steps, 5);
}
TEST(linearization, allocates_nothing_after_the_first_step) {
  if (tests::sanitized) GTEST_SKIP() << "the sanitizer has an operator new of its own";
  expect_no_allocation<rodas5p>(brusselator<says::band>{20});
  expect_no_allocation<trbdf2>(brusselator<says::pattern, false>{20});
  expect_no_allocation<trbdf2>(brusselator<says::band, true, false>{20});
}

/// A model handed over by name brings its form along.
TEST(linearization, comes_along_behind_a_name) {
  const brusselator<says::pattern, false> model{1000};  // a full matrix would be 32 MB, and this test take seconds
  const auto start = model.start();
  for (const char* method : {"rodas5p", "trbdf2"}) {
    const auto sim = find_method(method)->make(model, start, 0, {.rtol = 1e-4, .atol = 1e-4});
    ASSERT_EQ(sim->advance_to(0.5), outcome::finished) << sim->message();
    EXPECT_GT(sim->statistics().factorizations, 1);
  }
}

}  // namespace
