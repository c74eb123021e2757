/// How steps are controlled so that what is asked for, the worst error of a vertex at the end, holds.
#pragma once

#include "sculpting/sculpting.hpp"
#include "sculpting/sculpting_frames.hpp"

#include <ensue/options.hpp>

namespace ensue {

/// How a method's steps are controlled: the share of the error asked for that one of them is allowed, the lengths of the first and the longest
/// in radii of the tool, the band in which steps stay as they are, and the law's safety. At last the share that floats may err by in a step.
struct step_control {
  double allowance, first_step, longest_step, keep, safety, of_floats;
};

/// How carefully a vertex is moved by a Kelvinlet (sculpting_control.cpp says why).
enum class sculpting_care : int {
  usual = 0,
  ahead = 1,   ///< the tool comes towards the vertex: shorter steps, so that none passes by it unseen
  on_axis = 2  ///< close to the line that the tool moves along, where errors grow most: a smaller share of the error as well
};

/// The line along which a tool moves, and where beside it care is needed.
template <class T> struct sculpting_line {
  vec<T, 3> start, direction;
  T on_axis_from, ahead_from;  ///< along the line
  T beside_axis;               ///< the square of the distance from it

  /// As bits of sculpting_care. Without branches: a compiler looks at several vertices at once.
  int care_of(const vec<T, 3>& x) const {
    const T r[3] = {x[0] - start[0], x[1] - start[1], x[2] - start[2]};
    const T along = r[0] * direction[0] + r[1] * direction[1] + r[2] * direction[2];
    const T beside = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - along * along;
    const bool is_on_axis = (along > on_axis_from) & (beside < beside_axis);
    return (is_on_axis ? static_cast<int>(sculpting_care::on_axis) : 0) | (along > ahead_from ? static_cast<int>(sculpting_care::ahead) : 0);
  }
};

/// Of one run. Refers to what it is made of.
class sculpting_control {
 public:
  sculpting_control(std::span<const vec<float, 3>> vertices, std::span<const sculpting_frame> frames, std::span<const stroke> strokes, const sculpting_settings& settings);

  /// Whether floats have the digits for it. Where they have not, vertices are moved in doubles.
  bool floats_suffice() const;

  /// Whether care depends on where a vertex is: for the Kelvinlet of one tool that moves along a line. Everywhere else it is the same for all.
  bool differs_by_vertex() const { return care_ == care_by::vertex; }
  template <class T> sculpting_line<T> line_of(const sculpting_frame& during) const;

  /// For the steps in one of the frames, of numbers with this epsilon.
  options<std::span<double>> options_of(const sculpting_frame& during, double epsilon, sculpting_care care = sculpting_care::usual) const;

 private:
  enum class care_by : unsigned char { nothing, vertex, path, two_tools };

  double digits(double epsilon) const { return 1.1 * epsilon * largest_coordinate_; }

  std::span<const stroke> strokes_;
  const sculpting_settings& settings_;
  step_control control_;
  care_by care_ = care_by::nothing;
  double largest_coordinate_;
  double frames_of_step_ = 1;  ///< how many the longest step would span, if they did not end it
};

}  // namespace ensue
