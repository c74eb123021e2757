/// What `ensue compare` measures: a reference that two unrelated methods agree on, and runs against it.
///
/// An error is the largest |x_i − reference_i| over 20 evenly spaced times and all components, each divided by its scale: the
/// largest value that the component takes, but at least a millionth of the largest scale (a component that is zero but for
/// rounding has no digits to lose).
#pragma once

#include "../../src/file_problem.hpp"

#include <ensue/registry.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ensue::command {

inline constexpr int output_times = 20;
inline constexpr double reference_tolerance = 1e-13;
inline constexpr double stiff_reference_tolerance = 1e-12;  ///< of implicit methods, whose equations are solved to fewer digits

/// A fixed step, or tolerances.
struct run_setting {
  double step = 0;
  double rtol = 0, atol = 0;

  /// "--step 0.05", "--rtol 1e-06 --atol 1e-07"; numbers read back to the same double.
  std::string options() const;
};

struct measured_run {
  run_setting setting;
  outcome ending = outcome::finished;
  std::int64_t evaluations = 0, steps = 0, rejected = 0;
  double seconds = 0;  ///< of the processor, for the run alone
  double error = 0;    ///< infinite if the run did not finish
  double drift = 0;    ///< largest of all invariants, absolute, at every step; NaN without invariants
  double shortest_step = 0, longest_step = 0;  ///< without the first two and the last
  bool stiff = false;
};

struct reference_solution {
  std::array<std::string_view, 2> methods;  ///< vern9 and dop853, or, where those crawl because the problem is stiff, radau and rodas5p
  double tolerance = 0;
  std::vector<double> times;                ///< output_times of them, the last one is the end
  std::vector<std::vector<double>> states;  ///< at these times
  std::vector<double> scale;                ///< one a component
  double agreement = 0;                     ///< how far the two methods are apart, as an error
  double agreed_until = 0;                  ///< the last of the times at which they are less than 1e-6 apart; NaN: none
  std::int64_t evaluations = 0;
  std::string failure;  ///< why there is none; empty: there is one
};

/// Of the processor, since the program began.
double processor_seconds();

class laboratory {
 public:
  laboratory(const file_problem& problem, double to);

  const reference_solution& reference() const { return reference_; }
  const file_problem& problem() const { return problem_; }
  double to() const { return to_; }
  double span() const { return to_ > problem_.from ? to_ - problem_.from : problem_.from - to_; }

  /// The step that makes `count` steps between two output times.
  run_setting fixed(std::int64_t count) const;
  /// rtol with the atol that goes with it: rtol times the power of ten below the smallest scale, at most rtol.
  run_setting adaptive(double rtol) const;

  /// Runs it alone, then once more, watched at every step.
  measured_run measure(const method_info& method, const run_setting& setting, std::int64_t most_evaluations) const;

  /// Whether a run with this step stays bounded: within the scales, times 1.01 for each step up to 10.
  bool is_stable(const method_info& method, double step, std::int64_t most_evaluations) const;

 private:
  std::unique_ptr<any_integrator> made(const method_info& method, const run_setting& setting,
                                       std::int64_t most_evaluations) const;
  void make_reference();
  bool make_reference(const std::array<std::string_view, 2>& methods, double tolerance);
  void watch(const method_info& method, measured_run& run, std::int64_t most_evaluations) const;
  double error_at(any_integrator& continued, double from, double t, std::span<const double> x, std::int64_t step) const;
  double distance(std::span<const double> x, std::span<const double> y) const;

  const file_problem& problem_;
  double to_;
  reference_solution reference_;
};

}  // namespace ensue::command
