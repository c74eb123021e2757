/// Options of a state of any length for one of another kind: of packs, of floats, of a fixed number of elements.
///
///     const auto settings = ensue::detail::spread_options<ensue::vec<ensue::pack<double, 8>, 3>>(given, 3);
#pragma once

#include <ensue/options.hpp>

#include <span>
#include <type_traits>

namespace ensue::detail {

template <class State> tolerance<State> spread_tolerance(const tolerance<std::span<double>>& from, std::size_t size) {
  using real = real_type<State>;
  using base = base_of<real>;
  if (from.size() == 1) return tolerance<State>(real(static_cast<base>(from[0])));
  buffer<real> each(size);
  for (std::size_t i = 0; i < size; ++i) each[i] = real(static_cast<base>(from[i]));
  return tolerance<State>(each);
}

/// The same in every lane, or for states of a fixed number of elements. Not what only methods with equations to solve ask for.
template <class State> options<State> spread_options(const options<std::span<double>>& from, std::size_t size) {
  using real = real_type<State>;
  const auto spread = [](double x) { return real(static_cast<base_of<real>>(x)); };
  options<State> to{.rtol = spread_tolerance<State>(from.rtol, size), .atol = spread_tolerance<State>(from.atol, size)};
  if constexpr (std::is_same_v<real, double>) to.norm = from.norm;
  else to.norm = from.norm.kind;  // one of those that have a name
  to.control = from.control;
  to.step = spread(from.step);
  to.divide = from.divide;
  to.first_step = spread(from.first_step);
  to.max_step = spread(from.max_step);
  to.min_step = spread(from.min_step);
  to.when_too_small = from.when_too_small;
  to.max_evaluations = from.max_evaluations;
  to.compensated = from.compensated;
  to.cancel = from.cancel;
  return to;
}

}  // namespace ensue::detail
