/// What methods for second-order systems conserve: the way back, momenta, energy in the long run.
#include "models.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace ensue;
using tests::bodies, tests::henon_heiles;

std::vector<const method_info*> those(bool method_info::*property) {
  std::vector<const method_info*> found;
  for (const method_info* method : tests::registered_second_order_methods())
    if (method->*property) found.push_back(method);
  return found;
}

struct symmetric_methods : testing::TestWithParam<const method_info*> {};

TEST_P(symmetric_methods, find_the_way_back) {
  const auto sim = GetParam()->make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = 0.05});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(sim->step(), outcome::finished);
  EXPECT_GT(tests::distance(sim->state(), tests::henon_heiles_start), 0.01);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(sim->step(true), outcome::finished);
  EXPECT_LT(tests::distance(sim->state(), tests::henon_heiles_start), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(method, symmetric_methods, testing::ValuesIn(those(&method_info::symmetric)), tests::name_of_method);

TEST(symmetric_methods, are_those_and_not_the_others) {
  const auto names = those(&method_info::symmetric);
  const auto has = [&](const char* name) { return std::ranges::find(names, find_method(name)) != names.end(); };
  EXPECT_TRUE(has("verlet") && has("leapfrog") && has("adaptive-verlet") && has("yoshida4") && has("blanes-moan6"));
  EXPECT_FALSE(has("semi-implicit-euler") || has("lagged(verlet)") || has("predicted(verlet)"));
  // RK4 and semi-implicit Euler do not find it.
  for (const char* name : {"rk4", "semi-implicit-euler"}) {
    const auto sim = find_method(name)->make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = 0.05});
    for (int i = 0; i < 2000; ++i) sim->step(i >= 1000);
    EXPECT_GT(tests::distance(sim->state(), tests::henon_heiles_start), 1e-8) << name;
  }
}

struct symplectic_methods : testing::TestWithParam<const method_info*> {};

TEST_P(symplectic_methods, keep_linear_and_angular_momentum) {
  const auto sim = GetParam()->make(bodies{}, bodies::start(), 0, {.step = 0.01});
  const auto first = bodies::momenta(bodies::start());
  double largest = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(sim->step(), outcome::finished);
    largest = std::max(largest, tests::distance(bodies::momenta(sim->state()), first));
  }
  EXPECT_LT(largest, 1e-12) << GetParam()->name;
}

/// The energy of the later half is where that of the earlier half was: no drift, at a step where RK4's is plain.
TEST_P(symplectic_methods, hold_the_energy) {
  const double start = henon_heiles::energy(tests::henon_heiles_start);
  const auto means = [&](const method_info& method, double step) {
    const auto sim = method.make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = step});
    double half[2] = {}, largest = 0;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {
      sim->step();
      const double off = henon_heiles::energy(sim->state()) - start;
      half[i >= steps / 2] += off / (steps / 2);
      largest = std::max(largest, std::abs(off));
    }
    return std::pair(std::abs(half[1] - half[0]), largest);
  };
  const double step = 0.1 * GetParam()->evaluations.accepted;  // one evaluation in 0.1 units of time, for all
  const auto [drift, largest] = means(*GetParam(), std::min(step, 0.4));
  EXPECT_LT(drift, 0.05 * largest + 1e-13) << GetParam()->name;
  EXPECT_LT(largest, 0.02);
  const auto [drift_of_rk4, largest_of_rk4] = means(*find_method("rk4"), 0.4);
  EXPECT_GT(drift_of_rk4, 0.3 * largest_of_rk4);
}
INSTANTIATE_TEST_SUITE_P(method, symplectic_methods, testing::ValuesIn(those(&method_info::symplectic)), tests::name_of_method);

/// Kepler's ellipse of eccentricity 0.8 from its far end: at equal cost the energy is held ten times better, and as long.
TEST(adaptive_verlet, is_better_than_verlet_where_forces_differ) {
  struct sun {
    void acceleration(double, std::span<const double> q, std::span<double> a) const {
      const double r = std::hypot(q[0], q[1]);
      for (int i = 0; i < 2; ++i) a[i] = -q[i] / (r * r * r);
    }
  };
  const auto worst = [](const char* name, double step, double late) {
    const std::vector<double> start{1.8, 0, 0, 1. / 3};
    const auto sim = find_method(name)->make(sun{}, start, 0, {.step = step});
    double largest = 0;
    while (sim->time() < 600) {
      sim->step();
      const auto x = sim->state();
      const double energy = (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / std::hypot(x[0], x[1]);
      if (sim->time() > late) largest = std::max(largest, std::abs(energy + 0.5));
    }
    return std::pair(largest, sim->statistics().steps);
  };
  const auto [error, steps] = worst("adaptive-verlet", 0.01, 0);
  const auto [error_of_verlet, steps_of_verlet] = worst("verlet", 0.0055, 0);
  EXPECT_LT(steps, steps_of_verlet);
  EXPECT_LT(10 * error, error_of_verlet);
  EXPECT_LT(worst("adaptive-verlet", 0.01, 500).first, 1.01 * error);
}

/// Verlet and leapfrog are the same motion, added up in two ways: with nothing lost they stay together.
TEST(compensated_sums, keep_the_digits_of_a_long_run) {
  const auto end = [](const char* name, bool compensated) {
    const auto sim = find_method(name)->make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = 1. / 512, .compensated = compensated});
    sim->advance_to(tests::sanitized ? 200 : 1000);
    return std::vector<double>(sim->state().begin(), sim->state().end());
  };
  for (const char* name : {"verlet", "leapfrog", "kahan-li8", "rk4", "dp54"}) {
    const double lost = tests::distance(end(name, false), end(name, true));
    EXPECT_GT(lost, 0) << name;
    EXPECT_LT(lost, 1e-9) << name;
  }
  const double plain = tests::distance(end("verlet", false), end("leapfrog", false));
  const double carried = tests::distance(end("verlet", true), end("leapfrog", true));
  EXPECT_LT(20 * carried, plain) << plain;
}

/// An event that changes the state leaves nothing of what was carried for the old one.
TEST(compensated_sums, are_forgotten_with_the_state) {
  for (const char* name : {"verlet", "leapfrog", "dp54"}) {
    const auto sim = find_method(name)->make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = 0.1, .compensated = true});
    const auto fresh = find_method(name)->make(henon_heiles{}, tests::henon_heiles_start, 0, {.step = 0.1, .compensated = true});
    sim->advance_to(5);
    sim->set_state(0, tests::henon_heiles_start);
    sim->advance_to(3);
    fresh->advance_to(3);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(sim->state()[i], fresh->state()[i]) << name;
  }
}

}  // namespace
