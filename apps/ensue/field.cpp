// ensue field FILE: a vector field in the plane, with integral curves and what methods make of them, as in a textbook figure.
#include "commands.hpp"
#include "field_picture.hpp"
#include "notices.hpp"
#include "numbers.hpp"
#include "problem_options.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace ensue::command {
namespace {

struct field_arguments {
  std::string file;
  std::vector<std::string> set, methods, steps;
  std::optional<std::string> to, x, y, at, curves, midpoint_construction, plot;
  bool no_solution = false, quiet = false;
};

// Steps belong to the method before them; those before the first one, to that.
std::vector<field_path> paths_of(const field_arguments& given, const std::vector<CLI::Option*>& order) {
  struct group {
    const method_info* method;
    std::vector<double> steps;
  };
  std::vector<group> groups;
  std::vector<double> early;
  std::size_t methods = 0, steps = 0;
  for (const CLI::Option* option : order) {
    if (option->get_name() == "--method") {
      const std::string& name = given.methods[methods++];
      const method_info* const found = find_method(name);
      if (!found) throw wrong_input("--method: " + no_such_method(name));
      groups.push_back({found, {}});
    } else if (option->get_name() == "--step") {
      const double step = positive_number_of("--step", given.steps[steps++]);
      (groups.empty() ? early : groups.back().steps).push_back(step);
    }
  }
  if (groups.empty() && !early.empty())
    throw wrong_input(fmt::format("--step {}: expected --method NAME, whose steps these are", given.steps.front()));
  if (!groups.empty()) groups.front().steps.insert(groups.front().steps.begin(), early.begin(), early.end());

  std::vector<field_path> paths;
  for (const group& each : groups) {
    for (const double step : each.steps) paths.push_back({each.method, step});
    if (!each.steps.empty()) continue;
    if (!each.method->adaptive)
      throw wrong_input(
          fmt::format("{0} has no error estimate, expected a fixed step: --method {0} --step H", each.method->name));
    paths.push_back({each.method, std::nullopt});
  }
  return paths;
}

field_request request_of(const field_arguments& given, const file_problem& problem, const std::vector<CLI::Option*>& order) {
  field_request asked;
  if (given.x) asked.x = range_of("--x", *given.x);
  if (given.y) asked.y = range_of("--y", *given.y);
  if (given.at) asked.at = number_of("--at", *given.at);
  if (given.at && problem.names.size() == 1)
    throw wrong_input(
        fmt::format("--at {}: time is an axis of this picture, expected a problem of two components", *given.at));
  if (given.curves) {
    const double count = number_of("--curves", *given.curves);
    if (count != std::floor(count) || count < 0 || count > 200)
      throw wrong_input(fmt::format("--curves {}: expected a whole number from 0 to 200", *given.curves));
    asked.curves = static_cast<int>(count);
  }
  asked.solution = !given.no_solution;
  asked.paths = paths_of(given, order);
  for (const field_path& path : asked.paths) require_fit(*path.method, problem);
  if (given.midpoint_construction)
    asked.midpoint_step = positive_number_of("--midpoint-construction", *given.midpoint_construction);
  return asked;
}

void field(const field_arguments& given, const std::vector<CLI::Option*>& order) {
  const file_problem problem = problem_of(given.file, given.set, given.to);
  require_derivatives(problem, given.file, "field");
  if (!field_plane::has_plane(problem))
    throw wrong_input(
        fmt::format("{}:1:1: found a state of {} components, expected two, or one: a field is drawn in a plane",
                    given.file, problem.names.size()));
  const field_request asked = request_of(given, problem, order);
  if (!problem.events.empty() && !given.quiet)
    notice("ensue: the events of {} are left out: a field shows where f leads, nothing else\n", given.file);
  std::optional<written_file> file;
  if (given.plot) file.emplace("--plot", *given.plot);
  const field_picture picture = draw_field(problem, asked);
  const std::string text = plot::svg({picture.chart});
  if (file) file->write(text);
  else write_to_standard_output(text);
  const bool written = !file || file->finish();
  for (const std::string& sentence : picture.ended_early) notice("ensue: {}\n", sentence);
  if (!written || !picture.ended_early.empty()) throw ended_early{};
}

}  // namespace

void add_field_command(CLI::App& app) {
  const auto given = std::make_shared<field_arguments>();
  CLI::App* const command =
      app.add_subcommand("field", "Draws a problem's vector field, with curves and methods over it");
  command->footer(
      "The state has two components, or is one coordinate with its velocity, or a single component over time.\n"
      "For example:\n"
      "  ensue field examples/van_der_pol.toml --curves 20 --plot cycle.svg\n"
      "  ensue field examples/circle.toml --method euler --step 0.3 --step 0.1 --method rk4 --step 0.3 --plot "
      "paths.svg\n"
      "Steps belong to the method before them. A method with an error estimate may do without.\n"
      "Numbers may be expressions: --x=-pi..pi.\n"
      "Exit status: 0 finished, 1 a run ended early (what was reached is drawn), 2 wrong input.");
  command->add_option("FILE", given->file, "The problem (TOML)")->required();
  command->add_option("--x", given->x, "What is shown from left to right; default: the solution, and paths near it")
      ->type_name("A..B");
  command->add_option("--y", given->y, "What is shown from bottom to top; default likewise")->type_name("A..B");
  command->add_option("--curves", given->curves, "Integral curves beside the solution's, spread over the picture")
      ->type_name("N");
  command->add_option("--at", given->at, "Time at which a field that moves is seen; default: the start's")
      ->type_name("T");
  command->add_option("--method", given->methods, "Draws the path of a method that `ensue methods` lists; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--step", given->steps, "Fixed steps of this length for that method; repeatable")
      ->type_name("H")
      ->allow_extra_args(false);
  command
      ->add_option("--midpoint-construction", given->midpoint_construction,
                   "Shows how a step of the midpoint method is made, from the start and of this length")
      ->type_name("H");
  command->add_option("--to", given->to, "Time at which the solution ends, instead of the file's")->type_name("T");
  command->add_option("--set", given->set, "A parameter or initial value, instead of the file's; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--plot", given->plot, "Writes the picture there; default: to standard output")
      ->type_name("F.svg");
  command->add_flag("--no-solution", given->no_solution, "Leaves the solution from the file's start out");
  command->add_flag("--quiet", given->quiet, "Prints no notices, only what goes wrong");
  command->callback([given, command] { field(*given, command->parse_order()); });
}

}  // namespace ensue::command
