/// What is around cloth and solids: wind, a ground, balls.
///
///     wind(mesh.triangles, {5, 0, 0}, 1.2), contact<ball>({{{0, 0, -1}, 0.5}}, {.stiffness = 1e3})     // forces of a particle_system
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/models/element_duals.hpp>
#include <ensue/models/points.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ensue::models {

/// Air that meets triangles: ½·density·u_n|u_n|·area along the normal, a third for each particle, u_n being the wind's speed along the
/// normal, less the triangle's own. Definite derivatives: those by velocity alone.
class wind {
 public:
  wind() = default;
  wind(std::vector<vec<std::size_t, 3>> triangles, const point& velocity, double density)
      : triangles_(std::move(triangles)), velocity_(velocity), density_(density) {}

  template <class S> S energy(std::span<const S>) const { return S(0); }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    if (density_ == 0) return;
    for (const auto& node : triangles_) {
      const vec<S, 3> x[3] = {at(q, node[0]), at(q, node[1]), at(q, node[2])}, u[3] = {at(v, node[0]), at(v, node[1]), at(v, node[2])};
      const vec<S, 3> share = pressure(x, u);
      for (const std::size_t i : node) add_at(f, i, share);
    }
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    if (density_ == 0) return;
    for (const auto& node : triangles_) {
      if (how == force_derivatives::exact) {
        couple_by_duals<3>({node[0], node[1], node[2]}, q, v, [&](const auto(&x)[3], const auto(&u)[3], auto(&f)[3]) { f[0] = f[1] = f[2] = pressure(x, u); }, out);
        continue;
      }
      const point n = cross(at(q, node[1]) - at(q, node[0]), at(q, node[2]) - at(q, node[0]));
      const double squared = dot(n, n);
      const point mean = (1. / 3) * (at(v, node[0]) + at(v, node[1]) + at(v, node[2]));
      const block by_velocity = squared == 0 ? block{} : outer(n, n, -density_ * std::fabs(dot(velocity_ - mean, n)) / (18 * squared));
      for (const std::size_t i : node)
        for (const std::size_t j : node) out.couple(i, j, {}, by_velocity);
    }
  }
  bool depends_on_velocity() const { return density_ > 0 && !triangles_.empty(); }
  void check(std::size_t particles) const {
    require_not_negative("wind", 0, "density", density_);
    require_finite("wind", 0, "velocity", std::span<const double>(velocity_.data(), 3));
    for (std::size_t k = 0; k < triangles_.size(); ++k)
      for (const std::size_t i : triangles_[k]) require_particle("triangle", k, i, particles);
  }

 private:
  /// On each of the three. With the normal n = a × b, twice the area long, and s = u·n: ½ρ (s|s|/n²)(n/2)/3.
  template <class S> vec<S, 3> pressure(const vec<S, 3> (&x)[3], const vec<S, 3> (&v)[3]) const {
    using std::abs;
    const vec<S, 3> n = cross(x[1] - x[0], x[2] - x[0]);
    const S squared = dot(n, n);
    if (squared == S(0)) return {S(0), S(0), S(0)};
    const S s = dot(constant<S>(velocity_) - S(1. / 3) * (v[0] + v[1] + v[2]), n);
    return ((density_ / 12) * s * abs(s) / squared) * n;
  }

  std::vector<vec<std::size_t, 3>> triangles_;
  point velocity_ = {0, 0, 0};
  double density_ = 0;
};

/// Everything below a plane: distance and direction out.
struct half_space {
  point on, normal = {0, 0, 1};  ///< a point of its surface, the direction out, of length one

  template <class S> directed_length<S> outwards(const vec<S, 3>& x) const {
    directed_length<S> way({S(0), S(0), S(0)});
    way.direction = constant<S>(normal);
    way.length = dot(x - constant<S>(on), way.direction);
    return way;
  }
  void check(std::size_t number) const {
    require_finite("ground", number, "position", std::span<const double>(on.data(), 3));
    if (!(std::fabs(dot(normal, normal) - 1) < 1e-6)) refuse_element("ground", number, "its normal has not length one");
  }
};

struct ball {
  point centre;
  double radius;

  template <class S> directed_length<S> outwards(const vec<S, 3>& x) const {
    directed_length<S> way(x - constant<S>(centre));
    way.length = way.length - radius;
    return way;
  }
  void check(std::size_t number) const {
    require_finite("ball", number, "centre", std::span<const double>(centre.data(), 3));
    require_positive("ball", number, "radius", radius);
  }
};

/// How what is inside is pushed out, a penalty: the force stiffness·depth along the normal, times 1 − damping·(speed outwards); and against the motion
/// along the surface that force times friction·speed. Both come and go with the depth (K. H. Hunt & F. R. E. Crossley 1975, "Coefficient of restitution
/// interpreted as damping in vibroimpact", J. Appl. Mech. 42, 440–445): a damping that sets in at once would leave implicit steps that end at the
/// surface without a solution.
struct contact_law {
  double stiffness;                 ///< N/m, a particle
  double damping = 0, friction = 0;  ///< s/m
};

/// Particles do not enter these, or not far. Definite derivatives: without what comes of a curved surface.
template <class Shape> class contact {
 public:
  contact() = default;
  contact(std::vector<Shape> shapes, const contact_law& law) : shapes_(std::move(shapes)), law_(law) {}

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const Shape& shape : shapes_)
      for (std::size_t i = 0; i < q.size() / 3; ++i) {
        const S distance = shape.outwards(at(q, i)).length;
        if (distance < S(0)) sum = sum + (0.5 * law_.stiffness) * (distance * distance);
      }
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    for (const Shape& shape : shapes_)
      for (std::size_t i = 0; i < q.size() / 3; ++i)
        if (const auto way = shape.outwards(at(q, i)); way.length < S(0)) add_at(f, i, push(way, at(v, i)));
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    for (const Shape& shape : shapes_)
      for (std::size_t i = 0; i < q.size() / 3; ++i) {
        const auto way = shape.outwards(at(q, i));
        if (!(way.length < 0)) continue;
        if (how == force_derivatives::exact) {
          couple_by_duals<1>({i}, q, v, [&](const auto(&x)[1], const auto(&u)[1], auto(&f)[1]) { f[0] = push(shape.outwards(x[0]), u[0]); }, out);
        } else {
          const double force = -law_.stiffness * way.length, pushed = 1 - law_.damping * dot(way.direction, at(v, i));
          block by_velocity = block::identity(-force * law_.friction);
          by_velocity += outer(way.direction, way.direction, force * (law_.friction - law_.damping));
          out.couple(i, i, outer(way.direction, way.direction, -law_.stiffness * std::max(pushed, 0.)), by_velocity);
        }
      }
  }
  bool depends_on_velocity() const { return !shapes_.empty() && (law_.damping > 0 || law_.friction > 0); }
  void check(std::size_t) const {
    if (shapes_.empty()) return;
    require_positive("contact", 0, "stiffness", law_.stiffness);
    require_not_negative("contact", 0, "damping", law_.damping);
    require_not_negative("contact", 0, "friction", law_.friction);
    for (std::size_t k = 0; k < shapes_.size(); ++k) shapes_[k].check(k);
  }

 private:
  template <class S> vec<S, 3> push(const directed_length<S>& way, const vec<S, 3>& v) const {
    const S along = dot(way.direction, v), force = -law_.stiffness * way.length;
    return (force * (1 - (law_.damping - law_.friction) * along)) * way.direction - (law_.friction * force) * v;
  }

  std::vector<Shape> shapes_;
  contact_law law_ = {0};
};

}  // namespace ensue::models
