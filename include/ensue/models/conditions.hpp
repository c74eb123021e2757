/// Cloth by conditions that are zero where it is at rest, each with an energy ½ k C² and a damping of its own: stretch, shear and bend as in D. Baraff &
/// A. Witkin (1998), "Large steps in cloth simulation", SIGGRAPH 98, §4.
///
///     auto flag = conditioned_cloth(mesh, {.stretch = 5e3, .shear = 500, .bend = 1e-5, .damping = 1e-3});
///
/// A condition has values C and gradients ∂C/∂x_a of the particles it joins; the force is −Σ (k C + d C') ∂C/∂x_a with C' = Σ ∂C/∂x_b·v_b, their (7)
/// and (11). Derivatives come by dual numbers; definite ones are k (∂C/∂x_a)(∂C/∂x_b)ᵀ alone, without C ∂²C. Where they weigh conditions of a triangle
/// with its area, here it is the area's root: the energy is then that of a square metre, whatever the mesh.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/models/cloth.hpp>
#include <ensue/models/element_duals.hpp>
#include <ensue/models/points.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ensue::models {

/// The two directions of a woven triangle, w_u and w_v, of length one at rest: w_u = Σ x_a gradients[a][0].
struct woven_triangle {
  static constexpr std::size_t particles = 3;
  std::size_t node[3];
  double gradients[3][2];
  double weight;  ///< the area's root

  template <class S> vec<S, 3> direction(const vec<S, 3> (&x)[3], std::size_t which) const {
    return S(gradients[1][which]) * (x[1] - x[0]) + S(gradients[2][which]) * (x[2] - x[0]);
  }
};

/// |w_u| − 1 and |w_v| − 1.
struct stretch_condition : woven_triangle {
  static constexpr std::size_t count = 2;
  template <class S> void evaluate(const vec<S, 3> (&x)[3], S (&c)[2], vec<S, 3> (&by)[2][3]) const {
    for (std::size_t k = 0; k < 2; ++k) {
      const directed_length<S> w(direction(x, k));
      c[k] = weight * (w.length - 1);
      for (std::size_t a = 0; a < 3; ++a) by[k][a] = S(weight * gradients[a][k]) * w.direction;
    }
  }
};

/// w_u·w_v
struct shear_condition : woven_triangle {
  static constexpr std::size_t count = 1;
  template <class S> void evaluate(const vec<S, 3> (&x)[3], S (&c)[1], vec<S, 3> (&by)[1][3]) const {
    const vec<S, 3> u = direction(x, 0), v = direction(x, 1);
    c[0] = weight * dot(u, v);
    for (std::size_t a = 0; a < 3; ++a) by[0][a] = S(weight * gradients[a][0]) * v + S(weight * gradients[a][1]) * u;
  }
};

/// The angle between the two triangles at an edge from x₀ to x₁, with x₂ and x₃ across; `weight` is the edge's length ÷ the root of both areas, with
/// which a cylinder has the energy of a plate. Gradients as in R. Bridson, S. Marino & R. Fedkiw (2003), "Simulation of clothing with folds and
/// wrinkles", SCA 03, §4.
struct bend_condition {
  static constexpr std::size_t particles = 4, count = 1;
  std::size_t node[4];
  double weight;

  template <class S> void evaluate(const vec<S, 3> (&x)[4], S (&c)[1], vec<S, 3> (&by)[1][4]) const {
    using std::atan2;
    const vec<S, 3> edge = x[1] - x[0], n = cross(x[2] - x[0], x[2] - x[1]), m = cross(x[3] - x[1], x[3] - x[0]);
    const S nn = dot(n, n), mm = dot(m, m);
    const directed_length<S> along(edge);
    if (nn == S(0) || mm == S(0)) {  // a triangle without area has no angle with another
      c[0] = S(0);
      for (auto& each : by[0]) each = {S(0), S(0), S(0)};
      return;
    }
    c[0] = weight * atan2(dot(cross(m, n), along.direction), dot(n, m));
    const vec<S, 3> across = (weight / nn) * n, beyond = (weight / mm) * m;
    const auto at_end = [&](const vec<S, 3>& end) {
      return dot(x[2] - end, along.direction) * across + dot(x[3] - end, along.direction) * beyond;
    };
    by[0][0] = at_end(x[1]);
    by[0][1] = S(-1) * at_end(x[0]);
    by[0][2] = along.length * across;
    by[0][3] = along.length * beyond;
  }
};

/// Many of one kind, with the same stiffness; damping in seconds: d = damping·k.
template <class Condition> class conditions {
  static constexpr std::size_t N = Condition::particles, M = Condition::count;

 public:
  conditions() = default;
  conditions(std::vector<Condition> all, double stiffness, double damping) : all_(std::move(all)), stiffness_(stiffness), damping_(damping) {}

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const Condition& each : all_) {
      vec<S, 3> x[N], by[M][N];
      S c[M];
      gather(each, q, x);
      each.evaluate(x, c, by);
      for (const S& value : c) sum = sum + (0.5 * stiffness_) * (value * value);
    }
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> out) const {
    for (const Condition& each : all_) {
      vec<S, 3> x[N], u[N], f[N];
      gather(each, q, x), gather(each, v, u);
      force(each, x, u, f);
      for (std::size_t a = 0; a < N; ++a) add_at(out, each.node[a], f[a]);
    }
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    for (const Condition& each : all_) {
      if (how == force_derivatives::exact) {
        couple_by_duals<N>(each.node, q, v, [&](const auto(&x)[N], const auto(&u)[N], auto(&f)[N]) { force(each, x, u, f); }, out);
        continue;
      }
      point x[N], by[M][N];
      double c[M];
      gather(each, q, x);
      each.evaluate(x, c, by);
      for (std::size_t a = 0; a < N; ++a)
        for (std::size_t b = 0; b < N; ++b) {
          block stiff = {};
          for (std::size_t k = 0; k < M; ++k) stiff += outer(by[k][a], by[k][b], -stiffness_);
          block damped = stiff;
          damped *= damping_;
          out.couple(each.node[a], each.node[b], stiff, damped);
        }
    }
  }
  bool depends_on_velocity() const { return damping_ > 0 && !all_.empty(); }
  void check(std::size_t particles) const {
    require_not_negative("condition", 0, "stiffness", stiffness_);
    require_not_negative("condition", 0, "damping", damping_);
    for (std::size_t k = 0; k < all_.size(); ++k)
      for (const std::size_t i : all_[k].node) require_particle("condition", k, i, particles);
  }

 private:
  template <class S> static void gather(const Condition& each, std::span<const S> q, vec<S, 3> (&x)[N]) {
    for (std::size_t a = 0; a < N; ++a) x[a] = at(q, each.node[a]);
  }
  template <class S> void force(const Condition& each, const vec<S, 3> (&x)[N], const vec<S, 3> (&u)[N], vec<S, 3> (&f)[N]) const {
    vec<S, 3> by[M][N];
    S c[M];
    each.evaluate(x, c, by);
    for (auto& of_one : f) of_one = {S(0), S(0), S(0)};
    for (std::size_t k = 0; k < M; ++k) {
      S pull = stiffness_ * c[k];
      if (damping_ > 0)
        for (std::size_t a = 0; a < N; ++a) pull = pull + (damping_ * stiffness_) * dot(by[k][a], u[a]);
      for (std::size_t a = 0; a < N; ++a) f[a] = f[a] - pull * by[k][a];
    }
  }

  std::vector<Condition> all_;
  double stiffness_ = 0, damping_ = 0;
};

/// Warp runs along x at rest, as far as a triangle's plane has it.
inline std::vector<stretch_condition> woven_triangles(const triangle_mesh& mesh) {
  std::vector<stretch_condition> all;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const auto& t = mesh.triangles[k];
    for (const std::size_t i : t) require_particle("triangle", k, i, mesh.positions.size());
    const point p = mesh.positions[t[1]] - mesh.positions[t[0]], q = mesh.positions[t[2]] - mesh.positions[t[0]];
    const directed_length<double> normal(cross(p, q));
    if (!(normal.length > 0)) refuse_element("triangle", k, "it has no area");
    const point x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, &n = normal.direction, &near = std::fabs(n[0]) < 0.9 ? x_axis : y_axis;
    const point u = directed_length<double>(near - dot(near, n) * n).direction, v = cross(n, u);
    // The inverse of the sides in these coordinates: Σ g_a ⊗ side_a = 1.
    const double pu = dot(p, u), pv = dot(p, v), qu = dot(q, u), qv = dot(q, v), whole = pu * qv - pv * qu;
    stretch_condition made{{{t[0], t[1], t[2]}, {{0, 0}, {qv / whole, -qu / whole}, {-pv / whole, pu / whole}}, std::sqrt(normal.length / 2)}};
    for (std::size_t c = 0; c < 2; ++c) made.gradients[0][c] = -made.gradients[1][c] - made.gradients[2][c];
    all.push_back(made);
  }
  return all;
}

struct condition_material {
  double density = 0.2;   ///< kg/m²
  double stretch = 1e4;   ///< N/m
  double shear = 1e3;     ///< N/m
  double bend = 1e-5;     ///< N·m
  double damping = 1e-3;  ///< s, of all three
};

using conditioned_cloth_model =
    particle_system<conditions<stretch_condition>, conditions<shear_condition>, conditions<bend_condition>, wind, contact<half_space>, contact<ball>>;

/// Throws std::invalid_argument as cloth() does.
inline conditioned_cloth_model conditioned_cloth(const triangle_mesh& mesh, const condition_material& made_of = {}, const cloth_surroundings& around = {}) {
  std::vector<stretch_condition> stretched = woven_triangles(mesh);
  std::vector<shear_condition> sheared(stretched.begin(), stretched.end());
  std::vector<bend_condition> bent;
  std::vector<double> masses(mesh.positions.size(), 0.);
  for (const woven_triangle& t : stretched)
    for (const std::size_t i : t.node) masses[i] += made_of.density * t.weight * t.weight / 3;
  for (const auto& node : hinges_of(mesh.triangles)) {
    const auto side = [&](std::size_t a) { return mesh.positions[node[a]] - mesh.positions[node[0]]; };
    const double areas = directed_length<double>(cross(side(1), side(2))).length / 2 + directed_length<double>(cross(side(1), side(3))).length / 2;
    bent.push_back({{node[0], node[1], node[2], node[3]}, directed_length<double>(side(1)).length / std::sqrt(areas)});
  }
  return {std::move(masses),
          {.gravity = around.gravity, .drag = around.drag},
          conditions<stretch_condition>(std::move(stretched), made_of.stretch, made_of.damping),
          conditions<shear_condition>(std::move(sheared), made_of.shear, made_of.damping),
          conditions<bend_condition>(std::move(bent), made_of.bend, made_of.damping),
          wind(mesh.triangles, around.wind, around.air),
          contact<half_space>(around.grounds, around.touching),
          contact<ball>(around.balls, around.touching)};
}

}  // namespace ensue::models
