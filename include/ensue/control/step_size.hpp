/// The next step's size from the errors of the last ones.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// What is held at the tolerance: the error of a step, or that of a step divided by its length (so that errors add up to
/// tolerance × time).
enum class error_per : unsigned char { step, unit_step };

/// The law h_new = h · safety · e₀^(−now/k) · e₁^(−before/k) · e₂^(−before_that/k), with e₀ the error of this step in units of the
/// tolerance, e₁ and e₂ those of the two before, and k the power of h with which the error grows.
struct control_law {
  double now = 1, before = 0, before_that = 0;
};

namespace laws {
/// The classical rule, h·(tolerance/error)^(1/k): right where the error is a clean power of h.
inline constexpr control_law elementary{1, 0, 0};
/// Gustafsson (1991), ACM TOMS 17, 533–554: smooth steps also where stability and not accuracy limits them.
inline constexpr control_law pi{0.7, -0.4, 0};
/// Kennedy & Carpenter (2003), Appl. Numer. Math. 44, 139–181, sec. 6: with the error before that as well.
inline constexpr control_law pid{0.49, -0.34, 0.10};
}  // namespace laws

/// The settings of the law. Factors are of the step size.
struct step_size_settings {
  control_law law = laws::elementary;
  error_per per = error_per::step;
  double safety = 0.9;
  double shrink = 0.2;  ///< the least factor
  double grow = 5;      ///< the largest factor
  /// While the law would change a step by less than this factor (downwards: by less than its eighth root), the step stays
  /// exactly as it is: the processor need not wait for the error before it starts on the next step, and the error wanders
  /// instead of hugging its limit, so that fewer steps are rejected. A change then aims below the law's step, into the
  /// middle of that band. Measured in docs/measurements.md. 1: every step is the law's. 0: 1.7 (on a GPU, which waits for
  /// the error anyway, 1.1) for errors that grow up to h⁵, beyond it as wide in errors (a factor of 14) as there.
  double keep = 0;
};

/// The power of h with which the controlled error grows: with q the lower order of a pair, q + 1 for the error of a step, q
/// for the error divided by the step's length.
ENSUE_HD constexpr int growth_power(int estimate_order, error_per per) {
  return per == error_per::step ? estimate_order + 1 : estimate_order;
}

/// What the law remembers: the squared errors of the two steps before, and whether the last attempt was thrown away. Beside it the largest squared
/// error that is accepted (caution.hpp).
template <class real> struct step_size_history {
  real before = real(1), before_that = real(1);
  mask_of<real> just_rejected = mask_of<real>(false);
  real limit = real(1);
};

/// How well a law's powers are known: to a millionth, or to a thousandth in a third of the operations; or as a method says that is known at run time.
enum class law_digits : unsigned char { six, three, as_told };

/// Six, unless a method says otherwise.
template <class Stepper> inline constexpr law_digits digits_of_law = law_digits::six;
template <class Stepper>
  requires requires { Stepper::digits_of_law; }
inline constexpr law_digits digits_of_law<Stepper> = Stepper::digits_of_law;

/// What a method says at run time.
template <class Stepper> ENSUE_HD ENSUE_INLINE law_digits digits_told([[maybe_unused]] const Stepper& stepper) {
  if constexpr (requires { stepper.digits_told(); }) return stepper.digits_told();
  else return law_digits::six;
}

/// The law with its constants worked out. Errors come squared: that is what Euclidean norms give without a root.
template <class real, law_digits Digits = law_digits::six> class step_size_law {
 public:
  using base = base_of<real>;
  using mask = mask_of<real>;

  ENSUE_HD step_size_law(const step_size_settings& s, int estimate_order, law_digits told = law_digits::six) : told_(told) {
    const base k = static_cast<base>(growth_power(estimate_order, s.per));
    classical_ = base(-0.5) / k;  // of a squared error
    now_ = classical_ * static_cast<base>(s.law.now);
    before_ = classical_ * static_cast<base>(s.law.before);
    before_that_ = classical_ * static_cast<base>(s.law.before_that);
    remembers_ = before_ != 0 || before_that_ != 0;
    classical_alone_ = !remembers_ && now_ == classical_;
    const base safety = aim_ = approximate_log2(static_cast<base>(s.safety));
    safety_ = limit(s.safety);
    shrink_ = on_device ? approximate_log2(static_cast<base>(s.shrink)) : limit(s.shrink);
    grow_ = limit(s.grow);
    same_ = limit(1);
#if defined(__CUDA_ARCH__)  // or it is converted anew in every step
    if constexpr (std::is_same_v<base, float>) asm volatile("" : "+f"(grow_));
#endif
    if (const base keep = log2_of_band(s, k); keep > 0) {  // safety · e^(−1/k) ∈ [low, keep]  ⇔  e² ∈ [(safety/keep)^2k, (safety/low)^2k]
      keep_from_ = approximate_exp2((safety - keep) * 2 * k);
      keep_to_ = minimum(base(1), approximate_exp2((safety + keep / 8) * 2 * k));
      aim_ = safety - base(0.22) * keep;
    }
  }

  /// Errors after which the step stays as it is.
  ENSUE_HD ENSUE_INLINE mask keeps(const real& squared_error) const {
    return (squared_error >= real(keep_from_)) & (squared_error <= real(keep_to_));
  }

  /// The factor after an accepted step; it does not grow right after a rejected one.
  ENSUE_HD ENSUE_INLINE real after_accept(const real& squared_error, const step_size_history<real>& history) const {
    return limited(exponent_of_accepted(log2_of(squared_error), history), most_after_accept(history.just_rejected));
  }

  /// The factor after a rejected one: the classical rule, since the history has just been proved wrong. An error that is
  /// infinite or not a number says only "smaller".
  ENSUE_HD ENSUE_INLINE real after_reject(const real& squared_error) const { return classical_factor(squared_error, most_after_reject()); }

  /// Both at once, for lanes of which some were rejected.
  ENSUE_HD ENSUE_INLINE real after_attempt(const real& squared_error, const mask& rejected, const step_size_history<real>& history) const {
    const real logarithm = log2_of(squared_error);
    real exponent = classical_exponent(logarithm);
    if (!is_classical()) exponent = select(rejected, exponent, exponent_of_accepted(logarithm, history));
    const real factor = limited(exponent, select(rejected, most_after_reject(), most_after_accept(history.just_rejected)));
    return if_no_number(squared_error, factor);
  }

  /// The squared error after which the classical rule halves a step.
  ENSUE_HD base halving() const { return approximate_exp2((aim_ + 1) / -classical_); }

  /// Whether it looks at the errors before the last.
  ENSUE_HD ENSUE_INLINE bool remembers() const { return remembers_; }

  /// Whether the classical rule is all there is. Its factor, of at most `most` as below, is then the one after any attempt.
  ENSUE_HD ENSUE_INLINE bool is_classical() const { return classical_alone_; }
  ENSUE_HD ENSUE_INLINE real classical_factor(const real& squared_error, const real& most) const {
    return if_no_number(squared_error, limited(classical_exponent(log2_of(squared_error)), most));
  }
  ENSUE_HD ENSUE_INLINE real most_after_accept(const mask& just_rejected) const { return select(just_rejected, real(same_), real(grow_)); }
  ENSUE_HD ENSUE_INLINE real most_after_reject() const { return real(safety_); }

  ENSUE_HD ENSUE_INLINE void remember(step_size_history<real>& history, const mask& where, const real& squared_error) const {
    history.just_rejected = history.just_rejected & !where;
    if (!remembers_) return;
    history.before_that = select(where, history.before, history.before_that);
    history.before = select(where, squared_error, history.before);
  }

 private:
  /// What an error that is no number asks for: a quarter, or with three digits what the limits leave, the least.
  ENSUE_HD ENSUE_INLINE real if_no_number(const real& squared_error, const real& factor) const {
    if (digits() == law_digits::three) return factor;
    return select(squared_error == squared_error, factor, real(base(0.25)));
  }

  ENSUE_HD static base log2_of_band(const step_size_settings& s, const base& k) {
    if (s.keep > 0) return approximate_log2(static_cast<base>(s.keep));
    return approximate_log2(base(on_device ? 1.1 : 1.7)) * minimum(base(1), 5 / k);
  }

  ENSUE_HD ENSUE_INLINE real exponent_of_accepted(const real& logarithm, const step_size_history<real>& history) const {
    const real exponent = real(aim_) + now_ * logarithm;
    if (!remembers_) return exponent;
    return exponent + before_ * bounded_log2(history.before) + before_that_ * bounded_log2(history.before_that);
  }
  /// Of an error that may have been 0: two infinities would make the sum no number.
  ENSUE_HD ENSUE_INLINE real bounded_log2(const real& squared_error) const {
    return log2_of(maximum(squared_error, real(base(1e-37))));
  }
  ENSUE_HD ENSUE_INLINE real classical_exponent(const real& logarithm) const { return real(aim_) + classical_ * logarithm; }

  /// 2^exponent within the limits, of which nothing is lost in its rounding: they are logarithms where it has six digits, factors where it has three. (A GPU is fastest with one of each.)
  /// A NaN whose sign is set may be out of its range and become any number: within the limits, of which a rejected step's are below 1.
  ENSUE_HD ENSUE_INLINE real limited(const real& exponent, const real& most) const {
    if (on_device) return minimum(exp2_of(maximum(exponent, real(shrink_))), most);
    if (digits() == law_digits::six) return exp2_of(minimum(maximum(exponent, real(shrink_)), most));
    return minimum(maximum(exp2_of(exponent), real(shrink_)), most);
  }
  ENSUE_HD ENSUE_INLINE base limit(double factor) const {
    return !on_device && digits() == law_digits::six ? approximate_log2(static_cast<base>(factor)) : static_cast<base>(factor);
  }
  ENSUE_HD ENSUE_INLINE law_digits digits() const { return Digits == law_digits::as_told ? told_ : Digits; }
  ENSUE_HD ENSUE_INLINE real log2_of(const real& x) const { return !on_device && digits() == law_digits::six ? approximate_log2(x) : log2_for_step(x); }
  ENSUE_HD ENSUE_INLINE real exp2_of(const real& y) const { return !on_device && digits() == law_digits::six ? approximate_exp2(y) : exp2_for_step(y); }

  base now_ = 0, before_ = 0, before_that_ = 0, classical_ = 0;  // exponents of squared errors
  base aim_ = 0;                                                 // log2 of the factor for an error of 1
  base safety_ = 0, shrink_ = 0, grow_ = 0, same_ = 0;           // limits
  law_digits told_;
  bool remembers_ = false, classical_alone_ = false;
  base keep_from_ = 1, keep_to_ = 0;                             // squared errors; none
};

}  // namespace ensue
