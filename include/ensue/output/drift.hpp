/// How a quantity that should stay the same behaves along a run: does it wander off, or does it swing about its value?
///
///     ensue::drift_record energy(t0, e0);
///     for (…) energy.add(t, e);
///     energy.trend().slope, energy.trend().uncertainty      // a unit of time
///     energy.oscillation()
///
/// Symplectic methods let the energy swing and not drift; others let it drift, however little. A largest deviation cannot tell one
/// from the other, a fit through all values takes the swings for noise and is too sure of itself. So the run is cut into blocks, the
/// line is fitted to their means, and its uncertainty is from how far these are off it. Memory does not grow: full, the blocks are joined in pairs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ensue {

/// The fitted line's slope and its standard error; NaN where there are too few blocks.
struct drift_trend {
  double slope = std::numeric_limits<double>::quiet_NaN();
  double uncertainty = std::numeric_limits<double>::quiet_NaN();
};

class drift_record {
 public:
  drift_record(double t, double value) : initial(value), final(value), start_(t) {}

  double initial, final;
  double largest = 0;       ///< |value − initial|; NaN once the quantity is no number
  double largest_time = 0;  ///< when that was

  void add(double t, double value) {
    final = value;
    const double away = std::abs(value - initial);
    if (!(away <= largest) && largest == largest) largest = away, largest_time = t;
    block& now = blocks_[used_];
    const double change = value - initial;  // small numbers keep their digits in sums
    if (now.count == 0 || change < now.low.change) now.low = {t - start_, change};
    if (now.count == 0 || change > now.high.change) now.high = {t - start_, change};
    now.time += t - start_;
    now.change += change;
    if (++now.count < block_size_) return;
    if (++used_ == most_blocks) join();
  }

  /// Of the whole blocks.
  drift_trend trend() const {
    const line fitted = fit();
    return {fitted.slope, fitted.uncertainty};
  }

  /// Half of how far the quantity goes to one side of the line and to the other: what swings and comes back.
  double oscillation() const {
    const line fitted = fit();
    double low = 0, high = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      const auto [least, most] = std::minmax({fitted.to(blocks_[i].low), fitted.to(blocks_[i].high)});
      low = i == 0 ? least : std::fmin(low, least);
      high = i == 0 ? most : std::fmax(high, most);
    }
    return (high - low) / 2;
  }

 private:
  static constexpr std::size_t most_blocks = 64, least_blocks = 4;

  struct sample {
    double time = 0, change = 0;
  };

  struct line {
    double t = 0, y = 0;  ///< a point of it
    double slope = std::numeric_limits<double>::quiet_NaN(), uncertainty = slope;
    double at(double time) const { return y + slope * (time - t); }
    double to(const sample& one) const { return one.change - at(one.time); }  ///< how far it is above
  };

  line fit() const {
    if (used_ < least_blocks) return {};
    const double n = static_cast<double>(used_);
    double t = 0, y = 0, tt = 0, ty = 0, residual = 0;
    for (std::size_t i = 0; i < used_; ++i) t += blocks_[i].mean_time() / n, y += blocks_[i].mean() / n;
    for (std::size_t i = 0; i < used_; ++i) {
      const double dt = blocks_[i].mean_time() - t;
      tt += dt * dt;
      ty += dt * (blocks_[i].mean() - y);
    }
    line fitted{t, y, ty / tt, 0};
    for (std::size_t i = 0; i < used_; ++i) {
      const double off = blocks_[i].mean() - fitted.at(blocks_[i].mean_time());
      residual += off * off;
    }
    fitted.uncertainty = std::sqrt(residual / (n - 2) / tt);
    return fitted;
  }

  struct block {
    double time = 0, change = 0;  ///< sums
    sample low = {}, high = {};
    std::size_t count = 0;
    double mean_time() const { return time / static_cast<double>(count); }
    double mean() const { return change / static_cast<double>(count); }
  };

  void join() {
    for (std::size_t i = 0; i < most_blocks / 2; ++i) {
      const block &a = blocks_[2 * i], &b = blocks_[2 * i + 1];
      blocks_[i] = {a.time + b.time, a.change + b.change, b.low.change < a.low.change ? b.low : a.low, b.high.change > a.high.change ? b.high : a.high, a.count + b.count};
    }
    used_ = most_blocks / 2;
    for (std::size_t i = used_; i < most_blocks; ++i) blocks_[i] = {};
    block_size_ *= 2;
  }

  double start_;
  std::array<block, most_blocks> blocks_ = {};
  std::size_t used_ = 0, block_size_ = 1;
};

}  // namespace ensue
