/// Runs that come no further: chattering about a jump of f, and the edge of its domain, are recognised within 10⁵ evaluations; what is
/// slow for another reason is not mistaken for them.
#include "support/registered.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/solve.hpp>

#include <cmath>
#include <type_traits>

namespace {

using namespace ensue;
using namespace ensue::tests;
using numbers = std::vector<double>;

constexpr auto sliding = [](double, auto x, auto dx) { dx[0] = x[0] > 0 ? -1. : x[0] < 0 ? 1. : 0.; };
constexpr auto stuck = [](double t, auto x, auto dx) {  // dry friction holds it
  dx[0] = x[1];
  dx[1] = 2 * std::sin(t) - x[0] - 4 * (x[1] > 0 ? 1. : x[1] < 0 ? -1. : 0.);
};
constexpr auto to_the_edge = [](double, auto x, auto dx) { dx[0] = std::sqrt(1 - x[0] * x[0]); };

std::int64_t evaluations_of(const any_integrator& run) { return run.statistics().evaluations; }

struct progress : testing::TestWithParam<const method_info*> {
  std::unique_ptr<any_integrator> run(const system_function& f, const numbers& start, double to, options<std::span<double>> settings = {}) const {
    auto sim = GetParam()->make(f, start, 0, settings);
    sim->advance_to(to);
    return sim;
  }
};

/// (Step doubling sees no error where long steps hop across the jump in step with it.)
TEST_P(progress, ends_where_a_motion_slides_along_a_jump) {
  if (GetParam()->name.starts_with("doubling")) return;
  const auto slides = run(sliding, {0.95}, 1e3);
  EXPECT_EQ(slides->ending().how, outcome::chattering) << slides->message();
  EXPECT_LT(evaluations_of(*slides), 100'000);
  EXPECT_GE(slides->time(), 0.94);
  EXPECT_LE(std::abs(slides->state()[0]), 1e-5);
  for (const char* part : {"chattering", "x[0] = ", "event", "smooth the jump"}) EXPECT_NE(slides->message().find(part), std::string::npos) << part;

  const auto sticks = run(stuck, {0.3, 1}, 1e3);
  EXPECT_EQ(sticks->ending().how, outcome::chattering) << sticks->message();
  EXPECT_LT(evaluations_of(*sticks), 100'000);
  EXPECT_EQ(sticks->ending().component, 1);
}

/// At the edge x = 1 of √(1 − x²) f is 0, and methods end in one of three ways; none burns its budget.
TEST_P(progress, ends_at_the_edge_of_the_domain) {
  for (const double tolerance : {1e-4, 1e-6}) {
    const auto ended = run(to_the_edge, {0}, 1e3, {.rtol = tolerance, .atol = 1e-3 * tolerance, .max_evaluations = 2'000'000});
    const outcome how = ended->ending().how;
    EXPECT_TRUE(how == outcome::finished || how == outcome::derivative_not_finite || how == outcome::jacobian_not_finite || how == outcome::domain_ended)
        << ended->message();
    EXPECT_LT(evaluations_of(*ended), 100'000);
    EXPECT_NEAR(ended->state()[0], 1, 1e-2);
    if (how != outcome::domain_ended) continue;
    for (const char* part : {"domain ended", "x[0] = 1", "event", "sqrt(max(s, 0))"})
      EXPECT_NE(ended->message().find(part), std::string::npos) << part;
  }
}

/// Slow, and within a budget that does not reach: a stiff problem (for explicit methods), fast waves, jumps in time that are crossed for
/// good, a jump that is crossed again and again.
TEST_P(progress, is_not_doubted_where_a_run_is_only_slow) {
  const system_function stiff = [](double, auto x, auto dx) { dx[0] = -1e9 * (x[0] - x[1]), dx[1] = -x[1]; };
  const system_function fast = [](double, auto x, auto dx) { dx[0] = 1e6 * x[1], dx[1] = -1e6 * x[0]; };
  const system_function square = [](double t, auto x, auto dx) { dx[0] = std::sin(1e5 * t) > 0 ? 1 : -1, dx[1] = x[0]; };
  const system_function relay = [](double, auto x, auto dx) { dx[0] = x[1], dx[1] = x[0] > 0 ? -1e8 : 1e8; };
  const system_function root = [](double, auto x, auto dx) { dx[0] = 1e8 * std::sqrt(x[0]) * (x[1] - x[0]), dx[1] = std::cos(1e5 * x[1]); };
  for (const system_function& f : {stiff, fast, square, relay, root}) {
    const auto slow = run(f, {1, 0.5}, 100, {.rtol = 1e-7, .atol = 1e-9, .max_evaluations = 150'000});
    EXPECT_TRUE(slow->ending().how == outcome::too_many_evaluations || slow->ending().how == outcome::finished) << slow->message();
  }
}

INSTANTIATE_TEST_SUITE_P(method, progress, testing::ValuesIn(registered_adaptive_methods()), name_of_method);

/// However a run is made, it ends in the same way, after the same evaluations.
TEST(progress_of_a_run, is_the_same_in_lanes_and_step_by_step) {
  using one = vec<double, 1>;
  const auto slides = [](const auto&, const auto& x, auto& dx) {
    using T = std::remove_cvref_t<decltype(x[0])>;
    dx[0] = select(x[0] > T(0), T(-1), select(x[0] < T(0), T(1), T(0)));
  };
  options<one> settings{.rtol = 1e-6, .atol = 1e-9};
  std::vector<one> states;
  for (int i = 0; i < 11; ++i) states.push_back({0.3 + 0.1 * i});
  const std::vector<one> alone = states;
  std::vector<trajectory_ending> endings(states.size());
  const batch_report report = batch(slides, dp54{}, {.rtol = 1e-6, .atol = 1e-9}).advance(states, interval<double>{0, 10}, endings);
  EXPECT_EQ(report.finished, 0u);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const auto run = solve(slides, alone[i], {0, 10}, dp54{}, settings);
    EXPECT_EQ(run.outcome, outcome::chattering) << run.message();
    EXPECT_EQ(endings[i].how, outcome::chattering);
    EXPECT_EQ(endings[i].evaluations, run.statistics.evaluations);
    EXPECT_EQ(states[i][0], run.state[0]);
    integrator steps{slides, alone[i], dp54{}, settings};
    while (steps.step_towards(10) == outcome::finished && steps.time() < 10) {}
    EXPECT_EQ(steps.ending().how, outcome::chattering);
    EXPECT_EQ(steps.state()[0], run.state[0]);
    EXPECT_EQ(steps.statistics().evaluations, run.statistics.evaluations);
  }
}

}  // namespace
