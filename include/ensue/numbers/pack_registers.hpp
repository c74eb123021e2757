/// What a pack is made of: vector registers of the machine the program is compiled for, through GCC's and Clang's vector
/// extensions. For pack.hpp alone.
#pragma once

#include <ensue/numbers/scalar.hpp>

#if defined(__GNUC__) && !defined(__CUDACC__)
#include <utility>


// Object files compiled for several instruction sets may meet in one program. The set is part of the type's name, so
// that the linker never takes one set's code for another's. (Hence: include this header, do not forward-declare pack.)
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define ENSUE_PACK_NAMESPACE lanes_avx512
#define ENSUE_PACK_REGISTER 64
#elif defined(__AVX2__)
#define ENSUE_PACK_NAMESPACE lanes_avx2
#define ENSUE_PACK_REGISTER 32
#else
#define ENSUE_PACK_NAMESPACE lanes_128
#define ENSUE_PACK_REGISTER 16
#endif

namespace ensue {
inline namespace ENSUE_PACK_NAMESPACE {

namespace pack_detail {

/// W elements: one register, or two halves.
template <class T, int W, bool = (W * sizeof(T) <= ENSUE_PACK_REGISTER)> struct lanes {
  static constexpr bool one_register = true;
  using element = T;
  typedef T type __attribute__((vector_size(W * sizeof(T))));
  typedef T in_memory __attribute__((vector_size(W * sizeof(T)), aligned(alignof(T)), may_alias));
  type v;
};
// A vector of one element lives in integer registers on GCC; the element itself does not.
template <class T> struct lanes<T, 1, true> {
  static constexpr bool one_register = true;
  using element = T;
  using type = T;
  using in_memory = T;
  type v;
};
template <class T, int W> struct lanes<T, W, false> {
  static constexpr bool one_register = false;
  using half = lanes<T, W / 2>;
  half low, high;
};

/// f on every register of the operands.
template <class R, class F, class A, class... B> ENSUE_INLINE constexpr R map(F f, const A& a, const B&... b) {
  if constexpr (R::one_register) {
    return R{f(a.v, b.v...)};
  } else {
    return R{map<typename R::half>(f, a.low, b.low...), map<typename R::half>(f, a.high, b.high...)};
  }
}

template <class R, class T, std::size_t... I> ENSUE_INLINE constexpr R broadcast(T x, std::index_sequence<I...>) {
  if constexpr (!R::one_register) {
    const auto half = broadcast<typename R::half>(x, std::make_index_sequence<sizeof...(I) / 2>());
    return R{half, half};
  } else if constexpr (sizeof...(I) == 1) {
    return R{x};
  } else {
    return R{typename R::type{((void)I, x)...}};
  }
}

template <class R, class T> ENSUE_INLINE R load(const T* from) {
  if constexpr (R::one_register) {
    return R{*reinterpret_cast<const typename R::in_memory*>(from)};
  } else {
    return R{load<typename R::half>(from), load<typename R::half>(from + sizeof(R) / (2 * sizeof(T)))};
  }
}
template <class T, class A> ENSUE_INLINE void store(T* to, const A& a) {
  if constexpr (A::one_register) {
    *reinterpret_cast<typename A::in_memory*>(to) = a.v;
  } else {
    store(to, a.low);
    store(to + sizeof(A) / (2 * sizeof(T)), a.high);
  }
}

/// The same bits as other numbers.
template <class R, class A> ENSUE_INLINE R reinterpret(const A& a) {
  if constexpr (R::one_register) {
    return R{__builtin_bit_cast(typename R::type, a.v)};
  } else {
    return R{reinterpret<typename R::half>(a.low), reinterpret<typename R::half>(a.high)};
  }
}

/// Half of a register (`First` = 0 or W / 2), and two registers side by side.
template <int First, class A, std::size_t... I>
ENSUE_INLINE auto half_of(const A& a, std::index_sequence<I...>) {
  if constexpr (sizeof...(I) == 1) {
    return lanes<typename A::element, 1>{a.v[First]};
  } else {
    return lanes<typename A::element, sizeof...(I)>{__builtin_shufflevector(a.v, a.v, (First + I)...)};
  }
}
template <class A, std::size_t... I> ENSUE_INLINE auto join(const A& a, const A& b, std::index_sequence<I...>) {
  if constexpr (sizeof...(I) == 2) {
    return lanes<typename A::element, 2>{{a.v, b.v}};
  } else {
    return lanes<typename A::element, sizeof...(I)>{__builtin_shufflevector(a.v, b.v, I...)};
  }
}

/// Element by element conversion; the two sides may differ in how many registers they take.
template <class To, class From, int W> ENSUE_INLINE lanes<To, W> convert(const lanes<From, W>& a) {
  using result = lanes<To, W>;
  if constexpr (std::is_same_v<To, From>) {
    return a;
  } else if constexpr (result::one_register && lanes<From, W>::one_register) {
    if constexpr (W == 1) {
      return result{static_cast<To>(a.v)};
    } else {
#if !defined(__AVX512DQ__)
      // Before AVX-512 there is no instruction for 64-bit integers to double. The halves of the integer become the low
      // mantissa bits of 2^84 and 2^52; both differences are exact, so the one addition rounds as the instruction
      // would.
      if constexpr (std::is_same_v<To, double> && std::is_same_v<From, std::int64_t>) {
        typedef std::uint64_t bits __attribute__((vector_size(W * 8)));
        typedef double reals __attribute__((vector_size(W * 8)));
        const bits n = (bits)a.v;
        const reals high = (reals)((n >> 32) ^ 0x4530000080000000u) - 0x1.00000801p84;  // 2^84 + 2^63 + 2^52
        const reals low = (reals)((n & 0xFFFFFFFFu) | 0x4330000000000000u);
        return result{high + low};
      } else
#endif
        return result{__builtin_convertvector(a.v, typename result::type)};
    }
  } else {
    constexpr std::make_index_sequence<W / 2> half;
    const auto parts = [&]() ENSUE_INLINE_LAMBDA {
      if constexpr (lanes<From, W>::one_register) {
        return lanes<From, W, false>{half_of<0>(a, half), half_of<W / 2>(a, half)};
      } else {
        return a;
      }
    }();
    const auto low = convert<To, From, W / 2>(parts.low), high = convert<To, From, W / 2>(parts.high);
    if constexpr (result::one_register) {
      return join(low, high, std::make_index_sequence<W>());
    } else {
      return result{low, high};
    }
  }
}

/// One element of lanes in memory, where they are one after another however many registers they take.
template <class T> ENSUE_INLINE void copy_element(void* a, int to, const void* b, int from) {
  __builtin_memcpy(static_cast<char*>(a) + static_cast<std::size_t>(to) * sizeof(T),
                   static_cast<const char*>(b) + static_cast<std::size_t>(from) * sizeof(T), sizeof(T));
}

template <class T, int W> ENSUE_INLINE T element(const lanes<T, W>& a, int i) {
  if constexpr (!lanes<T, W>::one_register) {
    if (__builtin_constant_p(i)) return i < W / 2 ? element(a.low, i) : element(a.high, i - W / 2);
    T x;
    copy_element<T>(&x, 0, &a, i);
    return x;
  } else if constexpr (W == 1) {
    return a.v;
  } else {
    return a.v[i];
  }
}
template <class T, int W> ENSUE_INLINE void set_element(lanes<T, W>& a, int i, T x) {
  if constexpr (!lanes<T, W>::one_register) {
    if (__builtin_constant_p(i)) i < W / 2 ? set_element(a.low, i, x) : set_element(a.high, i - W / 2, x);
    else copy_element<T>(&a, i, &x, 0);
  } else if constexpr (W == 1) {
    a.v = x;
  } else {
    a.v[i] = x;
  }
}

/// Square roots are correctly rounded by every machine: a vector of them equals the scalar results.
ENSUE_INLINE float square_root(float x) { return __builtin_sqrtf(x); }
ENSUE_INLINE double square_root(double x) { return __builtin_sqrt(x); }
template <class V> ENSUE_INLINE V square_root(V v) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(v);
#else
  constexpr bool is_float = sizeof(v[0]) == 4;
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 8 && is_float) {
    const auto twice = __builtin_ia32_sqrtps(__builtin_shufflevector(v, v, 0, 1, 0, 1));
    return __builtin_shufflevector(twice, twice, 0, 1);
  }
  if constexpr (sizeof(V) == 16 && is_float) return __builtin_ia32_sqrtps(v);
  if constexpr (sizeof(V) == 16 && !is_float) return __builtin_ia32_sqrtpd(v);
#endif
#if ENSUE_PACK_REGISTER >= 32
  if constexpr (sizeof(V) == 32 && is_float) return __builtin_ia32_sqrtps256(v);
  if constexpr (sizeof(V) == 32 && !is_float) return __builtin_ia32_sqrtpd256(v);
#endif
#if ENSUE_PACK_REGISTER == 64
  if constexpr (sizeof(V) == 64 && is_float) return __builtin_ia32_sqrtps512_mask(v, v, -1, 4);
  if constexpr (sizeof(V) == 64 && !is_float) return __builtin_ia32_sqrtpd512_mask(v, v, -1, 4);
#endif
  for (unsigned i = 0; i < sizeof(V) / sizeof(v[0]); ++i) v[i] = square_root(v[i]);
  return v;
#endif
}

/// a > b ? a : b or a < b ? a : b. GCC does not see that one instruction does that, with the second where one of them is no number.
template <bool Greater, class V> ENSUE_INLINE V extreme(const V& a, const V& b) {
#if defined(__SSE2__) && !defined(__clang__)
#define ENSUE_EXTREME(number, kind)                                                                                          \
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a[0])>, number>) {                                               \
    if constexpr (sizeof(V) == 16) return Greater ? __builtin_ia32_max##kind(a, b) : __builtin_ia32_min##kind(a, b);         \
    ENSUE_EXTREME_256(kind)                                                                                                  \
    ENSUE_EXTREME_512(kind)                                                                                                  \
  }
#if ENSUE_PACK_REGISTER >= 32
#define ENSUE_EXTREME_256(kind) \
  if constexpr (sizeof(V) == 32) return Greater ? __builtin_ia32_max##kind##256(a, b) : __builtin_ia32_min##kind##256(a, b);
#else
#define ENSUE_EXTREME_256(kind)
#endif
#if ENSUE_PACK_REGISTER == 64
#define ENSUE_EXTREME_512(kind) \
  if constexpr (sizeof(V) == 64)  \
    return Greater ? __builtin_ia32_max##kind##512_mask(a, b, a, -1, 4) : __builtin_ia32_min##kind##512_mask(a, b, a, -1, 4);
#else
#define ENSUE_EXTREME_512(kind)
#endif
  if constexpr (!std::is_arithmetic_v<V>) {
    ENSUE_EXTREME(double, pd)
    ENSUE_EXTREME(float, ps)
  }
#undef ENSUE_EXTREME
#undef ENSUE_EXTREME_256
#undef ENSUE_EXTREME_512
#endif
  return Greater ? (a > b ? a : b) : (a < b ? a : b);
}

#if defined(__SSE2__)
/// 1/√x of floats to 11 bits or more, as the machine estimates it; of one number and of a register of them the same.
typedef float float4 __attribute__((vector_size(16)));
ENSUE_INLINE float4 estimated_reciprocal_root(float4 v) {
#if defined(__AVX512VL__)
  return __builtin_ia32_rsqrt14ps128_mask(v, v, -1);
#else
  return __builtin_ia32_rsqrtps(v);
#endif
}
ENSUE_INLINE float estimated_reciprocal_root(float x) { return estimated_reciprocal_root(float4{x, x, x, x})[0]; }
template <class V> ENSUE_INLINE V estimated_reciprocal_root(V v) {
  if constexpr (sizeof(V) == 8) {
    const float4 twice = estimated_reciprocal_root(__builtin_shufflevector(v, v, 0, 1, 0, 1));
    return __builtin_shufflevector(twice, twice, 0, 1);
  }
#if defined(__AVX512VL__)
  if constexpr (sizeof(V) == 32) return __builtin_ia32_rsqrt14ps256_mask(v, v, -1);
#elif ENSUE_PACK_REGISTER >= 32
  if constexpr (sizeof(V) == 32) return __builtin_ia32_rsqrtps256(v);
#endif
#if ENSUE_PACK_REGISTER == 64
  if constexpr (sizeof(V) == 64) return __builtin_ia32_rsqrt14ps512_mask(v, v, -1);
#endif
}
#endif

template <class T>
using unsigned_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

}  // namespace pack_detail

}  // namespace ENSUE_PACK_NAMESPACE
}  // namespace ensue
#endif
