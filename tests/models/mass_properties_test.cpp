/// Inertia from meshes: boxes and a ball, moved and turned; meshes with holes.
#include "models/support.hpp"

#include <ensue/models/mass_properties.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/models/shapes.hpp>

namespace {

using namespace ensue;
using namespace ensue::models;

struct placed_box {
  std::vector<point> positions;
  std::vector<vec<std::size_t, 3>> triangles;

  placed_box(const quaternion<double>& turn, const point& shift) {
    const auto solid = box({.cells = {2, 1, 3}, .size = {0.1, 0.4, 0.9}});
    triangles = surface_of(solid);
    for (const point& p : solid.positions) positions.push_back(turn.rotate(p) + shift);
  }
};

/// The box of the rigid-body benchmark (models/rigid_body.hpp), however it lies.
TEST(mass_properties, of_a_box_are_the_textbooks) {
  const auto turn = quaternion<double>::exp({0.3, -1.1, 0.7});
  const point shift = {5, -3, 2};
  const placed_box given(turn, shift);
  const mass_properties shape = mass_properties_of(given.positions, given.triangles);
  const double volume = 0.1 * 0.4 * 0.9, density = thrown_box::mass / volume;
  EXPECT_NEAR(shape.volume, volume, 1e-15);
  const point centre = turn.rotate({0.05, 0.2, 0.45}) + shift;
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(shape.centre[c], centre[c], 1e-14);
  const principal_axes axes = principal_axes_of(shape);
  const auto expected = thrown_box::body().inertia();  // descending
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(density * axes.moments[c], expected[2 - c], 1e-13);
  EXPECT_NEAR(axes.orientation.squared_norm(), 1, 1e-14);
  const auto longest = axes.orientation.rotate({1., 0., 0.}), side = turn.rotate({0., 0., 1.});
  EXPECT_NEAR(std::fabs(dot(longest, side)), 1, 1e-14) << "least inertia about the longest side";
}

/// The inertia tensor in space is R diag(moments) Rᵀ, whichever component of the quaternion is the largest.
TEST(mass_properties, axes_make_the_tensor_again) {
  for (const vec<double, 3>& turn : {vec{0., 0., 0.}, vec{3., 0.1, 0.}, vec{0.1, 3., 0.}, vec{0., 0.1, 3.}, vec{1., 1., 1.}}) {
    const placed_box given(quaternion<double>::exp(turn), {0, 0, 0});
    const mass_properties shape = mass_properties_of(given.positions, given.triangles);
    const principal_axes axes = principal_axes_of(shape);
    for (std::size_t j = 0; j < 3; ++j) {
      vec<double, 3> unit = {0, 0, 0};
      unit[j] = 1;
      vec<double, 3> turned = axes.to_body(unit);
      for (std::size_t c = 0; c < 3; ++c) turned[c] *= axes.moments[c];
      const auto column = axes.orientation.rotate(turned);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(column[i], shape.inertia[i][j], 1e-16);
    }
  }
}

TEST(mass_properties, meshes_with_holes_are_refused) {
  const placed_box given(quaternion<double>::identity(), {0, 0, 0});
  const auto complaint = [&](auto change) {
    auto triangles = given.triangles;
    auto positions = given.positions;
    change(positions, triangles);
    return tests::complaint([&] { mass_properties_of(positions, triangles); });
  };
  EXPECT_NE(complaint([](auto&, auto& t) { t.erase(t.begin() + 3); }).find("the mesh has a hole"), std::string::npos);
  EXPECT_NE(complaint([](auto&, auto& t) { std::swap(t[4][0], t[4][1]); }).find("looks to the other side"), std::string::npos);
  EXPECT_NE(complaint([](auto&, auto& t) {
              for (auto& each : t) std::swap(each[0], each[1]);
            }).find("seen from outside"),
            std::string::npos);
  EXPECT_NE(complaint([](auto&, auto& t) { t[2][1] = 99; }).find("triangle 2: there is no particle 99"), std::string::npos);
  EXPECT_NE(complaint([](auto& p, auto&) { p[1][1] = std::nan(""); }).find("vertex 1"), std::string::npos);
  EXPECT_NE(complaint([](auto&, auto& t) { t.clear(); }), "");
}

}  // namespace
