/// The time of strokes in stretches, and for how long their tools take a vertex along in each.
#pragma once

#include "sculpting/stroke.hpp"

#include <span>
#include <vector>

namespace ensue {

/// A stretch of time in which every tool moves steadily; the tools' times count from its start.
struct sculpting_frame {
  double duration = 0;
  std::vector<models::tool_motion<double>> tools;  ///< one a stroke
  /// One a stroke: how long its tool moves steadily from here on, which may be for more than this frame; 0 where that began before, or it rests.
  std::vector<double> begins;
};

/// From pose to pose of each stroke, or from its first to its last: a frame ends where any of them does. Throws std::invalid_argument unless there is one stroke or two.
std::vector<sculpting_frame> frames_of(std::span<const stroke> strokes, bool every_frame);

/// For how long the tools of an affine field take a vertex along. Its distance from a tool is looked at where that tool begins a steady motion, and nowhere else: what the other tool
/// does changes nothing about it.
class taken_along {
 public:
  /// At the start of a frame, with the vertex where it is then.
  void begin(const sculpting_frame& during, std::span<const stroke> strokes, const vec<double, 3>& x);
  void end(const sculpting_frame& during);

  /// Times in the frame: both tools together up to the first, then the stronger alone up to the second.
  double by_both(const sculpting_frame& during) const;
  double by_one(const sculpting_frame& during) const;
  bool second_is_stronger() const { return left_[1] > left_[0]; }

 private:
  double left_[2] = {};
};

}  // namespace ensue
