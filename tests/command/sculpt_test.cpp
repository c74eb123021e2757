// ensue sculpt: meshes and spheres moved by a recorded stroke, and what it says of wrong ones.
#include "support/command.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>

namespace {

using namespace ensue::tests;

const std::string stroke = (tree / "examples/strokes/test0_righthandstroke.bin").string();
const std::string left = (tree / "examples/strokes/test1_lefthandstroke.bin").string();
const std::string right = (tree / "examples/strokes/test1_righthandstroke.bin").string();

nlohmann::json sculpted(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sculpt");
  arguments.push_back("--json");
  const command_run run = ensue_command(arguments);
  EXPECT_EQ(run.status, 0) << run.error;
  return nlohmann::json::parse(run.out);
}

TEST(sculpt, holds_the_error_asked_for) {
  for (const char* method : {"dp54", "bs32", "tsit5"})
    for (const char* side : {"--push", "--no-culling"}) {
      const auto answer = sculpted({"--sphere", "3000", "--stroke", stroke, "--method", method, side, "--check", "1000"});
      EXPECT_EQ(answer.at("vertices"), 3000);
      EXPECT_EQ(answer.at("outcome"), "finished");
      EXPECT_LE(answer.at("worst_error"), 1.3e-4) << method << side;
      EXPECT_GT(answer.at("mean_error"), 1e-8);
      EXPECT_GT(answer.at("evaluations_per_vertex"), 10);
    }
}

/// Few vertices of many are those that a step carries past the second tool.
TEST(sculpt, holds_the_error_of_every_vertex_between_two_hands) {
  for (const char* method : {"dp54", "bs32", "tsit5"})
    for (const char* vertices : {sanitized ? "800" : "8000", sanitized ? "1200" : "12000"}) {
      const auto answer = sculpted({"--sphere", vertices, "--stroke", right, "--stroke", left, "--method", method, "--check", vertices});
      EXPECT_LE(answer.at("worst_error"), 1.3e-4) << method << ", " << vertices;
    }
}

/// A file with a stroke straight along x, in so many seconds.
std::string straight_stroke(float from, float travel, float radius, float duration = 1) {
  const std::string path =
      testing::TempDir() + "straight-" + std::to_string(from) + "-" + std::to_string(travel) + "-" + std::to_string(duration) + ".bin";
  std::ofstream out(path, std::ios::binary);
  const auto put = [&](const auto&... each) { (out.write(reinterpret_cast<const char*>(&each), sizeof each), ...); };
  put(std::uint32_t(0), std::uint32_t(2));
  for (const float t : {0.f, 1.f}) put(from + t * travel, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, t * duration);
  put(radius / 2, radius, std::uint32_t(1), 1.f, 0.5f);
  return path;
}

/// What a vertex before the tool has erred grows with the tool's way.
TEST(sculpt, holds_the_error_of_long_strokes) {
  for (const char* method : {"dp54", "bs32", "tsit5"})
    for (const float travel : {0.8f, 1.f})
      for (const char* side : {"--push", "--no-culling"}) {
        const auto answer = sculpted({"--sphere", "4000", "--stroke", straight_stroke(0, travel, 0.1f), "--method", method, side, "--check", sanitized ? "400" : "4000"});
        EXPECT_LE(answer.at("worst_error"), 1.3e-4) << method << side << travel;
      }
}

/// A step's share of the error asked for is below the digits of such vertices, the error itself is not.
TEST(sculpt, moves_vertices_far_from_the_origin) {
  const auto answer = sculpted({"--sphere", "1000", "--stroke", straight_stroke(50, 0.3f, 0.13f), "--check", "1000"});
  EXPECT_EQ(answer.at("outcome"), "finished");
  EXPECT_LE(answer.at("worst_error"), 1.3e-4);
}

TEST(sculpt, takes_tolerances_and_voxels) {
  const auto coarse = sculpted({"--sphere", "2000", "--stroke", stroke, "--voxel", "0.01", "--check", "500"});
  const auto fine = sculpted({"--sphere", "2000", "--stroke", stroke, "--tolerance", "3e-5", "--check", "500"});
  EXPECT_LE(coarse.at("worst_error"), 1e-3);
  EXPECT_LE(fine.at("worst_error"), 3e-5);
  EXPECT_GT(fine.at("evaluations_per_vertex"), coarse.at("evaluations_per_vertex"));
}

TEST(sculpt, moves_with_two_hands_and_frame_by_frame) {
  for (const char* field : {"kelvinlet", "affine"}) {
    const auto both = sculpted({"--sphere", "2000", "--stroke", left, "--stroke", right, "--field", field, "--check", "500"});
    EXPECT_LE(both.at("worst_error"), 1.3e-4) << field;
    const auto frames =
        sculpted({"--sphere", "500", "--stroke", left, "--stroke", right, "--field", field, "--every-frame", "--check", "100"});
    EXPECT_LE(frames.at("worst_error"), 1.3e-4) << field;
    EXPECT_EQ(frames.at("frames"), 69);
  }
}

TEST(sculpt, writes_the_same_mesh_with_every_thread_count) {
  const temporary_folder folder;
  for (const char* backend : {"lanes", "threads"}) {
    const std::string out = folder.file(std::string(backend) + ".ply");
    sculpted({"--sphere", "5000", "--stroke", stroke, "--backend", backend, "-o", out});
  }
  EXPECT_EQ(content_of(folder.file("lanes.ply")), content_of(folder.file("threads.ply")));
  const std::string again = folder.file("again.obj");
  const auto answer = sculpted({folder.file("lanes.ply"), "--stroke", stroke, "--backend", "scalar", "--check", "100", "--output", again});
  EXPECT_LE(answer.at("worst_error"), 1.3e-4);
  EXPECT_EQ(content_of(again).find("# ensue\nv "), 0u);
}

TEST(sculpt, leaves_alone_what_it_cannot_reach) {
  const temporary_file far("far.obj", "v 100 100 100\nv -0.3 0.65 1.36\n");
  const std::string out = far.folder.file("out.obj");
  EXPECT_EQ(sculpted({far.path, "--stroke", stroke, "-o", out}).at("culled"), 1);
  EXPECT_NE(content_of(out).find("v 100 100 100\n"), std::string::npos);
  EXPECT_EQ(content_of(out).find("v -0.3 0.65"), std::string::npos) << "the other one moved";
}

TEST(sculpt, counts_vertices_that_no_frame_reaches) {
  const temporary_file two("two.obj", "v 100 100 100\nv -0.3 0.65 1.36\n");
  for (const char* field : {"kelvinlet", "affine"}) {
    const auto answer = sculpted({two.path, "--stroke", stroke, "--every-frame", "--field", field});
    EXPECT_GT(answer.at("frames"), 2);
    EXPECT_EQ(answer.at("culled"), 1) << field;
    EXPECT_EQ(sculpted({two.path, "--stroke", stroke, "--no-culling", "--field", field}).at("culled"), 0) << field;
  }
}

TEST(sculpt, says_what_is_wrong) {
  const temporary_file bad("bad.obj", "v 0 0 0\nf 1 2 3\n"), cut("cut.bin", "abc");
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sculpt");
    const command_run run = ensue_command(arguments);
    EXPECT_EQ(run.status, 2) << run.out;
    return run.error;
  };
  EXPECT_EQ(complaint({bad.path, "--stroke", stroke}), bad.path + ":2: found `2`, expected a vertex among the 1 above this line\n");
  EXPECT_EQ(complaint({"--sphere", "10", "--stroke", cut.path}),
            cut.path + ": byte 3: the file ends, expected a stroke of at least 28 bytes\n");
  EXPECT_EQ(complaint({"--stroke", stroke}), "expected a MESH, or --sphere N to make one\n");
  EXPECT_EQ(complaint({"--sphere", "10", "--stroke", stroke, "--field", "x"}), "--field x: expected one of kelvinlet, affine\n");
  EXPECT_EQ(complaint({"--sphere", "10", "--stroke", stroke, "--backend", "cuda"}),
            "--backend cuda: this command is built without CUDA (cmake -DENSUE_CUDA_BACKEND=ON, with nvcc, builds it in), expected scalar, lanes "
            "or threads\n");
  EXPECT_EQ(complaint({"--sphere", "10", "--stroke", stroke, "--field", "affine", "--single-scale"}),
            "--single-scale: found --field affine, expected kelvinlet, which it is about\n");
  EXPECT_EQ(complaint({"--sphere", "10", "--stroke", straight_stroke(0, 1, 0.1f, 0)}),
            "--stroke: every pose is of t = 0, expected a stroke that takes some time\n");
  EXPECT_EQ(complaint({"--sphere", "1.5", "--stroke", stroke}), "--sphere 1.5: expected a whole number up to 1000000000\n");
}

}  // namespace
