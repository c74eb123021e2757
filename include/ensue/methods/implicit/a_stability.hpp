/// Stable for every stiff problem, or for those that decay: found from a method's table.
///
/// A table says what one step of x' = λx makes of x, hλ = z: R(z). It offers `squared_growth(table, y)` = |R(iy)|² and
/// `growth_at_infinity(table)` = lim R, and its γ: the one pole of R is at 1/γ.
#pragma once

#include <ensue/numbers/scalar.hpp>

namespace ensue {

namespace detail {
/// A pair of numbers for what is computed while compiling.
struct complex_number {
  long double re = 0, im = 0;
};
constexpr complex_number operator+(complex_number a, complex_number b) { return {a.re + b.re, a.im + b.im}; }
constexpr complex_number operator*(complex_number a, complex_number b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
constexpr complex_number operator*(long double a, complex_number b) { return {a * b.re, a * b.im}; }
constexpr long double squared_magnitude(complex_number a) { return a.re * a.re + a.im * a.im; }
constexpr complex_number operator/(complex_number a, complex_number b) {
  return (1 / squared_magnitude(b)) * (a * complex_number{b.re, -b.im});
}
}  // namespace detail

/// Stable for x' = λx with any λ on the left: |R| ≤ 1 on the imaginary axis, where R has no poles to its left since γ > 0. (On 200 points
/// of it, four a doubling; rounding of long double is allowed for.)
template <class Table> constexpr bool is_a_stable(const Table& table) {
  if (!(table.gamma > 0) || magnitude(growth_at_infinity(table)) > 1 + 1e-12L) return false;
  long double y = 1e-4L;
  for (int k = 0; k < 200; ++k, y *= 1.189207115002721L)
    if (!(squared_growth(table, y) <= 1 + 1e-12L)) return false;
  return true;
}

/// And what is infinitely stiff is gone after one step. (The published coefficients have 16 digits.)
template <class Table> constexpr bool is_l_stable(const Table& table) {
  return is_a_stable(table) && magnitude(growth_at_infinity(table)) < 1e-12L;
}

}  // namespace ensue
