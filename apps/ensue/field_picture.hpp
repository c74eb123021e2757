/// The picture of `ensue field`: a problem's vector field, the solution, other integral curves, and what methods make of it.
#pragma once

#include "field_plane.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ensue::command {

/// A method's own path: with steps of one length, or, without, with steps that its error allows.
struct field_path {
  const method_info* method;
  std::optional<double> step;
};

struct field_request {
  std::optional<std::pair<double, double>> x, y;  ///< what is shown; otherwise the solution, and paths near it
  std::optional<double> at;                       ///< time at which a field that moves is seen; otherwise the start's
  int curves = 0;                                 ///< integral curves beside the solution's
  bool solution = true;                           ///< or the field alone
  std::vector<field_path> paths;
  std::optional<double> midpoint_step;  ///< shows how a step of the midpoint method of this length is made
};

struct field_picture {
  plot::chart chart;
  std::vector<std::string> ended_early;  ///< one sentence a run that did
};

field_picture draw_field(const file_problem& problem, const field_request& asked);

}  // namespace ensue::command
