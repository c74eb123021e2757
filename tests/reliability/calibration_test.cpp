/// Forty random problems with known solutions, three tolerances: what a method of order 3 or more says is off by no more than its
/// tolerance and the problem explain (calibration/judge.hpp). The benchmark bench/calibration.cpp tries 10,000 of them.
#include "reliability/calibration/judge.hpp"

#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue;
using namespace ensue::calibration;

struct judged_problem {
  random_problem one;
  allowance allowed{one};
  explicit judged_problem(std::uint64_t seed) : one(seed) {}
};

const std::vector<std::unique_ptr<const judged_problem>>& judged_problems() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const judged_problem>> made;
    for (std::uint64_t seed = 1; seed <= (tests::sanitized ? 5 : 40); ++seed) made.push_back(std::make_unique<judged_problem>(seed));
    return made;
  }();
  return all;
}

/// Where f jumps the two solutions of an embedded pair differ by a few hundredths of the jump, and one of them may be off by more than
/// that: problems with corners have a looser bound.
bool has_corners(const random_problem& one) { return one.kind.find("corners") != std::string_view::npos; }

struct calibration_of : testing::TestWithParam<const method_info*> {
  /// One run in a hundred may be beyond. A sample of a hundred then holds three or more of them in one case of thirteen, so two are allowed besides.
  static int allowed_beyond(const score& of) { return of.runs / 100 + 2; }
  static void expect_good(place where, const score& smooth, const score& broken) {
    EXPECT_LE(smooth.runs - smooth.within[2], allowed_beyond(smooth)) << places[where] << ": so many of " << smooth.runs << " runs are beyond 30";
    EXPECT_LE(broken.runs - broken.within[3], allowed_beyond(broken)) << places[where] << ": so many of " << broken.runs << " runs are beyond 100";
    for (const score* each : {&smooth, &broken})
      EXPECT_LE(each->worst, 1000) << places[where] << ": bench_calibration --problems 1 --verbose --seed " << each->worst_seed << " --method \""
                                   << GetParam()->name << "\", at " << each->worst_tolerance;
  }
};

TEST_P(calibration_of, is_kept) {
  score smooth[std::size(places)], broken[std::size(places)];
  for (const auto& judged : judged_problems()) {
    const auto fitting = methods_for(judged->one);
    if (std::ranges::count(fitting, GetParam()) == 0) continue;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const finding found = judge(judged->one, judged->allowed, *GetParam(), tolerance);
      for (const place where : {at_steps, at_points, at_events})
        if (where != at_events || found.has_event)
          (has_corners(judged->one) ? broken : smooth)[where].add(found.ratio[where], tolerance, judged->one.seed);
    }
  }
  for (const place where : {at_steps, at_points, at_events}) expect_good(where, smooth[where], broken[where]);
}

std::vector<const method_info*> judged_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (method->adaptive && has_high_order(*method) && !is_for_groups(method->needs)) found.push_back(method);
  return found;
}

INSTANTIATE_TEST_SUITE_P(method, calibration_of, testing::ValuesIn(judged_methods()), tests::name_of_method);

/// The instrument itself: an error of one tolerance at the start is judged as no more than one by the time it has grown.
TEST(calibration, explains_an_error_of_one_tolerance) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const random_problem one(seed);
    if (one.algebraic) continue;
    const allowance allowed(one);
    const vector start = one.exact(0), size = allowed(0);
    const double tolerance = 1e-9, to = 0.5 * one.to();
    for (std::size_t j = 0; j < one.size(); ++j) {
      const matrix p = one.propagator(to, 0);
      vector x = one.exact(to);
      for (std::size_t i = 0; i < one.size(); ++i) x[i] += p[i][j] * tolerance * (one.atol_factor + std::abs(start[j]));
      EXPECT_LE(ratio_at(one, allowed, tolerance, to, x), 1) << "seed " << seed << ", component " << j;
    }
    EXPECT_GT(size[0], 0);
  }
}

/// The instrument itself: solution, equations and propagator belong together.
TEST(calibration, has_solutions_that_solve_the_equations) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const random_problem one(seed);
    for (const double t : {0.3137 * one.to(), 0.77 * one.to()}) {
      const double h = 1e-5 / one.inner->rate;
      const vector x = one.exact(t), before = one.exact(t - h), after = one.exact(t + h);
      vector dx{};
      one.f(t, std::span(x.data(), one.size()), std::span(dx.data(), one.size()));
      const double rounding = 1e-14 * one.inner->stiffness * (1 + std::abs(x[0]));
      for (std::size_t i = 0; i < one.inner->size; ++i) {
        const double slope = (after[i] - before[i]) / (2 * h);
        EXPECT_NEAR(dx[i], slope, 1e-5 * (1 + std::abs(slope)) + 100 * rounding) << "seed " << seed << ", " << one.kind;
      }
      if (!one.algebraic) continue;
      EXPECT_NEAR(dx[one.inner->size], 0, 1e-9) << "seed " << seed;
    }
  }
}

}  // namespace
