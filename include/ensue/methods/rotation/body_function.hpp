/// A rigid body behind one type, over doubles: what a method chosen by name (registry.hpp) turns. As plain numbers, (w, x, y, z) of its orientation
/// and its angular momentum in space, every other method takes it, too, and its quaternion leaves the unit sphere with their errors.
#pragma once

#include <ensue/methods/rotation/memory.hpp>
#include <ensue/methods/rotation/rotating_body.hpp>

#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

namespace ensue {

class body_function {
 public:
  template <class Model> explicit body_function(const Model& model) {
    const auto moments = model.inertia();
    inertia_ = {moments[0], moments[1], moments[2]};
    torque_ = [f = model](double t, const rotating_body<double>& x, vec<double, 3>& n) mutable { return torque_on(f, t, x, n); };
  }

  const vec<double, 3>& inertia() const { return inertia_; }
  bool torque(double t, const quaternion<double>& orientation, vec<double, 3>& n) const {
    return torque_(t, rotating_body<double>::of(orientation, {0., 0., 0.}), n);
  }

  /// The derivatives of the seven numbers.
  bool operator()(double t, std::span<const double> x, std::span<double> dx) const {
    if (x.size() != rotating_body<double>::size()) throw std::length_error("ensue: a rigid body has 7 numbers: (w, x, y, z) and its angular momentum");
    const rotating_body<double> body = from(x);
    vec<double, 3> n;
    const bool defined = torque_on(*this, t, body, n);
    const rotating_body<double> velocity = body.velocity(tangent_with(*this, body, n));
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = velocity[i];
    return defined;
  }

  static rotating_body<double> from(std::span<const double> x) { return {x[0], x[1], x[2], x[3], x[4], x[5], x[6]}; }

 private:
  vec<double, 3> inertia_;
  std::function<bool(double, const rotating_body<double>&, vec<double, 3>&)> torque_;
};

}  // namespace ensue
