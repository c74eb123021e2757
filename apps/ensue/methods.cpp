#include "commands.hpp"

namespace ensue::command {

void add_methods_command(CLI::App& app) { app.add_subcommand("methods", "Every method"); }

}  // namespace ensue::command
