/// Derivatives by computing with them: a `dual` is a value and its N derivatives, and every operation carries both
/// along by the chain rule. A model written over a scalar `T` gives its exact Jacobian, with no differencing and no
/// step to choose.
///
///     using number = ensue::dual<double, 2>;
///     number x = number::variable(3, 0), y = number::variable(4, 1);
///     number r = hypot(x, y);                           // r.value = 5, r.derivative = {0.6, 0.8}
///
/// T is float, double, long double, a pack, or a dual again (second derivatives). Cost: a product is 1 + 2N
/// multiplications; a product with a plain number 1 + N, a sum with one is as the number's own. Works in device code.
///
/// Comparisons look at the value alone, as the scalar program does, so both take the same branches.
///
/// Where a derivative does not exist:
///
///   abs at 0, hypot at (0, 0)             0, the middle of the slopes on either side
///   min, max of equal values              the first argument's
///   floor, ceil                           0
///   sqrt, cbrt, log at 0, asin and acos   ±infinity, the slope's limit; but 0 where the argument does not vary: a
///     at ±1, pow(0, p) for p < 1            constant's derivative is 0 whatever is done with it
///   atan2 at (0, 0)                       NaN; 0 where the arguments do not vary
///   pow(x, p) at x = 0 for p ≥ 1, p = 0   exact; for x < 0 NaN in the derivative by a p that varies
#pragma once

#include <ensue/numbers/scalar.hpp>

#include <cmath>

// Derivatives are kept in registers only if no loop over them remains when the compiler looks for such arrays.
#if defined(__CUDA_ARCH__) || (defined(__clang__) && !defined(__CUDACC__))
#define ENSUE_DUAL_EACH _Pragma("unroll") for (int i = 0; i < N; ++i)
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define ENSUE_DUAL_EACH _Pragma("GCC unroll 64") for (int i = 0; i < N; ++i)
#else
#define ENSUE_DUAL_EACH for (int i = 0; i < N; ++i)
#endif

namespace ensue {

/// A number that a dual over T takes as a constant: `int`, `double`, … and whatever T itself is made from.
template <class S, class T>
concept constant_for = std::is_arithmetic_v<S> || std::is_convertible_v<S, T>;

namespace detail {
template <class T> inline constexpr T largest = std::numeric_limits<T>::max();
}

/// A value and its derivatives by N variables. Left uninitialised by default, zero by `dual{}`; numbers convert to it
/// with derivatives zero.
///
///     auto x = ensue::dual<double>::variable(0.5);      // dx/dx = 1
///     auto y = x * sin(2 * x);
///     double slope = y.derivative[0];
template <class T, int N = 1> struct dual {
  static_assert(N >= 1, "ensue: a dual has at least one derivative");
  using real = real_of<T>;
  using mask = mask_of<T>;

  T value;
  T derivative[N];

  dual() = default;
  template <class S>
    requires constant_for<S, T>
  ENSUE_HD ENSUE_INLINE constexpr dual(const S& constant) : value(static_cast<T>(constant)), derivative{} {}

  /// The i-th independent variable: its derivative by itself is 1.
  ENSUE_HD ENSUE_INLINE static constexpr dual variable(const T& value, int i = 0) {
    dual x = value;
    x.derivative[i] = T(1);
    return x;
  }

  // Arithmetic. The overloads with a constant do no work for derivatives that are zero.

  ENSUE_HD ENSUE_INLINE friend constexpr dual operator+(const dual& a, const dual& b) {
    dual r;
    r.value = a.value + b.value;
    ENSUE_DUAL_EACH r.derivative[i] = a.derivative[i] + b.derivative[i];
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator+(const dual& a, const S& b) {
    dual r = a;
    r.value = a.value + static_cast<T>(b);
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator+(const S& a, const dual& b) {
    dual r = b;
    r.value = static_cast<T>(a) + b.value;
    return r;
  }

  ENSUE_HD ENSUE_INLINE friend constexpr dual operator-(const dual& a, const dual& b) {
    dual r;
    r.value = a.value - b.value;
    ENSUE_DUAL_EACH r.derivative[i] = a.derivative[i] - b.derivative[i];
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator-(const dual& a, const S& b) {
    dual r = a;
    r.value = a.value - static_cast<T>(b);
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator-(const S& a, const dual& b) {
    dual r;
    r.value = static_cast<T>(a) - b.value;
    ENSUE_DUAL_EACH r.derivative[i] = -b.derivative[i];
    return r;
  }

  ENSUE_HD ENSUE_INLINE friend constexpr dual operator*(const dual& a, const dual& b) {
    dual r;
    r.value = a.value * b.value;
    ENSUE_DUAL_EACH r.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator*(const dual& a, const S& b) {
    return a.chain(a.value * static_cast<T>(b), static_cast<T>(b));
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator*(const S& a, const dual& b) {
    return b.chain(static_cast<T>(a) * b.value, static_cast<T>(a));
  }

  ENSUE_HD ENSUE_INLINE friend constexpr dual operator/(const dual& a, const dual& b) {
    dual r;
    r.value = a.value / b.value;
    const T inverse = T(1) / b.value;
    ENSUE_DUAL_EACH r.derivative[i] = (a.derivative[i] - r.value * b.derivative[i]) * inverse;
    return r;
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator/(const dual& a, const S& b) {
    return a.chain(a.value / static_cast<T>(b), T(1) / static_cast<T>(b));
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr dual operator/(const S& a, const dual& b) {
    const T quotient = static_cast<T>(a) / b.value;
    return b.chain(quotient, -quotient / b.value);
  }

  ENSUE_HD ENSUE_INLINE constexpr dual operator-() const {
    dual r;
    r.value = -value;
    ENSUE_DUAL_EACH r.derivative[i] = -derivative[i];
    return r;
  }
  ENSUE_HD ENSUE_INLINE constexpr dual operator+() const { return *this; }

  template <class S> ENSUE_HD ENSUE_INLINE constexpr dual& operator+=(const S& b) { return *this = *this + b; }
  template <class S> ENSUE_HD ENSUE_INLINE constexpr dual& operator-=(const S& b) { return *this = *this - b; }
  template <class S> ENSUE_HD ENSUE_INLINE constexpr dual& operator*=(const S& b) { return *this = *this * b; }
  template <class S> ENSUE_HD ENSUE_INLINE constexpr dual& operator/=(const S& b) { return *this = *this / b; }

#define ENSUE_DUAL_COMPARISON(op)                                                                                      \
  ENSUE_HD ENSUE_INLINE friend constexpr mask operator op(const dual& a, const dual& b) { return a.value op b.value; } \
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr mask operator op(const dual& a, const S& b) {    \
    return a.value op static_cast<T>(b);                                                                               \
  }                                                                                                                    \
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend constexpr mask operator op(const S& a, const dual& b) {    \
    return static_cast<T>(a) op b.value;                                                                               \
  }
  ENSUE_DUAL_COMPARISON(<)
  ENSUE_DUAL_COMPARISON(<=)
  ENSUE_DUAL_COMPARISON(>)
  ENSUE_DUAL_COMPARISON(>=)
  ENSUE_DUAL_COMPARISON(==)
  ENSUE_DUAL_COMPARISON(!=)
#undef ENSUE_DUAL_COMPARISON

  /// g(x), given g's value and slope at x.value: the way to teach duals a function of one's own.
  ///
  ///     return x.chain(bessel(0, x.value), -bessel(1, x.value));
  ENSUE_HD ENSUE_INLINE constexpr dual chain(const T& g, const T& slope) const {
    dual r;
    r.value = g;
    ENSUE_DUAL_EACH r.derivative[i] = slope * derivative[i];
    return r;
  }

  /// The same where the slope may be infinite or undefined: a derivative of zero stays zero.
  ENSUE_HD ENSUE_INLINE constexpr dual chain_singular(const T& g, const T& slope) const {
    const mask regular = is_finite(slope);
    if (all(regular)) return chain(g, slope);
    dual r;
    r.value = g;
    ENSUE_DUAL_EACH r.derivative[i] = keep_zero(regular, slope, derivative[i]);
    return r;
  }

  // What a model's equations call; found by argument-dependent lookup, like the functions of `pack`.

  ENSUE_HD ENSUE_INLINE friend dual sqrt(const dual& x) {
    using std::sqrt;
    const T s = sqrt(x.value);
    return x.chain_singular(s, T(0.5) / s);
  }
  ENSUE_HD ENSUE_INLINE friend dual cbrt(const dual& x) {
    using std::cbrt;
    const T c = cbrt(x.value);
    return x.chain_singular(c, T(1) / (T(3) * c * c));
  }
  ENSUE_HD ENSUE_INLINE friend dual exp(const dual& x) {
    using std::exp;
    const T e = exp(x.value);
    return x.chain(e, e);
  }
  ENSUE_HD ENSUE_INLINE friend dual expm1(const dual& x) {
    using std::expm1;
    const T e = expm1(x.value);
    return x.chain(e, e + T(1));
  }
  ENSUE_HD ENSUE_INLINE friend dual log(const dual& x) {
    using std::log;
    return x.chain_singular(log(x.value), T(1) / x.value);
  }
  ENSUE_HD ENSUE_INLINE friend dual log1p(const dual& x) {
    using std::log1p;
    return x.chain_singular(log1p(x.value), T(1) / (T(1) + x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual log2(const dual& x) {
    using std::log2;
    return x.chain_singular(log2(x.value), T(base_of<T>(1.44269504088896340735992468100L)) / x.value);
  }
  ENSUE_HD ENSUE_INLINE friend dual log10(const dual& x) {
    using std::log10;
    return x.chain_singular(log10(x.value), T(base_of<T>(0.434294481903251827651128918917L)) / x.value);
  }
  ENSUE_HD ENSUE_INLINE friend dual sin(const dual& x) {
    using std::cos, std::sin;
    return x.chain(sin(x.value), cos(x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual cos(const dual& x) {
    using std::cos, std::sin;
    return x.chain(cos(x.value), -sin(x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual tan(const dual& x) {
    using std::tan;
    const T t = tan(x.value);
    return x.chain(t, T(1) + t * t);
  }
  ENSUE_HD ENSUE_INLINE friend dual asin(const dual& x) {
    using std::asin, std::sqrt;
    return x.chain_singular(asin(x.value), T(1) / sqrt((T(1) - x.value) * (T(1) + x.value)));
  }
  ENSUE_HD ENSUE_INLINE friend dual acos(const dual& x) {
    using std::acos, std::sqrt;
    return x.chain_singular(acos(x.value), T(-1) / sqrt((T(1) - x.value) * (T(1) + x.value)));
  }
  ENSUE_HD ENSUE_INLINE friend dual atan(const dual& x) {
    using std::atan;
    return x.chain(atan(x.value), T(1) / (T(1) + x.value * x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual sinh(const dual& x) {
    using std::cosh, std::sinh;
    return x.chain(sinh(x.value), cosh(x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual cosh(const dual& x) {
    using std::cosh, std::sinh;
    return x.chain(cosh(x.value), sinh(x.value));
  }
  ENSUE_HD ENSUE_INLINE friend dual tanh(const dual& x) {
    using std::tanh;
    const T t = tanh(x.value);
    return x.chain(t, (T(1) - t) * (T(1) + t));
  }
  ENSUE_HD ENSUE_INLINE friend dual floor(const dual& x) {
    using std::floor;
    return dual(T(floor(x.value)));
  }
  ENSUE_HD ENSUE_INLINE friend dual ceil(const dual& x) {
    using std::ceil;
    return dual(T(ceil(x.value)));
  }
  ENSUE_HD ENSUE_INLINE friend dual abs(const dual& x) {
    const T sign = select(x.value < T(0), T(-1), select(x.value > T(0), T(1), T(0)));
    return x.chain(magnitude(x.value), sign);
  }
  ENSUE_HD ENSUE_INLINE friend dual fabs(const dual& x) { return abs(x); }

  /// As std::min and std::max: the first where the two are equal or not comparable.
  ENSUE_HD ENSUE_INLINE friend dual min(const dual& a, const dual& b) { return select(b < a, b, a); }
  ENSUE_HD ENSUE_INLINE friend dual max(const dual& a, const dual& b) { return select(a < b, b, a); }

  ENSUE_HD ENSUE_INLINE friend dual hypot(const dual& x, const dual& y) {
    using std::hypot;
    const T h = hypot(x.value, y.value);
    const mask origin = h == T(0);
    const T inverse = T(1) / select(origin, T(1), h);
    return combine(h, x, x.value * inverse, y, y.value * inverse);
  }
  ENSUE_HD ENSUE_INLINE friend dual atan2(const dual& y, const dual& x) {
    using std::atan2;
    const T square = x.value * x.value + y.value * y.value;
    return combine(T(atan2(y.value, x.value)), y, x.value / square, x, -y.value / square);
  }

  /// x^p with a constant p, integer or not. Two powers; none with p = 2 where the compiler sees it.
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend dual pow(const dual& x, const S& p) {
    using std::pow;
    using exponent = std::conditional_t<std::is_arithmetic_v<S>, base_of<T>, T>;
    const exponent e = static_cast<exponent>(p);
    const T slope = T(e) * pow(x.value, exponent(e - exponent(1)));
    return x.chain_singular(pow(x.value, e), select(T(e) == T(0), T(0), slope));
  }
  template <constant_for<T> S> ENSUE_HD ENSUE_INLINE friend dual pow(const S& x, const dual& p) {
    using std::pow;
    const T base = static_cast<T>(x);
    const T power = pow(base, p.value);
    return p.chain_singular(power, slope_by_exponent(base, p.value, power));
  }
  ENSUE_HD ENSUE_INLINE friend dual pow(const dual& x, const dual& p) {
    using std::pow;
    const T power = pow(x.value, p.value);
    const T slope = select(p.value == T(0), T(0), p.value * pow(x.value, p.value - T(1)));
    return combine(power, x, slope, p, slope_by_exponent(x.value, p.value, power));
  }

 private:
  ENSUE_HD ENSUE_INLINE static constexpr mask is_finite(const T& x) {
    return magnitude(value_of(x)) <= real(detail::largest<base_of<T>>);
  }
  ENSUE_HD ENSUE_INLINE static constexpr T keep_zero(const mask& regular, const T& slope, const T& d) {
    const mask varies = value_of(d) != real(0);
    return select(regular | varies, slope * d, T(0));
  }
  /// g(x, y) with the slopes by x and by y, which may be infinite.
  ENSUE_HD ENSUE_INLINE static constexpr dual combine(const T& g, const dual& x, const T& by_x, const dual& y,
                                                      const T& by_y) {
    const mask x_regular = is_finite(by_x), y_regular = is_finite(by_y);
    dual r;
    r.value = g;
    if (all(x_regular & y_regular)) {
      ENSUE_DUAL_EACH r.derivative[i] = by_x * x.derivative[i] + by_y * y.derivative[i];
    } else {
      ENSUE_DUAL_EACH r.derivative[i] =
          keep_zero(x_regular, by_x, x.derivative[i]) + keep_zero(y_regular, by_y, y.derivative[i]);
    }
    return r;
  }
  /// ∂(x^p)/∂p = x^p ln x, and its limit 0 at x = 0 for p > 0.
  ENSUE_HD ENSUE_INLINE static T slope_by_exponent(const T& x, const T& p, const T& power) {
    using std::log;
    const mask at_zero = x == T(0), positive = p > T(0);
    return select(at_zero & positive, T(0), power * log(x));
  }
};

/// `m ? a : b`, lane by lane, derivatives included.
template <class T, int N>
ENSUE_HD ENSUE_INLINE constexpr dual<T, N> select(const mask_of<T>& m, const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r;
  r.value = select(m, a.value, b.value);
  ENSUE_DUAL_EACH r.derivative[i] = select(m, a.derivative[i], b.derivative[i]);
  return r;
}
template <class T, int N, constant_for<T> S>
ENSUE_HD ENSUE_INLINE constexpr dual<T, N> select(const mask_of<T>& m, const dual<T, N>& a, const S& b) {
  return select(m, a, dual<T, N>(b));
}
template <class T, int N, constant_for<T> S>
ENSUE_HD ENSUE_INLINE constexpr dual<T, N> select(const mask_of<T>& m, const S& a, const dual<T, N>& b) {
  return select(m, dual<T, N>(a), b);
}

template <class T, int N> ENSUE_HD ENSUE_INLINE dual<T, N> magnitude(const dual<T, N>& x) { return abs(x); }

/// The value without derivatives, of however many orders.
template <class T, int N> ENSUE_HD ENSUE_INLINE constexpr real_of<T> value_of(const dual<T, N>& x) {
  return value_of(x.value);
}

/// One lane of a dual over packs is a dual over numbers.
template <class T, int N> ENSUE_HD ENSUE_INLINE auto lane(const dual<T, N>& x, int k) {
  dual<decltype(lane(x.value, k)), N> r;
  r.value = lane(x.value, k);
  ENSUE_DUAL_EACH r.derivative[i] = lane(x.derivative[i], k);
  return r;
}
template <class T, class U, int N> ENSUE_HD ENSUE_INLINE void set_lane(dual<T, N>& x, int k, const dual<U, N>& value) {
  set_lane(x.value, k, value.value);
  ENSUE_DUAL_EACH set_lane(x.derivative[i], k, value.derivative[i]);
}

template <class T, int N> struct scalar_traits<dual<T, N>> {
  using base = base_of<T>;
  using real = real_of<T>;
  using mask = mask_of<T>;
  using count = count_of<T>;
  static constexpr int lanes = lanes_of<T>;
};

}  // namespace ensue

#undef ENSUE_DUAL_EACH
