#include "plot/plot_scale.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ensue::plot::detail {
namespace {

constexpr double largest = 8e307;      // twice it is still finite
constexpr double least_span = 1e-290;  // its hundredth is still normal

const std::string minus = "\u2212", times = "\u00d7";

bool has_place(double value, bool logarithmic) { return std::isfinite(value) && !(logarithmic && value <= 0); }

std::string printed(double value, std::chars_format format, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value == 0 ? 0. : value, format, digits).ptr;
  return std::string(text, end);
}

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, minus);
  return text;
}

// "0.250" is "0.25".
std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// Mantissa and power of ten; "1" as mantissa is left out.
number_label in_powers(double value, int decimals) {
  if (value == 0) return {"0", ""};
  const std::string text = printed(value, std::chars_format::scientific, std::clamp(decimals, 0, 17));
  const std::size_t e = text.find('e');
  std::string mantissa = without_zeros(text.substr(0, e));
  int exponent = 0;
  const char* digits = text.data() + e + 1;
  std::from_chars(digits + (*digits == '+'), text.data() + text.size(), exponent);
  if (mantissa == "1") mantissa = "";
  else if (mantissa == "-1") mantissa = "-";
  else mantissa += times;
  return {with_minus(mantissa), with_minus(std::to_string(exponent))};
}

// The power of ten below: 3 of 5000.
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-12)); }

double ten_to(int exponent) {
  // A power of ten is as exact as the text of it.
  double value = 0;
  const std::string text = "1e" + std::to_string(exponent);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct round_step {
  int digit, exponent;  // 1, 2 or 5 times ten to a power

  double multiple(double n) const {
    // n·digit/10^k is rounded once; n·(digit·10^-k) would print as 0.30000000000000004.
    const double units = n * digit;
    return exponent < 0 && exponent > -300 ? units / ten_to(-exponent) : units * ten_to(exponent);
  }
  double value() const { return multiple(1); }
  round_step next() const {
    return digit == 1 ? round_step{2, exponent} : digit == 2 ? round_step{5, exponent} : round_step{1, exponent + 1};
  }
};

round_step step_above(double value) {
  round_step step{1, exponent_of(value)};
  while (step.value() < value) step = step.next();
  return step;
}

// Room that a label takes along its axis.
double room(const tick& one, bool horizontal) { return horizontal ? one.label.width() + 14 : 2 * tick_font; }

bool fit(const std::vector<tick>& all, const scale& along, bool horizontal) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double needed = (room(all[i - 1], horizontal) + room(all[i], horizontal)) / 2;
    if (std::abs(along(all[i].at) - along(all[i - 1].at)) < needed) return false;
  }
  return true;
}

// ---- ticks of a linear axis ----

// The number of fewest digits in a narrow range.
double roundest_within(double low, double high) {
  const double middle = low / 2 + high / 2;
  for (round_step unit{1, exponent_of(std::abs(middle))};; --unit.exponent)
    if (const double value = unit.multiple(std::round(middle / unit.value())); value >= low && value <= high)
      return value;
}

tick_marks linear_ticks_of(const scale& along, round_step step) {
  const auto [low, high] = along.shows();
  const double slack = 1e-9 * (high - low), h = step.value();
  tick_marks marks;
  // Labels that agree in their first six digits are printed less what they have in common.
  const double far = std::max(std::abs(low), std::abs(high));
  if (far > 1e6 * h) marks.offset = roundest_within(low, high);

  const double first = std::ceil((low - marks.offset - slack) / h),
               last = std::floor((high - marks.offset + slack) / h);
  double biggest = 0;
  for (double n = first; n <= last && n - first < 1000; ++n) {
    const double label = step.multiple(n);
    marks.labelled.push_back({marks.offset + label, {}});
    biggest = std::max(biggest, std::abs(label));
  }
  const bool powers = biggest >= 1e6 || (biggest > 0 && biggest < 1e-3);
  for (std::size_t i = 0; i < marks.labelled.size(); ++i) {
    const double label = step.multiple(first + static_cast<double>(i));
    marks.labelled[i].label =
        powers ? in_powers(label, label == 0 ? 0 : exponent_of(std::abs(label)) - step.exponent)
               : number_label{with_minus(printed(label, std::chars_format::fixed, std::max(0, -step.exponent))), ""};
  }
  return marks;
}

tick_marks linear_ticks(const scale& along, bool horizontal) {
  const auto [low, high] = along.shows();
  const double closest = horizontal ? 48 : 40;  // pixels: denser than this is no help
  round_step step = step_above((high - low) * std::min(0.5, closest / along.length()));
  for (;; step = step.next()) {
    tick_marks marks = linear_ticks_of(along, step);
    if (marks.labelled.size() <= 2 || fit(marks.labelled, along, horizontal)) return marks;
  }
}

// ---- ticks of a logarithmic axis ----

tick_marks decades(const scale& along, int every) {
  const auto [low, high] = along.shows();
  const int first = exponent_of(low), last = exponent_of(high) + 1;
  const bool plain = first >= -3 && last <= 4;  // 0.01, 0.1, 1, 10
  const double of_one = along.length() / (std::log10(high) - std::log10(low));
  tick_marks marks;
  for (int e = first; e <= last; ++e) {
    const double decade = ten_to(e);
    if (decade >= low * (1 - 1e-9) && decade <= high * (1 + 1e-9)) {
      if (e % every == 0)
        marks.labelled.push_back(
            {decade, plain ? number_label{printed(decade, std::chars_format::fixed, std::max(0, -e)), ""}
                           : number_label{"", with_minus(std::to_string(e))}});
      else if (of_one > 3) marks.between.push_back(decade);
    }
    if (of_one < 24) continue;
    for (int digit = 2; digit < 10; ++digit)
      if (const double value = digit * decade; value > low && value < high) marks.between.push_back(value);
  }
  return marks;
}

// Less than two decades: 1, 2, 5 of each, or what a linear axis would say.
tick_marks inside_a_decade(const scale& along, bool horizontal) {
  const auto [low, high] = along.shows();
  tick_marks marks = decades(along, 1);
  std::vector<tick> labelled;
  for (int e = exponent_of(low); e <= exponent_of(high); ++e)
    for (const int digit : {1, 2, 5}) {
      const double value = round_step{digit, e}.value();
      if (value < low || value > high) continue;
      labelled.push_back({value, in_powers(value, 0)});
      if (e >= -3 && e <= 4) labelled.back().label = {printed(value, std::chars_format::fixed, std::max(0, -e)), ""};
    }
  if (labelled.size() < 2) return linear_ticks(along, horizontal);
  marks.labelled = std::move(labelled);
  return marks;
}

tick_marks logarithmic_ticks(const scale& along, bool horizontal) {
  if (const auto [low, high] = along.shows(); high / low < 100) {
    const tick_marks marks = inside_a_decade(along, horizontal);
    if (fit(marks.labelled, along, horizontal)) return marks;
  }
  for (round_step every{1, 0};; every = every.next()) {
    tick_marks marks = decades(along, static_cast<int>(every.value()));
    if (marks.labelled.size() <= 2 || fit(marks.labelled, along, horizontal)) return marks;
  }
}

// Room around a range that has none.
range widened(double low, double high, bool logarithmic) {
  if (logarithmic) {
    if (high / low < 1 + 1e-12) low = std::max(low / 3, 1e-307), high = std::min(high * 3, largest);
    return {low, high};
  }
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > std::max(least_span, 1e-14 * size)) return {low, high};
  const double around = size > 10 * least_span ? 0.1 * size : 1;
  return {low - around, high + around};
}

}  // namespace

range shown(const axis& asked, const std::vector<double>& values, double margin) {
  const bool logarithmic = asked.logarithmic;
  const auto limited = [&](double v) {
    return logarithmic ? std::clamp(v, 1e-307, largest) : std::clamp(v, -largest, largest);
  };
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values)
    if (has_place(value, logarithmic)) low = std::min(low, value), high = std::max(high, value);

  // NaN: not given, or given as what has no place here.
  const auto given = [&](const std::optional<double>& end) {
    const double value = end.value_or(std::numeric_limits<double>::quiet_NaN());
    return has_place(value, logarithmic) ? value : std::numeric_limits<double>::quiet_NaN();
  };
  double from = given(asked.from), to = given(asked.to);
  if (from > to) std::swap(from, to);
  const bool has_from = !std::isnan(from), has_to = !std::isnan(to);
  if (has_from) low = from;
  if (has_to) high = to;
  if (low > high) {  // nothing to show, or all of it on the other side of an end that was given
    if (std::isfinite(low)) high = low;
    else if (std::isfinite(high)) low = high;
    else low = logarithmic ? 1 : 0, high = logarithmic ? 10 : 1, margin = 0;
  }
  const range wide = widened(limited(low), limited(high), logarithmic);
  if (wide.low != limited(low) || wide.high != limited(high)) return wide;
  if (logarithmic) {
    const double more = margin * (std::log10(wide.high) - std::log10(wide.low));
    return {has_from ? wide.low : limited(wide.low * std::pow(10, -more)),
            has_to ? wide.high : limited(wide.high * std::pow(10, more))};
  }
  const double more = margin * (wide.high - wide.low);
  return {has_from ? wide.low : wide.low - more, has_to ? wide.high : wide.high + more};
}

scale::scale(range of, bool logarithmic, double at_low, double at_high)
    : shows_(of),
      logarithmic_(logarithmic),
      at_low_(at_low),
      at_high_(at_high),
      low_(logarithmic ? std::log10(of.low) : of.low),
      span_(logarithmic ? std::log10(of.high) - low_ : of.high - of.low) {}

double scale::operator()(double value) const {
  if (!has_place(value, logarithmic_)) return std::numeric_limits<double>::quiet_NaN();
  const double v = logarithmic_ ? std::log10(value) : std::clamp(value, -largest, largest);
  return std::clamp(at_low_ + (v - low_) / span_ * (at_high_ - at_low_), -1e9, 1e9);
}

double number_label::width() const {
  return text_width(text + (exponent.empty() ? "" : "10"), tick_font) + text_width(exponent, 0.85 * tick_font);
}

tick_marks ticks(const scale& along, bool horizontal) {
  return along.logarithmic() ? logarithmic_ticks(along, horizontal) : linear_ticks(along, horizontal);
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "undefined" : value < 0 ? minus + "\u221e" : "\u221e";
  return with_minus(printed(value, std::chars_format::general, digits));
}

double text_width(const std::string& text, double font) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return 0.64 * font * static_cast<double>(characters);
}

}  // namespace ensue::plot::detail
