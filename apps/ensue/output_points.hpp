/// The points of a run that are output: --points, --every, or [output] of the file.
#pragma once

#include "problems/file_problem.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace ensue::command {

/// Every accepted step; one point every so much time, from the start on; or these times.
struct every_step {};
using output_points = std::variant<every_step, double, std::vector<double>>;

inline constexpr double points_of_a_picture = 5000;

/// As it was typed.
struct points_request {
  std::optional<std::string> points, every;
};

void add_points_options(CLI::App& command, points_request& asked);

/// The command line wins over the file. Where neither says anything: every accepted step, but for a picture
/// `points_of_a_picture`, evenly spaced. Throws wrong_input (endings.hpp).
output_points points_of(const points_request& asked, const file_problem& problem, bool for_a_picture);

}  // namespace ensue::command
