/// How steps are controlled so that what is asked for, the worst error of a vertex at the end, holds.
#pragma once

#include "sculpting.hpp"
#include "sculpting_frames.hpp"

#include <ensue/control/options.hpp>

namespace ensue {

/// How a method's steps are controlled: the share of the error asked for that one of them is allowed, the lengths of the first and the longest
/// in radii of the tool, the band in which steps stay as they are, and the law's safety.
struct step_control {
  double allowance, first_step, longest_step, keep, safety;
};

/// Of one run. Refers to what it is made of.
class sculpting_control {
 public:
  sculpting_control(std::span<const vec<float, 3>> vertices, std::span<const sculpting_frame> frames, std::span<const stroke> strokes, const sculpting_settings& settings);

  /// Whether floats have the digits for it. Where they have not, vertices are moved in doubles.
  bool floats_suffice() const;

  /// For the steps in one of the frames, of numbers with this epsilon.
  options<std::span<double>> options_of(const sculpting_frame& during, double epsilon) const;

 private:
  double digits(double epsilon) const { return 1.1 * epsilon * largest_coordinate_; }

  std::span<const stroke> strokes_;
  const sculpting_settings& settings_;
  step_control control_;
  double largest_coordinate_;
  double frames_of_step_ = 1;  ///< how many the longest step would span, if they did not end it
};

}  // namespace ensue
