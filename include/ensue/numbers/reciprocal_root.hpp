/// 1/√x, the same operations for one number and for the lanes of a pack.
///
///     auto inverse_distance = ensue::reciprocal_root(x * x + y * y + z * z);
///
/// float: to 2.5e-7, from the machine's own estimate (of which processors of different makers have different ones) and one of Newton's steps: a
/// fifth of the time of a root and a division. double, long double: 1/√x as the machine rounds it. On a GPU its own instruction.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/numbers/scalar.hpp>

#include <cmath>

namespace ensue {

namespace detail {
#if defined(ENSUE_HAS_PACK) && defined(__SSE2__)
ENSUE_INLINE float estimated_reciprocal_root(float x) { return pack_detail::estimated_reciprocal_root(x); }
#else
/// The bits of a float are a logarithm: halved and taken from a constant they start an iteration that is within 3 %. Two of Newton's steps,
/// y ← y(3/2 − x y²/2), with the constants moved so that their errors, which are all of one sign, straddle zero: C. Walczyk, L. Moroz &
/// J. Cieśliński (2019), "A modification of the fast inverse square root algorithm", Computation 7, 41.
template <class T> ENSUE_HD ENSUE_INLINE T estimated_reciprocal_root(const T& x) {
  const T half = T(-0.5f) * x;
  T y = from_bits<T>(std::uint32_t{0x5F376908u} - (bits_of(x) >> 1));
  y = y * (T(1.50087896f) + half * (y * y));
  return y * (T(1.50000057f) + half * (y * y));
}
#endif
}  // namespace detail

/// For positive normal numbers.
template <class T> ENSUE_HD ENSUE_INLINE T reciprocal_root(const T& x) {
  using base = base_of<T>;
  if constexpr (!std::is_same_v<base, float>) {
    using std::sqrt;
    return T(base(1)) / sqrt(x);
  } else {
#if defined(__CUDA_ARCH__)
    return rsqrtf(x);
#else
    using namespace detail;
    const T y = estimated_reciprocal_root(x);
    return y * (T(1.5f) + T(-0.5f) * x * (y * y));
#endif
  }
}

}  // namespace ensue
