#include "frames.hpp"

#include "../../src/scene.hpp"
#include "endings.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

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
}

void frame_files::write(const row& each) {
  const std::vector<double> points = draw_ ? draw_(each.state) : std::vector<double>(each.state.begin(), each.state.end());
  for (const frame_format format : each_frame_) {
    const std::string name = fmt::format("frame_{:05}.{}", written_, ending_of(format));
    write_text(name, frame_text(shape_, points, format));
    if (format == frame_format::vtp) vtk_frames_.emplace_back(each.t, name);
  }
  if (film_wanted_) film_.add(each.t, points);
  ++written_;
}

void frame_files::finish() {
  if (!vtk_frames_.empty()) write_text("motion.pvd", pvd_text(vtk_frames_));
  if (film_wanted_ && film_.frames() > 0) write_text("motion.glb", film_.glb());
}

void frame_files::write_text(const std::string& name, const std::string& text) const { write_out((folder_ / name).string(), "--frames", text); }

}  // namespace ensue::command
