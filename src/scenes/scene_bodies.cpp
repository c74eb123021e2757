#include "scenes/scene_bodies.hpp"

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
  if (all.size() != count)
    throw scene_fault{table.value(key).where, "expected `" + std::string(key) + "` for each of the " + std::to_string(count) + " bodies"};
  return all;
}

/// A point that is drawn: where on which body, or in space.
struct drawn_point {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t body;
  point on;
};

/// What the model and its picture are made of.
struct body_parts {
  std::vector<shaped_body> shapes;
  std::vector<body> bodies = {};
  std::vector<body_motion> motions = {};
  std::vector<body_spring> springs = {};
  std::vector<body_anchor> anchors = {};
  std::vector<drawn_point> points = {};
  std::vector<vec<std::size_t, 3>> triangles = {};
  std::vector<vec<std::uint32_t, 2>> lines = {};

  void add_bodies(const table_reader& table, const std::vector<point>& positions) {
    const std::size_t count = positions.size();
    const std::vector<point> velocities = of_each(table, "velocity", count), turns = of_each(table, "turn", count), spins = of_each(table, "spin", count);
    for (std::size_t i = 0; i < count; ++i) {
      const rigid_body_shape& shape = shapes[i].shape;
      bodies.push_back(shape.body);
      motions.push_back({positions[i], quaternion<double>::exp(turns[i]) * shape.axes, velocities[i], spins[i]});
      const std::size_t first = points.size();
      for (const auto& t : shapes[i].drawn.triangles) triangles.push_back({first + t[0], first + t[1], first + t[2]});
      for (const point& each : shapes[i].drawn.positions) points.push_back({i, each});
    }
  }
  void add_springs(const table_reader& table) {
    for (const auto& row : table.rows("springs", 9, 11)) {
      const drawn_point from = end_at(table, "springs", row, 0), to = end_at(table, "springs", row, 4);
      springs.push_back({from.body, to.body, from.on, to.on, row[8], last_of(row, 9), last_of(row, 10)});
      add_line(from, to);
    }
    for (const auto& row : table.rows("anchors", 8, 10)) {
      const drawn_point from = end_at(table, "anchors", row, 0), to = {drawn_point::none, {row[4], row[5], row[6]}};
      anchors.push_back({from.body, from.on, to.on, row[7], last_of(row, 8), last_of(row, 9)});
      add_line(from, to);
    }
  }

 private:
  /// A number behind the others of a row, which may be missing.
  static double last_of(const std::vector<double>& row, std::size_t at) { return row.size() > at ? row[at] : 0; }
  /// [… i, x, y, z, …]: the point (x, y, z) of box or mesh i.
  drawn_point end_at(const table_reader& table, std::string_view key, const std::vector<double>& row, std::size_t at) const {
    const std::size_t i = table.body(row[at], shapes.size(), table.value(key).where);
    return {i, shapes[i].shape.to_body({row[at + 1], row[at + 2], row[at + 3]})};
  }
  void add_line(const drawn_point& from, const drawn_point& to) {
    lines.push_back({static_cast<std::uint32_t>(points.size()), static_cast<std::uint32_t>(points.size() + 1)});
    points.push_back(from), points.push_back(to);
  }
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
  if (positions.empty()) throw scene_fault{table.value("position").where, "found no bodies, expected a list of positions"};
  body_parts parts{shapes_of(table, folder, positions.size())};
  parts.add_bodies(table, positions);
  parts.add_springs(table);
  const rigid_bodies model(parts.bodies, parts.springs, parts.anchors, table.vector("gravity", {0, 0, 0}));
  scene made = scene_of(model, model.start(parts.motions), !table.has("gravity") && !table.has("anchors"));
  made.second_order = false;
  made.names = names_of_bodies(positions.size());
  made.triangles = drawn(parts.triangles);
  made.lines = parts.lines;
  made.drawn_points = parts.points.size();
  made.draw = [model, points = parts.points](std::span<const double> x) {
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
