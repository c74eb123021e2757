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
  int colour = -1;     ///< which of the palette; -1: the next one
  bool faint = false;  ///< thin and grey, behind the others: what a picture has many of
};

/// From (x, y) to (x + dx, y + dy), with a head there. One whose start is outside of the picture is not drawn.
struct arrow {
  double x, y, dx, dy;
  int colour = -1;  ///< which of the palette; -1: the grey of a field
};

/// A word beside a point.
struct note {
  double x, y;
  std::string text;
};

struct chart {
  std::string title;
  axis x, y;
  std::vector<curve> lines;
  std::vector<arrow> arrows;
  bool equal_scales = false;  ///< a circle is a circle; the frame takes the shape of what it shows, within limits
  std::vector<note> notes;
};

/// The frame of a chart, in pixels, where scales are not equal. Legends and labels stand outside of it.
inline constexpr double frame_width = 560, frame_height = 350;

/// The width of the frame of a chart of equal scales whose height is `shape` times its width.
constexpr double equal_frame_width(double shape) { return shape <= 0.8 ? frame_width : frame_width * 0.8 / shape; }

inline constexpr int palette_size = 7;  ///< after so many curves the colours come again, dotted

/// One SVG document, legible on light and on dark background: it has a background and colours of its own for each, and the
/// viewer's `prefers-color-scheme` chooses. Curves of a million points become as many as can be seen; extremes stay.
/// Whatever the numbers are, the document is well-formed and none of its coordinates is NaN or infinite.
std::string svg(const std::vector<chart>& charts);

}  // namespace ensue::plot
