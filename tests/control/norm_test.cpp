/// Norms of weighted errors, against numbers worked out by hand.
#include <ensue/control/norm.hpp>

#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace ensue;

using state = vec<double, 3>;

/// Weighted errors 3, 4 and 12 (in size): Pythagoras' boxes. Scales are 0.5 + 0.25·max(|x|, |x_new|) = 2.5, 1 and 0.5.
const state before{8, -2, 0}, after{-4, 1, 0};
const state errors{7.5, -4, 6};

template <class State> double squared(norm_kind kind, const State& x, const State& x_new, const State& e) {
  error_measure<State> measure(0.25, 0.5, kind, x.size());
  return measure.squared_norm(x, x_new, [&e](std::size_t i) { return e.data()[i]; });
}

TEST(norm, of_three_components_is_the_one_on_paper) {
  EXPECT_DOUBLE_EQ(squared(norms::euclidean, before, after, errors), 169);  // 9 + 16 + 144
  EXPECT_DOUBLE_EQ(squared(norms::rms, before, after, errors), 169. / 3);
  EXPECT_DOUBLE_EQ(squared(norms::maximum, before, after, errors), 144);
  EXPECT_DOUBLE_EQ(squared(norms::manhattan, before, after, errors), 19 * 19);
}

TEST(norm, of_a_dynamic_state_is_the_same) {
  const std::vector<double> x(before.begin(), before.end()), x_new(after.begin(), after.end()),
      e(errors.begin(), errors.end());
  for (const norm_kind kind : {norms::rms, norms::maximum, norms::euclidean, norms::manhattan})
    EXPECT_EQ(squared(kind, x, x_new, e), squared(kind, before, after, errors));
}

/// The larger of the state before the step and after it sets the scale; alone, a state sets its own.
TEST(norm, weighs_by_the_larger_of_both_states) {
  error_measure<vec<double, 1>> measure(0.25, 0.5, norms::euclidean, 1);
  const vec<double, 1> small{2}, large{-8}, none{0};
  const auto of_one = [](std::size_t) { return 1.; };
  EXPECT_DOUBLE_EQ(measure.squared_norm(small, large, of_one), 1 / (2.5 * 2.5));
  EXPECT_DOUBLE_EQ(measure.squared_norm(large, small, of_one), 1 / (2.5 * 2.5));
  EXPECT_DOUBLE_EQ(measure.squared_norm(small, of_one), 1);
  EXPECT_DOUBLE_EQ(measure.squared_norm(none, of_one), 4);
}

TEST(norm, of_no_error_is_zero_even_where_nothing_is_allowed) {
  for (const norm_kind kind : {norms::rms, norms::maximum, norms::euclidean, norms::manhattan}) {
    error_measure<state> nothing_allowed(0., 0., kind, 3);
    const state zero{0, 0, 0};
    EXPECT_EQ(nothing_allowed.squared_norm(zero, [](std::size_t) { return 0.; }), 0);
    EXPECT_GT(nothing_allowed.squared_norm(zero, [](std::size_t) { return 1e-300; }), 1);
  }
}

/// One component that is no number makes the norm none, wherever it stands: `error <= 1` is then false.
TEST(norm, is_no_number_where_an_error_or_the_new_state_is_none) {
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  for (const norm_kind kind : {norms::rms, norms::maximum, norms::euclidean, norms::manhattan})
    for (const double value : bad)
      for (std::size_t i = 0; i < 3; ++i) {
        const state small{1e-3, -1e-3, 1e-3};
        state e = small, x_new = after;
        EXPECT_LE(squared(kind, before, x_new, e), 1);
        e[i] = value;
        EXPECT_FALSE(squared(kind, before, after, e) <= 1) << "error " << i << " is " << value;
        x_new[i] = value;  // an infinite scale makes every error small
        EXPECT_FALSE(squared(kind, before, x_new, small) <= 1) << "state " << i << " is " << value;
      }
}

/// The caller's own: here a weighted sum that is not symmetric in the components, so that their order shows.
double own_norm(const double* weighted, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(i + 1) * weighted[i];
  return sum;
}

TEST(norm, of_the_callers_own_gets_the_sizes_of_weighted_errors_in_order) {
  const double expected = 3 + 2 * 4 + 3 * 12;
  error_measure<state> fixed(0.25, 0.5, own_norm, 3);
  EXPECT_DOUBLE_EQ(fixed.squared_norm(before, after, [](std::size_t i) { return errors[i]; }), expected * expected);
  using dynamic = std::vector<double>;
  error_measure<dynamic> of_dynamic(0.25, 0.5, own_norm, 3);
  EXPECT_DOUBLE_EQ(of_dynamic.squared_norm(dynamic(before.begin(), before.end()), dynamic(after.begin(), after.end()),
                                           [](std::size_t i) { return errors[i]; }),
                   expected * expected);
}

TEST(norm, of_the_callers_own_does_not_hide_what_is_no_number) {
  error_measure<state> first_only(0.25, 0.5, +[](const double* weighted, std::size_t) { return weighted[0]; }, 3);
  state e{1e-3, 1e-3, std::nan("")};
  EXPECT_FALSE(first_only.squared_norm(before, after, [&](std::size_t i) { return e[i]; }) <= 1);
}

TEST(norm, of_a_pack_is_each_lanes_own) {
  using real = pack<double, 4>;
  vec<real, 3> x, x_new;
  real e[3];
  state alone_x[4], alone_new[4], alone_e[4];
  for (int l = 0; l < 4; ++l)
    for (std::size_t i = 0; i < 3; ++i) {
      alone_x[l][i] = before[i] * (l + 1), alone_new[l][i] = after[i] - l, alone_e[l][i] = errors[i] * (2 * l - 3);
      set_lane(x[i], l, alone_x[l][i]), set_lane(x_new[i], l, alone_new[l][i]), set_lane(e[i], l, alone_e[l][i]);
    }
  for (const norm_kind kind : {norms::rms, norms::maximum, norms::euclidean, norms::manhattan}) {
    error_measure<vec<real, 3>> measure(0.25, 0.5, kind, 3);
    const real together = measure.squared_norm(x, x_new, [&](std::size_t i) { return e[i]; });
    for (int l = 0; l < 4; ++l) EXPECT_EQ(lane(together, l), squared(kind, alone_x[l], alone_new[l], alone_e[l]));
  }
}

// In a run: the larger the norm of the same errors, the shorter the steps.

/// Uncoupled oscillators of speed 1, but the last.
struct oscillators {
  double last = 1;
  void operator()(double, const std::vector<double>& x, std::vector<double>& dx) const {
    for (std::size_t i = 0; i < x.size(); i += 2) {
      const double speed = i + 2 < x.size() ? 1 : last;
      dx[i] = speed * x[i + 1];
      dx[i + 1] = -speed * x[i];
    }
  }
};
std::int64_t steps_with(const error_norm<double>& norm, std::size_t length, double last = 1) {
  const auto run = solve(oscillators{last}, std::vector<double>(length, 1.), {0, 20}, dp54{},
                         {.norm = norm, .control = {.keep = 1}});
  EXPECT_TRUE(run.finished());
  return run.statistics.steps;
}

TEST(norm, decides_on_the_steps_of_a_run) {
  const std::int64_t rms = steps_with(norms::rms, 8), maximum = steps_with(norms::maximum, 8),
                     euclidean = steps_with(norms::euclidean, 8), manhattan = steps_with(norms::manhattan, 8);
  EXPECT_LT(rms, maximum);
  EXPECT_LT(maximum, euclidean);
  EXPECT_LT(euclidean, manhattan);
}

/// Who looks at slow components alone takes long steps.
TEST(norm, of_the_callers_own_decides_on_the_steps_of_a_run) {
  const std::int64_t slow = steps_with(+[](const double* weighted, std::size_t) { return weighted[0]; }, 8, 3);
  EXPECT_LT(2 * slow, steps_with(norms::maximum, 8, 3));
}

/// A tolerance means the same for 4 components and for 400; a Euclidean norm grows with their number.
TEST(norm, of_the_mean_does_not_know_the_number_of_components) {
  EXPECT_EQ(steps_with(norms::rms, 4), steps_with(norms::rms, 400));
  EXPECT_EQ(steps_with(norms::maximum, 4), steps_with(norms::maximum, 400));
  EXPECT_LT(steps_with(norms::euclidean, 4), steps_with(norms::euclidean, 400));
}

}  // namespace
