/// A ball that bounces twice, in either direction of time: what a method remembers of one side of a change is wrong on the other.
#pragma once

#include <ensue/integrator.hpp>
#include <ensue/output/events.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ensue::tests {

/// Bounces at the times of a free fall from 1, where each one takes a fifth of the speed.
template <class Method> void expect_bounces(double tolerance, double near) {
  for (const double direction : {1., -1.}) {
    const auto f = [direction](double, const vec<double, 2>& x, vec<double, 2>& dx) {
      dx[0] = direction * x[1], dx[1] = direction * -9.81;
    };
    std::vector<double> times;
    event bounce{[](double, const auto& x) { return x[0]; },
                 change([&](double t, auto& x) { times.push_back(t), x[1] = -0.8 * x[1]; }), crossing::any};
    integrator sim{f, vec{1., 0.}, Method{}, {.rtol = tolerance, .atol = tolerance}};
    EXPECT_EQ(observe(sim, 2. * direction, events{bounce}), outcome::finished);
    ASSERT_GE(times.size(), 2u);
    const double fall = std::sqrt(2 / 9.81);
    EXPECT_NEAR(times[0] * direction, fall, near);
    EXPECT_NEAR(times[1] * direction, fall * (1 + 2 * 0.8), 10 * near);
  }
}

}  // namespace ensue::tests
