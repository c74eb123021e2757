/// When a simplified Newton iteration is over: Hairer & Wanner, Solving ODEs II, IV.8, "stopping criterion".
///
/// With Θ the ratio of two changes in a row, what is still to come after a change Δ is at most Θ/(1 − Θ)·‖Δ‖. The first iteration knows no
/// Θ yet and takes the last step's, which is in proportion to the first change where f is curved: a larger change has a larger one. An iteration
/// that would not arrive within its number is given up at once.
#pragma once

#include <ensue/numbers/scalar.hpp>

#include <cmath>

namespace ensue {

enum class iteration_verdict : unsigned char { goes_on, converged, too_slow };

/// Follows one iteration. Changes come as squared norms, in units of the tolerance.
template <class real> class contraction {
 public:
  /// `limit`: how large an error may be left; `last` and `at_change`: `remaining_part()` and `first_change()` of the last step's iteration.
  ENSUE_HD contraction(const real& limit, const real& last, const real& at_change, int most_iterations)
      : limit_(limit), remaining_(std::pow(maximum(last, real(epsilon<real>)), real(0.8))), first_change_(at_change), most_(most_iterations) {}

  ENSUE_HD ENSUE_INLINE iteration_verdict after(const real& squared_change) {
    const real change = std::sqrt(squared_change);
    ++iterations_;
    if (iterations_ == 1) {
      if (change > first_change_) remaining_ = minimum(remaining_ * (change / maximum(first_change_, real(least_normal<real>))), real(1));
      first_change_ = change;
      first_remaining_ = remaining_;
    } else {
      const real ratio = change / maximum(last_change_, real(least_normal<real>));
      rate_ = iterations_ == 2 ? ratio : std::sqrt(ratio * last_ratio_);
      last_ratio_ = ratio;
      if (iterations_ == 2) first_remaining_ = minimum(ratio / maximum(real(1) - ratio, real(least_normal<real>)), real(1));
      predicted_ = real(0);
      if (!(rate_ < real(0.99))) return iteration_verdict::too_slow;
      remaining_ = rate_ / (real(1) - rate_);
    }
    last_change_ = change;
    if (remaining_ * change <= limit_) return iteration_verdict::converged;
    if (iterations_ > 1) {
      predicted_ = remaining_ * change * std::pow(rate_, static_cast<real>(most_ - 1 - iterations_)) / limit_;
      if (!(predicted_ < real(1))) return iteration_verdict::too_slow;
    }
    return iterations_ < most_ ? iteration_verdict::goes_on : iteration_verdict::too_slow;
  }

  ENSUE_HD const real& rate() const { return rate_; }  ///< Θ; 0 where one iteration was enough
  /// What was left after the first change, as a part of it. (Later ratios may be far smaller: where most components are solved at once, they are
  /// those of the others' squares.)
  ENSUE_HD const real& remaining_part() const { return first_remaining_; }
  ENSUE_HD const real& first_change() const { return first_change_; }
  /// The error that would be left after all iterations, in units of the limit, if the iteration was given up for that; else 0.
  ENSUE_HD const real& predicted() const { return predicted_; }

 private:
  real limit_, remaining_, first_change_, first_remaining_ = real(1), last_change_ = real(0), last_ratio_ = real(0), rate_ = real(0), predicted_ = real(0);
  int iterations_ = 0, most_;
};

}  // namespace ensue
