/// Whatever the state is kept in, the numbers are the same, bit for bit.
#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif

namespace {

using namespace ensue;

struct lorenz {
  template <class T, class State> void operator()(const T&, const State& u, State& du) const {
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (T(28) - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8) / T(3) * u[2];
  }
};

/// The same as a member, over spans.
struct lorenz_of_spans {
  void derivative(double t, std::span<double> u, std::span<double> du) const { lorenz{}(t, u, du); }
};

template <class Method> constexpr bool adaptive = Method::table.embedded_rows > 0;

template <class Method> struct every_state : testing::Test {
  using reference = vec<double, 3>;

  template <class State> static void expect_same(const State& start, bool fixed, auto model) {
    const auto way = [=]<class S>(std::type_identity<S>) {
      options<S> s{.rtol = 1e-6, .atol = 1e-8};
      if (fixed) s.step = 1. / 128;
      return s;
    };
    const auto expected =
        solve(lorenz{}, reference{1., 0., 0.}, {0, 2}, Method{}, way(std::type_identity<reference>{}));
    const auto run = solve(model, start, {0, 2}, Method{}, way(std::type_identity<State>{}));
    EXPECT_TRUE(expected.finished());
    EXPECT_EQ(run.outcome, expected.outcome);
    EXPECT_EQ(run.statistics.steps, expected.statistics.steps);
    EXPECT_EQ(run.statistics.rejected, expected.statistics.rejected);
    EXPECT_EQ(run.statistics.evaluations, expected.statistics.evaluations);
    EXPECT_EQ(std::memcmp(run.state.data(), expected.state.data(), sizeof(double) * 3), 0);

    integrator sim{model, start, Method{}, way(std::type_identity<State>{})};
    sim.advance_to(2);
    EXPECT_EQ(std::memcmp(sim.state().data(), expected.state.data(), sizeof(double) * 3), 0);
  }

  template <class State> static void expect_same(const State& start, auto model) {
    if (adaptive<Method>) expect_same(start, false, model);
    expect_same(start, true, model);
  }
};
// Six kinds of state a method: with sanitizers a compiler takes a minute for each.
#if defined(__SANITIZE_ADDRESS__)
TYPED_TEST_SUITE(every_state, testing::Types<dp54>);
#else
TYPED_TEST_SUITE(every_state, tests::typed<tests::one_of_each_kind>);
#endif

TYPED_TEST(every_state, of_the_standard_library_gives_the_same_bits) {
  this->expect_same(std::array{1., 0., 0.}, lorenz{});
  this->expect_same(std::vector{1., 0., 0.}, lorenz{});
}

TYPED_TEST(every_state, that_is_a_view_gives_the_same_bits) {
  double memory[] = {1., 0., 0.};
  this->expect_same(std::span<double>(memory), lorenz{});
  this->expect_same(std::span<double, 3>(memory), lorenz{});
  this->expect_same(std::span<double>(memory), lorenz_of_spans{});
}

#if __has_include(<Eigen/Core>)
TYPED_TEST(every_state, of_eigen_gives_the_same_bits) {
  this->expect_same(Eigen::Vector3d(1., 0., 0.), lorenz{});
  this->expect_same(Eigen::VectorXd(Eigen::Vector3d(1., 0., 0.)), lorenz{});
}
#endif

struct four_lorenz {
  template <class State> void operator()(double, const State& u, State& du) const {
    for (std::size_t i = 0; i < 12; i += 3) {
      du[i] = 10 * (u[i + 1] - u[i]);
      du[i + 1] = u[i] * (28 - u[i + 2]) - u[i + 1];
      du[i + 2] = u[i] * u[i + 1] - 8. / 3 * u[i + 2];
    }
  }
};

/// More components than are unrolled.
TYPED_TEST(every_state, that_is_long_gives_the_same_bits) {
  vec<double, 12> fixed;
  for (std::size_t i = 0; i < 12; ++i) fixed[i] = 1 + 0.1 * static_cast<double>(i);
  const std::vector<double> dynamic(fixed.begin(), fixed.end());
  options<vec<double, 12>> s;
  options<std::vector<double>> d;
  if (!adaptive<TypeParam>) s.step = d.step = 1. / 128;
  const auto a = solve(four_lorenz{}, fixed, {0, 1}, TypeParam{}, s);
  const auto b = solve(four_lorenz{}, dynamic, {0, 1}, TypeParam{}, d);
  EXPECT_TRUE(a.finished());
  EXPECT_EQ(a.statistics.evaluations, b.statistics.evaluations);
  EXPECT_EQ(std::memcmp(a.state.data(), b.state.data(), sizeof a.state), 0);
}

/// Each lane of a pack is a run of its own.
TYPED_TEST(every_state, of_packs_gives_the_same_bits_in_every_lane) {
  using many = pack<double, 4>;
  struct lorenz_with_rho {
    many rho;
    void operator()(const many&, const vec<many, 3>& u, vec<many, 3>& du) const {
      du[0] = many(10) * (u[1] - u[0]);
      du[1] = u[0] * (rho - u[2]) - u[1];
      du[2] = u[0] * u[1] - many(8.) / many(3.) * u[2];
    }
  };
  const double rhos[] = {28, 14, 99.65, 0.5};
  options<vec<many, 3>> s;
  if (!adaptive<TypeParam>) s.step = many(1. / 128);
  const auto together = solve(lorenz_with_rho{many::load(rhos)}, vec<many, 3>{many(1), many(0), many(0)},
                              {many(0), many(2)}, TypeParam{}, s);
  for (int l = 0; l < 4; ++l) {
    options<vec<double, 3>> own;
    if (!adaptive<TypeParam>) own.step = 1. / 128;
    const auto f = [rho = rhos[l]](double, const vec<double, 3>& u, vec<double, 3>& du) {
      du[0] = 10 * (u[1] - u[0]);
      du[1] = u[0] * (rho - u[2]) - u[1];
      du[2] = u[0] * u[1] - 8. / 3. * u[2];
    };
    const auto alone = solve(f, vec{1., 0., 0.}, {0, 2}, TypeParam{}, own);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(lane(together.state[i], l), alone.state[i]) << "lane " << l << " component " << i;
    EXPECT_EQ(lane(together.statistics.evaluations, l), alone.statistics.evaluations);
    EXPECT_EQ(lane(together.statistics.steps, l), alone.statistics.steps);
    EXPECT_EQ(together.ending[l].how, alone.outcome);
  }
}

TYPED_TEST(every_state, of_any_precision_approaches_the_same_numbers) {
  const auto end_of = []<class T>(T) {
    options<vec<T, 3>> s{.rtol = 1e-6, .atol = 1e-6};
    if (!adaptive<TypeParam> || std::is_same_v<T, float>) s.step = T(1) / 1024;
    const auto run = solve(lorenz{}, vec<T, 3>{1, 0, 0}, {0, T(0.5)}, TypeParam{}, s);
    EXPECT_TRUE(run.finished()) << run.message();
    return vec{double(run.state[0]), double(run.state[1]), double(run.state[2])};
  };
  const auto single = end_of(1.f), full = end_of(1.), extended = end_of(1.L);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(full[i], extended[i], 1e-9 * std::abs(full[i]) + (adaptive<TypeParam> ? 1e-7 : 0)) << "component " << i;
    EXPECT_NEAR(single[i], full[i], 0.5) << "component " << i;
  }
}

TEST(state, is_what_has_a_length_and_elements_that_can_be_written) {
  static_assert(state<vec<double, 3>> && state<std::array<float, 2>> && state<std::vector<double>>);
  static_assert(state<std::span<double>> && state<std::span<double, 3>>);
  static_assert(!state<std::span<const double>> && !state<double> && !state<const char*>);
  static_assert(state_view<std::span<double>> && !state_view<std::vector<double>>);
  static_assert(extent_of<vec<double, 3>> == 3 && extent_of<std::array<double, 4>> == 4);
  static_assert(extent_of<std::vector<double>> == 0 && extent_of<std::span<double>> == 0);
  static_assert(extent_of<std::span<double, 5>> == 5);
#if __has_include(<Eigen/Core>)
  static_assert(state<Eigen::VectorXd> && state<Eigen::Vector3d>);
  static_assert(extent_of<Eigen::Vector3d> == 3 && extent_of<Eigen::VectorXd> == 0);
#endif
}

}  // namespace
