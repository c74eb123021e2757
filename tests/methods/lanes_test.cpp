/// Several trajectories in one pack, each with its own parameter, span, direction, tolerance and steps: every lane is the run
/// alone, bit for bit, and costs what it costs alone. (What happens where a lane goes wrong: reliability/lanes_test.cpp.)
#include <ensue/numbers/dual.hpp>
#include <ensue/methods.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/solve.hpp>

#include "support/kinds.hpp"
#include "support/methods.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace ensue;

/// What differs from lane to lane.
struct trajectory {
  double rho, from, to;
  double rtol = 1e-6, step = 0, drive = 0, knocks = 0;
};

/// Lorenz' own chaos, two fixed points approached, and a run backwards; of three different costs.
constexpr trajectory butterflies[] = {
    {28, 0, 2}, {13.5, 1, 4.5, 1e-4}, {99.5, 0.3, 0.05, 1e-3}, {160, -2, -1.25, 1e-8}};

template <class T, class Real> T widened(const Real* values) {
  T result(0);
  for (int l = 0; l < lanes_of<T>; ++l) set_lane(result, l, values[l]);
  return result;
}

template <class T, class Read> T lanes_from(const trajectory* of, Read read) {
  base_of<T> values[lanes_of<T>];
  for (int l = 0; l < lanes_of<T>; ++l) values[l] = static_cast<base_of<T>>(read(of[l]));
  return widened<T>(values);
}

/// The trajectories from `of` on, as many as T has lanes. The rest of the problem is the same for all.
template <class T> struct question {
  using state = vec<T, 3>;
  using real = real_of<T>;

  tests::lorenz<T> system;
  state start = {T(1), T(2), T(20)};
  real from, to;
  options<state> settings;

  explicit question(const trajectory* of)
      : system{T(lanes_from<real>(of, [](auto& c) { return c.rho; })),
               T(lanes_from<real>(of, [](auto& c) { return c.drive; })),
               T(lanes_from<real>(of, [](auto& c) { return c.knocks; }))},
        from(lanes_from<real>(of, [](auto& c) { return c.from; })),
        to(lanes_from<real>(of, [](auto& c) { return c.to; })) {
    settings.rtol = lanes_from<real>(of, [](auto& c) { return c.rtol; });
    settings.step = lanes_from<real>(of, [](auto& c) { return c.step; });
  }
};

template <class T> bool same_bits(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

enum class mode { adaptive, fixed };

template <class Method, class T> using loop_of = stepping_loop<tests::lorenz<T>, vec<T, 3>, Method>;

/// The loop itself rather than `solve`: one of its two halves is compiled, and not both for every method and width.
template <mode Mode, class Method, class T> loop_of<Method, T> run(const question<T>& q) {
  loop_of<Method, T> loop(q.system, q.start, q.from, Method{}, q.settings);
  if constexpr (Mode == mode::adaptive) loop.advance_adaptive(q.to);
  else loop.advance_fixed(q.to, q.settings.step);
  return loop;
}

/// Edits, if any, are made to the questions of the pack and of the runs alone: `edit(question, first lane)`.
template <mode Mode, class Method, class T, class Edit>
void expect_each_lane_to_be_the_run_alone(const trajectory* of, Edit edit) {
  using alone = decltype(lane(std::declval<T>(), 0));
  question<T> all_lanes(of);
  edit(all_lanes, 0);
  const auto together = run<Mode, Method>(all_lanes);
  for (int l = 0; l < lanes_of<T>; ++l) {
    question<alone> one_lane(of + l);
    edit(one_lane, l);
    const auto single = run<Mode, Method>(one_lane);
    SCOPED_TRACE(testing::Message() << Method::name << ", lane " << l);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_PRED2(same_bits<alone>, lane(together.now.x[i], l), single.now.x[i]) << "component " << i;
    EXPECT_EQ(lane(together.now.t, l), single.now.t);
    EXPECT_EQ(lane(together.now.t, l), lane(all_lanes.to, l));
    EXPECT_EQ(lane(together.now.statistics.steps, l), single.now.statistics.steps);
    EXPECT_EQ(lane(together.now.statistics.rejected, l), single.now.statistics.rejected);
    EXPECT_EQ(lane(together.now.statistics.evaluations, l), single.now.statistics.evaluations);
    EXPECT_EQ(together.reports[l].how, single.reports[0].how);
    EXPECT_EQ(single.reports[0].how, outcome::finished);
  }
}
template <mode Mode, class Method, class T> void expect_each_lane_to_be_the_run_alone(const trajectory* of) {
  expect_each_lane_to_be_the_run_alone<Mode, Method, T>(of, [](auto&, int) {});
}

template <class Method> struct lanes : testing::Test {};
using compared_methods = tests::only<tests::estimates_error, tests::tested_with_packs>;
TYPED_TEST_SUITE(lanes, tests::typed<compared_methods>);

using double4 = pack<double, 4>;

TYPED_TEST(lanes, of_four_lorenz_systems_are_four_runs) {
  expect_each_lane_to_be_the_run_alone<mode::adaptive, TypeParam, double4>(butterflies);
}

/// Pushed and knocked in time, with a law that remembers, and a first step of the caller's in two lanes, too long in one.
TYPED_TEST(lanes, pushed_and_knocked_are_four_runs) {
  constexpr trajectory pushed[] = {{28, 0, 1, 1e-5, 0, 40, 300},
                                   {28, 7, 6.25, 1e-4, 0, 40},
                                   {45, 0, 0.5, 1e-3, 0, -7, -500},
                                   {28, 0, 1, 1e-5, 0, 0, 1000}};
  constexpr double first_steps[] = {0.5, 0, 0.001, 0};
  for (const control_law& law : {laws::elementary, laws::pid})
    expect_each_lane_to_be_the_run_alone<mode::adaptive, TypeParam, double4>(pushed, [&](auto& q, int first_lane) {
      using real = decltype(q.from);
      q.settings.first_step = widened<real>(first_steps + first_lane);
      q.settings.control.law = law;
    });
}

/// Otherwise the comparison would show little.
TEST(lanes_of_these_tests, differ_in_what_they_cost_and_reject) {
  const auto together = run<mode::adaptive, bs32>(question<double4>(butterflies));
  const auto& spent = together.now.statistics;
  for (int l = 1; l < 4; ++l) {
    EXPECT_NE(lane(spent.steps, l), lane(spent.steps, l - 1));
    EXPECT_NE(lane(spent.rejected, l), lane(spent.rejected, l - 1));
  }
}

template <class Method> struct lanes_of_fixed_steps : testing::Test {};
using with_fixed_steps = testing::Types<bs32, rkf45, dop853>;
TYPED_TEST_SUITE(lanes_of_fixed_steps, with_fixed_steps);

/// Spans of other lengths, counts of steps, a step that does not divide its span, one without a span, one backwards.
TYPED_TEST(lanes_of_fixed_steps, are_four_runs) {
  constexpr trajectory grids[] = {
      {28, 0, 0.5, 0, 0.01, 3}, {13.5, 1, 1.3, 0, 0.007}, {99.5, 2, 2, 0, 0.01}, {160, -2, -2.125, 0, 0.003, 1}};
  for (const division how : {division::shorten_last, division::even})
    expect_each_lane_to_be_the_run_alone<mode::fixed, TypeParam, double4>(
        grids, [&](auto& q, int) { q.settings.divide = how; });
}

#if !defined(__SANITIZE_ADDRESS__)

/// Widths that fill half a register, one, or several.
TEST(lanes_of_other_widths, are_runs_alone) {
  constexpr trajectory eight[] = {{28, 0, 1},   {13.5, 1, 2.5, 1e-4}, {99.5, 0.3, 0.05, 1e-3},  {160, -2, -1.75, 1e-8},
                                  {28, 3, 3.5}, {28, 3, 3, 1e-5},     {5, 0, 20, 1e-3, 0, 2.5}, {28, 1, 0.75, 1e-7}};
  expect_each_lane_to_be_the_run_alone<mode::adaptive, dp54, pack<double, 2>>(eight + 1);
  expect_each_lane_to_be_the_run_alone<mode::adaptive, dp54, pack<double, 8>>(eight);
  // eight floats know a tolerance of 1e-8 for what it is: below their digits
  trajectory rounder[8];
  for (int l = 0; l < 8; ++l) rounder[l] = eight[l], rounder[l].rtol = eight[l].rtol < 1e-5 ? 1e-5 : eight[l].rtol;
  expect_each_lane_to_be_the_run_alone<mode::adaptive, dp54, pack<float, 8>>(rounder);
  expect_each_lane_to_be_the_run_alone<mode::adaptive, bs32, pack<float, 8>>(rounder);
}

/// Duals over packs: the derivative of each trajectory by its own start and by its own ρ.
TEST(lanes_of_duals, are_runs_of_duals_alone) {
  const auto by_start = [](auto& q, int) { q.start[1].derivative[0] = 1; };
  const auto by_rho = [](auto& q, int) { q.system.rho.derivative[0] = 1; };
  using many = dual<double4, 1>;
  expect_each_lane_to_be_the_run_alone<mode::adaptive, dp54, many>(butterflies, by_start);
  expect_each_lane_to_be_the_run_alone<mode::adaptive, dp54, many>(butterflies, by_rho);
  const auto derived = [&] {
    question<many> q(butterflies);
    by_rho(q, 0);
    return run<mode::adaptive, dp54>(q);
  }();
  for (int l = 0; l < 4; ++l) EXPECT_NE(lane(derived.now.x[0], l).derivative[0], 0);
}

#endif

}  // namespace
