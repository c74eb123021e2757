// Compiled with -ffp-contract=off: every lane of a pack must equal the scalar computation bit for bit.
#include <ensue/numbers/pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using ensue::mask;
using ensue::pack;
using integer = std::int64_t;

template <class T, int W> struct shape {
  using element = T;
  static constexpr int width = W;
};

template <class T>::testing::AssertionResult same_bits(T a, T b) {
  if (std::memcmp(&a, &b, sizeof(T)) == 0) return ::testing::AssertionSuccess();
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return ::testing::AssertionSuccess();  // which NaN is the compiler's business
  }
  return ::testing::AssertionFailure() << a << " is not " << b;
}

/// Each lane of a pack against expected(lane), bit for bit.
template <class U> __attribute__((noinline)) void compare(const U* got, const U* expected, int width,
                                                          const char* what) {
  for (int i = 0; i < width; ++i) EXPECT_TRUE(same_bits(got[i], expected[i])) << what << ", lane " << i;
}
template <class U, int W, class F> void expect_each(const pack<U, W>& got, F expected, const char* what) {
  U a[W], b[W];
  got.store(a);
  for (int i = 0; i < W; ++i) b[i] = static_cast<U>(expected(i));
  compare(a, b, W, what);
}
template <class U, int W, class F> void expect_each(const mask<U, W>& got, F expected, const char* what) {
  bool a[W], b[W];
  for (int i = 0; i < W; ++i) a[i] = got[i], b[i] = expected(i);
  compare(a, b, W, what);
}
#define EXPECT_EACH(got, expected) expect_each(got, [&](int i) { return expected; }, #got)

template <class Shape> struct PackTest : ::testing::Test {
  using T = typename Shape::element;
  static constexpr int W = Shape::width;
  using P = pack<T, W>;

  std::mt19937_64 random{20240607};

  T between(T low, T high) { return std::uniform_real_distribution<T>(low, high)(random); }

  /// Numbers of all sizes, and the awkward ones.
  T anything() {
    static const T special[] = {T(0),
                                -T(0),
                                T(1),
                                T(-1),
                                std::numeric_limits<T>::infinity(),
                                -std::numeric_limits<T>::infinity(),
                                std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::denorm_min(),
                                std::numeric_limits<T>::max()};
    const int k = static_cast<int>(random() % 30);
    if (k < 9) return special[k];
    return std::ldexp(between(-1, 1), static_cast<int>(random() % 40) - 20);
  }
  T ordinary() { return between(-3, 3); }

  using source = std::function<T()>;

  P draw(const source& next) {
    T a[W];
    for (T& x : a) x = next();
    return P::load(a);
  }

  /// f on packs against f on each lane. (What does not depend on f is kept out of the template: it is instantiated
  /// often.)
  template <class F> void expect_lanes(const char* name, F f, const source& next) {
    for (int repeat = 0; repeat < 200 / W + 3; ++repeat) {
      operands x = draw_operands(next);
      f(P::load(x.a), P::load(x.b)).store(x.result);
      for (int i = 0; i < W; ++i) x.expected[i] = T(f(x.a[i], x.b[i]));
      compare(name, x);
    }
  }
  template <class F> void expect_mask_lanes(const char* name, F f, const source& next) {
    for (int repeat = 0; repeat < 200 / W + 3; ++repeat) {
      operands x = draw_operands(next);
      const mask<T, W> result = f(P::load(x.a), P::load(x.b));
      for (int i = 0; i < W; ++i) {
        x.result[i] = result[i];
        x.expected[i] = f(x.a[i], x.b[i]);
      }
      compare(name, x);
    }
  }

 private:
  struct operands {
    T a[W], b[W], result[W], expected[W];
  };
  __attribute__((noinline)) static operands draw_operands(const source& next) {
    operands x{};
    for (T& a : x.a) a = next();
    for (T& b : x.b) b = next();
    return x;
  }
  __attribute__((noinline)) static void compare(const char* name, const operands& x) {
    for (int i = 0; i < W; ++i) {
      EXPECT_TRUE(same_bits(x.result[i], x.expected[i])) << name << '(' << x.a[i] << ", " << x.b[i] << "), lane " << i;
    }
  }
};

// One element, part of a register, one register, several: for every instruction set each of them is here.
using shapes = ::testing::Types<shape<float, 1>, shape<float, 2>, shape<float, 8>, shape<float, 32>, shape<double, 1>,
                                shape<double, 2>, shape<double, 4>, shape<double, 16>>;
TYPED_TEST_SUITE(PackTest, shapes);

TYPED_TEST(PackTest, IsAScalarToTheSolvers) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  using P = pack<T, W>;
  static_assert(std::is_same_v<ensue::base_of<P>, T>);
  static_assert(std::is_same_v<ensue::real_of<P>, P>);
  static_assert(std::is_same_v<ensue::mask_of<P>, mask<T, W>>);
  static_assert(std::is_same_v<ensue::count_of<P>, pack<integer, W>>);
  static_assert(ensue::lanes_of<P> == W);
  static_assert(ensue::epsilon<P> == std::numeric_limits<T>::epsilon());
  static_assert(sizeof(P) == W * sizeof(T));
  static_assert(std::is_trivially_copyable_v<P> && std::is_trivially_default_constructible_v<P>);
  static_assert(!std::is_convertible_v<mask<T, W>, bool>);
  constexpr P ten = 10;  // constants of a model are constants for packs too
  EXPECT_EACH(ten, i * 0 + 10);
  const P zero{};
  EXPECT_EACH(zero, i * 0);
}

TYPED_TEST(PackTest, Arithmetic) {
  const auto any_number = [this] { return this->anything(); };
  this->expect_lanes("+", [](auto a, auto b) { return a + b; }, any_number);
  this->expect_lanes("-", [](auto a, auto b) { return a - b; }, any_number);
  this->expect_lanes("*", [](auto a, auto b) { return a * b; }, any_number);
  this->expect_lanes("/", [](auto a, auto b) { return a / b; }, any_number);
  this->expect_lanes("unary -", [](auto a, auto) { return -a; }, any_number);
  this->expect_lanes("unary +", [](auto a, auto) { return +a; }, any_number);
  this->expect_lanes("+=", [](auto a, auto b) { return a += b; }, any_number);
  this->expect_lanes("-=", [](auto a, auto b) { return a -= b; }, any_number);
  this->expect_lanes("*=", [](auto a, auto b) { return a *= b; }, any_number);
  this->expect_lanes("/=", [](auto a, auto b) { return a /= b; }, any_number);
}

TYPED_TEST(PackTest, PlainNumbersFillEveryLane) {
  using T = typename TestFixture::T;
  const auto any_number = [this] { return this->anything(); };
  this->expect_lanes("T(10) * x", [](auto a, auto) { return decltype(a)(10) * a; }, any_number);
  this->expect_lanes("2 * x", [](auto a, auto) { return 2 * a; }, any_number);
  this->expect_lanes("x * 0.5", [](auto a, auto) { return a * 0.5; }, any_number);
  this->expect_lanes("1 - x", [](auto a, auto) { return 1 - a; }, any_number);
  this->expect_lanes("x / 2u", [](auto a, auto) { return a / 2u; }, any_number);
  this->expect_lanes("8/3 x", [](auto a, auto) { return decltype(a)(8) / decltype(a)(3) * a; }, any_number);
  this->expect_lanes("x += 0.25", [](auto a, auto) { return a += 0.25; }, any_number);
  this->expect_lanes("T(-0.0)", [](auto a, auto) { return decltype(a)(-T(0)); }, any_number);
}

TYPED_TEST(PackTest, ComparisonsGiveMasks) {
  const auto few = [this] { return typename TestFixture::T(int(this->random() % 3)); };  // often equal
  const auto any_number = [this] { return this->anything(); };
  const auto check = [this](const typename TestFixture::source& draw) {
    this->expect_mask_lanes("<", [](auto a, auto b) { return a < b; }, draw);
    this->expect_mask_lanes("<=", [](auto a, auto b) { return a <= b; }, draw);
    this->expect_mask_lanes(">", [](auto a, auto b) { return a > b; }, draw);
    this->expect_mask_lanes(">=", [](auto a, auto b) { return a >= b; }, draw);
    this->expect_mask_lanes("==", [](auto a, auto b) { return a == b; }, draw);
    this->expect_mask_lanes("!=", [](auto a, auto b) { return a != b; }, draw);
    this->expect_mask_lanes("x < 1", [](auto a, auto) { return a < 1; }, draw);
    this->expect_mask_lanes("1 < x", [](auto a, auto) { return 1 < a; }, draw);
  };
  check(few);
  check(any_number);
}

TYPED_TEST(PackTest, MaskLogic) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  for (int repeat = 0; repeat < 50; ++repeat) {
    mask<T, W> a = false, b = true;
    bool x[W], y[W];
    for (int i = 0; i < W; ++i) {
      x[i] = this->random() & 1, y[i] = this->random() & 1;
      set_lane(a, i, x[i]);
      set_lane(b, i, y[i]);
    }
    mask<T, W> c = a, d = a, e = a;
    c &= b, d |= b, e ^= b;
    const mask<T, W> chosen = select(a, b, !b);
    EXPECT_EACH(a, x[i]);
    for (int i = 0; i < W; ++i) EXPECT_EQ(lane(a, i), x[i]);
    EXPECT_EACH(a & b, x[i] && y[i]);
    EXPECT_EACH(a | b, x[i] || y[i]);
    EXPECT_EACH(a ^ b, x[i] != y[i]);
    EXPECT_EACH(!a, !x[i]);
    EXPECT_EACH(a & true, x[i]);
    EXPECT_EACH(c, x[i] && y[i]);
    EXPECT_EACH(d, x[i] || y[i]);
    EXPECT_EACH(e, x[i] != y[i]);
    EXPECT_EACH(chosen, x[i] ? y[i] : !y[i]);
  }
}

TYPED_TEST(PackTest, AnyAllNone) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  const mask<T, W> yes = true, no = false;
  EXPECT_TRUE(any(yes) && all(yes) && !none(yes));
  EXPECT_TRUE(!any(no) && !all(no) && none(no));
  for (int i = 0; i < W; ++i) {
    mask<T, W> one = false, all_but_one = true;
    set_lane(one, i, true);
    set_lane(all_but_one, i, false);
    EXPECT_TRUE(any(one) && !none(one)) << i;
    EXPECT_EQ(all(one), W == 1) << i;
    EXPECT_FALSE(all(all_but_one)) << i;
    EXPECT_EQ(any(all_but_one), W > 1) << i;
    // The same of comparisons, which some compilers never turn into integers.
    pack<T, W> x = 0;
    set_lane(x, i, 1);
    EXPECT_TRUE(any(x > 0) && all(x >= 0) && !any(x > 1) && !all(x < 1)) << i;
  }
}

TYPED_TEST(PackTest, Select) {
  using T = typename TestFixture::T;
  const auto any_number = [this] { return this->anything(); };
  this->expect_lanes("select", [](auto a, auto b) { return ensue::select(a < b, a, b); }, any_number);
  this->expect_lanes("minimum", [](auto a, auto b) { return ensue::minimum(a, b); }, any_number);
  this->expect_lanes("maximum", [](auto a, auto b) { return ensue::maximum(a, b); }, any_number);
  this->expect_lanes("with_sign", [](auto a, auto b) { return ensue::with_sign(a, b); }, any_number);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto a = this->draw(any_number), b = this->draw(any_number);
    const auto m = a < b;
    EXPECT_EACH(ensue::select(m, a, 0.5), m[i] ? a[i] : T(0.5));
    EXPECT_EACH(ensue::select(m, 1, b), m[i] ? T(1) : b[i]);
    EXPECT_EACH(ensue::select(true, a, b), a[i]);
    EXPECT_EACH(ensue::select(false, a, b), b[i]);
  }
}

TYPED_TEST(PackTest, MasksServeNumbersOfOtherSizes) {
  using T = typename TestFixture::T;
  using other = std::conditional_t<sizeof(T) == 4, double, float>;
  constexpr int W = TestFixture::W;
  for (int lane_set = -1; lane_set < W; ++lane_set) {
    mask<T, W> m = false;
    if (lane_set >= 0) set_lane(m, lane_set, true);
    pack<integer, W> count = 5;
    count = ensue::select(m, count + 1, count);
    const pack<other, W> x = ensue::select(m, pack<other, W>(2), pack<other, W>(3));
    const mask<other, W> converted = m;
    const mask<T, W> back = converted;
    EXPECT_EACH(count, i == lane_set ? 6 : 5);
    EXPECT_EACH(x, i == lane_set ? 2 : 3);
    EXPECT_EACH(converted, i == lane_set);
    EXPECT_EACH(back, i == lane_set);
    EXPECT_EQ(any(converted), lane_set >= 0);
    EXPECT_EQ(all(converted), W == 1 && lane_set == 0);
    // and the other way round: a comparison of counts selects reals
    const mask<integer, W> counted = count > 5;
    mask<T, W> both = true;
    both &= counted;
    EXPECT_EACH(m & counted, i == lane_set);
    EXPECT_EACH(counted | converted, i == lane_set);
    EXPECT_EACH(converted ^ counted, i < 0);
    EXPECT_EACH(both, i == lane_set);
    static_assert(std::is_same_v<decltype(m & counted), mask<T, W>>);
    const pack<T, W> from_counts = ensue::select(count > 5, pack<T, W>(1), pack<T, W>(0));
    EXPECT_EACH(from_counts, i == lane_set ? 1 : 0);
  }
}

TYPED_TEST(PackTest, SizeAndSign) {
  const auto any_number = [this] { return this->anything(); };
  this->expect_lanes(
      "abs",
      [](auto a, auto) {
        using std::abs;
        return abs(a);
      },
      any_number);
  this->expect_lanes(
      "fabs",
      [](auto a, auto) {
        using std::fabs;
        return fabs(a);
      },
      any_number);
  this->expect_lanes(
      "min",
      [](auto a, auto b) {
        using std::min;
        return min(a, b);
      },
      any_number);
  this->expect_lanes(
      "max",
      [](auto a, auto b) {
        using std::max;
        return max(a, b);
      },
      any_number);
  this->expect_lanes(
      "max(x, 0)",
      [](auto a, auto) {
        using std::max;
        return max(a, decltype(a)(0));
      },
      any_number);
  this->expect_lanes("value_of", [](auto a, auto) { return ensue::value_of(a); }, any_number);
  this->expect_lanes("magnitude", [](auto a, auto) { return ensue::magnitude(a); }, any_number);
  this->expect_lanes("with_sign", [](auto a, auto b) { return ensue::with_sign(a, b); }, any_number);
}

#define LANES(function, draw)       \
  this->expect_lanes(               \
      #function,                    \
      [](auto a, auto b) {          \
        using std::function;        \
        (void)b;                    \
        return ARGUMENTS(function); \
      },                            \
      draw)
#define ARGUMENTS(function) function(a)

TYPED_TEST(PackTest, FunctionsOfOneArgument) {
  using T = typename TestFixture::T;
  const auto any_number = [this] { return this->anything(); };
  const auto unit = [this] { return this->between(T(-1), T(1)); };
  LANES(sqrt, any_number);
  LANES(floor, any_number);
  LANES(ceil, any_number);
  LANES(exp, any_number);
  LANES(expm1, any_number);
  LANES(log, any_number);
  LANES(log1p, any_number);
  LANES(log2, any_number);
  LANES(log10, any_number);
  LANES(sin, any_number);
  LANES(cos, any_number);
  LANES(tan, any_number);
  LANES(asin, unit);
  LANES(acos, unit);
  LANES(atan, any_number);
  LANES(sinh, any_number);
  LANES(cosh, any_number);
  LANES(tanh, any_number);
  LANES(cbrt, any_number);
}

#undef ARGUMENTS
#define ARGUMENTS(function) function(a, b)

TYPED_TEST(PackTest, FunctionsOfTwoArguments) {
  using T = typename TestFixture::T;
  const auto any_number = [this] { return this->anything(); };
  const auto positive = [this] { return this->between(T(0.1), T(3)); };
  LANES(atan2, any_number);
  LANES(hypot, any_number);
  LANES(pow, any_number);
  LANES(pow, positive);
  this->expect_lanes(
      "pow(x, 2.5)",
      [](auto a, auto) {
        using std::pow;
        return pow(a, T(2.5));
      },
      positive);
  this->expect_lanes(
      "pow(x, 2)",
      [](auto a, auto) {
        using std::pow;
        return pow(a, T(2));
      },
      any_number);
  this->expect_lanes(
      "pow(2, x)",
      [](auto a, auto) {
        using std::pow;
        return pow(decltype(a)(2), a);
      },
      positive);
  this->expect_lanes(
      "atan2(x, 1)",
      [](auto a, auto) {
        using std::atan2;
        return atan2(a, decltype(a)(1));
      },
      any_number);
}

TYPED_TEST(PackTest, MemoryAndLanes) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  std::vector<T> memory(3 * W + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = T(i);
  auto x = pack<T, W>::load(memory.data() + 1);  // not aligned
  EXPECT_EACH(x, i + 1);
  for (int i = 0; i < W; ++i) EXPECT_EQ(lane(x, i), T(i + 1));
  x.store(memory.data() + W + 1);
  for (int i = 0; i < 3 * W + 1; ++i) {
    const T expected = i > W && i <= 2 * W ? T(i - W) : T(i);
    EXPECT_EQ(memory[static_cast<std::size_t>(i)], expected);
  }
  for (int k = 0; k < W; ++k) {
    auto y = x;
    set_lane(y, k, -7);
    EXPECT_EACH(y, i == k ? -7 : i + 1);
  }
}

TYPED_TEST(PackTest, CountsAndTheirRealValues) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  const integer awkward[] = {0,
                             1,
                             -1,
                             5,
                             (integer(1) << 24) + 1,
                             (integer(1) << 53) + 1,
                             -(integer(1) << 53) - 1,
                             std::numeric_limits<integer>::max(),
                             std::numeric_limits<integer>::min(),
                             0xFFFFFFFF,
                             -0xFFFFFFFFLL,
                             integer(1) << 32};
  for (int repeat = 0; repeat < 60; ++repeat) {
    integer a[W], b[W];
    for (int i = 0; i < W; ++i) {
      a[i] = repeat % 2 ? awkward[this->random() % 12] : static_cast<integer>(this->random()) >> (this->random() % 64);
      b[i] = static_cast<integer>(this->random() % 1000) + 1;
    }
    const auto n = pack<integer, W>::load(a), m = pack<integer, W>::load(b);
    const pack<T, W> real = ensue::to_real<pack<T, W>>(n);
    EXPECT_EACH(real, static_cast<T>(a[i]));
    EXPECT_EACH(m + 1, b[i] + 1);
    EXPECT_EACH(m - 2 * m, -b[i]);
    EXPECT_EACH(7000 / m, 7000 / b[i]);
    EXPECT_EACH(n < m, a[i] < b[i]);
    EXPECT_EACH(n == n, i >= 0);
    EXPECT_EACH(ensue::magnitude(-m), b[i]);
    EXPECT_EACH(ensue::maximum(m, decltype(m)(500)), std::max<integer>(b[i], 500));
    EXPECT_EACH((m << 3) >> 1, b[i] * 4);
    EXPECT_EACH((m & 6) | (m ^ 1), (b[i] & 6) | (b[i] ^ 1));
  }
}

TYPED_TEST(PackTest, Conversions) {
  using T = typename TestFixture::T;
  using other = std::conditional_t<sizeof(T) == 4, double, float>;
  constexpr int W = TestFixture::W;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto x = this->draw([this] { return this->between(-1000, 1000); });
    const pack<other, W> y(x);
    const pack<integer, W> n(x);
    const auto bits = bits_of(x);
    const auto back = ensue::from_bits<pack<T, W>>(bits);
    using word = typename decltype(bits)::element;
    EXPECT_EACH(y, static_cast<other>(x[i]));
    EXPECT_EACH(n, static_cast<integer>(x[i]));
    EXPECT_EACH(back, x[i]);
    EXPECT_EACH(bits, std::bit_cast<word>(x[i]));
  }
}

// A model as users write it: one source for numbers and for packs.
template <class T> struct pendulum {
  T length = 2;
  void operator()(T t, const T (&x)[2], T (&dx)[2]) const {
    using std::cos, std::exp, std::sin;
    dx[0] = x[1];
    dx[1] = -T(9.81) / length * sin(x[0]) - x[1] * T(0.1) + exp(-t) * cos(2 * t);
  }
};

TYPED_TEST(PackTest, AModelIsWrittenOnce) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  using P = pack<T, W>;
  const auto ordinary = [this] { return this->ordinary(); };
  P x[2] = {this->draw(ordinary), this->draw(ordinary)}, dx[2], t = this->draw(ordinary);
  P length = 2 + ensue::magnitude(this->draw(ordinary));
  const P x0[2] = {x[0], x[1]}, t0 = t;
  for (int step = 0; step < 50; ++step) {
    pendulum<P>{length}(t, x, dx);
    for (int k = 0; k < 2; ++k) x[k] += P(0.0625) * dx[k];
    t += 0.0625;
  }
  for (int i = 0; i < W; ++i) {
    T y[2] = {x0[0][i], x0[1][i]}, dy[2], s = t0[i];
    for (int step = 0; step < 50; ++step) {
      pendulum<T>{length[i]}(s, y, dy);
      for (int k = 0; k < 2; ++k) y[k] += T(0.0625) * dy[k];
      s += T(0.0625);
    }
    EXPECT_TRUE(same_bits(x[0][i], y[0]) && same_bits(x[1][i], y[1])) << "lane " << i;
  }
}

}  // namespace
