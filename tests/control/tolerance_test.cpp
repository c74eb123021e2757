/// Tolerances: one number or one a component, and that each of them is kept by the run it is given to.
#include <ensue/control/tolerance.hpp>

#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace {

using namespace ensue;

using state = vec<double, 2>;
using dynamic = std::vector<double>;

TEST(tolerance, is_one_number_or_one_a_component) {
  const tolerance<state> one = 1e-3, whole = 1, each = vec{1e-3, 1e-6}, array = std::array{1e-3, 1e-6};
  EXPECT_EQ(one[0], 1e-3);
  EXPECT_EQ(one[1], 1e-3);
  EXPECT_EQ(whole[1], 1);
  for (const auto& t : {each, array}) {
    EXPECT_EQ(t[0], 1e-3);
    EXPECT_EQ(t[1], 1e-6);
  }
  const tolerance<dynamic> of_dynamic = 1e-3, each_of_dynamic = dynamic{1e-3, 1e-6, 1e-9};
  EXPECT_EQ(of_dynamic.size(), 1u);
  EXPECT_EQ(of_dynamic[1000], 1e-3);
  EXPECT_EQ(each_of_dynamic.size(), 3u);
  EXPECT_EQ(each_of_dynamic[2], 1e-9);
}

TEST(tolerance, scales_an_error_by_the_larger_state) {
  EXPECT_EQ(error_scale(0.5, 0.25, -8., 4.), 2.5);
  EXPECT_EQ(error_scale(0.5, 0.25, 4., -8.), 2.5);
  EXPECT_EQ(error_scale(0.5, 0., 4., -8.), 0.5);
  EXPECT_EQ(error_scale(0., 0.25, 4., 0.), 1.);
  EXPECT_TRUE(std::isnan(error_scale(0.5, 0.25, 4., std::nan(""))));
}

/// Two decays that have nothing to do with each other: the first 10, the second 1e-3 in size.
constexpr auto decays = [](double, const auto& x, auto& dx) {
  dx[0] = -x[0];
  dx[1] = -3 * x[1];
};
struct errors {
  double first, second;
  std::int64_t steps;
};
template <class State> errors run_with(const State& start, const options<State>& settings) {
  const auto run = solve(decays, start, {0, 2}, dp54{}, settings);
  EXPECT_TRUE(run.finished()) << run.message();
  return {std::fabs(run.state.data()[0] - 10 * std::exp(-2.)), std::fabs(run.state.data()[1] - 1e-3 * std::exp(-6.)),
          run.statistics.steps};
}

TEST(tolerance, by_component_is_kept_by_each_component) {
  const state start{10, 1e-3};
  const errors loose = run_with<state>(start, {.rtol = 0., .atol = 1e-4});
  const errors second_tight = run_with<state>(start, {.rtol = 0., .atol = vec{1e-4, 1e-13}});
  const errors first_tight = run_with<state>(start, {.rtol = 0., .atol = vec{1e-10, 1e-4}});
  EXPECT_LT(loose.first, 1e-3);
  EXPECT_GT(loose.second, 1e-9) << "nobody asked for it";
  EXPECT_LT(second_tight.second, 1e-12);
  EXPECT_GT(second_tight.steps, 2 * loose.steps);
  EXPECT_LT(first_tight.first, 1e-9);
  EXPECT_GT(first_tight.steps, 2 * loose.steps);
  EXPECT_LT(second_tight.second, first_tight.second);
}

TEST(tolerance, by_component_and_relative_is_kept_by_each_component) {
  const state start{10, 1e-3};
  const errors loose = run_with<state>(start, {.rtol = 1e-3, .atol = 0.});
  const errors tight = run_with<state>(start, {.rtol = vec{1e-3, 1e-10}, .atol = 0.});
  EXPECT_GT(loose.second, 1e-8 * 1e-3 * std::exp(-6.));
  EXPECT_LT(tight.second, 1e-8 * 1e-3 * std::exp(-6.));
  EXPECT_GT(tight.steps, 2 * loose.steps);
}

/// Dynamic states keep theirs in memory of another kind, and take the same steps.
TEST(tolerance, by_component_is_the_same_for_a_dynamic_state) {
  const options<state> fixed{.rtol = vec{1e-3, 1e-9}, .atol = vec{1e-4, 1e-12}};
  const options<dynamic> of_dynamic{.rtol = dynamic{1e-3, 1e-9}, .atol = dynamic{1e-4, 1e-12}};
  const auto a = solve(decays, state{10, 1e-3}, {0, 2}, dp54{}, fixed);
  const auto b = solve(decays, dynamic{10, 1e-3}, {0, 2}, dp54{}, of_dynamic);
  EXPECT_EQ(a.statistics.steps, b.statistics.steps);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(a.state[i], b.state[i]);
}

/// A tolerance that every component has is the number alone, bit for bit.
TEST(tolerance, of_equal_components_is_the_single_number) {
  const auto one = solve(decays, state{10, 1e-3}, {0, 2}, dp54{}, {.rtol = 1e-5, .atol = 1e-8});
  const auto each = solve(decays, state{10, 1e-3}, {0, 2}, dp54{}, {.rtol = vec{1e-5, 1e-5}, .atol = vec{1e-8, 1e-8}});
  EXPECT_EQ(one.state, each.state);
  EXPECT_EQ(one.statistics.steps, each.statistics.steps);
}

/// In other units (times 2^20, which rounds nothing) with the tolerance in those units, the run is the same.
TEST(tolerance, has_the_units_of_its_state) {
  const double unit = 1048576;
  const auto one = solve(decays, state{10, 1e-3}, {0, 2}, dp54{}, {.rtol = 1e-6, .atol = 1e-9});
  const auto other = solve(decays, state{10 * unit, 1e-3 * unit}, {0, 2}, dp54{}, {.rtol = 1e-6, .atol = 1e-9 * unit});
  EXPECT_EQ(one.statistics.steps, other.statistics.steps);
  EXPECT_EQ(one.statistics.evaluations, other.statistics.evaluations);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(other.state[i], unit * one.state[i]);
}

/// A thousand times less error allowed, a thousand times less made, within the same factor.
TEST(tolerance, is_followed_by_the_error_in_proportion) {
  const auto circle = [](double, const state& x, state& dx) { dx[0] = x[1], dx[1] = -x[0]; };
  double before = 0;
  for (const double allowed : {1e-4, 1e-7, 1e-10}) {
    const auto run = solve(circle, state{0, 1}, {0, 10}, dp54{}, {.rtol = 0., .atol = allowed});
    const double error = std::hypot(run.state[0] - std::sin(10.), run.state[1] - std::cos(10.));
    EXPECT_LT(error, 10 * allowed);
    EXPECT_GT(error, 0.01 * allowed);
    if (before > 0) {
      EXPECT_GT(before / error, 200);
    }
    before = error;
  }
}

}  // namespace
