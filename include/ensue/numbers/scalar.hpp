/// The numbers a state is made of, and the few operations the solvers need beyond arithmetic.
///
/// Every solver is written once over a scalar T: `float`, `double`, `long double`, `dual<T, N>` (derivatives, dual.hpp) or
/// `pack<T, W>` (W trajectories at once, pack.hpp). Where a solver decides, it does so through a *mask*: `bool` for one
/// trajectory, one bool a lane for a pack. `if (any(m))` and `select(m, a, b)` then mean a branch for one trajectory and a
/// blend for many, and the source is the same.
#pragma once

#include <ensue/numbers/config.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ensue {

/// What the solvers ask of a scalar type; specialised beside `dual` and `pack`.
///
/// base   the floating-point type coefficients are rounded to
/// real   the type of time, step size, tolerance and error: no derivatives, but one value a lane
/// mask   the outcome of comparing two `real`s
/// count  how often something happened, a lane
/// lanes  how many trajectories one value carries
template <class T> struct scalar_traits {
  static_assert(std::is_floating_point_v<T>, "ensue: the elements of a state are float, double, long double, dual or pack");
  using base = T;
  using real = T;
  using mask = bool;
  using count = std::int64_t;
  static constexpr int lanes = 1;
};

template <class T> using base_of = typename scalar_traits<T>::base;
template <class T> using real_of = typename scalar_traits<T>::real;
template <class T> using mask_of = typename scalar_traits<T>::mask;
template <class T> using count_of = typename scalar_traits<T>::count;
template <class T> inline constexpr int lanes_of = scalar_traits<T>::lanes;

template <class T>
concept plain_scalar = std::is_floating_point_v<T>;

ENSUE_HD ENSUE_INLINE constexpr bool any(bool m) { return m; }
ENSUE_HD ENSUE_INLINE constexpr bool all(bool m) { return m; }
ENSUE_HD ENSUE_INLINE constexpr bool none(bool m) { return !m; }

/// `m ? a : b`, lane by lane.
template <class T>
  requires std::is_arithmetic_v<T>
ENSUE_HD ENSUE_INLINE constexpr T select(bool m, T a, T b) {
  return m ? a : b;
}

/// |x|. The builtins are one instruction; `x < 0 ? -x : x` is four.
ENSUE_HD ENSUE_INLINE constexpr float magnitude(float x) { return __builtin_fabsf(x); }
ENSUE_HD ENSUE_INLINE constexpr double magnitude(double x) { return __builtin_fabs(x); }
ENSUE_HD ENSUE_INLINE constexpr long double magnitude(long double x) { return __builtin_fabsl(x); }

/// The value without derivatives.
template <plain_scalar T> ENSUE_HD ENSUE_INLINE constexpr T value_of(T x) { return x; }

/// `a < b ? a : b` and `a > b ? a : b`, lane by lane: a NaN in b comes through, a NaN in a does not. (A GPU's own instruction lets neither through.)
template <class T> ENSUE_HD ENSUE_INLINE constexpr T minimum(const T& a, const T& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return fminf(a, b);
  else
#endif
    return select(a < b, a, b);
}
template <class T> ENSUE_HD ENSUE_INLINE constexpr T maximum(const T& a, const T& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return fmaxf(a, b);
  else
#endif
    return select(a > b, a, b);
}

/// |x| with the sign of `sign`. That of −0 does not matter to anybody: here it counts, in numbers with derivatives it does not.
template <class T> ENSUE_HD ENSUE_INLINE constexpr T with_sign(const T& x, const T& sign) {
  const T size = magnitude(x);
  return select(sign < T(0), -size, size);
}
ENSUE_HD ENSUE_INLINE constexpr float with_sign(float x, float sign) { return __builtin_copysignf(x, sign); }
ENSUE_HD ENSUE_INLINE constexpr double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }
ENSUE_HD ENSUE_INLINE constexpr long double with_sign(long double x, long double sign) { return __builtin_copysignl(x, sign); }

/// The element of one lane, and a way to set it.
template <class T>
  requires std::is_arithmetic_v<T>
ENSUE_HD ENSUE_INLINE constexpr T lane(T x, int) {
  return x;
}
template <class T>
  requires std::is_arithmetic_v<T>
ENSUE_HD ENSUE_INLINE constexpr void set_lane(T& x, int, T value) {
  x = value;
}

/// One bit a lane, lane 0 the lowest.
ENSUE_HD ENSUE_INLINE constexpr std::uint32_t lane_bits(bool m) { return m; }

/// A count as a real number (exactly rounded), lane by lane.
template <plain_scalar T> ENSUE_HD ENSUE_INLINE constexpr T to_real(std::int64_t n) { return static_cast<T>(n); }

/// Limits of a scalar's base: the spacing of numbers near 1, the least normal number, the largest one, infinity. (Variables,
/// because device code may read a constant of the host but not call its functions.)
template <class T> inline constexpr base_of<T> epsilon = std::numeric_limits<base_of<T>>::epsilon();
template <class T> inline constexpr base_of<T> least_normal = std::numeric_limits<base_of<T>>::min();
template <class T> inline constexpr base_of<T> largest = std::numeric_limits<base_of<T>>::max();
template <class T> inline constexpr base_of<T> infinity = std::numeric_limits<base_of<T>>::infinity();

}  // namespace ensue
