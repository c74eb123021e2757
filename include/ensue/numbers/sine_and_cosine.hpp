/// Sine and cosine of one angle together, the same operations for one number and for the lanes of a pack: about 40, where the library's two
/// functions are two calls a lane.
///
///     const auto [sine, cosine] = ensue::sine_and_cosine(x);
///
/// Errors, measured (tests/batch/functions_test.cpp): at most 2e-16 for |x| ≤ 1e6 (double), 1e-7 for |x| ≤ 8192 (float). Angles beyond
/// that go to the library's functions, lane by lane, as do those that are not finite. long double: the library's.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/numbers/scalar.hpp>

#include <cmath>

namespace ensue {

template <class T> struct sine_cosine {
  T sine, cosine;
};

namespace detail {

/// π/2 in three parts, of which the first two have so few digits that a multiple of them is exact; the polynomials for sine and cosine on
/// [−π/4, π/4] in r²; up to where all this holds.
template <class T> struct angle_constants;
/// W. J. Cody & W. Waite's reduction with the constants and polynomials of FDLIBM (Sun Microsystems 1993: e_rem_pio2.c, k_sin.c, k_cos.c).
template <> struct angle_constants<double> {
  static constexpr double part[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
  static constexpr double sine[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,  -1.98412698298579493134e-04,
                                     2.75573137070700676789e-06,  -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static constexpr double cosine[6] = {4.16666666666666019037e-02,  -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                                       -2.75573143513906633035e-07, 2.08757232129817482790e-09,  -1.13596475577881948265e-11};
  static constexpr double limit = 1e6;
};
/// As in Cephes (S. L. Moshier 1992, single precision: sinf.c).
template <> struct angle_constants<float> {
  static constexpr float part[3] = {1.5703125f, 4.837512969970703125e-4f, 7.54978995489188216e-8f};
  static constexpr float sine[3] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
  static constexpr float cosine[3] = {4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f};
  static constexpr float limit = 8192;
};

/// c₀ + c₁z + c₂z² + …
template <class T, class Base, int N> ENSUE_HD ENSUE_INLINE T polynomial(const Base (&c)[N], const T& z) {
  T sum = T(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) sum = T(c[i]) + z * sum;
  return sum;
}

template <class T> ENSUE_HD ENSUE_INLINE sine_cosine<T> near_sine_and_cosine(const T& x) {
  using base = base_of<T>;
  using constants = angle_constants<base>;
  // x = k·π/2 + r. The sum with `rounder` ends in k, in two's complement.
  const T rounded = as_written(x * T(base(0.63661977236758134308)) + T(binary_format<base>::rounder));
  const T k = rounded - T(binary_format<base>::rounder);
  const T r = as_written(as_written(x - k * T(constants::part[0])) - k * T(constants::part[1])) - k * T(constants::part[2]);
  const T z = r * r;
  const T s = r + r * z * polynomial(constants::sine, z);
  const T c = T(base(1)) - T(base(0.5)) * z + z * z * polynomial(constants::cosine, z);
  // Of k mod 4 the lowest bit swaps the two, the other one and their sum are the signs.
  const auto quarter = bits_of(rounded);
  using bits = typename binary_format<base>::bits;
  constexpr int to_sign = 8 * sizeof(base) - 2;
  constexpr bits sign = bits(1) << (8 * sizeof(base) - 1);
  const T odd = from_bits<T>((quarter & bits(1)) << binary_format<base>::mantissa_bits);  // 0 or a positive number
  const auto swapped = odd > T(base(0));
  const T sine = select(swapped, c, s), cosine = select(swapped, s, c);
  return {from_bits<T>(bits_of(sine) ^ ((quarter << to_sign) & sign)),
          from_bits<T>(bits_of(cosine) ^ (((quarter + bits(1)) << to_sign) & sign))};
}

}  // namespace detail

template <class T> ENSUE_HD ENSUE_INLINE sine_cosine<T> sine_and_cosine(const T& x) {
  using std::cos, std::sin;
  using base = base_of<T>;
  if constexpr (std::is_same_v<base, long double>) {
    return {sin(x), cos(x)};
  } else {
#if defined(__CUDA_ARCH__)
    sine_cosine<T> both;
    if constexpr (std::is_same_v<T, float>) sincosf(x, &both.sine, &both.cosine);
    else sincos(x, &both.sine, &both.cosine);
    return both;
#else
    sine_cosine<T> both = detail::near_sine_and_cosine(x);
    const auto near = magnitude(x) <= T(detail::angle_constants<base>::limit);
    if (!all(near)) [[unlikely]]
      both = {select(near, both.sine, sin(x)), select(near, both.cosine, cos(x))};
    return both;
#endif
  }
}

}  // namespace ensue
