/// Where a function changes its sign, to the last digit.
///
///     find_root(1., g(1.), 2., g(2.), g)                           // g has opposite signs at 1 and 2
#pragma once

#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// A root between a and b, where g has the signs of `at_a` and `at_b`, opposite ones. Chandrupatla's choice between inverse quadratic
/// interpolation and halving (T. R. Chandrupatla (1997), Adv. Eng. Software 28, 145–149), until no number is left between, or g
/// is zero: of the last two numbers the one with the smaller |g|.
template <class real, class G> ENSUE_HD real find_root(real a, real at_a, real b, real at_b, G g) {
  real c = b, at_c = at_b;  // a is the newest point, b the other side of the root, c the point that was given up for a
  real share = real(0.5);
  for (int i = 0; i < 200; ++i) {
    const real t = a + share * (b - a);
    if (t == a || t == b) break;
    const real value = g(t);
    if (value == 0) return t;
    if ((value > 0) == (at_a > 0)) {
      c = a, at_c = at_a;
    } else {
      c = b, at_c = at_b;
      b = a, at_b = at_a;
    }
    a = t, at_a = value;
    const real least = epsilon<real> * magnitude(a) / magnitude(b - a);  // the share of one spacing
    if (least > real(0.5)) break;
    const real xi = (a - b) / (c - b), phi = (at_a - at_b) / (at_c - at_b);
    share = real(0.5);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      share =
          at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b);
    share = minimum(maximum(share, least), 1 - least);
  }
  return magnitude(at_a) < magnitude(at_b) ? a : b;
}

}  // namespace ensue
