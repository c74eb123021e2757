/// 1/√x, the same operations for one number and for the lanes of a pack.
///
///     auto inverse_distance = ensue::reciprocal_root(x * x + y * y + z * z);
///
/// float: to 7.4e-7, in 9 operations without a root or a division, of which a machine does one where it does five to ten of these. Too coarse
/// where the last digits count; enough for a field whose tolerance is a thousand times that. double, long double: 1/√x as the machine rounds
/// it. On a GPU its own instruction.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/scalar.hpp>

#include <cmath>

namespace ensue {

/// For positive normal numbers.
///
/// The bits of a float are a logarithm: halved and taken from a constant they start an iteration that is within 3 %. Two of Newton's steps,
/// y ← y(3/2 − x y²/2), with the constants moved so that their errors, which are all of one sign, straddle zero: L. Moroz, C. Walczyk,
/// A. Hrynchyshyn, V. Holimath & J. Cieśliński (2018), "Fast calculation of inverse square root with the use of magic constant: analytical
/// approach", Appl. Math. Comput. 316, 245–255; C. Walczyk, L. Moroz & J. Cieśliński (2019), Computation 7, 41.
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
    const auto bits = bits_of(x);
    const T half = T(-0.5f) * x;
    T y = from_bits<T>(std::uint32_t{0x5F376908u} - (bits >> 1));
    y = y * (T(1.50087896f) + half * (y * y));
    return y * (T(1.50000057f) + half * (y * y));
#endif
  }
}

}  // namespace ensue
