/// Every nonstiff reference problem with every adaptive method of the registry at 1e-4, 1e-7 and 1e-10: the true error at the
/// end is at most 300 tolerances, 1000 for the chaotic problem.
///
/// The tolerance is rtol = atol. Control and judgement use the same norm, max |error|/(atol + rtol·|x|). A method that goes on
/// with its less accurate solution (`doubling`) estimates the error that it makes, so that the errors of N steps are N
/// tolerances; such a method is run with `error_per::unit_step`, and the others, whose estimate is of a solution that they throw
/// away, with the default, `error_per::step`.
///
/// The table of all results is docs/reference-errors.md; there is the command that writes it.
#include "reference/problems.hpp"
#include "reference/table.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

/// Ten runs of 480 end above the bound (docs/measurements.md): on the orbits, which magnify errors 200 to 2400 times, the estimates
/// of three methods are too small for the long steps of a loose tolerance. They are named, so that no other joins them; nor do those of
/// implicit methods, which are not made for orbits.
bool is_known_to_miss(const reference_problem& p, const method_info& method, double tolerance) {
  if (method.name == "bdf") return true;  // errors of its many steps have one sign and add up
  if (p.name[0] != 'D') return false;
  if (method.name == "esdirk4") return true;
  if (method.name == "trbdf2") return p.name == "D5";
  if (method.name == "rkf45") return tolerance == 1e-4 || p.name == "D3";
  return tolerance == 1e-4 && (method.name == "dp54" || method.name == "doubling(euler)" || method.name == "backward-euler");
}

double bound_of(const reference_problem& p, const method_info& method, double tolerance) {
  return (p.name == chaotic ? 1000 : 300) * (is_known_to_miss(p, method, tolerance) ? 5 : 1);
}

bool estimates_its_own_error(const method_info& method) { return method.order <= method.embedded_order(); }

/// Evaluations that a run may take. A method of order p takes steps of about tolerance^(1/p). Where these are 1e-4 or less, it
/// may end with `too_many_evaluations`, at a state as accurate as any; where they are below 1e-8, that is all there is to see.
std::int64_t budget_of(const method_info& method, double tolerance) {
  const double step = std::pow(tolerance, 1. / method.order);
  const bool too_many_matrices = method.evaluations.differentiates && step < 1e-3;
  const bool too_slow = sanitized && !method.evaluations.differentiates;  // those that do need the evaluations, and few steps
  return too_slow || too_many_matrices || step < 1e-8 ? 200'000 : 5'000'000;
}
bool may_need_more(const method_info& method, double tolerance) {
  return std::pow(tolerance, 1. / method.order) < (sanitized || method.evaluations.differentiates ? 1.01e-3 : 1.01e-4);
}

const std::vector<double> tolerances = sanitized ? std::vector{1e-4, 1e-7} : std::vector{1e-4, 1e-7, 1e-10};  // the last: most of the time

void expect_accurate(const reference_problem& p, const method_info& method, direction way) {
  const double growth = reference_table_path() ? error_growth(p) : 0;
  for (const double tolerance : tolerances) {
    SCOPED_TRACE(testing::Message() << p.name << " from " << p.from << " to " << p.to << ", " << method.name
                                    << ", tolerance " << tolerance);
    const std::int64_t budget = budget_of(method, tolerance);
    const auto run =
        method.make(p.f, p.start, p.from,
                    {.rtol = tolerance,
                     .atol = tolerance,
                     .norm = norms::maximum,
                     .control = {.per = estimates_its_own_error(method) ? error_per::unit_step : error_per::step},
                     .max_evaluations = budget});
    const outcome how = run->advance_to(p.to);
    const bool finished = how == outcome::finished;
    EXPECT_TRUE(finished || (how == outcome::too_many_evaluations && may_need_more(method, tolerance)))
        << run->message();
    EXPECT_FALSE(run->ending().stiff()) << run->message();
    const std::int64_t evaluations = run->statistics().evaluations;
    EXPECT_LE(evaluations, budget);

    const double difference = finished ? weighted_difference(run->state(), p.end)
                                       : weighted_difference(run->state(), state_at(run->time(), p.f, p.start, p.from));
    const double error = difference / tolerance;
    EXPECT_LE(error, bound_of(p, method, tolerance)) << "at t = " << run->time();
    reference_table().add({p.name, method.name, way, tolerance, growth, error, evaluations, finished});
  }
}

using problem_and_method = std::tuple<const reference_problem*, const method_info*>;

std::string name_of_both(const testing::TestParamInfo<problem_and_method>& info) {
  const auto& [problem, method] = info.param;
  return problem->name + "_" + name_of_method({method, 0});
}

/// Of the problems, those that `wanted` holds for.
template <class Wanted> std::vector<const reference_problem*> problems(Wanted wanted) {
  std::vector<const reference_problem*> found;
  for (const reference_problem& p : reference_problems())
    if (wanted(p)) found.push_back(&p);
  return found;
}

struct nonstiff : testing::TestWithParam<problem_and_method> {};
TEST_P(nonstiff, ends_within_300_tolerances) {
  const auto [problem, method] = GetParam();
  expect_accurate(*problem, *method, direction::forwards);
}
INSTANTIATE_TEST_SUITE_P(reference, nonstiff,
                         testing::Combine(testing::ValuesIn(problems([](const auto&) { return true; })),
                                          testing::ValuesIn(registered_adaptive_methods())),
                         name_of_both);

/// Those that can be run from their end to their start. A tolerance for each of the 20 units of time, grown 15 times, makes
/// 300 tolerances. What decays forwards (A1, A2, B2, B3) grows backwards; of the others errors grow 64 times (B1) to
/// 20 000 times (D5, into the close passage at which it started).
bool well_conditioned_backwards(const reference_problem& p) {
  return p.name == "A3" || p.name == "A4" || p.name == "A5" || p.name == "B4";
}

struct nonstiff_backwards : testing::TestWithParam<problem_and_method> {};
TEST_P(nonstiff_backwards, ends_within_300_tolerances) {
  const auto [problem, method] = GetParam();
  expect_accurate(backwards(*problem), *method, direction::backwards);
}
INSTANTIATE_TEST_SUITE_P(reference, nonstiff_backwards,
                         testing::Combine(testing::ValuesIn(problems(well_conditioned_backwards)),
                                          testing::ValuesIn(registered_adaptive_methods())),
                         name_of_both);

TEST(nonstiff_problems, are_as_well_conditioned_backwards_as_is_said_of_them) {
  for (const reference_problem& p : reference_problems())
    EXPECT_EQ(well_conditioned_backwards(p), error_growth(backwards(p)) < 15) << p.name;
}

TEST(nonstiff_problems, all_have_a_reference_and_all_references_a_problem) {
  ASSERT_EQ(reference_problems().size(), end_states().size());
  for (std::size_t i = 0; i < end_states().size(); ++i)
    EXPECT_EQ(reference_problems()[i].name, end_states()[i].problem);
}

const auto* const environment = testing::AddGlobalTestEnvironment(new reference_table_writer);

}  // namespace
