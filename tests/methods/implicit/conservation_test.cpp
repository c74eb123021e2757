/// What Gauss's methods conserve: the symplectic form, quadratic invariants, the way back.
#include <ensue/numbers/dual.hpp>
#include <ensue/methods.hpp>
#include <ensue/solve.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace ensue;

template <class Method> struct conservation : testing::Test {};
TYPED_TEST_SUITE(conservation, tests::typed<tests::collocation_methods>);

/// M. Hénon & C. Heiles (1964), Astron. J. 69, 73–79.
template <class T> struct henon_heiles {
  template <class real> void acceleration(const real&, const vec<T, 2>& q, vec<T, 2>& a) const {
    a[0] = -q[0] - 2 * q[0] * q[1];
    a[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
  }
};

/// A Hamiltonian that is no sum of kinetic and potential energy: H = ½(p² + q²)(1 + q p/4 + q²/3).
template <class T> struct entangled {
  template <class real> void operator()(const real&, const vec<T, 2>& x, vec<T, 2>& dx) const {
    const T q = x[0], p = x[1], sum = 0.5 * (p * p + q * q), factor = T(1) + 0.25 * q * p + q * q / 3;
    dx[0] = p * factor + sum * 0.25 * q;
    dx[1] = -(q * factor + sum * (0.25 * p + 2 * q / 3));
  }
};

/// Largest element of MᵀΩM − Ω, with M the derivative of the end by the start.
template <class Method, int N, class System> double symplectic_defect(const System& f, const double (&start)[N], double to, double step) {
  using number = dual<double, N>;
  vec<number, N> x;
  for (int i = 0; i < N; ++i) x[i] = number::variable(start[i], i);
  const auto run = solve(f, x, {0, to}, Method{}, {.step = step});
  EXPECT_TRUE(run.finished()) << run.message();
  double worst = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < N / 2; ++k) {
        const auto &q = run.state[k].derivative, &p = run.state[k + N / 2].derivative;
        sum += q[i] * p[j] - p[i] * q[j];
      }
      worst = std::max(worst, std::abs(sum - (j == i + N / 2 ? 1 : i == j + N / 2 ? -1 : 0)));
    }
  return worst;
}

TYPED_TEST(conservation, of_the_symplectic_form) {
  const henon_heiles<dual<double, 4>> f;
  const double start[4] = {0.1, 0.3, 0.35, -0.2};
  for (const double step : {0.5, 0.1, 0.01}) {
    EXPECT_LT(symplectic_defect<TypeParam>(f, start, step, step), 1e-14) << "one step of " << step;
    EXPECT_LT(symplectic_defect<TypeParam>(f, start, 100 * step, step), 1e-12) << "a hundred of " << step;
  }
  // At rest the values are solved at once, their derivatives are not.
  EXPECT_LT(symplectic_defect<TypeParam>(f, {0., 0., 0., 0.}, 5, 0.5), 1e-12);
  const entangled<dual<double, 2>> g;
  EXPECT_LT(symplectic_defect<TypeParam>(g, {0.5, 0.4}, 10, 0.1), 1e-12);
}

TEST(conservation_of_the_symplectic_form, is_not_rk4s) {
  const henon_heiles<dual<double, 4>> f;
  EXPECT_GT(symplectic_defect<rk4>(f, {0.1, 0.3, 0.35, -0.2}, 0.5, 0.5), 1e-6);
}

TYPED_TEST(conservation, of_the_way_back) {
  const henon_heiles<double> f;
  const vec start{0.1, 0.3, 0.35, -0.2};
  const auto there = solve(f, start, {0, 100}, TypeParam{}, {.step = 0.1});
  ASSERT_EQ(there.statistics.steps, 1000);
  const auto back = solve(f, there.state, {100, 0}, TypeParam{}, {.step = 0.1});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(back.state[i], start[i], 1e-12);
  EXPECT_GT(std::abs(there.state[0] - start[0]), 1e-2);
}

/// Five stars in space, with what has no torque on it and no force: both momenta are quadratic or linear in (q, v).
struct stars {
  static constexpr int count = 5;
  static constexpr double mass[count] = {1, 0.5, 2, 0.1, 0.7};
  using state = vec<double, 6 * count>;

  void acceleration(double, const vec<double, 3 * count>& q, vec<double, 3 * count>& a) const {
    for (int i = 0; i < 3 * count; ++i) a[i] = 0;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < i; ++j) {
        double d[3], squared = 0.05;  // softened, so that no two come too close
        for (int c = 0; c < 3; ++c) d[c] = q[3 * j + c] - q[3 * i + c], squared += d[c] * d[c];
        const double pull = 1 / (squared * std::sqrt(squared));
        for (int c = 0; c < 3; ++c) a[3 * i + c] += mass[j] * pull * d[c], a[3 * j + c] -= mass[i] * pull * d[c];
      }
  }

  static vec<double, 6> momenta(const state& x) {
    vec<double, 6> sum{};
    for (int i = 0; i < count; ++i) {
      const double *const q = &x[3 * i], *const v = &x[3 * count + 3 * i];
      for (int c = 0; c < 3; ++c) {
        sum[c] += mass[i] * v[c];
        sum[3 + c] += mass[i] * (q[(c + 1) % 3] * v[(c + 2) % 3] - q[(c + 2) % 3] * v[(c + 1) % 3]);
      }
    }
    return sum;
  }

  static state start() {
    state x;
    for (int i = 0; i < 6 * count; ++i) x[i] = std::sin(1.7 * i + 0.3) * (i < 3 * count ? 1 : 0.5);
    return x;
  }
};

TYPED_TEST(conservation, of_linear_and_angular_momentum) {
  const auto before = stars::momenta(stars::start());
  const auto run = solve(stars{}, stars::start(), {0, 100}, TypeParam{}, {.step = 0.01});
  ASSERT_TRUE(run.finished()) << run.message();
  const auto after = stars::momenta(run.state);
  // Rounding of 10 000 steps adds up as a random walk: 100 times what one of them does.
  for (int c = 0; c < 6; ++c) EXPECT_NEAR(after[c], before[c], 2e-13) << (c < 3 ? "linear " : "angular ") << c % 3;
}

/// The energy of a linear oscillator is quadratic; that of Hénon and Heiles swings with the step and does not drift.
TYPED_TEST(conservation, of_energy) {
  const auto spring = [](double, const vec<double, 2>& x, vec<double, 2>& dx) { dx[0] = x[1], dx[1] = -x[0]; };
  const auto run = solve(spring, vec{1., 0.}, {0, 1000}, TypeParam{}, {.step = 0.1});
  EXPECT_NEAR(run.state[0] * run.state[0] + run.state[1] * run.state[1], 1, 1e-13);
  const auto energy = [](const auto& x) {
    return (x[2] * x[2] + x[3] * x[3] + x[0] * x[0] + x[1] * x[1]) / 2 + x[0] * x[0] * x[1] - x[1] * x[1] * x[1] / 3;
  };
  const vec start{0.1, 0.3, 0.35, -0.2};
  const auto swing = [&](double to) {
    double most = 0;
    integrator sim{henon_heiles<double>{}, start, TypeParam{}, {.step = 0.2}};
    while (sim.time() < to) sim.step(), most = std::max(most, std::abs(energy(sim.state()) - energy(start)));
    return most;
  };
  EXPECT_LT(swing(2000), 1.5 * swing(100));
}

}  // namespace
