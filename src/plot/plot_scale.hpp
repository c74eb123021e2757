/// Axes of a chart: which range is shown, where a value stands, and ticks at round numbers.
#pragma once

#include "plot/plot.hpp"

#include <string>
#include <vector>

namespace ensue::plot::detail {

/// From low to high, low < high, both finite; of a logarithmic axis both above 0.
struct range {
  double low, high;
};

/// What an axis shows: what it says itself, else what is drawn. `margin` is the part of the extent that is added at each end
/// that the axis does not give. Never empty: a single value gets room around it, and without any value there is one all the same.
range shown(const axis& asked, const std::vector<double>& values, double margin);

/// From values to pixels.
class scale {
 public:
  scale(range of, bool logarithmic, double at_low, double at_high);

  /// Within ±1e9 for every finite value; NaN for what has no place: NaN, infinity, and on a logarithmic axis what is not above 0.
  double operator()(double value) const;

  range shows() const { return shows_; }
  bool logarithmic() const { return logarithmic_; }
  double length() const { return at_high_ > at_low_ ? at_high_ - at_low_ : at_low_ - at_high_; }  ///< in pixels

 private:
  range shows_;
  bool logarithmic_;
  double at_low_, at_high_, low_, span_;
};

/// A number as it is printed: the text, times ten to a power where there is one.
struct number_label {
  std::string text;      ///< empty before a power alone, as in 10^-3
  std::string exponent;  ///< empty: none

  double width() const;  ///< at `tick_font`, estimated
};

struct tick {
  double at;  ///< a value of the axis
  number_label label;
};

struct tick_marks {
  std::vector<tick> labelled;
  std::vector<double> between;  ///< shorter ones, without a number
  double offset = 0;            ///< what the labels leave out, because they differ in late digits only
};

/// Round numbers (1, 2, 5 times a power of ten; on a logarithmic axis decades) as close as their labels allow:
/// along a horizontal axis by their width, along a vertical one by their height.
tick_marks ticks(const scale& along, bool horizontal);

/// A number in few characters, with a true minus sign: "−0.25".
std::string short_number(double value, int digits = 6);

inline constexpr double tick_font = 12, text_font = 13;

/// Of a text in the pictures' font, estimated from above.
double text_width(const std::string& text, double font);

}  // namespace ensue::plot::detail
