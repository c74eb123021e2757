/// Events that happen many times within one step: all of them are found.
#include <ensue/ensue.hpp>
#include <ensue/registry.hpp>

#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace ensue;

/// Times of the zeros of sin(turns·π·t), noted while x' = 1 is followed to `to` in a few long steps.
template <class Method> std::vector<double> zeros_found(const Method& method, double turns, double to) {
  std::vector<double> found;
  const auto note = [&](double t, auto&) {
    found.push_back(t);
    return reaction::go_on;
  };
  const event wave{[&](double t, const auto&) { return std::sin(turns * std::numbers::pi * t); }, note};
  const auto run = solve([](double, const auto&, auto& dx) { dx[0] = 1; }, vec{0.}, {0, to}, method, {}, events{wave});
  EXPECT_EQ(run.outcome, outcome::finished);
  EXPECT_LT(run.statistics.steps, 30) << "long steps";
  return found;
}

void expect_all(const std::vector<double>& found, double turns, double to) {
  ASSERT_EQ(found.size(), static_cast<std::size_t>(std::abs(turns * to))) << turns;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], std::copysign(static_cast<double>(i + 1) / turns, to), 1e-13 * std::abs(to)) << turns;
}

TEST(frequent_events, all_are_found_in_long_steps) {
  for (const double turns : {1., 3.7, 12., 50., 100., 330.}) {
    for (const double to : {9.901, -9.901}) expect_all(zeros_found(dp54{}, turns, to), turns, to);
    expect_all(zeros_found(vern7{}, turns, 9.901), turns, 9.901);
  }
}

// A wave that keeps step with the samples of one step does not with those of the next.
TEST(frequent_events, none_hides_between_the_samples) {
  for (double turns = 90; turns < 110; turns += tests::sanitized ? 3.1 : 0.31) expect_all(zeros_found(dp54{}, turns, 9.901), turns, 9.901);
}

TEST(frequent_events, with_a_method_by_name) {
  for (const char* name : {"tsit5", "radau", "bdf", "rodas5p"}) {
    std::size_t count = 0;
    event_list wave({any_event([](double t, std::span<const double>) { return std::sin(100 * std::numbers::pi * t); },
                               [&](double, std::span<double>) {
                                 ++count;
                                 return reaction::go_on;
                               })});
    const std::vector<double> x0{0};
    const auto sim = find_method(name)->make([](double, auto, auto dx) { dx[0] = 1; }, x0, 0, {});
    EXPECT_EQ(observe(*sim, 9.995, wave), outcome::finished) << name;
    EXPECT_EQ(count, 999u) << name;
  }
}

// Where events change the state, the first one of a step happens and the rest of the step is thrown away.
TEST(frequent_events, that_change_the_state) {
  int count = 0;
  const auto flip = change([&](double, auto& x) { x[1] = -x[1], ++count; });
  const event wall{[](double, const auto& x) { return std::abs(x[0]) - 0.01; }, flip, crossing::rising};
  const auto to_and_fro = [](double, const auto& x, auto& dx) { dx[0] = x[1], dx[1] = 0; };
  solve(to_and_fro, vec{0., 1.}, {0, 9.995}, dp54{}, {}, events{wall});
  EXPECT_EQ(count, 500) << "at 0.01, 0.03, … 9.99";
}

}  // namespace
