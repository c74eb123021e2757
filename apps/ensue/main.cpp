// The command `ensue`: reads its arguments, hands them to a subcommand, turns what happened into an exit status.
// 0 finished; 1 ended early; 2 the input was wrong.
#include "commands.hpp"
#include "help.hpp"

#include <ensue/version.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace {

int status_of(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);  // runs the subcommand's callback
    if (argc == 1) std::cout << app.help();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ensue::command::ended_early&) {
    return 1;
  } catch (const ensue::command::wrong_input& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    if (std::ferror(stdout)) return 1;  // said in the end
    std::cerr << "ensue: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

/// False: something could not be written, which is said.
bool standard_output_is_written() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  std::cerr << "ensue: standard output: " << std::strerror(errno) << '\n';
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Given where things are, compute what ensues: follows x' = f(t, x), written in a small text file."};
  app.name("ensue");
  app.formatter(std::make_shared<ensue::command::help_formatter>());
  app.footer(
      "For example:\n"
      "  ensue solve examples/pendulum.toml --check         the answer, and how wrong it may be\n"
      "  ensue compare examples/kepler.toml --error 1e-6    which method to take, and why\n"
      "  ensue field examples/circle.toml --method euler --step 0.3 --plot circle.svg\n"
      "`ensue COMMAND --help` explains a command; `ensue solve --help` shows what a problem file looks like.");
  app.set_version_flag("--version", std::string("ensue ") + ensue::compiled_version());
  app.require_subcommand(0, 1);

  ensue::command::add_solve_command(app);
  ensue::command::add_compare_command(app);
  ensue::command::add_field_command(app);
  ensue::command::add_sweep_command(app);
  ensue::command::add_sculpt_command(app);
  ensue::command::add_methods_command(app);
  ensue::command::add_verify_command(app);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");

  const int status = status_of(app, argc, argv);
  return standard_output_is_written() ? status : std::max(status, 1);
}
