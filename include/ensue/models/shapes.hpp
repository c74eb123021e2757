/// Meshes to begin with: a rectangle of triangles, a box of tetrahedra.
///
///     sheet({.across = 30, .down = 30, .width = 1, .height = 1}), box({.cells = {8, 2, 2}, .size = {0.6, 0.15, 0.15}})
#pragma once

#include <ensue/models/points.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace ensue::models {

struct triangle_mesh {
  std::vector<point> positions;
  std::vector<vec<std::size_t, 3>> triangles;
};

struct tetrahedron_mesh {
  std::vector<point> positions;
  std::vector<vec<std::size_t, 4>> tetrahedra;
};

struct sheet_form {
  std::size_t across, down;  ///< squares
  double width, height;
};

/// In the plane z = 0: particle `row·(across + 1) + column`, from the corner at the origin along x and −y. Diagonals alternate.
inline triangle_mesh sheet(const sheet_form& form) {
  if (form.across == 0 || form.down == 0) throw std::invalid_argument("ensue: a sheet has squares across and down");
  triangle_mesh mesh;
  const std::size_t w = form.across + 1;
  for (std::size_t row = 0; row <= form.down; ++row)
    for (std::size_t column = 0; column < w; ++column)
      mesh.positions.push_back({form.width * static_cast<double>(column) / static_cast<double>(form.across),
                                -form.height * static_cast<double>(row) / static_cast<double>(form.down), 0});
  for (std::size_t row = 0; row < form.down; ++row)
    for (std::size_t column = 0; column < form.across; ++column) {
      const std::size_t i = row * w + column, right = i + 1, below = i + w, beyond = below + 1;
      if ((row + column) % 2 == 0) mesh.triangles.push_back({i, below, right}), mesh.triangles.push_back({right, below, beyond});
      else mesh.triangles.push_back({i, below, beyond}), mesh.triangles.push_back({i, beyond, right});
    }
  return mesh;
}

struct box_form {
  std::size_t cells[3];
  point size;
};

/// From the origin: particle (i, j, k) is `(k·(cells[1] + 1) + j)·(cells[0] + 1) + i`. Six tetrahedra a cell around its diagonal: H. W. Kuhn (1960),
/// "Some combinatorial lemmas in topology", IBM J. Res. Dev. 4, 518–524; cells side by side share their faces' diagonals.
inline tetrahedron_mesh box(const box_form& form) {
  const auto& cells = form.cells;
  if (cells[0] == 0 || cells[1] == 0 || cells[2] == 0) throw std::invalid_argument("ensue: a box has cells along each of its sides");
  tetrahedron_mesh mesh;
  for (std::size_t k = 0; k <= cells[2]; ++k)
    for (std::size_t j = 0; j <= cells[1]; ++j)
      for (std::size_t i = 0; i <= cells[0]; ++i) {
        const std::size_t index[3] = {i, j, k};
        point p;
        for (std::size_t c = 0; c < 3; ++c) p[c] = form.size[c] * static_cast<double>(index[c]) / static_cast<double>(cells[c]);
        mesh.positions.push_back(p);
      }
  const std::size_t step[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
  for (std::size_t k = 0; k < cells[2]; ++k)
    for (std::size_t j = 0; j < cells[1]; ++j)
      for (std::size_t i = 0; i < cells[0]; ++i) {
        const std::size_t corner = i * step[0] + j * step[1] + k * step[2];
        std::size_t way[3] = {0, 1, 2};  // along one axis, the next, the last: each order is a tetrahedron
        do {
          const std::size_t second = corner + step[way[0]], third = second + step[way[1]];
          mesh.tetrahedra.push_back({corner, second, third, third + step[way[2]]});
        } while (std::next_permutation(way, way + 3));
      }
  return mesh;
}

/// The triangles of tetrahedra that belong to one of them only, seen from outside counterclockwise: their surface.
inline std::vector<vec<std::size_t, 3>> surface_of(const tetrahedron_mesh& mesh) {
  struct face {
    vec<std::size_t, 3> key, triangle;
  };
  std::vector<face> faces;
  for (const auto& t : mesh.tetrahedra)
    for (std::size_t c = 0; c < 4; ++c) {
      vec<std::size_t, 3> seen = {t[(c + 1) % 4], t[(c + 2) % 4], t[(c + 3) % 4]};
      const point &a = mesh.positions[seen[0]], n = cross(mesh.positions[seen[1]] - a, mesh.positions[seen[2]] - a);
      if (dot(n, mesh.positions[t[c]] - a) > 0) std::swap(seen[1], seen[2]);
      vec<std::size_t, 3> key = seen;
      std::sort(key.begin(), key.end());
      faces.push_back({key, seen});
    }
  const auto before = [](const face& a, const face& b) { return std::lexicographical_compare(a.key.begin(), a.key.end(), b.key.begin(), b.key.end()); };
  std::sort(faces.begin(), faces.end(), before);
  std::vector<vec<std::size_t, 3>> surface;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool shared = (i > 0 && faces[i - 1].key == faces[i].key) || (i + 1 < faces.size() && faces[i + 1].key == faces[i].key);
    if (!shared) surface.push_back(faces[i].triangle);
  }
  return surface;
}

}  // namespace ensue::models
