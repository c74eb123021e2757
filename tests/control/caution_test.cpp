/// Caution where steps fail badly: pairs that overlook jumps of f step over them with small errors, alone, in lanes and in
/// plain runs alike.
#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/jumps.hpp>
#include <ensue/methods.hpp>
#include <ensue/step/plain_run.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;

/// x' = cos t, and 1 more from a time on.
struct jumping {
  template <class Time, class X, class DX, class P> void operator()(const Time& t, const X&, DX& dx, const P& from) const {
    using T = element_of<X>;
    dx[0] = cos(t) + select(t > from[0], T(1), T(0));
  }
};
struct jumping_at {
  double from;
  void operator()(double t, const vec<double, 1>& x, vec<double, 1>& dx) const { jumping{}(t, x, dx, vec<double, 1>{from}); }
};

constexpr int many = 60;
constexpr double end = 10, tolerance = 1e-7;
double time_of(int i) { return 0.7 + 0.1371 * i; }
double exact(int i) { return std::sin(end) + end - time_of(i); }

template <class Settings> Settings with_tolerance() {
  Settings s;
  s.rtol = 0., s.atol = tolerance;
  return s;
}

template <class Method> struct caution_of : testing::Test {
  static auto alone(int i) {
    return solve(jumping_at{time_of(i)}, vec<double, 1>{0.}, {0., end}, Method{}, with_tolerance<options<vec<double, 1>>>());
  }
};
using pairs_that_overlook = testing::Types<rkf45, dp54, tsit5, dop853>;
TYPED_TEST_SUITE(caution_of, pairs_that_overlook);

TYPED_TEST(caution_of, keeps_errors_at_jumps_small) {
  int far_off = 0;
  for (int i = 0; i < many; ++i) {
    const auto run = this->alone(i);
    ASSERT_EQ(run.outcome, outcome::finished);
    far_off += !(std::abs(run.state[0] - exact(i)) < 15 * tolerance);
  }
  EXPECT_LE(far_off, 1);
}

TYPED_TEST(caution_of, is_the_same_in_lanes) {
  std::vector<vec<double, 1>> states(many, {0.}), times;
  for (int i = 0; i < many; ++i) times.push_back({time_of(i)});
  const std::vector<interval<double>> spans(many, {0., end});
  std::vector<trajectory_ending> endings(many);
  batch family{jumping{}, TypeParam{}, with_tolerance<options<std::span<double>>>()};
  family.template advance_with<4>(times, states, spans, endings);
  for (int i = 0; i < many; ++i) {
    const auto run = this->alone(i);
    EXPECT_EQ(states[i][0], run.state[0]) << i;
    EXPECT_EQ(endings[i].steps, run.statistics.steps) << i;
    EXPECT_EQ(endings[i].rejected, run.statistics.rejected) << i;
  }
}

TYPED_TEST(caution_of, is_the_same_in_plain_runs) {
  if constexpr (plain_run<jumping_at, vec<double, 1>, TypeParam>::possible)
    for (int i = 0; i < many; ++i) {
      const auto run = this->alone(i);
      const auto settings = with_tolerance<options<vec<double, 1>>>();
      plain_run<jumping_at, vec<double, 1>, TypeParam> plain({time_of(i)}, {0.}, 0., TypeParam{}, settings);
      ASSERT_TRUE(plain.advance(end)) << i;
      EXPECT_EQ(plain.now.x[0], run.state[0]) << i;
      EXPECT_EQ(plain.now.statistics.steps, run.statistics.steps) << i;
      EXPECT_EQ(plain.now.statistics.rejected, run.statistics.rejected) << i;
    }
}

/// An error that caution alone refuses never ends a run, not even where no step may be smaller.
TYPED_TEST(caution_of, ends_no_run) {
  for (int i = 0; i < many; ++i) {
    auto settings = with_tolerance<options<vec<double, 1>>>();
    settings.min_step = 1e-7;
    const auto run = solve(jumping_at{time_of(i)}, vec<double, 1>{0.}, {0., end}, TypeParam{}, settings);
    EXPECT_EQ(run.outcome, outcome::finished) << run.message();
    EXPECT_FALSE(run.ending[0].smallest_step_accepted);
  }
}

TEST(caution, is_for_pairs_that_overlook_jumps) {
  using detail::estimate_overlooks_jumps;
  static_assert(estimate_overlooks_jumps(rkf45::table) && estimate_overlooks_jumps(dp54::table));
  static_assert(estimate_overlooks_jumps(tsit5::table) && estimate_overlooks_jumps(dop853::table));
  static_assert(!estimate_overlooks_jumps(bs32::table) && !estimate_overlooks_jumps(rk4::table));
  static_assert(!estimate_overlooks_jumps(vern7::table) && !estimate_overlooks_jumps(vern9::table));
}

TEST(caution, begins_after_a_bad_failure_or_two_in_a_row) {
  const caution<double> caution(100);
  step_size_history<double> history;
  caution.after_reject(history, true, 99);
  EXPECT_EQ(history.limit, 1);
  caution.after_reject(history, true, 101);
  EXPECT_EQ(history.limit, 1. / 1024);
  history = {};
  history.just_rejected = true;
  caution.after_reject(history, true, 2);
  EXPECT_EQ(history.limit, 1. / 1024);
  for (const double no_number : {largest<double>, infinity<double>, std::nan("")}) {
    history = {};
    caution.after_reject(history, true, no_number);
    EXPECT_EQ(history.limit, 1);
  }
}

TEST(caution, ends_where_steps_no_longer_grow) {
  step_size_history<double> history{.just_rejected = true, .limit = 1. / 1024};
  caution<double>::after_accept(history, true, 1);
  EXPECT_LT(history.limit, 1) << "right after a rejected step none may grow";
  history.just_rejected = false;
  caution<double>::after_accept(history, true, 2);
  EXPECT_LT(history.limit, 1);
  caution<double>::after_accept(history, true, 1.2);
  EXPECT_EQ(history.limit, 1);
}

}  // namespace
