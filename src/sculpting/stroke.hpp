/// Recorded strokes of a sculpting tool.
///
///     const stroke pull = read_stroke("test0_righthandstroke.bin");
///     const auto tool = models::tool_motion<float>::between(pull.poses.front(), pull.poses.back());
///
/// The format of Facebook's sculpting-and-simulations-sample, little-endian: u32 version (0), u32 n; n poses of float position[3], quaternion[4]
/// (r, i, j, k), scale, time; float inner_radius, outer_radius; u32 elastic; float stiffness, compressibility. Metres and seconds.
#pragma once

#include "meshes/file_bytes.hpp"

#include <ensue/models/sculpting_tool.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ensue {

struct stroke {
  std::vector<models::tool_pose<double>> poses;  ///< at least one; times do not decrease
  double inner_radius = 0, outer_radius = 0;     ///< 0 ≤ inner < outer
  bool elastic = false;
  double stiffness = 1, compressibility = 0.5;  ///< μ and ν
};

/// Throws file_error with the byte and what was expected there.
stroke read_stroke(const std::string& path);
stroke stroke_of(std::string_view bytes, std::string_view name);

inline constexpr std::size_t most_bytes_of_stroke = std::size_t{1} << 26;

}  // namespace ensue
