/// Volume, centre and inertia of what a closed mesh encloses, exactly: for rigid bodies of any shape.
///
///     const auto shape = mass_properties_of(positions, triangles);       // of density 1
///     const auto axes = principal_axes_of(shape);
///     const rigid_body<double> body{{rho * axes.moments[0], rho * axes.moments[1], rho * axes.moments[2]}, {}};
///     auto x0 = body.spinning(axes.to_body(omega), axes.orientation);    // turning with omega, in space
#pragma once

#include <ensue/models/points.hpp>
#include <ensue/models/symmetric.hpp>
#include <ensue/methods/rotation/quaternion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ensue::models {

struct mass_properties {
  double volume;
  point centre;
  matrix3<double> inertia;  ///< about the centre, of density 1
};

namespace detail {
/// Every edge is there once each way: nothing is open, and all triangles look to the same side.
inline void require_closed(std::span<const vec<std::size_t, 3>> triangles) {
  std::vector<std::array<std::size_t, 3>> edges;  // from, to, triangle
  for (std::size_t k = 0; k < triangles.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) edges.push_back({triangles[k][c], triangles[k][(c + 1) % 3], k});
  std::sort(edges.begin(), edges.end());
  const auto with = [&](std::size_t from, std::size_t to) {
    const auto first = std::lower_bound(edges.begin(), edges.end(), std::array<std::size_t, 3>{from, to, 0});
    return std::find_if(first, edges.end(), [&](const auto& e) { return e[0] != from || e[1] != to; }) - first;
  };
  for (const auto& [from, to, triangle] : edges) {
    const std::string edge = "its edge from " + std::to_string(from) + " to " + std::to_string(to);
    if (with(from, to) > 1) refuse_element("triangle", triangle, edge + " is there twice: another triangle looks to the other side");
    if (with(to, from) == 0) refuse_element("triangle", triangle, edge + " has no triangle on its other side: the mesh has a hole");
  }
}
}  // namespace detail

/// Sums over the tetrahedra from one point to each triangle, those turned inwards negative: the moments ∫x and ∫x xᵀ of a tetrahedron with one corner at the
/// origin and the others a, b, c are V(a + b + c)/4 and V(a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20, s = a + b + c. (B. Mirtich 1996, "Fast and accurate
/// computation of polyhedral mass properties", J. Graphics Tools 1 (2), 31–50, computes the same integrals.) Triangles are counterclockwise, seen from outside. Throws
/// std::invalid_argument that names the triangle at a hole, or whatever else is wrong.
inline mass_properties mass_properties_of(std::span<const point> positions, std::span<const vec<std::size_t, 3>> triangles) {
  require_finite_points("vertex", positions);
  for (std::size_t k = 0; k < triangles.size(); ++k)
    for (const std::size_t i : triangles[k]) require_particle("triangle", k, i, positions.size());
  detail::require_closed(triangles);
  if (triangles.empty()) refuse_element("mesh", 0, "it has no triangles");
  const point from = positions[triangles[0][0]];
  double volume = 0, squares[3][3] = {};
  point first = {0, 0, 0};
  for (const auto& t : triangles) {
    const point corner[3] = {positions[t[0]] - from, positions[t[1]] - from, positions[t[2]] - from}, sum = corner[0] + corner[1] + corner[2];
    const double v = dot(corner[0], cross(corner[1], corner[2])) / 6;
    volume += v;
    first = first + (v / 4) * sum;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double moment = sum[i] * sum[j];
        for (const point& p : corner) moment += p[i] * p[j];
        squares[i][j] += v / 20 * moment;
      }
  }
  if (!(volume > 0)) refuse_element("mesh", 0, "its volume is " + in_digits(volume) + ", expected a positive one: triangles counterclockwise, seen from outside");
  const point centre = (1 / volume) * first;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) squares[i][j] -= volume * centre[i] * centre[j];
  mass_properties made{volume, from + centre, {}};
  const double trace = squares[0][0] + squares[1][1] + squares[2][2];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) made.inertia[i][j] = (i == j ? trace : 0) - squares[i][j];
  return made;
}

/// Moments about the axes through the centre in which inertia is diagonal, ascending, and the orientation that turns the axes of space into them.
struct principal_axes {
  vec<double, 3> moments;
  quaternion<double> orientation;

  /// A vector of space in the body's frame.
  vec<double, 3> to_body(const vec<double, 3>& in_space) const { return orientation.conjugate().rotate(in_space); }
};

inline principal_axes principal_axes_of(const mass_properties& shape) {
  double a[3][3], vectors[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) a[i][j] = shape.inertia[i][j];
  diagonalise(a, vectors);
  std::size_t order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
  matrix3<double> axes;  // in its columns
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) axes[i][k] = vectors[i][order[k]];
  if (dot(cross(axes[0], axes[1]), axes[2]) < 0)  // as in a mirror
    for (std::size_t i = 0; i < 3; ++i) axes[i][2] = -axes[i][2];
  return {{a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]}, quaternion<double>::from_matrix(axes)};
}

}  // namespace ensue::models
