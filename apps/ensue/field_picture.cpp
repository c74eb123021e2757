#include "field_picture.hpp"


#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ensue::command {
namespace {

constexpr int solution_colour = 0, first_path_colour = 1;
constexpr double margin = 0.12;

// What the solution is drawn with: no error that an eye can see.
plane_path solution_of(const field_plane& plane) {
  options<std::span<double>> settings;
  settings.rtol = 1e-8;
  settings.atol = 1e-11;
  settings.max_evaluations = 400'000;
  return plane.run(*find_method("dop853"), settings, 16);
}

plane_path path_of(const field_plane& plane, const file_problem& problem, const field_path& asked) {
  options<std::span<double>> settings;
  settings.max_evaluations = 4'000'000;
  if (asked.step) settings.step = *asked.step;
  if (problem.solver.rtol) settings.rtol = *problem.solver.rtol, settings.atol = 1e-3 * *problem.solver.rtol;
  return plane.run(*asked.method, settings, 1);
}

std::string path_name(const field_path& path) {
  return path.step ? fmt::format("{}, h = {:.6g}", path.method->name, *path.step) : std::string(path.method->name);
}

/// The four corners of the figure: x0, Euler's end, the middle of Euler's step, the midpoint method's end.
struct midpoint_construction {
  plane_point start, euler, middle, slope, end;
  double h;

  midpoint_construction(field_plane& plane, double t, double h) : start(plane.start()), h(h) {
    const plane_point f = plane.velocity(t, start);
    euler = moved(start, f, h);
    middle = moved(start, f, h / 2);
    slope = plane.velocity(t + h / 2, middle);
    end = moved(start, slope, h);
  }

  static plane_point moved(plane_point p, plane_point v, double h) { return {p.x + h * v.x, p.y + h * v.y}; }
};

// The path's place at a time, between its points on a straight line; nothing outside of it.
std::optional<plane_point> place_at(const plane_path& path, double t) {
  for (std::size_t i = 1; i < path.t.size(); ++i) {
    const double a = path.t[i - 1], b = path.t[i];
    if ((t - a) * (t - b) > 0 || a == b) continue;
    const double part = (t - a) / (b - a);
    return plane_point{path.x[i - 1] + part * (path.x[i] - path.x[i - 1]),
                       path.y[i - 1] + part * (path.y[i] - path.y[i - 1])};
  }
  return std::nullopt;
}

// ---- which part of the plane is shown ----

class extent {
 public:
  void include(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    box_.low = {std::min(box_.low.x, x), std::min(box_.low.y, y)};
    box_.high = {std::max(box_.high.x, x), std::max(box_.high.y, y)};
  }
  /// Points not farther out than one and a half times the size of `base`; those behind that only up to there.
  void include_near(const plane_box& base, const plane_path& path) {
    const double dx = 1.5 * base.width(), dy = 1.5 * base.height();
    for (std::size_t i = 0; i < path.x.size(); ++i)
      include(std::clamp(path.x[i], base.low.x - dx, base.high.x + dx),
              std::clamp(path.y[i], base.low.y - dy, base.high.y + dy));
  }
  plane_box box() const { return box_; }

 private:
  plane_box box_{{1e300, 1e300}, {-1e300, -1e300}};
};

void widen(double& low, double& high, double by) {
  const double size = high - low;
  const double least = std::max(1e-9 * std::max(std::abs(low), std::abs(high)), 1e-280);
  const double more = size > least ? by * size : std::max(0.5 * std::abs(low), 1.);
  low -= more;
  high += more;
}

plane_box shown_box(const field_plane& plane, const field_request& asked, const plane_path& solution,
                    const std::vector<plane_path>& paths, const std::optional<midpoint_construction>& construction) {
  extent all;
  // A solution that ran off to infinity is shown up to shortly before.
  const double reached = solution.t.back() - solution.t.front();
  const double enough = solution.ending.how == outcome::finished ? std::abs(reached) : 0.9 * std::abs(reached);
  for (std::size_t i = 0; i < solution.t.size(); ++i)
    if (std::abs(solution.t[i] - solution.t.front()) <= enough) all.include(solution.x[i], solution.y[i]);
  if (construction)
    for (const plane_point& p : {construction->euler, construction->middle, construction->end}) all.include(p.x, p.y);
  const plane_box base = all.box();
  for (const plane_path& path : paths) all.include_near(base, path);
  plane_box box = all.box();
  const double room = construction ? 3 * margin : margin;  // for the words beside it
  widen(box.low.x, box.high.x, plane.over_time() ? 0 : room);
  widen(box.low.y, box.high.y, room);
  if (asked.x) box.low.x = asked.x->first, box.high.x = asked.x->second;
  if (asked.y) box.low.y = asked.y->first, box.high.y = asked.y->second;
  return box;
}

// ---- what is on it ----

plot::curve curve_of(std::string name, std::vector<double> x, std::vector<double> y, plot::mark as, int colour) {
  plot::curve curve;
  curve.name = std::move(name);
  curve.x = std::move(x);
  curve.y = std::move(y);
  curve.as = as;
  curve.colour = colour;
  return curve;
}

plot::curve dot(plane_point p, int colour) { return curve_of("", {p.x}, {p.y}, plot::mark::dots, colour); }

void add_construction(plot::chart& chart, const midpoint_construction& c, const plane_path& solution, double t) {
  const int euler = first_path_colour, midpoint = first_path_colour + 1;
  chart.lines.push_back(
      curve_of("a: Euler's step", {c.start.x, c.euler.x}, {c.start.y, c.euler.y}, plot::mark::dashes, euler));
  chart.lines.push_back(
      curve_of("b: midpoint step", {c.start.x, c.end.x}, {c.start.y, c.end.y}, plot::mark::line_and_dots, midpoint));
  chart.lines.push_back(dot(c.euler, euler));
  chart.lines.push_back(dot(c.middle, euler));
  // f where Euler's step is half done, as long as half of the step that is made of it.
  chart.arrows.push_back({c.middle.x, c.middle.y, c.slope.x * c.h / 2, c.slope.y * c.h / 2, midpoint});
  chart.notes.push_back({c.euler.x, c.euler.y, "a"});
  chart.notes.push_back({c.end.x, c.end.y, "b"});
  chart.notes.push_back({c.middle.x, c.middle.y, "midpoint"});
  if (const auto exact = place_at(solution, t)) {
    chart.lines.push_back(dot(*exact, solution_colour));
    chart.notes.push_back({exact->x, exact->y, "c"});
  }
}

void add_path(field_picture& picture, const field_path& asked, const plane_path& path, int colour) {
  picture.chart.lines.push_back(curve_of(path_name(asked), path.x, path.y, plot::mark::line_and_dots, colour));
  if (path.ending.how != outcome::finished)
    picture.ended_early.push_back(path_name(asked) + ": " + path.message);
}

}  // namespace

field_picture draw_field(const file_problem& problem, const field_request& asked) {
  const double at = asked.at.value_or(problem.from);
  field_plane plane(problem, at);
  const plane_path solution = solution_of(plane);
  std::vector<plane_path> paths;
  for (const field_path& each : asked.paths) paths.push_back(path_of(plane, problem, each));
  std::optional<midpoint_construction> construction;
  if (asked.midpoint_step) construction.emplace(plane, problem.from, *asked.midpoint_step);
  const drawn_box drawn(shown_box(plane, asked, solution, paths, construction), plane.alike());

  field_picture picture;
  plot::chart& chart = picture.chart;
  chart.title = problem.title + (plane.moves() ? fmt::format(", the field at t = {:.6g}", at) : "");
  chart.x = {plane.horizontal(), false, drawn.box.low.x, drawn.box.high.x};
  chart.y = {plane.vertical(), false, drawn.box.low.y, drawn.box.high.y};
  chart.equal_scales = drawn.equal_scales;
  chart.arrows = field_arrows(plane, drawn);

  bool named = false;  // one stands in the legend for all
  if (asked.solution) {
    chart.lines.push_back(
        curve_of(construction ? "c: solution" : "solution", solution.x, solution.y, plot::mark::line, solution_colour));
    if (solution.ending.how != outcome::finished)
      picture.ended_early.push_back("the solution: " + solution.message);
  }
  for (plot::curve& each : integral_curves(plane, drawn, solution, asked.curves)) {
    if (!named) each.name = plane.moves() ? "lines of the field" : "other starts";
    named = true;
    chart.lines.push_back(std::move(each));
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    add_path(picture, asked.paths[i], paths[i],
             first_path_colour + static_cast<int>(i) + (construction ? 2 : 0));
  if (construction) add_construction(chart, *construction, solution, problem.from + *asked.midpoint_step);
  if (asked.solution) chart.lines.push_back(dot(plane.start(), solution_colour));
  if (asked.solution && asked.at && plane.moves() && at != problem.from)
    if (const auto place = place_at(solution, at)) {
      chart.lines.push_back(dot(*place, solution_colour));
      chart.notes.push_back({place->x, place->y, fmt::format("t = {:.6g}", at)});
    }
  return picture;
}

}  // namespace ensue::command
