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

#include "endings.hpp"

#include <CLI/CLI.hpp>

namespace ensue::command {

void add_field_command(CLI::App& app);
void add_methods_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_sculpt_command(CLI::App& app);
void add_solve_command(CLI::App& app);
void add_sweep_command(CLI::App& app);
void add_verify_command(CLI::App& app);

}  // namespace ensue::command
