/// Every operation an expression can hold, each with its formula: the one place where an operation is written. The parser's
/// functions, constant folding and the register program are made from this list.
#pragma once

#include <ensue/numbers/scalar.hpp>

#include <cmath>
#include <cstdint>

/// X(name, number of operands, formula of a, b, c, d). A condition is a number: 1, 0, or NaN where an operand is NaN. No operation
/// turns a NaN into a number: a comparison with it is NaN, `if` of such a condition is NaN, and so are NaN^0 and hypot(inf, NaN),
/// for which the standard library has numbers. Only the branch that `if` does not take may be NaN.
#define ENSUE_EXPRESSION_OPERATIONS(X)                             \
  X(negate, 1, -a)                                                 \
  X(add, 2, a + b)                                                 \
  X(subtract, 2, a - b)                                            \
  X(multiply, 2, (a * b))                                          \
  X(divide, 2, a / b)                                              \
  X(pow, 2, unless_nan(a, b, T(pow(a, b))))                        \
  X(less, 2, unless_nan(a, b, select(a < b, T(1), T(0))))          \
  X(less_equal, 2, unless_nan(a, b, select(a <= b, T(1), T(0))))   \
  X(greater, 2, unless_nan(a, b, select(a > b, T(1), T(0))))       \
  X(greater_equal, 2, unless_nan(a, b, select(a >= b, T(1), T(0))))\
  X(equal, 2, unless_nan(a, b, select(a == b, T(1), T(0))))        \
  X(not_equal, 2, unless_nan(a, b, select(a != b, T(1), T(0))))    \
  X(choose, 3, select(a == a, select(a != T(0), b, c), a))         \
  X(min, 2, select((a < b) | (a != a), a, b))                      \
  X(max, 2, select((a > b) | (a != a), a, b))                      \
  X(abs, 1, abs(a))                                                \
  X(sign, 1, select(a > T(0), T(1), select(a < T(0), T(-1), a)))   \
  X(floor, 1, floor(a))                                            \
  X(ceil, 1, ceil(a))                                              \
  X(sqrt, 1, sqrt(a))                                              \
  X(cbrt, 1, cbrt(a))                                              \
  X(exp, 1, exp(a))                                                \
  X(log, 1, log(a))                                                \
  X(log10, 1, log10(a))                                            \
  X(hypot, 2, unless_nan(a, b, T(hypot(a, b))))                    \
  X(sin, 1, sin(a))                                                \
  X(cos, 1, cos(a))                                                \
  X(tan, 1, tan(a))                                                \
  X(asin, 1, asin(a))                                              \
  X(acos, 1, acos(a))                                              \
  X(atan, 1, atan(a))                                              \
  X(atan2, 2, atan2(a, b))                                         \
  X(sinh, 1, sinh(a))                                              \
  X(cosh, 1, cosh(a))                                              \
  X(tanh, 1, tanh(a))                                              \
  /* for programs, in no tree: several operations made into one */ \
  X(multiply_add, 3, (a * b) + c)                                  \
  X(multiply_subtract, 3, (a * b) - c)                             \
  X(subtract_product, 3, c - a * b)                                \
  X(sum_times, 3, (a + b) * c)                                     \
  X(difference_times, 3, (a - b) * c)                              \
  X(sum_times_add, 4, ((a + b) * c) + d)                           \
  X(sum_times_subtract, 4, ((a + b) * c) - d)                      \
  X(difference_times_add, 4, ((a - b) * c) + d)                    \
  X(difference_times_subtract, 4, ((a - b) * c) - d)               \
  X(add_products, 4, (a * b) + (c * d))                            \
  X(subtract_products, 4, (a * b) - (c * d))

namespace ensue::expression {

enum class operation : std::uint32_t {
  constant,  ///< a number
  variable,  ///< of a tree: a name; of a graph: an input
#define ENSUE_ENUMERATOR(name, operands, formula) name,
  ENSUE_EXPRESSION_OPERATIONS(ENSUE_ENUMERATOR)
#undef ENSUE_ENUMERATOR
};

/// How many operands it takes.
constexpr int operands_of(operation what) {
  switch (what) {
    case operation::constant:
    case operation::variable: return 0;
#define ENSUE_CASE(name, operands, formula) \
  case operation::name: return operands;
      ENSUE_EXPRESSION_OPERATIONS(ENSUE_CASE)
#undef ENSUE_CASE
  }
  return 0;
}

constexpr bool is_comparison(operation what) { return what >= operation::less && what <= operation::not_equal; }

/// `value`, unless a or b is NaN: then that.
template <class T> ENSUE_INLINE T unless_nan(const T& a, const T& b, const T& value) { return select(a == a, select(b == b, value, b), a); }

/// The formula of an operation at numbers of type T: double, a pack of them, a dual number. Inlined, so that of an operation
/// that the compiler knows only the formula is left.
template <class T> ENSUE_INLINE T compute(operation what, const T& a, const T& b, const T& c, const T& d) {
  using std::abs, std::floor, std::ceil, std::sqrt, std::cbrt, std::exp, std::log, std::log10, std::hypot, std::pow;
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh;
  switch (what) {
    case operation::constant:
    case operation::variable: break;
#define ENSUE_CASE(name, operands, formula) \
  case operation::name: return formula;
      ENSUE_EXPRESSION_OPERATIONS(ENSUE_CASE)
#undef ENSUE_CASE
  }
  return a;
}
/// Of what a tree holds, which takes at most three operands.
template <class T> ENSUE_INLINE T compute(operation what, const T& a, const T& b, const T& c) {
  return compute(what, a, b, c, c);
}

}  // namespace ensue::expression
