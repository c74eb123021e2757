/// Springs between particles, springs to a point, and a field as a force; chains, lattices and meshes of springs.
///
///     const auto net = chain({.particles = 50, .length = 2, .mass = 0.1, .stiffness = 1e4});
///     particle_system rope(net.masses, {.gravity = {0, 0, -9.81}}, springs(net.springs));
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

/// Force on `first`: −(stiffness·(l − rest_length) + damping·l')·u, where u of length one points from `second` to `first` and l is their distance;
/// its opposite on `second`. Witkin & Baraff (1997), particle system dynamics, (1).
struct spring {
  std::size_t first, second;
  double stiffness, rest_length, damping = 0;
};

namespace detail {
/// What a spring and one to a point have in common, for x = x_first − x_second and v likewise. Two particles in one place have no direction
/// between them: there is no force then, the mean of those around, and the stiffness in all directions is that of the spring without a length.
struct spring_law {
  double stiffness, rest_length, damping;

  template <class S> ENSUE_INLINE S energy(const vec<S, 3>& x) const {
    const S stretch = directed_length<S>(x).length - rest_length;
    return (0.5 * stiffness) * (stretch * stretch);
  }
  template <class S> ENSUE_INLINE vec<S, 3> force(const vec<S, 3>& x, const vec<S, 3>& v) const {
    const directed_length<S> d(x);
    S pull = stiffness * (d.length - rest_length);
    if (damping > 0) pull = pull + damping * dot(d.direction, v);
    return (-pull) * d.direction;
  }
  /// With u = x/l and P = I − u uᵀ: ∂f/∂x = −k(u uᵀ + (1 − rest/l)P) − (c/l)(u (P v)ᵀ + (u·v)P), ∂f/∂v = −c u uᵀ. Definite without what a
  /// compressed spring has to its sides (K.-J. Choi & H.-S. Ko 2002, "Stable but responsive cloth", §4) and without the second bracket,
  /// which is not symmetric (Baraff & Witkin 1998, §4.5).
  ENSUE_INLINE void derivatives(const point& x, const point& v, force_derivatives how, block& by_position, block& by_velocity) const {
    const directed_length<double> d(x);
    const point& u = d.direction;
    if (d.length == 0) {
      by_position = block::identity(-stiffness), by_velocity = {};
      return;
    }
    const bool exact = how == force_derivatives::exact;
    const double slack = 1 - rest_length / d.length, along = dot(u, v);
    double sideways = stiffness * (exact ? slack : std::max(slack, 0.));
    if (exact && damping > 0) sideways += damping * along / d.length;
    by_position = block::identity(-sideways);
    by_position += outer(u, u, sideways - stiffness);
    by_velocity = outer(u, u, -damping);
    if (exact && damping > 0) by_position += outer(u, v - along * u, -damping / d.length);
  }
  void check(const char* kind, std::size_t number) const {
    require_not_negative(kind, number, "stiffness", stiffness);
    require_not_negative(kind, number, "rest length", rest_length);
    require_not_negative(kind, number, "damping", damping);
  }
};
}  // namespace detail

class springs {
 public:
  springs() = default;
  explicit springs(std::vector<spring> all) : all_(std::move(all)) {}
  std::span<const spring> all() const { return all_; }

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const spring& s : all_) sum = sum + law(s).energy(at(q, s.first) - at(q, s.second));
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    for (const spring& s : all_) {
      const vec<S, 3> force = law(s).force(at(q, s.first) - at(q, s.second), at(v, s.first) - at(v, s.second));
      add_at(f, s.first, force);
      subtract_at(f, s.second, force);
    }
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    block by_position, by_velocity;
    for (const spring& s : all_) {
      law(s).derivatives(at(q, s.first) - at(q, s.second), at(v, s.first) - at(v, s.second), how, by_position, by_velocity);
      out.spring(s.first, s.second, by_position, by_velocity);
    }
  }
  bool depends_on_velocity() const {
    return std::any_of(all_.begin(), all_.end(), [](const spring& s) { return s.damping > 0; });
  }
  void check(std::size_t particles) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      require_particle("spring", i, all_[i].first, particles);
      require_particle("spring", i, all_[i].second, particles);
      if (all_[i].first == all_[i].second) refuse_element("spring", i, "it joins particle " + std::to_string(all_[i].first) + " to itself");
      law(all_[i]).check("spring", i);
    }
  }

 private:
  static detail::spring_law law(const spring& s) { return {s.stiffness, s.rest_length, s.damping}; }

  std::vector<spring> all_;
};

/// A spring whose other end is a point of space.
struct anchor {
  std::size_t particle;
  point to;
  double stiffness, rest_length = 0, damping = 0;
};

class anchors {
 public:
  anchors() = default;
  explicit anchors(std::vector<anchor> all) : all_(std::move(all)) {}

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const anchor& s : all_) sum = sum + law(s).energy(at(q, s.particle) - constant<S>(s.to));
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    for (const anchor& s : all_) add_at(f, s.particle, law(s).force(at(q, s.particle) - constant<S>(s.to), at(v, s.particle)));
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    block by_position, by_velocity;
    for (const anchor& s : all_) {
      law(s).derivatives(at(q, s.particle) - s.to, at(v, s.particle), how, by_position, by_velocity);
      out.couple(s.particle, s.particle, by_position, by_velocity);
    }
  }
  bool depends_on_velocity() const {
    return std::any_of(all_.begin(), all_.end(), [](const anchor& s) { return s.damping > 0; });
  }
  void check(std::size_t particles) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      require_particle("anchor", i, all_[i].particle, particles);
      require_finite("anchor", i, "point", std::span<const double>(all_[i].to.data(), 3));
      law(all_[i]).check("anchor", i);
    }
  }

 private:
  static detail::spring_law law(const anchor& s) { return {s.stiffness, s.rest_length, s.damping}; }

  std::vector<anchor> all_;
};

/// A force that is a function of time and place, and of velocity where it says so, the same for all particles: `f(t, x)` or `f(t, x, v)` returns
/// it, x and v being `vec<S, 3>` of any scalar S, dual numbers for one, from which derivatives come. One that has a potential says it by a
/// member `potential(x)`. Where a solver asks for definite derivatives, it gets none of these.
///
///     field([](double, const auto& x) { return vec{-x[1], x[0], 0 * x[2]}; })
template <class F> class field {
 public:
  explicit field(F f) : f_(std::move(f)) {}

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    if constexpr (requires(const vec<S, 3>& x) { f_.potential(x); })
      for (std::size_t i = 0; i < q.size() / 3; ++i) sum = sum + f_.potential(at(q, i));
    return sum;
  }
  template <class S> void add_forces(double t, std::span<const S> q, std::span<const S> v, std::span<S> f) const {
    for (std::size_t i = 0; i < q.size() / 3; ++i) add_at(f, i, force(t, at(q, i), at(v, i)));
  }
  template <class Receiver>
  void add_blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    if (how == force_derivatives::definite) return;
    for (std::size_t i = 0; i < q.size() / 3; ++i)
      couple_by_duals<1>({i}, q, v, [&](const auto(&x)[1], const auto(&u)[1], auto(&f)[1]) { f[0] = force(t, x[0], u[0]); }, out);
  }
  bool depends_on_velocity() const { return !by_place_alone; }
  bool varies_in_time() const { return true; }
  void check(std::size_t) const {}

 private:
  static constexpr bool by_place_alone = std::is_invocable_v<const F&, double, const point&>;
  template <class S> vec<S, 3> force(double t, const vec<S, 3>& x, [[maybe_unused]] const vec<S, 3>& v) const {
    if constexpr (by_place_alone) return f_(t, x);
    else return f_(t, x, v);
  }

  F f_;
};

// ---- makers ----

/// Particles and the springs between them, as long as they are here.
struct spring_net {
  std::vector<point> positions;
  std::vector<double> masses;
  std::vector<models::spring> springs;

  void join(std::size_t i, std::size_t j, double stiffness, double damping) {
    const point d = positions[i] - positions[j];
    springs.push_back({i, j, stiffness, std::sqrt(dot(d, d)), damping});
  }
};

struct chain_form {
  std::size_t particles;
  double length, mass;          ///< of the whole chain
  double stiffness;             ///< of each spring
  double damping = 0;
  point direction = {1, 0, 0};  ///< from the origin, where particle 0 is
};

inline spring_net chain(const chain_form& form) {
  if (form.particles < 2) throw std::invalid_argument("ensue: a chain has at least two particles");
  spring_net net;
  net.masses.assign(form.particles, form.mass / static_cast<double>(form.particles));
  const double spacing = form.length / static_cast<double>(form.particles - 1) / std::sqrt(dot(form.direction, form.direction));
  for (std::size_t i = 0; i < form.particles; ++i) net.positions.push_back((static_cast<double>(i) * spacing) * form.direction);
  for (std::size_t i = 0; i + 1 < form.particles; ++i) net.join(i, i + 1, form.stiffness, form.damping);
  return net;
}

struct lattice_form {
  std::size_t across, down;  ///< particles
  double spacing, mass;      ///< mass of a particle
  double stiffness;          ///< of springs to the eight neighbours, the diagonal ones included
  double damping = 0;
  double bending = 0;        ///< stiffness of springs to the neighbours' neighbours, across and down; 0: none
};

/// In the plane z = 0: particle `row·across + column` at (column, −row)·spacing.
inline spring_net lattice(const lattice_form& form) {
  spring_net net;
  const std::size_t w = form.across, h = form.down;
  if (w == 0 || h == 0) throw std::invalid_argument("ensue: a lattice has particles across and down");
  net.masses.assign(w * h, form.mass);
  for (std::size_t i = 0; i < w * h; ++i)
    net.positions.push_back({static_cast<double>(i % w) * form.spacing, -static_cast<double>(i / w) * form.spacing, 0});
  for (std::size_t row = 0; row < h; ++row)
    for (std::size_t column = 0; column < w; ++column) {
      const std::size_t i = row * w + column;
      const bool right = column + 1 < w, below = row + 1 < h;
      if (right) net.join(i, i + 1, form.stiffness, form.damping);
      if (below && column > 0) net.join(i, i + w - 1, form.stiffness, form.damping);
      if (below) net.join(i, i + w, form.stiffness, form.damping);
      if (below && right) net.join(i, i + w + 1, form.stiffness, form.damping);
      if (form.bending > 0 && column + 2 < w) net.join(i, i + 2, form.bending, form.damping);
      if (form.bending > 0 && row + 2 < h) net.join(i, i + 2 * w, form.bending, form.damping);
    }
  return net;
}

/// The edges of triangles, each once, in the order of their particles.
inline std::vector<std::pair<std::size_t, std::size_t>> edges_of(std::span<const vec<std::size_t, 3>> triangles) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& triangle : triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = triangle[c], j = triangle[(c + 1) % 3];
      edges.emplace_back(std::min(i, j), std::max(i, j));
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// A spring along every edge of a mesh; all particles have the same mass.
inline spring_net net_of_mesh(std::vector<point> positions, std::span<const vec<std::size_t, 3>> triangles, double mass, double stiffness,
                              double damping = 0) {
  require_finite_points("vertex", positions);
  for (std::size_t k = 0; k < triangles.size(); ++k)
    for (const std::size_t i : triangles[k]) require_particle("triangle", k, i, positions.size());
  spring_net net;
  net.masses.assign(positions.size(), mass);
  net.positions = std::move(positions);
  for (const auto& [i, j] : edges_of(triangles)) net.join(i, j, stiffness, damping);
  return net;
}

}  // namespace ensue::models
