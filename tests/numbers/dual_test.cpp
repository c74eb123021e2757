// Derivatives against their formulas and against central differences, at the edges, over packs and over duals.
#include <ensue/numbers/dual.hpp>
#include <ensue/numbers/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using ensue::dual;
using ensue::pack;
using extended = long double;

// Each function as a model writes it, its derivative as a book does, and where to look.
#define FUNCTION(name, expression, slope, ...)                         \
  struct name##_case {                                                 \
    static constexpr const char* text = #expression;                   \
    static std::vector<extended> points() { return {__VA_ARGS__}; }    \
    template <class T> static T value(const T& x) {                    \
      using base [[maybe_unused]] = ensue::base_of<T>;                 \
      USING_STD                                                        \
      return expression;                                               \
    }                                                                  \
    static extended derivative(extended x) { USING_STD return slope; } \
  };
#define USING_STD                                                                                                     \
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::ceil, std::cos, std::cosh, std::exp,   \
      std::expm1, std::fabs, std::floor, std::hypot, std::log, std::log10, std::log1p, std::log2, std::max, std::min, \
      std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

FUNCTION(sum, x + x + 3 + (2 + x), x * 0 + 3, -2, 0, 5)
FUNCTION(difference, x - 3 - (2 - x) - x * x, 2 - 2 * x, -2, 0, 5)
FUNCTION(product, x* x * 3 * x, 9 * x * x, -2, 0, 5)
FUNCTION(product_from_left, 3 * x, x * 0 + 3, -2, 0, 5)
FUNCTION(quotient, x / (x * x + 1), (1 - x * x) / ((x * x + 1) * (x * x + 1)), -2, 0, 0.5, 5)
FUNCTION(quotient_by_constant, x / 4, x * 0 + extended(0.25), -2, 0, 5)
FUNCTION(quotient_of_constant, 4 / x, -4 / (x * x), -2, 0.5, 5)
FUNCTION(negation, -x + +x - x, x * 0 - 1, -2, 0, 5)
FUNCTION(square_root, sqrt(x), 1 / (2 * sqrt(x)), 0.01, 1, 7)
FUNCTION(cube_root, cbrt(x), 1 / (3 * cbrt(x) * cbrt(x)), -8, -0.01, 0.5, 7)
FUNCTION(exponential, exp(x), exp(x), -3, 0, 2)
FUNCTION(exponential_less_one, expm1(x), exp(x), -3, 0, 2)
FUNCTION(logarithm, log(x), 1 / x, 0.01, 1, 7)
FUNCTION(logarithm_of_more, log1p(x), 1 / (1 + x), -0.5, 0, 7)
FUNCTION(binary_logarithm, log2(x), 1 / (x * log(extended(2))), 0.01, 1, 7)
FUNCTION(decimal_logarithm, log10(x), 1 / (x * log(extended(10))), 0.01, 1, 7)
FUNCTION(sine, sin(x), cos(x), -3, 0, 0.5, 10)
FUNCTION(cosine, cos(x), -sin(x), -3, 0, 0.5, 10)
FUNCTION(tangent, tan(x), 1 / (cos(x) * cos(x)), -1, 0, 1.2)
FUNCTION(arc_sine, asin(x), 1 / sqrt(1 - x * x), -0.9, 0, 0.5)
FUNCTION(arc_cosine, acos(x), -1 / sqrt(1 - x * x), -0.9, 0, 0.5)
FUNCTION(arc_tangent, atan(x), 1 / (1 + x * x), -9, 0, 0.5)
FUNCTION(angle, atan2(x, x - 3), -3 / (x * x + (x - 3) * (x - 3)), -2, 0.5, 2, 5)
FUNCTION(angle_over_constant, atan2(x, T(2)), 2 / (x * x + 4), -2, 0, 5)
FUNCTION(angle_of_constant, atan2(T(2), x), -2 / (x * x + 4), -2, 0, 5)
FUNCTION(hyperbolic_sine, sinh(x), cosh(x), -3, 0, 2)
FUNCTION(hyperbolic_cosine, cosh(x), sinh(x), -3, 0, 2)
FUNCTION(hyperbolic_tangent, tanh(x), 1 / (cosh(x) * cosh(x)), -2, 0, 1)
FUNCTION(absolute, abs(x), x < 0 ? -1 : 1, -3, 2)
FUNCTION(absolute_too, fabs(x) + ensue::magnitude(x), x < 0 ? -2 : 2, -3, 2)
FUNCTION(length, hypot(x, x* x), (x + 2 * x * x * x) / hypot(x, x* x), -3, 0.5, 2)
FUNCTION(length_with_constant, hypot(x, T(4)), x / hypot(x, extended(4)), -3, 0, 2)
FUNCTION(integer_power, pow(x, base(3)), 3 * x * x, -2, 0, 5)
FUNCTION(power_of_dual_constant, pow(x, T(3)), 3 * x * x, -2, 0, 5)
FUNCTION(fractional_power, pow(x, base(2.5)), extended(2.5) * pow(x, extended(1.5)), 0, 0.5, 5)
FUNCTION(negative_power, pow(x, base(-2)), -2 / (x * x * x), -2, 0.5, 5)
FUNCTION(power_of_constant, pow(base(2), x), log(extended(2)) * pow(extended(2), x), -2, 0, 5)
FUNCTION(power_of_itself, pow(x, x), pow(x, x) * (log(x) + 1), 0.1, 1, 3)
FUNCTION(smaller, min(x* x, x + 2), x* x < x + 2 ? 2 * x : 1, -3, -0.5, 1, 5)
FUNCTION(larger, max(x* x, x + 2), x* x > x + 2 ? 2 * x : 1, -3, -0.5, 1, 5)
FUNCTION(smaller_than_constant, min(x, T(1)), x < 1 ? 1 : 0, -3, 5)
FUNCTION(rounded_down, floor(x) * x, floor(x), -1.5, 0.5, 3.25)
FUNCTION(rounded_up, ceil(x) * x, ceil(x), -1.5, 0.5, 3.25)
FUNCTION(minimum_of_both, ensue::minimum(x* x, x + 2), x* x < x + 2 ? 2 * x : 1, -3, -0.5, 1, 5)
FUNCTION(maximum_of_both, ensue::maximum(x* x, x + 2), x* x > x + 2 ? 2 * x : 1, -3, -0.5, 1, 5)
FUNCTION(signed_size, ensue::with_sign(x* x, x), x < 0 ? -2 * x : 2 * x, -3, 2)

using functions = ::testing::Types<
    sum_case, difference_case, product_case, product_from_left_case, quotient_case, quotient_by_constant_case,
    quotient_of_constant_case, negation_case, square_root_case, cube_root_case, exponential_case,
    exponential_less_one_case, logarithm_case, logarithm_of_more_case, binary_logarithm_case, decimal_logarithm_case,
    sine_case, cosine_case, tangent_case, arc_sine_case, arc_cosine_case, arc_tangent_case, angle_case,
    angle_over_constant_case, angle_of_constant_case, hyperbolic_sine_case, hyperbolic_cosine_case,
    hyperbolic_tangent_case, absolute_case, absolute_too_case, length_case, length_with_constant_case,
    integer_power_case, power_of_dual_constant_case, fractional_power_case, negative_power_case, power_of_constant_case,
    power_of_itself_case, smaller_case, larger_case, smaller_than_constant_case, rounded_down_case, rounded_up_case,
    minimum_of_both_case, maximum_of_both_case, signed_size_case>;
template <class Case> struct DualFunction : ::testing::Test {};
TYPED_TEST_SUITE(DualFunction, functions);

template <class Case, class T> void expect_formula() {
  for (const extended point : Case::points()) {
    const T x = static_cast<T>(point);
    using D = dual<T, 3>;
    const D y = Case::value(D::variable(x, 1));
    const extended exact = Case::derivative(static_cast<extended>(x));
    const extended slack = 16 * std::numeric_limits<T>::epsilon() * (1 + std::abs(exact));
    EXPECT_EQ(y.value, T(Case::value(x))) << Case::text << " at " << point;
    EXPECT_NEAR(static_cast<double>(y.derivative[1] - exact), 0, static_cast<double>(slack))
        << Case::text << " at " << point;
    EXPECT_EQ(y.derivative[0], T(0)) << Case::text << " at " << point;
    EXPECT_EQ(y.derivative[2], T(0)) << Case::text << " at " << point;
  }
}

TYPED_TEST(DualFunction, HasItsDerivative) {
  expect_formula<TypeParam, float>();
  expect_formula<TypeParam, double>();
  expect_formula<TypeParam, long double>();
}

TYPED_TEST(DualFunction, AgreesWithCentralDifferences) {
  for (const extended point : TypeParam::points()) {
    const extended h = 1e-6L, x = point == 0 ? 1e-3L : point;
    const extended difference = (TypeParam::value(x + h) - TypeParam::value(x - h)) / (2 * h);
    const auto y = TypeParam::value(dual<extended>::variable(x));
    EXPECT_NEAR(static_cast<double>(y.derivative[0]), static_cast<double>(difference),
                1e-5 * (1 + std::abs(difference)))
        << TypeParam::text << " at " << x;
  }
}

// A dual over packs, two derivatives: each lane is the dual over numbers, bit for bit.
TYPED_TEST(DualFunction, WorksLaneByLane) {
  using packed = dual<pack<double, 4>, 2>;
  using plain = dual<double, 2>;
  const auto points = TypeParam::points();
  plain x[4];
  packed lanes;
  for (std::size_t i = 0; i < 4; ++i) {
    x[i] = plain::variable(static_cast<double>(points[i % points.size()]), 0);
    x[i].derivative[1] = -2 + static_cast<double>(i);
    set_lane(lanes, static_cast<int>(i), x[i]);
  }
  const packed y = TypeParam::value(lanes);
  for (int i = 0; i < 4; ++i) {
    const plain expected = TypeParam::value(x[i]), got = lane(y, i);
    EXPECT_EQ(got.value, expected.value) << TypeParam::text << ", lane " << i;
    EXPECT_EQ(got.derivative[0], expected.derivative[0]) << TypeParam::text << ", lane " << i;
    EXPECT_EQ(got.derivative[1], expected.derivative[1]) << TypeParam::text << ", lane " << i;
  }
}

// Duals of duals: the derivative of the derivative.
TYPED_TEST(DualFunction, HasASecondDerivative) {
  using first = dual<double>;
  for (const extended point : TypeParam::points()) {
    const extended h = 1e-5L, x = point == 0 ? 1e-3L : point;
    auto twice = dual<first>::variable(first::variable(static_cast<double>(x)));
    const double second = TypeParam::value(twice).derivative[0].derivative[0];
    const extended difference = (TypeParam::derivative(x + h) - TypeParam::derivative(x - h)) / (2 * h);
    EXPECT_NEAR(second, static_cast<double>(difference), 1e-4 * (1 + std::abs(second)))
        << TypeParam::text << " at " << x;
  }
}

using number = dual<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
number variable(double x) { return number::variable(x); }
number constant(double x) { return number(x); }

TEST(DualEdges, SizesAtZero) {
  EXPECT_EQ(abs(variable(0)).value, 0);
  EXPECT_EQ(abs(variable(0)).derivative[0], 0);
  EXPECT_EQ(ensue::magnitude(variable(-0.0)).derivative[0], 0);
  EXPECT_EQ(hypot(variable(0), variable(0)).value, 0);
  EXPECT_EQ(hypot(variable(0), variable(0)).derivative[0], 0);
  EXPECT_EQ(hypot(variable(0), constant(-2)).derivative[0], 0);
  EXPECT_EQ(hypot(constant(-2), variable(3)).derivative[0], 3 / std::sqrt(13.0));
}

TEST(DualEdges, InfiniteSlopes) {
  EXPECT_EQ(sqrt(variable(0)).derivative[0], infinity);
  EXPECT_EQ(sqrt(-variable(0)).derivative[0], infinity);  // −0: the slope by x, which here runs backwards
  EXPECT_EQ(cbrt(variable(0)).derivative[0], infinity);
  EXPECT_EQ(log(variable(0)).derivative[0], infinity);
  EXPECT_EQ(asin(variable(1)).derivative[0], infinity);
  EXPECT_EQ(acos(variable(-1)).derivative[0], -infinity);
  EXPECT_EQ(pow(variable(0), 0.5).derivative[0], infinity);
  EXPECT_TRUE(std::isnan(atan2(variable(0), variable(0)).derivative[0]));
}

TEST(DualEdges, AConstantDoesNotVary) {
  EXPECT_EQ(sqrt(constant(0)).derivative[0], 0);
  EXPECT_EQ(cbrt(constant(0)).derivative[0], 0);
  EXPECT_EQ(log(constant(0)).derivative[0], 0);
  EXPECT_EQ(log1p(constant(-1)).derivative[0], 0);
  EXPECT_EQ(log2(constant(0)).derivative[0], 0);
  EXPECT_EQ(log10(constant(0)).derivative[0], 0);
  EXPECT_EQ(asin(constant(1)).derivative[0], 0);
  EXPECT_EQ(acos(constant(1)).derivative[0], 0);
  EXPECT_EQ(pow(constant(0), 0.5).derivative[0], 0);
  EXPECT_EQ(pow(constant(0), constant(0.5)).derivative[0], 0);
  EXPECT_EQ(atan2(constant(0), constant(0)).derivative[0], 0);
  // r = √(x² + y²) at the origin: the inner derivative is zero there.
  const number x = variable(0);
  EXPECT_EQ(sqrt(x * x + 0.0).derivative[0], 0);
}

TEST(DualEdges, PowersOfZeroAndOfNegativeNumbers) {
  EXPECT_EQ(pow(variable(0), 0).value, 1);
  EXPECT_EQ(pow(variable(0), 0).derivative[0], 0);
  EXPECT_EQ(pow(variable(0), 1).derivative[0], 1);
  EXPECT_EQ(pow(variable(0), 2).derivative[0], 0);
  EXPECT_EQ(pow(variable(0), 3.0).derivative[0], 0);
  EXPECT_EQ(pow(variable(0), 1.5f).derivative[0], 0);
  EXPECT_EQ(pow(variable(-2), 3).derivative[0], 12);
  EXPECT_EQ(pow(variable(-2), -1).derivative[0], -0.25);
  EXPECT_EQ(pow(variable(0), constant(2)).derivative[0], 0);
  EXPECT_EQ(pow(variable(0), constant(1)).derivative[0], 1);
  EXPECT_EQ(pow(variable(0), constant(0)).derivative[0], 0);
  EXPECT_EQ(pow(variable(-3), constant(2)).derivative[0], -6);
  EXPECT_EQ(pow(constant(0), variable(2)).derivative[0], 0);
  EXPECT_EQ(pow(0, variable(2)).derivative[0], 0);
  EXPECT_EQ(pow(0, constant(0)).derivative[0], 0);
  EXPECT_EQ(pow(0, variable(0)).derivative[0], -infinity);
  EXPECT_TRUE(std::isnan(pow(constant(-2), variable(2)).derivative[0]));
}

TEST(DualEdges, EqualValuesGiveTheFirst) {
  const number a(1.0), b = variable(1.0);
  EXPECT_EQ(min(a, b).derivative[0], 0);
  EXPECT_EQ(min(b, a).derivative[0], 1);
  EXPECT_EQ(max(a, b).derivative[0], 0);
  EXPECT_EQ(max(b, a).derivative[0], 1);
}

TEST(DualEdges, RootsDoNotLoseTheSecondDerivative) {
  // √(1 + x²) at 0: the first derivative is zero, the second is one.
  auto x = dual<number>::variable(number::variable(0));
  EXPECT_EQ(sqrt(1 + x * x).derivative[0].derivative[0], 1);
}

TEST(Dual, ComparesByValue) {
  const number a = variable(1), b = constant(1), c = constant(2);
  EXPECT_TRUE(a == b && a <= b && a >= b && !(a != b) && !(a < b) && !(a > b));
  EXPECT_TRUE(a < c && a <= c && c > a && c >= a && a != c && !(a == c));
  EXPECT_TRUE(a < 2 && 2 > a && a == 1.0 && 1 == a && a != 3 && 3 != a && 0.5f <= a && a >= 1L);
  EXPECT_FALSE(a > 1 || 1 < a || a <= 0 || 2 <= a || a < 1 || a >= 2);
  static_assert(std::is_same_v<decltype(a < b), bool>);
}

TEST(Dual, IsAScalarToTheSolvers) {
  using over_pack = dual<pack<float, 8>, 2>;
  static_assert(std::is_same_v<ensue::base_of<number>, double>);
  static_assert(std::is_same_v<ensue::real_of<number>, double>);
  static_assert(std::is_same_v<ensue::mask_of<number>, bool>);
  static_assert(std::is_same_v<ensue::count_of<number>, std::int64_t>);
  static_assert(ensue::lanes_of<number> == 1);
  static_assert(std::is_same_v<ensue::base_of<over_pack>, float>);
  static_assert(std::is_same_v<ensue::real_of<over_pack>, pack<float, 8>>);
  static_assert(std::is_same_v<ensue::mask_of<over_pack>, ensue::mask<float, 8>>);
  static_assert(std::is_same_v<ensue::count_of<over_pack>, pack<std::int64_t, 8>>);
  static_assert(ensue::lanes_of<over_pack> == 8);
  static_assert(std::is_same_v<ensue::real_of<dual<number, 2>>, double>);
  static_assert(std::is_trivially_copyable_v<number> && std::is_trivially_default_constructible_v<number>);
  static_assert(sizeof(dual<float, 3>) == 4 * sizeof(float));

  EXPECT_EQ(ensue::value_of(variable(3)), 3);
  EXPECT_EQ(ensue::value_of(dual<number, 2>(3)), 3);
  EXPECT_EQ(number{}.value, 0);
  EXPECT_EQ(number{}.derivative[0], 0);
  EXPECT_EQ(ensue::select(true, variable(3), constant(4)).derivative[0], 1);
  EXPECT_EQ(ensue::select(false, variable(3), constant(4)).derivative[0], 0);
  EXPECT_EQ(ensue::select(true, variable(3), 4).value, 3);
  EXPECT_EQ(ensue::select(true, 4, variable(3)).value, 4);
  EXPECT_EQ(ensue::lane(variable(3), 0).derivative[0], 1);
  const auto step = [](auto x) { return ensue::select(x > 0, x * x, -x); };
  EXPECT_EQ(step(variable(3)).derivative[0], 6);
  EXPECT_EQ(step(variable(-3)).derivative[0], -1);
}

TEST(Dual, OverPacksChoosesLaneByLane) {
  using P = pack<double, 4>;
  const double values[] = {-2, 0, 1, 3};
  const auto x = dual<P, 2>::variable(P::load(values), 1);
  const auto y = ensue::select(x > 0.5, x * x, 3 - x);
  const auto root = sqrt(abs(x));  // one lane at zero must not disturb the others
  const P scale = 2;
  const auto scaled = scale * x * 3 + scale;
  const double expected_y[] = {-1, -1, 2, 6};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(y.derivative[1][i], expected_y[i]);
    EXPECT_EQ(y.derivative[0][i], 0);
    EXPECT_EQ(root.value[i], std::sqrt(std::abs(values[i])));
    EXPECT_EQ(scaled.value[i], 6 * values[i] + 2);
    EXPECT_EQ(scaled.derivative[1][i], 6);
  }
  EXPECT_EQ(root.derivative[1][0], -0.5 / std::sqrt(2.0));
  EXPECT_EQ(root.derivative[1][1], 0);  // |x| has slope 0 there, so nothing varies
  EXPECT_EQ(root.derivative[1][2], 0.5);
  EXPECT_EQ(root.derivative[1][3], 0.5 / std::sqrt(3.0));
}

TEST(Dual, CompoundAssignment) {
  number x = variable(2);
  x += 1;
  x *= x;
  x -= variable(2);
  x /= 2.0;
  x *= 3.0f;
  EXPECT_EQ(x.value, 10.5);
  EXPECT_EQ(x.derivative[0], 7.5);
}

// A Jacobian the way the implicit methods take it: all columns at once.
template <class T> void lorenz(const T (&u)[3], T (&du)[3]) {
  du[0] = 10 * (u[1] - u[0]);
  du[1] = u[0] * (28 - u[2]) - u[1];
  du[2] = u[0] * u[1] - 8.0 / 3 * u[2];
}

TEST(Dual, GivesAJacobian) {
  using D = dual<double, 3>;
  const D u[3] = {D::variable(1, 0), D::variable(2, 1), D::variable(3, 2)};
  D du[3];
  lorenz(u, du);
  const double expected[3][3] = {{-10, 10, 0}, {25, -1, -1}, {2, 1, -8.0 / 3}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(du[i].derivative[j], expected[i][j]);
}

// What a dual costs, counted.
struct counted {
  double x;
  static inline int multiplications = 0, additions = 0;
  counted() = default;
  counted(double value) : x(value) {}
  friend counted operator*(counted a, counted b) { return ++multiplications, a.x * b.x; }
  friend counted operator/(counted a, counted b) { return ++multiplications, a.x / b.x; }
  friend counted operator+(counted a, counted b) { return ++additions, a.x + b.x; }
  friend counted operator-(counted a, counted b) { return ++additions, a.x - b.x; }
  friend counted operator-(counted a) { return -a.x; }
};
}  // namespace

template <> struct ensue::scalar_traits<counted> : ensue::scalar_traits<double> {};

namespace {
template <class F> void expect_cost(F f, int multiplications, int additions) {
  const auto x = dual<counted, 5>::variable(3.0, 2);
  counted::multiplications = counted::additions = 0;
  f(x);
  EXPECT_EQ(counted::multiplications, multiplications);
  EXPECT_EQ(counted::additions, additions);
}

TEST(Dual, DoesNothingForTheDerivativesOfConstants) {
  expect_cost([](auto x) { return x + x; }, 0, 6);
  expect_cost([](auto x) { return x + 2; }, 0, 1);
  expect_cost([](auto x) { return 2.0 + x; }, 0, 1);
  expect_cost([](auto x) { return x - counted(2); }, 0, 1);
  expect_cost([](auto x) { return 2 - x; }, 0, 1);
  expect_cost([](auto x) { return x * x; }, 11, 5);
  expect_cost([](auto x) { return x * 2; }, 6, 0);
  expect_cost([](auto x) { return counted(2) * x; }, 6, 0);
  expect_cost([](auto x) { return x / 2; }, 7, 0);
  expect_cost([](auto x) { return x / x; }, 12, 5);
}

}  // namespace
