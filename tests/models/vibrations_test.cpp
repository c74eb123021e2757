/// Bars and strings against textbooks: how far a load bends a cantilever, how fast it swings, how fast a wave runs; each nearer the finer the mesh.
#include "support/sanitized.hpp"
#include "published/textbook.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ensue;
using namespace ensue::textbook;

/// Linear elements are too stiff, the less the finer they are, with the square of their size: what two sizes say of none at all is the textbook's,
/// but for the 0.6 % by which a bar that is not thin is softer than Euler and Bernoulli's beam, which does not shear.
void expect_stiffness_of_the_textbook(double coarse, double fine) {
  EXPECT_NEAR((coarse - 1) / (fine - 1), 4, 0.4);
  EXPECT_NEAR(without_mesh(coarse, fine), 1, 0.01);
}
TEST(vibrations, a_load_bends_a_cantilever_as_the_textbook_says) {
  if (tests::sanitized) GTEST_SKIP() << "`ensue verify` computes the same there";
  expect_stiffness_of_the_textbook(1 / cantilever_deflection(2), 1 / cantilever_deflection(4));
}
TEST(vibrations, a_cantilever_swings_as_the_textbook_says) {
  if (tests::sanitized) GTEST_SKIP() << "seconds, in which the test of `ensue verify` does the same";
  const auto stiffness = [](double frequency) { return frequency * frequency; };
  expect_stiffness_of_the_textbook(stiffness(cantilever_frequency(2)), stiffness(cantilever_frequency(4)));
}

TEST(vibrations, a_wave_runs_along_a_string_as_the_textbook_says) {
  EXPECT_NEAR(string_wave_speed(26), 1, 5e-3);
  EXPECT_NEAR(string_wave_speed(101), 1, 1e-6);
}

/// A standing wave along a chain; what is off is Verlet's, (ωh)²/24.
TEST(vibrations, a_chain_swings_with_the_frequency_of_its_dispersion) {
  for (const int mode : {1, 10, 35}) EXPECT_NEAR(chain_frequency(mode), 1, 2e-6) << mode;
}

/// Verlet's h < 2/ω_max, which for a long chain is √(m/k).
TEST(vibrations, a_chain_is_stable_up_to_the_step_that_is_said_of_it) { EXPECT_NEAR(chain_stable_step(), 1, 0.01); }

TEST(vibrations, a_hanging_chain_becomes_a_catenary) {
  const hanging_shape seen = catenary();
  EXPECT_NEAR(seen.sag, 1, 2e-3);
  EXPECT_LT(seen.off_the_curve, 2e-3);
}

}  // namespace
