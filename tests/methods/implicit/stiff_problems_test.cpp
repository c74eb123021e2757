/// The classical stiff problems, to their published ends.
#include <ensue/models/stiff.hpp>
#include <ensue/registry.hpp>

#include "published/end_states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace ensue;

struct settings {
  const char* method;
  double tolerance;
};

/// The error at the end in units of what is allowed: rtol·|x_i| + atol with rtol = tolerance, in the maximum norm.
template <template <class> class Model> void expect_the_end(double atol_over_rtol) {
  using model = Model<double>;
  for (const settings& each : {settings{"rosenbrock23", 1e-4}, {"rodas5p", 1e-4}, {"rodas5p", 1e-7}, {"trbdf2", 1e-4}, {"esdirk4", 1e-4},
                              {"esdirk4", 1e-7}, {"esdirk4", 1e-10}}) {
    const auto start = model::start();
    const auto span = model::span();
    const double rtol = each.tolerance, atol = atol_over_rtol * each.tolerance;
    const method_info& method = *find_method(each.method);
    const auto run = method.make(model{}, std::span(start.data(), start.size()), span.from, {.rtol = rtol, .atol = atol});
    ASSERT_EQ(run->advance_to(span.to), outcome::finished) << run->message();
    const auto& end = end_state_of(model::name);
    double worst = 0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      const double exact = static_cast<double>(end[i]);
      worst = std::max(worst, std::abs(run->state()[i] - exact) / (rtol * std::abs(exact) + atol));
    }
    EXPECT_LT(worst, method.order > 2 ? 100 : 200) << model::name << ", " << each.method << " at " << each.tolerance;
    const auto& spent = run->statistics();
    testing::Test::RecordProperty(std::string(model::name) + "_" + each.method + "_" + std::to_string(std::lround(-std::log10(rtol))),
                                  std::to_string(spent.steps) + " steps, " + std::to_string(spent.evaluations) + " evaluations, error " +
                                      std::to_string(worst));
    EXPECT_FALSE(run->ending().stiff());
  }
}

TEST(stiff_problems, hires) { expect_the_end<models::hires>(1e-3); }
TEST(stiff_problems, orego) { expect_the_end<models::orego>(1); }
TEST(stiff_problems, rober) { expect_the_end<models::rober>(1e-6); }
TEST(stiff_problems, vdpol) { expect_the_end<models::vdpol>(1); }

}  // namespace
