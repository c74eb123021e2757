#include "sculpting/sculpting_frames.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ensue {
namespace {

using models::tool_motion;

/// Adds the motion of a stroke between two times that no pose lies between; at rest before the first pose and after the last.
void add_motion(sculpting_frame& made, const stroke& of, double from, bool every_frame) {
  const auto& poses = of.poses;
  tool_motion<double> moving;
  moving.start = from < poses.back().time ? poses.front().position : poses.back().position;
  double begins = 0;
  if (from >= poses.front().time && from < poses.back().time) {
    std::size_t first = 0, last = poses.size() - 1;
    if (every_frame) {
      while (poses[first + 1].time <= from) ++first;
      last = first + 1;
    }
    moving = tool_motion<double>::between(poses[first], poses[last]);
    for (std::size_t i = 0; i < 3; ++i) moving.start[i] += moving.velocity[i] * (from - poses[first].time);
    if (from == poses[first].time) begins = poses[last].time - from;
  }
  moving.duration = made.duration;
  made.tools.push_back(moving);
  made.begins.push_back(begins);
}

}  // namespace

std::vector<sculpting_frame> frames_of(std::span<const stroke> strokes, bool every_frame) {
  if (strokes.empty() || strokes.size() > 2) throw std::invalid_argument("ensue: a mesh is moved by one stroke or two");
  std::vector<double> times;
  for (const stroke& each : strokes) {
    if (every_frame)
      for (const auto& pose : each.poses) times.push_back(pose.time);
    times.push_back(each.poses.front().time);
    times.push_back(each.poses.back().time);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<sculpting_frame> frames;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    sculpting_frame& made = frames.emplace_back(sculpting_frame{times[i + 1] - times[i], {}, {}});
    for (const stroke& each : strokes) add_motion(made, each, times[i], every_frame);
  }
  return frames;
}

void taken_along::begin(const sculpting_frame& during, std::span<const stroke> strokes, const vec<double, 3>& x) {
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    if (!(during.begins[k] > 0)) continue;
    const vec<double, 3> r = during.tools[k].from_centre(0., x);
    left_[k] = models::affine_falloff(std::sqrt(dot(r, r)), strokes[k].inner_radius, strokes[k].outer_radius) * during.begins[k];
  }
}

void taken_along::end(const sculpting_frame& during) {
  for (double& left : left_) left = std::max(0., left - during.duration);
}

double taken_along::by_both(const sculpting_frame& during) const { return std::min({left_[0], left_[1], during.duration}); }
double taken_along::by_one(const sculpting_frame& during) const { return std::min(std::max(left_[0], left_[1]), during.duration); }

}  // namespace ensue
