#include "observed_run.hpp"

#include <ensue/output/observe.hpp>

#include <chrono>
#include <cmath>

namespace ensue::command {
namespace {

// The larger one; an undefined one stays.
void raise(double& largest, double value) {
  if (value > largest || std::isnan(value)) largest = value;
}

/// Invariants and the distance from the exact solution at every step, stiffness when it is noticed.
class evidence {
 public:
  evidence(const file_problem& problem, run_result& out, const std::function<void(const report&)>& when_stiff)
      : invariants_(problem.invariants),
        exact_(problem.exact),
        components_(problem.exact_components),
        out_(out),
        when_stiff_(when_stiff) {
    invariants_.evaluate(problem.from, problem.start);
    for (std::size_t i = 0; i < invariants_.size(); ++i)
      out_.invariants.push_back({invariants_.names()[i], invariants_[i], invariants_[i], 0});
    if (exact_.size() > 0) out_.error.emplace();
    look(problem.from, problem.start);
  }

  auto watch(any_integrator&) {
    struct watcher {
      evidence& into;
      void see(const observed_step<any_integrator>& step) {
        const any_integrator& sim = step.integrator();
        into.look(sim.time(), sim.state());
        if (!into.stiff_ && sim.ending().stiff()) into.when_stiff_(sim.ending());
        into.stiff_ = sim.ending().stiff();
      }
    };
    return watcher{*this};
  }

 private:
  void look(double t, std::span<const double> x) {
    if (invariants_.size() > 0) {
      invariants_.evaluate(t, x);
      for (std::size_t i = 0; i < invariants_.size(); ++i) {
        watched_invariant& watched = out_.invariants[i];
        watched.final = invariants_[i];
        raise(watched.largest_drift, std::abs(invariants_[i] - watched.initial));
      }
    }
    if (out_.error) measure(*out_.error, t, x);
  }

  void measure(measured_error& error, double t, std::span<const double> x) {
    exact_.evaluate(t, x);
    error.at_end = 0;
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      const double distance = std::abs(x[components_[i]] - exact_[i]);
      raise(error.at_end, distance);
      if (!(distance > error.largest) && !std::isnan(distance)) continue;
      error.largest = distance;
      error.t = t;
      error.component = components_[i];
    }
  }

  expression_values invariants_, exact_;
  std::vector<std::size_t> components_;
  run_result& out_;
  const std::function<void(const report&)>& when_stiff_;
  bool stiff_ = false;
};

}  // namespace

run_result run_observed(const file_problem& problem, const method_info& method, double to,
                        options<std::span<double>> settings, const std::atomic<bool>& interrupted,
                        const std::function<void(const report&)>& when_stiff) {
  run_result result;
  result.method = &method;
  const auto began = std::chrono::steady_clock::now();
  settings.cancel = &interrupted;
  const auto run = method.make(problem.system, problem.start, problem.from, settings);
  any_integrator& sim = *run;
  observe(sim, to, evidence(problem, result, when_stiff));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  result.ending = sim.ending();
  result.message = sim.message();
  result.t = sim.time();
  result.state.assign(sim.state().begin(), sim.state().end());
  result.statistics = sim.statistics();
  return result;
}

}  // namespace ensue::command
