/// How large a step may be before the method itself blows up.
///
/// On x' = λx a step of any Runge–Kutta method multiplies x by R(hλ). For an explicit one R is a polynomial,
///
///     R(z) = 1 + Σ_{k=1}^{s} (b · A^{k−1} · 1) z^k
///
/// (Hairer & Wanner, Solving ODEs II, IV.2). Decay, λ < 0, asks for |R(−y)| ≤ 1: the real interval. Oscillation, λ =
/// iω, asks for |R(iy)| ≤ 1: the imaginary interval. A solver that is held at h|λ| ≈ the interval is short of
/// stability, not of accuracy, and its problem is stiff.
///
/// Everything works on an array of coefficients, at compile time or at run time (runtime_tableau.hpp).
#pragma once

#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// R(z) = Σ_{k=0}^{degree} coefficients[k] z^k.
template <int Stages> struct stability_polynomial {
  int degree = 0;
  long double coefficients[Stages + 1] = {};
};

namespace detail {

struct polynomial_value {
  long double value = 0, slope = 0;
};

constexpr polynomial_value evaluate(const long double* coefficients, int degree, long double x) {
  polynomial_value p;
  for (int k = degree; k >= 0; --k) {
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + coefficients[k];
  }
  return p;
}

/// Positive by more than the rounding of its own terms: a curve that only touches zero does not count as crossing it.
constexpr bool clearly_positive(const long double* coefficients, int degree, long double x, long double value) {
  if (!(value > 0)) return false;
  long double size = 0;
  for (int k = degree; k >= 0; --k) size = size * x + magnitude(coefficients[k]);
  return value > 1e-14L * size;
}

/// The largest x ≤ bound such that the polynomial is nowhere positive on [0, x], to 1e-11 relative to max(1, x).
///
/// A scan, then a bisection. Where the slope changes sign between two points of the scan, the maximum between them is
/// looked at too, so that a narrow hump is not stepped over.
constexpr long double first_positive(const long double* coefficients, int degree, long double bound) {
  while (degree > 0 && coefficients[0] == 0) ++coefficients, --degree;  // a factor x > 0 has no say in the sign
  if (coefficients[0] > 0) return 0;

  constexpr long double stride = 0.125L;
  long double low = 0, high = 0;
  polynomial_value before = evaluate(coefficients, degree, 0);
  bool found = false;
  while (!found) {
    if (low >= bound) return bound;
    high = low + stride;
    const polynomial_value after = evaluate(coefficients, degree, high);
    found = clearly_positive(coefficients, degree, high, after.value);
    if (!found && before.slope > 0 && after.slope < 0) {
      long double rising = low, falling = high;
      for (int i = 0; i < 30; ++i) {
        const long double middle = (rising + falling) / 2;
        (evaluate(coefficients, degree, middle).slope > 0 ? rising : falling) = middle;
      }
      found = clearly_positive(coefficients, degree, rising, evaluate(coefficients, degree, rising).value);
      if (found) high = rising;
    }
    if (!found) low = high, before = after;
  }
  while (high - low > 1e-11L * (high > 1 ? high : 1)) {
    const long double middle = (low + high) / 2;
    (evaluate(coefficients, degree, middle).value > 0 ? high : low) = middle;
  }
  return low < bound ? low : bound;
}

/// Fills r[0…stages] and returns the degree; `row` is room for `stages` numbers. The vector b·A^{k−1} loses its last
/// entry with every product, so stages that only dense output uses cost nothing.
template <class Matrix, class Weights>
constexpr int stability_coefficients(const Matrix& a, const Weights& b, int stages, long double* r, long double* row) {
  int used = 0;
  for (int i = 0; i < stages; ++i)
    if ((row[i] = b[i]) != 0) used = i + 1;
  r[0] = 1;
  int degree = 0;
  while (used > 0) {
    long double sum = 0;
    for (int i = 0; i < used; ++i) sum += row[i];
    r[++degree] = sum;
    int left = 0;
    for (int j = 0; j < used; ++j) {  // in place: entry j needs only the entries after it
      long double next = 0;
      for (int i = j + 1; i < used; ++i)
        if (a[i][j] != 0 && row[i] != 0) next += row[i] * a[i][j];
      if ((row[j] = next) != 0) left = j + 1;
    }
    used = left;
  }
  while (degree > 0 && r[degree] == 0) --degree;
  return degree;
}

/// No consistent polynomial (R'(0) = 1) of degree s stays within 1 beyond 2s² on the real axis, which Chebyshev's reach
/// (Hairer & Wanner II, IV.2), nor beyond s − 1 on the imaginary one (van der Houwen 1977, Vichnevetsky 1983): the
/// bounds of the scans below. Without consistency there is no such bound, and no method either.
constexpr bool is_consistent(const long double* r, int degree) { return degree >= 1 && magnitude(r[1] - 1) < 1e-6L; }

/// |R(−y)| ≤ 1 is (R(−y) − 1)/y ≤ 0 and −1 − R(−y) ≤ 0. `room` holds degree + 1 numbers.
constexpr long double real_interval(const long double* r, int degree, long double* room) {
  if (!is_consistent(r, degree)) return 0;
  for (int k = 1; k <= degree; ++k) room[k - 1] = k % 2 == 0 ? r[k] : -r[k];
  const long double above = first_positive(room, degree - 1, 2.0L * degree * degree);
  for (int k = 0; k <= degree; ++k) room[k] = k % 2 == 0 ? -r[k] : r[k];
  room[0] -= 1;
  return first_positive(room, degree, above);
}

constexpr long double square_root(long double x) {
  if (!(x > 0)) return 0;
  long double root = x > 1 ? x : 1;
  for (long double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) root = next;
  return root;
}

/// |R(iy)|² − 1 is a polynomial in w = y²; its coefficient of w^n is Σ_{j+k=2n} (−1)^{(j−k)/2} r_j r_k. In a method of
/// order p the first p/2 of them cancel exactly, in numbers only nearly: below 1e-14 of their terms they are zero. The
/// first one left decides at the origin: if it is positive, |R(iy)| > 1 however small y is, and the interval is 0.
constexpr long double imaginary_interval(const long double* r, int degree, long double* room) {
  if (!is_consistent(r, degree)) return 0;
  room[0] = 0;
  for (int n = 1; n <= degree; ++n) {
    long double sum = 0, size = 0;
    for (int j = 2 * n > degree ? 2 * n - degree : 0; j <= degree && j <= 2 * n; ++j) {
      const long double term = (j - n) % 2 == 0 ? r[j] * r[2 * n - j] : -r[j] * r[2 * n - j];
      sum += term;
      size += magnitude(term);
    }
    room[n] = magnitude(sum) > 1e-14L * size ? sum : 0;
  }
  return square_root(first_positive(room, degree, (degree - 1.0L) * (degree - 1.0L)));
}

}  // namespace detail

/// R of the table's main row.
template <class Table> constexpr stability_polynomial<Table::stages> stability_polynomial_of(const Table& table) {
  stability_polynomial<Table::stages> r;
  long double row[Table::stages] = {};
  r.degree = detail::stability_coefficients(table.a, table.b, Table::stages, r.coefficients, row);
  return r;
}

/// The largest x with |R(−y)| ≤ 1 for all y in [0, x], to 1e-10: Euler 2, the classical method 2.7852935634.
/// A few thousand operations, so that a driver can have it as a constant.
template <class Table> constexpr double real_stability_interval(const Table& table) {
  const auto r = stability_polynomial_of(table);
  long double room[Table::stages + 1] = {};
  return static_cast<double>(detail::real_interval(r.coefficients, r.degree, room));
}

/// The largest x with |R(iy)| ≤ 1 for all y in [0, x], to 1e-10: the classical method 2√2; Euler and the midpoint rule
/// 0, since there |R(iy)| > 1 from the start, if by little. (See `imaginary_interval` for what counts as zero.)
template <class Table> constexpr double imaginary_stability_interval(const Table& table) {
  const auto r = stability_polynomial_of(table);
  long double room[Table::stages + 1] = {};
  return static_cast<double>(detail::imaginary_interval(r.coefficients, r.degree, room));
}

}  // namespace ensue
