/// Elastic triangles and tetrahedra: finite elements with linear shape functions, in which strain is constant.
///
///     elastic<3, stable_neo_hookean> flesh(positions, tetrahedra, {lame::of_solid(1e5, 0.45)}, {.damping = 0.01});
///     elastic<2, st_venant_kirchhoff> fabric(positions, triangles, {lame::of_sheet(1e6, 0.3)}, {.thickness = 5e-4});
///
/// Of an element with shape gradients g_a (∂F/∂x_a) and the volume V at rest, f_a = −V P g_a: J. Bonet & R. D. Wood, Nonlinear Continuum
/// Mechanics for Finite Element Analysis, ch. 9. Damping is Kelvin and Voigt's: the stress that strain E gives, `damping` seconds of its
/// rate give, too. It is Rayleigh's damping with stiffness for small strains, and leaves rigid motions alone, whatever is turned how far.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/models/materials.hpp>
#include <ensue/models/points.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ensue::models {

struct elastic_options {
  double damping = 0;    ///< seconds
  double thickness = 1;  ///< of a membrane
};

template <std::size_t D, class Material> class elastic {
 public:
  using nodes = vec<std::size_t, D + 1>;
  static constexpr const char* kind = D == 2 ? "triangle" : "tetrahedron";

  /// At rest at these positions; which way round an element's nodes are does not matter. Throws std::invalid_argument that names the element
  /// without area or volume, or with a node that is not there.
  elastic(std::span<const point> rest, std::span<const nodes> elements, const Material& material, const elastic_options& options = {})
      : material_(material), options_(options) {
    require_finite_points("vertex", rest);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      for (const std::size_t i : elements[k]) require_particle(kind, k, i, rest.size());
      elements_.push_back(shape(rest, elements[k], k));
    }
  }

  /// Of each particle: its share, the same for all nodes of an element, of density times volume.
  std::vector<double> masses(std::size_t particles, double density) const {
    std::vector<double> sum(particles, 0.);
    for (const element& e : elements_)
      for (const std::size_t i : e.node) sum[i] += density * e.volume / (D + 1);
    return sum;
  }
  double volume() const {
    double sum = 0;
    for (const element& e : elements_) sum += e.volume;
    return sum;
  }

  template <class S> S energy(std::span<const S> q) const {
    S sum(0);
    for (const element& e : elements_) {
      columns<S, D> f;
      gradient(e, q, f);
      sum = sum + e.volume * material_.template energy<S, D>(f);
    }
    return sum;
  }
  template <class S> void add_forces(double, std::span<const S> q, std::span<const S> v, std::span<S> out) const {
    for (const element& e : elements_) {
      columns<S, D> f, p;
      gradient(e, q, f);
      for (auto& column : p) column = {S(0), S(0), S(0)};
      material_.template add_stress<S, D>(f, p);
      if (options_.damping > 0) {
        columns<S, D> rate;
        S s[D][D];
        gradient(e, v, rate);
        strain_rate_of<S, D>(f, rate, s);
        make_stress(viscosity(), s);
        add_product<S, D>(f, s, p);
      }
      for (std::size_t a = 0; a <= D; ++a) subtract_at(out, e.node[a], S(e.volume) * product<S, D>(p, e.gradients[a]));
    }
  }
  template <class Receiver>
  void add_blocks(double, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    const bool exact = how == force_derivatives::exact, damped = options_.damping > 0;
    const lame viscous = viscosity();
    for (const element& e : elements_) {
      columns<double, D> f, rate;
      gradient(e, q, f);
      gradient(e, v, rate);
      const typename Material::template derivatives<D> elastic_part(material_, f, how);
      const block f_f = transposed_product<D>(f, f), f_rate = transposed_product<D>(f, rate);
      double viscous_stress[D][D];
      strain_rate_of<double, D>(f, rate, viscous_stress);
      make_stress(viscous, viscous_stress);
      for (std::size_t a = 0; a <= D; ++a)
        for (std::size_t b = 0; b <= D; ++b) {
          const auto &g = e.gradients[a], &h = e.gradients[b];
          block by_position = elastic_part.matrix(g, h), by_velocity = {};
          if (damped) {
            by_velocity = stress_block<D>(viscous, f, f, f_f, g, h);
            if (exact) {
              by_position += stress_block<D>(viscous, f, rate, f_rate, g, h);
              by_position += block::identity(product<D>(g, viscous_stress, h));
            }
          }
          by_position *= -e.volume, by_velocity *= -e.volume;
          out.couple(e.node[a], e.node[b], by_position, by_velocity);
        }
    }
  }
  bool depends_on_velocity() const { return options_.damping > 0; }
  void check(std::size_t particles) const {
    require_not_negative(kind, 0, "damping", options_.damping);
    require_positive(kind, 0, "thickness", options_.thickness);
    require_not_negative(kind, 0, "first Lamé constant", material_.constants.lambda);
    require_positive(kind, 0, "shear modulus", material_.constants.mu);
    for (std::size_t k = 0; k < elements_.size(); ++k)
      for (const std::size_t i : elements_[k].node) require_particle(kind, k, i, particles);
  }

 private:
  struct element {
    nodes node;
    double gradients[D + 1][D];
    double volume;
  };

  lame viscosity() const { return {options_.damping * material_.constants.lambda, options_.damping * material_.constants.mu}; }

  /// F = Σ x_a g_aᵀ
  template <class S> static ENSUE_INLINE void gradient(const element& e, std::span<const S> q, columns<S, D>& f) {
    vec<S, 3> side[D];
    for (std::size_t a = 0; a < D; ++a) side[a] = at(q, e.node[a + 1]) - at(q, e.node[0]);
    for (std::size_t j = 0; j < D; ++j) {
      f[j] = S(e.gradients[1][j]) * side[0];
      for (std::size_t a = 1; a < D; ++a) f[j] = f[j] + S(e.gradients[a + 1][j]) * side[a];
    }
  }

  /// The sides at rest in coordinates of their own, along axes that Gram and Schmidt make of them: a triangular matrix, whose inverse's rows
  /// are the gradients.
  element shape(std::span<const point> rest, const nodes& node, std::size_t number) const {
    element e{node, {}, 1};
    double sides[D][D] = {};  // sides[a][j]: side a along axis j; zero for j > a
    point axes[D];
    for (std::size_t a = 0; a < D; ++a) {
      point left = rest[node[a + 1]] - rest[node[0]];
      const double whole = std::sqrt(dot(left, left));
      for (std::size_t j = 0; j < a; ++j) {
        sides[a][j] = dot(left, axes[j]);
        left = left - sides[a][j] * axes[j];
      }
      sides[a][a] = std::sqrt(dot(left, left));
      if (!(sides[a][a] > 1e-12 * whole)) refuse_element(kind, number, D == 2 ? "it has no area" : "it has no volume");
      axes[a] = (1 / sides[a][a]) * left;
      e.volume *= sides[a][a] / static_cast<double>(a + 1);
    }
    if constexpr (D == 3)
      if (dot(cross(axes[0], axes[1]), axes[2]) < 0) sides[2][2] = -sides[2][2];  // axes as in a mirror would make det F = −1
    if (D == 2) e.volume *= options_.thickness;
    // Σ_a g_a[i] sides[a][j] = δ_ij, column by column backwards
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t a = D; a-- > 0;) {
        double left = i == a ? 1 : 0;
        for (std::size_t later = a + 1; later < D; ++later) left -= e.gradients[later + 1][i] * sides[later][a];
        e.gradients[a + 1][i] = left / sides[a][a];
      }
    for (std::size_t a = 1; a <= D; ++a)
      for (std::size_t i = 0; i < D; ++i) e.gradients[0][i] -= e.gradients[a][i];
    return e;
  }

  Material material_;
  elastic_options options_;
  std::vector<element> elements_;
};

}  // namespace ensue::models
