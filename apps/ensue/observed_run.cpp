#include "observed_run.hpp"

#include "problems/problem_model.hpp"

#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ensue::command {
namespace {

// The larger one; an undefined one stays.
bool raise(double& largest, double value) {
  if (!(value > largest) && !std::isnan(value)) return false;
  largest = value;
  return true;
}

struct quadrature_point {
  double place, weight;  ///< on [−1, 1]
};

/// Gauss and Legendre's, of order 6, 10 or 14 (Abramowitz & Stegun, table 25.4): a step's error in the quadrature is to be smaller than the method's own.
std::span<const quadrature_point> gauss_points(int order_of_method) {
  static constexpr quadrature_point three[] = {{-0.7745966692414834, 0.5555555555555556}, {0.0, 0.8888888888888888},
                                               {0.7745966692414834, 0.5555555555555556}};
  static constexpr quadrature_point five[] = {{-0.906179845938664, 0.23692688505618908}, {-0.5384693101056831, 0.47862867049936647},
                                              {0.0, 0.5688888888888889}, {0.5384693101056831, 0.47862867049936647},
                                              {0.906179845938664, 0.23692688505618908}};
  static constexpr quadrature_point seven[] = {{-0.9491079123427585, 0.1294849661688697}, {-0.7415311855993945, 0.27970539148927664},
                                               {-0.4058451513773972, 0.3818300505051189}, {0.0, 0.4179591836734694},
                                               {0.4058451513773972, 0.3818300505051189}, {0.7415311855993945, 0.27970539148927664},
                                               {0.9491079123427585, 0.1294849661688697}};
  if (order_of_method < 5) return three;
  if (order_of_method < 9) return five;
  return seven;
}

/// Whether the states that the method gives inside a step are further off than a step's end, so much that its ledger would show that instead of the
/// method's error. (A ledger with another method's states inside steps is for those that need no f': an explicit method has to follow.)
bool has_coarse_inside(const method_info& method) { return method.dense_order + 1 < method.order && !method.evaluations.differentiates; }

/// Of an integrator whose every advance is one step.
const options<std::span<double>> in_one_step{.step = 1e300};

/// Invariants at every step, the exact solution at the output points.
class evidence {
 public:
  evidence(const file_problem& problem, const run_watch& watch, run_result& out)
      : invariants_(problem.invariants),
        exact_(problem.exact),
        components_(problem.exact_components),
        system_(problem.system),
        watch_(watch),
        out_(out),
        values_(invariants_.size()) {
    if (watch.ledger && invariants_.size() > 0) {
      rates_.emplace(problem.rates());
      if (has_coarse_inside(*out.method)) flow_ = find_method("vern9")->make(problem.system, problem.start, problem.from, in_one_step);
    }
    invariants_.evaluate(problem.from, problem.start);
    for (std::size_t i = 0; i < invariants_.size(); ++i)
      out_.invariants.push_back({invariants_.names()[i], drift_record(problem.from, invariants_[i]), {}});
    if (rates_)
      for (watched_invariant& one : out_.invariants) one.account.emplace();
    if (exact_.size() > 0) out_.error.emplace();
  }

  /// At the end of a step, or of the part of one before an event.
  void look(double t, std::span<const double> x) {
    if (invariants_.size() == 0) return;
    invariants_.evaluate(t, x);
    for (std::size_t i = 0; i < invariants_.size(); ++i) out_.invariants[i].seen.add(t, invariants_[i]);
  }

  /// What happens to the invariants within a step, by a quadrature of Gauss, and at its start, where an event may have been.
  template <class Step> void account(const Step& step, viewed_buffer<std::span<double>>& x) {
    step.at(step.from, x);
    invariants_.evaluate(step.from, as_argument(x));
    for (std::size_t i = 0; i < invariants_.size(); ++i) out_.invariants[i].account->events += invariants_[i] - out_.invariants[i].seen.final;
    if (flow_) flow_->set_state(step.from, as_argument(x));
    const double half = (step.to - step.from) / 2, middle = step.from + half;
    for (const auto& [place, weight] : gauss_points(out_.method->order)) {
      const double t = middle + place * half;
      if (flow_) flow_->advance_to(t);
      else step.at(t, x);
      rates_->evaluate(t, flow_ ? flow_->state() : as_argument(x));
      for (std::size_t i = 0; i < rates_->size(); ++i) out_.invariants[i].account->physics += weight * half * (*rates_)[i];
    }
  }

  bool wants_points() const { return out_.error || watch_.take; }

  void point(double t, std::span<const double> x) {
    if (!wants_points()) return;
    if (out_.error) {
      exact_.evaluate(t, x);
      out_.error->begin(t);
      for (std::size_t i = 0; i < exact_.size(); ++i)
        out_.error->take(components_[i], std::abs(x[components_[i]] - exact_[i]));
      if (exact_.size() == x.size()) {
        truth_.resize(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) truth_[components_[i]] = exact_[i];
        out_.error->take_apart(x, truth_, system_);
      }
    }
    last_t_ = t;
    last_.assign(x.begin(), x.end());
    if (!watch_.take) return;
    if (!values_.empty()) invariants_.evaluate(t, x);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = invariants_[i];
    watch_.take({t, x, values_});
  }

  auto watch(any_integrator& sim) {
    struct watcher {
      evidence& into;
      viewed_buffer<std::span<double>> x;
      bool stiff = false;

      bool looks_between_steps() const { return into.rates_.has_value(); }
      void see(const observed_step<any_integrator>& step) {
        if (into.rates_) into.account(step, x);
        if (into.invariants_.size() > 0) {
          step.at(step.to, x);
          into.look(step.to, as_argument(x));
        }
        const report& now = step.integrator().ending();
        if (!stiff && now.stiff() && into.watch_.when_stiff) into.watch_.when_stiff(now);
        stiff = stiff || now.stiff();
      }
      /// The state reached: the last point, and what an event at the very end has made of it.
      void finish(any_integrator& sim) {
        into.look(sim.time(), sim.state());
        if (sim.time() != into.last_t_ || !std::ranges::equal(sim.state(), into.last_))
          into.point(sim.time(), sim.state());
      }
    };
    return watcher{*this, sim.snapshot()};
  }

 private:
  expression_values invariants_, exact_;
  std::vector<std::size_t> components_;
  expression_system system_;
  std::optional<expression_values> rates_;
  std::unique_ptr<any_integrator> flow_;  ///< gives the states inside steps, where the method's own are too coarse
  std::vector<double> truth_;
  const run_watch& watch_;
  run_result& out_;
  std::vector<double> values_;  ///< of the invariants, at a point
  double last_t_ = 0;           ///< the last point
  std::vector<double> last_;
};

/// The events of a file, noted as they happen. Both arguments outlive them.
event_list events_of(const file_problem& problem, std::vector<happened_event>& happened) {
  std::vector<any_event> all;
  for (std::size_t i = 0; i < problem.events.size(); ++i) {
    const file_event& event = problem.events[i];
    const auto g = [function = event.function](double t, std::span<const double> x) mutable {
      function.evaluate(t, x);
      return function[0];
    };
    const auto act = [changes = event.changes, i, &event, &happened](double t, std::span<double> x) mutable {
      happened.push_back({i, t});
      if (!event.sets.empty()) changes.evaluate(t, x);
      bool changed = false;  // the state: where it stays as it is, the method need not start again
      for (std::size_t j = 0; j < event.sets.size(); ++j) {
        double& component = x[event.sets[j]];
        changed = changed || component != changes[j];
        component = changes[j];
      }
      return event.stops ? reaction::stop : changed ? reaction::change : reaction::go_on;
    };
    all.emplace_back(g, act, event.direction).changes_state = !event.sets.empty();
  }
  event_list list(std::move(all));
  list.motion_is_f = !problem.system.offers_mass_matrix();
  return list;
}

template <class Callback> auto observer_of(every_step, Callback callback) { return save_steps(callback); }
template <class Callback> auto observer_of(double distance, Callback callback) {
  return save_every(distance, callback);
}
template <class Callback> auto observer_of(const std::vector<double>& times, Callback callback) {
  return save_at(times, callback);
}

}  // namespace

void largest_distance::take(std::size_t which, double distance) {
  raise(at_end, distance);
  if (!raise(largest, distance)) return;
  t = now_;
  component = which;
}

void largest_distance::take_apart(std::span<const double> x, std::span<const double> truth, expression_system& f) {
  if (x.size() < 2 || f.offers_mass_matrix()) return;  // on a line there is nowhere but early and late; and f is not always where x goes
  direction_.resize(x.size());
  f(now_, truth, direction_);
  const error_parts now = taken_apart(x, truth, direction_);
  if (!parts) parts.emplace();
  if (!(std::abs(now.late) <= std::abs(parts->late))) parts->late = now.late;
  raise(parts->shape, now.shape);
}

std::string ending_in_words(const file_problem& problem, const report& ending, const method_info& method) {
  std::vector<std::string> events;
  for (const file_event& each : problem.events) events.push_back(each.name);
  return sentence(ending, std::string(method.name).c_str(), {problem.names, events});
}

run_result run_observed(const file_problem& problem, const method_info& method, double to,
                        options<std::span<double>> settings, const run_watch& watch) {
  settings.cancel = watch.interrupted;
  const auto began = std::chrono::steady_clock::now();
  const auto run = method.make(model_of(problem, method), problem.start, problem.from, settings);
  const std::chrono::duration<double> made = std::chrono::steady_clock::now() - began;
  run_result result = run_observed(problem, method, *run, to, watch);
  result.seconds += made.count();
  return result;
}

run_result run_observed(const file_problem& problem, const method_info& method, any_integrator& sim, double to, const run_watch& watch) {
  run_result result;
  result.method = &method;
  const auto began = std::chrono::steady_clock::now();

  progress_line progress(problem.from, to, watch.progress);
  run_watch seen = watch;
  if (watch.when_stiff)
    seen.when_stiff = [&](const report& noticed) {
      progress.clear();
      watch.when_stiff(noticed);
    };
  evidence proof(problem, seen, result);
  const auto run_with = [&](auto&&... observers) {
    if (problem.events.empty()) observe(sim, to, observers..., proof, progress);
    else observe(sim, to, observers..., proof, progress, events_of(problem, result.events));
  };
  const auto run_with_steps = [&](auto&&... observers) {
    if (watch.each_step) run_with(save_steps(std::cref(watch.each_step)), observers...);
    else run_with(observers...);
  };
  const auto point = [&](double t, std::span<const double> x) { proof.point(t, x); };
  if (watch.extrema) run_with(result.extrema);
  else if (!proof.wants_points()) run_with_steps();  // a step that nobody looks at costs a quarter less
  else std::visit([&](const auto& points) { run_with_steps(observer_of(points, point)); }, watch.points);

  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  result.ending = sim.ending();
  result.message = ending_in_words(problem, result.ending, method);
  result.t = sim.time();
  result.state.assign(sim.state().begin(), sim.state().end());
  result.statistics = sim.statistics();
  return result;
}

}  // namespace ensue::command
