/// How fast steps may grow where the estimate of their error is nothing but rounding.
///
/// On a straight line, or at rest, every estimate vanishes, whatever f does between the points that a step looks at. Steps that grew five-fold
/// there passed over a whole period of x' = if(sin(t) > 0, 1, -1). Here they grow by half: then a step is at most half as long as all the time
/// since they began to grow, and a change of f that lasts as long cannot be passed over, even by methods that look at the step's end alone. Steps
/// below a thousandth of the span grow as the law says: a start with tiny steps costs no more.
#pragma once

#include <ensue/numbers/scalar.hpp>

namespace ensue {

template <class real> class quiet_growth {
  using base = base_of<real>;

 public:
  /// `least_rtol`: no relative tolerance is finer. Rounding leaves an estimate of about ε|x|, which is at most ε/rtol tolerances. Numbers with more
  /// digits than doubles take the same steps as doubles.
  ENSUE_HD explicit quiet_growth(const real& least_rtol) {
    const real most(base(1e-4)), size = real(16 * maximum(base(epsilon<base>), base(2.2e-16))) / least_rtol, quiet = select(size < most, size, most);
    squared_ = quiet * quiet;
  }

  /// The span from now on; it may be infinite.
  ENSUE_HD void begin_span(const real& length) { long_from_ = base(1e-3) * magnitude(length); }
  ENSUE_HD void begin_span(int l, base length) { set_lane(long_from_, l, base(1e-3) * magnitude(length)); }

  /// The factor for the next step after one of this length. (Not on a GPU, where every operation of an attempt counts.)
  ENSUE_HD ENSUE_INLINE real limited(const real& factor, const real& squared_error, const real& step) const {
    if constexpr (on_device) return factor;
    else return select((squared_error < squared_) & (magnitude(step) > long_from_), minimum(factor, real(base(1.5))), factor);
  }

 private:
  real squared_, long_from_ = real(infinity<base>);
};

}  // namespace ensue
