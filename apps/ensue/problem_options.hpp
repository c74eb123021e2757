/// The options that every command on a problem file has: the file, its numbers, the method, steps and tolerances.
///
///     const auto asked = std::make_shared<problem_request>();
///     add_problem_options(*command, *asked);
///     …
///     const file_problem problem = problem_of(asked->file, asked->set, asked->to);
///     const method_info& method = method_of(*asked, problem);
///     const auto settings = options_of(*asked, problem.solver, method);
///
/// What the command line says wins over the file. All of them throw wrong_input (endings.hpp).
#pragma once

#include "problems/problem_file.hpp"

#include <ensue/registry.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ensue::command {

/// As it was typed.
struct problem_request {
  std::string file;
  std::optional<std::string> method, step, rtol, atol, to, min_step, max_evaluations, threads;
  std::vector<std::string> set;
  bool compensated = false, consistent = false;
};

void add_problem_options(CLI::App& command, problem_request& asked);

/// The numbers of --set, name=value each.
std::map<std::string, double> numbers_set(const std::vector<std::string>& assignments);

/// The problem of a file, with the numbers of --set (name=value each) and --to in the place of the file's; `to` is there.
file_problem problem_of(const std::string& file, const std::vector<std::string>& set,
                        const std::optional<std::string>& to);

/// Refuses a problem with equations that have no derivative, for a command that follows x' = f only.
void require_derivatives(const file_problem& problem, const std::string& file, std::string_view command);

/// Refuses a method that does not take the problem's force, or its equations without a derivative.
void require_fit(const method_info& method, const file_problem& problem);

const method_info& method_of(const problem_request& asked, const file_problem& problem);

/// A tolerance of the command line puts aside a fixed step of the file.
options<std::span<double>> options_of(const problem_request& asked, const solver_settings& file,
                                      const method_info& method);

}  // namespace ensue::command
