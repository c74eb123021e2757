/// No solver allocates after its construction: every `new` of this program is counted. (Eigen's do, and say so: eigen_lu.hpp.)
#include "linear/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/integrator.hpp>
#include <ensue/linear/banded.hpp>
#include <ensue/linear/bicgstab.hpp>
#include <ensue/linear/colouring.hpp>
#include <ensue/linear/gmres.hpp>
#include <ensue/linear/krylov.hpp>
#include <ensue/linear/sparse.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {
std::int64_t allocations = 0;
void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// The array, nothrow and sized forms of the standard library call these.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace ensue::linear;
using namespace ensue::tests;

template <class Body> void expect_none(const char* what, const Body& body) {
  const std::int64_t before = allocations;
  for (int again = 0; again < 3; ++again) body();
  const std::int64_t after = allocations;
  EXPECT_EQ(after - before, 0) << what;
}

TEST(linear_allocation, is_counted_here) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has an operator new of its own";
  const std::int64_t before = allocations;
  const banded_matrix<double> a(10, 1, 1);
  banded_lu<double> lu(10, 1, 1);
  EXPECT_FALSE(lu.factor(a));  // without a use clang leaves the memory out
  EXPECT_EQ(allocations - before, 3);
}

TEST(linear_allocation, never_happens_after_construction) {
  const std::size_t side = 12, particles = side * side, n = 3 * particles;
  auto a = lattice_matrix<double>(side, true, 1., block3<double>::identity());
  const auto b = random_vector<double>(n, 1);
  std::vector<double> x(n), y(n);
  const std::span<const double> right(b);
  const std::span<double> left(x);

  block_jacobi<double> jacobi(a);
  incomplete_cholesky<double, float> cholesky(a);
  conjugate_gradients<double> cg(n);
  gmres<double> general(n, 10);
  bicgstab<double> stabilised(n);
  constraint_filter<double> filter(particles);
  expect_none("conjugate gradients", [&] {
    a.clear();
    for (std::size_t i = 0; i < particles; ++i) a.add_to_diagonal(i, block3<double>::identity(6));
    for (std::size_t k = 0; k < a.pattern()->nonzeros(); ++k) a.above(k) = block3<double>::identity(-0.5);
    filter.clear();
    for (std::size_t i = 0; i < particles; ++i) filter.fix(i);
    for (std::size_t i = 1; i < particles; ++i) filter.release(i);
    EXPECT_TRUE(jacobi.factor(a) && cholesky.factor(a));
    EXPECT_TRUE(cg.solve(a, right, left, jacobi, filter).converged());
    std::fill(x.begin(), x.end(), 0.);
    EXPECT_TRUE(cg.solve(a, right, left, cholesky, filter).converged());
  });
  expect_none("gmres", [&] {
    std::fill(x.begin(), x.end(), 0.);
    EXPECT_TRUE(general.solve(a, right, left, jacobi).converged());
  });
  expect_none("bicgstab", [&] {
    std::fill(x.begin(), x.end(), 0.);
    EXPECT_TRUE(stabilised.solve(a, right, left, jacobi).converged());
  });

  banded_matrix<double> band(n, 2, 2);
  for (std::size_t i = 0; i < n; ++i) band(i, i) = -1;
  banded_lu<double> lu(n, 2, 2);
  expect_none("banded", [&] {
    EXPECT_TRUE(lu.factor_shifted(band, 3));
    lu.solve(left);
  });

  const auto pattern = std::make_shared<const sparsity_pattern>(sparsity_pattern::banded(n, 1, 1));
  sparse_matrix<double> jacobian(pattern);
  iteration_matrix<double> w(pattern);
  coloured_differences<double> differences(*pattern, colour_columns(*pattern));
  const auto f = [](std::span<const double> at, std::span<double> out) {
    for (std::size_t i = 0; i < at.size(); ++i) out[i] = at[i] * at[i];
  };
  f(right, y);
  expect_none("sparse", [&] {
    EXPECT_TRUE(differences.jacobian(f, right, y, jacobian.values()));
    w.assemble(jacobian, 2);
    w.matrix().multiply(right, left);
  });
}

/// Conjugate gradients inside of a method: compressed springs, so that both kinds of derivatives are asked for.
TEST(linear_allocation, never_happens_in_a_condensed_step) {
  using namespace ensue;
  const auto net = models::lattice({.across = 6, .down = 6, .spacing = 0.1, .mass = 0.01, .stiffness = 1e3, .damping = 0.1});
  models::particle_system model(net.masses, {.gravity = {0, 0, -9.81}}, models::springs(net.springs));
  model.fix(0);
  std::vector<double> x = models::at_rest(net.positions);
  for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] *= i % 3 == 0 ? 0.8 : 1.1;
  const options<std::vector<double>> settings{.step = 0.01};
  integrator linear{model, x, condensed_linearly_implicit_euler{}, settings};
  integrator iterated{model, x, condensed_backward_euler{}, settings};
  expect_none("linearly implicit", [&] { EXPECT_EQ(linear.step(), outcome::finished); });
  expect_none("iterated", [&] { EXPECT_EQ(iterated.step(), outcome::finished); });
}

}  // namespace
