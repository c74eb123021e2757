#include "sculpting/stroke.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace ensue {
namespace {

constexpr std::size_t bytes_of_pose = 36, bytes_around_poses = 28;

class stroke_reader {
 public:
  stroke_reader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  stroke read() {
    if (bytes_.size() < bytes_around_poses) refuse(bytes_.size(), "the file ends, expected a stroke of at least 28 bytes");
    if (const std::uint32_t version = word(); version != 0) refuse(0, "version " + std::to_string(version) + ", expected 0");
    const std::uint32_t poses = word();
    if (poses == 0) refuse(4, "no poses, expected at least one");
    if (const std::uint64_t expected = bytes_around_poses + std::uint64_t{poses} * bytes_of_pose; expected != bytes_.size())
      refuse(4, std::to_string(poses) + " poses take " + std::to_string(expected) + " bytes, and the file has " +
                    std::to_string(bytes_.size()));
    stroke made;
    made.poses.reserve(poses);
    for (std::uint32_t i = 0; i < poses; ++i) made.poses.push_back(pose(made.poses));
    const std::size_t at_radii = at_;
    made.inner_radius = number();
    made.outer_radius = number();
    if (!(made.inner_radius >= 0 && made.outer_radius > made.inner_radius)) refuse(at_radii, "radii, expected 0 <= inner < outer");
    made.elastic = word() != 0;
    made.stiffness = number();
    const std::size_t at_compressibility = at_;
    made.compressibility = number();
    if (!(made.compressibility > -1 && made.compressibility <= 0.5))
      refuse(at_compressibility, "a compressibility, expected more than -1 and at most 0.5");
    return made;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& what) const {
    throw file_error(std::string(name_) + ": byte " + std::to_string(at) + ": " + what);
  }

  std::uint32_t word() {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += 4;
    return value;
  }

  double number() {
    const float value = std::bit_cast<float>(word());
    if (!std::isfinite(value)) refuse(at_ - 4, "a number that is not finite");
    return static_cast<double>(value);
  }

  models::tool_pose<double> pose(const std::vector<models::tool_pose<double>>& before) {
    models::tool_pose<double> made;
    const std::size_t begin = at_;
    for (double& x : made.position) x = number();
    for (double& x : made.orientation.elements) x = number();
    const double length = std::sqrt(made.orientation.squared_norm());
    if (!(length > 0.5 && length < 2)) refuse(begin + 12, "an orientation, expected a quaternion of length 1");
    for (double& x : made.orientation.elements) x /= length;
    made.scale = number();
    if (!(made.scale > 0)) refuse(begin + 28, "a scale, expected a positive number");
    made.time = number();
    if (!before.empty() && made.time < before.back().time)
      refuse(begin + 32, "a time before that of the last pose, expected times that do not decrease");
    return made;
  }

  std::string_view bytes_, name_;
  std::size_t at_ = 0;
};

}  // namespace

stroke stroke_of(std::string_view bytes, std::string_view name) { return stroke_reader(bytes, name).read(); }

stroke read_stroke(const std::string& path) { return stroke_of(bytes_of_file(path, most_bytes_of_stroke), path); }

}  // namespace ensue
