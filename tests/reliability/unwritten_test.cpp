/// An element of dx that f never writes: the run ends before its first step and names the element, whatever method it is.
#include "reliability/support.hpp"
#include "support/registered.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/methods/second_order/verlet.hpp>

#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;
using numbers = std::vector<double>;

void expect_named(const report& r, const std::string& message, std::int64_t component) {
  EXPECT_EQ(r.how, outcome::derivative_not_finite) << message;
  EXPECT_TRUE(r.unwritten) << message;
  EXPECT_EQ(r.component, component);
  EXPECT_TRUE(says(message, {"derivative not finite", ("does not write element " + std::to_string(component) + " of dx").c_str()})) << message;
}

struct spring_without_second {
  void acceleration(double, std::span<const double> q, std::span<double> a) const { a[0] = -q[0]; }
};

struct unwritten_of : testing::TestWithParam<const method_info*> {};
INSTANTIATE_TEST_SUITE_P(method, unwritten_of, testing::ValuesIn(ensue::all_methods().begin(), ensue::all_methods().end()), name_of_method);

TEST_P(unwritten_of, is_named) {
  const method_info& method = *GetParam();
  if (is_for_groups(method.needs)) return;  // below
  for (const double step : {0., 0.1}) {
    if (step == 0 && !method.adaptive) continue;
    int calls = 0;
    const auto one = [&calls](double, auto x, auto dx) { ++calls, dx[0] = x[1]; };
    const auto run = method.needs == system_needed::any ? method.make(one, numbers{1, 2}, 0, {.step = step})
                                                        : method.make(spring_without_second{}, numbers{1, 2, 0, 0}, 0, {.step = step});
    run->advance_to(1);
    expect_named(run->ending(), run->message(), method.needs == system_needed::any ? 1 : 3);
    EXPECT_EQ(run->time(), 0);
    EXPECT_LE(calls, 1);
    run->set_state(0.5, run->state());
    run->step_towards(2);
    expect_named(run->ending(), run->message(), method.needs == system_needed::any ? 1 : 3);
  }
}

/// What f writes now and then is written in its first call.
TEST_P(unwritten_of, is_nothing_that_f_writes) {
  const method_info& method = *GetParam();
  if (method.needs != system_needed::any) return;
  const auto run = method.make([](double, auto x, auto dx) { dx[0] = x[1], dx[1] = 0; }, numbers{1, 2}, 0, {.step = 0.1});
  EXPECT_EQ(run->advance_to(1), outcome::finished) << run->message();
  EXPECT_NEAR(run->state()[0], 3, 1e-9);
}

template <class T> void expect_named_in(T one) {
  const auto f = [](auto, const auto& x, auto& dx) { dx[0] = x[2], dx[2] = x[0]; };
  const auto run = solve(f, vec<T, 3>{one, one, one}, {0, 1}, dp54{});
  expect_named(run.ending[0], run.message(), 1);
}
TEST(unwritten, is_named_for_every_kind_of_number) {
  expect_named_in(1.f);
  expect_named_in(1.);
  expect_named_in(1.L);
  expect_named_in(dual<double, 2>(1.));
  expect_named_in(pack<double, 4>(1.));
  expect_named_in(pack<float, 8>(1.f));
}

TEST(unwritten, is_told_from_what_f_computes) {
  const auto nan = [](auto, const auto& x, auto& dx) { dx[0] = x[0], dx[1] = std::sqrt(-x[1]); };
  const auto run = solve(nan, vec{1., 1.}, {0, 1}, dp54{});
  EXPECT_EQ(run.outcome, outcome::derivative_not_finite);
  EXPECT_FALSE(run.ending[0].unwritten) << run.message();
  const auto both = [](auto, const auto& x, auto& dx) { dx[0] = std::sqrt(-x[0]), dx[2] = 0; };
  const auto other = solve(both, vec{1., 1., 1.}, {0, 1}, dp54{});
  expect_named(other.ending[0], other.message(), 1);
}

/// dx[1] += … is the same mistake.
TEST(unwritten, is_what_f_adds_to) {
  const auto run = solve([](auto, const auto& x, auto& dx) { dx[0] = x[1], dx[1] += x[0]; }, vec{1., 1.}, {0, 1}, dp54{});
  expect_named(run.ending[0], run.message(), 1);
}

TEST(unwritten, is_seen_again_after_a_change_of_the_model) {
  struct part {
    bool whole = true;
    void operator()(double, const vec<double, 2>& x, vec<double, 2>& dx) const {
      dx[0] = x[1];
      if (whole) dx[1] = -x[0];
    }
  };
  integrator sim{part{}, vec{1., 0.}, dp54{}};
  EXPECT_EQ(sim.advance(1), outcome::finished);
  sim.system().whole = false;
  sim.advance(1);
  expect_named(sim.ending(), sim.message(), 1);
  sim.system().whole = true;
  EXPECT_EQ(sim.advance(1), outcome::finished);
}

TEST(unwritten, is_seen_in_a_derivative_that_is_asked_for_first) {
  integrator sim{[](double, const auto& x, auto& dx) { dx[0] = x[1]; }, vec{1., 2.}, dp54{}};
  sim.derivative();
  sim.advance(1);
  expect_named(sim.ending(), sim.message(), 1);
}

struct spring {
  void acceleration(double, const auto& q, auto& a) const { a[0] = -q[0]; }
};
TEST(unwritten, is_named_in_a_force) {
  integrator sim{spring{}, vec{1., 1., 0., 0.}, verlet{}, {.step = 0.1}};
  sim.advance(1);
  expect_named(sim.ending(), sim.message(), 3);
}

TEST(unwritten, is_named_on_a_group) {
  struct gyroscope {
    void tangent(double, const quaternion<double>&, vec<double, 3>& w) const { w[0] = 1, w[2] = 0; }
  };
  integrator sim{gyroscope{}, quaternion<double>::identity(), rkmk4{}, {.step = 0.1}};
  sim.advance(1);
  expect_named(sim.ending(), sim.message(), 2);
}

/// y' = −y, 0 = z − y
struct first_equation {
  void operator()(double, const auto& x, auto& f) const { f[0] = -x[0]; }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};
TEST(unwritten, is_named_among_equations_without_a_derivative) {
  const auto run = solve(first_equation{}, vec{1., 1.}, {0, 1}, radau{});
  expect_named(run.ending[0], run.message(), 1);
}

TEST(unwritten, is_named_in_a_batch) {
  std::vector<vec<double, 2>> states(100, vec{1., 2.});
  for (const double step : {0., 0.1}) {
    batch all{[](auto, const auto& x, auto& dx) { dx[0] = x[1]; }, dp54{}, {.step = step}};
    const batch_report result = all.advance(states, {0, 1});
    EXPECT_EQ(result.finished, 0u);
    expect_named(result.failure, sentence(result.failure, "dp54"), 1);
  }
}

}  // namespace
