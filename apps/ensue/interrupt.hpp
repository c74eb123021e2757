/// Signals that ask a command to end: Ctrl-C (SIGINT), SIGTERM, SIGHUP and SIGXCPU.
///
///     const std::atomic<bool>* const interrupted = listen_for_interrupt();
///     settings.cancel = interrupted;
///
/// A command that does not listen is ended by them. Either way no unfinished file is left behind.
#pragma once

#include <atomic>
#include <string>

namespace ensue::command {

/// From here on the first of these signals sets the returned flag. Another one ends the program, if it comes half a second later or
/// more: `timeout` and closing terminals send the same signal twice at once. A SIGHUP that is ignored, as under nohup, stays ignored.
const std::atomic<bool>* listen_for_interrupt();

/// Whether such a signal has come.
bool is_interrupted();

/// A file that is removed if a signal ends the program during the life of this object.
class unfinished_file {
 public:
  /// The file need not exist yet.
  explicit unfinished_file(const std::string& path);
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  ~unfinished_file();

 private:
  int slot_;
};

}  // namespace ensue::command
