/// Predictive step-size control: K. Gustafsson (1994), "Control-theoretic techniques for stepsize selection in implicit Runge–Kutta
/// methods", ACM TOMS 20, 496–517, as in Hairer & Wanner, Solving ODEs II, (IV.8.25).
///
/// Where an error grows by the same factor every step, as into a boundary layer, the classical rule lags behind and is rejected again and
/// again. This one takes the step that is right if the error's trend goes on, where that is the shorter one:
///
///     h_new = h · safety · e₀^(−1/k) · min(1, h/h₁ · (e₁/e₀)^(1/k))
///
/// with e₀ the error of this step and e₁, h₁ those of the accepted one before.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

template <class real> class predictive_law {
 public:
  ENSUE_HD void restart() { *this = {}; }
  ENSUE_HD bool just_rejected() const { return rejected_; }
  ENSUE_HD bool just_started() const { return last_step_ == real(0); }

  /// The factor after an accepted step of length h; errors come squared. `k`: the power of h with which the error grows.
  ENSUE_HD real after_accept(const real& squared_error, const real& h, int k, const real& safety,
                             const step_size_settings& s) {
    const real per = real(0.5) / static_cast<real>(k), error = maximum(squared_error, real(1e-4));
    real factor = safety * power(maximum(squared_error, real(1e-30)), -per);
    if (last_step_ != real(0)) {
      const real trend = magnitude(h / last_step_) * power(last_error_ / maximum(squared_error, real(1e-30)), per);
      factor = minimum(factor, factor * trend);
    }
    last_step_ = h;
    last_error_ = error;
    factor = minimum(maximum(factor, static_cast<real>(s.shrink)), rejected_ ? real(1) : static_cast<real>(s.grow));
    rejected_ = false;
    return factor;
  }

  /// The factor after a rejected one, by the classical rule.
  ENSUE_HD real after_reject(const real& squared_error, int k, const real& safety, const step_size_settings& s) {
    rejected_ = true;
    if (!(squared_error - squared_error == real(0))) return real(0.25);
    const real factor = safety * power(squared_error, real(-0.5) / static_cast<real>(k));
    return just_started() ? real(0.1) : minimum(maximum(factor, static_cast<real>(s.shrink)), safety);
  }

  /// A step whose equations could not be solved.
  ENSUE_HD void unsolved() { rejected_ = true; }

 private:
  real last_step_ = real(0), last_error_ = real(1);
  bool rejected_ = false;
};

}  // namespace ensue
