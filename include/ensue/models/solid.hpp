/// Solids that deform: tetrahedra of an elastic material, over a ground and balls.
///
///     const auto bar = box({.cells = {20, 4, 4}, .size = {1, 0.2, 0.2}});
///     auto jelly = solid<stable_neo_hookean>(bar, {.young = 2e4, .poisson = 0.4});
///     auto run = ensue::solve(jelly, at_rest(bar.positions), {0, 2}, ensue::condensed_backward_euler{}, {.step = 1. / 60});
///
/// Mass is lumped to the particles. Damping is Rayleigh's: `mass_damping` against the motion of mass, `damping` against strain rates (elastic.hpp).
#pragma once

#include <ensue/models/elastic.hpp>
#include <ensue/models/obstacles.hpp>
#include <ensue/models/particle_system.hpp>
#include <ensue/models/shapes.hpp>

#include <utility>
#include <vector>

namespace ensue::models {

struct solid_material {
  double density = 1000;  ///< kg/m³
  double young = 1e5;     ///< Pa
  double poisson = 0.4;   ///< 0 to 1/2
  double damping = 0;     ///< s, with stiffness
  double mass_damping = 0;  ///< 1/s, with mass
};

struct solid_surroundings {
  point gravity = {0, 0, -9.81};
  std::vector<half_space> grounds = {};
  std::vector<ball> balls = {};
  contact_law touching = {1e4};  ///< of both, a particle
};

template <class Material> using solid_model = particle_system<elastic<3, Material>, contact<half_space>, contact<ball>>;

/// Material is `st_venant_kirchhoff` or `stable_neo_hookean`. Throws std::invalid_argument that names what is wrong: a tetrahedron without volume, …
template <class Material>
solid_model<Material> solid(const tetrahedron_mesh& mesh, const solid_material& made_of = {}, const solid_surroundings& around = {}) {
  if (!(made_of.poisson >= 0 && made_of.poisson < 0.5)) refuse_element("solid", 0, "its Poisson ratio is " + in_digits(made_of.poisson) + ", expected 0 to 0.5");
  elastic<3, Material> body(mesh.positions, mesh.tetrahedra, {lame::of_solid(made_of.young, made_of.poisson)}, {.damping = made_of.damping});
  std::vector<double> masses = body.masses(mesh.positions.size(), made_of.density);
  return {std::move(masses),
          {.gravity = around.gravity, .mass_damping = made_of.mass_damping},
          std::move(body),
          contact<half_space>(around.grounds, around.touching),
          contact<ball>(around.balls, around.touching)};
}

}  // namespace ensue::models
