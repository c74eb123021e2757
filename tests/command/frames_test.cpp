/// `ensue solve --frames`: which files, what is in them, and what is said where they cannot be.
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace ensue::tests;

struct scene_file {
  temporary_folder folder;
  std::string toml = folder.file("scene.toml"), frames = folder.file("frames");
  explicit scene_file(const std::string& text) { std::ofstream(toml) << text; }
  std::string frame(const std::string& name) const { return content_of(frames + "/" + name); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(frames), {})); }
};

const std::string strip =
    "model = \"cloth\"\nto = 0.2\n[cloth]\nacross = 2\ndown = 1\nwidth = 2\nheight = 1\nfixed = [0]\n[solver]\nmethod = \"linearly-implicit-euler\"\nstep = 0.01\n[output]\nevery = 0.1\n";
const std::string pair = "model = \"n-body\"\nto = 0.2\n[n-body]\nmass = [1, 1]\nposition = [[0, 0, 0], [2, 0, 0]]\nvelocity = [[0, 0, 0], [0, 1, 0]]\n";

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (int byte = 3; byte >= 0; --byte) value = value << 8 | static_cast<unsigned char>(bytes[place + static_cast<std::size_t>(byte)]);
  return value;
}

/// The JSON of a .glb whose lengths are what they are said to be, and whose numbers lie inside of it.
json checked_glb(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(word_at(bytes, 4), 2u);
  EXPECT_EQ(word_at(bytes, 8), bytes.size());
  const std::uint32_t text = word_at(bytes, 12), binary = word_at(bytes, 20 + text);
  EXPECT_EQ(text % 4, 0u);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(28 + text + binary, bytes.size());
  const json all = json::parse(bytes.substr(20, text));
  EXPECT_EQ(all["buffers"][0]["byteLength"], binary);
  for (const json& accessor : all["accessors"]) {
    const json& view = all["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t width = accessor["type"] == "VEC3" ? 3 : 1;
    EXPECT_EQ(view["byteLength"], 4 * width * accessor["count"].get<std::size_t>());
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(), binary);
  }
  return all;
}

TEST(frames, a_cloth_is_written_in_every_format) {
  const scene_file scene(strip);
  const command_run run = solve({scene.toml, "--frames", scene.frames});
  ASSERT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(scene.files(), 3u * 3 + 2) << "at 0, 0.1 and 0.2";
  EXPECT_TRUE(mentions(scene.frame("frame_00000.obj"), "v 1 0 0\n"));
  EXPECT_TRUE(mentions(scene.frame("frame_00000.obj"), "\nf "));
  EXPECT_TRUE(scene.frame("frame_00002.ply").starts_with("ply\nformat binary_little_endian"));
  EXPECT_TRUE(mentions(scene.frame("frame_00002.vtp"), "NumberOfPoints=\"6\""));
  EXPECT_TRUE(mentions(scene.frame("frame_00002.vtp"), "NumberOfPolys=\"4\""));
  EXPECT_TRUE(mentions(scene.frame("motion.pvd"), "timestep=\"0.1\" part=\"0\" file=\"frame_00001.vtp\""));
  const json film = checked_glb(scene.frame("motion.glb"));
  const json& primitive = film["meshes"][0]["primitives"][0];
  EXPECT_EQ(primitive["targets"].size(), 2u);
  EXPECT_EQ(film["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()]["count"], 6);
  const json& sampler = film["animations"][0]["samplers"][0];
  EXPECT_EQ(film["accessors"][sampler["input"].get<std::size_t>()]["count"], 3);
  EXPECT_EQ(film["accessors"][sampler["output"].get<std::size_t>()]["count"], 6) << "a weight a target and time";
}

TEST(frames, bodies_are_balls_that_move) {
  const scene_file scene(pair);
  ASSERT_EQ(solve({scene.toml, "--frames", scene.frames, "--frame-formats", "glb,obj", "--quiet"}).status, 0);
  EXPECT_EQ(scene.files(), 13u + 1) << "sixty a second, and both ends";
  EXPECT_TRUE(mentions(scene.frame("frame_00000.obj"), "p 2\n"));
  const json film = checked_glb(scene.frame("motion.glb"));
  EXPECT_EQ(film["nodes"].size(), 3u);
  EXPECT_EQ(film["animations"][0]["channels"].size(), 2u);
}

TEST(frames, what_cannot_be_drawn_is_refused) {
  const scene_file scene(strip);
  const command_run equations = solve({example("decay"), "--frames", scene.frames});
  EXPECT_EQ(equations.status, 2);
  EXPECT_TRUE(mentions(equations.error, "built-in model"));
  const command_run format = solve({scene.toml, "--frames", scene.frames, "--frame-formats", "obj,stl"});
  EXPECT_EQ(format.status, 2);
  EXPECT_TRUE(mentions(format.error, "unknown format `stl`"));
  EXPECT_EQ(solve({scene.toml, "--frames", scene.toml}).status, 2) << "a file is no folder";
  EXPECT_FALSE(std::filesystem::exists(scene.frames));
  EXPECT_EQ(solve({scene.toml, "--ledger"}).status, 2);
}

}  // namespace
