/// Mistypings planted in coefficients of tables: tests of order conditions have to see each of them.
///
///     const int planted = plant_errors_in(table.b[2], [&](int digit) { EXPECT_FALSE(satisfies_orders(table)) << digit; });
#pragma once

#include <cmath>

namespace ensue::tests {

/// Changes a coefficient, a digit at a time, and calls `check` each time; then puts it back. Returns how often.
template <class Check> int plant_errors_in(long double& coefficient, Check check) {
  if (coefficient == 0) return 0;
  const long double right = coefficient;
  const int first_digit = static_cast<int>(std::floor(std::log10(std::fabs(right)))), digits = 10;
  for (int digit = 1; digit <= digits; ++digit)
    for (const int sign : {-1, 1}) {
      coefficient = right + sign * std::pow(10.0L, first_digit - digit + 1);
      check(digit);
    }
  coefficient = right;
  return 2 * digits;
}

}  // namespace ensue::tests
