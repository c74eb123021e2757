/// Jumps of f in time, between which the solution is a straight line and every error estimate is rounding: no method steps over them.
#include "reliability/square_wave.hpp"
#include "support/registered.hpp"

#include <cmath>
#include <numbers>

namespace {

using namespace ensue;
using namespace ensue::tests;
using std::numbers::pi;

struct jumps : testing::TestWithParam<const method_info*> {};

TEST_P(jumps, of_a_switch_are_not_stepped_over) {
  const system_function switched = [](double t, auto, auto dx) { dx[0] = std::sin(t) > 0 ? 1 : -1; };
  for (const double to : {10., 20., 50., 100.}) {
    const auto run = GetParam()->make(switched, std::vector<double>{0}, 0, {});
    ASSERT_EQ(run->advance_to(to), outcome::finished) << run->message();
    const double rest = std::fmod(to, 2 * pi);
    EXPECT_NEAR(run->state()[0], rest < pi ? rest : 2 * pi - rest, 0.01) << to;
  }
}

TEST_P(jumps, of_square_waves_are_not_stepped_over) {
  for (const double tolerance : {1e-4, 1e-6, 1e-9})
    for (int i = 1; i < 12; ++i) {
      const square_wave wave{0.5 + 1.37 * i, 0.36 + 0.03 * (i % 10)};
      const auto run = GetParam()->make(wave, std::vector<double>{0}, 0, {.rtol = tolerance, .atol = tolerance});
      ASSERT_EQ(run->advance_to(20 + 10 * i), outcome::finished) << run->message();
      EXPECT_NEAR(run->state()[0], wave.at(20 + 10 * i), 0.1 * wave.period * (1 - wave.part)) << "period " << wave.period << " part " << wave.part << " tolerance " << tolerance;
    }
}

/// A mass that rests, is pushed for a while, and is braked: its path is made of parabolas.
TEST_P(jumps, of_a_force_are_not_stepped_over) {
  const system_function pushed = [](double t, auto x, auto dx) { dx[0] = x[1], dx[1] = t < 2 ? 0 : t < 4 ? 1 : t < 6 ? 0 : t < 8 ? -1 : 0; };
  const auto run = GetParam()->make(pushed, std::vector<double>{0, 0}, 0, {});
  ASSERT_EQ(run->advance_to(10), outcome::finished) << run->message();
  EXPECT_NEAR(run->state()[0], 8, 0.1);
  EXPECT_NEAR(run->state()[1], 0, 0.01);
}

/// Without step doubling of Euler's and the midpoint method: their last look is at the middle of a step, or at three quarters of it.
std::vector<const method_info*> methods() {
  std::vector<const method_info*> found = registered_adaptive_methods();
  std::erase_if(found, [](const method_info* each) { return each->name == "doubling(euler)" || each->name == "doubling(midpoint)"; });
  return found;
}
INSTANTIATE_TEST_SUITE_P(method, jumps, testing::ValuesIn(methods()), name_of_method);

}  // namespace
