/// The time that a command may take, by the clock, and a line on a terminal that says what it is doing.
///
///     time_limit limit(10, listen_for_interrupt(), true);
///     limit.doing("the reference, by vern9");
///     limit.allow_until(5);             // 5 seconds after the beginning
///     settings.cancel = limit.over();   // set then, or by Ctrl-C
///
/// A thread looks at the clock every 20 ms. The line appears after a second, on standard error, where that is a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ensue::command {

class time_limit {
 public:
  /// `interrupted` ends the time as well (interrupt.hpp) and outlives this.
  time_limit(double seconds, const std::atomic<bool>* interrupted, bool shown);
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;
  ~time_limit();

  double seconds() const { return seconds_; }
  double elapsed() const;

  /// `over` is set so many seconds after the beginning; until then it is not, unless Ctrl-C came. A later time may be given after an earlier one.
  void allow_until(double elapsed);
  const std::atomic<bool>* over() const { return &over_; }
  bool is_over() const { return over_; }
  bool is_interrupted() const { return *interrupted_; }

  /// What the line says.
  void doing(std::string what);
  /// Removes the line, for good.
  void end_line();

 private:
  using clock = std::chrono::steady_clock;

  void watch();
  void show(double now);

  const clock::time_point began_ = clock::now();
  const double seconds_;
  const std::atomic<bool>* const interrupted_;
  std::atomic<bool> over_ = false;

  std::mutex mutex_;  ///< of everything below
  std::condition_variable ended_early_;
  double until_;
  bool ended_ = false, shown_, visible_ = false;
  double shown_at_ = 0;
  std::string what_;
  std::thread watcher_;
};

}  // namespace ensue::command
