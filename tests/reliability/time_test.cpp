/// What must never happen to time: drift, a step too many, an end that is nearly the one asked for, an f asked about times
/// outside the span, a clock that stands still.
#include "reliability/support.hpp"
#include "support/sanitized.hpp"

#include <random>

namespace {

using namespace ensue;
using namespace ensue::tests;

using one = vec<double, 1>;
using two = vec<double, 2>;  // as many everywhere below where every method is tried: each is compiled once a precision

// Fixed steps.

struct division_case {
  double from, to, size;
  std::int64_t steps;
};

TEST(fixed_steps, are_neither_one_too_many_nor_one_too_few) {
  for (const auto& [from, to, size, steps] : {division_case{0, 1, 0.1, 10},
                                              {0, 1, 0.01, 100},
                                              {0, 1, 0.001, 1000},
                                              {0, 1, 1e-4, 10'000},
                                              {0, 1, 1e-5, 100'000},
                                              {0, 0.3, 0.1, 3},
                                              {0, 0.7, 0.1, 7},
                                              {0, 2.1, 0.7, 3},
                                              {0, 6, 0.1, 60},
                                              {0, 10, 1. / 60, 600},
                                              {0, 1, 1. / 3, 3},
                                              {0, 1, 1. / 49, 49},
                                              {1, 0, 0.1, 10},
                                              {0.1, 0.4, 0.1, 3},
                                              {-1, 1, 0.2, 10},
                                              {1, 2, 0.1, 10},
                                              {0, 1, 1, 1},
                                              {0, 1, 2, 1},
                                              {0, 1, 0.3, 4},
                                              {0, 1, 0.99, 2},
                                              {0, 1, 0.5000001, 2},
                                              {0, 1, 0.4999999, 3},
                                              {5, -5, 0.3, 34},
                                              {0, 1e-300, 1e-301, 10},
                                              {0, 1e300, 1e299, 10}}) {
    int calls = 0;
    const auto run =
        solve([&](double, const one&, one& dx) { ++calls, dx[0] = 1; }, one{0.}, {from, to}, euler{}, {.step = size});
    EXPECT_EQ(run.statistics.steps, steps) << "steps of " << size << " from " << from << " to " << to;
    EXPECT_EQ(calls, steps);
    EXPECT_TRUE(same_bits(run.t, to));
    EXPECT_NEAR(run.state[0], to - from, std::abs(to - from) * 1e-9);
  }
}

TEST(fixed_steps, in_float_are_neither_one_too_many_nor_one_too_few) {
  for (const auto& [to, size, steps] :
       {std::tuple{1.f, 0.1f, 10}, {1.f, 0.01f, 100}, {1.f, 0.001f, 1000}, {60.f, 1 / 60.f, 3600}, {0.3f, 0.1f, 3}}) {
    const auto run = solve([](float, const vec<float, 1>&, vec<float, 1>& dx) { dx[0] = 1; }, vec{0.f}, {0, to},
                           euler{}, {.step = size});
    EXPECT_EQ(run.statistics.steps, steps) << "steps of " << size << " to " << to;
    EXPECT_EQ(run.t, to);
  }
}

TEST(fixed_steps, that_divide_a_span_evenly_are_the_nearest_count) {
  for (const auto& [size, steps] :
       {std::pair{0.3, 3}, {0.1, 10}, {0.41, 2}, {0.39, 3}, {0.7, 1}, {3., 1}, {1e-3, 1000}}) {
    const auto run = solve([](double, const one&, one& dx) { dx[0] = 1; }, one{0.}, {0, 1}, euler{},
                           {.step = size, .divide = division::even});
    EXPECT_EQ(run.statistics.steps, steps) << "steps of " << size;
    EXPECT_EQ(run.t, 1);
    EXPECT_NEAR(run.state[0], 1, 1e-12);
  }
}

/// t as f sees it at call n, against n·h to twice its digits: half a unit in the last place is all that rounding once costs.
struct clock_watch {
  struct notes {
    double step = 0;
    std::int64_t calls = 0, late = 0;
  };
  notes* n;
  void operator()(double t, const one&, one& dx) const {
    const long double exact = static_cast<long double>(n->calls++) * n->step;
    const long double off = t > exact ? t - exact : exact - t;
    n->late += off > exact * (0.5001L * std::numeric_limits<double>::epsilon());
    dx[0] = 1;
  }
};

TEST(time, does_not_drift_in_a_hundred_million_steps) {
  const std::int64_t steps = sanitized ? 2'000'000 : 100'000'000;
  clock_watch::notes notes{.step = 0.1};
  const double end = 0.1 * static_cast<double>(steps);
  const auto run = solve(clock_watch{&notes}, one{0.}, {0, end}, euler{}, {.step = 0.1, .max_evaluations = 2 * steps});
  EXPECT_TRUE(run.finished()) << run.message();
  EXPECT_EQ(run.statistics.steps, steps);
  EXPECT_EQ(notes.calls, steps);
  EXPECT_EQ(notes.late, 0) << "times more than a rounding from n·h";
  EXPECT_TRUE(same_bits(run.t, end));
}

template <class Advance> void expect_no_drift(Advance advance) {
  const std::int64_t steps = sanitized ? 100'000 : 5'000'000;
  clock_watch::notes notes{.step = 1. / 60};
  integrator sim{clock_watch{&notes}, one{0.}, euler{}, options<one>{.step = 1. / 60, .max_evaluations = 2 * steps}};
  std::int64_t late = 0;
  for (std::int64_t n = 1; n <= steps; ++n) {
    advance(sim);
    late += sim.time() != static_cast<double>(n) * (1. / 60);
  }
  EXPECT_EQ(late, 0) << "frames that did not end at n·dt rounded once";
  EXPECT_EQ(notes.late, 0);
  EXPECT_EQ(sim.statistics().steps, steps);
}

TEST(time, does_not_drift_in_millions_of_frames) {
  expect_no_drift([](auto& sim) { sim.advance(1. / 60); });
}
TEST(time, does_not_drift_in_millions_of_single_steps) {
  expect_no_drift([](auto& sim) { sim.step(); });
}

TEST(time, does_not_drift_in_float) {
  integrator sim{[](float, const vec<float, 1>&, vec<float, 1>& dx) { dx[0] = 0; }, vec{0.f}, euler{}};
  for (int n = 1; n <= 1'000'000; ++n) {
    sim.advance(1 / 60.f);
    ASSERT_EQ(sim.time(), static_cast<float>(static_cast<double>(n) * static_cast<double>(1 / 60.f)));
  }
}

TEST(step_counts, do_not_wrap_at_two_to_the_31) {
  const auto holds_64_bits = []<class Count> { return sizeof(Count) == 8 && std::is_signed_v<Count>; };
  static_assert(holds_64_bits.operator()<count_of<float>>());
  static_assert(holds_64_bits.operator()<decltype(run_statistics<count_of<double>>::steps)>());
  static_assert(holds_64_bits.operator()<decltype(run_statistics<count_of<double>>::evaluations)>());
  static_assert(holds_64_bits.operator()<decltype(run_statistics<count_of<double>>::rejected)>());
  static_assert(std::is_same_v<count_of<pack<float, 8>>, pack<std::int64_t, 8>>);
  static_assert(holds_64_bits.operator()<decltype(options<one>::max_evaluations)>());
  EXPECT_EQ(divide_span(0., 1e10, 1., division::shorten_last).count, 10'000'000'000);
  EXPECT_EQ(divide_span(0.f, 0x1p40f, 1.f, division::shorten_last).count, std::int64_t(1) << 40);
  EXPECT_EQ(grid_time(0., 5'000'000'000, 0.5), 2.5e9);
  EXPECT_EQ(grid_time(0.f, 5'000'000'000, 0.5f), 2.5e9f);
  EXPECT_GT(divide_span(0., 1e300, 1e-300, division::shorten_last).count, std::int64_t(1) << 60);
}

// The ends of a span.

template <class T> struct span_watch {
  T low = std::numeric_limits<T>::infinity(), high = -std::numeric_limits<T>::infinity();
  T rate = 0;
  void see(T t) { low = std::min(low, t), high = std::max(high, t); }
};

template <class Method, class T> void expect_exact_spans(int spans) {
  std::mt19937_64 random(20240611);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  span_watch<T> watch;
  const field<T, 2> f = [&](T t, auto& x, auto& dx) { watch.see(t), dx = {-watch.rate * x[0], 0}; };
  for (int i = 0; i < spans; ++i) {
    const T from = static_cast<T>(between(-1, 1) * std::pow(10, between(-6, 6)));
    const T to = static_cast<T>(from + between(-1, 1) * std::pow(10, between(-6, 6)));
    if (from == to) continue;
    const T length = std::abs(to - from),
            spacing = std::numeric_limits<T>::epsilon() * std::max(std::abs(from), std::abs(to));
    watch = {.rate = (length > 1000 * spacing ? 1 : T(1e-3)) /
                     length};  // so that it can be followed in steps of a few spacings
    options<vec<T, 2>> s{.rtol = 1e-3, .max_evaluations = plenty};
    if (!is_adaptive<Method>::value || i % 4 == 0) s.step = length / static_cast<T>(between(0.5, 20));
    const auto run = solve(f, vec<T, 2>{1}, {from, to}, Method{}, s);
    ASSERT_EQ(run.outcome, outcome::finished) << run.message() << " From " << from << " to " << to;
    ASSERT_TRUE(same_bits(run.t, to)) << run.t << " instead of " << to;
    ASSERT_GE(watch.low, std::min(from, to)) << "from " << from << " to " << to << " with step " << s.step;
    ASSERT_LE(watch.high, std::max(from, to)) << "from " << from << " to " << to << " with step " << s.step;
  }
}

template <class Method> struct span : testing::Test {};
TYPED_TEST_SUITE(span, typed<tested_kinds>);

TYPED_TEST(span, is_neither_left_nor_missed_by_a_bit) {
  expect_exact_spans<TypeParam, double>(sanitized ? 1000 : 10'000);
}
TYPED_TEST(span, in_float_is_neither_left_nor_missed_by_a_bit) {
  expect_exact_spans<TypeParam, float>(sanitized ? 1000 : 10'000);
}

/// A few spacings of the numbers near t, down to a single one, in both directions and at every size of number.
template <class Method, class T> void expect_shortest_spans() {
  using limits = std::numeric_limits<T>;
  for (const T at :
       {T(1), T(1.9), T(-3), T(0), T(1e-30), T(1e30), limits::min(), limits::max() / 2, limits::denorm_min()})
    for (const int spacings : {1, 2, 3, 7})
      for (const T direction : {limits::max(), limits::lowest()}) {
        T to = at;
        for (int i = 0; i < spacings; ++i) to = std::nextafter(to, direction);
        span_watch<T> watch{.rate = T(1e-3) / std::max(T(1), std::abs(to - at))};
        const field<T, 2> f = [&](T t, auto& x, auto& dx) { watch.see(t), dx = {-watch.rate * x[0], 0}; };
        options<vec<T, 2>> s{.max_evaluations = 1000};
        if (!is_adaptive<Method>::value) s.step = std::abs(to - at);
        const auto run = solve(f, vec<T, 2>{1}, {at, to}, Method{}, s);
        EXPECT_EQ(run.outcome, outcome::finished) << run.message() << " From " << at << " by " << spacings;
        EXPECT_TRUE(same_bits(run.t, to));
        EXPECT_GE(watch.low, std::min(at, to));
        EXPECT_LE(watch.high, std::max(at, to));
      }
}

TYPED_TEST(span, of_one_spacing_is_neither_refused_nor_left) { expect_shortest_spans<TypeParam, double>(); }
TYPED_TEST(span, of_one_spacing_in_float_is_neither_refused_nor_left) { expect_shortest_spans<TypeParam, float>(); }

/// Steps shorter than the spacing of the numbers near t: the clock rounds, the state does not, and nobody looks outside.
TYPED_TEST(span, with_steps_below_the_spacing_of_time_is_not_left) {
  for (const double size : {0.3, 1., 1.9, 2.1}) {
    span_watch<double> watch;
    const field<double, 2> f = [&](double t, auto&, auto& dx) { watch.see(t), dx = {1, 0}; };
    const auto run = solve(f, two{0.}, {1e16, 1e16 + 20}, TypeParam{}, {.step = size});
    EXPECT_TRUE(run.finished());
    EXPECT_NEAR(run.state[0], 20, 1e-9) << "steps of " << size;
    EXPECT_GE(watch.low, 1e16);
    EXPECT_LE(watch.high, 1e16 + 20) << "steps of " << size;
  }
}

// A clock that stands still.

template <class Method> struct clock_that_stands_still : testing::Test {};
TYPED_TEST_SUITE(clock_that_stands_still, typed<adaptive_kinds>);

/// Whatever the caller asks for: t + h == t is no step. It is corrected or refused, not repeated.
TYPED_TEST(clock_that_stands_still, is_not_stepped) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {-x[0], 0}; };
  for (const options<two>& s : {options<two>{.first_step = 1e-300}, options<two>{.first_step = 1e-17},
                                options<two>{.first_step = 1e-18, .min_step = 1e-19}}) {
    options<two> bounded = s;
    bounded.max_evaluations = plenty;
    const auto run = solve(f, two{1.}, {1, 2}, TypeParam{}, bounded);
    EXPECT_TRUE(run.finished()) << run.message();
    EXPECT_LT(run.statistics.steps, 10'000);
  }
  const auto run = solve(f, two{1.}, {1, 2}, TypeParam{}, {.max_step = 1e-18, .max_evaluations = plenty});
  EXPECT_TRUE(run.finished() || run.outcome == outcome::step_too_small || run.outcome == outcome::bad_input)
      << run.message() << " " << run.statistics.steps << " steps";
}

/// The step that was long enough at t = 0 is not at t = 1e16.
TYPED_TEST(clock_that_stands_still, is_not_reached_by_a_bounded_step) {
  const field<double, 2> f = [](auto&, auto& x, auto& dx) { dx = {-x[0], 0}; };
  const auto run = solve(f, two{1.}, {1e16, 1e16 + 100}, TypeParam{}, {.max_step = 0.5, .max_evaluations = plenty});
  EXPECT_TRUE(run.finished() || run.outcome == outcome::step_too_small || run.outcome == outcome::bad_input)
      << run.message() << " " << run.statistics.steps << " steps";
}

TYPED_TEST(clock_that_stands_still, does_not_ignore_the_longest_step_allowed) {
  double last = 0, longest = 0;
  const field<double, 2> f = [&](double t, auto&, auto& dx) {
    longest = std::max(longest, t - last), last = t, dx = {1, 0};
  };
  for (const double first : {0., 0.5, 0.1}) {
    last = longest = 0;
    const auto run = solve(f, two{0.}, {0, 2}, TypeParam{}, {.first_step = first, .max_step = 0.125});
    EXPECT_TRUE(run.finished());
    EXPECT_LE(longest, 0.125 * (1 + 1e-12)) << "first step " << first;
    EXPECT_GE(run.statistics.steps, 16);
  }
}

/// float: the rest of a span is a handful of roundings, and its error is rounding too.
TYPED_TEST(clock_that_stands_still, does_not_reject_the_last_step_for_ever_in_float) {
  for (const float from : {0.f, 1.f, 100.f, 12345.6f, -7.7f})
    for (const float length : {1e-3f, 0.1f, 1.f, 3.3f}) {
      const field<float, 2> f = [](float t, auto& x, auto& dx) { dx = {x[1], -x[0] + 0.1f * std::sin(t)}; };
      const auto run = solve(f, vec{1.f, 0.f}, {from, from + length}, TypeParam{},
                             {.rtol = 1e-6, .atol = 1e-7, .max_evaluations = 20'000'000});
      EXPECT_TRUE(run.outcome == outcome::finished || run.outcome == outcome::tolerance_too_small ||
                  run.outcome == outcome::step_too_small)
          << run.message();
      EXPECT_LT(run.statistics.rejected, 2 * run.statistics.steps + 100) << run.message();
    }
}

}  // namespace
