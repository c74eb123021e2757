/// The plane in which a problem's vector field is drawn: the state of two components, the phase plane (x, x') of one
/// coordinate, or time and state (t, x) of a single component.
#pragma once

#include "plot/plot.hpp"
#include "problems/file_problem.hpp"

#include <ensue/registry.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ensue::command {

struct plane_point {
  double x = 0, y = 0;
};

/// Lower left and upper right corner.
struct plane_box {
  plane_point low, high;

  double width() const { return high.x - low.x; }
  double height() const { return high.y - low.y; }
};

/// A run in the plane, at every step and between.
struct plane_path {
  std::vector<double> t, x, y;
  report ending;
  std::string message;
};

class field_plane {
 public:
  /// `at`: the time at which a field that moves is seen. The problem has a plane: see `has_plane`.
  field_plane(const file_problem& problem, double at);

  static bool has_plane(const file_problem& problem) { return problem.names.size() == 1 || problem.names.size() == 2; }

  bool over_time() const { return problem_.names.size() == 1; }
  /// Whether both axes are of one kind, as x and y are, and not x and x'.
  bool alike() const { return !over_time() && !problem_.second_order; }
  /// Whether the arrows are others at another time.
  bool moves() const;
  const std::string& horizontal() const { return horizontal_; }
  const std::string& vertical() const { return vertical_; }

  plane_point start() const;
  /// f there, at the plane's own time, or at time t. Not finite where f is not.
  plane_point velocity(plane_point p) { return velocity(at_, p); }
  plane_point velocity(double t, plane_point p);

  /// The problem's start followed to its end. `between`: points a step, the last one its end.
  plane_path run(const method_info& method, const options<std::span<double>>& settings, int between) const;

 private:
  const file_problem& problem_;
  expression_system system_;
  double at_;
  std::string horizontal_, vertical_;
};

/// A box as it is drawn: u from 0 to 1, v from 0 to `shape`, a distance the same in both directions.
struct drawn_box {
  plane_box box;
  bool equal_scales;

  /// `alike`: both directions are of one kind. Then scales are equal, unless one direction is more than about twice the other.
  drawn_box(const plane_box& of, bool alike)
      : box(of), equal_scales(alike && of.height() < 2 * of.width() && of.height() > 0.4 * of.width()) {}

  double pixels() const {
    return equal_scales ? plot::equal_frame_width(shape()) : plot::frame_width;
  }  ///< of the width
  double shape() const { return equal_scales ? box.height() / box.width() : plot::frame_height / plot::frame_width; }
  plane_point to_drawn(plane_point p) const {
    return {(p.x - box.low.x) / box.width(), (p.y - box.low.y) / box.height() * shape()};
  }
  plane_point from_drawn(plane_point q) const {
    return {box.low.x + q.x * box.width(), box.low.y + q.y / shape() * box.height()};
  }
  plane_point velocity_to_drawn(plane_point v) const { return {v.x / box.width(), v.y / box.height() * shape()}; }
};

/// Arrows at the middles of a grid. Their length grows with the root of the speed, up to the
/// size of a cell; over time, where only the slope means something, all are equally long.
std::vector<plot::arrow> field_arrows(field_plane& plane, const drawn_box& drawn);

/// Curves along the field as it is at the plane's time, through points as far as possible from what is there already, forwards
/// and backwards until they leave the box, close or have gone on for long.
std::vector<plot::curve> integral_curves(field_plane& plane, const drawn_box& drawn, const plane_path& first,
                                         int count);

}  // namespace ensue::command
