/// When a fixed-point iteration has settled: as far as the numbers have digits, or not at all.
#pragma once

#include <ensue/numbers/scalar.hpp>

namespace ensue {

namespace detail {
/// The larger of two sizes; NaN where one is not finite.
template <class real> ENSUE_HD ENSUE_INLINE real larger_if_finite(const real& a, const real& b) {
  return select(a > b, a, b) + real(0) * (a + b);
}
}  // namespace detail

/// How far h·k moved, as a part of |x| + |h·k|: below ε it no longer moves x + h·k. Every derivative that a dual carries is a number to be
/// solved for like the value, with its own size.
template <class T>
ENSUE_HD ENSUE_INLINE real_of<T> relative_change(const real_of<T>& h, const T& x, const T& k_old, const T& k_new) {
  using real = real_of<T>;
  if constexpr (requires { x.derivative[0]; }) {
    real change = relative_change(h, x.value, k_old.value, k_new.value);
    for (int j = 0; j < static_cast<int>(sizeof(x.derivative) / sizeof(x.derivative[0])); ++j)
      change = detail::larger_if_finite(change, relative_change(h, x.derivative[j], k_old.derivative[j], k_new.derivative[j]));
    return change;
  } else {
    const real before = h * k_old, after = h * k_new;
    const real moved = magnitude(after - before), size = magnitude(x) + magnitude(before) + magnitude(after);
    return select(size > real(0), moved / size, moved);
  }
}

/// Follows the changes of one iteration, sweep by sweep.
///
/// Hairer, Lubich & Wanner, Geometric Numerical Integration, VIII.6: go on until changes are below rounding, or no longer shrink because
/// they are made of it. Two in a row that are no improvement are enough to say so near rounding. Far from it changes may grow for a while
/// (that of a velocity is one of a position a sweep later; where the solution turns, they vanish now and then by accident), and it takes
/// more to say that the iteration does not contract, or that numbers of very different sizes act on each other and this is their rounding:
/// half of the digits tell one from the other.
template <class real> class settling {
 public:
  using base = base_of<real>;
  using mask = mask_of<real>;
  static constexpr int patience = 6, patience_near_rounding = 2;
  static constexpr base rounding = 64 * epsilon<real>;
  static constexpr base half_the_digits = sizeof(base) <= 4 ? base(1e-3) : base(1e-8);

  /// Where the iteration is over after this change.
  ENSUE_HD ENSUE_INLINE mask over(const real& change) {
    const mask sound = change - change == real(0), better = change < least_, near = change <= real(rounding);
    waited_ = select(better, real(0), waited_ + real(1));
    least_ = select(better, change, least_);
    const mask stuck = waited_ >= select(near, real(patience_near_rounding), real(patience));
    last_ = change;
    return stuck | (change <= real(epsilon<real>)) | (!sound);
  }

  ENSUE_HD ENSUE_INLINE mask no_better_for(int changes) const { return waited_ >= real(static_cast<base>(changes)); }

  /// Where what it is over with is a solution.
  ENSUE_HD ENSUE_INLINE mask solved(const mask& is_over) const { return is_over & (last_ <= real(half_the_digits)); }

 private:
  real least_ = real(infinity<real>), last_ = real(infinity<real>), waited_ = real(0);
};

}  // namespace ensue
