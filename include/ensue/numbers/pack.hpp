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

#include <ensue/numbers/pack_masks.hpp>
#include <ensue/numbers/pack_registers.hpp>
#include <ensue/numbers/scalar.hpp>

#if defined(__GNUC__) && !defined(__CUDACC__)
#define ENSUE_HAS_PACK 1

namespace ensue {
inline namespace ENSUE_PACK_NAMESPACE {

template <class T, int W> struct pack;
template <class T, int W> struct mask;

/// One truth value a lane, the outcome of comparing two packs.
///
///     const auto outside = x > 1;                       // mask<double, 4>
///     if (any(outside | (y < 0))) x = select(outside, 1, x);
///
/// `&`, `|`, `^` and `!` act lane by lane; `any`, `all`, `none` answer for the whole (two or three instructions a
/// register). There is no conversion to bool: `if (mask)` would not say which is meant. Masks of equal width convert
/// into each other, so a comparison of floats can select counts.
template <class T, int W> struct mask {
  using storage = pack_detail::truths<T, W>;
  static constexpr int width = W;
  storage data;

  mask() = default;
  ENSUE_INLINE explicit constexpr mask(const storage& s) : data(s) {}
  template <class B>
    requires std::is_same_v<B, bool>
  ENSUE_INLINE constexpr mask(B every) : data(pack_detail::same_truth<T, W>(every)) {}
  template <class U>
    requires(!std::is_same_v<T, U>)
  ENSUE_INLINE mask(const mask<U, W>& m) : data(pack_detail::convert_truths<T, U, W>(m.data)) {}

  ENSUE_INLINE bool operator[](int i) const { return pack_detail::truth(data, i); }

  // Between masks of different numbers (a count has run out, a step is too small) the left one says what the result is.
#define ENSUE_MASK_LOGIC(op, name)                                                                                                       \
  ENSUE_INLINE friend mask operator op(const mask& a, const mask& b) { return mask(pack_detail::name(a.data, b.data)); }                 \
  template <class U>                                                                                                                     \
    requires(!std::is_same_v<T, U>)                                                                                                      \
  ENSUE_INLINE friend mask operator op(const mask& a, const mask<U, W>& b) {                                                             \
    return a op mask(b);                                                                                                                 \
  }                                                                                                                                      \
  ENSUE_INLINE mask& operator op##=(const mask & b) { return *this = *this op b; }
  ENSUE_MASK_LOGIC(&, both)
  ENSUE_MASK_LOGIC(|, either)
  ENSUE_MASK_LOGIC(^, differ)
#undef ENSUE_MASK_LOGIC
  ENSUE_INLINE friend mask operator!(const mask& a) { return mask(pack_detail::inverse(a.data)); }
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

#define ENSUE_PACK_COMPARISON(op, name)                                                                      \
  ENSUE_INLINE friend constexpr mask_type operator op(const pack& a, const pack& b) {                        \
    return mask_type(pack_detail::compare<pack_detail::relation::name, T, W>(a.data, b.data));               \
  }
  ENSUE_PACK_COMPARISON(<, less)
  ENSUE_PACK_COMPARISON(<=, at_most)
  ENSUE_PACK_COMPARISON(>, more)
  ENSUE_PACK_COMPARISON(>=, at_least)
  ENSUE_PACK_COMPARISON(==, equal)
  ENSUE_PACK_COMPARISON(!=, different)
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
  ENSUE_INLINE friend pack min(const pack& a, const pack& b) { return minimum(b, a); }
  ENSUE_INLINE friend pack max(const pack& a, const pack& b) { return maximum(b, a); }

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
  return pack<T, W>(pack_detail::choose(own.data, a.data, b.data));
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
template <class T, int W> ENSUE_INLINE pack<T, W> minimum(const pack<T, W>& a, const pack<T, W>& b) {
  return pack<T, W>(pack_detail::map<pack_detail::lanes<T, W>>(
      [](const auto& x, const auto& y) ENSUE_INLINE_LAMBDA { return pack_detail::extreme<false>(x, y); }, a.data, b.data));
}
template <class T, int W> ENSUE_INLINE pack<T, W> maximum(const pack<T, W>& a, const pack<T, W>& b) {
  return pack<T, W>(pack_detail::map<pack_detail::lanes<T, W>>(
      [](const auto& x, const auto& y) ENSUE_INLINE_LAMBDA { return pack_detail::extreme<true>(x, y); }, a.data, b.data));
}
template <class T, int W> ENSUE_INLINE pack<T, W> value_of(const pack<T, W>& x) { return x; }

/// The number, or the truth value, of lane i (0 ≤ i < W), and a way to set it. With i known to the compiler a few
/// instructions, otherwise a trip through memory: for filling and emptying lanes, not for arithmetic.
template <class T, int W> ENSUE_INLINE T lane(const pack<T, W>& x, int i) { return x[i]; }
template <class T, int W> ENSUE_INLINE bool lane(const mask<T, W>& m, int i) { return m[i]; }
template <class T, int W> ENSUE_INLINE void set_lane(pack<T, W>& x, int i, std::type_identity_t<T> value) {
  pack_detail::set_element<T, W>(x.data, i, value);
}
template <class T, int W> ENSUE_INLINE void set_lane(mask<T, W>& m, int i, bool value) { pack_detail::set_truth(m.data, i, value); }

/// One bit a lane, lane 0 the lowest.
template <class T, int W> ENSUE_INLINE std::uint32_t lane_bits(const mask<T, W>& m) { return pack_detail::bits_of_lanes(m.data); }

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

template <class T, int W> ENSUE_INLINE pack<T, W> with_sign(const pack<T, W>& x, const pack<T, W>& sign) {
  using word = pack_detail::unsigned_of<T>;
  constexpr word size = static_cast<word>(-1) >> 1;
  return from_bits<pack<T, W>>((bits_of(x) & pack<word, W>(size)) | (bits_of(sign) & pack<word, W>(~size)));
}

#if defined(__SSE2__)
/// 1/√x to 11 bits or more (reciprocal_root.hpp).
template <int W> ENSUE_INLINE pack<float, W> estimated_reciprocal_root(const pack<float, W>& x) {
  return pack<float, W>(pack_detail::map<pack_detail::lanes<float, W>>(
      [](auto v) ENSUE_INLINE_LAMBDA { return pack_detail::estimated_reciprocal_root(v); }, x.data));
}
#endif

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

#endif
