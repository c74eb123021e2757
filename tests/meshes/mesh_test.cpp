// Meshes made, written and read back; files that are no meshes.
#include "meshes/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace ensue::tests {
namespace {

/// What a reader says of a file.
template <class Read> std::string complaint(Read read, const std::string& text) {
  try {
    read(text, "it");
  } catch (const file_error& error) {
    return error.what();
  }
  return "nothing";
}

float length(const vec<float, 3>& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

TEST(icosphere, is_a_closed_ball) {
  const mesh ball = icosphere(3, 2.f, {1, 0, 0});
  EXPECT_EQ(ball.vertices.size(), 642u);
  EXPECT_EQ(ball.triangles.size(), 1280u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& t : ball.triangles)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(edges.insert({t[i], t[(i + 1) % 3]}).second) << "an edge twice in one direction";
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a})) << "an edge with one side";
  const auto normals = normals_of(ball);
  for (std::size_t i = 0; i < ball.vertices.size(); ++i) {
    const vec<float, 3> out = {ball.vertices[i][0] - 1, ball.vertices[i][1], ball.vertices[i][2]};
    EXPECT_NEAR(length(out), 2, 1e-6);
    EXPECT_NEAR(length(normals[i]), 1, 1e-6);
    EXPECT_GT(out[0] * normals[i][0] + out[1] * normals[i][1] + out[2] * normals[i][2], 1.99) << "outwards";
  }
}

TEST(fibonacci_sphere, is_even) {
  const mesh points = fibonacci_sphere(1000, 0.15, {1, 2, 3});
  ASSERT_EQ(points.vertices.size(), 1000u);
  vec<float, 3> sum = {};
  for (const auto& v : points.vertices) {
    const vec<float, 3> out = {v[0] - 1, v[1] - 2, v[2] - 3};
    EXPECT_NEAR(length(out), 0.15, 1e-6);
    for (std::size_t i = 0; i < 3; ++i) sum[i] += out[i];
  }
  EXPECT_LT(length(sum) / 1000, 1e-4);
}

TEST(mesh_files, are_read_as_they_were_written) {
  const mesh ball = icosphere(1, 0.3f, {0.1f, 0.2f, 0.3f});
  for (const mesh_format format : {mesh_format::obj, mesh_format::ply_ascii, mesh_format::ply_binary}) {
    const std::string text = mesh_text(ball, format);
    const mesh again = format == mesh_format::obj ? read_obj(text, "it") : read_ply(text, "it");
    EXPECT_EQ(again.vertices, ball.vertices);
    EXPECT_EQ(again.triangles, ball.triangles);
  }
  EXPECT_NE(mesh_text(ball, mesh_format::obj).find("\nvn "), std::string::npos);
}

TEST(mesh_files, of_other_programs_are_read) {
  const mesh square = read_obj(
      "# a square\r\nmtllib x\r\nv 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 -2/1 -1\n", "it");
  EXPECT_EQ(square.vertices.size(), 4u);
  const std::vector<std::array<std::uint32_t, 3>> two = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(square.triangles, two);
  EXPECT_EQ(read_obj("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "it").vertices, square.vertices);  // marked as UTF-8

  const mesh ply = read_ply(
      "ply\nformat ascii 1.0\ncomment made by hand\nelement material 1\nproperty list uchar float colours\nelement vertex 4\nproperty "
      "uchar red\n"
      "property double x\nproperty double y\nproperty double z\nelement face 1\nproperty int flags\nproperty list uchar uint "
      "vertex_index\nend_header\n"
      "3 0.1 0.2 0.3\n255 0 0 0\n255 1 0 0\n255 1 1 0\n255 0 1 0\n7 4 0 1 2 3\n",
      "it");
  EXPECT_EQ(ply.vertices, square.vertices);
  EXPECT_EQ(ply.triangles, two);

  std::string big =
      "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty short x\nproperty float y\nproperty char z\nend_header\n";
  const char numbers[] = {1, 2, 0x3F, char(0x80), 0, 0, char(0xFE)};
  big.append(numbers, sizeof numbers);
  const vec<float, 3> expected = {258, 1, -2};
  EXPECT_EQ(read_ply(big, "it").vertices.at(0), expected);
}

TEST(obj_files, have_numbers_too_small_for_a_float) {
  const vec<float, 3> expected = {0, 0, 1};
  EXPECT_EQ(read_obj("v 1e-50 -1e-300 1\n", "it").vertices.at(0), expected);
  EXPECT_EQ(complaint(read_obj, "v 1e50 0 0\n"), "it:1: found `1e50`, expected three finite numbers behind `v`");
}

TEST(obj_files, have_lines_that_go_on) {
  const mesh square = read_obj("# not here \\\nv 0 0 0\nv 1 0 0\nv 1 1 \\\n0\nv 0 1 0\nf 1\\\r\n2 3 \\\n  4\n", "it");
  EXPECT_EQ(square.vertices.size(), 4u);
  const std::vector<std::array<std::uint32_t, 3>> two = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(square.triangles, two);
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nf 1 \\\n1 2"), "it:3: found `2`, expected a vertex among the 1 above this line");
  EXPECT_EQ(read_obj("v 0 0 0\nf 1 1 1 \\", "it").triangles.size(), 1u) << "no next line";
}

TEST(ply_files, may_have_spaces_behind_their_first_word) {
  const std::string rest = "format ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n";
  for (const char* first : {"ply \n", "ply\r\n", "ply\t \r\n"}) EXPECT_EQ(read_ply(first + rest, "it").vertices.size(), 1u) << first;
  EXPECT_EQ(complaint(read_ply, "ply ply\n" + rest), "it: byte 0: expected a file that begins with `ply`");
}

TEST(mesh_files, that_are_wrong_are_refused_with_the_line) {
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nv 0 nan 0\n"), "it:2: found `nan`, expected three finite numbers behind `v`");
  EXPECT_EQ(complaint(read_obj, "v 0 0\n"), "it:1: found ``, expected three finite numbers behind `v`");
  EXPECT_EQ(complaint(read_obj, "v 0 0 1e99\n"), "it:1: found `1e99`, expected three finite numbers behind `v`");
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nf 1 1 2\n"), "it:2: found `2`, expected a vertex among the 1 above this line");
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nf 1 1 -2\n"), "it:2: found `-2`, expected a vertex among the 1 above this line");
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nf 1 0x 1\n"), "it:2: found `0x`, expected the number of a vertex");
  EXPECT_EQ(complaint(read_obj, "v 0 0 0\nf 1 1\n"), "it:2: found `1`, expected at least three corners of a face");
  EXPECT_EQ(complaint(read_obj, ""), "it:1: the file has no vertices, expected lines `v x y z`");
}

TEST(mesh_files, that_are_wrong_are_refused_with_the_byte) {
  const std::string head = "ply\nformat ascii 1.0\n", vertices = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  const auto of = [](const std::string& text) { return complaint(read_ply, text); };
  EXPECT_EQ(of("plx\n"), "it: byte 0: expected a file that begins with `ply`");
  EXPECT_EQ(of("ply\nformat ascii 1.0\n"), "it: byte 21: the header does not end, expected `end_header`");
  EXPECT_EQ(of("ply\nend_header\n"), "it: byte 15: the header has no `format`");
  EXPECT_EQ(of("ply\nformat text\n"),
            "it: byte 4: found `format`, expected `format ascii`, `format binary_little_endian` or `format binary_big_endian`");
  EXPECT_EQ(of(head + "element vertex many\n"), "it: byte 21: found `element`, expected `element NAME COUNT`");
  EXPECT_EQ(of(head + "element vertex 18446744073709551615\nproperty float x\nend_header\n1\n"),
            "it: byte 85: 18446744073709551615 of `vertex` are announced, and 2 bytes are left for them");
  EXPECT_EQ(of(head + "element vertex 1000000000\nend_header\n"),
            "it: byte 58: 1000000000 of `vertex` are announced, and 0 bytes are left for them");
  EXPECT_EQ(of(head + vertices + "end_header\n0 0\n"), "it: byte 100: 1 of `vertex` are announced, and 4 bytes are left for them");
  EXPECT_EQ(of(head + vertices + "end_header\n0 0 \n\n"), "it: byte 106: the file ends, expected a number");
  EXPECT_EQ(of(head + vertices + "end_header\n0 0 inf\n"), "it: byte 103: a vertex has a coordinate that is not finite");
  EXPECT_EQ(of(head + vertices + faces + "end_header\n0 0 0\n3 0 0 1\n"),
            "it: byte 167: a face has corner 1, expected less than the number of vertices, 1");
  EXPECT_EQ(of(head + vertices + faces + "end_header\n0 0 0\n2 0 0\n"), "it: byte 161: a face has 2 corners, expected at least three");
  EXPECT_EQ(of(head + vertices + faces + "end_header\n0 0 0\n3 0 0 -1\n"),
            "it: byte 168: a face has a corner that is no number of a vertex");
  for (const char* length : {"18446744073709551615000", "nan", "-1", "3.5", "9999"})  // the first one found by mesh_fuzz
    EXPECT_NE(of(head + vertices + faces + "end_header\n0 0 0\n" + length + " 0 0 0\n").find("a list has a length that is no whole number"),
              std::string::npos)
        << length;
  EXPECT_EQ(of(head + "element vertex 1\nproperty float x\nend_header\n0\n"), "it: byte 66: the vertices have no property `y`");
  EXPECT_EQ(of(head + "end_header\n"), "it: byte 32: the file has no vertices, expected an element `vertex` with x, y and z");
  std::string cut = mesh_text(icosphere(0), mesh_format::ply_binary);
  cut.resize(cut.size() - 1);
  EXPECT_NE(of(cut).find("the file ends inside a number"), std::string::npos);
}

TEST(mesh_files, have_a_name_that_says_what_they_are) {
  EXPECT_EQ(mesh_format_of("a.obj"), mesh_format::obj);
  EXPECT_EQ(mesh_format_of("a.PLY"), mesh_format::ply_binary);
  EXPECT_THROW(mesh_format_of("a.stl"), file_error);
  EXPECT_THROW(read_mesh("/nowhere/at/all.obj"), file_error);
}

}  // namespace
}  // namespace ensue::tests
