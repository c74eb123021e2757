/// What must never happen in a step: an allocation. Every `new` of this program is counted.
#include "reliability/allocations.hpp"
#include "reliability/support.hpp"

#include <array>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

namespace ensue::tests {
std::int64_t allocations = 0, failing_allocation = 0, blocks_in_use = 0;
}
using ensue::tests::allocations;

// Eigen calls malloc, not new; it can be told to check that it does not.
#if __has_include(<Eigen/Core>)
#define EIGEN_RUNTIME_NO_MALLOC
#define eigen_assert(holds) ((holds) ? void() : void(++allocations))
#include <Eigen/Core>
#endif

namespace {

void* taken(void* memory) {
  if (!memory) throw std::bad_alloc();
  ++ensue::tests::blocks_in_use;
  return memory;
}
void count_allocation() {
  if (++allocations == ensue::tests::failing_allocation) throw std::bad_alloc();
}
void* counted(std::size_t size) {
  count_allocation();
  return taken(std::malloc(size ? size : 1));
}
void* counted(std::size_t size, std::align_val_t alignment) {
  count_allocation();
  const std::size_t unit = static_cast<std::size_t>(alignment);
  return taken(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
void give_back(void* memory) {
  if (memory) --ensue::tests::blocks_in_use;
  std::free(memory);
}
}  // namespace

// The array, nothrow and sized forms of the standard library call these.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, alignment); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace {

using namespace ensue;
using namespace ensue::tests;

void allow_eigen_to_allocate([[maybe_unused]] bool allowed) {
#if __has_include(<Eigen/Core>)
  Eigen::internal::set_is_malloc_allowed(allowed);
#endif
}

/// Pendulums side by side, over any state. Rejects steps now and then: it is kicked.
struct pendulums {
  template <class State> void operator()(const auto& t, const State& x, State& dx) const {
    const std::size_t half = static_cast<std::size_t>(x.size()) / 2;
    const double kick = t > 2 && t < 2.125 ? 5. : 0.;
    for (std::size_t i = 0; i < half; ++i) {
      dx[i] = x[half + i];
      dx[half + i] = -x[i] + kick;
    }
  }
};

template <class Method> struct allocation : testing::Test {
  template <class State> static options<State> way() { return own_way<Method, State>(1. / 64); }

  template <class State> static void expect_none_in_solve(const State& start) {
    const options<State> s = way<State>();
    const std::int64_t before = allocations;
    allow_eigen_to_allocate(false);
    const auto run = solve(pendulums{}, start, {0, 20}, Method{}, s);
    allow_eigen_to_allocate(true);
    const std::int64_t after = allocations;
    EXPECT_EQ(after - before, 0);
    EXPECT_TRUE(run.finished());
  }

  template <class State> static void expect_none_after_construction(const State& start) {
    options<State> s = way<State>();
    integrator sim{pendulums{}, start, Method{}, s};
    State inside = start;
    sim.step();
    sim.interpolate(sim.time(), inside);  // the first look takes its memory, no other does
    const std::int64_t before = allocations;
    allow_eigen_to_allocate(false);
    while (sim.statistics().steps < 10'000) {
      if (sim.advance(1. / 8) != outcome::finished) break;
      sim.step();
      sim.step(true);
      sim.interpolate(sim.time(), inside);
    }
    sim.set_state(start);
    sim.advance_to(-1000);
    allow_eigen_to_allocate(true);
    const std::int64_t after = allocations;
    EXPECT_EQ(after - before, 0) << "in " << sim.statistics().steps << " steps";
    EXPECT_GE(sim.statistics().steps, 10'000);
  }
};
// What allocates is the driver or the state, not a table: more methods with two kinds of state, fewer with all of them.
template <class Method> struct allocation_in_any_state : allocation<Method> {};
#if defined(__SANITIZE_ADDRESS__)
TYPED_TEST_SUITE(allocation, testing::Types<dp54>);
TYPED_TEST_SUITE(allocation_in_any_state, testing::Types<dp54>);
#else
TYPED_TEST_SUITE(allocation, typed<tested_kinds>);
TYPED_TEST_SUITE(allocation_in_any_state, typed<one_of_each_kind>);
#endif

TEST(allocation, is_counted_here) {
  const std::int64_t before = allocations;
  std::vector<double> one(100);
  one.push_back(1);
  EXPECT_GE(allocations - before, 2);
#if __has_include(<Eigen/Core>)
  const std::int64_t before_eigen = allocations;
  allow_eigen_to_allocate(false);
  Eigen::VectorXd two(100);
  allow_eigen_to_allocate(true);
  EXPECT_EQ(allocations - before_eigen, 1);
#endif
}

TYPED_TEST(allocation, never_happens_with_fixed_states) { this->expect_none_in_solve(vec{1., 0.}); }

TYPED_TEST(allocation, never_happens_after_construction_with_dynamic_states) {
  this->expect_none_after_construction(std::vector<double>(10, 1.));
}

TYPED_TEST(allocation_in_any_state, never_happens_if_it_is_fixed) {
  this->expect_none_in_solve(std::array{1., 0.});
  this->expect_none_in_solve(vec<double, 20>{1.});
  this->expect_none_after_construction(vec{1., 0.});
#if __has_include(<Eigen/Core>)
  this->expect_none_in_solve(Eigen::Vector2d(1., 0.));
#endif
}

TYPED_TEST(allocation_in_any_state, never_happens_after_construction_if_it_is_dynamic) {
#if __has_include(<Eigen/Core>)
  this->expect_none_after_construction(Eigen::VectorXd(Eigen::VectorXd::Constant(10, 1.)));
#endif
  std::vector<double> memory(10, 1.);
  this->expect_none_after_construction(std::span<double>(memory));
}

TEST(allocation, never_happens_with_tolerances_by_component_or_a_norm_of_ones_own) {
  using dynamic = std::vector<double>;
  options<dynamic> s;
  s.atol = dynamic(10, 1e-8);
  s.norm = +[](const double* errors, std::size_t) { return errors[0]; };
  integrator sim{pendulums{}, dynamic(10, 1.), dp54{}, s};
  const std::int64_t before = allocations;
  sim.advance(100);
  EXPECT_EQ(allocations - before, 0);
}

/// Not in a failing run either: the sentence is made when it is asked for.
TEST(allocation, never_happens_at_an_ending) {
  const auto pole = [](double, const vec<double, 1>& x, vec<double, 1>& dx) { dx[0] = x[0] * x[0]; };
  const std::int64_t before = allocations;
  const auto run = solve(pole, vec{0.37}, {0, 10}, dp54{}, {.max_evaluations = plenty});
  EXPECT_EQ(allocations - before, 0);
  EXPECT_FALSE(run.finished());
}

}  // namespace
