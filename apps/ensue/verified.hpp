/// The rows of `ensue verify`: a number that was published, ours beside it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ensue::command {

struct verified_row {
  std::string what;
  double theirs, ours;  ///< of a state, its first component
  double difference;    ///< the largest of all that was compared, relative to |theirs| + size
  double within;        ///< what it may be
  std::string source;
  double size = 1;  ///< below which a number is as good as zero

  bool holds() const { return difference <= within; }
};

/// A state.
template <class Theirs>
verified_row compared(std::string what, const Theirs& theirs, std::span<const double> ours, double within,
                      std::string source, double size = 1) {
  verified_row made{std::move(what), static_cast<double>(theirs[0]), ours[0], 0, within, std::move(source), size};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double published = static_cast<double>(theirs[i]);
    made.difference = std::max(made.difference, std::abs(ours[i] - published) / (size + std::abs(published)));
  }
  return made;
}

/// A number.
inline verified_row compared(std::string what, double theirs, double ours, double within, std::string source,
                             double size = 1) {
  return compared(std::move(what), &theirs, std::span(&ours, 1), within, std::move(source), size);
}

/// Where initial value problems end, nonstiff and stiff.
void add_end_states(std::vector<verified_row>& rows);
/// Kepler's ellipse, a pendulum, the outer solar system, a thrown box.
void add_mechanics(std::vector<verified_row>& rows);
/// Chains, strings and bars.
void add_textbooks(std::vector<verified_row>& rows);

}  // namespace ensue::command
