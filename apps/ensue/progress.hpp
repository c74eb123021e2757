/// One line on standard error that says how far a long run has come: time reached, rate, time left.
///
///     progress_line progress(from, to, wanted);       // silent where standard error is no terminal
///     observe(sim, to, progress);
///
/// It appears after a second, changes at most ten times a second and is gone at the end.
#pragma once

#include <ensue/output/observe.hpp>

#include <chrono>
#include <cstdint>

namespace ensue::command {

class progress_line {
 public:
  progress_line(double from, double to, bool wanted);
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() { clear(); }

  /// Makes room for something else on standard error.
  void clear();

  template <class Integrator> auto watch(Integrator&) {
    struct watcher {
      progress_line& line;
      void see(const observed_step<Integrator>& step) {
        if (line.steps_to_go_ > 0 && --line.steps_to_go_ == 0) line.look(step.to);
      }
      void finish(Integrator&) { line.clear(); }
    };
    return watcher{*this};
  }

 private:
  using clock = std::chrono::steady_clock;

  void look(double t);

  double from_, to_;
  clock::time_point began_ = clock::now(), looked_ = began_, shown_ = began_;
  std::int64_t stride_ = 1;       ///< steps between two looks at the clock
  std::int64_t steps_to_go_ = 0;  ///< until the next one; 0: never
  bool visible_ = false;
};

}  // namespace ensue::command
