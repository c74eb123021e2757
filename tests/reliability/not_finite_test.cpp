/// What must never happen where numbers end: a step from, into or across something that is not finite.
#include "reliability/support.hpp"

#include <ensue/registry.hpp>

#include "support/on_numbers.hpp"

#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

template <class Method> struct not_finite : testing::Test {
  using state = vec<double, 3>;
  using model = field<double, 3>;

  static auto run(const model& f, const state& start, double to, options<state> settings = {}) {
    if (!is_adaptive<Method>::value) settings.step = to / 64;
    if (settings.max_evaluations == default_max_evaluations) settings.max_evaluations = plenty;
    return solve(f, start, {0, to}, Method{}, settings);
  }
};
TYPED_TEST_SUITE(not_finite, typed<explicit_methods>);

TYPED_TEST(not_finite, start_is_not_stepped_from) {
  for (const double bad : {not_a_number, infinite, -infinite})
    for (std::size_t i = 0; i < 3; ++i) {
      vec<double, 3> start{1., 2., 3.};
      start[i] = bad;
      int calls = 0;
      const auto run = TestFixture::run([&](auto&, auto&, auto& dx) { ++calls, dx = {0., 0., 0.}; }, start, 1);
      EXPECT_EQ(run.outcome, outcome::state_not_finite);
      EXPECT_EQ(run.ending[0].component, static_cast<std::int64_t>(i));
      EXPECT_EQ(run.t, 0);
      EXPECT_EQ(calls, 0) << "f was asked about a state that is no state";
      EXPECT_TRUE(
          says(run.message(), {"state not finite", "t = 0", ("x[" + std::to_string(i) + "]").c_str(), "Start from"})) << run.message();
    }
}

TYPED_TEST(not_finite, derivative_at_the_start_is_not_stepped_from) {
  for (const double bad : {not_a_number, infinite, -infinite})
    for (std::size_t i = 0; i < 3; ++i) {
      const auto run = TestFixture::run(
          [&](double t, auto&, auto& dx) {
            dx = {1., 1., 1.};
            if (t == 0) dx[i] = bad;
          },
          {1., 2., 3.}, 1);
      EXPECT_EQ(run.outcome, outcome::derivative_not_finite);
      EXPECT_EQ(run.ending[0].component, static_cast<std::int64_t>(i));
      EXPECT_EQ(run.statistics.steps, 0);
      EXPECT_EQ(run.statistics.evaluations, 1);
      EXPECT_TRUE(same_state(run.state, vec{1., 2., 3.}));
      EXPECT_TRUE(says(run.message(),
                       {"derivative not finite", "t = 0", ("x[" + std::to_string(i) + "]").c_str(), "Look for"}));
    }
}

/// The method looks at the end of a step before it takes it.
template <class Table> constexpr bool evaluates_at_the_end(const Table& table) {
  for (const long double c : table.c)
    if (c == 1) return true;
  return false;
}

/// A wall in time or in the state. Adaptive methods come close to it; none crosses it by more than the part of a step in
/// which it does not look, and none tries for ever.
TYPED_TEST(not_finite, derivative_beyond_a_wall_is_neither_crossed_nor_stared_at) {
  for (const double wall : {1., 1.15, 0.7, 1. / 3, 1.9, 1000.1, 1e-12})
    for (const double bad : {not_a_number, infinite})
      for (const bool in_time : {true, false}) {
        const auto run = TestFixture::run(
            [=](double t, auto& x, auto& dx) { dx = {1., (in_time ? t : x[0]) > wall ? bad : -x[1] / wall, 1.}; },
            {0., 1., 0.}, 3 * wall);
        EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << run.message();
        EXPECT_TRUE(is_finite(run.state));
        const bool blind = !evaluates_at_the_end(TypeParam::table);
        const double close = is_adaptive<TypeParam>::value ? (blind ? 0.02 : 1e-6) : 3. / 64 * 1.01;
        EXPECT_LE(run.t, wall * (1 + (blind ? close : 1e-12)));
        EXPECT_GE(run.t, wall * (1 - close));
        EXPECT_LT(run.statistics.evaluations, 20'000) << "wall at " << wall << ", " << run.message();
        EXPECT_TRUE(says(run.message(), {"derivative not finite", "Look for"}));
      }
}

/// The n-th evaluation of the run alone gives no number, whichever stage that is.
TYPED_TEST(not_finite, stage_is_never_accepted) {
  constexpr int stages = TypeParam::table.stages;
  for (const double bad : {not_a_number, infinite})
    for (int n = 2; n <= 2 * stages + 2; ++n) {
      int calls = 0;
      const auto run = TestFixture::run(
          [&](auto&, auto& x, auto& dx) {
            dx = {-x[0], -x[1], -x[2]};
            if (++calls == n) dx[1] = bad;
          },
          {1., 2., 3.}, 0.25, {.first_step = 1. / 256});
      EXPECT_TRUE(is_finite(run.state)) << "evaluation " << n;
      if (is_adaptive<TypeParam>::value && run.finished()) {
        EXPECT_GE(run.statistics.rejected, 1) << "evaluation " << n;
        EXPECT_NEAR(run.state[1], 2 * std::exp(-0.25), 1e-3);
      } else {
        EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << "evaluation " << n;
      }
    }
}

TYPED_TEST(not_finite, state_that_overflows_is_never_accepted) {
  const auto run = TestFixture::run([](auto&, auto& x, auto& dx) { dx = {0., x[1], 0.}; }, {1., 1e300, 1.}, 64);
  EXPECT_EQ(run.outcome, outcome::state_not_finite) << run.message();
  EXPECT_TRUE(is_finite(run.state));
  EXPECT_EQ(run.ending[0].component, 1);
  EXPECT_GT(run.state[1], 1e307);
  EXPECT_TRUE(says(run.message(), {"state not finite", "x[1]", is_adaptive<TypeParam>::value ? "end the run before" : "try a smaller step"}));
}

/// f is finite wherever it is asked, so it is not f that is to blame.
TYPED_TEST(not_finite, state_is_not_blamed_on_a_finite_derivative) {
  bool f_was_finite = true;
  const auto run = TestFixture::run(
      [&](auto&, auto& x, auto& dx) {
        dx = {1e307, x[1], x[2]};
        f_was_finite = f_was_finite && is_finite(dx);
      },
      {0., 1e-3, 1e-3}, 64);
  ASSERT_TRUE(f_was_finite);
  EXPECT_EQ(run.outcome, outcome::state_not_finite) << run.message();
  EXPECT_TRUE(is_finite(run.state));
}

// The norms: `error > 1` is false for NaN, and `max` forgets it.

double only_the_first(const double* errors, std::size_t) { return errors[0]; }
double nothing_at_all(const double*, std::size_t) { return 0; }

const error_norm<double> every_norm[] = {norms::rms,       norms::maximum,  norms::euclidean,
                                         norms::manhattan, &only_the_first, &nothing_at_all};

template <class State> void expect_no_norm_loses_what_is_not_finite(State x) {
  for (const error_norm<double>& norm : every_norm)
    for (std::size_t i = 0; i < x.size(); ++i)
      for (const double bad : {not_a_number, infinite, -infinite}) {
        error_measure<State> measure(1e-6, 1e-9, norm, x.size());
        const double of_error = measure.squared_norm(x, [&](std::size_t j) { return j == i ? bad : 0.; });
        EXPECT_FALSE(of_error <= 1) << "norm " << int(norm.kind) << " accepts an error of " << bad << " in component "
                                    << i;
        State x_new = x;
        x_new[i] = bad;
        const double of_state = measure.squared_norm(x, x_new, [&](std::size_t) { return 0.; });
        EXPECT_FALSE(of_state <= 1) << "norm " << int(norm.kind) << " accepts a state of " << bad << " in component "
                                    << i;
      }
}

TEST(not_finite_stage, of_any_method_is_never_accepted_in_a_fixed_step) {
  struct spring {
    double until;
    void acceleration(double t, std::span<const double> q, std::span<double> a) const { a[0] = t < until ? -q[0] : not_a_number; }
  };
  int ended = 0;
  for (const method_info* method : registered_on_numbers())
    for (const double until : {0.9, 0.95, 1.}) {
      const auto cut_off = method->make(spring{until}, std::vector{1., 0.}, 0, {.step = 0.125}), whole = method->make(spring{2}, std::vector{1., 0.}, 0, {.step = 0.125});
      whole->advance_to(1);
      if (cut_off->advance_to(1) != outcome::finished) ++ended;
      else EXPECT_EQ(cut_off->state()[0], whole->state()[0]) << method->name << " until " << until;
    }
  EXPECT_GE(ended, 30);
}

TEST(nan, is_lost_in_no_norm) {
  expect_no_norm_loses_what_is_not_finite(vec{1., 0., 3.});
  expect_no_norm_loses_what_is_not_finite(std::vector<double>(20, 1.));
}

TEST(nan, is_lost_in_no_norm_of_a_run) {
  for (const error_norm<double>& norm : every_norm) {
    const auto run =
        solve([](double t, const auto& x, auto& dx) { dx[0] = -x[0], dx[1] = t < 1.15 ? 1. : not_a_number, dx[2] = 1; },
              vec{1., 1., 1.}, {0, 2}, dp54{}, {.norm = norm, .max_evaluations = plenty});
    EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << "norm " << int(norm.kind) << ": " << run.message();
    EXPECT_NEAR(run.t, 1.15, 1e-6);
    EXPECT_TRUE(is_finite(run.state));
  }
}

// Other scalars have other limits.

template <class T> struct not_finite_in : testing::Test {};
TYPED_TEST_SUITE(not_finite_in, precisions);

TYPED_TEST(not_finite_in, this_precision_is_neither_crossed_nor_stared_at) {
  using T = TypeParam;
  for (const T wall : {T(1), T(1.15), T(1.9), T(0.3)}) {
    const auto run = solve([=](T t, const vec<T, 1>& x, vec<T, 1>& dx) { dx[0] = t > wall ? T(not_a_number) : -x[0]; },
                           vec<T, 1>{1}, {0, 3 * wall}, tsit5{}, {.max_evaluations = plenty});
    EXPECT_EQ(run.outcome, outcome::derivative_not_finite) << run.message();
    EXPECT_NEAR(double(run.t), double(wall), 1e-5);
    EXPECT_LT(run.statistics.evaluations, 20'000);
  }
}

TYPED_TEST(not_finite_in, overflow_of_this_precision_is_not_accepted) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max() / 4;
  const auto run = solve([](T, const vec<T, 1>& x, vec<T, 1>& dx) { dx[0] = x[0]; }, vec<T, 1>{huge}, {0, 10}, dp54{},
                         {.max_evaluations = plenty});
  EXPECT_EQ(run.outcome, outcome::state_not_finite) << run.message();
  EXPECT_TRUE(std::isfinite(run.state[0]));
  EXPECT_NEAR(double(run.t), std::log(4), 0.1);
}

}  // namespace
