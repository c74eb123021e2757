#include "interrupt.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace ensue::command {
namespace {

constexpr std::int64_t shortest_wait = 500;  // milliseconds between two signals that count

std::atomic<bool> listening = false, interrupted = false;
std::atomic<std::int64_t> first_came_at = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

// A signal handler may not allocate, so there are places for a fixed number of paths. `solve` has three files open at most.
struct removed_path {
  std::atomic<bool> reserved = false, ready = false;
  char path[4096] = {};
};
removed_path removed_paths[8];

std::int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Whether the command itself ends the run because of this signal.
bool is_left_to_the_command() {
  if (!listening) return false;
  const std::int64_t now = milliseconds();
  if (interrupted.exchange(true)) return now - first_came_at < shortest_wait;
  first_came_at = now;
  return true;
}

void on_signal(int signal) {
  if (is_left_to_the_command()) return;
  for (const removed_path& each : removed_paths)
    if (each.ready) unlink(each.path);
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when this function returns
}

void handle_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a write that has begun is completed
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (signal != SIGHUP || before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace

const std::atomic<bool>* listen_for_interrupt() {
  listening = true;
  handle_signals();
  return &interrupted;
}

bool is_interrupted() { return interrupted; }

unfinished_file::unfinished_file(const std::string& path) : slot_(0) {
  handle_signals();
  const int slots = static_cast<int>(std::size(removed_paths));
  while (slot_ < slots && removed_paths[slot_].reserved.exchange(true)) ++slot_;
  if (slot_ == slots) return;
  removed_path& mine = removed_paths[slot_];
  if (path.size() >= sizeof mine.path) return;  // longer than the system takes
  std::memcpy(mine.path, path.c_str(), path.size() + 1);
  mine.ready = true;
}

unfinished_file::~unfinished_file() {
  if (slot_ == static_cast<int>(std::size(removed_paths))) return;
  removed_paths[slot_].ready = false;
  removed_paths[slot_].reserved = false;
}

}  // namespace ensue::command
