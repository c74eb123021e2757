/// What a mask is made of. With AVX-512 one bit a lane, for the machine's mask registers; otherwise lanes of integers that are all ones or
/// zeros, which is what older machines' comparisons give and their blends take. For pack.hpp alone.
#pragma once

#include <ensue/numbers/pack_registers.hpp>

#if defined(__GNUC__) && !defined(__CUDACC__)

namespace ensue {
inline namespace ENSUE_PACK_NAMESPACE {

namespace pack_detail {

/// How two numbers may stand to each other. The values are those by which AVX-512 compares integers.
enum class relation { equal = 0, less = 1, at_most = 2, different = 4, at_least = 5, more = 6 };

template <relation R, class V> ENSUE_INLINE constexpr auto related(const V& a, const V& b) {
  if constexpr (R == relation::equal) return a == b;
  else if constexpr (R == relation::less) return a < b;
  else if constexpr (R == relation::at_most) return a <= b;
  else if constexpr (R == relation::different) return a != b;
  else if constexpr (R == relation::at_least) return a >= b;
  else return a > b;
}

#if defined(__SSE2__)
/// The sign bits of a register, one an element.
template <class V> ENSUE_INLINE unsigned sign_bits(const V& v) {
  constexpr bool wide = sizeof(v[0]) == 8;
  typedef float float4 __attribute__((vector_size(16)));
  typedef double double2 __attribute__((vector_size(16)));
  if constexpr (sizeof(V) == 16 && !wide) return static_cast<unsigned>(__builtin_ia32_movmskps((float4)v));
  if constexpr (sizeof(V) == 16 && wide) return static_cast<unsigned>(__builtin_ia32_movmskpd((double2)v));
#if ENSUE_PACK_REGISTER >= 32
  typedef float float8 __attribute__((vector_size(32)));
  typedef double double4 __attribute__((vector_size(32)));
  if constexpr (sizeof(V) == 32 && !wide) return static_cast<unsigned>(__builtin_ia32_movmskps256((float8)v));
  if constexpr (sizeof(V) == 32 && wide) return static_cast<unsigned>(__builtin_ia32_movmskpd256((double4)v));
#endif
#if ENSUE_PACK_REGISTER == 64
  typedef int int16 __attribute__((vector_size(64)));
  typedef long long long8 __attribute__((vector_size(64)));
  if constexpr (sizeof(V) == 64 && !wide) return __builtin_ia32_cvtd2mask512((int16)v);
  if constexpr (sizeof(V) == 64 && wide) return __builtin_ia32_cvtq2mask512((long8)v);
#endif
}
#endif

// ---- One bit a lane. -------------------------------------------------------------------------------------------------------------------

/// Fewer lanes than four leave most of a register empty and are no concern of anybody's speed.
template <int W> inline constexpr bool kept_as_bits = ENSUE_PACK_REGISTER == 64 && W >= 4;

template <int W> struct bit_set {
  using type = std::conditional_t<W <= 8, std::uint8_t, std::conditional_t<W <= 16, std::uint16_t, std::uint32_t>>;
  static constexpr type every = static_cast<type>(W == 32 ? ~std::uint32_t(0) : (std::uint32_t(1) << W % 32) - 1);
  type v;

  ENSUE_INLINE static constexpr bit_set of(std::uint32_t bits) { return {static_cast<type>(bits)}; }
};

#if ENSUE_PACK_REGISTER == 64
/// A comparison's bits, and one value or another by a bit. GCC's own way from a comparison to a blend leads through a register of integers.
template <relation R, class T, class V> ENSUE_INLINE std::uint32_t compared_bits(const V& a, const V& b) {
#if !defined(__clang__)
  constexpr int with_nan = R == relation::at_least ? 13 : R == relation::more ? 14 : static_cast<int>(R);  // false, but for "different"
#define ENSUE_COMPARE(number, size, ...) \
  if constexpr (std::is_same_v<T, number> && sizeof(V) * 8 == size) return __VA_ARGS__;
  ENSUE_COMPARE(double, 512, __builtin_ia32_cmppd512_mask(a, b, with_nan, -1, 4))
  ENSUE_COMPARE(double, 256, __builtin_ia32_cmppd256_mask(a, b, with_nan, -1))
  ENSUE_COMPARE(float, 512, __builtin_ia32_cmpps512_mask(a, b, with_nan, -1, 4))
  ENSUE_COMPARE(float, 256, __builtin_ia32_cmpps256_mask(a, b, with_nan, -1))
  ENSUE_COMPARE(float, 128, __builtin_ia32_cmpps128_mask(a, b, with_nan, -1))
  typedef long long long4 __attribute__((vector_size(32)));
  typedef long long long8 __attribute__((vector_size(64)));
  ENSUE_COMPARE(std::int64_t, 512, __builtin_ia32_cmpq512_mask((long8)a, (long8)b, static_cast<int>(R), -1))
  ENSUE_COMPARE(std::int64_t, 256, __builtin_ia32_cmpq256_mask((long4)a, (long4)b, static_cast<int>(R), -1))
#undef ENSUE_COMPARE
#endif
  return sign_bits(related<R>(a, b));
}

template <class V> ENSUE_INLINE V chosen_by_bits(std::uint32_t bits, const V& a, const V& b) {
#if defined(__clang__)
#define ENSUE_CHOOSE(kind, size) __builtin_ia32_select##kind##_##size(static_cast<mask>(bits), (reals)a, (reals)b)
#else
#define ENSUE_CHOOSE(kind, size) __builtin_ia32_blendm##kind##_##size##_mask((reals)b, (reals)a, static_cast<mask>(bits))
#endif
  using mask = std::conditional_t<sizeof(V) / sizeof(a[0]) <= 8, std::uint8_t, std::uint16_t>;
  if constexpr (sizeof(a[0]) == 8) {
    typedef double reals __attribute__((vector_size(sizeof(V))));
    if constexpr (sizeof(V) == 64) return (V)ENSUE_CHOOSE(pd, 512);
    else return (V)ENSUE_CHOOSE(pd, 256);
  } else {
    typedef float reals __attribute__((vector_size(sizeof(V))));
    if constexpr (sizeof(V) == 64) return (V)ENSUE_CHOOSE(ps, 512);
    else if constexpr (sizeof(V) == 32) return (V)ENSUE_CHOOSE(ps, 256);
    else return (V)ENSUE_CHOOSE(ps, 128);
  }
#undef ENSUE_CHOOSE
}

template <relation R, class T, int W> ENSUE_INLINE std::uint32_t bits_of_comparison(const lanes<T, W>& a, const lanes<T, W>& b) {
  if constexpr (lanes<T, W>::one_register) return compared_bits<R, T>(a.v, b.v);
  else return bits_of_comparison<R>(a.low, b.low) | bits_of_comparison<R>(a.high, b.high) << (W / 2);
}
template <class T, int W> ENSUE_INLINE lanes<T, W> choose_by_bits(std::uint32_t bits, const lanes<T, W>& a, const lanes<T, W>& b) {
  if constexpr (lanes<T, W>::one_register) return {chosen_by_bits(bits, a.v, b.v)};
  else return {choose_by_bits(bits, a.low, b.low), choose_by_bits(bits >> (W / 2), a.high, b.high)};
}
template <int W, class T> ENSUE_INLINE lanes<T, W> choose(const bit_set<W>& m, const lanes<T, W>& a, const lanes<T, W>& b) {
  return choose_by_bits(m.v, a, b);
}
#endif

template <int W> ENSUE_INLINE bit_set<W> both(const bit_set<W>& a, const bit_set<W>& b) { return bit_set<W>::of(a.v & b.v); }
template <int W> ENSUE_INLINE bit_set<W> either(const bit_set<W>& a, const bit_set<W>& b) { return bit_set<W>::of(a.v | b.v); }
template <int W> ENSUE_INLINE bit_set<W> differ(const bit_set<W>& a, const bit_set<W>& b) { return bit_set<W>::of(a.v ^ b.v); }
template <int W> ENSUE_INLINE bit_set<W> inverse(const bit_set<W>& a) { return bit_set<W>::of(a.v ^ bit_set<W>::every); }
template <bool Every, int W> ENSUE_INLINE bool reduce(const bit_set<W>& a) { return Every ? a.v == bit_set<W>::every : a.v != 0; }
template <int W> ENSUE_INLINE std::uint32_t bits_of_lanes(const bit_set<W>& a) { return a.v; }
template <int W> ENSUE_INLINE bool truth(const bit_set<W>& a, int i) { return a.v >> i & 1; }
template <int W> ENSUE_INLINE void set_truth(bit_set<W>& a, int i, bool value) {
  a = bit_set<W>::of((a.v & ~(std::uint32_t(1) << i)) | std::uint32_t(value) << i);
}

// ---- Lanes of ones or zeros. -----------------------------------------------------------------------------------------------------------

/// What comparing two vectors of T yields: −1 or 0 in integers of T's size.
template <class T> struct comparison {
  using vector = typename lanes<T, 16 / sizeof(T)>::type;
  using element = std::remove_cvref_t<decltype((vector{} < vector{})[0])>;
};

/// Masks of 4-byte and 8-byte elements into each other. An element is all ones or all zeros, so its 4-byte pieces are
/// duplicated or dropped: shuffles, where a conversion of integers would take several instructions.
template <class To, class From, std::size_t... I>
ENSUE_INLINE To shuffle(const From& a, const From& b, std::index_sequence<I...>) {
  typedef int pieces __attribute__((vector_size(sizeof(From))));
  const auto chosen = __builtin_shufflevector((pieces)a, (pieces)b, I...);
  return __builtin_bit_cast(To, chosen);
}
template <int First, std::size_t... I> constexpr auto duplicates(std::index_sequence<I...>) {
  return std::index_sequence<(First + I / 2)...>();
}
template <std::size_t... I> constexpr auto evens(std::index_sequence<I...>) {
  return std::index_sequence<(2 * I)...>();
}

template <class To, class From, int W> ENSUE_INLINE lanes<To, W> convert_mask(const lanes<From, W>& a) {
  using source = lanes<From, W>;
  using result = lanes<To, W>;
  if constexpr (sizeof(To) == sizeof(From)) {
    return reinterpret<result>(a);
  } else if constexpr (W == 1) {
    return result{static_cast<To>(a.v)};
  } else if constexpr (sizeof(To) > sizeof(From) && source::one_register) {
    if constexpr (result::one_register) {
      return result{shuffle<typename result::type>(a.v, a.v, duplicates<0>(std::make_index_sequence<2 * W>()))};
    } else {
      using half = typename result::half;
      constexpr std::make_index_sequence<W> pieces;
      return result{half{shuffle<typename half::type>(a.v, a.v, duplicates<0>(pieces))},
                    half{shuffle<typename half::type>(a.v, a.v, duplicates<W / 2>(pieces))}};
    }
  } else if constexpr (sizeof(To) < sizeof(From) && result::one_register) {
    constexpr auto pieces = evens(std::make_index_sequence<W>());
    if constexpr (source::one_register) {
      return result{shuffle<typename result::type>(a.v, a.v, pieces)};
    } else {
      return result{shuffle<typename result::type>(a.low.v, a.high.v, pieces)};
    }
  } else {
    return result{convert_mask<To, From, W / 2>(a.low), convert_mask<To, From, W / 2>(a.high)};
  }
}

// Plain SSE2 cannot compare 64-bit integers, and GCC, which reads a vector mask as "integers compared with zero", then takes the lanes
// apart. There it is shown mere bits, and a choice is made of and, and-not, or: what SSE2 has. Everywhere else the compiler's own reading
// is the better one (blends).
template <class V> ENSUE_INLINE auto logic(const V& v) {
#if defined(__SSE2__) && !defined(__SSE4_2__) && !defined(__clang__)
  if constexpr (!std::is_arithmetic_v<V>) {
    typedef unsigned bits __attribute__((vector_size(sizeof(V))));
    return (bits)v;
  } else
#endif
    return v;
}
template <class E, int W> ENSUE_INLINE lanes<E, W> both(const lanes<E, W>& a, const lanes<E, W>& b) {
  return map<lanes<E, W>>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return (decltype(x))(logic(x) & logic(y)); }, a, b);
}
template <class E, int W> ENSUE_INLINE lanes<E, W> either(const lanes<E, W>& a, const lanes<E, W>& b) {
  return map<lanes<E, W>>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return (decltype(x))(logic(x) | logic(y)); }, a, b);
}
template <class E, int W> ENSUE_INLINE lanes<E, W> differ(const lanes<E, W>& a, const lanes<E, W>& b) {
  return map<lanes<E, W>>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return (decltype(x))(logic(x) ^ logic(y)); }, a, b);
}
template <class E, int W> ENSUE_INLINE lanes<E, W> inverse(const lanes<E, W>& a) {
  return map<lanes<E, W>>([](auto x) ENSUE_INLINE_LAMBDA { return (decltype(x))~logic(x); }, a);
}
template <class E, class T, int W> ENSUE_INLINE lanes<T, W> choose(const lanes<E, W>& m, const lanes<T, W>& a, const lanes<T, W>& b) {
  return map<lanes<T, W>>(
      [](auto c, auto x, auto y) ENSUE_INLINE_LAMBDA {
        if constexpr (std::is_same_v<decltype(c), decltype(logic(c))>)
          return c < 0 ? x : y;  // all ones or zeros: the sign says it, and blends look at nothing else
        else return (decltype(x))((logic(c) & logic(x)) | (~logic(c) & logic(y)));
      },
      m, a, b);
}

/// Whether some lane of a register, or every lane, is set.
template <bool Every, class V> ENSUE_INLINE bool test(const V& v) {
  if constexpr (sizeof(V) == 4) {
    return Every ? __builtin_bit_cast(std::int32_t, v) == -1 : __builtin_bit_cast(std::int32_t, v) != 0;
  } else if constexpr (sizeof(V) == 8) {
    return Every ? __builtin_bit_cast(std::int64_t, v) == -1 : __builtin_bit_cast(std::int64_t, v) != 0;
  } else {
#if defined(__SSE2__)
    return Every ? sign_bits(v) == (1u << (sizeof(V) / sizeof(v[0]))) - 1 : sign_bits(v) != 0;
#else
    struct words {
      std::int64_t low, high;
    };
    const words w = __builtin_bit_cast(words, v);
    return Every ? (w.low & w.high) == -1 : (w.low | w.high) != 0;
#endif
  }
}
template <bool Every, class E, int W> ENSUE_INLINE bool reduce(const lanes<E, W>& a) {
  if constexpr (lanes<E, W>::one_register) return test<Every>(a.v);
  else return reduce<Every>(Every ? both(a.low, a.high) : either(a.low, a.high));
}

template <class E, int W> ENSUE_INLINE std::uint32_t bits_of_lanes(const lanes<E, W>& a) {
  if constexpr (!lanes<E, W>::one_register) {
    return bits_of_lanes(a.low) | bits_of_lanes(a.high) << (W / 2);
  } else if constexpr (W == 1) {
    return a.v != 0;
  } else {
#if defined(__SSE2__)
    if constexpr (sizeof(a.v) >= 16) return sign_bits(a.v);
#endif
    std::uint32_t bits = 0;
    for (int i = 0; i < W; ++i) bits |= static_cast<std::uint32_t>(a.v[i] != 0) << i;
    return bits;
  }
}
template <class E, int W> ENSUE_INLINE bool truth(const lanes<E, W>& a, int i) { return element(a, i) != 0; }
template <class E, int W> ENSUE_INLINE void set_truth(lanes<E, W>& a, int i, bool value) {
  set_element(a, i, static_cast<E>(-static_cast<E>(value)));
}

// ---- Whichever it is. ------------------------------------------------------------------------------------------------------------------

template <class T, int W>
using truths = std::conditional_t<kept_as_bits<W>, bit_set<W>, lanes<typename comparison<T>::element, W>>;

template <class T, int W> ENSUE_INLINE constexpr truths<T, W> same_truth(bool every) {
  if constexpr (kept_as_bits<W>) {
    return bit_set<W>::of(every ? bit_set<W>::every : 0);
  } else {
    using element = typename comparison<T>::element;
    return broadcast<truths<T, W>>(static_cast<element>(-static_cast<element>(every)), std::make_index_sequence<W>());
  }
}

/// What T's comparisons gave, as U's would have.
template <class U, class T, int W> ENSUE_INLINE truths<U, W> convert_truths(const truths<T, W>& m) {
  if constexpr (kept_as_bits<W>) return m;
  else return convert_mask<typename comparison<U>::element, typename comparison<T>::element, W>(m);
}

template <relation R, class T, int W> ENSUE_INLINE constexpr truths<T, W> compare(const lanes<T, W>& a, const lanes<T, W>& b) {
  if constexpr (kept_as_bits<W>) {
    return bit_set<W>::of(bits_of_comparison<R>(a, b));
  } else {
    return map<truths<T, W>>(
        [](auto x, auto y) ENSUE_INLINE_LAMBDA {
          using element = typename comparison<T>::element;
          if constexpr (W == 1) return static_cast<element>(-static_cast<element>(related<R>(x, y)));
          else return related<R>(x, y);
        },
        a, b);
  }
}

}  // namespace pack_detail

}  // namespace ENSUE_PACK_NAMESPACE
}  // namespace ensue
#endif
