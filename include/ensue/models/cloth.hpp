/// Cloth: a mesh of triangles that resists stretching, shearing and bending, in the wind, over a ground and balls.
///
///     const auto mesh = sheet({.across = 30, .down = 30, .width = 1, .height = 1});
///     auto flag = cloth(mesh, {.young = 2e5, .bending = 1e-5}, {.wind = {5, 0, 0}, .air = 1.2});
///     flag.fix(0), flag.fix(31 * 30);
///     auto run = ensue::solve(flag, at_rest(mesh.positions), {0, 10}, ensue::condensed_backward_euler{}, {.step = 1. / 60});
///
/// The membrane is St. Venant and Kirchhoff's, exact for large turns, with Kelvin and Voigt's damping (elastic.hpp); bending is quadratic
/// (bending.hpp); obstacles push by a penalty (obstacles.hpp). Cloth does not see itself.
#pragma once

#include <ensue/models/bending.hpp>
#include <ensue/models/elastic.hpp>
#include <ensue/models/obstacles.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/shapes.hpp>

#include <vector>

namespace ensue::models {

struct cloth_material {
  double density = 0.2;     ///< kg/m²
  double young = 1e4;       ///< N/m: Young's modulus times thickness
  double poisson = 0.3;     ///< 0 to 1
  double damping = 1e-3;    ///< s, of stretching and shearing
  double bending = 1e-5;    ///< N·m, flexural rigidity
  double bending_damping = 1e-3;  ///< s
};

struct cloth_surroundings {
  point gravity = {0, 0, -9.81};
  double drag = 0;              ///< of each particle
  point wind = {0, 0, 0};       ///< velocity
  double air = 0;               ///< density, of the air that meets triangles
  std::vector<half_space> grounds = {};
  std::vector<ball> balls = {};
  contact_law touching = {1e3};  ///< of both
};

using membrane = elastic<2, st_venant_kirchhoff>;
using cloth_model = particle_system<membrane, bending, wind, contact<half_space>, contact<ball>>;

/// Throws std::invalid_argument that names what is wrong: a triangle without area, a vertex in no triangle, which would have no mass, …
inline cloth_model cloth(const triangle_mesh& mesh, const cloth_material& made_of = {}, const cloth_surroundings& around = {}) {
  if (!(made_of.poisson >= 0 && made_of.poisson < 1)) refuse_element("cloth", 0, "its Poisson ratio is " + in_digits(made_of.poisson) + ", expected 0 to 1");
  membrane stretching(mesh.positions, mesh.triangles, {lame::of_sheet(made_of.young, made_of.poisson)}, {.damping = made_of.damping});
  std::vector<double> masses = stretching.masses(mesh.positions.size(), made_of.density);
  return {std::move(masses),
          {.gravity = around.gravity, .drag = around.drag},
          std::move(stretching),
          bending(mesh.positions, mesh.triangles, made_of.bending, made_of.bending_damping),
          wind(mesh.triangles, around.wind, around.air),
          contact<half_space>(around.grounds, around.touching),
          contact<ball>(around.balls, around.touching)};
}

}  // namespace ensue::models
