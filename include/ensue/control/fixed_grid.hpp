/// A span cut into steps of one length.
#pragma once

#include <ensue/options.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// start + n·h, rounded as if the product were exact to twice its digits where the type is short: n sums of h would drift.
template <plain_scalar T> ENSUE_HD ENSUE_INLINE T grid_time(T start, std::int64_t n, T h) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(static_cast<double>(start) + static_cast<double>(n) * static_cast<double>(h));
  else return start + static_cast<T>(n) * h;
}
template <class real>
  requires(!plain_scalar<real>)
ENSUE_HD ENSUE_INLINE real grid_time(const real& start, std::int64_t n, const real& h) {
  real result = start;
  for (int l = 0; l < lanes_of<real>; ++l) set_lane(result, l, grid_time(lane(start, l), n, lane(h, l)));
  return result;
}

/// Steps 1 … n of one trajectory: all of length `step` (signed) but the last, which is `last`.
template <plain_scalar T> struct grid_steps {
  std::int64_t count = 0;
  T step = 0, last = 0;
};

/// How many steps of length `size` lead from `from` to `to`. A quotient within a few roundings of a whole number, its own and
/// those of the two times, is that number: h = 0.1 over [0, 1] is 10 steps, not 9 or 11.
template <plain_scalar T> ENSUE_HD inline grid_steps<T> divide_span(T from, T to, T size, division how) {
  constexpr T most = T(1LL << 62);
  const T span = to - from;
  if (size >= magnitude(span)) return {1, how == division::even ? span : with_sign(size, span), span};
  const T quotient = minimum(magnitude(span) / size, most);
  std::int64_t nearest = static_cast<std::int64_t>(quotient);
  if (quotient - static_cast<T>(nearest) >= T(0.5)) ++nearest;
  const T roundings = 4 * epsilon<T> * (quotient + (magnitude(from) + magnitude(to)) / size);
  const bool divides = nearest > 0 && magnitude(quotient - static_cast<T>(nearest)) <= minimum(roundings, T(0.25));
  grid_steps<T> grid;
  if (divides || how == division::even) {
    grid.count = nearest > 0 ? nearest : 1;
    grid.step = grid.last = divides ? with_sign(size, span) : span / static_cast<T>(grid.count);
  } else {
    grid.count = static_cast<std::int64_t>(quotient) + 1;
    grid.step = with_sign(size, span);
    grid.last = span - grid_time(T(0), grid.count - 1, grid.step);  // not from the clock, which may show fewer digits
  }
  return grid;
}

/// The same for every lane.
template <class real> struct fixed_grid {
  real start = real(0), step = real(0), last = real(0);
  count_of<real> count = count_of<real>(0);

  fixed_grid() = default;
  ENSUE_HD fixed_grid(const real& from, const real& to, const real& size, division how)
      : start(from), step(from), last(from), count(0) {
    for (int l = 0; l < lanes_of<real>; ++l) {
      const auto one = divide_span(lane(from, l), lane(to, l), lane(size, l), how);
      set_lane(step, l, one.step);
      set_lane(last, l, one.last);
      set_lane(count, l, one.count);
    }
  }
  ENSUE_HD ENSUE_INLINE real time(std::int64_t n) const { return grid_time(start, n, step); }
};

}  // namespace ensue
