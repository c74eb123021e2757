#include "scene_bodies.hpp"

#include <ensue/models/rigid_bodies.hpp>

namespace ensue {
namespace {

using namespace models;

struct shaped_body {
  rigid_body_shape shape;
  triangle_mesh drawn;  ///< in the body's frame
};

triangle_mesh box_around_origin(const std::vector<double>& size) {
  const point sides = {size[0], size[1], size[2]};
  tetrahedron_mesh filled = box({.cells = {1, 1, 1}, .size = sides});
  for (point& corner : filled.positions) corner = corner - 0.5 * sides;
  return {filled.positions, surface_of(filled)};
}

std::vector<shaped_body> shapes_of(const table_reader& table, const std::string& folder, std::size_t count) {
  const double density = table.number("density", 1000);
  std::vector<triangle_mesh> meshes;
  if (table.has("mesh")) meshes.assign(count, table.mesh(folder));
  else
    for (const auto& row : table.rows("boxes", 3, 3)) {
      for (const double side : row) require_positive("body", meshes.size(), "side", side);
      meshes.push_back(box_around_origin(row));
    }
  if (meshes.size() != count)
    throw scene_fault{table.value("boxes").where, "expected a box for each of the " + std::to_string(count) + " positions, or `mesh`"};
  std::vector<shaped_body> all;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    try {
      all.push_back({rigid_shape_of(meshes[i].positions, meshes[i].triangles, density), std::move(meshes[i])});
    } catch (const std::invalid_argument& wrong) {
      const std::string what = wrong.what();
      refuse_element("body", i, what.substr(what.find(' ') + 1));  // without "ensue: "
    }
    for (point& each : all.back().drawn.positions) each = all.back().shape.to_body(each);
  }
  return all;
}

/// Of each body; zero where the key is not there.
std::vector<point> of_each(const table_reader& table, std::string_view key, std::size_t count) {
  if (!table.has(key)) return std::vector<point>(count, point{0, 0, 0});
  std::vector<point> all = table.points(key);
  if (all.size() != count) throw scene_fault{table.value(key).where, "expected `" + std::string(key) + "` for each of the " + std::to_string(count) + " bodies"};
  return all;
}

/// A number behind the others of a row, which may be missing.
double last_of(const std::vector<double>& row, std::size_t at) { return row.size() > at ? row[at] : 0; }

/// What is drawn: the bodies' corners, then both ends of each spring; a body's number, none for a point of space, and where on it.
struct drawn_point {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t body;
  point on;
};

/// 13 numbers a body.
std::vector<std::string> names_of_bodies(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    for (const char* const name : {"x", "y", "z", "qw", "qx", "qy", "qz", "px", "py", "pz", "lx", "ly", "lz"})
      names.push_back(name + ("[" + std::to_string(i) + "]"));
  return names;
}

}  // namespace

std::vector<std::string> keys_of_bodies() {
  return {"boxes", "mesh", "density", "position", "velocity", "turn", "spin", "springs", "anchors", "gravity"};
}

scene bodies_scene(const table_reader& table, const std::string& folder) {
  const std::vector<point> positions = table.points("position");
  const std::size_t count = positions.size();
  if (count == 0) throw scene_fault{table.value("position").where, "found no bodies, expected a list of positions"};
  const std::vector<shaped_body> shapes = shapes_of(table, folder, count);
  const std::vector<point> velocities = of_each(table, "velocity", count), turns = of_each(table, "turn", count), spins = of_each(table, "spin", count);
  std::vector<body> bodies;
  std::vector<body_motion> motions;
  std::vector<drawn_point> points;
  std::vector<vec<std::size_t, 3>> triangles;
  for (std::size_t i = 0; i < count; ++i) {
    bodies.push_back(shapes[i].shape.body);
    motions.push_back({positions[i], quaternion<double>::exp(turns[i]) * shapes[i].shape.axes, velocities[i], spins[i]});
    for (const auto& t : shapes[i].drawn.triangles) triangles.push_back({points.size() + t[0], points.size() + t[1], points.size() + t[2]});
    for (const point& each : shapes[i].drawn.positions) points.push_back({i, each});
  }
  std::vector<vec<std::uint32_t, 2>> lines;
  const auto line_between = [&](const drawn_point& from, const drawn_point& to) {
    lines.push_back({static_cast<std::uint32_t>(points.size()), static_cast<std::uint32_t>(points.size() + 1)});
    points.push_back(from), points.push_back(to);
  };
  const auto which = [&](double given, std::string_view key) { return table.body(given, count, table.value(key).where); };
  const auto end_at = [&](const std::vector<double>& row, std::size_t at, std::string_view key) {
    const std::size_t i = which(row[at], key);
    return drawn_point{i, shapes[i].shape.to_body({row[at + 1], row[at + 2], row[at + 3]})};
  };
  std::vector<body_spring> springs;
  for (const auto& row : table.rows("springs", 9, 11)) {
    const drawn_point from = end_at(row, 0, "springs"), to = end_at(row, 4, "springs");
    springs.push_back({from.body, to.body, from.on, to.on, row[8], last_of(row, 9), last_of(row, 10)});
    line_between(from, to);
  }
  std::vector<body_anchor> anchors;
  for (const auto& row : table.rows("anchors", 8, 10)) {
    const drawn_point from = end_at(row, 0, "anchors");
    const point to = {row[4], row[5], row[6]};
    anchors.push_back({from.body, from.on, to, row[7], last_of(row, 8), last_of(row, 9)});
    line_between(from, {drawn_point::none, to});
  }
  const rigid_bodies model(std::move(bodies), std::move(springs), std::move(anchors), table.vector("gravity", {0, 0, 0}));
  scene made = scene_of(model, model.start(motions), !table.has("gravity") && !table.has("anchors"));
  made.second_order = false;
  made.names = names_of_bodies(count);
  made.triangles = drawn(triangles);
  made.lines = std::move(lines);
  made.drawn_points = points.size();
  made.draw = [model, points](std::span<const double> x) {
    std::vector<double> all;
    for (const drawn_point& each : points) {
      const point at = each.body == drawn_point::none ? each.on : rigid_bodies::place(model.motion(x, each.body), each.on);
      all.insert(all.end(), at.begin(), at.end());
    }
    return all;
  };
  return made;
}

}  // namespace ensue
