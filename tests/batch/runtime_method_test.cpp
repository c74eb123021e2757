// A table read at run time gives in lanes, bit for bit, what it gives alone: sweeps of problem files run so.
#include "batch/lorenz_ensemble.hpp"

#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/runtime_method.hpp>
#include <ensue/methods/explicit/tsit5.hpp>

#include <gtest/gtest.h>

namespace ensue::tests {
namespace {

template <class Number> ensemble advanced(ensemble all, const runtime_method& method) {
  const options<std::span<double>> settings{.rtol = 1e-6, .atol = 1e-8};
  const batch_task task{rows_of(all.states), rows_of(all.parameters), batch_spans<double>(all.spans), std::span(all.endings)};
  shared_work work(all.states.size(), 64);
  const batch_report report = advance_share<Number, batch_steps::adaptive>(lorenz_family{}, method, settings, task, work);
  EXPECT_TRUE(report.all_finished()) << report.message();
  return all;
}

TEST(runtime_method_in_lanes, is_the_one_alone) {
  const ensemble start = random_ensemble(300);
  for (const runtime_tableau& table : {runtime_tableau::from(tsit5::table), runtime_tableau::from(dop853::table)}) {
    const runtime_method method(table);
    const ensemble alone = advanced<double>(start, method),
                   in_lanes = advanced<number_of_lanes<double, preferred_lanes<double>>>(start, method);
    EXPECT_EQ(alone.states, in_lanes.states);
    EXPECT_EQ(alone.endings, in_lanes.endings);
    EXPECT_NE(alone.states, start.states);
  }
}

}  // namespace
}  // namespace ensue::tests
