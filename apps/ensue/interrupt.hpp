/// Ctrl-C, for commands that can end early.
///
///     const std::atomic<bool>* const interrupted = listen_for_interrupt();
///     settings.cancel = interrupted;
#pragma once

#include <atomic>

namespace ensue::command {

/// From here on the first Ctrl-C, or SIGTERM, sets what is returned; a second one ends the program.
const std::atomic<bool>* listen_for_interrupt();

}  // namespace ensue::command
