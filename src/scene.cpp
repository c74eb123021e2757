#include "scene.hpp"

#include "mesh.hpp"
#include "problem_words.hpp"

#include <ensue/models/cloth.hpp>
#include <ensue/models/n_body.hpp>
#include <ensue/models/solid.hpp>
#include <ensue/models/springs.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ensue {
namespace {

using namespace models;

constexpr double most_particles = most_elements;

/// The table as models want it: numbers with their defaults, in their ranges.
class table_reader {
 public:
  table_reader(const scene_table& table, const place& at, std::string model) : table_(table), at_(at), model_(std::move(model)) {}

  bool has(std::string_view key) const { return table_.find(key) != table_.end(); }
  const scene_value& value(std::string_view key) const {
    const auto found = table_.find(key);
    if (found == table_.end()) throw scene_fault{at_, "found no `" + std::string(key) + "` in [" + model_ + "], expected it"};
    return found->second;
  }
  double number(std::string_view key) const {
    const scene_value& given = value(key);
    if (given.rows.size() != 1 || given.rows[0].size() != 1) throw scene_fault{given.where, "found a list for `" + std::string(key) + "`, expected a number"};
    return given.rows[0][0];
  }
  double number(std::string_view key, double otherwise) const { return has(key) ? number(key) : otherwise; }
  /// Replaces what is there by default, where it is given.
  void take(std::string_view key, double& into) const { into = number(key, into); }
  std::size_t count(std::string_view key) const {
    const double given = number(key);
    if (given != std::floor(given) || !(given >= 1) || given > most_particles)
      throw scene_fault{value(key).where, "`" + std::string(key) + "` is " + shown(given) + ", expected a whole number from 1 to " + shown(most_particles)};
    return static_cast<std::size_t>(given);
  }
  /// A list of `width` numbers.
  std::vector<double> list(std::string_view key, std::size_t width) const {
    const scene_value& given = value(key);
    if (given.rows.size() != 1 || given.rows[0].size() != width)
      throw scene_fault{given.where, "expected " + std::to_string(width) + " numbers for `" + std::string(key) + "`: [… , …]"};
    return given.rows[0];
  }
  point vector(std::string_view key, const point& otherwise) const {
    if (!has(key)) return otherwise;
    const std::vector<double> given = list(key, 3);
    return {given[0], given[1], given[2]};
  }
  /// Lists of `least` to `most` numbers each, as many as there are.
  std::vector<std::vector<double>> rows(std::string_view key, std::size_t least, std::size_t most) const {
    if (!has(key)) return {};
    const scene_value& given = value(key);
    for (const auto& row : given.rows)
      if (row.size() < least || row.size() > most)
        throw scene_fault{given.where, "found a list of " + std::to_string(row.size()) + " in `" + std::string(key) + "`, expected lists of " + std::to_string(least) +
                                           (least == most ? "" : " to " + std::to_string(most)) + " numbers"};
    return given.rows;
  }
  std::vector<point> points(std::string_view key) const {
    std::vector<point> all;
    for (const auto& row : rows(key, 3, 3)) all.push_back({row[0], row[1], row[2]});
    return all;
  }
  std::string word(std::string_view key, std::string otherwise, std::initializer_list<std::string_view> choices) const {
    const std::string given = has(key) ? value(key).text : otherwise;
    if (std::find(choices.begin(), choices.end(), given) != choices.end()) return given;
    std::vector<std::string> all(choices.begin(), choices.end());
    throw scene_fault{has(key) ? value(key).where : at_, "found `" + std::string(key) + "` = \"" + given + "\"" + remedy(given, all, "one of " + listed(all))};
  }
  std::size_t particle(double given, std::size_t particles, const place& where) const {
    if (given != std::floor(given) || !(given >= 0) || !(given < static_cast<double>(particles)))
      throw scene_fault{where, "there is no particle " + shown(given) + ", expected one of 0 to " + std::to_string(particles - 1)};
    return static_cast<std::size_t>(given);
  }
  /// No more particles than memory is meant for.
  void require_room(double particles) const {
    if (particles > most_particles) throw scene_fault{at_, "[" + model_ + "] has " + shown(particles) + " particles, expected at most " + shown(most_particles)};
  }

 private:
  const scene_table& table_;
  place at_;
  std::string model_;
};

/// `fixed`: a list of particles, or a condition on where they are.
template <class Model> void fix_particles(Model& model, const table_reader& table, std::span<const point> rest) {
  if (!table.has("fixed")) return;
  const scene_value& given = table.value("fixed");
  if (given.text.empty()) {
    for (const auto& row : given.rows)
      for (const double each : row) model.fix(table.particle(each, rest.size(), given.where));
    return;
  }
  const expression::parsed parsed = expression::parse("if(" + given.text + ", 1, 0)");
  if (parsed.fault) throw scene_fault{given.where, "`fixed`: " + parsed.fault->what};
  for (std::size_t i = 0; i < rest.size(); ++i) {
    expression::graph graph;
    std::vector<expression::graph::id> meanings;
    for (const auto& name : parsed.tree.names) {
      if (name.text != "x" && name.text != "y" && name.text != "z")
        throw scene_fault{given.where, "unknown name `" + name.text + "` in `fixed`, expected x, y and z of a particle"};
      meanings.push_back(graph.constant(rest[i][static_cast<std::size_t>(name.text[0] - 'x')]));
    }
    if (graph[graph.insert(parsed.tree, meanings)].value != 0) model.fix(i);
  }
}

/// x = (q, v): turned about the origin, moved to `at`, with a velocity and a spin about the middle.
std::vector<double> start_of(const table_reader& table, std::vector<point> positions) {
  const auto turn = quaternion<double>::exp(table.vector("turn", {0, 0, 0}));
  for (point& each : positions) each = turn.rotate(each);
  const point shift = table.vector("at", {0, 0, 0}), velocity = table.vector("velocity", {0, 0, 0}), spin = table.vector("spin", {0, 0, 0});
  point middle = {0, 0, 0};
  for (const point& each : positions) middle = middle + (1 / static_cast<double>(positions.size())) * each;
  std::vector<double> x(6 * positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const point q = positions[i] + shift, v = velocity + cross(spin, positions[i] - middle);
    for (std::size_t c = 0; c < 3; ++c) x[3 * i + c] = q[c], x[3 * (positions.size() + i) + c] = v[c];
  }
  return x;
}

const std::vector<std::string> momenta = {"energy", "momentum x", "momentum y", "momentum z", "angular momentum x", "angular momentum y", "angular momentum z"};

/// With its energy, and momenta where they are asked for: what is heavy or held has none that stays.
template <class Model> scene scene_of(const Model& model, std::vector<double> start, bool with_momenta) {
  const auto shared = std::make_shared<const Model>(model);
  return {.model = system_function(model),
          .start = std::move(start),
          .invariant_names = {momenta.begin(), with_momenta ? momenta.end() : momenta.begin() + 1},
          .invariants = [shared](std::span<const double> x, std::span<double> values) {
            values[0] = shared->energy(x);
            if (values.size() == 1) return;
            const auto linear = shared->momentum(x), angular = shared->angular_momentum(x);
            for (std::size_t c = 0; c < 3; ++c) values[1 + c] = linear[c], values[4 + c] = angular[c];
          }};
}

std::vector<vec<std::uint32_t, 3>> drawn(std::span<const vec<std::size_t, 3>> triangles) {
  std::vector<vec<std::uint32_t, 3>> all;
  for (const auto& t : triangles) all.push_back({static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
  return all;
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

scene particles_scene(const table_reader& table) {
  spring_net net;
  if (table.has("position")) {
    net = listed_particles(table);
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
  fix_particles(model, table, net.positions);
  std::vector<double> start;
  if (table.has("position")) {
    start = at_rest(net.positions);
    const auto velocities = table.points("velocity");
    if (!velocities.empty() && velocities.size() != net.positions.size())
      throw scene_fault{table.value("velocity").where, "expected a velocity for each of the " + std::to_string(net.positions.size()) + " particles"};
    for (std::size_t i = 0; i < velocities.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) start[start.size() / 2 + 3 * i + c] = velocities[i][c];
  } else {
    start = start_of(table, net.positions);
  }
  scene made = scene_of(model, std::move(start), !table.has("gravity") && !table.has("fixed"));
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
  if (!table.has("mesh")) {
    table.require_room((table.number("across") + 1) * (table.number("down") + 1));
    return sheet({.across = table.count("across"), .down = table.count("down"), .width = table.number("width"), .height = table.number("height")});
  }
  triangle_mesh shape;
  try {
    const mesh read = read_mesh((std::filesystem::path(folder) / table.value("mesh").text).string());
    table.require_room(static_cast<double>(read.vertices.size()));
    for (const auto& v : read.vertices) shape.positions.push_back({v[0], v[1], v[2]});
    for (const auto& t : read.triangles) shape.triangles.push_back({t[0], t[1], t[2]});
  } catch (const file_error& wrong) {
    throw scene_fault{table.value("mesh").where, wrong.what()};
  }
  return shape;
}

scene cloth_scene(const table_reader& table, const std::string& folder) {
  const triangle_mesh shape = cloth_mesh(table, folder);
  cloth_material made_of;
  take_elasticity(table, made_of);
  table.take("bending", made_of.bending);
  table.take("bending_damping", made_of.bending_damping);
  cloth_surroundings around;
  add_obstacles(table, around);
  around.drag = table.number("drag", 0);
  around.wind = table.vector("wind", {0, 0, 0});
  around.air = table.number("air", 0);
  auto model = cloth(shape, made_of, around);
  fix_particles(model, table, shape.positions);
  scene made = scene_of(model, start_of(table, shape.positions), false);
  made.triangles = drawn(shape.triangles);
  return made;
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
    fix_particles(model, table, shape.positions);
    scene made = scene_of(model, start_of(table, shape.positions), false);
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

}  // namespace

std::vector<std::string> scene::component_names() const {
  std::vector<std::string> names;
  for (const char* end : {"", "'"})
    for (std::size_t i = 0; i < particles(); ++i)
      for (const char axis : {'x', 'y', 'z'}) names.push_back(axis + ("[" + std::to_string(i) + "]") + end);
  return names;
}

std::vector<std::string> scene_models() { return {"particles", "cloth", "solid", "n-body"}; }

std::vector<std::string> keys_of_scene(std::string_view model) {
  std::vector<std::string> keys;
  const auto add = [&](std::initializer_list<const char*> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (model == "particles") add({"position", "velocity", "mass", "springs", "anchors", "shape", "particles", "length", "stiffness", "damping", "direction", "across", "down", "spacing", "bending"});
  if (model == "cloth") add({"across", "down", "width", "height", "mesh", "density", "young", "poisson", "damping", "bending", "bending_damping", "wind", "air"});
  if (model == "solid") add({"cells", "size", "material", "density", "young", "poisson", "damping", "mass_damping"});
  if (model == "n-body") add({"mass", "position", "velocity", "gravitation", "softening"});
  else add({"gravity", "fixed", "turn", "at", "spin"});
  if (model == "particles" || model == "cloth") add({"drag"});
  if (model == "cloth" || model == "solid") add({"velocity", "ground", "balls", "contact", "contact_damping", "contact_friction"});
  return keys;
}

bool is_word_of_scene(std::string_view key) { return key == "mesh" || key == "material" || key == "shape" || key == "fixed"; }

scene make_scene(std::string_view model, const scene_table& table, const place& table_at, const std::string& folder) {
  const table_reader reader(table, table_at, std::string(model));
  try {
    if (model == "particles") return particles_scene(reader);
    if (model == "cloth") return cloth_scene(reader, folder);
    if (model == "solid") return solid_scene(reader);
    return n_body_scene(reader);
  } catch (const std::invalid_argument& wrong) {
    std::string what = wrong.what();
    throw scene_fault{table_at, what.starts_with("ensue: ") ? what.substr(7) : what};
  }
}

}  // namespace ensue
