/// How a command says, other than by returning, that it did not do what was asked.
#pragma once

#include <stdexcept>

namespace ensue::command {

/// Thrown by a command when its input is wrong: main prints `what()` as it stands, one line
/// `file:line:column: what, and what was expected`, and exits with 2.
struct wrong_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a command that ended early, after it has written and said what it reached: main exits with 1, silently.
struct ended_early {};

}  // namespace ensue::command
