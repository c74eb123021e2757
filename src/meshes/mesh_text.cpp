// Meshes as bytes of a file, with their normals.
#include "meshes/mesh.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace ensue {
namespace {

/// The shortest text that reads back to the same number.
template <class Number> void append(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_line(std::string& text, const char* before, const vec<float, 3>& numbers) {
  text += before;
  for (const float& x : numbers) {
    if (&x != numbers.begin()) text += ' ';
    append(text, x);
  }
}

std::string obj_text(const mesh& of, const std::vector<vec<float, 3>>& normals) {
  std::string text = "# ensue\n";
  for (const auto& v : of.vertices) {
    append_line(text, "v ", v);
    text += '\n';
  }
  for (const auto& n : normals) {
    append_line(text, "vn ", n);
    text += '\n';
  }
  for (const auto& corners : of.triangles) {
    text += 'f';
    for (const std::uint32_t corner : corners) {
      text += ' ';
      append(text, corner + 1);
      text += "//";
      append(text, corner + 1);
    }
    text += '\n';
  }
  return text;
}

/// Numbers as the bytes of a little-endian machine.
template <class Number> void append_bytes(std::string& bytes, Number value) {
  auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

std::string ply_text(const mesh& of, const std::vector<vec<float, 3>>& normals, bool ascii) {
  std::string text =
      std::string("ply\nformat ") + (ascii ? "ascii" : "binary_little_endian") + " 1.0\ncomment ensue\nelement vertex " +
      std::to_string(of.vertices.size()) +
      "\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face " +
      std::to_string(of.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  for (std::size_t i = 0; i < of.vertices.size(); ++i) {
    if (ascii) {
      append_line(text, "", of.vertices[i]);
      append_line(text, " ", normals[i]);
      text += '\n';
    } else {
      for (const auto* numbers : {&of.vertices[i], &normals[i]})
        for (const float x : *numbers) append_bytes(text, x);
    }
  }
  for (const auto& corners : of.triangles) {
    if (ascii) text += '3';
    else append_bytes(text, std::uint8_t{3});
    for (const std::uint32_t corner : corners) {
      if (ascii) append(text += ' ', corner);
      else append_bytes(text, corner);
    }
    if (ascii) text += '\n';
  }
  return text;
}

}  // namespace

std::string mesh_text(const mesh& of, mesh_format format) {
  const std::vector<vec<float, 3>> normals = normals_of(of);
  if (format == mesh_format::obj) return obj_text(of, normals);
  return ply_text(of, normals, format == mesh_format::ply_ascii);
}

}  // namespace ensue
