/// What `ensue compare` measures errors against: two unrelated methods with tight tolerances, and how well they agree.
///
/// An error is the largest |x_i − reference_i| over 20 evenly spaced times and all components, each divided by its scale: the
/// largest value that the component takes, but at least a millionth of the largest scale (a component that is zero but for
/// rounding has no digits to lose).
#pragma once

#include "problems/file_problem.hpp"
#include "time_limit.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ensue::command {

inline constexpr int output_times = 20;
inline constexpr double reference_tolerance = 1e-13;
inline constexpr double stiff_reference_tolerance = 1e-12;  ///< of implicit methods, whose equations are solved to fewer digits

/// No error below this can be told from rounding.
inline constexpr double smallest_error = 1e-13;

/// The part of the time that may go into the reference: half of it for vern9 and dop853, half for radau and rodas5p.
inline constexpr double reference_share = 0.6;

/// The failure after Ctrl-C.
inline constexpr std::string_view cancelled = "cancelled before there was a reference to measure errors against";

struct reference_solution {
  std::array<std::string_view, 2> methods;  ///< vern9 and dop853, or, where those crawl because the problem is stiff, radau and rodas5p
  double tolerance = 0;
  std::vector<double> times;                ///< output_times of them, the last one is the end
  std::vector<std::vector<double>> states;  ///< of the first method, at these times
  std::vector<double> scale;                ///< one a component
  double agreement = 0;                     ///< how far the two methods are apart, as an error
  double agreed_until = 0;                  ///< the last of the times at which they are less than 1e-6 apart; NaN: none
  std::int64_t evaluations = 0;
  std::string failure;  ///< why there is none; empty: there is one

  double distance(std::span<const double> x, std::span<const double> y) const;
  /// Of the output times, as `save_every` (output/save.hpp) counts them from 1: the index of the one that is t.
  std::size_t index_of(double t, double from) const;
};

/// Steps are at most a thousandth of the span, so that short pulses are seen.
reference_solution make_reference(const file_problem& problem, time_limit& limit);

/// The smallest error that the reference can judge.
double judged_from(const reference_solution& reference);

}  // namespace ensue::command
