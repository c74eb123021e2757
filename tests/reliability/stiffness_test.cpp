/// What must never happen on a stiff problem: an explicit method that crawls without a word. Nor a word where there is no
/// stiffness.
#include "reliability/support.hpp"

namespace {

using namespace ensue;
using namespace ensue::tests;

template <class Method> struct stiffness : testing::Test {
  /// Orders 1 and 2 need loose tolerances: at tight ones it is accuracy that keeps their steps short.
  static constexpr bool low_order = Method::table.order < 3;

  template <std::size_t N>
  static void expect_said(const field<double, N>& f, const vec<double, N>& start, double rtol, const char* what) {
    integrator sim{f, start, Method{}, options<vec<double, N>>{.rtol = rtol, .atol = 1e-3 * rtol}};
    int steps = 0;
    while (steps < 500 && !sim.ending().stiff()) sim.step(), ++steps;
    const report& found = sim.ending();
    EXPECT_TRUE(found.stiff()) << Method::name << " crawls through " << what << " at " << rtol
                               << " without a word: t = " << sim.time() << " after " << steps << " steps";
    if (!found.stiff()) return;
    EXPECT_GT(found.stiff_ratio, 0.3 * found.stable_ratio);
    EXPECT_LE(found.stiff_since, sim.time());
    EXPECT_TRUE(says(sim.message(), {"stiff for", Method::name, "since t = ", "stability", "implicit", "rodas5p"}));
  }

  template <std::size_t N>
  static void expect_silence(const field<double, N>& f, const vec<double, N>& start, double end, double rtol,
                             const char* what) {
    const auto run = solve(f, start, {0, end}, Method{}, {.rtol = rtol, .atol = 1e-3 * rtol});
    EXPECT_TRUE(run.finished()) << run.message();
    EXPECT_FALSE(run.ending[0].stiff()) << what << " at " << rtol << ": " << run.message();
    EXPECT_EQ(run.message().find("stiff"), std::string::npos);
  }
};
TYPED_TEST_SUITE(stiffness, typed<adaptive_methods>);

/// On the slow manifold from the start, so that every one of the 500 steps is a crawl.
TYPED_TEST(stiffness, is_not_kept_quiet) {
  const field<double, 2> decays = [](auto&, auto& x, auto& dx) { dx = {-x[0], -1e6 * x[1]}; };
  const field<double, 2> follows = [](double t, auto& x, auto& dx) { dx = {-x[0], -1e6 * (x[1] - std::cos(t))}; };
  const field<double, 2> van_der_pol = [](auto&, auto& x, auto& dx) {
    dx = {x[1], 1e6 * ((1 - x[0] * x[0]) * x[1] - x[0])};
  };
  for (const double rtol : {1e-3, 1e-4, 1e-6}) {
    if (TestFixture::low_order && rtol < 1e-4) continue;
    TestFixture::expect_said(decays, {1., 1e-3 * rtol}, rtol, "two decays");
    TestFixture::expect_said(follows, {1., 1.}, rtol, "a fast follower");
    TestFixture::expect_said(van_der_pol, {2., -2. / 3}, rtol, "Van der Pol's oscillator");
  }
}

TYPED_TEST(stiffness, of_a_whole_run_is_not_kept_quiet) {
  const field<double, 2> decays = [](auto&, auto& x, auto& dx) { dx = {-x[0], -1e6 * x[1]}; };
  const auto run = solve(decays, vec{1., 1.}, {0, 1}, TypeParam{},
                         {.rtol = 1e-3, .max_evaluations = 1500 * TypeParam::table.stages});
  EXPECT_EQ(run.outcome, outcome::too_many_evaluations);
  EXPECT_TRUE(run.ending[0].stiff());
  EXPECT_TRUE(says(run.message(), {"too many evaluations", "stiff for", "implicit"}));
}

/// After a thousand steps in which there was none, looks are rare, but they are there: what becomes stiff then is said when it has cost as many.
TYPED_TEST(stiffness, that_comes_late_is_not_kept_quiet) {
  double rate = 1;
  const field<double, 2> follows = [&](double t, auto& x, auto& dx) { dx = {-x[0], -rate * (x[1] - std::cos(t))}; };
  integrator sim{follows, vec{1., 1.}, TypeParam{}, options<vec<double, 2>>{.rtol = 1e-4, .atol = 1e-7}};
  const auto take = [&](std::int64_t steps) {
    for (const std::int64_t before = sim.statistics().steps; sim.statistics().steps < before + steps && !sim.ending().stiff();) sim.step();
  };
  take(1000);
  EXPECT_FALSE(sim.ending().stiff());
  rate = 1e6;
  sim.set_state(vec{1., std::cos(sim.time())});
  take(1000);
  EXPECT_TRUE(sim.ending().stiff());
}

TYPED_TEST(stiffness, is_not_seen_in_a_smooth_problem) {
  const field<double, 3> lorenz = [](auto&, auto& u, auto& du) {
    du = {10 * (u[1] - u[0]), u[0] * (28 - u[2]) - u[1], u[0] * u[1] - 8. / 3 * u[2]};
  };
  const field<double, 4> kepler = [](auto&, auto& u, auto& du) {
    const double r2 = u[0] * u[0] + u[1] * u[1], r3 = r2 * std::sqrt(r2);
    du = {u[2], u[3], -u[0] / r3, -u[1] / r3};
  };
  const field<double, 2> oscillator = [](auto&, auto& x, auto& dx) { dx = {x[1], -x[0]}; };
  for (const double rtol : {1e-3, 1e-4, 1e-6, 1e-9}) {
    if (TestFixture::low_order && rtol < 1e-6) continue;
    TestFixture::expect_silence(lorenz, {1., 0., 0.}, TestFixture::low_order ? 50 : 200, rtol, "Lorenz");
    TestFixture::expect_silence(kepler, {0.4, 0., 0., 2.}, 200, rtol, "Kepler");
    TestFixture::expect_silence(oscillator, {1., 0.}, TestFixture::low_order ? 300 : 2000, rtol, "an oscillator");
  }
}

}  // namespace
