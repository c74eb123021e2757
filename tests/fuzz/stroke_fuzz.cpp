/// Any bytes as a stroke: refused with the byte, or read, and then fit to be used.
#include "sculpting/stroke.hpp"

#include <cmath>
#include <cstdlib>

using namespace ensue;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const stroke read = stroke_of({reinterpret_cast<const char*>(data), size}, "it");
    if (read.poses.empty() || !(read.outer_radius > read.inner_radius)) std::abort();
    const auto tool = models::tool_motion<double>::between(read.poses.front(), read.poses.back());
    for (std::size_t i = 0; i < 3; ++i)
      if (!std::isfinite(tool.velocity[i]) || !std::isfinite(tool.spin[i])) std::abort();
    if (!std::isfinite(tool.growth)) std::abort();
  } catch (const file_error& error) {
    if (!std::string_view(error.what()).starts_with("it: byte ")) std::abort();
  }
  return 0;
}
