/// No finished answer of an implicit method is wrong by more than a tenth, whatever the tolerance (tolerance_scan.hpp). Every tenth
/// tolerance of the 201 that bench/tolerance_scan.cpp tries.
#include "reliability/tolerance_scan.hpp"

#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue;
using namespace ensue::tests;

struct tolerance_scan_of : testing::TestWithParam<const method_info*> {};

TEST_P(tolerance_scan_of, finds_no_finished_answer_that_is_wrong) {
  for (const scanned_problem& problem : scanned_problems()) {
    const scan_result result = scan(problem, *GetParam(), sanitized ? 50 : 10, 100'000);
    EXPECT_EQ(result.wrong, 0) << problem.name << ": of " << result.finished << " finished runs; the worst is off by " << result.worst
                               << " of the component's largest value at rtol = " << result.worst_tolerance;
    // Not L-stable, or of order 1, a method may need more evaluations than it is given; it says so.
    const bool surely_finishes = GetParam()->l_stable && GetParam()->order > 1;
    EXPECT_TRUE(result.finished == result.runs || !surely_finishes) << problem.name << ": " << result.unfinished;
  }
}

INSTANTIATE_TEST_SUITE_P(method, tolerance_scan_of, testing::ValuesIn(scanned_methods()), name_of_method);

}  // namespace
