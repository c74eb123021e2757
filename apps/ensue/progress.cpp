#include "progress.hpp"

#include "notices.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ensue::command {
namespace {

constexpr double first_shown_after = 1, shown_again_after = 0.1;  // seconds

std::string in_hours(double seconds) {
  if (!(seconds < 1e7)) return "long";
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

progress_line::progress_line(double from, double to, bool wanted) : from_(from), to_(to) {
  if (wanted && isatty(STDERR_FILENO)) steps_to_go_ = stride_;
}

void progress_line::clear() {
  if (visible_) notice("\r\x1b[K");
  visible_ = false;
}

void progress_line::look(double t) {
  const auto seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const clock::time_point now = clock::now();
  // A look costs as much as a small model's step: so rarely that it is nothing, so often that the line moves.
  const double since = seconds(now - looked_);
  if (since < 0.01) stride_ = std::min<std::int64_t>(2 * stride_, 1 << 20);
  else if (since > 0.05) stride_ = std::max<std::int64_t>(stride_ / 4, 1);
  looked_ = now;
  steps_to_go_ = stride_;

  const double elapsed = seconds(now - began_);
  if (elapsed < first_shown_after || seconds(now - shown_) < shown_again_after) return;
  shown_ = now;
  visible_ = true;
  const double rate = std::abs(t - from_) / elapsed, left = std::abs(to_ - t) / rate;
  notice("\rt = {:.6g} of {:g}, {:.0f} %, {:.3g} a second, {} left\x1b[K", t, to_, std::floor(100 * (t - from_) / (to_ - from_)), rate,
         in_hours(left));
  std::fflush(stderr);
}

}  // namespace ensue::command
