#include "interrupt.hpp"

#include <csignal>

namespace ensue::command {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

const std::atomic<bool>* listen_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  // What is being written when it comes is written to its end.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  return &interrupted;
}

}  // namespace ensue::command
