/// Runs as `ensue solve` makes them, measured against a reference (reference_solution.hpp).
#pragma once

#include "reference_solution.hpp"

#include <ensue/registry.hpp>

#include <cstdint>
#include <string>

namespace ensue::command {

/// A fixed step, or tolerances.
struct run_setting {
  double step = 0;
  double rtol = 0, atol = 0;

  /// "--step 0.05", "--rtol 1e-06 --atol 1e-07"; numbers read back to the same double.
  std::string options() const;
};

/// Of a run that is looked at the output times, as that of the advised command is.
struct measured_run {
  run_setting setting;
  outcome ending = outcome::finished;
  std::int64_t evaluations = 0, steps = 0, rejected = 0;
  double seconds = 0;  ///< of the processor
  double error = 0;    ///< the largest at the output times; infinite if the run did not finish
  double drift = 0;    ///< largest of all invariants, absolute, at every step; NaN without invariants
  bool stiff = false;
};

/// The same command where nothing between steps is looked at, as without --output: implicit methods take other steps then.
struct unwatched_run {
  outcome ending = outcome::finished;
  double error = 0;  ///< at the end
  double drift = 0;
  double shortest_step = 0, longest_step = 0;  ///< without the first two and the last

  /// How many times longer the longest step is; not finite where the run has too few steps.
  double variation() const { return longest_step / shortest_step; }
};

class laboratory {
 public:
  laboratory(const file_problem& problem, const reference_solution& reference, time_limit& limit)
      : problem_(problem), reference_(reference), limit_(limit) {}

  const reference_solution& reference() const { return reference_; }
  const file_problem& problem() const { return problem_; }
  time_limit& limit() const { return limit_; }
  double to() const { return *problem_.to; }
  double span() const { return to() > problem_.from ? to() - problem_.from : problem_.from - to(); }

  /// The step that makes `count` steps between two output times.
  run_setting fixed(std::int64_t count) const;
  /// rtol with the atol that goes with it: rtol times the power of ten below the smallest scale, at most rtol.
  run_setting adaptive(double rtol) const;

  /// All three end with `cancelled` when the time is over.
  measured_run measure(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const;
  unwatched_run run_unwatched(const method_info& method, const run_setting& setting) const;
  /// Whether a run with this step stays bounded: within the scales, times 1.01 for each step up to 10.
  bool is_stable(const method_info& method, double step, std::int64_t most_evaluations) const;

 private:
  options<std::span<double>> settings_of(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const;
  measured_run measure_once(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const;

  const file_problem& problem_;
  const reference_solution& reference_;
  time_limit& limit_;
};

}  // namespace ensue::command
