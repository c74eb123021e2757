// A flat net of springs at rest, hung by two corners: the velocities in its plane are nothing but the rounding of positions a thousand times as large as what
// moves them, and steps that are solved to the last digit have to see that.
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/implicit/backward_euler.hpp>
#include <ensue/methods/implicit/trbdf2.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::models;

struct hung_net {
  static constexpr std::size_t side = 3;
  static constexpr double spacing = 0.05;
  spring_net net;
  particle_system<springs> model;

  explicit hung_net(double stiffness)
      : net(lattice({.across = side, .down = side, .spacing = spacing, .mass = 1, .stiffness = stiffness})),
        model(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs)) {
    model.fix(0), model.fix(side - 1);
  }
  template <class Method> auto fall(const Method& method, const options<std::vector<double>>& settings) const {
    return solve(model, at_rest(net.positions), {0, 0.25}, method, settings);
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size() / 2; ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

template <class Method> class flat_net : public testing::Test {};
using methods = testing::Types<backward_euler, trbdf2>;
TYPED_TEST_SUITE(flat_net, methods);

TYPED_TEST(flat_net, falls_in_steps_of_any_length) {
  for (const double stiffness : {1e5, 1e8})
    for (const double rate : {120., 960.}) {
      const auto run = hung_net(stiffness).fall(TypeParam{}, {.step = 1 / rate});
      EXPECT_TRUE(run.finished()) << "k/m = " << stiffness << ", " << rate << " Hz: " << run.message();
    }
}

TEST(flat_net_by_trbdf2, goes_where_it_has_to) {
  const hung_net net(1e5);
  const auto exact = net.fall(dop853{}, {.rtol = 1e-9, .atol = 1e-10});
  ASSERT_TRUE(exact.finished());
  const double coarse = largest_difference(net.fall(trbdf2{}, {.step = 1 / 1000.}).state, exact.state),
               fine = largest_difference(net.fall(trbdf2{}, {.step = 1 / 2000.}).state, exact.state);
  EXPECT_LT(coarse, 0.01 * hung_net::spacing);
  EXPECT_NEAR(coarse / fine, 4, 1.5);  // second order
}

}  // namespace
