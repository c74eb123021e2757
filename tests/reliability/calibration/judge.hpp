/// How far a method is off the known solution of a problem, in errors that its tolerance and the problem explain.
///
/// A method that keeps its tolerance errs by up to w_j(s) = tolerance·(atol_factor + |x_j|) in a step that ends at s, and the problem makes
/// of it dx(t)/dx(s)·w(s) at time t. Allowed is the largest that one such error becomes, and what becomes of one such error in every
/// characteristic time 1/rate of the solution:
///
///     allowed_i(t) = max_s Σ_j |dx_i(t)/dx_j(s)| w_j(s) + rate ∫ Σ_j |dx_i(t)/dx_j(s)| w_j(s) ds
///
/// A ratio of 1 says that the error is one tolerance times the problem's own amplification of errors. |x_j| is the largest within a
/// characteristic time, because a long step's tolerance is that of both of its ends. Where a component passes zero its error does not.
#pragma once

#include "reliability/calibration/problem.hpp"

#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>

#include <string>

namespace ensue::calibration {

/// `allowed_i(t)` for a tolerance of one, from a table over t.
class allowance {
 public:
  explicit allowance(const random_problem& one) : problem_(one), n_(one.inner->size) {
    make_sizes();
    const double to = one.to();
    for (int k = 0; k <= 100; ++k) times_.push_back(to * k / 100);
    for (int k = 0; k < 40; ++k) times_.push_back(to * std::pow(10., -10 + 8. * k / 39));
    std::ranges::sort(times_);
    for (const double t : times_) table_.push_back(at_time(t));
  }

  /// The larger of the two entries beside t.
  vector operator()(double t) const {
    const auto next = std::ranges::lower_bound(times_, t);
    const std::size_t j = std::min<std::size_t>(static_cast<std::size_t>(next - times_.begin()), times_.size() - 1), i = j > 0 ? j - 1 : 0;
    vector larger{};
    for (std::size_t k = 0; k < problem_.size(); ++k) larger[k] = std::max(table_[i][k], table_[j][k]);
    return larger;
  }

 private:
  static constexpr std::size_t samples = 400;

  void make_sizes() {
    std::vector<vector> x;
    for (std::size_t k = 0; k <= samples; ++k) x.push_back(problem_.exact(problem_.to() * static_cast<double>(k) / samples));
    const auto reach = static_cast<std::size_t>(std::ceil(samples / (problem_.inner->rate * problem_.to())));
    for (std::size_t k = 0; k <= samples; ++k) {
      vector largest{};
      for (std::size_t j = k - std::min(k, reach); j <= std::min(samples, k + reach); ++j)
        for (std::size_t i = 0; i < problem_.size(); ++i) largest[i] = std::max(largest[i], std::abs(x[j][i]));
      for (std::size_t i = 0; i < problem_.size(); ++i) largest[i] += problem_.atol_factor;
      sizes_.push_back(largest);
    }
  }
  const vector& size_at(double s) const {
    return sizes_[std::min(samples, static_cast<std::size_t>(s / problem_.to() * samples + 0.5))];
  }

  vector at_time(double t) const {
    vector largest{}, sum{}, before{}, now{};
    double last = t;
    for (int k = -1; k < 80; ++k) {
      const double s = k < 0 ? t : k < 40 ? t - t * std::pow(10., -10 + 8.5 * k / 39) : t * (1 - (k - 39) / 40.);
      if (k >= 0 && !(s < last)) continue;
      contributions(t, s, now);
      for (std::size_t i = 0; i < n_; ++i) {
        largest[i] = std::max(largest[i], now[i]);
        if (k >= 0) sum[i] += (last - s) * (now[i] + before[i]) / 2;
      }
      before = now, last = s;
    }
    vector allowed{};
    for (std::size_t i = 0; i < n_; ++i) allowed[i] = largest[i] + problem_.inner->rate * sum[i];
    if (problem_.algebraic) {
      const vector slope = problem_.algebraic_slope(t);
      allowed[n_] = size_at(t)[n_];
      for (std::size_t i = 0; i < n_; ++i) allowed[n_] += std::abs(slope[i]) * allowed[i];
    }
    return allowed;
  }

  /// What errors of one tolerance in each component at s are at t.
  void contributions(double t, double s, vector& of) const {
    const matrix p = problem_.propagator(t, s);
    vector w = size_at(s);
    if (problem_.algebraic) {  // z's error pushes the others during a characteristic time
      const vector push = problem_.algebraic_push(s);
      for (std::size_t j = 0; j < n_; ++j) w[j] += std::abs(push[j]) * w[n_] / problem_.inner->rate;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      of[i] = 0;
      for (std::size_t j = 0; j < n_; ++j) of[i] += std::abs(p[i][j]) * w[j];
    }
  }

  const random_problem& problem_;
  std::size_t n_;
  std::vector<vector> sizes_, table_;
  std::vector<double> times_;
};

enum place { at_steps, at_points, at_events };
inline constexpr std::string_view places[] = {"steps", "points", "events"};

inline constexpr double thresholds[] = {1, 10, 30, 100, 1000};

/// Of many runs, each with the worst ratio in it.
struct score {
  int runs = 0, within[std::size(thresholds)] = {}, ended_early = 0;
  double worst = 0, worst_tolerance = 0;
  std::uint64_t worst_seed = 0;

  void add(double ratio, double tolerance, std::uint64_t seed) {
    ++runs;
    for (std::size_t k = 0; k < std::size(thresholds); ++k) within[k] += ratio <= thresholds[k];
    if (!(ratio <= worst)) worst = ratio, worst_tolerance = tolerance, worst_seed = seed;
  }
  double share(std::size_t k) const { return runs > 0 ? static_cast<double>(within[k]) / runs : 1; }
};

/// One method on one problem.
struct finding {
  double ratio[std::size(places)] = {0, 0, 0};
  bool has_event = false, finished = true;
  std::string ending;  ///< of a run that did not finish
};

/// NaN counts as infinitely wrong.
inline double ratio_at(const random_problem& one, const allowance& allowed, double tolerance, double t, std::span<const double> x) {
  const vector exact = one.exact(t), bound = allowed(t);
  double worst = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double rounding = 1e-13 * (std::abs(exact[i]) + bound[i]);
    const double ratio = std::max(0., std::abs(x[i] - exact[i]) - rounding) / (tolerance * bound[i]);
    if (!(ratio <= worst)) worst = ratio >= 0 ? ratio : std::numeric_limits<double>::infinity();
  }
  return worst;
}

/// bdf's order is 1 to 5; the registry names that of its fixed steps.
inline bool has_high_order(const method_info& method) { return method.order >= 3 || method.name == "bdf"; }

/// A method of low order would take most of the time. One that uses up its evaluations says so, and is judged as far as it came.
inline std::int64_t most_evaluations(const method_info& method) { return has_high_order(method) ? 20'000 : 4'000; }

inline finding judge(const random_problem& one, const allowance& allowed, const method_info& method, double tolerance) {
  const options<std::span<double>> settings{
      .rtol = tolerance, .atol = tolerance * one.atol_factor, .max_evaluations = most_evaluations(method)};
  const vector at_start = one.exact(0);
  const std::span<const double> start(at_start.data(), one.size());
  finding found;
  const auto note = [&](place where, double ratio) { found.ratio[where] = std::max(found.ratio[where], ratio); };

  // step ends, nobody looking between them
  const auto alone = method.make(one.model(), start, 0, settings);
  outcome how = outcome::finished;
  while (how == outcome::finished && alone->time() != one.to()) {
    how = alone->step_towards(one.to());
    note(at_steps, ratio_at(one, allowed, tolerance, alone->time(), alone->state()));
  }
  if (how != outcome::finished) found.finished = false, found.ending = alone->message();

  // points between, and an event
  const auto watched = method.make(one.model(), start, 0, settings);
  double nearest = std::numeric_limits<double>::infinity();
  found.has_event = one.passes > 0;
  const any_event passage{[&](double, std::span<const double> x) { return found.has_event ? x[one.watched] - one.level : 1; },
                          [&](double t, std::span<double>) {
                            if (std::abs(t - one.passes) < std::abs(nearest)) nearest = t - one.passes;
                            return reaction::go_on;
                          }};
  const auto see = [&](double t, std::span<const double> x) { note(at_points, ratio_at(one, allowed, tolerance, t, x)); };
  how = observe(*watched, one.to(), save_at(one.points, see), event_list({passage}));
  if (how != outcome::finished) found.finished = false, found.ending = watched->message();
  if (watched->time() < one.passes) found.has_event = false;
  if (found.has_event) {
    const double off = std::max(0., std::abs(nearest) - 1e-13 * one.passes);
    found.ratio[at_events] = off * one.speed / (tolerance * allowed(one.passes)[one.watched]);
  }
  return found;
}

}  // namespace ensue::calibration
