/// Why a run ended, found out after it has: nothing here is on the way of a step.
#pragma once

#include <ensue/control/options.hpp>
#include <ensue/outcome.hpp>
#include <ensue/state.hpp>

namespace ensue {

/// What is wrong with the input, if anything.
template <class State, class Storage>
ENSUE_HD input_fault find_fault(const options<State>& s, const Storage& x, const real_type<State>& t,
                                const real_type<State>& t_end, bool endless) {
  using real = real_type<State>;
  const real zero(0);
  if (!all(t - t == zero) || !all(t_end == t_end) || !(endless || all(t_end - t_end == zero)))
    return input_fault::time_not_finite;
  for (int which = 0; which < 2; ++which) {
    const tolerance<State>& each = which == 0 ? s.rtol : s.atol;
    if (each.size() != 1 && each.size() != static_cast<std::size_t>(x.size())) return input_fault::tolerance_count;
    for (std::size_t i = 0; i < each.size(); ++i)
      if (!all(each[i] >= zero)) return input_fault::tolerance_not_positive;
  }
  if (!all((s.step >= zero) & (s.first_step >= zero) & (s.min_step >= zero) & (s.max_step > zero)))
    return input_fault::step_not_positive;
  if (!all(s.min_step <= s.max_step)) return input_fault::step_not_positive;
  const auto& c = s.control;
  if (!(c.safety > 0 && c.safety <= 1 && c.shrink > 0 && c.shrink < 1 && c.grow > 1 && c.keep >= 1))
    return input_fault::control_out_of_range;
  return input_fault::none;
}

namespace detail {
template <class Storage> ENSUE_HD double element_in_lane(const Storage& x, std::size_t i, int which) {
  return static_cast<double>(lane(value_of(x.data()[i]), which));
}
ENSUE_HD inline bool is_finite(double x) { return x - x == 0; }
ENSUE_HD inline double size_of(double x) { return x < 0 ? -x : x; }
}  // namespace detail

/// The first component that is not finite, or report::nowhere.
template <class Storage> ENSUE_HD std::int64_t first_not_finite(const Storage& x, int which) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (!detail::is_finite(detail::element_in_lane(x, i, which))) return static_cast<std::int64_t>(i);
  return report::nowhere;
}

/// The first component whose tolerance is finer than its own digits, or report::nowhere.
template <class Storage, class Measure>
ENSUE_HD std::int64_t first_below_rounding(const Storage& x, const Measure& measure, int which) {
  using T = element_of<Storage>;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    const double size = detail::size_of(detail::element_in_lane(x, i, which));
    const double allowed = static_cast<double>(lane(measure.atol()[i], which)) + static_cast<double>(lane(measure.rtol()[i], which)) * size;
    if (allowed < static_cast<double>(epsilon<T>) * size) return static_cast<std::int64_t>(i);
  }
  return report::nowhere;
}

/// The component that moves fastest in units of its tolerance: the one that runs into a singularity.
template <class Storage, class Measure>
ENSUE_HD std::int64_t fastest(const Storage& x, const Storage& dx, const Measure& measure, int which) {
  std::int64_t found = 0;
  double most = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    const double allowed = static_cast<double>(lane(measure.atol()[i], which)) +
                           static_cast<double>(lane(measure.rtol()[i], which)) * detail::size_of(detail::element_in_lane(x, i, which));
    const double rate = detail::size_of(detail::element_in_lane(dx, i, which)) / allowed;
    if (rate > most) most = rate, found = static_cast<std::int64_t>(i);
  }
  return found;
}

/// A state that has grown beyond all use: the next product of two such numbers overflows.
template <class Storage> ENSUE_HD bool has_overflowed(const Storage& x, int which) {
  constexpr double huge = static_cast<double>(largest<element_of<Storage>>) * 1e-30;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (detail::size_of(detail::element_in_lane(x, i, which)) > huge) return true;
  return false;
}

}  // namespace ensue
