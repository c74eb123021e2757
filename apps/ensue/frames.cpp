#include "frames.hpp"

#include "scenes/scene.hpp"
#include "endings.hpp"
#include "notices.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <sstream>

namespace ensue::command {
namespace {

motion_shape shape_of(const file_problem& problem) {
  if (!problem.scene) throw wrong_input("--frames: needs a file with a built-in model (model = \"cloth\", …), whose particles can be drawn");
  return {problem.scene->drawn_points, problem.scene->triangles, problem.scene->lines};
}

const char* ending_of(frame_format format) {
  switch (format) {
    case frame_format::obj: return "obj";
    case frame_format::ply: return "ply";
    case frame_format::vtp: return "vtp";
  }
  return "";
}

}  // namespace

frame_files::frame_files(const std::string& folder, const std::string& formats, const file_problem& problem)
    : folder_(folder), shape_(shape_of(problem)), draw_(problem.scene->draw), film_(shape_) {
  std::istringstream names(formats);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "obj") each_frame_.push_back(frame_format::obj);
    else if (name == "ply") each_frame_.push_back(frame_format::ply);
    else if (name == "vtk") each_frame_.push_back(frame_format::vtp);
    else if (name == "glb") film_wanted_ = true;
    else throw wrong_input(fmt::format("--frame-formats {}: unknown format `{}`, expected some of obj, ply, vtk, glb", formats, name));
  }
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw wrong_input(fmt::format("--frames {}: the folder cannot be made: {}", folder, failed.message()));
  if (access(folder_.c_str(), W_OK | X_OK) != 0)
    throw wrong_input(fmt::format("--frames {}: the folder cannot be written: {}", folder, std::strerror(errno)));
}

void frame_files::write(const row& each) {
  if (failed_) return;
  try {
    failed_ = !write_frame(each);
  } catch (const std::bad_alloc&) {
    failed_ = true;
    film_ = animation(shape_);
    notice("ensue: frame {} could not be written: out of memory\n", written_);
  }
  if (failed_) notice("ensue: the frames from t = {:.6g} on are left out\n", each.t);
}

bool frame_files::write_frame(const row& each) {
  const std::vector<double> points = draw_ ? draw_(each.state) : std::vector<double>(each.state.begin(), each.state.end());
  for (const frame_format format : each_frame_) {
    const std::string name = fmt::format("frame_{:05}.{}", written_, ending_of(format));
    if (!write_text(name, frame_text(shape_, points, format))) return false;
    if (format == frame_format::vtp) vtk_frames_.emplace_back(each.t, name);
  }
  if (film_wanted_) film_.add(each.t, points);
  ++written_;
  return true;
}

bool frame_files::finish() {
  bool written = !failed_;
  if (!vtk_frames_.empty()) written = write_text("motion.pvd", pvd_text(vtk_frames_)) && written;
  if (film_wanted_ && film_.frames() > 0) written = write_text("motion.glb", film_.glb()) && written;
  return written;
}

/// The run goes on, so a file that cannot be opened is no wrong input here.
bool frame_files::write_text(const std::string& name, const std::string& text) const {
  try {
    written_file file("--frames", (folder_ / name).string());
    file.write(text);
    return file.finish();
  } catch (const wrong_input& refusal) {
    notice("ensue: {}\n", refusal.what());
  } catch (const ended_early&) {  // reported already
  }
  return false;
}

}  // namespace ensue::command
