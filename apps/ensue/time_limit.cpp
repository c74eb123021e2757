#include "time_limit.hpp"

#include "notices.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace ensue::command {

time_limit::time_limit(double seconds, const std::atomic<bool>* interrupted, bool shown)
    : seconds_(seconds), interrupted_(interrupted), until_(seconds), shown_(shown && isatty(STDERR_FILENO)), watcher_([this] { watch(); }) {}

time_limit::~time_limit() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  ended_early_.notify_one();
  watcher_.join();
  end_line();
}

double time_limit::elapsed() const { return std::chrono::duration<double>(clock::now() - began_).count(); }

void time_limit::allow_until(double elapsed_then) {
  const std::scoped_lock lock(mutex_);
  until_ = elapsed_then;
  over_ = *interrupted_ || elapsed() >= until_;
}

void time_limit::doing(std::string what) {
  const std::scoped_lock lock(mutex_);
  what_ = std::move(what);
}

void time_limit::end_line() {
  const std::scoped_lock lock(mutex_);
  shown_ = false;
  if (std::exchange(visible_, false)) notice("\r\x1b[K");
}

void time_limit::watch() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  while (!ended_early_.wait_for(lock, 20ms, [this] { return ended_; })) {
    const double now = elapsed();
    if (*interrupted_ || now >= until_) over_ = true;
    if (shown_ && now >= 1 && now - shown_at_ >= 0.1) show(now);
  }
}

void time_limit::show(double now) {
  shown_at_ = now;
  visible_ = true;
  notice("\r{:.1f} of {:g} s: {}\x1b[K", now, seconds_, what_);
  std::fflush(stderr);
}

}  // namespace ensue::command
