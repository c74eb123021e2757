/// Why a run ended, found out after it has: nothing here is on the way of a step.
#pragma once

#include <ensue/options.hpp>
#include <ensue/outcome.hpp>
#include <ensue/numbers/state.hpp>

namespace ensue {

/// What is wrong with the times, if anything; t_end may be infinite where it is `endless`.
template <class real> ENSUE_HD ENSUE_INLINE input_fault find_fault_in_times(const real& t, const real& t_end, bool endless) {
  const real zero(0);
  const bool sound = all(t - t == zero) && all(t_end == t_end) && (endless || all(t_end - t_end == zero));
  return sound ? input_fault::none : input_fault::time_not_finite;
}

/// What is wrong with the settings for a state of this size, if anything.
template <class State> ENSUE_HD ENSUE_INLINE input_fault find_fault(const options<State>& s, std::size_t size) {
  using real = real_type<State>;
  const real zero(0);
  for (int which = 0; which < 2; ++which) {
    const tolerance<State>& each = which == 0 ? s.rtol : s.atol;
    if (!each.fits(size)) return input_fault::tolerance_count;
    for (std::size_t i = 0; i < each.size(); ++i)
      if (!all(each[i] >= zero) || (which == 0 && !all(each[i] < real(infinity<real>))))
        return input_fault::tolerance_not_positive;
  }
  if (!all((s.step >= zero) & (s.first_step >= zero) & (s.min_step >= zero) & (s.max_step > zero)) ||
      !all(s.min_step <= s.max_step) || any(s.step > zero) != all(s.step > zero))
    return input_fault::step_not_positive;
  const auto& c = s.control;
  if (!(c.safety > 0 && c.safety <= 1 && c.shrink > 0 && c.shrink < 1 && c.grow > 1 && (c.keep >= 1 || c.keep == 0)))
    return input_fault::control_out_of_range;
  return input_fault::none;
}

namespace detail {
template <class Storage> ENSUE_HD base_of<element_of<Storage>> element_in_lane(const Storage& x, std::size_t i, int which) {
  return lane(value_of(x.data()[i]), which);
}
}  // namespace detail

/// The first component that is not finite, or report::nowhere.
template <class Storage> ENSUE_HD std::int64_t first_not_finite(const Storage& x, int which) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (const auto value = detail::element_in_lane(x, i, which); value - value != 0) return static_cast<std::int64_t>(i);
  return report::nowhere;
}

/// Where the tolerance of component i is finer than its own digits.
template <class Storage, class Measure>
ENSUE_HD ENSUE_INLINE auto below_rounding(const Storage& x, const Measure& measure, std::size_t i) {
  const auto size = magnitude(value_of(x.data()[i]));
  return measure.atol()[i] + measure.rtol()[i] * size < epsilon<element_of<Storage>> * size;
}

/// The same of any component.
template <class Storage, class Measure>
ENSUE_HD ENSUE_INLINE mask_of<element_of<Storage>> below_rounding(const Storage& x, const Measure& measure) {
  mask_of<element_of<Storage>> found(false);
  if (!measure.may_be_below_rounding()) return found;
  for_each_in_order(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { found = found | below_rounding(x, measure, i); });
  return found;
}

/// A size up to which no component of a state of `count` of them is, with a factor of two to spare.
template <class Measure> ENSUE_HD auto largest_above_rounding(const Measure& measure, std::size_t count) {
  using real = std::remove_cvref_t<decltype(measure.rtol()[0])>;
  const real least(2 * epsilon<real>);
  real found(largest<real>);
  for (std::size_t i = 0; i < count; ++i) {
    const real rtol = measure.rtol()[i];
    found = minimum(found, select(rtol < least, measure.atol()[i] / (least - rtol), found));
  }
  return found;
}

/// The first such component, or report::nowhere.
template <class Storage, class Measure>
ENSUE_HD std::int64_t first_below_rounding(const Storage& x, const Measure& measure, int which) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (lane(below_rounding(x, measure, i), which)) return static_cast<std::int64_t>(i);
  return report::nowhere;
}

/// The component that moves fastest in units of its tolerance: the one that runs into a singularity.
template <class Storage, class Measure>
ENSUE_HD std::int64_t fastest(const Storage& x, const Storage& dx, const Measure& measure, int which) {
  using base = base_of<element_of<Storage>>;
  std::int64_t found = 0;
  base most = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    const base size = magnitude(detail::element_in_lane(x, i, which));
    const base allowed = lane(measure.atol()[i], which) + lane(measure.rtol()[i], which) * size;
    const base rate = magnitude(detail::element_in_lane(dx, i, which)) / allowed;
    if (rate > most) most = rate, found = static_cast<std::int64_t>(i);
  }
  return found;
}

/// A state that has grown beyond all use: the next product of two such numbers overflows.
template <class Storage> ENSUE_HD bool has_overflowed(const Storage& x, int which) {
  using base = base_of<element_of<Storage>>;
  constexpr base huge = largest<base> * base(1e-30);
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (magnitude(detail::element_in_lane(x, i, which)) > huge) return true;
  return false;
}

}  // namespace ensue
