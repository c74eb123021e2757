/// Powers for step-size control, the same on every backend: scalar, pack and CUDA compute the same operations in the
/// same order and call no library, so a step size never depends on whose `pow` it was.
///
///     auto log_error = ensue::approximate_log2(error);                      // once; a PI controller keeps it
///     auto factor = ensue::approximate_exp2(-log_error / 5);                // error^(−1/5)
///     h = h * factor;
///
/// Branch-free, about 20 operations each. x^p takes 15 to 17 ns from x to result on a server core of 2023 (Zen 4,
/// 3.6 GHz), as does a whole pack of them; std::pow takes 25 ns. Half of it is the logarithm, half the exponential.
///
/// Worst errors, measured (tests/control/power_test.cpp):
///
///                                double     float
///   approximate_log2, absolute   4.84e-8    1.1e-6 for 2^-16 < x < 2^16, 2e-6 for 2^-32 < x < 2^32, 7.7e-6 beyond: an
///                                           ulp of the result, for float has no digits left behind a 127
///   approximate_exp2, relative   1.98e-9    1.8e-7
///
/// log2(1) is 0 and exp2(0) is 1, exactly. Bits agree between backends when the compiler does not contract a * b + c
/// (-ffp-contract=off; nvcc -fmad=false); otherwise the last bits may differ, and the bounds above still hold.
#pragma once

#include <ensue/numbers/scalar.hpp>

namespace ensue {
namespace detail {

template <class T> struct binary_format;
template <> struct binary_format<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52, exponent_bits = 11, bias = 1023;
  static constexpr bits one = 0x3FF0000000000000u;
  static constexpr bits sqrt_half = 0x3FE6A09E667F3BCDu;  // √½
  static constexpr bits magic = 0x4330000000000000u;      // 2^52, whose last mantissa bit counts ones
  static constexpr double magic_and_bias = 0x1p52 + 1023;
  static constexpr double rounder = 0x1.8p52;  // adding it rounds to an integer
  static constexpr bits mantissa_mask = (bits(1) << mantissa_bits) - 1;
  static constexpr bits spaced = bits(bias + exponent_bits) << mantissa_bits;  // 2^exponent_bits
};
template <> struct binary_format<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23, exponent_bits = 8, bias = 127;
  static constexpr bits one = 0x3F800000u;
  static constexpr bits sqrt_half = 0x3F3504F3u;
  static constexpr bits magic = 0x4B000000u;
  static constexpr float magic_and_bias = 0x1p23f + 127;
  static constexpr float rounder = 0x1.8p23f;
  static constexpr bits mantissa_mask = (bits(1) << mantissa_bits) - 1;
  static constexpr bits spaced = bits(bias + exponent_bits) << mantissa_bits;  // 2^exponent_bits
};

// A number's bits. On x86 and ARM they stay in a vector register: the way through an integer register and back would
// add 3 ns to the 16.
#if (defined(__SSE2__) || defined(__ARM_NEON)) && defined(__GNUC__) && !defined(__CUDACC__)
typedef double double_vector __attribute__((vector_size(16)));
typedef float float_vector __attribute__((vector_size(16)));
typedef std::uint64_t double_bits __attribute__((vector_size(16)));
typedef std::uint32_t float_bits __attribute__((vector_size(16)));
ENSUE_INLINE double_bits bits_of(double x) { return (double_bits)double_vector{x, 0}; }
ENSUE_INLINE float_bits bits_of(float x) { return (float_bits)float_vector{x, x, x, x}; }
template <class T> ENSUE_INLINE double from_bits(double_bits bits) { return ((double_vector)bits)[0]; }
template <class T> ENSUE_INLINE float from_bits(float_bits bits) { return ((float_vector)bits)[0]; }
#else
ENSUE_HD ENSUE_INLINE std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
ENSUE_HD ENSUE_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
template <class T> ENSUE_HD ENSUE_INLINE double from_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
template <class T> ENSUE_HD ENSUE_INLINE float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
#endif

/// x, which -ffast-math shall not reassociate with what it is added to: large constants are added here in order to be
/// subtracted again.
template <plain_scalar T> ENSUE_HD ENSUE_INLINE T as_written(T x) {
#if !(defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)) || defined(__CUDACC__)
  return x;
#elif defined(__clang__)
  return __arithmetic_fence(x);
#else
  return __builtin_assoc_barrier(x);
#endif
}

template <class R> ENSUE_HD ENSUE_INLINE R log2_of(const R& x) {
  using T = base_of<R>;
  using format = binary_format<T>;
  using word = typename format::bits;
  constexpr word magnitude_mask = word(-1) >> 1;
  constexpr word shift = format::one - format::sqrt_half;

  // x = 2^e m with m in [√½, √2): `shift` carries into the exponent exactly where the mantissa exceeds √2. The sign
  // goes first: x86's own NaN has it set, CUDA's has not, and both shall count as infinite.
  const auto bits = bits_of(x);
  const auto biased = ((bits & magnitude_mask) + shift) >> format::mantissa_bits;
  const R e = as_written(from_bits<R>(biased | format::magic) - R(format::magic_and_bias));
  const R r = from_bits<R>(((bits + shift) & format::mantissa_mask) + format::sqrt_half) - R(1);

  // log2(1 + r) ≈ c1 r + … + c8 r^8, minimax on that interval: 4.84e-8 (Remez). The factor r makes log2(1) exact.
  // Summed in three short chains, e as early as it costs no time and as late as it costs no digits.
  const R p0 = R(T(1.4426947724271634)) + R(T(-0.72135714891450958)) * r;
  const R p1 = R(T(0.48093944490905179)) + R(T(-0.36008721622708181)) * r;
  const R p2 = R(T(0.28670745336716359)) + R(T(-0.25006903600605323)) * r;
  const R p3 = R(T(0.23689039127107240)) + R(T(-0.14574450462241405)) * r;
  const R r2 = r * r;
  const R r3 = r2 * r;
  const R r5 = r3 * r2;
  return (e + (r * p0 + r3 * p1)) + r5 * (p2 + p3 * r2);
}

template <class R> ENSUE_HD ENSUE_INLINE R exp2_of(const R& y) {
  using T = base_of<R>;
  using format = binary_format<T>;
  const R rounded = as_written(y + R(format::rounder));  // ends in the integer nearest to y, in two's complement
  const R f = y - as_written(rounded - R(format::rounder));

  // 2^f ≈ 1 + c1 f + … + c6 f^6 on [−½, ½], minimax in relative error: 1.98e-9 (Remez).
  const R p0 = R(1) + R(T(0.69314720285504529)) * f;
  const R p1 = R(T(0.24022647913632001)) + R(T(0.055503324711590192)) * f;
  const R p2 = R(T(0.0096184373574485437)) + R(T(0.0013398874403644140)) * f;
  const R f2 = f * f;
  const R f4 = f2 * f2;
  const R m = (p0 + p1 * f2) + (p2 + R(T(0.00015353361944088985)) * f2) * f4;
  return from_bits<R>(bits_of(m) + (bits_of(rounded) << format::mantissa_bits));
}

/// A number's bits, read as an integer, are its logarithm but for a factor and a constant, and a line from one power of two to the next: here they are pushed below the
/// leading bit of a number whose spacing is such that the exponent counts ones. From the line to the curve it is a parabola: 4.94e-3 (Remez).
template <class R> ENSUE_HD ENSUE_INLINE R rough_log2_of(const R& x) {
  using T = base_of<R>;
  using format = binary_format<T>;
  constexpr int whole = format::exponent_bits;
  const auto bits = bits_of(x);
  const R line = from_bits<R>((bits >> whole) | format::spaced) - R(T(1 << whole) + T(format::bias) + T(0.67487759));
  const R m = from_bits<R>((bits & format::mantissa_mask) | format::one);
  return line + m * (R(T(1.0246658)) + m * R(T(-0.34484843)));
}

/// The way back: an integer and its fraction, of which 2^(m − 1) is a cubic, 7.48e-5. Negative numbers count their integers from the sign's bit on, which the cubic's
/// own, turned round, takes away.
template <class R> ENSUE_HD ENSUE_INLINE R rough_exp2_of(const R& y) {
  using T = base_of<R>;
  using format = binary_format<T>;
  constexpr int whole = format::exponent_bits + 1;
  const auto bits = bits_of(as_written(y + R(T(3 << (whole - 1))))) << whole;
  const R m = from_bits<R>((bits & format::mantissa_mask) | format::one);
  const R curve = R(T(-0.45213431)) - m * (R(T(0.4777728)) + m * (R(T(-0.0080064126)) + m * R(T(0.078024523))));
  return from_bits<R>(bits_of(curve) + (bits & ~format::mantissa_mask));
}

}  // namespace detail

/// log2 |x| for a real x (float, double, long double or a pack), within the bounds above.
///
/// Always finite: 0 gives −1023 (float: −127), a denormal less than −1022 (−126), infinity and NaN at least 1024 (128).
/// A controller that has not looked at its error first still shrinks the step. Of a long double the double next to it
/// is taken.
///
///     ensue::approximate_log2(8.0)        // 3, to 5e-8
template <class R> ENSUE_HD ENSUE_INLINE R approximate_log2(const R& x) { return detail::log2_of(x); }
ENSUE_INLINE long double approximate_log2(long double x) { return detail::log2_of(static_cast<double>(x)); }

/// 2^y for |y| ≤ 100: the caller's limits on the step-size factor are applied to y, not to the result. Beyond 1022
/// (float: 126) the exponent overflows into nonsense. NaN gives some number or NaN.
///
///     ensue::approximate_exp2(-0.5)       // 0.70710678, to 2e-9
template <class R> ENSUE_HD ENSUE_INLINE R approximate_exp2(const R& y) { return detail::exp2_of(y); }
ENSUE_INLINE long double approximate_exp2(long double y) { return detail::exp2_of(static_cast<double>(y)); }

/// The same for the length of a step, which need not be known better than to a thousandth: log2 |x| to 4.94e-3, 2^y for |y| ≤ 100 to 7.48e-5, in a third of the
/// operations: of a Lorenz system's attempt in lanes that is a seventh. A GPU has instructions of its own for them, in single precision (22 bits, −∞ of 0, NaN of NaN).
template <class R> ENSUE_HD ENSUE_INLINE R log2_for_step(const R& x) {
#if defined(__CUDA_ARCH__)
  float found;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(static_cast<float>(x)));
  return static_cast<R>(found);
#else
  return detail::rough_log2_of(x);
#endif
}
template <class R> ENSUE_HD ENSUE_INLINE R exp2_for_step(const R& y) {
#if defined(__CUDA_ARCH__)
  float found;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(static_cast<float>(y)));
  return static_cast<R>(found);
#else
  return detail::rough_exp2_of(y);
#endif
}
ENSUE_INLINE long double log2_for_step(long double x) { return detail::rough_log2_of(static_cast<double>(x)); }
ENSUE_INLINE long double exp2_for_step(long double y) { return detail::rough_exp2_of(static_cast<double>(y)); }

/// |x|^exponent. For |exponent| ≤ 0.98 every x has a positive finite answer, zero, infinity and NaN included.
///
///     h = h * ensue::power(tolerance / error, 0.2)
template <class R> ENSUE_HD ENSUE_INLINE R power(const R& x, const std::type_identity_t<R>& exponent) {
  return approximate_exp2(exponent * approximate_log2(x));
}

}  // namespace ensue
