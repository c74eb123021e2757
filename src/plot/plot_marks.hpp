/// What is drawn inside a chart's frame, as path data of SVG: curves, dots, arrows. Everything stays inside of the frame,
/// so that a document needs no clip paths, whose names would collide where two pictures stand in one page.
#pragma once

#include "plot/plot_scale.hpp"

#include <string>
#include <vector>

namespace ensue::plot::detail {

/// In pixels; y grows downwards.
struct point {
  double x, y;
};

struct frame {
  double left, top, right, bottom;

  bool contains(const point& p) const { return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom; }
};

/// A pixel coordinate in few characters: "12.5". Two digits behind the point.
void append(std::string& to, double pixels);

/// A command of path data: "M12.5 30".
void append(std::string& to, char command, const point& p);

/// Curve to polylines: what has no place interrupts.
std::vector<std::vector<point>> polylines(const curve& drawn, const scale& x, const scale& y);

/// The same line to the eye: of consecutive points in one column of a quarter pixel the first and the last and those farthest
/// in each direction, in the order in which they come. A spike of one point in a million stays.
std::vector<point> thinned(const std::vector<point>& line);

/// Without the points that a straight line passes at less than a tenth of a pixel.
std::vector<point> straightened(const std::vector<point>& line);

/// "M…L…" of the part inside the frame; empty if there is none. A line of one point is a dot.
std::string line_path(const std::vector<point>& line, const frame& inside);

/// Dots as lines without length, to be stroked with round ends. Those that cover each other are drawn once.
std::string dots_path(const std::vector<std::vector<point>>& lines, const frame& inside);

struct arrow_paths {
  std::string shafts;  ///< to be stroked
  std::string heads;   ///< to be filled
};
void add_arrow(arrow_paths& to, point from, point tip, const frame& inside);

}  // namespace ensue::plot::detail
