#include "sweep_points.hpp"

#include "endings.hpp"
#include "numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace ensue::command {

varied_range range_varied(const std::string& text, bool sampled) {
  const auto refuse = [&] {
    return wrong_input(fmt::format("--vary {}: expected name=a..b:n{}", text, sampled ? ", or name=a..b for a sample" : ""));
  };
  const std::size_t equals = text.find('='), colon = text.rfind(':');
  if (equals == std::string::npos || equals == 0) throw refuse();
  const bool counted = colon != std::string::npos && colon > equals;
  if (!counted && !sampled) throw refuse();
  const std::string name = text.substr(0, equals), option = "--vary " + name + " =";
  const auto [low, high] = range_of(option, text.substr(equals + 1, counted ? colon - equals - 1 : std::string::npos));
  return {name, low, high, counted ? whole_number_of(option, text.substr(colon + 1), most_points_of_sweep) : 1};
}

sweep_points::sweep_points(std::vector<varied_range> ranges, std::optional<std::size_t> sample, std::uint64_t seed)
    : ranges_(std::move(ranges)), sampled_(sample), random_(seed) {
  double product = 1;
  std::set<std::string> names;
  for (const varied_range& each : ranges_) {
    product *= static_cast<double>(each.count);
    if (!names.insert(each.name).second) throw wrong_input(fmt::format("--vary: found `{}` a second time, expected it once", each.name));
  }
  if (!sample && product > most_points_of_sweep)
    throw wrong_input(fmt::format("--vary: {} points, expected at most {}", product, most_points_of_sweep));
  count_ = sample.value_or(static_cast<std::size_t>(product));
}

void sweep_points::next(std::span<double> point) {
  std::size_t left = at_++;
  for (std::size_t k = ranges_.size(); k-- > 0;) {
    const varied_range& r = ranges_[k];
    double share = 0;
    if (sampled_) {
      share = static_cast<double>(random_() >> 11) * 0x1p-53;
    } else {
      share = r.count > 1 ? static_cast<double>(left % r.count) / static_cast<double>(r.count - 1) : 0;
      left /= r.count;
    }
    point[k] = std::lerp(r.low, r.high, share);
  }
}

}  // namespace ensue::command
