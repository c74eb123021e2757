/// Random strokes and vertices near their paths: what bench/sculpting_scan.cpp and the tests ask of sculpting. A seed is a case.
#pragma once

#include "sculpting/sculpting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>
#include <vector>

namespace ensue::tests {

/// The same numbers with every standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(0x9e3779b97f4a7c15 * (seed + 1)) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int whole(int low, int high) { return low + static_cast<int>(between(0, high - low + 1)); }
  bool one_in(double n) { return between(0, n) < 1; }
  vec<double, 3> direction() {
    const double z = between(-1, 1), angle = between(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }

 private:
  std::mt19937_64 engine_;
};

enum class stroke_kind { straight, far, to_and_fro, curve, zigzag, two_hands };
inline constexpr stroke_kind stroke_kinds[] = {stroke_kind::straight, stroke_kind::far, stroke_kind::to_and_fro,
                                               stroke_kind::curve, stroke_kind::zigzag, stroke_kind::two_hands};
constexpr std::string_view name_of(stroke_kind kind) {
  constexpr std::string_view names[] = {"straight", "far", "to and fro", "curve", "zigzag", "two hands"};
  return names[static_cast<int>(kind)];
}

/// One stroke or two, the vertices that they move, and settings but for the method.
class random_sculpting {
 public:
  stroke_kind kind;
  std::vector<stroke> strokes;
  std::vector<vec<float, 3>> vertices;
  sculpting_settings settings;

  random_sculpting(stroke_kind of, std::uint64_t seed, int vertices_of_a_group) : kind(of), random_(seed * 16 + static_cast<std::uint64_t>(of)) {
    radius_ = random_.log_between(0.03, 0.2);
    settings.tolerance = radius_ * random_.log_between(3e-4, 3e-3);
    settings.bi_scale = !random_.one_in(6);
    settings.culling = false;
    settings.backend = sculpting_backend::lanes;
    const int hands = kind == stroke_kind::two_hands ? 2 : 1;
    for (int k = 0; k < hands; ++k) strokes.push_back(with_poses(path()));
    place_vertices(vertices_of_a_group);
  }

 private:
  using point = vec<double, 3>;

  static point moved(const point& from, double by, const point& along) {
    return {from[0] + by * along[0], from[1] + by * along[1], from[2] + by * along[2]};
  }

  /// The tool's centre at each pose.
  std::vector<point> path() {
    const point start = moved({}, random_.between(0, 0.3 * radius_), random_.direction()), along = random_.direction();
    switch (kind) {
      case stroke_kind::straight:
      case stroke_kind::two_hands: return {start, moved(start, radius_ * random_.between(0.3, 6), along)};
      case stroke_kind::far: return {start, moved(start, radius_ * random_.log_between(6, 100), along)};
      case stroke_kind::to_and_fro: return to_and_fro(start, along);
      case stroke_kind::curve: return curve(start);
      case stroke_kind::zigzag: return zigzag(start);
    }
    return {};
  }

  /// Over the same vertices again and again, sometimes a little beside the last pass.
  std::vector<point> to_and_fro(const point& start, const point& along) {
    settings.every_frame = true;
    const double length = radius_ * random_.log_between(0.5, 12), beside = random_.one_in(2) ? 0 : radius_ * random_.between(0, 0.5);
    const int passes = random_.whole(2, std::clamp(static_cast<int>(60 * radius_ / length), 2, 12)), frames = random_.whole(1, 20);
    const bool smooth = random_.one_in(2);
    const point aside = random_.direction();
    std::vector<point> made;
    for (int i = 0; i <= passes * frames; ++i) {
      const double at = static_cast<double>(i) / frames, phase = std::fmod(at, 2), triangle = phase < 1 ? phase : 2 - phase;
      const double where = smooth ? (1 - std::cos(std::numbers::pi * at)) / 2 : triangle;
      made.push_back(moved(moved(start, length * where, along), beside * at, aside));
    }
    return made;
  }

  std::vector<point> curve(const point& start) {
    settings.every_frame = true;
    const double size = radius_ * random_.between(0.3, 3);
    const int frames = random_.whole(10, 60);
    double often[3], phase[3], turns = random_.between(0.5, 3);
    for (int c = 0; c < 3; ++c) often[c] = turns * random_.between(0.5, 1.5), phase[c] = random_.between(0, 2 * std::numbers::pi);
    std::vector<point> made;
    for (int i = 0; i <= frames; ++i) {
      point each = start;
      for (std::size_t c = 0; c < 3; ++c) each[c] += size * std::sin(2 * std::numbers::pi * often[c] * i / frames + phase[c]);
      made.push_back(each);
    }
    return made;
  }

  std::vector<point> zigzag(const point& start) {
    settings.every_frame = true;
    std::vector<point> made{start};
    const int corners = random_.whole(2, 8), frames = random_.whole(1, 6);
    for (int i = 0; i < corners; ++i) {
      const point from = made.back(), along = random_.direction();
      const double length = radius_ * random_.between(0.5, 5);
      for (int k = 1; k <= frames; ++k) made.push_back(moved(from, length * k / frames, along));
    }
    return made;
  }

  stroke with_poses(const std::vector<point>& path) {
    stroke made;
    made.inner_radius = radius_ / 2, made.outer_radius = radius_;
    made.compressibility = random_.one_in(2) ? 0.5 : random_.between(0, 0.5);
    const point axis = random_.direction();
    const double turn = random_.one_in(3) ? 0 : random_.between(0, std::numbers::pi), growth = random_.one_in(3) ? random_.between(-0.5, 0.5) : 0;
    const double duration = random_.log_between(0.2, 20);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const double u = static_cast<double>(i) / static_cast<double>(path.size() - 1);
      made.poses.push_back({path[i], quaternion<double>::exp({turn * u * axis[0], turn * u * axis[1], turn * u * axis[2]}), std::exp(growth * u), duration * u});
    }
    return made;
  }

  /// Four groups: on the path of the first tool, close to it, and around it before and behind its start.
  void place_vertices(int of_a_group) {
    const auto& poses = strokes[0].poses;
    const auto place = [&](const point& x) { vertices.push_back({static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])}); };
    const auto on_path = [&] {
      const double at = random_.between(0, static_cast<double>(poses.size() - 1));
      const std::size_t i = std::min(static_cast<std::size_t>(at), poses.size() - 2);
      point x;
      for (std::size_t c = 0; c < 3; ++c) x[c] = poses[i].position[c] + (at - static_cast<double>(i)) * (poses[i + 1].position[c] - poses[i].position[c]);
      return x;
    };
    const point start = poses.front().position, next = poses[1].position;
    point along = {next[0] - start[0], next[1] - start[1], next[2] - start[2]};
    const double size = std::sqrt(dot(along, along));
    for (double& each : along) each /= size;
    for (int i = 0; i < of_a_group; ++i) {
      place(moved(on_path(), radius_ * random_.log_between(1e-6, 0.1), random_.direction()));
      place(moved(on_path(), radius_ * random_.between(0, 1.5), random_.direction()));
      for (const double side : {-1., 1.}) place(moved(moved(start, side * 1.15 * radius_, along), 1.15 * radius_, random_.direction()));
    }
  }

  random_numbers random_;
  double radius_ = 0;
};

/// The worst error of a vertex, in units of what is asked for; infinite where a run does not finish.
inline double worst_share(const random_sculpting& of, sculpting_method method, const std::vector<vec<double, 3>>& exact, std::int64_t* evaluations = nullptr) {
  std::vector<vec<float, 3>> moved = of.vertices;
  sculpting_settings settings = of.settings;
  settings.method = method;
  const sculpting_result done = sculpt(moved, of.strokes, settings);
  if (evaluations) *evaluations += done.report.evaluations;
  if (!done.report.all_finished()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < moved.size(); ++i)
    worst = std::max(worst, std::hypot(exact[i][0] - moved[i][0], exact[i][1] - moved[i][1], exact[i][2] - moved[i][2]));
  return worst / of.settings.tolerance;
}

inline std::vector<vec<double, 3>> exact_ends(const random_sculpting& of) {
  std::vector<vec<double, 3>> ends;
  for (const vec<float, 3>& x : of.vertices) ends.push_back(sculpted_exactly({x[0], x[1], x[2]}, of.strokes, of.settings));
  return ends;
}

}  // namespace ensue::tests
