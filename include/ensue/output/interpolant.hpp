/// The inside of a step, as what a curve does beyond the straight line between its ends:
///
///     x(t_old + θh) = (1 − θ) x_old + θ x_new + θ(θ − 1) (s₀ + s₁θ + s₂θ² + …)
///
/// Every method's dense output has this form. At θ = 0 and θ = 1 it is x_old and x_new exactly, whatever was rounded in the s.
#pragma once

#include <ensue/numbers/state.hpp>

namespace ensue {

/// The coefficients s of one step. For dynamic states the memory comes with `allocate`.
template <class Storage, int Terms> struct interpolant {
  static constexpr int terms = Terms;
  using scalar = element_of<Storage>;
  using real = real_of<scalar>;

  Storage s[Terms] = {};

  ENSUE_HD ENSUE_INLINE void at(const real& theta, const scalar* from, const scalar* to, const Storage& like,
                                scalar* out) const {
    const real before = real(1) - theta, bubble = theta * (theta - real(1));
    for_each_element(like, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum = s[Terms - 1].data()[i];
      for (int m = Terms - 2; m >= 0; --m) sum = s[m].data()[i] + theta * sum;
      out[i] = before * from[i] + theta * to[i] + bubble * sum;
    });
  }

  /// A parabola with the slope at the start that it has.
  ENSUE_HD void keep_first(const mask_of<scalar>& where, const Storage& like) {
    for (int m = 1; m < Terms; ++m)
      for_each_element(like, [&, to = s[m].data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = select(where, scalar(0), to[i]); });
  }
};

/// The memory of a stepper whose dense output is such a curve and nothing else.
template <class Storage, int Terms> struct interpolant_memory {
  interpolant<Storage, Terms> curve;
  ENSUE_HD void allocate(const Storage& like) {
    for (Storage& each : curve.s) each = like;
  }
};

/// Hermite's cubic: s₀ = Δ − h f_old, s₁ = h (f_old + f_new) − 2Δ.
template <class Storage, int Terms>
ENSUE_HD void make_hermite(interpolant<Storage, Terms>& dense, const mask_of<element_of<Storage>>& where,
                           const Storage& from, const Storage& to, const Storage& f_old, const Storage& f_new,
                           const real_of<element_of<Storage>>& h) {
  using scalar = element_of<Storage>;
  for_each_element(from, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
    const scalar change = to.data()[i] - from.data()[i], left = h * f_old.data()[i], right = h * f_new.data()[i];
    const scalar first = change - left, second = left + right - (change + change);
    dense.s[0].data()[i] = select(where, first, dense.s[0].data()[i]);
    dense.s[1].data()[i] = select(where, second, dense.s[1].data()[i]);
    for (int m = 2; m < Terms; ++m) dense.s[m].data()[i] = select(where, scalar(0), dense.s[m].data()[i]);
  });
}

/// Of a state x = (q, v) with accelerations a: the quintic in q that has position, velocity and acceleration of both ends, and for v a
/// quartic, which has velocity and acceleration of both ends and the same mean as the change of q demands.
///
/// With Δ = q_new − q_old, A = Δ − h v_old, B = h v_new − Δ, C = A − h² a_old/2 and D = h² a_new/2 − B, the polynomial s of q is the cubic
/// with s(0) = A, s(1) = B, s'(0) = C, s'(1) = D. The quartic's part beyond Hermite's cubic is E θ²(1 − θ)², with E/30 what the mean
/// lacks; where that is no more than the rounding of Δ/h, it is left out. So it is for methods of an order below 4, whose q and v agree with each
/// other no better than to that order: thirty times their difference would be seen.
template <int Order, class Storage>
ENSUE_HD void make_quintic(interpolant<Storage, 4>& dense, const Storage& from, const Storage& to,
                           const element_of<Storage>* a_old, const element_of<Storage>* a_new,
                           const real_of<element_of<Storage>>& h) {
  using scalar = element_of<Storage>;
  using base = base_of<scalar>;
  const std::size_t n = static_cast<std::size_t>(from.size()) / 2;
  const auto *const x = from.data(), *const y = to.data();
  for_each_in_half(from, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
    const scalar change = y[i] - x[i], left = h * x[n + i], right = h * y[n + i], bend_left = base(0.5) * (h * (h * a_old[i])),
                 bend_right = base(0.5) * (h * (h * a_new[i]));
    const scalar a = change - left, b = right - change, c = a - bend_left, d = bend_right - b;
    dense.s[0].data()[i] = a;
    dense.s[1].data()[i] = c;
    dense.s[2].data()[i] = base(3) * (b - a) - (c + c) - d;
    dense.s[3].data()[i] = c + d - ((b - a) + (b - a));

    const scalar speed_up = y[n + i] - x[n + i], kick_left = h * a_old[i], kick_right = h * a_new[i];
    scalar e(0);
    if constexpr (Order >= 4) {
      const scalar lacking = (change - base(0.5) * (left + right)) - (bend_left - bend_right) / base(6);
      const auto size = magnitude(value_of(x[i])) + magnitude(value_of(y[i]));
      const auto seen = magnitude(value_of(lacking)) > base(4) * epsilon<scalar> * size;
      e = select(seen, base(30) * lacking / h, scalar(0));
    }
    dense.s[0].data()[n + i] = speed_up - kick_left;
    dense.s[1].data()[n + i] = kick_left + kick_right - (speed_up + speed_up) - e;
    dense.s[2].data()[n + i] = e;
    dense.s[3].data()[n + i] = scalar(0);
  });
}

}  // namespace ensue
