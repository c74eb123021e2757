#include "scenes/scene.hpp"

#include "meshes/mesh.hpp"
#include "scenes/scene_bodies.hpp"
#include "scenes/scene_table.hpp"

#include <ensue/models/cloth.hpp>
#include <ensue/models/conditions.hpp>
#include <ensue/models/n_body.hpp>
#include <ensue/models/solid.hpp>
#include <ensue/models/springs.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ensue {
namespace {

using namespace models;

/// The node that a coordinate means in a condition on the particle at `rest`.
expression::graph::id coordinate(expression::graph& graph, const expression::tree::name& name, const point& rest, const place& where) {
  using form = expression::tree::name::form;
  const char* const expected = " in `fixed`, expected x, y and z of a particle";
  if (name.what == form::sum) throw scene_fault{where, "found a sum over `" + name.text + "`" + expected};
  if (name.what == form::element) throw scene_fault{where, "found an element of `" + name.text + "`" + expected};
  if (name.text != "x" && name.text != "y" && name.text != "z") throw scene_fault{where, "unknown name `" + name.text + "`" + expected};
  return graph.constant(rest[static_cast<std::size_t>(name.text[0] - 'x')]);
}

/// Those at rest for which the condition holds.
std::vector<std::size_t> particles_where(const scene_value& condition, std::span<const point> rest) {
  const expression::parsed parsed = expression::parse("if(" + condition.text + ", 1, 0)");
  if (parsed.fault) throw scene_fault{condition.where, "`fixed`: " + parsed.fault->what};
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    expression::graph graph;
    std::vector<expression::graph::id> meanings;
    for (const auto& name : parsed.tree.names) meanings.push_back(coordinate(graph, name, rest[i], condition.where));
    if (graph[graph.insert(parsed.tree, meanings)].value != 0) all.push_back(i);
  }
  return all;
}

/// `fixed`: a list of particles, or a condition on where they are.
std::vector<std::size_t> fixed_particles(const table_reader& table, std::span<const point> rest) {
  if (!table.has("fixed")) return {};
  const scene_value& given = table.value("fixed");
  if (!given.text.empty()) return particles_where(given, rest);
  std::vector<std::size_t> all;
  for (const auto& row : given.rows)
    for (const double each : row) all.push_back(table.particle(each, rest.size(), given.where));
  return all;
}

/// They keep their velocity, which is none.
template <class Model> void hold(Model& model, std::vector<double>& start, std::span<const std::size_t> fixed) {
  for (const std::size_t i : fixed) {
    model.fix(i);
    std::fill_n(start.begin() + static_cast<std::ptrdiff_t>(start.size() / 2 + 3 * i), 3, 0.);
  }
}

/// x = (q, v): turned about the origin, moved to `at`, with a spin about the middle beside the velocities.
std::vector<double> start_of(const table_reader& table, std::vector<point> positions, std::span<const point> velocities) {
  const auto turn = quaternion<double>::exp(table.vector("turn", {0, 0, 0}));
  for (point& each : positions) each = turn.rotate(each);
  const point shift = table.vector("at", {0, 0, 0}), spin = table.vector("spin", {0, 0, 0});
  point middle = {0, 0, 0};
  for (const point& each : positions) middle = middle + (1 / static_cast<double>(positions.size())) * each;
  std::vector<double> x(6 * positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const point q = positions[i] + shift, v = velocities[i] + cross(spin, positions[i] - middle);
    for (std::size_t c = 0; c < 3; ++c) x[3 * i + c] = q[c], x[3 * (positions.size() + i) + c] = v[c];
  }
  return x;
}

/// With one velocity for all.
std::vector<double> start_of(const table_reader& table, const std::vector<point>& positions) {
  return start_of(table, positions, std::vector<point>(positions.size(), table.vector("velocity", {0, 0, 0})));
}

// ---- particles ----

spring_net listed_particles(const table_reader& table) {
  spring_net net;
  net.positions = table.points("position");
  if (net.positions.empty()) throw scene_fault{table.value("position").where, "found no particles, expected a list of positions"};
  const auto& mass = table.value("mass").rows;
  if (mass.size() == 1 && mass[0].size() == 1) net.masses.assign(net.positions.size(), table.number("mass"));
  else net.masses = table.list("mass", net.positions.size());
  const auto particle = [&](double i, std::string_view key) { return table.particle(i, net.positions.size(), table.value(key).where); };
  for (const auto& row : table.rows("springs", 3, 5)) {
    net.join(particle(row[0], "springs"), particle(row[1], "springs"), row[2], row.size() > 4 ? row[4] : 0);
    if (row.size() > 3) net.springs.back().rest_length = row[3];
  }
  return net;
}

/// Of each particle; none where they are not given.
std::vector<point> listed_velocities(const table_reader& table, std::size_t particles, std::span<const std::size_t> fixed) {
  std::vector<point> all = table.points("velocity");
  if (all.empty()) return std::vector<point>(particles, point{0, 0, 0});
  const place& where = table.value("velocity").where;
  if (all.size() != particles) throw scene_fault{where, "expected a velocity for each of the " + std::to_string(particles) + " particles"};
  for (const std::size_t i : fixed)
    if (all[i] != point{0, 0, 0}) throw scene_fault{where, "found a velocity of particle " + std::to_string(i) + ", which is fixed, expected [0, 0, 0]"};
  return all;
}

scene particles_scene(const table_reader& table, const std::string& folder) {
  spring_net net;
  if (table.has("position")) {
    net = listed_particles(table);
  } else if (table.has("mesh")) {
    triangle_mesh shape = table.mesh(folder);
    net = net_of_mesh(std::move(shape.positions), shape.triangles, table.number("mass"), table.number("stiffness"), table.number("damping", 0));
  } else if (table.word("shape", "chain", {"chain", "lattice"}) == "chain") {
    net = chain({.particles = table.count("particles"),
                 .length = table.number("length"),
                 .mass = table.number("mass"),
                 .stiffness = table.number("stiffness"),
                 .damping = table.number("damping", 0),
                 .direction = table.vector("direction", {1, 0, 0})});
  } else {
    table.require_room(table.number("across") * table.number("down"));
    net = lattice({.across = table.count("across"),
                   .down = table.count("down"),
                   .spacing = table.number("spacing"),
                   .mass = table.number("mass"),
                   .stiffness = table.number("stiffness"),
                   .damping = table.number("damping", 0),
                   .bending = table.number("bending", 0)});
  }
  std::vector<anchor> ties;
  for (const auto& row : table.rows("anchors", 5, 7))
    ties.push_back({table.particle(row[0], net.positions.size(), table.value("anchors").where),
                    {row[1], row[2], row[3]},
                    row[4],
                    row.size() > 5 ? row[5] : 0,
                    row.size() > 6 ? row[6] : 0});
  require_finite_points("particle", net.positions);
  particle_system model(net.masses, {.gravity = table.vector("gravity", {0, 0, 0}), .drag = table.number("drag", 0)}, springs(net.springs), anchors(ties));
  const std::vector<std::size_t> fixed = fixed_particles(table, net.positions);
  std::vector<double> start = table.has("position") ? start_of(table, net.positions, listed_velocities(table, net.positions.size(), fixed)) : start_of(table, net.positions);
  hold(model, start, fixed);
  const bool free = !table.has("gravity") && !table.has("fixed") && !table.has("anchors") && table.number("drag", 0) == 0;
  scene made = scene_of(model, std::move(start), free);
  for (const auto& s : net.springs) made.lines.push_back({static_cast<std::uint32_t>(s.first), static_cast<std::uint32_t>(s.second)});
  return made;
}

// ---- cloth and solids ----

template <class Surroundings> void add_obstacles(const table_reader& table, Surroundings& around) {
  around.gravity = table.vector("gravity", around.gravity);
  if (table.has("ground")) around.grounds.push_back({{0, 0, table.number("ground")}, {0, 0, 1}});
  for (const auto& row : table.rows("balls", 4, 4)) around.balls.push_back({{row[0], row[1], row[2]}, row[3]});
  around.touching = {table.number("contact", around.touching.stiffness), table.number("contact_damping", 0), table.number("contact_friction", 0)};
}

template <class Material> void take_elasticity(const table_reader& table, Material& made_of) {
  table.take("density", made_of.density);
  table.take("young", made_of.young);
  table.take("poisson", made_of.poisson);
  table.take("damping", made_of.damping);
}

triangle_mesh cloth_mesh(const table_reader& table, const std::string& folder) {
  if (table.has("mesh")) return table.mesh(folder);
  table.require_room((table.number("across") + 1) * (table.number("down") + 1));
  return sheet({.across = table.count("across"), .down = table.count("down"), .width = table.number("width"), .height = table.number("height")});
}

scene cloth_scene(const table_reader& table, const std::string& folder) {
  const triangle_mesh shape = cloth_mesh(table, folder);
  cloth_surroundings around;
  add_obstacles(table, around);
  around.drag = table.number("drag", 0);
  around.wind = table.vector("wind", {0, 0, 0});
  around.air = table.number("air", 0);
  const auto with = [&](auto model) {
    std::vector<double> start = start_of(table, shape.positions);
    hold(model, start, fixed_particles(table, shape.positions));
    scene made = scene_of(model, std::move(start), false);
    made.triangles = drawn(shape.triangles);
    return made;
  };
  if (table.word("law", "st-venant-kirchhoff", {"st-venant-kirchhoff", "baraff-witkin"}) == "baraff-witkin") {
    condition_material made_of;
    table.take("density", made_of.density);
    table.take("young", made_of.stretch);
    table.take("shear", made_of.shear);
    table.take("bending", made_of.bend);
    table.take("damping", made_of.damping);
    return with(conditioned_cloth(shape, made_of, around));
  }
  cloth_material made_of;
  take_elasticity(table, made_of);
  table.take("bending", made_of.bending);
  table.take("bending_damping", made_of.bending_damping);
  return with(cloth(shape, made_of, around));
}

scene solid_scene(const table_reader& table) {
  const std::vector<double> cells = table.list("cells", 3), size = table.list("size", 3);
  box_form form = {{0, 0, 0}, {size[0], size[1], size[2]}};
  double particles = 1;
  for (std::size_t c = 0; c < 3; ++c) {
    if (cells[c] != std::floor(cells[c]) || !(cells[c] >= 1) || cells[c] > most_particles)
      throw scene_fault{table.value("cells").where, "`cells` has " + shown(cells[c]) + ", expected whole numbers from 1"};
    form.cells[c] = static_cast<std::size_t>(cells[c]);
    particles *= cells[c] + 1;
  }
  table.require_room(particles);
  const tetrahedron_mesh shape = box(form);
  solid_material made_of;
  take_elasticity(table, made_of);
  table.take("mass_damping", made_of.mass_damping);
  solid_surroundings around;
  add_obstacles(table, around);
  const auto with = [&](auto model) {
    std::vector<double> start = start_of(table, shape.positions);
    hold(model, start, fixed_particles(table, shape.positions));
    scene made = scene_of(model, std::move(start), false);
    made.triangles = drawn(surface_of(shape));
    return made;
  };
  const bool simple = table.word("material", "stable-neo-hookean", {"stable-neo-hookean", "st-venant-kirchhoff"}) == "st-venant-kirchhoff";
  return simple ? with(solid<st_venant_kirchhoff>(shape, made_of, around)) : with(solid<stable_neo_hookean>(shape, made_of, around));
}

// ---- bodies ----

scene n_body_scene(const table_reader& table) {
  const std::vector<point> positions = table.points("position"), velocities = table.points("velocity");
  if (positions.empty()) throw scene_fault{table.value("position").where, "found no bodies, expected a list of positions"};
  if (velocities.size() != positions.size())
    throw scene_fault{table.value("velocity").where, "expected a velocity for each of the " + std::to_string(positions.size()) + " bodies"};
  const n_body<double> model(table.list("mass", positions.size()), {table.number("gravitation", 1), table.number("softening", 0)});
  std::vector<double> start = at_rest(positions);
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) start[start.size() / 2 + 3 * i + c] = velocities[i][c];
  return scene_of(model, std::move(start), true);
}

scene scene_of_model(std::string_view model, const table_reader& table, const std::string& folder) {
  if (model == "particles") return particles_scene(table, folder);
  if (model == "cloth") return cloth_scene(table, folder);
  if (model == "solid") return solid_scene(table);
  if (model == "bodies") return bodies_scene(table, folder);
  return n_body_scene(table);
}

}  // namespace

std::vector<std::string> scene::component_names() const {
  if (!names.empty()) return names;
  std::vector<std::string> made;
  for (const char* end : {"", "'"})
    for (std::size_t i = 0; i < particles(); ++i)
      for (const char axis : {'x', 'y', 'z'}) made.push_back(axis + ("[" + std::to_string(i) + "]") + end);
  return made;
}

std::vector<std::string> scene_models() { return {"particles", "cloth", "solid", "n-body", "bodies"}; }

std::vector<std::string> keys_of_scene(std::string_view model) {
  std::vector<std::string> keys;
  const auto add = [&](std::initializer_list<const char*> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (model == "particles") add({"position", "velocity", "mass", "springs", "anchors", "shape", "particles", "length", "stiffness", "damping", "direction", "across", "down", "spacing", "bending", "mesh"});
  if (model == "cloth") add({"across", "down", "width", "height", "mesh", "law", "density", "young", "poisson", "shear", "damping", "bending", "bending_damping", "wind", "air"});
  if (model == "solid") add({"cells", "size", "material", "density", "young", "poisson", "damping", "mass_damping"});
  if (model == "bodies") return keys_of_bodies();
  if (model == "n-body") add({"mass", "position", "velocity", "gravitation", "softening"});
  else add({"gravity", "fixed", "turn", "at", "spin"});
  if (model == "particles" || model == "cloth") add({"drag"});
  if (model == "cloth" || model == "solid") add({"velocity", "ground", "balls", "contact", "contact_damping", "contact_friction"});
  return keys;
}

bool is_word_of_scene(std::string_view key) { return key == "mesh" || key == "law" || key == "material" || key == "shape" || key == "fixed"; }

scene make_scene(std::string_view model, const scene_table& table, const place& table_at, const std::string& folder) {
  const table_reader reader(table, table_at, std::string(model));
  try {
    scene made = scene_of_model(model, reader, folder);
    reader.require_all_read();
    if (reader.has("mesh")) made.files.push_back(reader.mesh_path(folder));
    return made;
  } catch (const std::invalid_argument& wrong) {
    std::string what = wrong.what();
    throw scene_fault{table_at, what.starts_with("ensue: ") ? what.substr(7) : what};
  }
}

}  // namespace ensue
