/// The command as a process that goes on while a test looks at it.
///
///     running_command run({"solve", file, "--to", "1e9"}, out, error);     // files for its standard output and error
///     run.wait_until_it_listens();
///     run.interrupt();
///     run.status()
#pragma once

#include "support/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace ensue::tests {

class running_command {
 public:
  running_command(std::vector<std::string> arguments, const std::string& out, const std::string& error)
      : child_(fork()) {
    if (child_ != 0) return;
    const int to = open(out.c_str(), O_WRONLY | O_CREAT, 0600),
              complain_to = open(error.c_str(), O_WRONLY | O_CREAT, 0600);
    if (dup2(to, STDOUT_FILENO) < 0 || dup2(complain_to, STDERR_FILENO) < 0) _exit(99);
    std::vector<char*> words{const_cast<char*>("ensue")};
    for (std::string& each : arguments) words.push_back(each.data());
    words.push_back(nullptr);
    execv(ENSUE_COMMAND_PATH, words.data());
    _exit(98);
  }

  /// The kernel tells which signals a process catches.
  void wait_until_it_listens() const {
    const auto listens = [&] {
      const std::string status = content_of("/proc/" + std::to_string(child_) + "/status");
      const std::size_t at = status.find("SigCgt:");
      return at != std::string::npos && (std::stoull(status.substr(at + 7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    };
    for (int i = 0; i < 2000 && !listens(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  void interrupt(int signal = SIGINT) const { kill(child_, signal); }

  /// Waits for its end; −1: ended by a signal.
  int status() const {
    int ended = 0;
    return waitpid(child_, &ended, 0) == child_ && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }

 private:
  pid_t child_;
};

}  // namespace ensue::tests
