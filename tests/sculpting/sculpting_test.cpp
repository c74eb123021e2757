// Meshes moved by strokes: the error asked for holds however long a tool's way is and in however many frames, and each of two hands does what it does alone.
#include "meshes/mesh.hpp"
#include "sculpting/random_strokes.hpp"
#include "sculpting/sculpting.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ensue::tests {
namespace {

using point = vec<double, 3>;
using vertices = std::vector<vec<float, 3>>;

double distance(const auto& a, const auto& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Poses at evenly spaced times, at place(u) for u from 0 to 1, turned by so much.
template <class Place> stroke stroke_along(Place place, double from, double to, int frames, double radius, double turn = 0) {
  stroke made;
  made.inner_radius = radius / 2, made.outer_radius = radius;
  for (int i = 0; i <= frames; ++i) {
    const double u = static_cast<double>(i) / frames;
    made.poses.push_back({place(u), quaternion<double>::exp({0, 0.6 * turn * u, 0.8 * turn * u}), 1, from + u * (to - from)});
  }
  return made;
}

stroke straight(double radii, double radius, double turn) {
  return stroke_along([&](double u) { return point{radii * radius * (u - 0.5), 0.1, 0}; }, 0, 1, 1, radius, turn);
}

double worst_error(const vertices& start, std::span<const stroke> strokes, const sculpting_settings& settings) {
  vertices moved = start;
  EXPECT_TRUE(sculpt(moved, strokes, settings).report.all_finished());
  double worst = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    worst = std::max(worst, distance(sculpted_exactly({start[i][0], start[i][1], start[i][2]}, strokes, settings), point{moved[i][0], moved[i][1], moved[i][2]}));
  return worst;
}

constexpr sculpting_method methods[] = {sculpting_method::bs32, sculpting_method::dp54, sculpting_method::tsit5};

/// A float has not the digits for most of them.
TEST(sculpting, holds_the_error_along_ways_of_a_hundred_radii) {
  constexpr double radius = 0.13;
  for (const double radii : {12., 20., 50., 100.}) {
    const stroke tool = straight(radii, radius, 2);
    for (const double side : {-0.15, 0.15}) {  // behind the tool, and before it
      const vertices sphere = fibonacci_sphere(sanitized ? 100 : 1000, 0.15, {-radii * radius / 2 + side, 0.1, 0}).vertices;
      for (const sculpting_method method : methods)
        EXPECT_LE(worst_error(sphere, {&tool, 1}, {.method = method}), 1.3e-4) << radii << " radii, " << side << ", method " << static_cast<int>(method);
    }
  }
}

/// Such a vertex moves along a line. With steps of 1.2 radii, bs32 took some of them for good there by chance.
TEST(sculpting, holds_the_error_on_the_way_of_the_centre) {
  constexpr double radius = 0.13;
  for (const double radii : {3., 4.5, 6., 12.}) {
    const stroke tool = straight(radii, radius, 0);
    vertices line;
    for (int i = 0; i < 40; ++i) line.push_back({static_cast<float>(radius * (0.2 + 0.15 * i - radii / 2)), 0.1f, 0.f});
    for (const sculpting_method method : methods)
      EXPECT_LE(worst_error(line, {&tool, 1}, {.method = method}), 1.3e-4) << radii << " radii, method " << static_cast<int>(method);
  }
}

/// The worst of some thousands of random strokes (bench/sculpting_scan.cpp): before vertices near a tool's line, paths that turn and two hands were moved with more care, they missed what is asked for by 1.1 to
/// 56 times.
TEST(sculpting, holds_the_error_of_random_strokes_that_are_hard) {
  const std::pair<stroke_kind, std::vector<std::uint64_t>> hard[] = {
      {stroke_kind::straight, {22, 27, 44, 77, 142, 144, 236, 321, 346, 392, 1931, 20469, 20484}}, {stroke_kind::far, {76, 314}}, {stroke_kind::to_and_fro, {236}},
      {stroke_kind::curve, {285, 375, 10054, 11485}}, {stroke_kind::zigzag, {198, 263}}, {stroke_kind::two_hands, {10, 43, 52, 178, 282, 307, 385, 20915}}};
  for (const auto& [kind, seeds] : hard)
    for (const std::uint64_t seed : seeds) {
      const random_sculpting one(kind, seed, sanitized ? 2 : 24);
      const std::vector<point> exact = exact_ends(one);
      for (const sculpting_method method : methods) EXPECT_LE(worst_share(one, method, exact), 1) << name_of(kind) << " " << seed << ", method " << static_cast<int>(method);
    }
}

/// They are moved in groups, each with steps of its own, and have to be where they were: a vertex goes the same way alone.
TEST(sculpting, a_vertex_is_moved_alone_as_among_others) {
  const random_sculpting one(stroke_kind::straight, 321, 8);
  for (const bool culling : {false, true}) {
    sculpting_settings settings = one.settings;
    settings.culling = culling;
    std::vector<vec<float, 3>> together = one.vertices;
    sculpt(together, one.strokes, settings);
    for (std::size_t i = 0; i < together.size(); ++i) {
      std::vector<vec<float, 3>> alone = {one.vertices[i]};
      sculpt(alone, one.strokes, settings);
      EXPECT_LE(distance(alone[0], together[i]), 2 * settings.tolerance) << i;
    }
  }
}

TEST(sculpting, holds_the_error_over_many_frames) {
  const auto to_and_fro = [](double u) { return point{0.2 * std::sin(40 * std::numbers::pi * u) + 0.05 * u, 0.02 * std::sin(68 * std::numbers::pi * u), 0}; };
  const stroke scrub = stroke_along(to_and_fro, 0, 10, 600, 0.1);
  const vertices sphere = fibonacci_sphere(sanitized ? 10 : 100, 0.15, {0.15, 0, 0}).vertices;
  for (const sculpting_method method : methods)
    EXPECT_LE(worst_error(sphere, {&scrub, 1}, {.method = method, .every_frame = true}), 1.3e-4) << "method " << static_cast<int>(method);
}

/// Where a vertex moves by less than its last digit in each of them, all roundings are to the same side.
TEST(sculpting, holds_the_error_over_frames_of_a_thousandth_of_a_radius) {
  const stroke slow = stroke_along([](double u) { return point{0.08 * u - 0.3, 0.65 + 0.04 * u, 1.35 + 0.1 * u}; }, 0, 20, 2000, 0.03);
  const vertices sphere = fibonacci_sphere(30, 0.1, {-0.36, 0.62, 1.27}).vertices;
  EXPECT_LE(worst_error(sphere, {&slow, 1}, {.method = sculpting_method::bs32, .every_frame = true, .culling = false}), 1.3e-4);
}

TEST(sculpting, holds_the_error_of_an_affine_move_that_turns_on_and_on) {
  const stroke turning = stroke_along([](double u) { return point{0.1 * std::sin(9 * u), 0.02 * std::sin(60 * u), 0}; }, 0, 3, 300, 0.15, 60);
  const vertices sphere = fibonacci_sphere(sanitized ? 20 : 200, 0.08, {0, 0, 0}).vertices;
  for (const sculpting_method method : methods)
    EXPECT_LE(worst_error(sphere, {&turning, 1}, {.field = sculpting_field::affine, .method = method, .every_frame = true}), 1.3e-4) << "method " << static_cast<int>(method);
}

TEST(sculpting, is_the_same_to_the_bit_with_every_thread_count) {
  const stroke brief = straight(3, 0.13, 1), far = straight(30, 0.13, 1);  // floats serve for the one, the other takes doubles
  for (const stroke& tool : {brief, far})
    for (const sculpting_field field : {sculpting_field::kelvinlet, sculpting_field::affine})
      for (const sculpting_method method : methods) {
        const point& from = tool.poses.front().position;
        const vertices sphere = fibonacci_sphere(700, 0.15, {from[0] + 0.1, from[1], from[2]}).vertices;
        vertices in_lanes = sphere, on_threads = sphere;
        sculpt(in_lanes, {&tool, 1}, {.field = field, .method = method, .backend = sculpting_backend::lanes});
        sculpt(on_threads, {&tool, 1}, {.field = field, .method = method, .backend = sculpting_backend::threads});
        EXPECT_TRUE(in_lanes == on_threads);
      }
}

const stroke left = stroke_along([](double u) { return point{0.2 * u, 0.05 * std::sin(5 * u), 0}; }, 0, 1, 7, 0.15, 1);

/// Its poses lie between those of the other.
TEST(sculpting, a_hand_out_of_reach_changes_nothing) {
  const stroke far = stroke_along([](double u) { return point{20, u, 0}; }, 0.03, 0.9, 10, 0.15, 1);
  const vertices sphere = fibonacci_sphere(500, 0.15, {0.05, 0, 0}).vertices;
  for (const sculpting_field field : {sculpting_field::kelvinlet, sculpting_field::affine})
    for (const bool every_frame : {false, true}) {
      vertices by_one = sphere, by_both = sphere;
      const stroke both[] = {left, far};
      sculpt(by_one, {&left, 1}, {.field = field, .every_frame = every_frame});
      sculpt(by_both, both, {.field = field, .every_frame = every_frame});
      double worst = 0, furthest = 0;
      for (std::size_t i = 0; i < sphere.size(); ++i) {
        worst = std::max<double>(worst, distance(by_one[i], by_both[i]));
        furthest = std::max<double>(furthest, distance(by_one[i], sphere[i]));
      }
      EXPECT_LE(worst, 1.3e-4) << every_frame;
      EXPECT_GT(furthest, 0.09);
    }
}

/// What design calls the affine move, in little steps: a tool takes a vertex along from the beginning of each of its own frames for as much of it as the vertex was near then.
point moved_in_little_steps(point x, std::span<const stroke> hands) {
  constexpr int steps = 40'000;
  double until[2] = {};
  std::size_t next[2] = {};
  for (int n = 0; n < steps; ++n) {
    const double h = 1. / steps, t = (n + 0.5) * h;
    point velocity = {};
    for (std::size_t k = 0; k < hands.size(); ++k) {
      const auto& poses = hands[k].poses;
      while (next[k] + 1 < poses.size() && poses[next[k]].time <= t) {
        until[k] = poses[next[k]].time + (poses[next[k] + 1].time - poses[next[k]].time) *
                                             models::affine_falloff(distance(x, poses[next[k]].position), hands[k].inner_radius, hands[k].outer_radius);
        ++next[k];
      }
      if (next[k] == 0 || t > until[k]) continue;
      const auto& from = poses[next[k] - 1];
      const auto tool = models::tool_motion<double>::between(from, poses[next[k]]);
      const point turning = tool.turn_and_grow(tool.from_centre(t - from.time, x));
      for (std::size_t i = 0; i < 3; ++i) velocity[i] += tool.velocity[i] + turning[i];
    }
    for (std::size_t i = 0; i < 3; ++i) x[i] += h * velocity[i];
  }
  return x;
}

TEST(sculpting, two_hands_that_meet_move_as_they_are_defined_to) {
  const stroke right = stroke_along([](double u) { return point{0.1, 0.2 * u - 0.1, 0.02}; }, 0.03, 0.97, 5, 0.12, -1);
  const stroke both[] = {left, right};
  const vertices sphere = fibonacci_sphere(60, 0.06, {0.05, 0, 0}).vertices;
  vertices moved = sphere;
  sculpt(moved, both, {.field = sculpting_field::affine, .every_frame = true});
  for (std::size_t i = 0; i < sphere.size(); ++i) {
    const point start = {sphere[i][0], sphere[i][1], sphere[i][2]}, end = {moved[i][0], moved[i][1], moved[i][2]};
    EXPECT_LT(distance(moved_in_little_steps(start, both), end), 2e-4) << i;
  }
}

}  // namespace
}  // namespace ensue::tests
