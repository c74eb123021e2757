/// Triangle meshes: made, read from and written to OBJ and PLY.
///
///     mesh clay = read_mesh("head.ply");                    // or .obj
///     …
///     write_mesh("moved.obj", clay);                        // with normals of what it is now
///
/// Read are vertices and faces; what else a file has (texture, colours, normals, which a deformation makes wrong) is passed over. Faces with more
/// corners than three are cut into triangles. Input is not trusted: what a file says of its sizes is held against its length before memory is taken.
#pragma once

#include "meshes/file_bytes.hpp"

#include <ensue/numbers/state.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

struct mesh {
  std::vector<vec<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counterclockwise, seen from outside
};

/// One a vertex, of length 1: the sum of its triangles' normals, each as long as the triangle is large; 0 where there are none.
std::vector<vec<float, 3>> normals_of(const mesh& of);

/// A ball of 20·4^level triangles that are nearly alike, an icosahedron whose edges are halved so many times. 10·4^level + 2 vertices.
mesh icosphere(int level, float radius = 1, const vec<float, 3>& centre = {});

/// Points spread evenly over a sphere along a spiral of golden angles; no triangles. E. B. Saff & A. B. J. Kuijlaars (1997), "Distributing many points
/// on a sphere", Math. Intelligencer 19, 5–11.
mesh fibonacci_sphere(std::size_t vertices, double radius, const vec<double, 3>& centre);

enum class mesh_format : unsigned char { obj, ply_ascii, ply_binary };

/// By the end of a file's name, .obj or .ply (binary). Throws file_error for another.
mesh_format mesh_format_of(std::string_view path);

/// Throws file_error with the line, or the byte, and what was expected there.
mesh read_mesh(const std::string& path);
mesh read_obj(std::string_view text, std::string_view name);
mesh read_ply(std::string_view bytes, std::string_view name);

/// The file's bytes.
std::string mesh_text(const mesh& of, mesh_format format);

/// Throws file_error where it cannot be written.
void write_mesh(const std::string& path, const mesh& of);

inline constexpr std::size_t most_bytes_of_mesh = std::size_t{1} << 33;

}  // namespace ensue
