#include "output_points.hpp"

#include "endings.hpp"
#include "numbers.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>

namespace ensue::command {

void add_points_options(CLI::App& command, points_request& asked) {
  auto* const points =
      command
          .add_option("--points", asked.points,
                      "Output at so many times, evenly spaced, both ends included; default: the file's [output], else "
                      "every accepted step, of a picture 5000 points")
          ->type_name("N");
  command.add_option("--every", asked.every, "Output every DT of time, from the start on, and at the end")
      ->type_name("DT")
      ->excludes(points);
}

output_points points_of(const points_request& asked, const file_problem& problem, bool for_a_picture) {
  const double span = std::abs(*problem.to - problem.from);
  const auto evenly = [&](double count) { return span / (count - 1); };
  if (asked.points) {
    const double count = number_of("--points", *asked.points);
    if (count != std::floor(count) || count < 2 || count > most_points)
      throw wrong_input(fmt::format("--points {}: expected a whole number from 2 to {:g}", *asked.points, most_points));
    return evenly(count);
  }
  const auto at_distance = [&](double distance, const std::string& said) {
    if (span / distance <= most_points) return distance;
    throw wrong_input(fmt::format("{}: {:.3g} points, expected at most {:g}", said, span / distance, most_points));
  };
  if (asked.every) return at_distance(positive_number_of("--every", *asked.every), "--every " + *asked.every);
  if (problem.output.points) return evenly(static_cast<double>(*problem.output.points));
  if (problem.output.every) return at_distance(*problem.output.every, "`every` in [output]");
  if (for_a_picture) return evenly(points_of_a_picture);
  return every_step{};
}

}  // namespace ensue::command
