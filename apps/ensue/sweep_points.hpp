/// The points of a sweep: a grid over ranges of numbers, or a sample of them that its seed decides.
///
///     sweep_points points({range_varied("rho=0..28:15", false)}, std::nullopt, 1);
///     for (std::size_t i = 0; i < points.count(); ++i) points.next(point);
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace ensue::command {

struct varied_range {
  std::string name;
  double low = 0, high = 0;
  std::size_t count = 1;
};

/// So many points may be asked for.
inline constexpr double most_points_of_sweep = 1e12;

/// `name=a..b:n`; for a sample, `:n` may be left out. Throws wrong_input.
varied_range range_varied(const std::string& text, bool sampled);

/// The points in their order: of a grid the last name varies fastest; of a sample, as its seed has it.
class sweep_points {
 public:
  /// Throws wrong_input where a name comes twice or there are too many points.
  sweep_points(std::vector<varied_range> ranges, std::optional<std::size_t> sample, std::uint64_t seed);

  std::size_t count() const { return count_; }
  std::span<const varied_range> ranges() const { return ranges_; }

  /// The next one; to be asked for in order.
  void next(std::span<double> point);

 private:
  std::vector<varied_range> ranges_;
  std::optional<std::size_t> sampled_;
  std::mt19937_64 random_;
  std::size_t count_ = 0, at_ = 0;
};

}  // namespace ensue::command
