/// Runs the command that was built, for the tests in tests/command.
///
///     const auto run = tests::ensue_command({"methods", "--json"});
///     run.status, run.out, run.error
#pragma once

#include "support/shell.hpp"

#include <string>
#include <vector>

namespace ensue::tests {

inline command_run ensue_command(const std::vector<std::string>& arguments) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  std::string line = quoted(ENSUE_COMMAND_PATH);
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  return run_in_shell(line);
}

}  // namespace ensue::tests
