/// Cloth and solids: forces, energies and derivatives against each other, at states that are stretched, crushed and turned inside out;
/// bars and strips against textbooks; meshes that are wrong.
#include "models/support.hpp"

#include <ensue/models/cloth.hpp>
#include <ensue/models/solid.hpp>

#include <string>

namespace {

using namespace ensue;
using namespace ensue::models;
using namespace ensue::tests;

triangle_mesh small_sheet() { return sheet({.across = 3, .down = 2, .width = 1.2, .height = 0.9}); }
tetrahedron_mesh small_box() { return box({.cells = {2, 1, 1}, .size = {1, 0.6, 0.5}}); }

constexpr double disturbances[] = {0.02, 0.3, 2};  // the second crushes elements, the third turns some inside out

TEST(cloth, forces_are_the_gradient_of_the_energy) {
  const auto mesh = small_sheet();
  const auto model = cloth(mesh, {.young = 50, .damping = 0, .bending = 0.3, .bending_damping = 0},
                           {.grounds = {{{0, 0, 0.1}}}, .balls = {{{0.5, -0.5, -0.3}, 0.5}}, .touching = {70}});
  for (const double by : disturbances) EXPECT_LT(gradient_mismatch(model, disturbed(mesh.positions, by, 1)), 1e-12) << by;
}

TEST(cloth, blocks_are_the_derivative_of_the_forces) {
  const auto mesh = small_sheet();
  const auto model = cloth(mesh, {.young = 50, .damping = 0.2, .bending = 0.3, .bending_damping = 0.4},
                           {.drag = 0.1, .wind = {3, 1, 2}, .air = 1.2, .grounds = {{{0, 0, 0.1}}}, .balls = {{{0.5, -0.5, -0.3}, 0.5}}, .touching = {70, 3, 2}});
  for (const double by : disturbances)
    for (const std::uint64_t seed : {1u, 2u}) EXPECT_LT(block_mismatch(model, disturbed(mesh.positions, by, seed), seed + 5), 1e-11) << by;
}

TEST(cloth, definite_blocks_are) {
  const auto mesh = small_sheet();
  const auto model = cloth(mesh, {.young = 50, .damping = 0.2, .bending = 0.3, .bending_damping = 0.4},
                           {.wind = {3, 1, 2}, .air = 1.2, .balls = {{{0.5, -0.5, -0.3}, 0.5}}, .touching = {70, 3, 2}});
  for (const double by : disturbances) {
    const auto x = disturbed(mesh.positions, by, 3);
    EXPECT_GT(least_curvature(model, x, true), -1e-14) << by;
    EXPECT_GT(least_curvature(model, x, false), -1e-14) << by;
  }
}

TEST(cloth, its_own_forces_conserve_momenta) {
  const auto mesh = small_sheet();
  const auto model = cloth(mesh, {.young = 50, .damping = 0.2, .bending = 0.3, .bending_damping = 0.4}, {.gravity = {0, 0, 0}});
  for (const double by : disturbances) EXPECT_LT(momentum_change(model, disturbed(mesh.positions, by, 3)), 1e-13) << by;
}

/// A rigid motion, at any speed, is no strain rate.
TEST(cloth, turning_is_not_damped) {
  const auto mesh = small_sheet();
  const auto model = cloth(mesh, {.young = 50, .damping = 0.2, .bending = 0.3, .bending_damping = 0.4}, {.gravity = {0, 0, 0}});
  auto still = disturbed(mesh.positions, 0.2, 3), turning = still;
  const std::size_t n = still.size() / 2;
  const point omega = {0.3, -2, 1};
  for (std::size_t i = 0; i < n / 3; ++i) {
    const point v = cross(omega, at<double>(std::span<const double>(still), i));
    for (std::size_t c = 0; c < 3; ++c) still[n + 3 * i + c] = 0, turning[n + 3 * i + c] = v[c];
  }
  const auto expected = forces_of(model, still), got = forces_of(model, turning);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], expected[i], 1e-12 * largest_of(expected));
}

/// Equilateral triangles: rows that are shifted against each other, all diagonals one way.
triangle_mesh equilateral_sheet(std::size_t side) {
  triangle_mesh mesh;
  const double a = 1 / static_cast<double>(side - 1);
  for (std::size_t row = 0; row < side; ++row)
    for (std::size_t column = 0; column < side; ++column)
      mesh.positions.push_back({a * (static_cast<double>(column) + 0.5 * static_cast<double>(row)), a * std::sqrt(0.75) * static_cast<double>(row), 0});
  for (std::size_t row = 0; row + 1 < side; ++row)
    for (std::size_t column = 0; column + 1 < side; ++column) {
      const std::size_t i = row * side + column;
      mesh.triangles.push_back({i, i + 1, i + side}), mesh.triangles.push_back({i + 1, i + side + 1, i + side});
    }
  return mesh;
}

/// Pulled a little and free to become narrower, the energy is ½ E·strain² an area; of a cylinder with radius R it is ½ D/R² an area.
TEST(cloth, stiffness_is_what_is_said) {
  const auto mesh = equilateral_sheet(41);
  const double young = 300, poisson = 0.25, rigidity = 0.7, area = std::sqrt(0.75);
  const auto model = cloth(mesh, {.young = young, .poisson = poisson, .bending = rigidity}, {.gravity = {0, 0, 0}});
  const double strain = 1e-5, radius = 10;
  std::vector<double> pulled = at_rest(mesh.positions);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) pulled[3 * i] *= 1 + strain, pulled[3 * i + 1] *= 1 - poisson * strain;
  EXPECT_NEAR(model.potential_energy(pulled) / (0.5 * young * strain * strain * area), 1, 1e-4);
  for (const double angle : {0., 0.5, 1.2}) {  // the cylinder's axis
    std::vector<double> rolled = at_rest(mesh.positions);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const double across = std::cos(angle) * rolled[3 * i] + std::sin(angle) * rolled[3 * i + 1], bow = radius * std::sin(across / radius) - across;
      rolled[3 * i] += std::cos(angle) * bow, rolled[3 * i + 1] += std::sin(angle) * bow;
      rolled[3 * i + 2] = radius * (1 - std::cos(across / radius));
    }
    const double bent = model.force_of_type<bending>().energy(std::span<const double>(rolled).first(rolled.size() / 2));
    EXPECT_NEAR(bent / (0.5 * rigidity / (radius * radius) * area), 1, 0.04) << angle;  // edges along the rim have no hinge
  }
}

template <class Material> class solids : public testing::Test {};
using material_list = testing::Types<st_venant_kirchhoff, stable_neo_hookean>;
TYPED_TEST_SUITE(solids, material_list, );

TYPED_TEST(solids, forces_are_the_gradient_of_the_energy) {
  const auto mesh = small_box();
  const auto model = solid<TypeParam>(mesh, {.density = 2, .young = 40, .poisson = 0.3});
  for (const double by : disturbances) EXPECT_LT(gradient_mismatch(model, disturbed(mesh.positions, by, 1)), 1e-12) << by;
}
TYPED_TEST(solids, blocks_are_the_derivative_of_the_forces) {
  const auto mesh = small_box();
  const auto model = solid<TypeParam>(mesh, {.density = 2, .young = 40, .poisson = 0.3, .damping = 0.1, .mass_damping = 0.3});
  for (const double by : disturbances)
    for (const std::uint64_t seed : {1u, 2u}) EXPECT_LT(block_mismatch(model, disturbed(mesh.positions, by, seed), seed + 5), 1e-11) << by;
}
TYPED_TEST(solids, definite_blocks_are) {
  const auto mesh = small_box();
  const auto model = solid<TypeParam>(mesh, {.density = 2, .young = 40, .poisson = 0.3, .damping = 0.1});
  for (const double by : disturbances) {
    const auto x = disturbed(mesh.positions, by, 3);
    EXPECT_GT(least_curvature(model, x, true), -1e-14) << by;
    EXPECT_GT(least_curvature(model, x, false), -1e-14) << by;
  }
}
TYPED_TEST(solids, internal_forces_conserve_momenta) {
  const auto mesh = small_box();
  const auto model = solid<TypeParam>(mesh, {.density = 2, .young = 40, .poisson = 0.3, .damping = 0.1}, {.gravity = {0, 0, 0}});
  for (const double by : disturbances) EXPECT_LT(momentum_change(model, disturbed(mesh.positions, by, 3)), 1e-13) << by;
}
/// At rest there is no force; pulled a little, the energy is that of Hooke's law.
TYPED_TEST(solids, stiffness_is_what_is_said) {
  const auto mesh = small_box();
  const double young = 40, poisson = 0.3, strain = 1e-4, volume = 0.3;
  const auto model = solid<TypeParam>(mesh, {.density = 2, .young = young, .poisson = poisson}, {.gravity = {0, 0, 0}});
  std::vector<double> x = at_rest(mesh.positions);
  EXPECT_LT(largest_of(forces_of(model, x)), 1e-12);
  EXPECT_NEAR(model.potential_energy(x), 0, 1e-13);
  double mass = 0;
  for (std::size_t i = 0; i < model.particles(); ++i) mass += model.mass(i);
  EXPECT_NEAR(mass, 2 * volume, 1e-14);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) x[3 * i + c] *= c == 0 ? 1 + strain : 1 - poisson * strain;
  EXPECT_NEAR(model.potential_energy(x) / (0.5 * young * strain * strain * volume), 1, 1e-3);
}

TEST(shapes, a_box_is_filled_and_its_surface_closed) {
  const auto mesh = box({.cells = {3, 2, 4}, .size = {1, 2, 3}});
  EXPECT_EQ(mesh.positions.size(), 60u);
  EXPECT_EQ(mesh.tetrahedra.size(), 144u);
  const elastic<3, st_venant_kirchhoff> body(mesh.positions, mesh.tetrahedra, {{1, 1}});
  EXPECT_NEAR(body.volume(), 6, 1e-13);
  const auto surface = surface_of(mesh);
  EXPECT_EQ(surface.size(), 2u * 2 * (3 * 2 + 2 * 4 + 3 * 4));
  double six_volumes = 0;  // of what it encloses, by Gauss's theorem: they all look outwards
  for (const auto& t : surface) six_volumes += dot(mesh.positions[t[0]], cross(mesh.positions[t[1]], mesh.positions[t[2]]));
  EXPECT_NEAR(six_volumes / 6, 6, 1e-13);
}

TEST(cloth, wrong_meshes_are_refused_with_the_number_of_the_element) {
  auto mesh = small_sheet();
  const auto with = [&](auto change) {
    auto wrong = mesh;
    change(wrong);
    return complaint([&] { cloth(wrong); });
  };
  EXPECT_EQ(with([](auto& m) { m.triangles[3][1] = 77; }), "ensue: triangle 3: there is no particle 77, expected one of 0 to 11");
  EXPECT_EQ(with([](auto& m) { m.triangles[2] = {0, 1, 1}; }), "ensue: triangle 2: it has no area");
  EXPECT_EQ(with([](auto& m) { m.positions[5][2] = std::nan(""); }), "ensue: vertex 5: its position has nan, expected finite numbers");
  EXPECT_EQ(with([](auto& m) { m.positions.push_back({9, 9, 9}); }), "ensue: particle 12: its mass is 0, expected a positive number");
  EXPECT_EQ(with([](auto& m) { m.triangles.push_back({0, 4, 11}), m.triangles.push_back({0, 4, 10}); }).substr(0, 20), "ensue: triangle 13: ");
  EXPECT_NE(complaint([&] { cloth(mesh, {.young = -1}); }), "");
  EXPECT_NE(complaint([&] { cloth(mesh, {.poisson = 1}); }), "");
  EXPECT_NE(complaint([&] { cloth(mesh, {}, {.balls = {{{0, 0, 0}, -1}}}); }), "");
  auto flat = small_box();
  flat.positions[flat.tetrahedra[4][3]] = flat.positions[flat.tetrahedra[4][0]];
  EXPECT_NE(complaint([&] { solid<stable_neo_hookean>(flat); }).find("it has no volume"), std::string::npos);
}

}  // namespace
