#include "observed_run.hpp"

#include <ensue/control/fixed_grid.hpp>

#include <chrono>
#include <cmath>

namespace ensue::command {
namespace {

/// An integrator that returns after every step on its way to one end: the steps are those of `advance_to(end)`.
class stepwise {
 public:
  stepwise(const expression_system& system, const method_info& method, std::span<const double> start, double from,
           double to, options<std::span<double>> settings)
      : to_(to), step_(settings.step), grow_(settings.control.grow) {
    settings.cancel = &end_of_attempt_;
    // Fixed steps: each advance is one, even where the difference of two rounded times is not quite the step.
    settings.divide = division::even;
    if (step_ > 0) steps_left_ = divide_span(from, to, step_, division::shorten_last).count;
    integrator_ = method.make(
        [f = system, this](double t, std::span<const double> x, std::span<double> dx) mutable {
          end_of_attempt_.store(one_attempt_, std::memory_order_relaxed);
          f(t, x, dx);
        },
        start, from, settings);
  }
  stepwise(const stepwise&) = delete;
  stepwise& operator=(const stepwise&) = delete;

  /// Towards the end by at least an attempt and at most an accepted step. False: it is over.
  bool advance() {
    const outcome how = step_ > 0 ? fixed_step() : adaptive_step();
    return how == outcome::cancelled || (how == outcome::finished && integrator_->time() != to_);
  }

  /// Ends the run where it is.
  void cancel() {
    one_attempt_ = true;
    end_of_attempt_ = true;
    integrator_->advance_to(to_);
  }

  const any_integrator& integrator() const { return *integrator_; }

 private:
  outcome fixed_step() {
    end_of_attempt_ = one_attempt_ = false;
    return --steps_left_ > 0 ? integrator_->advance(to_ < integrator_->time() ? -step_ : step_)
                             : integrator_->advance_to(to_);
  }

  // `step()` knows no end to stop at, and `advance_to` does not stop before it. Far from the end, where no step can reach it,
  // the first does; elsewhere the second does, cancelled from inside f after one attempt.
  outcome adaptive_step() {
    const double t = integrator_->time();
    const double reach = 3 * grow_ * std::abs(t - before_);
    one_attempt_ = !(reach > 0 && std::abs(to_ - t) > reach);
    end_of_attempt_ = false;
    const outcome how = one_attempt_ ? integrator_->advance_to(to_) : integrator_->step(to_ < t);
    if (integrator_->time() != t) before_ = t;
    return how;
  }

  std::unique_ptr<any_integrator> integrator_;
  std::atomic<bool> end_of_attempt_ = false;
  bool one_attempt_ = false;
  double to_, step_, grow_;
  double before_ = std::numeric_limits<double>::quiet_NaN();  // the time before the last accepted step
  std::int64_t steps_left_ = 0;
};

// The larger one; an undefined one stays.
void raise(double& largest, double value) {
  if (value > largest || std::isnan(value)) largest = value;
}

class observer {
 public:
  observer(const file_problem& problem, run_result& out)
      : invariants_(problem.invariants), exact_(problem.exact), components_(problem.exact_components), out_(out) {
    invariants_.evaluate(problem.from, problem.start);
    for (std::size_t i = 0; i < invariants_.size(); ++i)
      out_.invariants.push_back({invariants_.names()[i], invariants_[i], invariants_[i], 0});
    if (exact_.size() > 0) out_.error.emplace();
    observe(problem.from, problem.start);
  }

  void observe(double t, std::span<const double> x) {
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

 private:
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
};

}  // namespace

run_result run_observed(const file_problem& problem, const method_info& method, double to,
                        options<std::span<double>> settings, const std::atomic<bool>& interrupted,
                        const std::function<void(const report&)>& when_stiff) {
  run_result result;
  result.method = &method;
  const auto began = std::chrono::steady_clock::now();
  observer watch(problem, result);
  stepwise run(problem.system, method, problem.start, problem.from, to, settings);
  const any_integrator& sim = run.integrator();
  std::int64_t steps = 0;
  bool stiff = false;
  for (bool under_way = true; under_way;) {
    under_way = run.advance();
    if (sim.statistics().steps != steps) watch.observe(sim.time(), sim.state());
    steps = sim.statistics().steps;
    if (!stiff && sim.ending().stiff()) {
      stiff = true;
      when_stiff(sim.ending());
    }
    if (under_way && interrupted.load(std::memory_order_relaxed)) {
      run.cancel();
      break;
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  result.ending = sim.ending();
  result.message = sim.message();
  result.t = sim.time();
  result.state.assign(sim.state().begin(), sim.state().end());
  result.statistics = sim.statistics();
  return result;
}

}  // namespace ensue::command
