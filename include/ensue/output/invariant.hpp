/// A quantity that should not change along a run (energy, a momentum, a mass), and by how much it does.
///
///     ensue::invariant energy{"energy", [](double, const auto& x) { return 0.5 * x[1] * x[1] - std::cos(x[0]); }};
///     ensue::solve(pendulum{}, x0, {0, 100}, ensue::dp54{}, {}, energy);
///     energy.initial, energy.final, energy.drift, energy.drift_time
#pragma once

#include <ensue/output/observe.hpp>

#include <string>
#include <utility>

namespace ensue {

template <class F, class real = double> class invariant {
 public:
  invariant(std::string called, F quantity) : name(std::move(called)), quantity_(std::move(quantity)) {}

  std::string name;
  real initial = 0;     ///< at the start of the last run watched
  real final = 0;       ///< at its end
  real drift = 0;       ///< the largest |value − initial| at the end of a step; NaN once the quantity is no number
  real drift_time = 0;  ///< when that was

  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      invariant& into;
      std::remove_cvref_t<decltype(sim.snapshot())> x;

      void see(const observed_step<Integrator>& s) {
        s.at(s.to, x);
        into.look(s.to, std::as_const(as_argument(x)));
      }
    };
    watcher w{*this, sim.snapshot()};
    initial = final = quantity_(sim.time(), std::as_const(as_argument(w.x)));
    drift = 0;
    drift_time = sim.time();
    return w;
  }

 private:
  template <class State> void look(const real& t, const State& x) {
    final = quantity_(t, x);
    const real away = magnitude(final - initial);
    if (!(away <= drift) && drift == drift) {
      drift = away;
      drift_time = t;
    }
  }

  F quantity_;
};
template <class F> invariant(const char*, F) -> invariant<F>;

}  // namespace ensue
