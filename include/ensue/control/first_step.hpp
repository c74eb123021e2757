/// The first step's size, from f alone: Hairer, Nørsett & Wanner, Solving ODEs I, II.4, "starting step size".
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/control/power.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

namespace ensue {

namespace detail {
/// h₀, in which x changes by a hundredth where its slope is as long as d1 says; both lengths squared.
template <class real> ENSUE_HD real step_of_a_hundredth(const real& d0, const real& d1, const real& longest) {
  using base = base_of<real>;
  const real h0 = base(0.01) * power(d0 / d1, base(0.5));
  return minimum(select((d0 < real(base(1e-10))) | (d1 < real(base(1e-10))), real(base(1e-6)), h0), longest);
}
/// The step for which a method of this order would err by a hundredth, from the larger of the first derivative and the second.
template <class real> ENSUE_HD real step_of_order(const real& steepest, const real& h0, int order, const real& longest) {
  using base = base_of<real>;
  const real h1 = power(base(1e-4) / steepest, base(0.5) / static_cast<base>(order + 1));
  const real safe = select(steepest <= real(base(1e-30)), maximum(real(base(1e-6)), base(1e-3) * h0), h1);
  return minimum(minimum(base(10) * h0, safe), longest);
}
}  // namespace detail

/// From the slope x' alone, where f is another thing: M x'.
template <class Storage, class Measure>
ENSUE_HD real_of<element_of<Storage>> first_step_along(const real_of<element_of<Storage>>& t, const Storage& x, const Storage& slope,
                                                       const real_of<element_of<Storage>>& limit, int order, Measure& measure) {
  using real = real_of<element_of<Storage>>;
  const real d0 = measure.squared_norm(x, [&](std::size_t i) { return value_of(x.data()[i]); });
  const real d1 = measure.squared_norm(x, [&](std::size_t i) { return value_of(slope.data()[i]); });
  const real longest = magnitude(limit - t), h0 = detail::step_of_a_hundredth(d0, d1, longest);
  return with_sign(detail::step_of_order(d1, h0, order, longest), limit - t);
}

/// Needs f₀ = f(t, x); costs one evaluation, between t and `limit`. Returns a step towards `limit`.
///
/// An explicit Euler step h₀ that changes x by a hundredth shows the second derivative; the step returned is the one for which a
/// method of this order would err by a hundredth of the tolerance's scale, at most 10·h₀. (The book has 100·h₀, which is |x/f|: in
/// any decay then h·λ = 1, where the error estimate of bs32, z³(1 + z)/48, vanishes whatever the error.)
template <class F, class Storage, class Measure>
ENSUE_HD real_of<element_of<Storage>> first_step(F& f, const real_of<element_of<Storage>>& t, const Storage& x, const Storage& f0,
                                                 const real_of<element_of<Storage>>& limit, int order, Measure& measure,
                                                 Storage& x1, Storage& f1) {
  using real = real_of<element_of<Storage>>;
  using base = base_of<real>;
  const auto *const px = x.data(), *const pf0 = f0.data();
  const real d0 = measure.squared_norm(x, [&](std::size_t i) { return value_of(px[i]); });
  const real d1 = measure.squared_norm(x, [&](std::size_t i) { return value_of(pf0[i]); });
  const real longest = magnitude(limit - t);

  const real h0 = detail::step_of_a_hundredth(d0, d1, longest);
  const real signed_h0 = with_sign(h0, limit - t);
  auto* const px1 = x1.data();
  for_each_element(x, [&](std::size_t i) { px1[i] = px[i] + signed_h0 * pf0[i]; });
  const auto defined = evaluate(f, select(h0 < longest, t + signed_h0, limit), x1, f1);
  const auto* const pf1 = f1.data();
  const real d2 = measure.squared_norm(x, [&](std::size_t i) { return value_of(pf1[i]) - value_of(pf0[i]); }) / (h0 * h0);

  const real h = detail::step_of_order(maximum(d1, d2), h0, order, longest);
  // Where f is not defined or not finite at the trial point, a cautious guess: the error control does the rest.
  return with_sign(select(defined & (d2 == d2), h, base(0.01) * h0), limit - t);
}

}  // namespace ensue
