/// Jacobi's elliptic functions and Carlson's integral of the third kind, lane by lane, for every scalar.
///
/// The modulus is given by its complement k'² = 1 − k², which a caller knows without cancellation; near the separatrix of a pendulum or a
/// rigid body that is what matters.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>

#include <cmath>

namespace ensue {

/// sn, cn, dn of one modulus: arithmetic–geometric means going up, sine and cosine there, Gauss's transformation coming back.
///
///     const ensue::elliptic_functions<double> e(0.5);      // k'² = ½
///     e.quarter()                                          // K, 1.854…
///     const auto at = e(0.3);                              // at.sn, at.cn, at.dn
///
/// R. Bulirsch (1965), "Numerical calculation of elliptic integrals and elliptic functions", Numer. Math. 7, 78–90 (sncndn). Quadratic
/// convergence: 4 means for k'² = ½, 13 for 1e-300.
template <class T> class elliptic_functions {
 public:
  using base = base_of<T>;
  using mask = mask_of<T>;
  struct values {
    T sn, cn, dn;
  };

  /// k'² of at most 1. A k'² of 0 is taken as the least number there is: K is some 350 then, and sn is tanh to the last digit.
  ENSUE_HD explicit elliptic_functions(const T& complement) {
    using std::sqrt;
    T a(1), b = select(complement > T(least_normal<T>), complement, T(least_normal<T>));
    mean_ = a;
    mask going(true);
    for (; levels_ < most_levels && any(going); ++levels_) {
      const T root = sqrt(b), next = base(0.5) * (a + root);
      a_[levels_] = a;
      b_[levels_] = root;
      used_[levels_] = going;
      mean_ = select(going, next, mean_);
      const T apart = a - root;
      going = going & (apart * apart > base(0.1) * epsilon<T> * (a * a));
      b = select(going, root * a, b);
      a = select(going, next, a);
    }
  }

  /// K, a quarter of the period of sn and cn, half of that of dn.
  ENSUE_HD T quarter() const { return T(half_pi) / mean_; }

  /// At u between −K and K, or anywhere else at the price of the digits that many periods cost.
  ENSUE_HD values operator()(const T& u) const {
    using std::cos, std::sin, std::sqrt;
    const T size = select(u < T(0), -u, u);
    const auto tiny = size * size < base(0.1) * epsilon<T>;  // there sn u = u, and its cotangent may overflow
    const T angle = mean_ * select(tiny, T(1), u), sine = sin(angle);
    T a = cos(angle) / sine, c = mean_ * a, dn(1);
    for (int i = levels_; i-- > 0;) {
      const T product = a * c, shrunk = c * dn;
      dn = select(used_[i], (b_[i] + product) / (a_[i] + product), dn);
      c = select(used_[i], shrunk, c);
      a = select(used_[i], shrunk / a_[i], a);
    }
    T sn = T(1) / sqrt(c * c + T(1));
    sn = select(sine < T(0), -sn, sn);
    return {select(tiny, u, sn), select(tiny, T(1), c * sn), select(tiny, T(1), dn)};
  }

 private:
  static constexpr int most_levels = 20;
  static constexpr base half_pi = base(1.570796326794896619231321691639751442L);

  T a_[most_levels], b_[most_levels], mean_;
  mask used_[most_levels];
  int levels_ = 0;
};

namespace detail {
/// R_C(1, 1 + e) = arctan(√e)/√e for e ≥ 0.
template <class T> ENSUE_HD T arctangent_ratio(const T& e) {
  using std::atan, std::sqrt;
  using base = base_of<T>;
  const auto small = e < T(base(1e-4));
  T ratio = base(1) + e * (base(-1 / 3.L) + e * (base(1 / 5.L) + e * (base(-1 / 7.L) + e * base(1 / 9.L))));
  if (!all(small)) {
    const T root = sqrt(select(small, T(1), e));
    ratio = select(small, ratio, atan(root) / root);
  }
  return ratio;
}
}  // namespace detail

/// R_J(x, y, z, p) = 3/2 ∫₀^∞ dt/(√((t + x)(t + y)(t + z)) (t + p)) for 0 ≤ x, y, z ≤ p, at most one of x, y, z zero.
///
/// B. C. Carlson (1995), "Numerical computation of real or complex elliptic integrals", Numer. Algorithms 10, 13–26; the series is DLMF
/// 19.36.2, to terms of degree 7. Each round brings the arguments four times closer together.
template <class T> ENSUE_HD T carlson_rj(T x, T y, T z, T p) {
  using std::sqrt;
  using base = base_of<T>;
  const auto size_of = [](const T& v) ENSUE_INLINE_LAMBDA { return select(v < T(0), -v, v); };
  const base fifth(0.2L), quarter(0.25);
  const T start = fifth * (x + y + z + (p + p)), delta = (p - x) * (p - y) * (p - z);
  const T dx = start - x, dy = start - y, dz = start - z;
  const T spread = maximum(maximum(size_of(dx), size_of(dy)), maximum(size_of(dz), size_of(start - p)));
  // (3ε)^(−1/8), the ratio of mean and spread beyond which the terms left out are below ε.
  const base enough = sizeof(base) == 4 ? base(7) : sizeof(base) == 8 ? base(80) : base(210);
  T mean = start, scale(1), sum(0);
  for (int round = 0; round < 600; ++round) {
    const auto going = scale * (enough * spread) > mean;
    if (!any(going)) break;
    const T rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p);
    const T shift = rx * (ry + rz) + ry * rz, d = (rp + rx) * (rp + ry) * (rp + rz);
    sum = select(going, sum + scale / d * detail::arctangent_ratio(scale * scale * scale * delta / (d * d)), sum);
    x = select(going, quarter * (x + shift), x);
    y = select(going, quarter * (y + shift), y);
    z = select(going, quarter * (z + shift), z);
    p = select(going, quarter * (p + shift), p);
    mean = select(going, quarter * (mean + shift), mean);
    scale = select(going, quarter * scale, scale);
  }
  const T ratio = scale / mean, X = dx * ratio, Y = dy * ratio, Z = dz * ratio, P = base(-0.5) * (X + Y + Z);
  const T xyz = X * Y * Z, pp = P * P;
  const T e2 = X * Y + X * Z + Y * Z - base(3) * pp, e3 = xyz + base(2) * (e2 * P) + base(4) * (pp * P);
  const T e4 = (base(2) * xyz + e2 * P + base(3) * (pp * P)) * P, e5 = xyz * pp;
  const T series = base(1) - base(3 / 14.L) * e2 + base(1 / 6.L) * e3 + base(9 / 88.L) * (e2 * e2) - base(3 / 22.L) * e4 -
                   base(9 / 52.L) * (e2 * e3) + base(3 / 26.L) * e5 - base(1 / 16.L) * (e2 * e2 * e2) + base(3 / 40.L) * (e3 * e3) +
                   base(3 / 20.L) * (e2 * e4) + base(45 / 272.L) * (e2 * e2 * e3) - base(9 / 68.L) * (e3 * e4 + e2 * e5);
  return scale * series / (mean * sqrt(mean)) + base(6) * sum;
}

}  // namespace ensue
