/// Built-in models in problem files: what is made of a table, and what is said of one that is wrong.
#include "problems/problem_file.hpp"
#include "scenes/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace ensue;

file_problem problem_of(const std::string& text, const std::map<std::string, double>& values = {}) {
  problem_reading reading = read_problem(text);
  if (!reading.errors.empty()) throw std::runtime_error(reading.errors[0].text("file"));
  reading.file->folder = testing::TempDir();
  problem_file::made made = reading.file->make(values);
  if (!made.errors.empty()) throw std::runtime_error(made.errors[0].text("file"));
  if (!made.unknown.empty()) throw std::runtime_error(made.unknown[0]);
  return std::move(*made.problem);
}
std::string complaint(const std::string& text, const std::map<std::string, double>& values = {}) {
  try {
    problem_of(text, values);
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "";
}

const std::string chain_of_three =
    "title = \"Three\"\nmodel = \"particles\"\nto = \"2*T\"\n[parameters]\nT = 3\nk = 8\n[particles]\nshape = \"chain\"\nparticles = 3\nlength = 2\nmass = 6\n"
    "stiffness = \"k/2\"\nfixed = [0]\ngravity = [0, 0, -10]\n[solver]\nmethod = \"linearly-implicit-euler\"\nstep = 0.1\n";

TEST(scene, a_table_becomes_a_problem) {
  file_problem problem = problem_of(chain_of_three);
  EXPECT_EQ(problem.title, "Three");
  EXPECT_EQ(problem.to, 6);
  EXPECT_EQ(problem.names, (std::vector<std::string>{"x[0]", "y[0]", "z[0]", "x[1]", "y[1]", "z[1]", "x[2]", "y[2]", "z[2]", "x[0]'", "y[0]'", "z[0]'", "x[1]'",
                                                     "y[1]'", "z[1]'", "x[2]'", "y[2]'", "z[2]'"}));
  EXPECT_EQ(problem.start[6], 2);
  EXPECT_EQ(problem.system.force(), force_of::position);
  problem.start[6] = 2.5;  // stretched by a half
  std::vector<double> dx(18);
  problem.system(0, problem.start, dx);
  EXPECT_NEAR(dx[9 + 6], -1, 1e-15);  // k/2·½ ÷ 2
  EXPECT_EQ(dx[9 + 2], 0) << "it is fixed";
  EXPECT_EQ(dx[9 + 8], -10);
  EXPECT_EQ(problem.invariants.names()[0], "energy");
  problem.invariants.evaluate(0, problem.start);
  EXPECT_NEAR(problem.invariants[0], 0.5, 1e-15);
  EXPECT_EQ(problem.scene->lines.size(), 2u);
}

TEST(scene, parameters_can_be_set) {
  file_problem problem = problem_of(chain_of_three, {{"k", 16}});
  problem.start[6] = 2.5;
  problem.invariants.evaluate(0, problem.start);
  EXPECT_NEAR(problem.invariants[0], 1, 1e-15);
  EXPECT_EQ(complaint(chain_of_three, {{"stiffness", 1}}).substr(0, 24), "unknown name `stiffness`");
}

/// By the name of a method: the condensed step of the C++ type, bit for bit.
TEST(scene, a_method_by_name_condenses) {
  const file_problem problem = problem_of(chain_of_three);
  const auto sim = find_method("linearly-implicit-euler")->make(*problem.system.built_in(), problem.start, 0, {.step = 0.1});
  EXPECT_EQ(sim->advance_to(1), outcome::finished) << sim->message();
  EXPECT_LT(sim->state()[8], -0.1);
  EXPECT_EQ(sim->state()[2], 0);
  EXPECT_GT(sim->statistics().linear_solves, 9);
  EXPECT_EQ(sim->statistics().evaluations, 10) << "no differences";
}

/// One square of cloth, by methods of every kind: soft, they agree; stiff, explicit steps of the same length end nowhere.
TEST(scene, is_solved_by_any_method_that_fits) {
  const std::string square =
      "model = \"cloth\"\n[parameters]\nk = 100\n[cloth]\nacross = 1\ndown = 1\nwidth = 1\nheight = 1\nyoung = \"k\"\ndamping = 0.002\nbending = 1e-3\nfixed = [0, 1]\n";
  const auto lowest_corner = [&](const char* method, double stiffness, const options<std::span<double>>& settings) {
    const file_problem problem = problem_of(square, {{"k", stiffness}});
    const auto sim = find_method(method)->make(*problem.system.built_in(), problem.start, 0, settings);
    return sim->advance_to(0.25) == outcome::finished ? sim->state()[11] : std::nan("");
  };
  const options<std::span<double>> sixtieth{.step = 1. / 60}, fine{.step = 1. / 480}, loose{.rtol = 1e-2, .atol = 1e-4};
  for (const double stiffness : {1e2, 1e6}) {
    const double expected = lowest_corner("radau", stiffness, {.rtol = 1e-6, .atol = 1e-8});
    EXPECT_LT(expected, -0.2) << "it fell";
    for (const char* const method : {"backward-euler", "linearly-implicit-euler"}) EXPECT_NEAR(lowest_corner(method, stiffness, fine), expected, 5e-3) << method;
    EXPECT_NEAR(lowest_corner("trbdf2", stiffness, loose), expected, 5e-3);
    for (const char* const method : {"rk4", "lagged(verlet)"}) {
      const double found = lowest_corner(method, stiffness, sixtieth);
      if (stiffness < 1e3) EXPECT_NEAR(found, expected, 1e-3) << method;
      else EXPECT_FALSE(std::fabs(found - expected) < 1) << method;
    }
  }
}

TEST(scene, cloth_and_solids_are_made) {
  const file_problem flag = problem_of(
      "model = \"cloth\"\n[cloth]\nacross = 4\ndown = 3\nwidth = 1\nheight = 1\nturn = [\"pi/2\", 0, 0]\nat = [0, 0, 5]\nfixed = \"x < 0.1\"\nwind = [1, 2, 3]\nair = 1\n");
  EXPECT_EQ(flag.start.size(), 6u * 20);
  EXPECT_EQ(flag.scene->triangles.size(), 24u);
  EXPECT_NEAR(flag.start[3 * 5 + 2], 5 - 1. / 3, 1e-15) << "upright";
  EXPECT_EQ(flag.system.force(), force_of::velocity);
  file_problem woven = problem_of("model = \"cloth\"\n[cloth]\nacross = 1\ndown = 1\nwidth = 1\nheight = 1\nlaw = \"baraff-witkin\"\nyoung = 300\ngravity = [0, 0, 0]\n");
  woven.start[3] = woven.start[9] = 1.01;  // stretched along x
  woven.invariants.evaluate(0, woven.start);
  EXPECT_NEAR(woven.invariants[0], 0.5 * 300 * 1e-4, 1e-12);
  const file_problem bar = problem_of("model = \"solid\"\n[solid]\ncells = [2, 1, 1]\nsize = [2, 1, 1]\nvelocity = [1, 0, 0]\nspin = [0, 0, 2]\nground = -3\n");
  EXPECT_EQ(bar.start.size(), 6u * 12);
  EXPECT_EQ(bar.scene->triangles.size(), 20u);
  EXPECT_NEAR(bar.start[36], 1 + 2 * 0.5, 1e-15);
  EXPECT_NEAR(bar.start[37], -2, 1e-15);
  const file_problem pair = problem_of("model = \"n-body\"\n[n-body]\nmass = [1, 1]\nposition = [[0, 0, 0], [2, 0, 0]]\nvelocity = [[0, 0, 0], [0, 1, 0]]\n");
  EXPECT_EQ(pair.system.force(), force_of::position);
}

const std::string pair_on_a_spring = "model = \"particles\"\n[particles]\nposition = [[0, 0, 0], [1, 0, 0]]\nmass = 1\nsprings = [[0, 1, 10]]\n";

/// Whatever velocity and spin the whole has.
TEST(scene, fixed_particles_stay) {
  const file_problem chain =
      problem_of("model = \"particles\"\n[particles]\nshape = \"chain\"\nparticles = 3\nlength = 1\nmass = 1\nstiffness = 100\nfixed = [0]\nvelocity = [1, 0, 0]\nspin = [0, 0, 1]\n");
  EXPECT_EQ(std::vector<double>(chain.start.begin() + 9, chain.start.begin() + 12), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(std::vector<double>(chain.start.begin() + 15, chain.start.end()), (std::vector<double>{1, 0.5, 0}));
  const file_problem cloth = problem_of("model = \"cloth\"\n[cloth]\nacross = 1\ndown = 1\nwidth = 1\nheight = 1\nfixed = \"y > -0.01\"\nspin = [0, 0, 2]\n");
  const file_problem solid = problem_of("model = \"solid\"\n[solid]\ncells = [1, 1, 1]\nsize = [1, 1, 1]\nfixed = \"x < 0.1\"\nvelocity = [0, 0, 2]\n");
  for (const file_problem* const each : {&cloth, &solid}) {
    const auto sim = find_method("linearly-implicit-euler")->make(*each->system.built_in(), each->start, 0, {.step = 0.01});
    ASSERT_EQ(sim->advance_to(0.1), outcome::finished) << sim->message();
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(sim->state()[c], each->start[c]);
  }
  EXPECT_EQ(complaint(pair_on_a_spring + "velocity = [[0, 1, 0], [0, 0, 0]]\nfixed = [0]\n"), "file:6:12: found a velocity of particle 0, which is fixed, expected [0, 0, 0]");
  EXPECT_EQ(complaint(pair_on_a_spring + "velocity = [[0, 1, 0], [0, 0, 0]]\nfixed = [1]\n"), "");
}

TEST(scene, momenta_are_watched_where_nothing_changes_them) {
  const auto watched = [](const std::string& more) { return problem_of(pair_on_a_spring + more).invariants.names().size(); };
  EXPECT_EQ(watched(""), 7u);
  EXPECT_EQ(watched("drag = 0\n"), 7u);
  EXPECT_EQ(watched("anchors = [[0, 0, 0, 0, 10]]\n"), 1u);
  EXPECT_EQ(watched("drag = 0.1\n"), 1u);
  EXPECT_EQ(watched("fixed = [0]\n"), 1u);
  EXPECT_EQ(watched("gravity = [0, 0, -9.81]\n"), 1u);
}

/// `turn`, `at` and `spin` are for positions in a list as for those of a shape.
TEST(scene, listed_positions_are_turned_and_moved) {
  const file_problem pair = problem_of(pair_on_a_spring + "velocity = [[0, 0, 1], [0, 0, 0]]\nturn = [0, 0, \"pi/2\"]\nat = [0, 0, 5]\nspin = [0, 0, 2]\n");
  const std::vector<double> expected = {0, 0, 5, 0, 1, 5, 1, 0, 1, -1, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pair.start[i], expected[i], 1e-15) << i;
}

TEST(scene, what_a_model_does_not_ask_for_is_refused) {
  const auto useless = [](const std::string& where, const std::string& key, const std::string& model) {
    return "file:" + where + ": `" + key + "` has no meaning beside the other keys of [" + model + "], expected it without them or not at all";
  };
  EXPECT_EQ(complaint(pair_on_a_spring + "stiffness = 1e9\n"), useless("6:13", "stiffness", "particles"));
  EXPECT_EQ(complaint(pair_on_a_spring + "shape = \"lattice\"\nmesh = \"no such.obj\"\nacross = 7\n"), useless("6:9", "shape", "particles")) << "the first of them";
  const std::string chain = "model = \"particles\"\n[particles]\nshape = \"chain\"\nparticles = 3\nlength = 1\nmass = 1\nstiffness = 10\n";
  EXPECT_EQ(complaint(chain + "springs = [[0, 2, 1000]]\n"), useless("8:11", "springs", "particles"));
  EXPECT_EQ(complaint(chain + "bending = 5\n"), useless("8:11", "bending", "particles"));
  const std::string woven = "model = \"cloth\"\n[cloth]\nacross = 1\ndown = 1\nwidth = 1\nheight = 1\nlaw = \"baraff-witkin\"\n";
  EXPECT_EQ(complaint(woven + "poisson = 0.45\n"), useless("8:11", "poisson", "cloth"));
}

/// Two cubes of mass 8, one of them turned, on a spring between the middles of their faces that is stretched by one.
TEST(scene, bodies_are_made) {
  file_problem pair = problem_of(
      "model = \"bodies\"\n[bodies]\nboxes = [[2, 2, 2], [2, 2, 2]]\ndensity = 1\nposition = [[0, 0, 0], [5, 0, 0]]\nturn = [[0, 0, 0], [0, 0, \"pi/2\"]]\n"
      "velocity = [[0, 1, 0], [0, 0, 0]]\nspin = [[0, 0, 0], [0, 0, 3]]\nsprings = [[0, 1, 0, 0, 1, 0, 1, 0, 4, 2]]\n");
  ASSERT_EQ(pair.start.size(), 26u);
  EXPECT_EQ(pair.names[3], "qw[0]");
  EXPECT_EQ(pair.names[25], "lz[1]");
  EXPECT_NEAR(pair.start[8], 8, 1e-12);                            // momentum
  EXPECT_NEAR(pair.start[25], 3 * 8 * (4 + 4) / 12., 1e-12);  // I ω
  pair.invariants.evaluate(0, pair.start);
  EXPECT_NEAR(pair.invariants[0], 0.5 * 8 + 0.5 * 3 * 3 * 16 / 3. + 0.5 * 4 * 1, 1e-12);
  std::vector<double> dx(26);
  pair.system(0, pair.start, dx);
  EXPECT_NEAR(dx[7], 4, 1e-12);
  EXPECT_NEAR(dx[13 + 7], -4, 1e-12);
  const std::vector<double> drawn = pair.scene->draw(pair.start);
  ASSERT_EQ(drawn.size(), 3u * (8 + 8 + 2));
  EXPECT_EQ(pair.scene->drawn_points, 18u);
  EXPECT_EQ(pair.scene->triangles.size(), 24u);
  EXPECT_NEAR(drawn[3 * 16], 1, 1e-12);  // the spring's ends
  EXPECT_NEAR(drawn[3 * 17], 4, 1e-12);
}

/// A tetrahedron in a file, whole or with something wrong.
std::string mesh_file(const std::string& name, const std::string& lines) {
  const std::string path = testing::TempDir() + "/ensue_" + name + ".obj";
  std::ofstream(path) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" << lines;
  return path;
}

TEST(scene, a_mesh_becomes_springs) {
  const std::string path = mesh_file("net", "f 1 3 2\nf 1 2 4\n");
  file_problem net = problem_of("model = \"particles\"\n[particles]\nmesh = \"" + path + "\"\nmass = 2\nstiffness = 8\n");
  EXPECT_EQ(net.scene->lines.size(), 5u);
  net.start[3] = 1.5;  // the edges 0–1, 1–2 and 1–3 are longer
  net.invariants.evaluate(0, net.start);
  EXPECT_NEAR(net.invariants[0], 0.5 * 8 * (0.25 + 2 * std::pow(std::sqrt(3.25) - std::sqrt(2.), 2)), 1e-12);
}

/// Nothing is read outside the problem's folder, whichever way a name leads there.
TEST(scene, a_mesh_is_in_the_folder_of_the_problem) {
  const auto net_of = [](const std::string& path) { return complaint("model = \"particles\"\n[particles]\nmesh = \"" + path + "\"\nmass = 2\nstiffness = 8\n"); };
  const auto outside = [](const std::string& path) { return "file:3:8: found `mesh` = \"" + path + "\", expected a file in the folder of the problem"; };
  const std::filesystem::path here = mesh_file("inside", "f 1 3 2\n"), link = here.parent_path() / "ensue_link.obj";
  EXPECT_EQ(net_of("ensue_inside.obj"), "");
  EXPECT_EQ(net_of("../" + (std::filesystem::weakly_canonical(here.parent_path()).filename() / "ensue_inside.obj").string()), "");
  EXPECT_EQ(net_of("../outside.obj"), outside("../outside.obj"));
  EXPECT_EQ(net_of("/proc/cpuinfo"), outside("/proc/cpuinfo"));
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/proc/cpuinfo", link);
  EXPECT_EQ(net_of("ensue_link.obj"), outside("ensue_link.obj"));
  std::filesystem::remove(link);
  EXPECT_EQ(net_of("no_such.obj").find("file:3:8: "), 0u);
  EXPECT_EQ(net_of("no_such.obj").find("folder of the problem"), std::string::npos);
}

TEST(scene, wrong_elements_are_named_by_their_number) {
  const std::string pair = "model = \"particles\"\n[particles]\nposition = [[0, 0, 0], [1, 0, 0]]\n";
  EXPECT_EQ(complaint(pair + "mass = [1, 0]\n"), "file:2:2: particle 1: its mass is 0, expected a positive number");
  EXPECT_EQ(complaint(pair + "mass = 1\nsprings = [[0, 1, 2], [1, 0, -5]]\n"), "file:2:2: spring 1: its stiffness is -5, expected a number that is not negative");
  EXPECT_EQ(complaint("model = \"solid\"\n[solid]\ncells = [1, 1, 1]\nsize = [1, 0, 1]\n"), "file:2:2: tetrahedron 0: it has no volume");
  const auto cloth_of = [](const std::string& path) { return "model = \"cloth\"\n[cloth]\nmesh = \"" + path + "\"\n"; };
  const auto body_of = [](const std::string& path) { return "model = \"bodies\"\n[bodies]\nposition = [[0, 0, 0]]\nmesh = \"" + path + "\"\n"; };
  const std::string whole = mesh_file("whole", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"), hole = mesh_file("hole", "f 1 3 2\nf 1 2 4\nf 2 3 4\n");
  EXPECT_EQ(complaint(body_of(whole)), "");
  EXPECT_EQ(complaint(body_of(hole)), "file:2:2: body 0: triangle 0: its edge from 0 to 2 has no triangle on its other side: the mesh has a hole");
  EXPECT_EQ(complaint(cloth_of(mesh_file("flat", "f 1 2 3\nf 1 2 2\n"))), "file:2:2: triangle 1: it has no area");
  EXPECT_EQ(complaint(cloth_of(mesh_file("nan", "v nan 0 0\nf 1 2 5\n"))).find("file:3:8: "), 0u);
  EXPECT_EQ(complaint(cloth_of(mesh_file("index", "f 1 2 9\n"))).find("file:3:8: "), 0u);
  const std::string two = "model = \"bodies\"\n[bodies]\nposition = [[0, 0, 0], [3, 0, 0]]\n";
  EXPECT_EQ(complaint(two + "boxes = [[1, 1, 1], [1, 1, 0]]\n"), "file:2:2: body 1: its side is 0, expected a positive number");
  EXPECT_EQ(complaint(two + "boxes = [[1, 1, 1]]\n"), "file:4:9: expected a box for each of the 2 positions, or `mesh`");
  EXPECT_EQ(complaint(two + "boxes = [[1, 1, 1], [1, 1, 1]]\nsprings = [[0, 0, 0, 0, 2, 0, 0, 0, 1]]\n"), "file:5:11: there is no body 2, expected one of 0 to 1");
}

TEST(scene, wrong_tables_are_refused_with_their_place) {
  const std::string sheet = "model = \"cloth\"\n[cloth]\nacross = 4\ndown = 3\nwidth = 1\n";
  EXPECT_EQ(complaint("model = \"clot\"\n"), "file:1:9: unknown model `clot`, did you mean `cloth`?");
  EXPECT_EQ(complaint(sheet), "file:2:2: found no `height` in [cloth], expected it");
  EXPECT_EQ(complaint(sheet + "height = 1\nyuong = 3\n").substr(0, 40), "file:7:1: unknown setting `yuong` in [cl");
  EXPECT_EQ(complaint(sheet + "height = [1, 2]\n"), "file:6:10: found a list for `height`, expected a number");
  EXPECT_EQ(complaint(sheet + "height = 0\n"), "file:2:2: triangle 0: it has no area");
  EXPECT_EQ(complaint(sheet + "height = 1\nfixed = [20]\n"), "file:7:9: there is no particle 20, expected one of 0 to 19");
  EXPECT_EQ(complaint(sheet + "height = 1\nfixed = \"u < 1\"\n"), "file:7:9: unknown name `u` in `fixed`, expected x, y and z of a particle");
  EXPECT_EQ(complaint(sheet + "height = 1\nfixed = \"x[5] < 0.5\"\n"), "file:7:9: found an element of `x` in `fixed`, expected x, y and z of a particle");
  EXPECT_EQ(complaint(sheet + "height = 1\nfixed = \"sum(x=1..2, 1) < 0.5\"\n"), "file:7:9: found a sum over `x` in `fixed`, expected x, y and z of a particle");
  EXPECT_EQ(complaint(sheet + "height = 1\ndensity = -1\n"), "file:2:2: particle 0: its mass is -0.0138889, expected a positive number");
  EXPECT_EQ(complaint("model = \"cloth\"\n[cloth]\nacross = 1e4\ndown = 1e4\n").substr(0, 33), "file:2:2: [cloth] has 100020001 p");
  EXPECT_EQ(complaint("model = \"cloth\"\n[state]\nx = 1\n").substr(0, 51), "file:2:2: unknown key `state` beside a built-in mod");
  EXPECT_EQ(complaint("model = \"solid\"\n[solid]\ncells = [1, 1, 1]\nsize = [1, 1, 1]\nmaterial = \"jelly\"\n").substr(0, 40), "file:5:12: found `material` = \"jelly\", e");
  EXPECT_EQ(complaint("model = \"n-body\"\n[n-body]\nmass = [1]\nposition = [[0, 0, 0]]\nvelocity = []\n"), "file:5:12: expected a velocity for each of the 1 bodies");
  EXPECT_EQ(complaint("model = \"particles\"\n[particles]\nmass = 1\nposition = [[0, 0, 0], [1, 0, 0]]\nsprings = [[0, 5, 1]]\n"),
            "file:5:11: there is no particle 5, expected one of 0 to 1");
  EXPECT_EQ(complaint("model = \"particles\"\n[particles]\nmass = 1\nposition = [[0, 0, 0], [1, 0]]\n").substr(0, 35), "file:4:12: found a list of 2 in `po");
}

}  // namespace
