#include "reference_solution.hpp"

#include "problems/problem_model.hpp"

#include <ensue/control/fixed_grid.hpp>
#include <ensue/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

constexpr std::int64_t most_evaluations_of_reference = 20'000'000, most_while_stiff = 1'000'000;

/// Different for the two methods, so that they do not look at the same times.
constexpr std::array least_steps = {1000., 1300.};

struct reference_pair {
  std::array<std::string_view, 2> methods;
  double tolerance;
};
constexpr reference_pair usual_pair = {{"vern9", "dop853"}, reference_tolerance};
constexpr reference_pair stiff_pair = {{"radau", "rodas5p"}, stiff_reference_tolerance};

class reference_maker {
 public:
  reference_maker(const file_problem& problem, time_limit& limit) : problem_(problem), to_(*problem.to), limit_(limit) {}

  reference_solution make() {
    const double half = limit_.seconds() * reference_share / 2;
    const bool others_may_do = attempt(usual_pair, half);
    if (others_may_do && !limit_.is_interrupted()) {
      const double first_reached = reached_;
      reference_solution first = std::move(out_);
      attempt(stiff_pair, 2 * half);
      const bool first_is_nearer = std::abs(first_reached - problem_.from) > std::abs(reached_ - problem_.from);
      if (!out_.failure.empty() && !first.failure.empty() && first_is_nearer) out_ = std::move(first);
    }
    if (limit_.is_interrupted()) out_.failure = cancelled;
    return std::move(out_);
  }

 private:
  // Returns whether other methods may succeed: these were stiff, or too slow.
  bool attempt(const reference_pair& pair, double until) {
    limit_.allow_until(until);
    begin(pair);
    std::vector<std::vector<double>> second;
    for (std::size_t i = 0; i < 2; ++i) {
      limit_.doing(fmt::format("the reference, by {} at a tolerance of {}", pair.methods[i], pair.tolerance));
      if (const bool made = follow(pair, i, i == 0 ? out_.states : second); !made) return others_may_do_;
    }
    compare_with(second);
    return false;
  }

  void begin(const reference_pair& pair) {
    out_ = {};
    out_.methods = pair.methods;
    out_.tolerance = pair.tolerance;
    const double dt = (to_ - problem_.from) / output_times;
    for (int k = 1; k <= output_times; ++k) out_.times.push_back(k == output_times ? to_ : grid_time(problem_.from, k, dt));
    out_.scale.assign(problem_.start.size(), 0);
    enlarge_scale(problem_.start);
  }

  void enlarge_scale(std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i) out_.scale[i] = std::max(out_.scale[i], std::abs(x[i]));
  }

  bool follow(const reference_pair& pair, std::size_t which, std::vector<std::vector<double>>& states) {
    const method_info& method = *find_method(pair.methods[which]);
    options<std::span<double>> settings;
    settings.rtol = pair.tolerance;
    settings.atol = 1e-3 * pair.tolerance;
    settings.max_step = std::abs(to_ - problem_.from) / least_steps[which];
    if (problem_.solver.max_step) settings.max_step = std::min(settings.max_step, *problem_.solver.max_step);
    settings.max_evaluations = most_evaluations_of_reference;
    settings.cancel = limit_.over();
    const auto sim = method.make(model_of(problem_, method), problem_.start, problem_.from, settings);
    for (const double t : out_.times) {
      while (sim->time() != t) {
        if (sim->step_towards(t) != outcome::finished) return fail(pair, *sim);
        others_may_do_ = sim->ending().stiff() && sim->statistics().evaluations > most_while_stiff;
        if (others_may_do_) return false;
        enlarge_scale(sim->state());
      }
      states.emplace_back(sim->state().begin(), sim->state().end());
    }
    out_.evaluations += sim->statistics().evaluations;
    return true;
  }

  bool fail(const reference_pair& pair, const any_integrator& sim) {
    const bool too_slow = sim.ending().how == outcome::cancelled;
    others_may_do_ = too_slow || sim.ending().stiff();
    reached_ = sim.time();
    const std::string who = fmt::format("{} at a tolerance of {}", sim.info().name, pair.tolerance);
    if (too_slow)
      out_.failure = fmt::format(
          "{} reached t = {:.6g} of {:.6g} in its part of --patience, which is {:g} s. Give more patience, or shorten the run with --to.", who,
          sim.time(), to_, limit_.seconds());
    else out_.failure = fmt::format("{}: {}", who, sim.message());
    return false;
  }

  void compare_with(const std::vector<std::vector<double>>& second) {
    const double largest = *std::max_element(out_.scale.begin(), out_.scale.end());
    for (double& scale : out_.scale) scale = largest > 0 ? std::max(scale, 1e-6 * largest) : 1;
    out_.agreed_until = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < second.size(); ++k) {
      out_.agreement = std::max(out_.agreement, out_.distance(out_.states[k], second[k]));
      if (out_.agreement < 1e-6) out_.agreed_until = out_.times[k];
    }
  }

  const file_problem& problem_;
  const double to_;
  time_limit& limit_;
  reference_solution out_;
  bool others_may_do_ = false;
  double reached_ = 0;  ///< by the one that failed
};

}  // namespace

double reference_solution::distance(std::span<const double> x, std::span<const double> y) const {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - y[i]) / scale[i];
    if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return largest;
}

std::size_t reference_solution::index_of(double t, double from) const {
  return static_cast<std::size_t>(std::llround((t - from) / (times.back() - from) * output_times)) - 1;
}

reference_solution make_reference(const file_problem& problem, time_limit& limit) { return reference_maker(problem, limit).make(); }

double judged_from(const reference_solution& reference) { return std::max(smallest_error, 3 * reference.agreement); }

}  // namespace ensue::command
