/// Lorenz's particles with everything of their own, for tests of batches.
#pragma once

#include <ensue/batch/batch.hpp>

#include <random>
#include <vector>

namespace ensue::tests {

/// Lorenz's equations with a ρ for each trajectory.
struct lorenz_family {
  template <class Time, class X, class DX, class P> void operator()(const Time&, const X& u, DX& du, const P& p) const {
    using T = element_of<X>;
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (p[0] - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8. / 3) * u[2];
  }
};

using state3 = vec<double, 3>;
using number = vec<double, 1>;

struct ensemble {
  std::vector<state3> states;
  std::vector<number> parameters;
  std::vector<interval<double>> spans;
  std::vector<trajectory_ending> endings;
};

/// Starts, parameters and spans at random; costs differ tenfold.
inline ensemble random_ensemble(std::size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(-10, 10), rho(0, 28), when(0, 2);
  ensemble made;
  for (std::size_t i = 0; i < count; ++i) {
    made.states.push_back({place(random), place(random), place(random)});
    made.parameters.push_back({rho(random)});
    const double from = when(random) - 1;
    made.spans.push_back({from, from + when(random) - 0.3});
  }
  made.endings.resize(count);
  return made;
}

template <int Lanes, class Method> batch_report run(ensemble& of, const options<std::span<double>>& settings, unsigned threads = 1) {
  batch family{lorenz_family{}, Method{}, settings};
  family.threads = threads;
  return family.template advance_with<Lanes>(of.parameters, of.states, of.spans, of.endings);
}

}  // namespace ensue::tests
