/// Resistance to bending of a mesh that is flat at rest.
///
///     particle_system paper(masses, {.gravity = {0, 0, -9.81}}, bending(mesh.positions, mesh.triangles, 1e-5));    // a force; N·m
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/models/points.hpp>
#include <ensue/models/springs.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ensue::models {

/// The edges between two triangles: the particles of the edge, then those across. Throws std::invalid_argument where an edge belongs to three triangles or more.
inline std::vector<std::array<std::size_t, 4>> hinges_of(std::span<const vec<std::size_t, 3>> triangles) {
  struct side {
    std::size_t first, second, opposite, triangle;
  };
  std::vector<side> sides;
  for (std::size_t k = 0; k < triangles.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = triangles[k][c], j = triangles[k][(c + 1) % 3];
      sides.push_back({std::min(i, j), std::max(i, j), triangles[k][(c + 2) % 3], k});
    }
  const auto key = [](const side& s) { return std::array{s.first, s.second, s.triangle}; };
  std::sort(sides.begin(), sides.end(), [&](const side& a, const side& b) { return key(a) < key(b); });
  const auto same_edge = [](const side& a, const side& b) { return a.first == b.first && a.second == b.second; };
  std::vector<std::array<std::size_t, 4>> hinges;
  for (std::size_t k = 0; k + 1 < sides.size(); ++k) {
    if (!same_edge(sides[k], sides[k + 1])) continue;
    if (k + 2 < sides.size() && same_edge(sides[k], sides[k + 2]))
      refuse_element("triangle", sides[k + 2].triangle,
                     "its edge from " + std::to_string(sides[k].first) + " to " + std::to_string(sides[k].second) + " belongs to two others already");
    hinges.push_back({sides[k].first, sides[k].second, sides[k].opposite, sides[k + 1].opposite});
  }
  return hinges;
}

/// M. Bergou, M. Wardetzky, D. Harmon, D. Zorin & E. Grinspun (2006), "A quadratic bending model for inextensible surfaces", Symposium on
/// Geometry Processing, 227–230. An edge between two triangles has the vector c = Σ K_i x_i of its four particles, zero where they lie in a
/// plane, with K from the cotangents of the angles at rest, and the energy ½ s |c|², s = stiffness/(area of both): constant derivatives.
/// `stiffness` is the flexural rigidity in N·m: with our 1 in the place of their 3 a cylinder has the energy of a plate. Damping is that of a
/// spring c from 0: it acts on the rate of |c|, and no turning of the whole is damped.
class bending {
 public:
  bending() = default;
  /// Damping in seconds, as of elastic elements. Throws std::invalid_argument where an edge belongs to three triangles or more.
  bending(std::span<const point> rest, std::span<const vec<std::size_t, 3>> triangles, double stiffness, double damping = 0) {
    require_not_negative("bending", 0, "stiffness", stiffness);
    require_not_negative("bending", 0, "damping", damping);
    for (std::size_t k = 0; k < triangles.size(); ++k)
      for (const std::size_t i : triangles[k]) require_particle("triangle", k, i, rest.size());
    const auto nodes = hinges_of(triangles);
    if (stiffness > 0)
      for (const auto& node : nodes) hinges_.push_back(hinge_at(rest, node, stiffness, damping));
  }
  std::size_t hinges() const { return hinges_.size(); }

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const hinge& each : hinges_) sum = sum + each.law.energy(each.vector(q));
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    for (const hinge& each : hinges_) {
      const vec<S, 3> force = each.law.force(each.vector(q), each.vector(v));
      for (std::size_t a = 0; a < 4; ++a) add_at(f, each.node[a], S(each.weight[a]) * force);
    }
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    for (const hinge& each : hinges_) {
      block by_position, by_velocity;
      each.law.derivatives(each.vector(q), each.vector(v), how, by_position, by_velocity);
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b) {
          block k = by_position, d = by_velocity;
          const double weight = each.weight[a] * each.weight[b];
          k *= weight, d *= weight;
          out.couple(each.node[a], each.node[b], k, d);
        }
    }
  }
  bool depends_on_velocity() const { return !hinges_.empty() && hinges_.front().law.damping > 0; }
  void check(std::size_t particles) const {
    for (std::size_t k = 0; k < hinges_.size(); ++k)
      for (const std::size_t i : hinges_[k].node) require_particle("hinge", k, i, particles);
  }

 private:
  struct hinge {
    std::size_t node[4];
    double weight[4];
    detail::spring_law law;

    template <class S> ENSUE_INLINE vec<S, 3> vector(std::span<const S> q) const {
      vec<S, 3> sum = S(weight[0]) * at(q, node[0]);
      for (std::size_t a = 1; a < 4; ++a) sum = sum + S(weight[a]) * at(q, node[a]);
      return sum;
    }
  };

  /// Of the edge from x₀ to x₁, with x₂ and x₃ across.
  static hinge hinge_at(std::span<const point> rest, const std::array<std::size_t, 4>& node, double stiffness, double damping) {
    const auto sides = [&](std::size_t from, std::size_t to) { return rest[node[to]] - rest[node[from]]; };
    const auto cotangent = [](const point& a, const point& b) {
      const point n = cross(a, b);
      return dot(a, b) / std::sqrt(dot(n, n));
    };
    const double at_0 = cotangent(sides(0, 1), sides(0, 2)), at_0_across = cotangent(sides(0, 1), sides(0, 3));
    const double at_1 = cotangent(sides(1, 0), sides(1, 2)), at_1_across = cotangent(sides(1, 0), sides(1, 3));
    const point n = cross(sides(0, 1), sides(0, 2)), across = cross(sides(0, 1), sides(0, 3));
    const double areas = 0.5 * (std::sqrt(dot(n, n)) + std::sqrt(dot(across, across))), s = stiffness / areas;
    return {{node[0], node[1], node[2], node[3]},
            {at_1 + at_1_across, at_0 + at_0_across, -at_0 - at_1, -at_0_across - at_1_across},
            {s, 0, s * damping}};
  }

  std::vector<hinge> hinges_;
};

}  // namespace ensue::models
