/// Newton's iteration for z = hγ f(t, c + z): the equation of a diagonally implicit stage and of a BDF step.
///
/// With s = 1/(hγ) an iteration solves (s·I − f') Δ = f(t, c + z) − s z; for a model with a mass matrix, (s·M − f') Δ = f(t, c + z) − s M z.
/// f' and the decomposition are kept, over stages and steps, for as
/// long as they serve (modified Newton): f' until an iteration shows that it converges slowly, the decomposition while s stays near the one
/// it was made for; what the difference does to Δ is corrected by the mean of what it does to stiff and to other components, as in CVODE
/// (Hindmarsh et al. (2005), ACM TOMS 31, 363–396, section 2.1).
///
/// When to stop is said by the rate θ = |Δ|/|Δ before|: what is left after Δ is about θ/(1 − θ)·|Δ|, which has to be a small part of the
/// tolerance (Hairer & Wanner, Solving ODEs II, IV.8). Steps of a length that the caller fixed know no tolerance; there it is solved as far
/// as the numbers have digits, and since no shorter step comes to help, at last with an f' for every iteration. A number that is nearly 0
/// beside large ones that act on it (a velocity in the plane of a flat net) has no digits of its own; where changes no longer shrink, it is
/// tried out whether they are what the rounding of the others makes.
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/control/power.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/methods/implicit/settling.hpp>
#include <ensue/outcome.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <cmath>
#include <cstdint>
#include <span>

namespace ensue {

enum class newton_ending : unsigned char {
  solved,
  slow,        ///< it does not converge soon enough; `prepare` makes a better matrix
  unsolvable,  ///< with the best of matrices
  undefined,   ///< f says that it is not defined at an iterate
  not_finite   ///< f is no finite number at the first guess
};

template <state State> class newton {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using base = base_of<scalar>;
  using count = count_of<scalar>;

  /// What is left of an equation's error, as a part of the tolerance.
  static constexpr base allowed = base(0.03);
  /// Iterations of one equation; to the last digit; with an f' each.
  static constexpr int most_iterations = 8, most_to_rounding = 20, most_anew = 24;
  /// How often an equation's changes may be tried for rounding, and by how many roundings of the argument each time.
  static constexpr int most_trials = 3, roundings_tried = 3;
  /// An iteration that converges more slowly than this has the next step begin with an f' of its own.
  static constexpr base slow_rate = base(0.02);
  /// A decomposition serves while s is no further from its own than this part.
  static constexpr base most_difference = base(0.1);
  /// f' serves while steps are no longer than so many times the one it was made for: a longer step looks at other states.
  static constexpr base most_growth = 30;

  ENSUE_HD explicit newton(const storage& like) : linear_(like), argument_(like), result_(like), slope_(like), spare_(like) {}
  template <class F> ENSUE_HD void fit(const F& f, const char* method) { linear_.fit(f, method); }

  ENSUE_HD void restart() {
    linear_.forget_sizes();
    known_ = here_ = serves_ = false;
    factored_ = real(0);
    remaining_ = real(1);
    slowest_ = real(0);
  }

  /// Evaluations of f at most in a step with so many equations: to a tolerance, and to the last digit.
  ENSUE_HD std::int64_t most_evaluations(int equations) const { return for_jacobian() + equations * 2 * most_iterations; }
  ENSUE_HD std::int64_t most_to_last_digit(int equations) const {
    constexpr int most_of_trials = most_trials * (roundings_tried + 1);
    return for_jacobian() + equations * (2 * most_to_rounding + 3 * most_of_trials + most_anew * for_jacobian());
  }

  /// The step began at another state: f' is no longer that of its start.
  ENSUE_HD void accept() {
    here_ = false;
    serves_ = known_ && slowest_ <= real(slow_rate);
    slowest_ = real(0);
  }

  /// A matrix that serves for a step of length h from (t, x) with s = 1/scale: `finished`, or why there is none. `exactly` says whether
  /// f0 is f(t, x) or what the equations made of it; differences need the first.
  template <class F>
  ENSUE_HD outcome prepare(F& f, const real& t, const real& h, const storage& x, const storage& f0, bool exactly, const real& scale,
                           run_statistics<count>& spent) {
    if (serves_ && !here_ && magnitude(h) > real(most_growth) * made_for_) {
      serves_ = false;
      remaining_ = minimum(remaining_ * (magnitude(h) / made_for_), real(1));  // the rate is at most in proportion to the step
    }
    if (!serves_) {
      if (!here_ && !differentiate(f, t, h, x, f0, exactly, spent)) return outcome::derivative_failed;
      if (unsound_row_ != report::nowhere) return linear_.why_unsound();
      serves_ = true;
      factored_ = real(0);
    }
    if (here_) made_for_ = magnitude(h);
    const real shift = real(1) / scale;
    if (factored_ == real(0) || magnitude(shift - factored_) > real(most_difference) * magnitude(factored_)) {
      spent.factorizations = spent.factorizations + count(1);
      factored_ = real(0);
      if (!linear_.factor(shift)) return outcome::matrix_singular;
      factored_ = shift;
    }
    return outcome::finished;
  }

  /// The row of f' or the column of the matrix that `prepare` failed for.
  ENSUE_HD std::int64_t failed_at() const { return unsound_row_ != report::nowhere ? unsound_row_ : linear_.singular_at(); }

  /// A new attempt.
  ENSUE_HD void begin() { improved_ = false; }

  /// z from its first guess; `argument()` is c + z after it. x is the state that errors are measured at. `measure` nullptr: to rounding.
  template <class F, class Measure>
  ENSUE_HD newton_ending solve(F& f, const real& t, const real& scale, const storage& c, storage& z, const storage& x,
                               run_statistics<count>& spent, Measure* measure) {
    using std::sqrt;
    const real shift = real(1) / scale, correction = real(2) / (real(1) + shift / factored_);
    const bool to_rounding = measure == nullptr;
    settling<real> changes;
    int trials = 0;
    real before(0), remaining = to_rounding ? real(1) : power(remaining_, base(0.8));
    for (int i = 0; i < (to_rounding ? most_to_rounding : most_iterations); ++i) {
      if (const newton_ending broken = evaluate_at(f, t, c, z, result_, spent); broken != newton_ending::solved) {
        if (i == 0 || broken == newton_ending::undefined) return broken;
        break;
      }
      change<F>(shift, correction, z, spent);
      const real size = to_rounding ? change_in_digits(c) : sqrt(squared_size(x, c, *measure));
      if (!(size - size == real(0))) break;
      if (i > 0) {
        const real rate = size / before;
        slowest_ = maximum(slowest_, rate);
        remaining = rate < real(1) ? rate / (real(1) - rate) : real(infinity<real>);
        if (!to_rounding && !can_finish(rate, size, most_iterations - 1 - i)) break;
      }
      before = size;
      if (size == real(0) || remaining * size <= (to_rounding ? real(epsilon<real>) : real(allowed))) return solved(c, z, remaining);
      if (to_rounding) {
        const bool over = changes.over(size);
        if (over && size <= real(near_rounding)) return solved(c, z, remaining);
        if (changes.no_better_for(1) && is_rounding(f, t, correction, c, trials, spent)) return solved(c, z, remaining);
        if (over) break;
      }
    }
    slowest_ = real(1);
    if (!to_rounding && change_in_digits(c) <= real(near_rounding)) return solved(c, z, real(1));
    if (!improved_ && !(here_ && factored_ == shift)) {  // f' of this state, the decomposition for this very s: when `prepare` is called again
      improved_ = true;
      serves_ = serves_ && here_;
      factored_ = real(0);
      return newton_ending::slow;
    }
    return to_rounding ? solve_anew(f, t, shift, c, z, spent) : newton_ending::unsolvable;
  }
  ENSUE_HD const storage& argument() const { return argument_; }
  /// Where f was not finite: what it was.
  ENSUE_HD const storage& result() const { return result_; }

  /// error becomes (I − hγf')⁻¹ error.
  ENSUE_HD void filter(storage& error, run_statistics<count>& spent) {
    for_each_element(error, [this, e = error.data()](std::size_t i) ENSUE_INLINE_LAMBDA { e[i] = factored_ * e[i]; });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({error.data(), static_cast<std::size_t>(error.size())});
  }

  ENSUE_HD linearization<State>& linear() { return linear_; }
  ENSUE_HD const linearization<State>& linear() const { return linear_; }

 private:
  ENSUE_HD std::int64_t for_jacobian() const { return linear_.most_evaluations() + 1; }

  template <class F>
  ENSUE_HD bool differentiate(F& f, const real& t, const real& h, const storage& x, const storage& f0, bool exactly,
                              run_statistics<count>& spent) {
    unsound_row_ = report::nowhere;
    const storage* slope = &f0;
    if (linear_.needs_differences() && !exactly) {
      spent.evaluations = spent.evaluations + count(1);
      if (!evaluate(f, t, x, slope_)) return false;
      slope = &slope_;
    }
    unsound_row_ = linear_.compute_jacobian(f, t, h, x, *slope, spent, argument_, result_);
    known_ = here_ = unsound_row_ == report::nowhere;  // otherwise the next attempt asks again: what was wrong may be over
    return true;
  }

  /// f(t, c + z)
  template <class F>
  ENSUE_HD newton_ending evaluate_at(F& f, const real& t, const storage& c, const storage& z, storage& result, run_statistics<count>& spent) {
    add(c, z);
    spent.evaluations = spent.evaluations + count(1);
    if (!evaluate(f, t, argument_, result)) return newton_ending::undefined;
    return finite(result) ? newton_ending::solved : newton_ending::not_finite;
  }
  ENSUE_HD ENSUE_INLINE void add(const storage& c, const storage& z) {
    for_each_element(z, [at = argument_.data(), constant = c.data(), from = z.data()](std::size_t i)
                            ENSUE_INLINE_LAMBDA { at[i] = constant[i] + from[i]; });
  }

  /// z + Δ from f in `result_`, in which Δ is left.
  template <class F> ENSUE_HD void change(const real& shift, const real& correction, storage& z, run_statistics<count>& spent) {
    auto *const delta = result_.data(), *const from = z.data();
    const scalar* moved = from;
    if constexpr (has_mass_matrix<F, State>)
      if (linear_.has_mass()) {
        linear_.multiply_mass(z, spare_);
        moved = spare_.data();
      }
    for_each_element(z, [delta, moved, shift](std::size_t i) ENSUE_INLINE_LAMBDA { delta[i] = delta[i] - shift * moved[i]; });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({delta, static_cast<std::size_t>(z.size())});
    for_each_element(z, [delta, from, correction](std::size_t i) ENSUE_INLINE_LAMBDA {
      delta[i] = correction * delta[i];
      from[i] = from[i] + delta[i];
    });
  }

  /// Whether the change in `result_`, of which small parts are lost, is no larger than what a few roundings of c + z in f make of it, or than
  /// the last digits of that, which the linear solver may mix into other components. Not tried while the largest numbers still change.
  template <class F>
  ENSUE_HD ENSUE_COLD bool is_rounding(F& f, const real& t, const real& correction, const storage& c, int& trials, run_statistics<count>& spent) {
    constexpr base last_digits = 4 * epsilon<real>, margin = 100;
    if (trials == most_trials || !(largest(result_) <= real(settling<real>::half_the_digits) * largest(argument_))) return false;
    ++trials;
    scalar *const at = argument_.data(), *const delta = result_.data(), *const there = slope_.data(), *const moved = spare_.data();
    spent.evaluations = spent.evaluations + count(1);
    if (!evaluate(f, t, argument_, slope_)) return false;
    for_each_element(c, [&](std::size_t i) {
      if (magnitude(delta[i]) <= real(near_rounding) * (magnitude(c.data()[i]) + magnitude(at[i]))) delta[i] = scalar(0);
    });
    for (int sample = 1; sample <= roundings_tried; ++sample) {
      std::uint64_t signs = static_cast<std::uint64_t>(sample);
      for_each_in_order(c, [&](std::size_t i) {
        signs = signs * 6364136223846793005u + 1442695040888963407u;  // Knuth, The Art of Computer Programming 2, 3.3.4
        at[i] = at[i] + (signs >> 63 ? last_digits : -last_digits) * at[i];
      });
      spent.evaluations = spent.evaluations + count(1);
      if (!evaluate(f, t, argument_, spare_)) return false;
      for_each_element(c, [&](std::size_t i) { moved[i] = moved[i] - there[i]; });
      spent.linear_solves = spent.linear_solves + count(1);
      linear_.solve({moved, static_cast<std::size_t>(c.size())});
      const real most = largest(spare_);
      for_each_element(c, [&](std::size_t i) {
        const real made = magnitude(moved[i]) + real(last_digits) * most;
        if (magnitude(delta[i]) <= real(margin) * (magnitude(correction) * made)) delta[i] = scalar(0);
      });
    }
    return largest(result_) == real(0);
  }
  ENSUE_HD static real largest(const storage& of) {
    real most(0);
    for_each_in_order(of, [&, from = of.data()](std::size_t i) { most = detail::larger_if_finite(most, real(magnitude(from[i]))); });
    return most;
  }

  /// From z = 0, with the derivative of every iterate.
  template <class F>
  ENSUE_HD ENSUE_COLD newton_ending solve_anew(F& f, const real& t, const real& shift, const storage& c, storage& z,
                                               run_statistics<count>& spent) {
    for_each_element(z, [from = z.data()](std::size_t i) { from[i] = scalar(0); });
    here_ = false;
    real before(infinity<real>);
    for (int i = 0, trials = 0; i < most_anew; ++i) {
      if (evaluate_at(f, t, c, z, slope_, spent) != newton_ending::solved) break;
      if (linear_.compute_jacobian(f, t, real(1) / shift, argument_, slope_, spent, spare_, result_) != report::nowhere) break;
      spent.factorizations = spent.factorizations + count(1);
      factored_ = shift;
      if (!linear_.factor(shift)) break;
      for_each_element(z, [to = result_.data(), from = slope_.data()](std::size_t e) { to[e] = from[e]; });
      change<F>(shift, real(1), z, spent);
      const real size = change_in_digits(c);
      if (size <= real(epsilon<real>) || (size >= before && size <= real(near_rounding))) return solved(c, z, real(1));
      if (size >= before && is_rounding(f, t, real(1), c, trials, spent)) return solved(c, z, real(1));
      before = size;
    }
    serves_ = false;
    return newton_ending::unsolvable;
  }

  /// The change in units of the tolerance at x and c. (Not at c + z: a wild iterate has a generous tolerance, and would seem to converge.)
  template <class Measure> ENSUE_HD real squared_size(const storage& x, const storage& c, Measure& measure) {
    return measure.squared_norm(x, c, [delta = result_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return delta[i]; });
  }
  /// The largest change as a part of the numbers c and c + z whose rounding it can reach.
  ENSUE_HD real change_in_digits(const storage& c) const {
    real most(0);
    for_each_in_order(c, [&, from = c.data(), at = argument_.data(), delta = result_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      const real moved = magnitude(delta[i]), size = magnitude(from[i]) + magnitude(at[i]) + moved;
      most = detail::larger_if_finite(most, size > real(0) ? moved / size : real(0));
    });
    return most;
  }

  /// Whether the iterations that are left are enough at this rate.
  ENSUE_HD static bool can_finish(const real& rate, const real& size, int left) {
    if (!(rate < real(1))) return false;
    real expected = size / (real(1) - rate);
    for (; left > 0 && expected > real(allowed); --left) expected = expected * rate;
    return expected * rate <= real(allowed);
  }

  ENSUE_HD newton_ending solved(const storage& c, const storage& z, const real& remaining) {
    remaining_ = minimum(maximum(remaining, real(epsilon<real>)), real(1));
    add(c, z);
    return newton_ending::solved;
  }

  /// Changes that no longer shrink are rounding, if they are as small as this: the digits that f may lose by cancellation are allowed for.
  static constexpr base near_rounding = sizeof(base) <= 4 ? base(2e-5) : base(1e-11);

  linearization<State> linear_;
  storage argument_, result_, slope_, spare_;
  real factored_ = real(0);   ///< the s of the decomposition; 0: there is none
  real remaining_ = real(1);  ///< θ/(1 − θ) of the last equation
  real made_for_ = real(0);   ///< the length of the step that f' was made for
  real slowest_ = real(0);    ///< the largest θ of this step
  std::int64_t unsound_row_ = report::nowhere;
  bool known_ = false;   ///< there is an f'
  bool here_ = false;    ///< and it is that of the step's start
  bool serves_ = false;  ///< it shall be used
  bool improved_ = false;  ///< the matrix was made anew for this attempt
};

}  // namespace ensue
