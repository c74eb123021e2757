/// The files of `ensue solve --frames DIR`: frame_00000.obj, …, motion.pvd, motion.glb.
#pragma once

#include "motion_files.hpp"
#include "observed_run.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ensue::command {

inline constexpr double seconds_between_frames = 1. / 60;

class frame_files {
 public:
  /// Makes the folder. Throws wrong_input (endings.hpp) if it cannot be made or written, if `formats` names an unknown format, and for
  /// equations, which have no shape.
  frame_files(const std::string& folder, const std::string& formats, const file_problem& problem);

  /// The first frame that cannot be written is reported on standard error; those after it are left out.
  void write(const row& each);
  /// Writes the files of the whole motion. False if any file could not be written.
  [[nodiscard]] bool finish();

 private:
  bool write_text(const std::string& name, const std::string& text) const;
  bool write_frame(const row& each);

  std::filesystem::path folder_;
  motion_shape shape_;
  std::function<std::vector<double>(std::span<const double>)> draw_;
  std::vector<frame_format> each_frame_;
  bool film_wanted_ = false;
  animation film_;
  std::vector<std::pair<double, std::string>> vtk_frames_;
  std::size_t written_ = 0;
  bool failed_ = false;
};

}  // namespace ensue::command
