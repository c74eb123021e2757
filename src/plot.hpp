/// Pictures as SVG: line charts in the manner of a printed book, and vector fields.
///
///     plot::chart c{.title = "Lorenz", .x = {"t"}, .y = {"x"}};
///     c.lines.push_back({.name = "x", .x = times, .y = values});
///     std::string text = plot::svg({c});          // several charts stand below each other
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ensue::plot {

struct axis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> from, to;  ///< of the picture; otherwise what is drawn
};

enum class mark { line, dashes, dots, line_and_dots };

/// A curve through points; what is not finite interrupts it.
struct curve {
  std::string name;  ///< in the legend; empty: not there
  std::vector<double> x, y;
  mark as = mark::line;
  int colour = -1;  ///< which of the palette; -1: the next one
};

struct arrow {
  double x, y, dx, dy;
};

struct chart {
  std::string title;
  axis x, y;
  std::vector<curve> lines;
  std::vector<arrow> arrows;
  bool equal_scales = false;  ///< a circle is a circle
};

/// One SVG document, legible on light and on dark background.
std::string svg(const std::vector<chart>& charts);

}  // namespace ensue::plot
