/// The commands of `ensue`: each is one file, `<name>.cpp`, that adds its options and what runs to the application.
///
/// To add one: declare it here, call it in main.cpp, write its file.
///
///     void add_solve_command(CLI::App& app) {
///       auto file = std::make_shared<std::string>();              // options outlive this function
///       CLI::App* command = app.add_subcommand("solve", "Solves a problem file");
///       command->add_option("FILE", *file)->required();
///       command->callback([file] { … });                          // returns: exit status 0
///     }
#pragma once

#include <CLI/CLI.hpp>

#include <stdexcept>

namespace ensue::command {

/// Thrown by a command when its input is wrong: main prints `what()` as it stands, one line
/// `file:line:column: what, and what was expected`, and exits with 2.
struct wrong_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a command that ended early, after it has written and said what it reached: main exits with 1, silently.
struct ended_early {};

void add_methods_command(CLI::App& app);

}  // namespace ensue::command
