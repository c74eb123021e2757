/// What a material's stress is, from how it is deformed: St. Venant–Kirchhoff in two and three dimensions, stable neo-Hookean.
///
/// A material is asked for the deformation gradient F = ∂x/∂X, as D columns of three numbers: F_j is where a step along material axis j goes.
/// D = 2 is a membrane, D = 3 a solid. It offers
///
///     energy(F)                          per volume at rest
///     add_stress(F, P)                   adds the first Piola–Kirchhoff stress ∂energy/∂F, as columns
///     derivatives<D>(F, how).matrix(g, h) with ∂P/∂F =: C the 3×3 block Σ_jl g_j C_ij,kl h_l, g and h being D numbers
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/models/symmetric.hpp>
#include <ensue/models/points.hpp>

#include <cmath>
#include <cstddef>

namespace ensue::models {

/// Lamé's constants.
struct lame {
  double lambda, mu;

  /// Of a solid, from Young's modulus and Poisson's ratio.
  static lame of_solid(double young, double poisson) {
    return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
  }
  /// Of a sheet that is free to become thinner where it is stretched: plane stress.
  static lame of_sheet(double young, double poisson) { return {young * poisson / (1 - poisson * poisson), young / (2 * (1 + poisson))}; }
};

/// The deformation gradient, and other 3×D matrices, as columns.
template <class S, std::size_t D> using columns = vec<S, 3>[D];

/// F g
template <class S, std::size_t D> ENSUE_INLINE vec<S, 3> product(const columns<S, D>& f, const double (&g)[D]) {
  vec<S, 3> sum = S(g[0]) * f[0];
  for (std::size_t j = 1; j < D; ++j) sum = sum + S(g[j]) * f[j];
  return sum;
}
template <std::size_t D> ENSUE_INLINE double product(const double (&g)[D], const double (&h)[D]) {
  double sum = 0;
  for (std::size_t j = 0; j < D; ++j) sum += g[j] * h[j];
  return sum;
}
/// F Gᵀ
template <std::size_t D> ENSUE_INLINE block transposed_product(const columns<double, D>& f, const columns<double, D>& g) {
  block sum = {};
  for (std::size_t j = 0; j < D; ++j) sum += outer(f[j], g[j]);
  return sum;
}

/// Green's strain ½(FᵀF − I), and its rate ½(F'ᵀF + FᵀF').
template <class S, std::size_t D> ENSUE_INLINE void strain_of(const columns<S, D>& f, S (&e)[D][D]) {
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) e[i][j] = 0.5 * dot(f[i], f[j]) - (i == j ? 0.5 : 0.);
}
template <class S, std::size_t D> ENSUE_INLINE void strain_rate_of(const columns<S, D>& f, const columns<S, D>& rate, S (&e)[D][D]) {
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) e[i][j] = 0.5 * (dot(f[i], rate[j]) + dot(rate[i], f[j]));
}
/// Hooke's law: λ tr(E) I + 2μ E in the place of E.
template <class S, std::size_t D> ENSUE_INLINE void make_stress(const lame& l, S (&e)[D][D]) {
  S trace = e[0][0];
  for (std::size_t i = 1; i < D; ++i) trace = trace + e[i][i];
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) e[i][j] = (2 * l.mu) * e[i][j] + (i == j ? S(l.lambda) * trace : S(0));
}
/// P += F S
template <class S, std::size_t D> ENSUE_INLINE void add_product(const columns<S, D>& f, const S (&s)[D][D], columns<S, D>& p) {
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) p[j] = p[j] + s[i][j] * f[i];
}
/// gᵀ S h
template <std::size_t D> ENSUE_INLINE double product(const double (&g)[D], const double (&s)[D][D], const double (&h)[D]) {
  double sum = 0;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) sum += g[i] * s[i][j] * h[j];
  return sum;
}
/// What Hooke's law makes of ½(δFᵀG + GᵀδF), with F before it, block by block: λ (Fg)(Gh)ᵀ + μ (Fh)(Gg)ᵀ + μ (g·h) F Gᵀ.
template <std::size_t D>
ENSUE_INLINE block stress_block(const lame& l, const columns<double, D>& f, const columns<double, D>& by, const block& f_by,
                                       const double (&g)[D], const double (&h)[D]) {
  block b = f_by;
  b *= l.mu * product(g, h);
  b += outer(product(f, g), product(by, h), l.lambda);
  b += outer(product(f, h), product(by, g), l.mu);
  return b;
}

/// Stress linear in Green's strain E = ½(FᵀF − I): energy ½λ(tr E)² + μ E:E. Simple, exact for large turns and small strains; it gives way when
/// compressed to less than 58 % or so. Definite derivatives: without the stress that compresses, and what is left is definite.
struct st_venant_kirchhoff {
  lame constants;

  template <class S, std::size_t D> S energy(const columns<S, D>& f) const {
    S e[D][D], trace(0), squares(0);
    strain_of<S, D>(f, e);
    for (std::size_t i = 0; i < D; ++i) {
      trace = trace + e[i][i];
      for (std::size_t j = 0; j < D; ++j) squares = squares + e[i][j] * e[i][j];
    }
    return (0.5 * constants.lambda) * (trace * trace) + constants.mu * squares;
  }
  template <class S, std::size_t D> void add_stress(const columns<S, D>& f, columns<S, D>& p) const {
    S s[D][D];
    strain_of<S, D>(f, s);
    make_stress(constants, s);
    add_product<S, D>(f, s, p);
  }

  template <std::size_t D> class derivatives {
   public:
    derivatives(const st_venant_kirchhoff& material, const columns<double, D>& f, force_derivatives how)
        : l_(material.constants), f_(f), f_f_(transposed_product<D>(f, f)) {
      strain_of<double, D>(f, s_);
      make_stress(l_, s_);
      if (how == force_derivatives::definite) make_positive_semidefinite(s_);
    }
    ENSUE_INLINE block matrix(const double (&g)[D], const double (&h)[D]) const {
      block b = stress_block<D>(l_, f_, f_, f_f_, g, h);
      b += block::identity(product<D>(g, s_, h));
      return b;
    }

   private:
    lame l_;
    const columns<double, D>& f_;
    block f_f_;
    double s_[D][D];
  };
};

/// B. Smith, F. de Goes & T. Kim (2018), "Stable neo-Hookean flesh simulation", ACM Trans. Graph. 37 (2), 12: (14), with their
/// reparametrisation by Lamé's constants, §3.4. It resists collapse and comes back from inversion; of solids only.
/// Energy ½μ(I − 3) + ½λ(J − α)² − ½μ log(I + 1), less that of rest; I = F:F, J = det F, α = 1 + ¾μ/λ.
struct stable_neo_hookean {
  lame constants;

  double mu() const { return 4. / 3 * constants.mu; }
  double lambda() const { return constants.lambda + 5. / 6 * constants.mu; }
  double alpha() const { return 1 + 0.75 * mu() / lambda(); }

  template <class S, std::size_t D> S energy(const columns<S, D>& f) const {
    using std::log;
    const S squares = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]), volume = dot(f[0], cross(f[1], f[2])) - alpha();
    const double at_rest = 0.5 * lambda() * (1 - alpha()) * (1 - alpha()) - 0.5 * mu() * std::log(4.);
    return (0.5 * mu()) * (squares - 3) + (0.5 * lambda()) * (volume * volume) - (0.5 * mu()) * log(squares + 1) - at_rest;
  }
  template <class S, std::size_t D> void add_stress(const columns<S, D>& f, columns<S, D>& p) const {
    const S squares = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
    const S stretching = mu() * (1 - 1 / (squares + 1)), pressing = lambda() * (dot(f[0], cross(f[1], f[2])) - alpha());
    for (std::size_t j = 0; j < 3; ++j) p[j] = p[j] + stretching * f[j] + pressing * cross(f[(j + 1) % 3], f[(j + 2) % 3]);
  }

  /// With c = (∂J/∂F)g and likewise: μ(1 − 1/(I + 1))(g·h) 1 + 2μ/(I + 1)² (Fg)(Fh)ᵀ + λ c_g c_hᵀ − λ(J − α)[F(g × h)]ₓ. Definite: all nine by
  /// nine elements of ∂P/∂F without their negative eigenvalues.
  template <std::size_t D> class derivatives {
    static_assert(D == 3, "ensue: neo-Hookean materials are solids");

   public:
    derivatives(const stable_neo_hookean& material, const columns<double, 3>& f, force_derivatives how)
        : f_(f), lambda_(material.lambda()), definite_(how == force_derivatives::definite) {
      const double squares = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
      stretching_ = material.mu() * (1 - 1 / (squares + 1));
      softening_ = 2 * material.mu() / ((squares + 1) * (squares + 1));
      pressing_ = lambda_ * (dot(f[0], cross(f[1], f[2])) - material.alpha());
      for (std::size_t j = 0; j < 3; ++j) cofactors_[j] = cross(f[(j + 1) % 3], f[(j + 2) % 3]);
      if (definite_) fill_definite();
    }
    block matrix(const double (&g)[3], const double (&h)[3]) const {
      if (!definite_) return exact(g, h);
      block b = {};
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t l = 0; l < 3; ++l)
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) b(i, k) += g[j] * h[l] * all_[3 * j + i][3 * l + k];
      return b;
    }

   private:
    block exact(const double (&g)[3], const double (&h)[3]) const {
      block b = block::identity(stretching_ * product(g, h));
      b += outer(product<double, 3>(f_, g), product<double, 3>(f_, h), softening_);
      b += outer(product<double, 3>(cofactors_, g), product<double, 3>(cofactors_, h), lambda_);
      const double both[3] = {g[1] * h[2] - g[2] * h[1], g[2] * h[0] - g[0] * h[2], g[0] * h[1] - g[1] * h[0]};
      const point w = pressing_ * product<double, 3>(f_, both);
      b(0, 1) += w[2], b(0, 2) -= w[1], b(1, 0) -= w[2], b(1, 2) += w[0], b(2, 0) += w[1], b(2, 1) -= w[0];
      return b;
    }
    void fill_definite() {
      constexpr double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t l = 0; l < 3; ++l) {
          const block b = exact(axes[j], axes[l]);
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) all_[3 * j + i][3 * l + k] = b(i, k);
        }
      make_positive_semidefinite(all_);
    }

    const columns<double, 3>& f_;
    columns<double, 3> cofactors_;
    double lambda_, stretching_, softening_, pressing_;
    bool definite_;
    double all_[9][9];
  };
};

}  // namespace ensue::models
