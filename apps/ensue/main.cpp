// The command `ensue`: reads its arguments, hands them to a subcommand, turns what happened into an exit status.
// 0 finished; 1 ended early, or the system gave no memory, thread or room; 2 the input was wrong.
#include "commands.hpp"
#include "help.hpp"

#include <ensue/version.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>

namespace {

/// A file that is opened while standard output is closed would get its number, and the answer would be written into it. Opened for
/// reading, the number is taken and writing fails as before.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// A pipe without a reader and a limit on file sizes are then failures to write, which are reported, and do not kill the program.
void ignore_signals_of_writing() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

int failed_with(const std::exception& error, int status) {
  if (std::ferror(stdout)) return 1;  // reported in the end
  std::cerr << "ensue: " << error.what() << '\n';
  return status;
}

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
  } catch (const std::bad_alloc&) {
    std::fputs("ensue: out of memory\n", stderr);
    return 1;
  } catch (const std::filesystem::filesystem_error& error) {
    return failed_with(error, 2);
  } catch (const std::system_error& error) {
    return failed_with(error, 1);
  } catch (const std::exception& error) {
    return failed_with(error, 2);
  }
  return 0;
}

/// Whether standard output is a pipe whose reader is gone, as after `| head`.
bool has_lost_its_reader() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// False where something could not be written, which is reported. Where the reader has left, SIGPIPE ends the program silently, as usual.
bool standard_output_is_written() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  const int error = errno;
  if (has_lost_its_reader()) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::cerr << "ensue: standard output: " << std::strerror(error) << '\n';
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_descriptors();
  ignore_signals_of_writing();
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
