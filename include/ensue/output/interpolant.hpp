/// The inside of a step, as what a curve does beyond the straight line between its ends:
///
///     x(t_old + θh) = (1 − θ) x_old + θ x_new + θ(θ − 1) (s₀ + s₁θ + s₂θ² + …)
///
/// Every method's dense output has this form. At θ = 0 and θ = 1 it is x_old and x_new exactly, whatever was rounded in the s.
#pragma once

#include <ensue/state.hpp>

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

}  // namespace ensue
