/// A model behind `system_function` as the methods of one kind expect it.
#pragma once

#include <ensue/registry.hpp>

#include <optional>
#include <span>

namespace ensue::detail {

template <system_needed> struct model_for {
  system_function f;
  bool operator()(double t, std::span<const double> x, std::span<double> dx) const { return f(t, x, dx); }

  template <class Matrix> bool offers_jacobian_in() const { return f.jacobian().offers<Matrix>(); }
  template <class Matrix> bool jacobian(double t, std::span<const double> x, Matrix& j) const { return f.jacobian()(t, x, j); }
  linear::sparsity_pattern jacobian_pattern() const { return f.jacobian().pattern(); }
  std::optional<linear::bandwidth> jacobian_bandwidth() const { return f.jacobian().bandwidth(); }
  bool offers_time_derivative() const { return f.offers_time_derivative(); }
  bool time_derivative(double t, std::span<const double> x, std::span<double> ft) const { return f.time_derivative(t, x, ft); }
  bool offers_mass_matrix() const { return f.mass().has_value(); }
  template <class Matrix> void mass_matrix(Matrix& m) const { (*f.mass())(m); }
  linear::sparsity_pattern mass_pattern() const { return f.mass() ? f.mass()->pattern() : linear::sparsity_pattern(); }
};
template <> struct model_for<system_needed::acceleration> {
  system_function f;
  bool acceleration(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) const {
    return f.accelerate(t, q, v, a);
  }

  // of particles
  std::size_t particles() const { return f.forces()->particles(); }
  double mass(std::size_t i) const { return f.forces()->mass(i); }
  bool varies_in_time() const { return f.forces()->varies_in_time(); }
  void constrain(linear::constraint_filter<double>& filter) const { f.forces()->constrain(filter); }
  template <class Receiver>
  void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    f.forces()->blocks(t, q, v, how, out);
  }
};
template <> struct model_for<system_needed::position_force> {
  system_function f;
  bool acceleration(double t, std::span<const double> q, std::span<double> a) const { return f.accelerate(t, q, q, a); }
};

}  // namespace ensue::detail
