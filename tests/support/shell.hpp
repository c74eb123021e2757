/// A line as somebody types it into a shell, run.
///
///     const auto run = tests::run_in_shell("ls -l 'a folder'");
///     run.status, run.out, run.error
#pragma once

#include "support/files.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace ensue::tests {

struct command_run {
  int status = -1;  ///< above 128: ended by a signal
  std::string out, error;
};

inline command_run run_in_shell(const std::string& line) {
  const temporary_folder folder;
  std::ofstream(folder.file("line")) << line << '\n';
  const std::string here = "'" + folder.file("");
  const int ended = std::system(("sh " + here + "line' </dev/null >" + here + "out' 2>" + here + "error'").c_str());
  return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, content_of(folder.file("out")), content_of(folder.file("error"))};
}

}  // namespace ensue::tests
