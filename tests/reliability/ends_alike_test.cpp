/// Three ways to run the same steps: an integrator, which keeps the insides of its steps; `solve`, which discards them and leaves what needs them to a
/// loop that does not; `plain_run`, which gives up. In adaptive and in fixed steps they come to the same end, for the same reason, with the same calls of f.
/// Compiled twice: the second program goes a GPU's ways.
#include "reliability/support.hpp"

#include <ensue/step/plain_run.hpp>

namespace {

using namespace ensue;
using namespace ensue::tests;

using two = vec<double, 2>;

template <class Statistics, class Integrator> void expect_same_way(const two& state, const Statistics& spent, const Integrator& kept) {
  EXPECT_TRUE(same_state(state, kept.state()));
  EXPECT_EQ(spent.steps, kept.statistics().steps);
  EXPECT_EQ(spent.rejected, kept.statistics().rejected);
  EXPECT_EQ(spent.evaluations, kept.statistics().evaluations);
}
template <class Integrator> void expect_same_end(const solution<two>& run, const Integrator& kept) {
  EXPECT_EQ(run.message(), kept.message());
  EXPECT_EQ(run.outcome, kept.ending().how);
  EXPECT_EQ(run.ending[0].component, kept.ending().component);
  EXPECT_EQ(run.ending[0].smallest_step_accepted, kept.ending().smallest_step_accepted);
  EXPECT_EQ(run.ending[0].stiff(), kept.ending().stiff());
  EXPECT_TRUE(same_bits(run.t, kept.time()));
  expect_same_way(run.state, run.statistics, kept);
}

/// A GPU's `solve` begins with a plain run, and calls f again where that has given up.
void expect_counted(std::int64_t calls, std::int64_t evaluations) {
  if constexpr (on_device) EXPECT_GE(calls, evaluations);
  else EXPECT_EQ(calls, evaluations);
}

template <class Method> struct ends_alike : testing::Test {
  struct question {
    const char* what;
    partial_field<double, 2> f;
    two start;
    double end;
    options<two> settings;
    bool plain;  ///< nothing rare can come up
  };

  static std::vector<question> questions() {
    const partial_field<double, 2> turns = [](auto&, auto& x, auto& dx) { return dx = {x[1], -x[0]}, true; };
    const partial_field<double, 2> blows_up = [](auto&, auto& x, auto& dx) { return dx = {x[0] * x[0], -x[1]}, true; };
    const partial_field<double, 2> falls_off = [](auto&, auto& x, auto& dx) { return dx = {1., -x[1]}, x[0] < 0.5; };
    const partial_field<double, 2> has_no_root = [](auto&, auto& x, auto& dx) { return dx = {-1., std::sqrt(x[0])}, true; };
    const partial_field<double, 2> jumps = [](auto& t, auto& x, auto& dx) { return dx = {t < 0.3 ? 1e6 : -1e6, x[0]}, true; };
    const partial_field<double, 2> is_stiff = [](auto&, auto& x, auto& dx) { return dx = {-x[0], -1e5 * x[1]}, true; };
    const partial_field<double, 2> swings = [](auto& t, auto& x, auto& dx) { return dx = {x[1], -x[0] * (1 + 50 * std::sin(9 * t))}, true; };
    const partial_field<double, 2> hides = [](auto& t, auto& x, auto& dx) {  // where a step may end, but not its stages
      return dx = {-x[0], x[1]}, t < 0.6 || t > 0.61 || std::fabs(x[0] - std::exp(-t)) > 1e-6;
    };
    const options<two> usual{.rtol = 1e-5, .atol = 1e-6, .max_evaluations = plenty};
    options<two> marked = usual, few = usual, exact = usual, floored = usual, long_steps = usual, timid = usual, hardly_any = usual, absolute = usual, absolute_exact = usual;
    marked.min_step = 1e-3, marked.when_too_small = at_min_step::accept_and_mark;
    floored.min_step = 1e-3;
    few.max_evaluations = 1000, hardly_any.max_evaluations = 7;
    exact.rtol = exact.atol = 1e-17;
    long_steps.rtol = long_steps.atol = 0.1, long_steps.first_step = 0.7;
    timid.control.shrink = 0.95;
    absolute.rtol = 0., absolute_exact.rtol = 0., absolute_exact.atol = 1e-13;
    return {{"turns", turns, {1., 0.}, 20, usual, true},
            {"turns back", turns, {1., 0.}, -20, usual, true},
            {"swings", swings, {1., 0.}, 5, usual, true},
            {"blows up", blows_up, {1., 1.}, 2, usual, false},
            {"falls off", falls_off, {0., 1.}, 1, usual, false},
            {"has no root", has_no_root, {0.5, 0.}, 1, usual, false},
            {"jumps", jumps, {0., 0.}, 1, floored, false},
            {"jumps, marked", jumps, {0., 0.}, 1, marked, false},
            {"jumps, in all freedom", jumps, {0., 0.}, 1, usual, true},
            {"hides", hides, {1., 0.}, 5, usual, false},
            {"is stiff", is_stiff, {1., 1.}, 1, few, false},
            {"has few evaluations", turns, {1., 0.}, 1e5, few, false},
            {"has too few for one step", turns, {1., 0.}, 1e-3, hardly_any, false},
            {"asks for digits", turns, {1., 0.}, 1, exact, false},
            {"has an absolute tolerance", turns, {1., 0.}, 20, absolute, true},
            {"grows out of its digits", [](auto&, auto& x, auto& dx) { return dx = {x[0], x[1]}, true; }, {1., 0.}, 20, absolute_exact, false},
            {"grows out of its digits, then fails", [](auto& t, auto&, auto& dx) { return dx = {t < 1 ? 1000. : 999.999999, 0.}, true; }, {0., 0.}, 2, absolute_exact, false},
            {"is not there where the last step begins", [](auto& t, auto& x, auto& dx) { return dx = {-x[0], 0.}, t != 0.5; }, {1., 0.}, 1, long_steps, false},
            {"shrinks by little", swings, {1., 0.}, 5, timid, false},
            {"overflows", [](auto&, auto&, auto& dx) { return dx = {1e307, 0.}, true; }, {1e306, 0.}, 30, usual, false},
            {"hardly moves", turns, {1., 0.}, 1e-15, usual, false},
            {"begins nowhere", turns, {not_a_number, 0.}, 1, usual, false},
            {"goes nowhere", turns, {1., 0.}, 0, usual, true}};
  }
};
TYPED_TEST_SUITE(ends_alike, typed<adaptive_methods>);

TYPED_TEST(ends_alike, whoever_runs_it) {
  for (const auto& each : TestFixture::questions()) {
    SCOPED_TRACE(each.what);
    std::int64_t calls = 0;
    const partial_field<double, 2> counted = [&](auto& t, auto& x, auto& dx) { return ++calls, each.f(t, x, dx); };
    integrator kept{problem{counted, each.start, {0, each.end}}, TypeParam{}, each.settings};
    kept.advance_to(each.end);
    EXPECT_EQ(calls, kept.statistics().evaluations);
    calls = 0;
    const auto discarded = solve(counted, each.start, {0, each.end}, TypeParam{}, each.settings);
    expect_counted(calls, discarded.statistics.evaluations);
    expect_same_end(discarded, kept);

    plain_run<partial_field<double, 2>, two, TypeParam> plain(each.f, each.start, 0., TypeParam{}, each.settings);
    const bool arrived = plain.advance(each.end), arrives = kept.ending().how == outcome::finished && !kept.ending().smallest_step_accepted;
    EXPECT_TRUE(arrived || !each.plain);
    EXPECT_TRUE(arrives || !arrived);
    if (!arrived) continue;
    EXPECT_TRUE(same_bits(plain.now.t, each.end));
    expect_same_way(plain.now.x, plain.now.statistics, kept);
  }
}

TYPED_TEST(ends_alike, unless_more_is_asked_than_plain_runs_do) {
  const partial_field<double, 2> turns = [](auto&, auto& x, auto& dx) { return dx = {x[1], -x[0]}, true; };
  const auto refuses = [&](const options<two>& settings) {
    return !plain_run<partial_field<double, 2>, two, TypeParam>(turns, two{1., 0.}, 0., TypeParam{}, settings).advance(1.);
  };
  EXPECT_FALSE(refuses({}));
  EXPECT_TRUE(refuses({.norm = norms::maximum}));
  EXPECT_TRUE(refuses({.control = {.per = error_per::unit_step}}));
  EXPECT_TRUE(refuses({.control = {.law = laws::pi}}));
  EXPECT_TRUE(refuses({.rtol = 0.2}));
  EXPECT_TRUE(refuses({.atol = 1e308}));
  EXPECT_TRUE(refuses({.compensated = true}));
  EXPECT_TRUE(refuses({.rtol = -1}));
}

template <class Method> struct fixed_steps_end_alike : testing::Test {};
TYPED_TEST_SUITE(fixed_steps_end_alike, typed<explicit_methods>);

TYPED_TEST(fixed_steps_end_alike, whoever_takes_them) {
  struct question {
    const char* what;
    partial_field<double, 2> f;
    double end;
    options<two> settings;
  };
  const partial_field<double, 2> turns = [](auto&, auto& x, auto& dx) { return dx = {x[1], -x[0]}, true; };
  const partial_field<double, 2> falls_off = [](auto&, auto& x, auto& dx) { return dx = {1., -x[1]}, x[0] < 0.5; };
  const partial_field<double, 2> has_no_root = [](auto&, auto& x, auto& dx) { return dx = {-1., std::sqrt(x[0])}, true; };
  const partial_field<double, 2> blows_up = [](auto&, auto& x, auto& dx) { return dx = {std::exp(9 * x[0]), -x[1]}, true; };
  const std::atomic<bool> cancelled = true;
  const question questions[] = {{"turns", turns, 2, {.step = 0.125}},
                                {"ends with a shorter step", turns, 2, {.step = 0.013}},
                                {"turns back", turns, -2, {.step = 0.013}},
                                {"loses nothing", turns, 2, {.step = 0.013, .compensated = true}},
                                {"falls off", falls_off, 2, {.step = 0.013}},
                                {"has no root", has_no_root, 2, {.step = 0.013}},
                                {"blows up", blows_up, 2, {.step = 0.25}},
                                {"has few evaluations", turns, 2, {.step = 0.013, .max_evaluations = 101}},
                                {"is cancelled", turns, 2, {.step = 0.013, .cancel = &cancelled}}};
  for (const auto& each : questions) {
    SCOPED_TRACE(each.what);
    std::int64_t calls = 0;
    const partial_field<double, 2> counted = [&](auto& t, auto& x, auto& dx) { return ++calls, each.f(t, x, dx); };
    integrator kept{problem{counted, two{0.1, 0.}, {0, each.end}}, TypeParam{}, each.settings};
    kept.advance_to(each.end);
    calls = 0;
    const auto forgotten = solve(counted, two{0.1, 0.}, {0, each.end}, TypeParam{}, each.settings);
    expect_counted(calls, forgotten.statistics.evaluations);
    expect_same_end(forgotten, kept);

    plain_run<partial_field<double, 2>, two, TypeParam> plain(each.f, two{0.1, 0.}, 0., TypeParam{}, each.settings);
    EXPECT_EQ(plain.advance(each.end), forgotten.finished() && !each.settings.compensated);
    if (plain.now.t == each.end) expect_same_way(plain.now.x, plain.now.statistics, kept);
  }
}

}  // namespace
