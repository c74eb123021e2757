/// Models and end states belong together, to more digits than a double has: a wrong sign, factor or digit is seen here.
#include <ensue/solve.hpp>

#include <ensue/methods/explicit/vern9.hpp>

#include "reference/problems.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace ensue;
using namespace ensue::tests;

using many_digits = std::vector<long double>;
using function = std::function<void(long double, const many_digits&, many_digits&)>;

TEST(reference_models, reach_their_end_states_in_long_double) {
  for_each_reference_model<long double>([](auto model) {
    const auto start = model.start();
    const many_digits x0(start.begin(), start.end());
    ASSERT_EQ(x0.size(), model.dimension);
    const auto run = solve(function(model), x0, model.span(), vern9{}, {.rtol = 1e-18L, .atol = 1e-18L});
    ASSERT_TRUE(run.finished()) << model.name << ": " << run.message();
    // seen: 1.2e-16 (D5), 2.6e-15 (pleiades), whose errors grow 2400 and 2700 times
    EXPECT_LT(weighted_difference(run.state, end_state_of(model.name)), model.dimension > 4 ? 1e-14 : 1e-15)
        << model.name;
  });
}

}  // namespace
