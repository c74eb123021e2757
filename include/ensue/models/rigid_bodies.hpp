/// Rigid bodies in space, on springs between them and to points, under forces and torques.
///
///     const rigid_body_shape box = rigid_shape_of(mesh.positions, mesh.triangles, 500);          // of density 500
///     rigid_bodies pair({box.body, box.body}, {{0, 1, {0.1, 0, 0}, {-0.1, 0, 0}, 40, 1}});       // a spring from a point of one to a point of the other
///     std::vector<double> x = pair.start({body_motion{{0, 0, 0}}, body_motion{{1.3, 0, 0}}});
///     auto run = ensue::solve(pair, x, {0, 10}, ensue::dp54{}, {.rtol = 1e-9});
///     pair.energy(run.state), pair.angular_momentum(run.state)
///
/// A state has 13 numbers a body: where its centre of mass is, its orientation (w, x, y, z), its momentum and its angular momentum about the centre, in space
/// (D. Baraff, "Physically Based Modeling: Rigid Body Simulation", SIGGRAPH course notes 2001, §2). Any method for x' = f takes it as numbers; as a
/// `rigid_motion` it is a point of a group, and methods of rotation/ stay on it (rkmk4).
#pragma once

#include <ensue/models/mass_properties.hpp>
#include <ensue/models/points.hpp>
#include <ensue/models/springs.hpp>
#include <ensue/methods/rotation/group.hpp>
#include <ensue/methods/rotation/quaternion.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace ensue::models {

/// Its axes are those in which inertia is diagonal, its origin the centre of mass.
struct body {
  double mass;
  vec<double, 3> moments;
};

/// What a closed mesh of one density is as a body: where its centre is, and which way its axes point, in the mesh's coordinates.
struct rigid_body_shape {
  models::body body;
  point centre;
  quaternion<double> axes;

  point to_body(const point& of_mesh) const { return axes.rotate_back(of_mesh - centre); }
};
/// Throws std::invalid_argument as mass_properties_of does.
inline rigid_body_shape rigid_shape_of(std::span<const point> positions, std::span<const vec<std::size_t, 3>> triangles, double density) {
  require_positive("body", 0, "density", density);
  const mass_properties shape = mass_properties_of(positions, triangles);
  const principal_axes axes = principal_axes_of(shape);
  return {{density * shape.volume, density * axes.moments}, shape.centre, axes.orientation};
}

/// Where a body is and how it moves.
struct body_motion {
  point position = {0, 0, 0};
  quaternion<double> orientation = quaternion<double>::identity();
  point velocity = {0, 0, 0}, spin = {0, 0, 0};  ///< spin in space, radians a second
};

/// Between points of two bodies, each in its body's frame. The law is that of `spring`.
struct body_spring {
  std::size_t first, second;
  point on_first, on_second;
  double stiffness, rest_length = 0, damping = 0;
};
/// From a point of a body to a point of space.
struct body_anchor {
  std::size_t body;
  point on, to;
  double stiffness, rest_length = 0, damping = 0;
};

class rigid_bodies {
 public:
  static constexpr std::size_t numbers_of_one = 13;
  /// Adds to the force, and to the torque about the centre of mass, both in space.
  using effect = std::function<void(double t, std::size_t body, const body_motion& now, point& force, point& torque)>;

  /// Throws std::invalid_argument that names the body or spring which is wrong.
  explicit rigid_bodies(std::vector<body> bodies, std::vector<body_spring> springs = {}, std::vector<body_anchor> anchors = {},
                        const point& gravity = {0, 0, 0})
      : bodies_(std::move(bodies)), springs_(std::move(springs)), anchors_(std::move(anchors)), gravity_(gravity) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      require_positive("body", i, "mass", bodies_[i].mass);
      for (const double moment : bodies_[i].moments) require_positive("body", i, "moment of inertia", moment);
    }
    require_finite("surroundings", 0, "gravity", std::span<const double>(gravity_.data(), 3));
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const body_spring& s = springs_[k];
      require_body("spring", k, s.first), require_body("spring", k, s.second);
      if (s.first == s.second) refuse_element("spring", k, "it joins body " + std::to_string(s.first) + " to itself");
      check_spring("spring", k, s.on_first, s.on_second, law(s));
    }
    for (std::size_t k = 0; k < anchors_.size(); ++k) {
      require_body("anchor", k, anchors_[k].body);
      check_spring("anchor", k, anchors_[k].on, anchors_[k].to, law(anchors_[k]));
    }
  }
  /// Something else that acts on the bodies.
  void add(effect more) { effects_.push_back(std::move(more)); }

  std::size_t count() const { return bodies_.size(); }
  const body& at(std::size_t i) const { return bodies_[i]; }

  std::vector<double> start(std::span<const body_motion> bodies) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const body_motion& b = bodies[i];
      const point turning = b.orientation.rotate_back(b.spin), momentum = bodies_[i].mass * b.velocity;
      const point angular = b.orientation.rotate(by_element(bodies_[i].moments, turning));
      const auto append = [&x](const auto& part) {
        for (const double number : part) x.push_back(number);
      };
      append(b.position);
      append(b.orientation.elements);
      append(momentum);
      append(angular);
    }
    return x;
  }
  std::vector<double> start(std::initializer_list<body_motion> bodies) const { return start(std::span<const body_motion>(bodies.begin(), bodies.size())); }

  /// Of body i. A quaternion that has left its length, as it may under methods that do not know of it, is taken for the rotation next to it.
  template <class X> body_motion motion(const X& x, std::size_t i) const {
    const auto* const own = &x[numbers_of_one * i];
    const double length = std::sqrt(own[3] * own[3] + own[4] * own[4] + own[5] * own[5] + own[6] * own[6]);
    body_motion now;
    now.position = {own[0], own[1], own[2]};
    now.orientation = {own[3] / length, own[4] / length, own[5] / length, own[6] / length};
    now.velocity = (1 / bodies_[i].mass) * point{own[7], own[8], own[9]};
    const point seen = now.orientation.rotate_back({own[10], own[11], own[12]});
    now.spin = now.orientation.rotate({seen[0] / bodies_[i].moments[0], seen[1] / bodies_[i].moments[1], seen[2] / bodies_[i].moments[2]});
    return now;
  }

  // ---- the equations ----

  template <class X, class D> void operator()(double t, const X& x, D& dx) const {
    for_each_load(t, x, [&](std::size_t i, const body_motion& now, const point& force, const point& torque) {
      const auto* const own = &x[numbers_of_one * i];
      const quaternion<double> turning = quaternion<double>{own[3], own[4], own[5], own[6]}.velocity(now.orientation.rotate_back(now.spin));
      auto* const out = &dx[numbers_of_one * i];
      for (std::size_t c = 0; c < 3; ++c) out[c] = now.velocity[c], out[7 + c] = force[c], out[10 + c] = torque[c];
      for (std::size_t c = 0; c < 4; ++c) out[3 + c] = turning[c];
    });
  }
  /// The same on the group.
  template <class X>
    requires group_state<X>
  void tangent(double t, const X& x, typename X::tangent& w) const {
    for_each_load(t, x, [&](std::size_t i, const body_motion& now, const point& force, const point& torque) {
      const point turning = now.orientation.rotate_back(now.spin);
      for (std::size_t c = 0; c < 3; ++c) {
        w[12 * i + c] = now.velocity[c], w[12 * i + 3 + c] = turning[c];
        w[12 * i + 6 + c] = force[c], w[12 * i + 9 + c] = torque[c];
      }
    });
  }

  // ---- what is conserved ----

  template <class X> double kinetic_energy(const X& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const body_motion now = motion(x, i);
      const point turning = now.orientation.rotate_back(now.spin);
      sum += 0.5 * bodies_[i].mass * dot(now.velocity, now.velocity) + 0.5 * dot(turning, by_element(bodies_[i].moments, turning));
    }
    return sum;
  }
  /// Of gravity and springs.
  template <class X> double potential_energy(const X& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) sum -= bodies_[i].mass * dot(gravity_, motion(x, i).position);
    for (const body_spring& s : springs_) {
      const body_motion first = motion(x, s.first), second = motion(x, s.second);
      sum += law(s).energy(place(first, s.on_first) - place(second, s.on_second));
    }
    for (const body_anchor& s : anchors_) sum += law(s).energy(place(motion(x, s.body), s.on) - s.to);
    return sum;
  }
  template <class X> double energy(const X& x) const { return kinetic_energy(x) + potential_energy(x); }
  template <class X> point momentum(const X& x) const {
    point sum = {0, 0, 0};
    for (std::size_t i = 0; i < bodies_.size(); ++i) sum = sum + point{x[numbers_of_one * i + 7], x[numbers_of_one * i + 8], x[numbers_of_one * i + 9]};
    return sum;
  }
  /// About the origin: of the centres, and of the bodies about theirs.
  template <class X> point angular_momentum(const X& x) const {
    point sum = {0, 0, 0};
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto* const own = &x[numbers_of_one * i];
      sum = sum + cross(point{own[0], own[1], own[2]}, point{own[7], own[8], own[9]}) + point{own[10], own[11], own[12]};
    }
    return sum;
  }

  /// Where a point of a body is in space, and how fast.
  static point place(const body_motion& now, const point& on) { return now.position + now.orientation.rotate(on); }
  static point speed(const body_motion& now, const point& on) { return now.velocity + cross(now.spin, now.orientation.rotate(on)); }

 private:
  static detail::spring_law law(const body_spring& s) { return {s.stiffness, s.rest_length, s.damping}; }
  static detail::spring_law law(const body_anchor& s) { return {s.stiffness, s.rest_length, s.damping}; }
  static point by_element(const point& a, const point& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

  void require_body(const char* kind, std::size_t number, std::size_t which) const {
    if (which >= bodies_.size())
      refuse_element(kind, number, "there is no body " + std::to_string(which) + ", expected one of 0 to " + std::to_string(bodies_.size() - 1));
  }
  static void check_spring(const char* kind, std::size_t number, const point& from, const point& to, const detail::spring_law& law) {
    for (const point& end : {from, to}) require_finite(kind, number, "end", std::span<const double>(end.data(), 3));
    law.check(kind, number);
  }

  /// visit(i, motion, force, torque) for each body.
  template <class X, class Visit> void for_each_load(double t, const X& x, const Visit& visit) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const body_motion now = motion(x, i);
      point force = bodies_[i].mass * gravity_, torque = {0, 0, 0};
      const auto pull = [&](const point& on, const detail::spring_law& law, const point& other_end, const point& other_speed) {
        const point f = law.force(place(now, on) - other_end, speed(now, on) - other_speed);
        force = force + f;
        torque = torque + cross(now.orientation.rotate(on), f);
      };
      for (const body_spring& s : springs_) {
        if (s.first != i && s.second != i) continue;
        const bool first = s.first == i;
        const body_motion other = motion(x, first ? s.second : s.first);
        const point &on = first ? s.on_first : s.on_second, &on_other = first ? s.on_second : s.on_first;
        pull(on, law(s), place(other, on_other), speed(other, on_other));
      }
      for (const body_anchor& s : anchors_)
        if (s.body == i) pull(s.on, law(s), s.to, {0, 0, 0});
      for (const effect& each : effects_) each(t, i, now, force, torque);
      visit(i, now, force, torque);
    }
  }

  std::vector<body> bodies_;
  std::vector<body_spring> springs_;
  std::vector<body_anchor> anchors_;
  point gravity_;
  std::vector<effect> effects_;
};

/// The motion of N bodies as a point of a group: positions and momenta are added, orientations are turned.
template <class T, std::size_t N> struct rigid_motion {
  T elements[13 * N];

  using value_type = T;
  using tangent = vec<T, 12 * N>;  ///< a body: velocity, angular velocity in its frame, force, torque
  static constexpr std::size_t extent = 13 * N;
  static constexpr std::size_t size() { return extent; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T& operator[](std::size_t i) { return elements[i]; }
  constexpr const T& operator[](std::size_t i) const { return elements[i]; }
  friend constexpr bool operator==(const rigid_motion&, const rigid_motion&) = default;

  static rigid_motion of(std::span<const T> numbers) {
    rigid_motion made;
    for (std::size_t i = 0; i < extent; ++i) made[i] = numbers[i];
    return made;
  }
  rigid_motion plus(const tangent& u) const {
    return changed(u, [](const T& from, const T& by) { return from + by; }, [](const quaternion<T>& q, const vec<T, 3>& by) { return q.plus(by); });
  }
  rigid_motion velocity(const tangent& w) const {
    return changed(w, [](const T&, const T& by) { return by; }, [](const quaternion<T>& q, const vec<T, 3>& by) { return q.velocity(by); });
  }
  static tangent bracket(const tangent& u, const tangent& w) {
    tangent made{};
    for (std::size_t i = 0; i < N; ++i) {
      const vec<T, 3> turned = cross(turning(u, i), turning(w, i));
      for (std::size_t c = 0; c < 3; ++c) made[12 * i + 3 + c] = turned[c];
    }
    return made;
  }
  static void return_to_group(T* x) {
    for (std::size_t i = 0; i < N; ++i) quaternion<T>::return_to_group(x + 13 * i + 3);
  }

 private:
  static vec<T, 3> turning(const tangent& u, std::size_t i) { return {u[12 * i + 3], u[12 * i + 4], u[12 * i + 5]}; }
  template <class Add, class Turn> rigid_motion changed(const tangent& u, const Add& add, const Turn& turn) const {
    rigid_motion made;
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t own = 13 * i, by = 12 * i;
      const quaternion<T> q = turn(quaternion<T>{elements[own + 3], elements[own + 4], elements[own + 5], elements[own + 6]}, turning(u, i));
      for (std::size_t c = 0; c < 3; ++c) {
        made[own + c] = add(elements[own + c], u[by + c]);
        made[own + 7 + c] = add(elements[own + 7 + c], u[by + 6 + c]);
        made[own + 10 + c] = add(elements[own + 10 + c], u[by + 9 + c]);
      }
      for (std::size_t c = 0; c < 4; ++c) made[own + 3 + c] = q[c];
    }
    return made;
  }
};

}  // namespace ensue::models
