/// Built-in models of problem files: `model = "cloth"` and a table [cloth] of numbers.
///
/// | model | its table |
/// |---|---|
/// | particles | `position` and `velocity` (lists of points), `mass` (one for all, or a list), `springs` ([i, j, stiffness] or [i, j, stiffness, rest length, damping] each), `anchors` ([i, x, y, z, stiffness, rest length, damping]); or `shape = "chain"` with `particles`, `length`, `mass`, `stiffness`, `damping`, `direction`; or `shape = "lattice"` with `across`, `down`, `spacing`, `mass`, `stiffness`, `damping`, `bending`; or `mesh = "file.obj"`, a spring along every edge |
/// | cloth | `across`, `down`, `width`, `height`, or `mesh = "file.obj"`; `density`, `young`, `poisson`, `damping`, `bending`, `bending_damping`; `wind`, `air`; `law = "baraff-witkin"` with `young` for stretch and `shear` |
/// | solid | `cells`, `size`; `material = "stable-neo-hookean"` or `"st-venant-kirchhoff"`; `density`, `young`, `poisson`, `damping`, `mass_damping` |
/// | n-body | `mass` (a list), `position`, `velocity`, `gravitation`, `softening` |
/// | bodies | scene_bodies.hpp |
///
/// The first three also have `gravity`, `fixed` (numbers of particles, or a condition on x, y, z at rest, "x < 0.1"), `drag` (not
/// solid), `turn` (a rotation vector, of positions about the origin), `at` (where the origin is put then), `velocity`, where it is not a list, and
/// `spin` of the whole, but not of what is fixed; cloth and solid `ground` (its height), `balls` ([x, y, z, radius] each),
/// `contact`, `contact_damping`, `contact_friction`. What each means and its unit is said in include/ensue/models. Particles count from 0;
/// the components are x[0], y[0], z[0], x[1], … and their velocities.
#pragma once

#include "problems/problem_file.hpp"

#include <ensue/registry.hpp>
#include <ensue/numbers/state.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

/// A value of a model's table.
struct scene_value {
  place where;
  std::vector<std::vector<double>> rows = {};  ///< a number is one row of one, a list one row, a list of lists its rows
  std::string text = {};                       ///< in their place
};
using scene_table = std::map<std::string, scene_value, std::less<>>;

/// What is wrong with one.
struct scene_fault {
  place where;
  std::string what;
};

/// A model ready to be solved, and how it is drawn.
struct scene {
  system_function model;
  std::vector<double> start;
  std::vector<std::string> invariant_names;
  std::function<void(std::span<const double> x, std::span<double> values)> invariants;
  std::vector<vec<std::uint32_t, 3>> triangles = {};
  std::vector<vec<std::uint32_t, 2>> lines = {};

  bool second_order = true;                ///< x = (q, v) of particles
  std::vector<std::string> names = {};     ///< of the components, where they are not particles
  std::vector<std::string> files = {};     ///< that were read for it
  std::size_t drawn_points = particles();  ///< that triangles and lines join
  /// Their coordinates, where they are not particles.
  std::function<std::vector<double>(std::span<const double> x)> draw = {};

  std::size_t particles() const { return start.size() / 6; }
  std::vector<std::string> component_names() const;
};

/// The names of models, and what the table of one may have.
std::vector<std::string> scene_models();
std::vector<std::string> keys_of_scene(std::string_view model);
/// Whether a value in quotes is meant as it is, not as an expression of parameters.
bool is_word_of_scene(std::string_view key);

/// Files that the table names are looked for in `folder`, and only there and below. Throws scene_fault; `table_at` is the place of what is missing.
scene make_scene(std::string_view model, const scene_table& table, const place& table_at, const std::string& folder);

}  // namespace ensue
