#include "meshes/mesh.hpp"

#include <ensue/methods/rotation/quaternion.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

namespace ensue {
namespace {

vec<float, 3> difference(const vec<float, 3>& a, const vec<float, 3>& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// 0 stays 0.
vec<float, 3> unit(const vec<float, 3>& v) {
  const float length = std::sqrt(dot(v, v));
  return length > 0 ? vec<float, 3>{v[0] / length, v[1] / length, v[2] / length} : vec<float, 3>{};
}

constexpr double golden = 1.6180339887498949;

/// Halves every edge of a mesh on the unit sphere.
mesh finer(const mesh& coarse) {
  mesh fine{coarse.vertices, {}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto [place, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(fine.vertices.size()));
    if (is_new) {
      const vec<float, 3>&p = fine.vertices[a], &q = fine.vertices[b];
      fine.vertices.push_back(unit({p[0] + q[0], p[1] + q[1], p[2] + q[2]}));
    }
    return place->second;
  };
  for (const auto& [a, b, c] : coarse.triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const std::array<std::uint32_t, 3>& each :
         {std::array{a, ab, ca}, std::array{ab, b, bc}, std::array{ca, bc, c}, std::array{ab, bc, ca}})
      fine.triangles.push_back(each);
  }
  return fine;
}

mesh icosahedron() {
  const auto l = static_cast<float>(golden);
  mesh made{{{-1, l, 0},
             {1, l, 0},
             {-1, -l, 0},
             {1, -l, 0},
             {0, -1, l},
             {0, 1, l},
             {0, -1, -l},
             {0, 1, -l},
             {l, 0, -1},
             {l, 0, 1},
             {-l, 0, -1},
             {-l, 0, 1}},
            {{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
             {3, 9, 4},  {3, 4, 2}, {3, 2, 6}, {3, 6, 8},  {3, 8, 9},   {4, 9, 5}, {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};
  for (vec<float, 3>& v : made.vertices) v = unit(v);
  return made;
}

}  // namespace

std::vector<vec<float, 3>> normals_of(const mesh& of) {
  std::vector<vec<float, 3>> normals(of.vertices.size(), vec<float, 3>{});
  for (const auto& corners : of.triangles) {
    const vec<float, 3>& a = of.vertices[corners[0]];
    const vec<float, 3> normal = cross(difference(of.vertices[corners[1]], a), difference(of.vertices[corners[2]], a));
    for (const std::uint32_t corner : corners)
      for (std::size_t i = 0; i < 3; ++i) normals[corner][i] += normal[i];
  }
  for (vec<float, 3>& n : normals) n = unit(n);
  return normals;
}

mesh icosphere(int level, float radius, const vec<float, 3>& centre) {
  mesh made = icosahedron();
  for (int i = 0; i < level; ++i) made = finer(made);
  for (vec<float, 3>& v : made.vertices)
    for (std::size_t i = 0; i < 3; ++i) v[i] = centre[i] + radius * v[i];
  return made;
}

mesh fibonacci_sphere(std::size_t vertices, double radius, const vec<double, 3>& centre) {
  mesh made;
  made.vertices.reserve(vertices);
  const double step = 2 * 3.14159265358979323846 * (1 - 1 / golden);
  for (std::size_t i = 0; i < vertices; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(vertices), around = std::sqrt(1 - z * z);
    const double angle = step * static_cast<double>(i);
    made.vertices.push_back({static_cast<float>(centre[0] + radius * around * std::cos(angle)),
                             static_cast<float>(centre[1] + radius * around * std::sin(angle)),
                             static_cast<float>(centre[2] + radius * z)});
  }
  return made;
}

mesh_format mesh_format_of(std::string_view path) {
  if (path.ends_with(".obj") || path.ends_with(".OBJ")) return mesh_format::obj;
  if (path.ends_with(".ply") || path.ends_with(".PLY")) return mesh_format::ply_binary;
  throw file_error(std::string(path) + ": meshes are .obj or .ply, expected a name that ends so");
}

mesh read_mesh(const std::string& path) {
  const mesh_format format = mesh_format_of(path);
  const std::string bytes = bytes_of_file(path, most_bytes_of_mesh);
  return format == mesh_format::obj ? read_obj(bytes, path) : read_ply(bytes, path);
}

void write_mesh(const std::string& path, const mesh& of) {
  const std::string text = mesh_text(of, mesh_format_of(path));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    throw file_error(path + ": cannot be written");
}

}  // namespace ensue
