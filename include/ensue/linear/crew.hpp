/// Threads that wait for work which is over in microseconds, as a product of a matrix is: they are there from the beginning, and stay awake a while before
/// they sleep.
///
///     crew hands(2);
///     hands.each(parts, [&](std::size_t part) { … });    // returns when all parts are done
///
/// Whoever is free takes the next part: on a machine that has other things to do, the caller does them alone. So what is computed must not depend on who does
/// it: fixed parts, sums within a part, and sums of parts in their order make a result that is the same, bit for bit, for any number of threads.
#pragma once

#include <ensue/numbers/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ensue::linear {

class crew {
 public:
  /// 0: as many as the machine has.
  explicit crew(unsigned threads = 1) : threads_(threads == 0 ? at_least_one(std::thread::hardware_concurrency()) : threads) {
    if (threads_ == 1) return;
    board_ = std::make_unique<board>();
    for (unsigned number = 1; number < threads_; ++number) others_.emplace_back([&on = *board_] { wait_and_work(on); });
  }
  /// A copy has threads of its own.
  crew(const crew& other) : crew(other.threads_) {}
  crew(crew&& other) noexcept : crew() { swap(other); }
  crew& operator=(crew other) noexcept {
    swap(other);
    return *this;
  }
  ~crew() {
    if (!board_) return;
    board_->over = true;
    announce(0);
  }

  void swap(crew& other) noexcept {
    std::swap(threads_, other.threads_);
    board_.swap(other.board_);
    others_.swap(other.others_);
  }
  unsigned threads() const { return threads_; }

  /// work(0) … work(parts − 1), which do not throw.
  template <class Work> void each(std::size_t parts, const Work& work) {
    if (threads_ == 1 || parts <= 1) {
      for (std::size_t part = 0; part < parts; ++part) work(part);
      return;
    }
    board& on = *board_;
    on.work = &work;
    on.call = [](const void* given, std::size_t part) { (*static_cast<const Work*>(given))(part); };
    on.open.store(parts, std::memory_order_relaxed);
    announce(parts);
    take_parts(on);
    for (int i = 0; on.open.load(std::memory_order_acquire) != 0; ++i) pause_or_yield(i);
  }

 private:
  /// `left` counts parts that nobody has taken, from the last to the first, below the number of the round: who takes one knows that the round is not over, and
  /// that work and call are its own until it has closed the part.
  struct board {
    std::atomic<std::uint64_t> left = 0;
    std::atomic<std::size_t> open = 0;
    const void* work = nullptr;
    void (*call)(const void*, std::size_t) = nullptr;
    std::atomic<bool> over = false;
  };
  static constexpr std::uint64_t round = std::uint64_t{1} << 32;
  static constexpr int patience = 300;  // some microseconds

  static unsigned at_least_one(unsigned count) { return count > 0 ? count : 1; }
  static void pause_or_yield(int tries) {
    if (tries >= patience) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  void announce(std::size_t parts) {
    board_->left.store(board_->left.load(std::memory_order_relaxed) / round * round + round + parts, std::memory_order_release);
    board_->left.notify_all();
  }
  static void take_parts(board& on) {
    std::uint64_t left = on.left.load(std::memory_order_acquire);
    while (left % round != 0)
      if (on.left.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) {
        on.call(on.work, left % round - 1);
        on.open.fetch_sub(1, std::memory_order_release);
        left = on.left.load(std::memory_order_acquire);
      }
  }
  static void wait_and_work(board& on) {
    while (!on.over.load(std::memory_order_acquire)) {
      take_parts(on);
      const std::uint64_t seen = on.left.load(std::memory_order_acquire);
      for (int i = 0; i < patience && on.left.load(std::memory_order_acquire) == seen; ++i) pause_or_yield(i);
      if (seen % round == 0 && !on.over.load(std::memory_order_acquire)) on.left.wait(seen, std::memory_order_acquire);
    }
  }

  unsigned threads_;
  std::unique_ptr<board> board_;
  std::vector<std::jthread> others_;  // joined before the board goes
};

}  // namespace ensue::linear
