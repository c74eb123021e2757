/// W trajectories in one value: `pack<T, W>` is W numbers that are added, multiplied and compared together, one
/// instruction for as many of them as a register holds.
///
///     template <class T> T spring(T x, T v) { return -T(40) * x - 0.5 * v; }
///     ensue::pack<float, 8> a = spring(ensue::pack<float, 8>::load(positions), ensue::pack<float, 8>(0));
///     a.store(accelerations);
///
/// Models and solvers written over a scalar `T` take it unchanged. Each lane computes what the scalar code computes,
/// bit for bit, when both are compiled with -ffp-contract=off. (One trap is the language's own: `x * 0.1` with a float
/// x is computed in double for a scalar and in float for a pack. `x * T(0.1)` is float in both.)
///
/// Cost: + − * / sqrt, comparisons and `select` are vector instructions at the -march the program is compiled for; sin,
/// exp, pow and their like cost W calls of the scalar function. Any width works on any machine: a pack wider than a
/// register is two packs of half the width, so no vector type ever exceeds the machine's registers (nothing is
/// scalarised and GCC has no reason to warn about calling conventions). What fits best is a multiple of a register: W =
/// 4 doubles or 8 floats with AVX2, twice that with AVX-512.
///
/// It is built on the vector extensions of GCC and Clang. Other compilers and nvcc see an empty header;
/// `ENSUE_HAS_PACK` says which.
#pragma once

#include <ensue/scalar.hpp>

#if defined(__GNUC__) && !defined(__CUDACC__)
#define ENSUE_HAS_PACK 1
#include <utility>

// Object files compiled for several instruction sets may meet in one program. The set is part of the type's name, so
// that the linker never takes one set's code for another's. (Hence: include this header, do not forward-declare pack.)
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define ENSUE_PACK_NAMESPACE lanes_avx512
#define ENSUE_PACK_REGISTER 64
#elif defined(__AVX2__)
#define ENSUE_PACK_NAMESPACE lanes_avx2
#define ENSUE_PACK_REGISTER 32
#else
#define ENSUE_PACK_NAMESPACE lanes_128
#define ENSUE_PACK_REGISTER 16
#endif
#define ENSUE_INLINE_LAMBDA __attribute__((always_inline))

namespace ensue {
inline namespace ENSUE_PACK_NAMESPACE {

template <class T, int W> struct pack;
template <class T, int W> struct mask;

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

/// What comparing two vectors of T yields: −1 or 0 in integers of T's size.
template <class T> struct comparison {
  using vector = typename lanes<T, 16 / sizeof(T)>::type;
  using element = std::remove_cvref_t<decltype((vector{} < vector{})[0])>;
};
template <class T> using mask_element = typename comparison<T>::element;

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

// The logic of masks. Plain SSE2 cannot compare 64-bit integers, and GCC, which reads a vector mask as "integers
// compared with zero", then takes the lanes apart. There it is shown mere bits, and a choice is made of and, and-not,
// or: what SSE2 has. Everywhere else the compiler's own reading is the better one (blends, and AVX-512's mask
// registers).
template <class V> ENSUE_INLINE auto logic(const V& v) {
#if defined(__SSE2__) && !defined(__SSE4_2__) && !defined(__clang__)
  if constexpr (!std::is_arithmetic_v<V>) {
    typedef unsigned bits __attribute__((vector_size(sizeof(V))));
    return (bits)v;
  } else
#endif
    return v;
}
template <class V> ENSUE_INLINE V both(const V& a, const V& b) { return (V)(logic(a) & logic(b)); }
template <class V> ENSUE_INLINE V either(const V& a, const V& b) { return (V)(logic(a) | logic(b)); }
template <class V> ENSUE_INLINE V differ(const V& a, const V& b) { return (V)(logic(a) ^ logic(b)); }
template <class V> ENSUE_INLINE V inverse(const V& a) { return (V)~logic(a); }
template <class M, class V> ENSUE_INLINE V choose(const M& m, const V& a, const V& b) {
  if constexpr (std::is_same_v<M, decltype(logic(m))>) {
    return m < 0 ? a : b;  // all ones or zeros: the sign says it, and blends look at nothing else
  } else {
    return (V)((logic(m) & logic(a)) | (~logic(m) & logic(b)));
  }
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

/// Whether some lane of a mask's register, or every lane, is set.
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
template <bool Every, class A> ENSUE_INLINE bool reduce(const A& a) {
  if constexpr (A::one_register) {
    return test<Every>(a.v);
  } else {
    return reduce<Every>(map<typename A::half>(
        [](auto x, auto y) ENSUE_INLINE_LAMBDA {
          if constexpr (Every) return both(x, y);
          else return either(x, y);
        },
        a.low, a.high));
  }
}

template <class T, int W> ENSUE_INLINE T element(const lanes<T, W>& a, int i) {
  if constexpr (!lanes<T, W>::one_register) {
    return i < W / 2 ? element(a.low, i) : element(a.high, i - W / 2);
  } else if constexpr (W == 1) {
    return a.v;
  } else {
    return a.v[i];
  }
}
template <class T, int W> ENSUE_INLINE void set_element(lanes<T, W>& a, int i, T x) {
  if constexpr (!lanes<T, W>::one_register) {
    i < W / 2 ? set_element(a.low, i, x) : set_element(a.high, i - W / 2, x);
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

template <class T>
using unsigned_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

}  // namespace pack_detail

/// One truth value a lane, the outcome of comparing two packs.
///
///     const auto outside = x > 1;                       // mask<double, 4>
///     if (any(outside | (y < 0))) x = select(outside, 1, x);
///
/// `&`, `|`, `^` and `!` act lane by lane; `any`, `all`, `none` answer for the whole (two or three instructions a
/// register). There is no conversion to bool: `if (mask)` would not say which is meant. Masks of equal width convert
/// into each other, so a comparison of floats can select counts.
template <class T, int W> struct mask {
  using element = pack_detail::mask_element<T>;
  using storage = pack_detail::lanes<element, W>;
  static constexpr int width = W;
  storage data;

  mask() = default;
  ENSUE_INLINE explicit constexpr mask(const storage& s) : data(s) {}
  template <class B>
    requires std::is_same_v<B, bool>
  ENSUE_INLINE constexpr mask(B every)
      : data(pack_detail::broadcast<storage>(static_cast<element>(-static_cast<element>(every)),
                                             std::make_index_sequence<W>())) {}
  template <class U>
    requires(!std::is_same_v<T, U>)
  ENSUE_INLINE mask(const mask<U, W>& m)
      : data(pack_detail::convert_mask<element, typename mask<U, W>::element, W>(m.data)) {}

  ENSUE_INLINE bool operator[](int i) const { return pack_detail::element<element, W>(data, i) != 0; }

  // Between masks of different numbers (a count has run out, a step is too small) the left one says what the result is.
#define ENSUE_MASK_LOGIC(op, name)                                                                                    \
  ENSUE_INLINE friend mask operator op(const mask& a, const mask& b) {                                                \
    return mask(pack_detail::map<storage>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return pack_detail::name(x, y); }, \
                                          a.data, b.data));                                                           \
  }                                                                                                                   \
  template <class U>                                                                                                  \
    requires(!std::is_same_v<T, U>)                                                                                   \
  ENSUE_INLINE friend mask operator op(const mask& a, const mask<U, W>& b) {                                          \
    return a op mask(b);                                                                                              \
  }                                                                                                                   \
  ENSUE_INLINE mask& operator op##=(const mask & b) { return *this = *this op b; }
  ENSUE_MASK_LOGIC(&, both)
  ENSUE_MASK_LOGIC(|, either)
  ENSUE_MASK_LOGIC(^, differ)
#undef ENSUE_MASK_LOGIC
  ENSUE_INLINE friend mask operator!(const mask& a) {
    return mask(pack_detail::map<storage>([](auto x) ENSUE_INLINE_LAMBDA { return pack_detail::inverse(x); }, a.data));
  }
};

/// W numbers of type T (float or double; 64-bit integers for counts; other integers for their bits), W a power of two
/// up to 32. Left uninitialised by default, zero by `pack{}`; any number converts to it and fills every lane.
///
///     auto x = ensue::pack<double, 4>::load(p);         // p need not be aligned
///     x = x * x - 2;
///     double third = x[2];
template <class T, int W> struct pack {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)),
                "ensue: a pack holds float, double or 32- or 64-bit integers");
  static_assert(W >= 1 && W <= 32 && (W & (W - 1)) == 0, "ensue: the width of a pack is 1, 2, 4, 8, 16 or 32");

  using element = T;
  using storage = pack_detail::lanes<T, W>;
  using mask_type = mask<T, W>;
  static constexpr int width = W;
  storage data;

  pack() = default;
  ENSUE_INLINE explicit constexpr pack(const storage& s) : data(s) {}
  template <class U>
    requires(std::is_arithmetic_v<U> && (std::is_floating_point_v<T> || std::is_integral_v<U>))
  ENSUE_INLINE constexpr pack(U x)
      : data(pack_detail::broadcast<storage>(static_cast<T>(x), std::make_index_sequence<W>())) {}
  /// Lane by lane, as static_cast does.
  template <class U>
    requires(!std::is_same_v<T, U>)
  ENSUE_INLINE explicit pack(const pack<U, W>& x) : data(pack_detail::convert<T, U, W>(x.data)) {}

  /// W consecutive numbers, from and to memory of any alignment.
  ENSUE_INLINE static pack load(const T* from) { return pack(pack_detail::load<storage>(from)); }
  ENSUE_INLINE void store(T* to) const { pack_detail::store(to, data); }

  ENSUE_INLINE T operator[](int i) const { return pack_detail::element<T, W>(data, i); }

#define ENSUE_PACK_ARITHMETIC(op)                                                                                      \
  ENSUE_INLINE friend constexpr pack operator op(const pack& a, const pack& b) {                                       \
    return pack(pack_detail::map<storage>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return x op y; }, a.data, b.data)); \
  }                                                                                                                    \
  ENSUE_INLINE constexpr pack& operator op##=(const pack & b) { return *this = *this op b; }
  ENSUE_PACK_ARITHMETIC(+)
  ENSUE_PACK_ARITHMETIC(-)
  ENSUE_PACK_ARITHMETIC(*)
  ENSUE_PACK_ARITHMETIC(/)
#undef ENSUE_PACK_ARITHMETIC
  ENSUE_INLINE constexpr pack operator-() const {
    return pack(pack_detail::map<storage>([](auto x) ENSUE_INLINE_LAMBDA { return -x; }, data));
  }
  ENSUE_INLINE constexpr pack operator+() const { return *this; }

#define ENSUE_PACK_BITWISE(op)                                                                                         \
  ENSUE_INLINE friend constexpr pack operator op(const pack& a, const pack& b)                                         \
    requires std::is_integral_v<T>                                                                                     \
  {                                                                                                                    \
    return pack(pack_detail::map<storage>([](auto x, auto y) ENSUE_INLINE_LAMBDA { return x op y; }, a.data, b.data)); \
  }
  ENSUE_PACK_BITWISE(&)
  ENSUE_PACK_BITWISE(|)
  ENSUE_PACK_BITWISE(^)
#undef ENSUE_PACK_BITWISE
  ENSUE_INLINE friend constexpr pack operator<<(const pack& a, int bits)
    requires std::is_integral_v<T>
  {
    return pack(pack_detail::map<storage>([bits](auto x) ENSUE_INLINE_LAMBDA { return x << bits; }, a.data));
  }
  ENSUE_INLINE friend constexpr pack operator>>(const pack& a, int bits)
    requires std::is_integral_v<T>
  {
    return pack(pack_detail::map<storage>([bits](auto x) ENSUE_INLINE_LAMBDA { return x >> bits; }, a.data));
  }

#define ENSUE_PACK_COMPARISON(op)                                                     \
  ENSUE_INLINE friend constexpr mask_type operator op(const pack& a, const pack& b) { \
    return mask_type(pack_detail::map<typename mask_type::storage>(                   \
        [](auto x, auto y) ENSUE_INLINE_LAMBDA {                                      \
          if constexpr (W == 1) {                                                     \
            using integer = typename mask_type::element;                              \
            return static_cast<integer>(-static_cast<integer>(x op y));               \
          } else {                                                                    \
            return x op y;                                                            \
          }                                                                           \
        },                                                                            \
        a.data, b.data));                                                             \
  }
  ENSUE_PACK_COMPARISON(<)
  ENSUE_PACK_COMPARISON(<=)
  ENSUE_PACK_COMPARISON(>)
  ENSUE_PACK_COMPARISON(>=)
  ENSUE_PACK_COMPARISON(==)
  ENSUE_PACK_COMPARISON(!=)
#undef ENSUE_PACK_COMPARISON

  // What a model's equations call. Friends found by argument-dependent lookup only: `sin(x)`, or `using std::sin;
  // sin(x)` where x may also be a double. Being no names of namespace ensue they never hide the scalar functions inside
  // it.

  ENSUE_INLINE friend pack sqrt(const pack& x) {
    return pack(
        pack_detail::map<storage>([](auto v) ENSUE_INLINE_LAMBDA { return pack_detail::square_root(v); }, x.data));
  }
  ENSUE_INLINE friend pack abs(const pack& x) {
    if constexpr (std::is_floating_point_v<T>) {
      using bits = pack<pack_detail::unsigned_of<T>, W>;
      return from_bits<pack>(bits_of(x) & bits(static_cast<pack_detail::unsigned_of<T>>(-1) >> 1));
    } else {
      return select(x < 0, -x, x);
    }
  }
  ENSUE_INLINE friend pack fabs(const pack& x) { return abs(x); }
  /// As std::min and std::max: the first where the two are equal or not comparable.
  ENSUE_INLINE friend pack min(const pack& a, const pack& b) { return select(b < a, b, a); }
  ENSUE_INLINE friend pack max(const pack& a, const pack& b) { return select(a < b, b, a); }

  // The builtins are the functions of <cmath> without the 0.2 s that header takes to compile.
#define ENSUE_PACK_FUNCTION(name)                               \
  ENSUE_INLINE friend pack name(const pack& x) {                \
    T a[W];                                                     \
    x.store(a);                                                 \
    for (T & e : a) {                                           \
      if constexpr (sizeof(T) == 4) e = __builtin_##name##f(e); \
      else e = __builtin_##name(e);                             \
    }                                                           \
    return load(a);                                             \
  }
  ENSUE_PACK_FUNCTION(floor)
  ENSUE_PACK_FUNCTION(ceil)
  ENSUE_PACK_FUNCTION(exp)
  ENSUE_PACK_FUNCTION(expm1)
  ENSUE_PACK_FUNCTION(log)
  ENSUE_PACK_FUNCTION(log1p)
  ENSUE_PACK_FUNCTION(log2)
  ENSUE_PACK_FUNCTION(log10)
  ENSUE_PACK_FUNCTION(sin)
  ENSUE_PACK_FUNCTION(cos)
  ENSUE_PACK_FUNCTION(tan)
  ENSUE_PACK_FUNCTION(asin)
  ENSUE_PACK_FUNCTION(acos)
  ENSUE_PACK_FUNCTION(atan)
  ENSUE_PACK_FUNCTION(sinh)
  ENSUE_PACK_FUNCTION(cosh)
  ENSUE_PACK_FUNCTION(tanh)
  ENSUE_PACK_FUNCTION(cbrt)
#undef ENSUE_PACK_FUNCTION

#define ENSUE_PACK_FUNCTION(name)                                           \
  ENSUE_INLINE friend pack name(const pack& x, const pack& y) {             \
    T a[W], b[W];                                                           \
    x.store(a);                                                             \
    y.store(b);                                                             \
    for (int i = 0; i < W; ++i) {                                           \
      if constexpr (sizeof(T) == 4) a[i] = __builtin_##name##f(a[i], b[i]); \
      else a[i] = __builtin_##name(a[i], b[i]);                             \
    }                                                                       \
    return load(a);                                                         \
  }
  ENSUE_PACK_FUNCTION(atan2)
  ENSUE_PACK_FUNCTION(hypot)
  ENSUE_PACK_FUNCTION(pow)
#undef ENSUE_PACK_FUNCTION
  /// The exponent stays a constant the compiler sees: `pow(x, 2)` is x * x.
  template <class U>
    requires std::is_arithmetic_v<U>
  ENSUE_INLINE friend pack pow(const pack& x, U exponent) {
    T a[W];
    x.store(a);
    for (T& e : a) {
      if constexpr (sizeof(T) == 4) e = __builtin_powf(e, static_cast<T>(exponent));
      else e = __builtin_pow(e, static_cast<T>(exponent));
    }
    return load(a);
  }
};

/// Whether the condition holds in some lane, in every lane, in no lane.
template <class T, int W> ENSUE_INLINE bool any(const mask<T, W>& m) { return pack_detail::reduce<false>(m.data); }
template <class T, int W> ENSUE_INLINE bool all(const mask<T, W>& m) { return pack_detail::reduce<true>(m.data); }
template <class T, int W> ENSUE_INLINE bool none(const mask<T, W>& m) { return !any(m); }

/// `m ? a : b`, lane by lane; the mask may come from comparing numbers of another size, a or b may be a plain number.
template <class M, class T, int W>
ENSUE_INLINE pack<T, W> select(const mask<M, W>& m, const pack<T, W>& a, const pack<T, W>& b) {
  const mask<T, W> own = m;
  return pack<T, W>(pack_detail::map<pack_detail::lanes<T, W>>(
      [](auto c, auto x, auto y) ENSUE_INLINE_LAMBDA { return pack_detail::choose(c, x, y); }, own.data, a.data,
      b.data));
}
template <class M, class T, int W, class U>
  requires std::is_arithmetic_v<U>
ENSUE_INLINE pack<T, W> select(const mask<M, W>& m, const pack<T, W>& a, U b) {
  return select(m, a, pack<T, W>(b));
}
template <class M, class T, int W, class U>
  requires std::is_arithmetic_v<U>
ENSUE_INLINE pack<T, W> select(const mask<M, W>& m, U a, const pack<T, W>& b) {
  return select(m, pack<T, W>(a), b);
}
template <class T, int W> ENSUE_INLINE pack<T, W> select(bool m, const pack<T, W>& a, const pack<T, W>& b) {
  return m ? a : b;
}
/// Masks choose between masks too.
template <class M, class T, int W>
ENSUE_INLINE mask<T, W> select(const mask<M, W>& m, const mask<T, W>& a, const mask<T, W>& b) {
  const mask<T, W> own = m;
  return (own & a) | ((!own) & b);
}

template <class T, int W> ENSUE_INLINE pack<T, W> magnitude(const pack<T, W>& x) { return abs(x); }
template <class T, int W> ENSUE_INLINE pack<T, W> value_of(const pack<T, W>& x) { return x; }

/// The number, or the truth value, of lane i (0 ≤ i < W), and a way to set it. With i known to the compiler a few
/// instructions, otherwise a trip through memory: for filling and emptying lanes, not for arithmetic.
template <class T, int W> ENSUE_INLINE T lane(const pack<T, W>& x, int i) { return x[i]; }
template <class T, int W> ENSUE_INLINE bool lane(const mask<T, W>& m, int i) { return m[i]; }
template <class T, int W> ENSUE_INLINE void set_lane(pack<T, W>& x, int i, std::type_identity_t<T> value) {
  pack_detail::set_element<T, W>(x.data, i, value);
}
template <class T, int W> ENSUE_INLINE void set_lane(mask<T, W>& m, int i, bool value) {
  using element = typename mask<T, W>::element;
  pack_detail::set_element<element, W>(m.data, i, static_cast<element>(-static_cast<element>(value)));
}

/// Counts as real numbers, exactly rounded: `to_real<pack<float, 8>>(steps)`.
template <class Real, int W>
  requires std::is_same_v<Real, pack<typename Real::element, W>>
ENSUE_INLINE Real to_real(const pack<std::int64_t, W>& n) {
  return Real(n);
}

/// The bits of each number as an unsigned integer of its size, and back.
template <class T, int W> ENSUE_INLINE pack<pack_detail::unsigned_of<T>, W> bits_of(const pack<T, W>& x) {
  return pack<pack_detail::unsigned_of<T>, W>(
      pack_detail::reinterpret<pack_detail::lanes<pack_detail::unsigned_of<T>, W>>(x.data));
}
template <class Real, class U, int W> ENSUE_INLINE Real from_bits(const pack<U, W>& bits) {
  return Real(pack_detail::reinterpret<typename Real::storage>(bits.data));
}

/// x, which -ffast-math shall not reassociate with what it is added to (see control/power.hpp).
template <class T, int W> ENSUE_INLINE pack<T, W> as_written(const pack<T, W>& x) {
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
  return pack<T, W>(pack_detail::map<pack_detail::lanes<T, W>>(
      [](auto v) ENSUE_INLINE_LAMBDA {
#if defined(__clang__)
        return __arithmetic_fence(v);
#elif defined(__SSE2__)
        asm("" : "+x"(v));  // GCC's __builtin_assoc_barrier takes vectors apart
        return v;
#else
        asm("" : "+m"(v));
        return v;
#endif
      },
      x.data));
#else
  return x;
#endif
}

}  // namespace ENSUE_PACK_NAMESPACE

template <class T, int W> struct scalar_traits<pack<T, W>> {
  using base = T;
  using real = pack<T, W>;
  using mask = ensue::mask<T, W>;
  using count = pack<std::int64_t, W>;
  static constexpr int lanes = W;
};

}  // namespace ensue

#undef ENSUE_INLINE_LAMBDA
#undef ENSUE_PACK_REGISTER
#undef ENSUE_PACK_NAMESPACE
#endif
