/// Whether the estimate of `ensue solve --check` bounds the true error: the command's own functions on a random problem file.
#pragma once

#include "check.hpp"
#include "problems/problem_file.hpp"

#include "reliability/calibration/written_problem.hpp"

#include <cmath>
#include <string>

namespace ensue::calibration {

struct judged_check {
  double error = 0;     ///< the true one, over the output points and at the end
  double estimate = 0;  ///< NaN: there is none
  double rounding = 0;  ///< errors up to this are not the method's
  bool unseen = false, events_differ = false;
  std::int64_t evaluations = 0, evaluations_of_check = 0;
  std::string ending, failed;

  bool has_estimate() const { return estimate == estimate; }
  /// NaN counts as wrong.
  double ratio() const { return error <= rounding ? 0 : error / estimate; }
  bool holds() const { return ratio() <= 3; }
};

inline judged_check judge_check(const written_problem& one) {
  judged_check found;
  const problem_reading reading = read_problem(one.text);
  for (const problem_error& wrong : reading.errors) throw std::logic_error(wrong.text("problem") + "\n" + one.text);
  const file_problem problem = std::move(*reading.file->make().problem);
  options<std::span<double>> settings;
  if (one.step > 0) settings.step = one.step;
  settings.rtol = one.rtol, settings.atol = one.atol, settings.max_evaluations = 100'000;

  command::checked_rows rows(problem.start.size());
  command::run_watch watch;
  if (one.between_points > 0) watch.points = one.between_points;
  double largest = 0, before_last = 0, scale = 0;
  const auto off = [&](std::span<const double> x, const std::vector<double>& exact) {
    double distance = 0;
    for (std::size_t i = 0; i < x.size(); ++i) distance = std::fmax(distance, std::abs(x[i] - exact[i])), scale = std::fmax(scale, std::abs(exact[i]));
    return distance;
  };
  watch.take = [&](const command::row& each) {
    rows.points.keep(each.t, each.state);
    if (std::abs(std::abs(each.t) - one.jumps_at) < 0.01 * one.span) return;  // beside a jump an error in time is none of the state
    before_last = largest;
    largest = std::fmax(largest, off(each.state, one.exact(each.t)));
  };
  watch.each_step = [&](double t, std::span<const double> x) { rows.steps.keep(t, x); };
  const command::run_result run = command::run_observed(problem, *one.method, *problem.to, settings, watch);
  rows.points.finish();
  rows.steps.finish();
  // A run that is stopped by an event errs where it stops, not by when.
  const bool stopped = run.ending.how == outcome::stopped_by_event;
  found.error = run.ending.how == outcome::finished || stopped ? std::fmax(stopped ? before_last : largest, off(run.state, one.exact_at_end())) : largest;
  found.rounding = 2e-13 * scale;
  found.ending = run.message;

  const command::check_result checked = command::check(problem, run, rows, settings, {});
  found.estimate = checked.difference ? checked.difference->largest : NAN;
  found.failed = checked.failed;
  found.unseen = checked.unseen_count > 0;
  found.events_differ = !checked.events.empty();
  found.evaluations = run.statistics.evaluations, found.evaluations_of_check = checked.evaluations;
  return found;
}

}  // namespace ensue::calibration
