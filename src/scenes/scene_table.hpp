/// What makers of scenes share: a model's table as numbers in their ranges, and a scene from a model.
#pragma once

#include "meshes/mesh.hpp"
#include "problems/problem_words.hpp"
#include "scenes/scene.hpp"

#include <ensue/models/points.hpp>
#include <ensue/models/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ensue {

inline constexpr double most_particles = most_elements;

/// The table as models want it: numbers with their defaults, in their ranges. It knows which of its values a model has asked for.
class table_reader {
 public:
  table_reader(const scene_table& table, const place& at, std::string model) : table_(table), at_(at), model_(std::move(model)) {}

  bool has(std::string_view key) const { return table_.find(key) != table_.end(); }
  const scene_value& value(std::string_view key) const {
    const auto found = table_.find(key);
    if (found == table_.end()) throw scene_fault{at_, "found no `" + std::string(key) + "` in [" + model_ + "], expected it"};
    read_.insert(found->first);
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
  models::point vector(std::string_view key, const models::point& otherwise) const {
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
  std::vector<models::point> points(std::string_view key) const {
    std::vector<models::point> all;
    for (const auto& row : rows(key, 3, 3)) all.push_back({row[0], row[1], row[2]});
    return all;
  }
  std::string word(std::string_view key, std::string otherwise, std::initializer_list<std::string_view> choices) const {
    const std::string given = has(key) ? value(key).text : otherwise;
    if (std::find(choices.begin(), choices.end(), given) != choices.end()) return given;
    std::vector<std::string> all(choices.begin(), choices.end());
    throw scene_fault{has(key) ? value(key).where : at_, "found `" + std::string(key) + "` = \"" + given + "\"" + remedy(given, all, "one of " + listed(all))};
  }
  std::size_t particle(double given, std::size_t particles, const place& where) const { return one_of("particle", given, particles, where); }
  std::size_t body(double given, std::size_t bodies, const place& where) const { return one_of("body", given, bodies, where); }
  /// The file that `mesh` names.
  std::string mesh_path(const std::string& folder) const { return path_below(folder, value("mesh")); }
  models::triangle_mesh mesh(const std::string& folder) const {
    models::triangle_mesh shape;
    try {
      const ensue::mesh read = read_mesh(mesh_path(folder));
      require_room(static_cast<double>(read.vertices.size()));
      for (const auto& v : read.vertices) shape.positions.push_back({v[0], v[1], v[2]});
      for (const auto& t : read.triangles) shape.triangles.push_back({t[0], t[1], t[2]});
    } catch (const file_error& wrong) {
      throw scene_fault{value("mesh").where, wrong.what()};
    }
    return shape;
  }
  /// No value that the model, made by now, has not asked for.
  void require_all_read() const {
    const scene_table::value_type* first = nullptr;
    for (const auto& each : table_)
      if (!read_.contains(each.first) && (!first || each.second.where < first->second.where)) first = &each;
    if (first) throw scene_fault{first->second.where, "`" + first->first + "` has no meaning beside the other keys of [" + model_ + "], expected it without them or not at all"};
  }
  /// No more particles than memory is meant for.
  void require_room(double particles) const {
    if (particles > most_particles) throw scene_fault{at_, "[" + model_ + "] has " + shown(particles) + " particles, expected at most " + shown(most_particles)};
  }

 private:
  /// Of a file that is in the folder, or in one in it, wherever links lead.
  static std::string path_below(const std::string& folder, const scene_value& named) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path base = fs::weakly_canonical(fs::absolute(fs::path(folder) / "."), failed);
    const fs::path path = fs::path(folder) / named.text, from_base = fs::weakly_canonical(fs::absolute(path), failed).lexically_relative(base);
    if (failed || from_base.empty() || *from_base.begin() == "..")
      throw scene_fault{named.where, "found `mesh` = \"" + named.text + "\", expected a file in the folder of the problem"};
    return path.string();
  }
  static std::size_t one_of(const char* kind, double given, std::size_t count, const place& where) {
    if (given != std::floor(given) || !(given >= 0) || !(given < static_cast<double>(count)))
      throw scene_fault{where, std::string("there is no ") + kind + " " + shown(given) + ", expected one of 0 to " + std::to_string(count - 1)};
    return static_cast<std::size_t>(given);
  }

  const scene_table& table_;
  place at_;
  std::string model_;
  mutable std::set<std::string_view> read_;  ///< keys of the table
};

inline const std::vector<std::string> momenta = {"energy", "momentum x", "momentum y", "momentum z", "angular momentum x", "angular momentum y", "angular momentum z"};

/// With its energy, and momenta where they are asked for: what is heavy, held or dragged has none that stays.
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

inline std::vector<vec<std::uint32_t, 3>> drawn(std::span<const vec<std::size_t, 3>> triangles) {
  std::vector<vec<std::uint32_t, 3>> all;
  for (const auto& t : triangles) all.push_back({static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
  return all;
}

}  // namespace ensue
