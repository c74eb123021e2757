// The fields of sculpting against their formulas as they are printed, and against closed solutions.
#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/models/flows.hpp>
#include <ensue/models/kelvinlet.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ensue::tests {
namespace {

using namespace models;
using vector3 = vec<double, 3>;

vector3 operator+(const vector3& a, const vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
vector3 operator-(const vector3& a, const vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
vector3 operator*(double s, const vector3& a) { return {s * a[0], s * a[1], s * a[2]}; }
double length(const vector3& a) { return std::sqrt(dot(a, a)); }
vector3 product(const matrix3<double>& m, const vector3& a) { return {dot(m[0], a), dot(m[1], a), dot(m[2], a)}; }

/// The brushes of de Goes & James, term by term.
struct printed {
  double mu, nu, epsilon;
  double a() const { return 1 / (4 * 3.14159265358979323846 * mu); }
  double b() const { return a() / (4 * (1 - nu)); }
  double r(const vector3& R) const { return std::sqrt(dot(R, R) + epsilon * epsilon); }

  vector3 translation(const vector3& R, const vector3& F) const {
    const double r3 = std::pow(r(R), 3);
    return ((a() - b()) / r(R) + a() * epsilon * epsilon / (2 * r3)) * F + (b() / r3 * dot(R, F)) * R;
  }
  vector3 twist(const vector3& R, const vector3& q) const {
    return (-a() * (1 / std::pow(r(R), 3) + 3 * epsilon * epsilon / (2 * std::pow(r(R), 5)))) * cross(q, R);
  }
  vector3 scale(const vector3& R, double s) const {  // with nu = 0
    const double factor = 2 * a() / 4 - a();
    return (factor * (1 / std::pow(r(R), 3) + 3 * epsilon * epsilon / (2 * std::pow(r(R), 5))) * s) * R;
  }
  vector3 pinch(const vector3& R, const matrix3<double>& P) const {
    const double r3 = std::pow(r(R), 3), r5 = std::pow(r(R), 5);
    const vector3 PR = product(P, R);
    return ((2 * b() - a()) / r3) * PR - (3 / (2 * r5)) * ((2 * b() * dot(R, PR)) * R + (a() * epsilon * epsilon) * PR);
  }
};

/// A brush as a difference of two scales, in units of its value (or slope) at the centre along `e`.
template <class Brush> vector3 calibrated(Brush brush, const vector3& R, bool bi_scale, double epsilon, const vector3& at_centre,
                                          const vector3& should_be) {
  const printed first{0.7, 0.3, epsilon}, second{0.7, 0.3, 1.1 * epsilon};
  const auto value = [&](const vector3& x) { return bi_scale ? brush(first, x) - brush(second, x) : brush(first, x); };
  return (length(should_be) / length(value(at_centre))) * (dot(should_be, value(at_centre)) > 0 ? value(R) : -1 * value(R));
}

const tool_pose<double> first_pose{{0.1, -0.2, 0.3}, quaternion<double>::exp({0.3, 0.1, -0.2}), 1, 332.5};
const tool_pose<double> last_pose{{0.4, 0.1, 0.2}, quaternion<double>::exp({-0.5, 0.4, 0.3}), 1.3, 333.25};

TEST(tool_motion, leads_from_pose_to_pose) {
  const auto tool = tool_motion<double>::between(first_pose, last_pose);
  EXPECT_DOUBLE_EQ(tool.duration, 0.75);
  const vector3 on_tool = {0.3, 0.5, -0.2};  // fixed to the tool
  const vector3 before = first_pose.position + first_pose.orientation.rotate(on_tool);
  const vector3 after = last_pose.position + 1.3 * last_pose.orientation.rotate(on_tool);
  EXPECT_LT(length(affine_moved(tool, before, tool.duration) - after), 1e-14);
  EXPECT_EQ(tool_motion<float>::between(first_pose, first_pose).duration, 0.f);
}

TEST(affine_move, has_its_closed_solution) {
  const auto tool = tool_motion<double>::between(first_pose, last_pose);
  const affine_move<double, 1> field{{tool}};
  const vector3 start = {0.5, 0.5, 0.5};
  const auto run = solve(field, start, {0, 0.6}, dp54{}, {.rtol = 1e-10, .atol = 1e-12});
  EXPECT_LT(length(run.state - affine_moved(tool, start, 0.6)), 1e-10);
}

TEST(affine_move, fades_between_its_radii) {
  EXPECT_EQ(affine_falloff(0.01, 0.02, 0.1), 1);
  EXPECT_EQ(affine_falloff(0.02, 0.02, 0.1), 1);
  EXPECT_DOUBLE_EQ(affine_falloff(0.06, 0.02, 0.1), 0.5);
  EXPECT_DOUBLE_EQ(affine_falloff(0.04, 0.02, 0.1), 27. / 32);
  EXPECT_EQ(affine_falloff(0.1, 0.02, 0.1), 0);
  EXPECT_EQ(affine_falloff(7., 0.02, 0.1), 0);
}

TEST(kelvinlets, are_what_is_printed) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto any = [&] { return vector3{place(random), place(random), place(random)}; };
  constexpr double epsilon = 0.4, nu = 0.3;
  for (const bool bi_scale : {false, true})
    for (int n = 0; n < 50; ++n) {
      tool_motion<double> tool;
      tool.start = any(), tool.velocity = any(), tool.spin = any(), tool.growth = place(random);
      const kelvinlet_field<double, 1> field{{kelvinlet<double>(tool, {.radius = epsilon, .poisson_ratio = nu, .bi_scale = bi_scale})}};
      const double t = place(random);
      const vector3 x = any(), R = x - tool.start - t * tool.velocity, close = {1e-7, 0, 0}, nowhere = {};
      const vector3 expected = calibrated([&](const printed& p, const vector3& at) { return p.translation(at, tool.velocity); }, R,
                                          bi_scale, epsilon, nowhere, tool.velocity) +
                               calibrated([&](const printed& p, const vector3& at) { return p.twist(at, tool.spin); }, R, bi_scale, epsilon,
                                          close, cross(tool.spin, close)) +
                               calibrated([&](const printed& p, const vector3& at) { return p.scale(at, tool.growth); }, R, bi_scale,
                                          epsilon, close, tool.growth * close);
      vector3 velocity;
      field(t, x, velocity);
      ASSERT_LT(length(velocity - expected), 1e-7 * length(expected)) << "case " << n;  // calibrated at a distance of 1e-7
    }
}

TEST(kelvinlets, carry_the_point_under_the_tool) {
  const auto tool = tool_motion<double>::between(first_pose, last_pose);
  for (const bool bi_scale : {false, true}) {
    const kelvinlet_field<double, 1> field{{kelvinlet<double>(tool, {.radius = 0.2, .bi_scale = bi_scale})}};
    const auto run = solve(field, first_pose.position, {0, tool.duration}, dp54{}, {.rtol = 1e-10, .atol = 1e-12});
    EXPECT_LT(length(run.state - last_pose.position), 1e-10);
  }
}

TEST(kelvinlets, pinch_as_printed) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> place(-1, 1);
  const matrix3<double> p = {vector3{0.7, 0.2, -0.1}, vector3{0.2, -0.4, 0.3}, vector3{-0.1, 0.3, -0.3}};
  const kelvinlet_pinch<double, true> both({0.1, 0.2, 0.3}, p, 0.4, 0.3);
  const kelvinlet_pinch<double, false> one({0.1, 0.2, 0.3}, p, 0.4, 0.3);
  for (int n = 0; n < 50; ++n) {
    const vector3 R = {place(random), place(random), place(random)}, close = {1e-6, 2e-6, 3e-6};
    const auto brush = [&](const printed& of, const vector3& at) { return of.pinch(at, p); };
    vector3 velocity;
    both(0., both.centre + R, velocity);
    ASSERT_LT(length(velocity - calibrated(brush, R, true, 0.4, close, product(p, close))), 1e-6);
    one(0., one.centre + R, velocity);
    ASSERT_LT(length(velocity - calibrated(brush, R, false, 0.4, close, product(p, close))), 1e-6);
  }
}

TEST(kelvinlets, of_several_tools_add_up) {
  const auto tool = tool_motion<double>::between(first_pose, last_pose),
             back = tool_motion<double>::between(last_pose, {{0.7, 0, 0}, {}, 1, 334});
  const kelvinlet<double> a(tool, {.radius = 0.2}), b(back, {.radius = 0.1, .bi_scale = false});
  const vector3 x = {0.2, 0.1, 0};
  vector3 of_a, of_b, of_both;
  kelvinlet_field<double, 1>{{a}}(0.3, x, of_a);
  kelvinlet_field<double, 1>{{b}}(0.3, x, of_b);
  kelvinlet_field<double, 2>{{a, b}}(0.3, x, of_both);
  EXPECT_LT(length(of_both - (of_a + of_b)), 1e-15);
}

TEST(kelvinlets, in_floats_and_lanes_are_the_same_field) {
  const auto tool = tool_motion<float>::between(first_pose, last_pose);
  const auto exact_tool = tool_motion<double>::between(first_pose, last_pose);
  std::mt19937 random(17);
  std::uniform_real_distribution<float> place(-0.5f, 0.5f);
  for (const bool bi_scale : {false, true}) {
    const kelvinlet_field<float, 1> field{{kelvinlet<float>(tool, {.radius = 0.2, .bi_scale = bi_scale})}};
    const kelvinlet_field<double, 1> exact{{kelvinlet<double>(exact_tool, {.radius = 0.2, .bi_scale = bi_scale})}};
    for (int n = 0; n < 20; ++n) {
      vec<pack<float, 8>, 3> x, dx;
      vec<float, 3> each[8];
      for (int l = 0; l < 8; ++l)
        for (std::size_t i = 0; i < 3; ++i) set_lane(x[i], l, each[l][i] = place(random));
      field(pack<float, 8>(0.25f), x, dx);
      for (int l = 0; l < 8; ++l) {
        vec<float, 3> alone;
        vector3 right;
        field(0.25f, each[l], alone);
        exact(0.25, vector3{double(each[l][0]), double(each[l][1]), double(each[l][2])}, right);
        for (std::size_t i = 0; i < 3; ++i) {
          ASSERT_EQ(dx[i][l], alone[i]);
          ASSERT_NEAR(alone[i], right[i], 2e-5);
        }
      }
    }
  }
}

TEST(flows, are_without_divergence) {
  const auto divergence = [](const auto& flow, const vector3& x) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      vector3 above = x, below = x, up, down;
      above[i] += 1e-4, below[i] -= 1e-4;
      flow(0., above, up);
      flow(0., below, down);
      sum += (up[i] - down[i]) / 2e-4;
    }
    return sum;
  };
  EXPECT_NEAR(divergence(abc_flow<double>{}, {0.3, 1.1, -2.}), 0, 1e-9);
  EXPECT_NEAR(divergence(taylor_green<double>{0.5, 0.7, -1.2}, {0.3, 1.1, -2.}), 0, 1e-8);
  EXPECT_GT(std::fabs(divergence(taylor_green<double>{0.5, 0.7, -1}, {0.3, 1.1, -2.})), 1e-3);
  vector3 dx;
  abc_flow<double>{}(0., vector3{0.5, -0.3, 2}, dx);
  EXPECT_DOUBLE_EQ(dx[0], std::sqrt(3.) * std::sin(2.) + std::cos(-0.3));
}

}  // namespace
}  // namespace ensue::tests
