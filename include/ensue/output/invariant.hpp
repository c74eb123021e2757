/// A quantity that should not change along a run (energy, a momentum, a mass), and by how much it does.
///
///     ensue::invariant energy{"energy", [](double, const auto& x) { return 0.5 * x[1] * x[1] - std::cos(x[0]); }};
///     ensue::solve(pendulum{}, x0, {0, 100}, ensue::dp54{}, {}, energy);
///     energy.seen.initial, energy.seen.final, energy.seen.largest, energy.seen.trend().slope
#pragma once

#include <ensue/output/drift.hpp>
#include <ensue/output/observe.hpp>

#include <string>
#include <utility>

namespace ensue {

template <class F> class invariant {
 public:
  invariant(std::string called, F quantity) : name(std::move(called)), quantity_(std::move(quantity)) {}

  std::string name;
  drift_record seen{0, 0};  ///< at the ends of the steps of the last run watched

  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      invariant& into;
      std::remove_cvref_t<decltype(sim.snapshot())> x;

      void see(const observed_step<Integrator>& s) {
        s.at(s.to, x);
        into.seen.add(static_cast<double>(s.to), static_cast<double>(into.quantity_(s.to, std::as_const(as_argument(x)))));
      }
    };
    watcher w{*this, sim.snapshot()};
    seen = drift_record(static_cast<double>(sim.time()), static_cast<double>(quantity_(sim.time(), std::as_const(as_argument(w.x)))));
    return w;
  }

 private:
  F quantity_;
};
template <class F> invariant(const char*, F) -> invariant<F>;

}  // namespace ensue
