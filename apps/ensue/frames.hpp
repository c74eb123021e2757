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
  /// Makes the folder. Throws wrong_input (endings.hpp) where that cannot be, where `formats` names one that is not there, and for equations,
  /// which have no shape.
  frame_files(const std::string& folder, const std::string& formats, const file_problem& problem);

  void write(const row& each);
  /// What belongs to all of them.
  void finish();

 private:
  void write_text(const std::string& name, const std::string& text) const;

  std::filesystem::path folder_;
  motion_shape shape_;
  std::function<std::vector<double>(std::span<const double>)> draw_;
  std::vector<frame_format> each_frame_;
  bool film_wanted_ = false;
  animation film_;
  std::vector<std::pair<double, std::string>> vtk_frames_;
  std::size_t written_ = 0;
};

}  // namespace ensue::command
