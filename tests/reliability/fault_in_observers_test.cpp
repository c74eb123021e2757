/// Something goes wrong at the n-th call of what watches a run: an event's function, its action, what states are handed to. The integrator is left after its last step, and goes on.
#include "reliability/faulty_runs.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"

#include <ensue/output/events.hpp>
#include <ensue/output/extrema.hpp>
#include <ensue/output/invariant.hpp>
#include <ensue/output/save.hpp>

#include <memory>

namespace {

using namespace ensue;
using namespace ensue::tests;

constexpr const char* watched_calls[] = {"event's function", "event's action", "saved states", "invariant"};

/// One of them misbehaves, by `part`.
outcome watched(any_integrator& sim, double end, diary& log, int part) {
  const auto fault_in = [&](int which, double& number) { return which != part || misbehave(log, number); };
  const any_event swing{[&](double, std::span<const double> x) {
                          double g = x[0] - 0.3;
                          fault_in(0, g);
                          return g;
                        },
                        [&](double, std::span<double>) {
                          double nothing;
                          fault_in(1, nothing);
                          return reaction::go_on;
                        }};
  const auto keep = [&](double, std::span<const double>) {
    double nothing;
    fault_in(2, nothing);
  };
  invariant energy("energy", [&](double, const auto& x) {
    double found = x[0] * x[0];
    fault_in(3, found);
    return found;
  });
  return observe(sim, end, event_list({swing}), save_every(end / 7, keep), energy);
}

/// Turns slowly enough that a step holds several points.
void turning(double, std::span<const double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = -9 * x[0]; }
struct swing {
  void acceleration(double, std::span<const double> q, std::span<double> a) const { a[0] = -9 * q[0]; }
};

struct fault_in_observers_with : testing::TestWithParam<const method_info*> {};

TEST_P(fault_in_observers_with, leaves_the_last_step_and_goes_on) {
  const method_info& method = *GetParam();
  const task one = method.needs == system_needed::any ? task{"turning", turning, {1, 0}, 1, 1. / 32} : task{"swing", swing{}, {1, 0}, 1, 1. / 32};
  const std::vector<moment> right = undisturbed(method, one, true);
  for (int part = 0; part < 4; ++part) {
    diary log;
    const auto counting = method.make(one.f, one.start, 0, settings_for(method, one));
    ASSERT_EQ(watched(*counting, one.end, log, part), outcome::finished) << counting->message();
    const int calls = log.calls;
    ASSERT_GE(calls, 1) << watched_calls[part];
    for (const fault what : {fault::nan, fault::infinity, fault::exception, fault::no_memory}) {
      if (!throws(what) && part != 0) continue;  // they hand nothing over that steps depend on
      for_calls(calls, sanitized, [&](int n) {
        log = {what, n, 0};
        const auto sim = method.make(one.f, one.start, 0, settings_for(method, one));
        outcome how = outcome::finished;
        const bool thrown = threw_as_told(what, [&] { how = watched(*sim, one.end, log, part); });
        const std::string where = std::string(name_of(what)) + " at call " + std::to_string(n) + " of " + std::to_string(calls) + ", " + watched_calls[part];
        if (!thrown) {
          ASSERT_FALSE(throws(what)) << "what was thrown did not arrive: " << where;
          if (how == outcome::finished) {  // only looked beside a sample there, to see which way g goes
            ASSERT_TRUE(std::ranges::equal(sim->state(), right.back().x)) << where;
            return;
          }
          ASSERT_TRUE(how == outcome::event_not_finite) << name_of(how) << ": " << where;
          ASSERT_FALSE(sim->message().empty()) << where;
        }
        auto steps = static_cast<std::size_t>(sim->statistics().steps);
        ASSERT_LT(steps, right.size()) << where;
        if (!thrown && sim->time() != right[steps].t) --steps;  // g is no number: the run goes back to where it was one
        ASSERT_EQ(sim->time(), right[steps].t) << where;
        ASSERT_TRUE(std::ranges::equal(sim->state(), right[steps].x)) << "not the last good state: " << where;
        log.at = 0;
        ASSERT_EQ(watched(*sim, one.end, log, part), outcome::finished) << sim->message() << ": " << where;
        // Going back ends a history, and the steps after it may be others.
        ASSERT_LT(distance(sim->state(), right.back().x), thrown ? 1e-12 : method.sets_pace ? 0.1 : method.adaptive ? 0.01 : 1e-5) << "goes on to another end: " << where;
      });
    }
  }
}

std::vector<const method_info*> methods_of_numbers() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (!is_for_groups(method->needs)) found.push_back(method);
  return found;
}

INSTANTIATE_TEST_SUITE_P(method, fault_in_observers_with, testing::ValuesIn(methods_of_numbers()), name_of_method);

}  // namespace
