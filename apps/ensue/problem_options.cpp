#include "problem_options.hpp"

#include "scenes/scene.hpp"
#include "claimed_files.hpp"
#include "endings.hpp"
#include "numbers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <map>

namespace ensue::command {

std::map<std::string, double> numbers_set(const std::vector<std::string>& assignments) {
  std::map<std::string, double> values;
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw wrong_input(fmt::format("--set {}: expected name=value", text));
    const std::string name = text.substr(0, equals);
    if (!values.emplace(name, number_of("--set " + name + " =", text.substr(equals + 1))).second)
      throw wrong_input(fmt::format("--set {}: found `{}` a second time, expected it once", text, name));
  }
  return values;
}

namespace {

[[noreturn]] void refuse(const std::string& file, const std::vector<problem_error>& errors) {
  std::string text;
  for (const problem_error& error : errors) text += (text.empty() ? "" : "\n") + error.text(file);
  throw wrong_input(text);
}

}  // namespace

file_problem problem_of(const std::string& file, const std::vector<std::string>& set,
                        const std::optional<std::string>& to) {
  const std::map<std::string, double> values = numbers_set(set);
  const problem_reading reading = read_problem_file(file);
  claim_input("the problem file", file);
  if (!reading.errors.empty()) refuse(file, reading.errors);
  problem_file::made made = reading.file->make(values);
  if (!made.errors.empty()) refuse(file, made.errors);
  if (!made.unknown.empty()) throw wrong_input("--set: " + fmt::format("{}", fmt::join(made.unknown, "\n--set: ")));
  if (made.problem->scene)
    for (const std::string& mesh : made.problem->scene->files) claim_input("the mesh that is read", mesh);
  if (to) made.problem->to = number_of("--to", *to);
  if (!made.problem->to)
    refuse(file, {{{}, "found no `to`, expected the time at which the run ends, here or as --to"}});
  return std::move(*made.problem);
}

void require_derivatives(const file_problem& problem, const std::string& file, std::string_view command) {
  if (problem.system.offers_mass_matrix())
    throw wrong_input(fmt::format("{}: found [algebraic], expected a derivative of every component: `ensue solve` takes equations without one, `ensue {}` does not", file, command));
}

void require_fit(const method_info& method, const file_problem& problem) {
  if (const std::string why = refusal(method, problem.system.force(), problem.system.offers_mass_matrix()); !why.empty()) throw wrong_input(why);
}

const method_info& method_of(const problem_request& asked, const file_problem& problem) {
  const char* const usual = problem.system.offers_mass_matrix() ? "rodas5p" : "dp54";
  const std::string name = asked.method.value_or(problem.solver.method.value_or(usual));
  const method_info* const found = find_method(name);
  if (!found) throw wrong_input("--method: " + no_such_method(name));  // the file's was looked up when it was read
  require_fit(*found, problem);
  return *found;
}

constexpr int most_threads = 1024;

options<std::span<double>> options_of(const problem_request& asked, const solver_settings& file,
                                      const method_info& method) {
  options<std::span<double>> settings;
  const bool adaptive = asked.rtol || asked.atol;
  if (asked.step) settings.step = positive_number_of("--step", *asked.step);
  else if (file.step && !adaptive) settings.step = *file.step;
  if (settings.step == 0 && !method.adaptive)
    throw wrong_input(
        fmt::format("{} has no error estimate, expected a fixed step: --step H, or `step` in [solver]", method.name));

  if (asked.rtol) settings.rtol = number_from(0, "--rtol", *asked.rtol);
  else if (file.rtol) settings.rtol = *file.rtol;
  if (asked.atol) settings.atol = number_from(0, "--atol", *asked.atol);
  else if (file.atol.size() == 1) settings.atol = file.atol[0];
  else if (!file.atol.empty()) settings.atol = file.atol;
  else if (asked.rtol || file.rtol) settings.atol = 1e-3 * settings.rtol[0];

  if (asked.threads) {
    const double threads = number_from(0, "--threads", *asked.threads);
    if (threads != std::floor(threads) || threads > most_threads)
      throw wrong_input(fmt::format("--threads {}: expected a whole number up to {}", *asked.threads, most_threads));
    settings.threads = static_cast<unsigned>(threads);
  }
  settings.compensated = asked.compensated || file.compensated;
  settings.find_consistent_start = asked.consistent || file.consistent;
  if (asked.min_step) settings.min_step = number_from(0, "--min-step", *asked.min_step);
  else if (file.min_step) settings.min_step = *file.min_step;
  if (file.max_step) settings.max_step = *file.max_step;
  if (asked.max_evaluations) {
    const double most = positive_number_of("--max-evaluations", *asked.max_evaluations);
    if (most != std::floor(most) || most > 9e18)
      throw wrong_input(fmt::format("--max-evaluations {}: expected a whole number", *asked.max_evaluations));
    settings.max_evaluations = static_cast<std::int64_t>(most);
  } else if (file.max_evaluations) {
    settings.max_evaluations = *file.max_evaluations;
  }
  return settings;
}

void add_problem_options(CLI::App& command, problem_request& asked) {
  command.add_option("FILE", asked.file, "The problem (TOML)")->required();
  command
      .add_option("--method", asked.method, "One of those that `ensue methods` lists; default: the file's, else dp54, or rodas5p where there is [algebraic]")
      ->type_name("NAME");
  auto* const step =
      command.add_option("--step", asked.step, "Makes every step this long; without it the steps follow the error")
          ->type_name("H");
  command
      .add_option("--rtol", asked.rtol,
                  "Error allowed in a step, relative to the value; default: the file's, else 1e-6")
      ->type_name("R")
      ->excludes(step);
  command
      .add_option("--atol", asked.atol, "Error allowed where values are near 0; default: the file's, else rtol/1000")
      ->type_name("A")
      ->excludes(step);
  command.add_option("--to", asked.to, "Time at which the run ends, instead of the file's")->type_name("T");
  command.add_option("--set", asked.set, "A parameter or initial value, instead of the file's; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--max-evaluations", asked.max_evaluations,
                  "Evaluations of f after which the run ends early; default: the file's, else 1e8")
      ->type_name("N");
  command
      .add_option("--min-step", asked.min_step,
                  "Smallest step: the run ends early where the error asks for a smaller one")
      ->type_name("H")
      ->excludes(step);
  command
      .add_option("--threads", asked.threads,
                  "Threads for one step of a scene by linearly-implicit-euler or backward-euler; 0: as many as there are; default 1. The answer is the same")
      ->type_name("N");
  command.add_flag("--compensated", asked.compensated, "Carries along what rounding takes from the state: for very long runs");
}

}  // namespace ensue::command
