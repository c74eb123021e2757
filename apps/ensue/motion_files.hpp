/// Motion as files that others play: a frame as OBJ, PLY or VTK's PolyData, all frames as PVD (ParaView) or as one animated glTF (.glb).
///
///     const motion_shape shape{particles, triangles, lines};
///     write(frame_text(shape, positions, frame_format::vtp));
///     animation film(shape);
///     film.add(t, positions);                                // in the order of time
///     write(film.glb());
///
/// Positions are three numbers a particle. What has neither triangles nor lines is drawn as points, in a .glb as small balls.
#pragma once

#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ensue::command {

struct motion_shape {
  std::size_t particles = 0;
  std::vector<vec<std::uint32_t, 3>> triangles = {};
  std::vector<vec<std::uint32_t, 2>> lines = {};
};

enum class frame_format : unsigned char { obj, ply, vtp };

std::string frame_text(const motion_shape& shape, std::span<const double> positions, frame_format format);

/// ParaView's list of frames: times and file names. Kitware, VTK file formats, "XML file formats".
std::string pvd_text(std::span<const std::pair<double, std::string>> frames);

/// Frames in memory, in single precision, for one file of the Khronos Group's glTF 2.0 (2021). Triangles and lines move by morph targets, one a frame;
/// bodies by translations. Of more than `most_frames` every second one, every third, … is taken. z points up in it, as in most simulations, y as glTF has it: the scene is turned.
class animation {
 public:
  static constexpr std::size_t most_frames = 500;

  explicit animation(motion_shape shape) : shape_(std::move(shape)) {}
  void add(double t, std::span<const double> positions);
  std::size_t frames() const { return times_.size(); }
  /// No frame makes no file: empty.
  std::string glb() const;

 private:
  motion_shape shape_;
  std::vector<float> times_, positions_;
};

}  // namespace ensue::command
