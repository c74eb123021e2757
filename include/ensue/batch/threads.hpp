/// Work shared by threads: everybody takes the next chunk of what is left, until nothing is.
///
///     ensue::shared_work work(count, 256);
///     ensue::on_threads(0, [&](unsigned) { for (auto part = work.take(); part.begin < part.end; part = work.take()) … });
#pragma once

#include <ensue/numbers/config.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ensue {

/// The numbers below `count`, handed out in order, a chunk at a time. Several threads may take at once.
class shared_work {
 public:
  shared_work(std::size_t count, std::size_t chunk) : count_(count), chunk_(chunk) {}

  struct part {
    std::size_t begin, end;
  };
  ENSUE_INLINE part take() {
    const std::size_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin >= count_) return {count_, count_};
    return {begin, count_ - begin < chunk_ ? count_ : begin + chunk_};
  }
  /// Nobody gets any more.
  void stop() { next_.store(count_, std::memory_order_relaxed); }
  /// How many have been handed out.
  std::size_t taken() const {
    const std::size_t next = next_.load(std::memory_order_relaxed);
    return next < count_ ? next : count_;
  }

 private:
  std::size_t count_, chunk_;
  std::atomic<std::size_t> next_ = 0;
};

/// worker(0) … worker(threads − 1), each in a thread, the first in the caller's. Where some throw, the exception of the lowest number
/// reaches the caller when all have ended. 0 threads: as many as the machine has.
template <class Worker> void on_threads(unsigned threads, const Worker& worker) {
  if (threads == 0) threads = std::thread::hardware_concurrency();
  if (threads <= 1) return worker(0u);
  std::vector<std::exception_ptr> thrown(threads);
  const auto guarded = [&](unsigned number) {
    try {
      worker(number);
    } catch (...) {
      thrown[number] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned number = 1; number < threads; ++number) others.emplace_back(guarded, number);
    guarded(0);
  }
  for (const std::exception_ptr& each : thrown)
    if (each) std::rethrow_exception(each);
}

}  // namespace ensue
