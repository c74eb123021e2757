/// Particles with mass under a list of forces: one model for springs, cloth and solids.
///
///     using namespace ensue::models;
///     const auto net = lattice({.across = 20, .down = 20, .spacing = 0.05, .mass = 0.01, .stiffness = 400});
///     particle_system cloth(net.masses, {.gravity = {0, 0, -9.81}, .drag = 0.01}, springs(net.springs));
///     cloth.fix(0), cloth.fix(19);
///     auto run = ensue::solve(cloth, at_rest(net.positions), {0, 2}, ensue::dp54{}, {.rtol = 1e-6});
///     cloth.energy(run.state)
///
/// The structure is that of A. Witkin & D. Baraff, "Physically Based Modeling: Particle System Dynamics", SIGGRAPH course notes (1997, 2001): a
/// state that is all positions and velocities, and forces that know which particles they act on and add themselves up. A force has
///
///     energy(q)                         its potential, over any scalar; 0 where it has none
///     add_forces(t, q, v, f)            adds to f, over any scalar
///     add_blocks(t, q, v, how, out)     its derivatives, to a receiver (force_blocks.hpp)
///     depends_on_velocity()
///     varies_in_time()                  where it has this member; otherwise it does not
///     check(particles)                  throws std::invalid_argument that names the element which is wrong
///
/// The state's layout is that of points.hpp. Units are whatever is consistent: kg, m, s.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/linear/filter.hpp>
#include <ensue/models/points.hpp>
#include <ensue/model/system.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ensue::models {

/// What acts on every particle.
struct surroundings {
  point gravity = {0, 0, 0};  ///< acceleration
  double drag = 0;            ///< force = −drag·v
  double mass_damping = 0;    ///< force = −mass_damping·m·v: Rayleigh's, as far as it goes with mass
};

template <class... Forces> class particle_system {
 public:
  /// Throws std::invalid_argument where a mass is not positive, a number not finite or a force has an element that is wrong.
  particle_system(std::vector<double> masses, const surroundings& around, Forces... forces)
      : masses_(std::move(masses)), inverse_masses_(masses_), around_(around), forces_(std::move(forces)...) {
    for (std::size_t i = 0; i < masses_.size(); ++i) require_positive("particle", i, "mass", masses_[i]);
    for (double& mass : inverse_masses_) mass = 1 / mass;
    require_finite("surroundings", 0, "gravity", std::span<const double>(around_.gravity.data(), 3));
    require_not_negative("surroundings", 0, "drag", around_.drag);
    require_not_negative("surroundings", 0, "mass damping", around_.mass_damping);
    std::apply([&](const auto&... force) { (force.check(masses_.size()), ...); }, forces_);
  }

  std::size_t particles() const { return masses_.size(); }
  std::size_t size() const { return 6 * masses_.size(); }  ///< of a state
  double mass(std::size_t i) const { return masses_[i]; }
  template <class Force> const Force& force_of_type() const { return std::get<Force>(forces_); }

  // ---- constraints ----

  // At most one a particle: the last one said holds.

  /// Particle i keeps its velocity: at rest it stays where it is.
  void fix(std::size_t i) { constrain_to(i, {}); }
  /// It moves in a plane through where it is, or along a line. Neither vector need have length one.
  void keep_in_plane(std::size_t i, const point& normal) {
    block onto = block::identity();
    onto += outer(normal, normal, -1 / squared_length(i, normal));
    constrain_to(i, onto);
  }
  void keep_on_line(std::size_t i, const point& direction) { constrain_to(i, outer(direction, direction, 1 / squared_length(i, direction))); }
  /// It moves on a path, of which the accelerations are given over time; where the path begins, and how fast, the start says.
  void move(std::size_t i, std::function<point(double)> acceleration) {
    fix(i);
    handles_.push_back({i, std::move(acceleration)});
  }

  // ---- the equations ----

  /// Whether the force depends on velocity: methods of second_order/ ask. (See also `conservative`.)
  force_of force() const {
    const bool depends = around_.drag > 0 || around_.mass_damping > 0 ||
                         std::apply([](const auto&... force) { return (force.depends_on_velocity() || ...); }, forces_);
    return depends ? force_of::velocity : force_of::position;
  }

  /// Whether the force depends on time as such.
  bool varies_in_time() const {
    const auto varies = [](const auto& force) {
      if constexpr (requires { force.varies_in_time(); }) return force.varies_in_time();
      else return false;
    };
    return !handles_.empty() || std::apply([&](const auto&... force) { return (varies(force) || ...); }, forces_);
  }

  template <class Q, class A> void acceleration(double t, const Q& q, const Q& v, A& a) const {
    using S = std::remove_cvref_t<decltype(a[0])>;
    const std::span<const S> positions(q.data(), q.size()), velocities(v.data(), v.size());
    const std::span<S> f(a.data(), a.size());
    for (std::size_t i = 0; i < masses_.size(); ++i) {
      const double weight = masses_[i], slowing = around_.drag + around_.mass_damping * weight;
      for (std::size_t c = 0; c < 3; ++c) f[3 * i + c] = weight * around_.gravity[c] - slowing * velocities[3 * i + c];
    }
    std::apply([&](const auto&... force) { (force.add_forces(t, positions, velocities, f), ...); }, forces_);
    for (std::size_t i = 0; i < masses_.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) f[3 * i + c] = inverse_masses_[i] * f[3 * i + c];
    for (const constraint& each : constraints_) project(each, f);
    for (const handle& each : handles_) {
      const point prescribed = each.acceleration(t);
      for (std::size_t c = 0; c < 3; ++c) f[3 * each.particle + c] = S(prescribed[c]);
    }
  }

  /// The derivatives of the forces, constraints not applied, to a receiver (force_blocks.hpp).
  template <class Receiver>
  void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    if (around_.drag > 0 || around_.mass_damping > 0)
      for (std::size_t i = 0; i < masses_.size(); ++i)
        out.couple(i, i, {}, block::identity(-around_.drag - around_.mass_damping * masses_[i]));
    std::apply([&](const auto&... force) { (force.add_blocks(t, q, v, how, out), ...); }, forces_);
  }
  /// What constraints leave of motion, as projections (linear/filter.hpp).
  void constrain(linear::constraint_filter<double>& filter) const {
    for (const constraint& each : constraints_) filter.set(each.particle, each.onto);
  }

  /// f' of the whole state, for methods that solve with it as a matrix, and where it has elements; J arrives cleared.
  template <class X, class Matrix> void jacobian(double t, const X& x, Matrix& j) const {
    const std::size_t n = 3 * masses_.size();
    const auto mobility = [this](std::size_t i, block b) {
      b *= inverse_masses_[i];
      const auto found = constraint_on(i);
      return found == constraints_.end() ? b : linear::product(found->onto, b);
    };
    matrix_receiver out(j, masses_.size(), mobility);
    blocks(t, std::span<const double>(x.data(), n), std::span<const double>(x.data() + n, n), force_derivatives::exact, out);
  }
  /// Without rows where there are so many particles that no method takes its matrix.
  linear::sparsity_pattern jacobian_pattern() const {
    constexpr std::size_t most_particles = 20'000;
    return masses_.size() <= most_particles ? jacobian_pattern_of(*this) : linear::sparsity_pattern();
  }

  // ---- what is conserved ----

  template <class X> auto kinetic_energy(const X& x) const {
    const std::size_t n = 3 * masses_.size();
    auto sum = 0 * x[0];
    for (std::size_t i = 0; i < n; ++i) sum = sum + (0.5 * masses_[i / 3]) * (x[n + i] * x[n + i]);
    return sum;
  }
  /// Of gravity and all forces that have one.
  template <class X> auto potential_energy(const X& x) const {
    using S = std::remove_cvref_t<decltype(x[0])>;
    const std::span<const S> q(x.data(), 3 * masses_.size());
    S sum(0);
    for (std::size_t i = 0; i < q.size(); ++i) sum = sum - (masses_[i / 3] * around_.gravity[i % 3]) * q[i];
    std::apply([&](const auto&... force) { ((sum = sum + force.energy(q)), ...); }, forces_);
    return sum;
  }
  template <class X> auto energy(const X& x) const { return kinetic_energy(x) + potential_energy(x); }

  template <class X> point momentum(const X& x) const {
    point sum = {0, 0, 0};
    for_each_particle(x, [&](double weight, const point&, const point& v) { sum = sum + weight * v; });
    return sum;
  }
  /// About the origin.
  template <class X> point angular_momentum(const X& x) const {
    point sum = {0, 0, 0};
    for_each_particle(x, [&](double weight, const point& q, const point& v) { sum = sum + weight * cross(q, v); });
    return sum;
  }

 private:
  struct constraint {
    std::size_t particle;
    block onto;
  };
  struct handle {
    std::size_t particle;
    std::function<point(double)> acceleration;
  };

  void constrain_to(std::size_t i, const block& onto) {
    require_particle("constraint", constraints_.size(), i, masses_.size());
    const auto place = std::lower_bound(constraints_.begin(), constraints_.end(), i, before);
    if (place != constraints_.end() && place->particle == i) place->onto = onto;
    else constraints_.insert(place, {i, onto});
  }
  static bool before(const constraint& each, std::size_t i) { return each.particle < i; }
  auto constraint_on(std::size_t i) const {
    const auto found = std::lower_bound(constraints_.begin(), constraints_.end(), i, before);
    return found != constraints_.end() && found->particle == i ? found : constraints_.end();
  }
  double squared_length(std::size_t i, const point& direction) const {
    const double squared = dot(direction, direction);
    if (!(squared > 0) || !std::isfinite(squared)) refuse_element("constraint", constraints_.size(), "particle " + std::to_string(i) + " is given no direction");
    return squared;
  }
  template <class S> static void project(const constraint& each, std::span<S> f) {
    S left[3];
    for (std::size_t a = 0; a < 3; ++a) {
      left[a] = S(0);
      for (std::size_t b = 0; b < 3; ++b) left[a] = left[a] + each.onto(a, b) * f[3 * each.particle + b];
    }
    for (std::size_t a = 0; a < 3; ++a) f[3 * each.particle + a] = left[a];
  }
  template <class X, class Body> void for_each_particle(const X& x, const Body& body) const {
    const std::size_t n = 3 * masses_.size();
    const std::span<const double> q(x.data(), n), v(x.data() + n, n);
    for (std::size_t i = 0; i < masses_.size(); ++i) body(masses_[i], at(q, i), at(v, i));
  }

  std::vector<double> masses_, inverse_masses_;
  surroundings around_;
  std::tuple<Forces...> forces_;
  std::vector<constraint> constraints_;  ///< in the order of their particles
  std::vector<handle> handles_;
};

/// A model whose forces come from positions alone although its type has room for others, as the methods of second_order/ want it.
///
///     ensue::solve(conservative(net), x0, {0, 10}, ensue::verlet{}, {.step = 1e-3});
template <class Model> class conservative {
 public:
  /// Throws std::invalid_argument where the force depends on velocity.
  explicit conservative(Model model) : model_(std::move(model)) {
    if (model_.force() != force_of::position) throw std::invalid_argument("ensue: this model's force depends on velocity, by drag or damping");
  }
  const Model& model() const { return model_; }
  template <class Q, class A> void acceleration(double t, const Q& q, A& a) const { model_.acceleration(t, q, q, a); }

 private:
  Model model_;
};

}  // namespace ensue::models
