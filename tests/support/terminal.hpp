/// What the command shows on a terminal.
///
///     const std::string text = shown_on_a_terminal({"solve", file}, std::chrono::milliseconds(2000));
#pragma once

#include "support/running_command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ensue::tests {

/// All of what a run says on standard error, a terminal, until it is interrupted after so long. Its exit status is 1.
inline std::string shown_on_a_terminal(const std::vector<std::string>& arguments, std::chrono::milliseconds time) {
  const temporary_folder folder;
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(grantpt(terminal), 0);
  EXPECT_EQ(unlockpt(terminal), 0);
  const std::string name = ptsname(terminal);
  const int keeps_it_open = open(name.c_str(), O_RDWR | O_NOCTTY);
  const running_command run(arguments, folder.file("out"), name);
  run.wait_until_it_listens();
  std::this_thread::sleep_for(time);
  run.interrupt();
  EXPECT_EQ(run.status(), 1);
  std::string text;
  char part[4096];
  pollfd ready{terminal, POLLIN, 0};  // a terminal hands out what was written in pieces
  while (poll(&ready, 1, 200) > 0) {
    const ssize_t count = read(terminal, part, sizeof part);
    if (count <= 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  close(keeps_it_open);
  close(terminal);
  return text;
}

}  // namespace ensue::tests
