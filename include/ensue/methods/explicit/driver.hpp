/// The one driver of explicit Runge–Kutta methods: from a table to the method protocol (attempt, accept, interpolate,
/// restart).
///
/// Stages are unrolled at compile time and zero coefficients leave no trace. Each stage's argument is formed in one pass over
/// the state as x + (h·a₁)k₁ + (h·a₂)k₂ + …, the newest k last, so that the chain from one evaluation to the next is one
/// multiply–add. The argument lives in the candidate's memory: nothing but the candidate and the k's is kept.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/control/tolerance.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/explicit/inside.hpp>
#include <ensue/methods/explicit/jumps.hpp>
#include <ensue/methods/explicit/sums.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

#include <utility>

namespace ensue {

/// What is done between the stages of an attempt, where nothing is.
struct nothing_meanwhile {
  template <class Stage> ENSUE_HD ENSUE_INLINE void operator()(Stage) const {}
};

template <has_explicit_table Method, state State> class explicit_stepper : public explicit_inside<Method, State> {
  using inside = explicit_inside<Method, State>;
  using inside::candidate_, inside::k_, inside::keeps_copies, inside::left_, inside::partner, inside::slots;

 public:
  using typename inside::base, typename inside::count, typename inside::mask, typename inside::real, typename inside::scalar, typename inside::storage;
  using inside::end, inside::stages;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = false;
  static constexpr bool may_estimate = Method::table.embedded_rows > 0;
  static constexpr bool confirms = end == end_derivative::after_accept;
  static constexpr bool may_overlook_jumps = detail::estimate_overlooks_jumps(Method::table);
  static constexpr bool keeps_first_derivative = end != end_derivative::next_step;  ///< k₁, once known, is known after every attempt
  /// Steps of the pairs whose last stage is the next one's first are short, and many of them run in lanes: what their lengths cost is felt.
  static constexpr law_digits digits_of_law = end == end_derivative::last_stage ? law_digits::three : law_digits::six;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return may_estimate; }
  ENSUE_HD static constexpr int estimate_order() { return order_of_estimate; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return stages - 1 + (confirms ? 1 : 0); }
  ENSUE_HD static constexpr double real_stability() { return stable_to; }

  ENSUE_HD explicit_stepper(const Method&, const storage& like) : explicit_stepper(like) {}

  /// Where k₁ = f(t, x) is not known yet.
  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  /// The state was changed: what is known of it is not.
  ENSUE_HD ENSUE_INLINE void restart() {
    stale_ = mask(true);
    sum_.restart();
  }
  ENSUE_HD ENSUE_INLINE bool compensates() const { return sum_.on(); }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ | where; }

  /// k₁ = f(t, x). Returns where it is defined.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    if constexpr (end == end_derivative::next_step) {
      const set_aside old(*this);  // for the interpolant, at first also against an f that throws
      return derivative_anew(f, t, x);
    } else return derivative_anew(f, t, x);
  }
  /// The same where nobody will ask for the inside of the step before.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative_anew(F& f, const real& t, const storage& x) {
    const mask defined = evaluate(f, t, x, k_[0]);
    stale_ = mask(false);
    return defined;
  }
  /// Marks the memory that it writes (unwritten.hpp).
  ENSUE_HD void mark_derivative() {
    mark_unwritten(k_[0]);
    mark_unwritten(k_[partner]);  // which k₁ may change places with
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return k_[0]; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return k_[0]; }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs k₁. Returns where f was defined; adds what was
  /// spent on the lanes of `active`. A stage at c = 1 is evaluated at t_new itself, so that no rounding leaves the interval.
  /// `meanwhile` is called with the number of each stage after it (0: the first that is evaluated): for work of others, while the next one waits for this.
  template <bool Compensating = true, class F, class Meanwhile = nothing_meanwhile>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                     const mask& active, count& evaluations, Meanwhile meanwhile = {}) {
    mask defined(true);
    if constexpr (keeps_products && !Compensating) products_.prepare(h);
    const real clock = t_new - t;  // h, but where a fixed step is finer than the numbers near t
    constexpr std::make_integer_sequence<int, stages - 1> later_stages;
    if constexpr (lanes_of<scalar> == 1) {
      run_stages<Compensating>(f, t, t_new, clock, h, x, active, evaluations, defined, meanwhile, later_stages);
    } else {  // counts of many lanes are many registers: gathered first, they are in memory once
      count spent(0);
      run_stages<Compensating>(f, t, t_new, clock, h, x, active, spent, defined, meanwhile, later_stages);
      evaluations = evaluations + spent;
    }
    if constexpr (end != end_derivative::last_stage)
      if (any(defined)) sum_up<detail::solution_row<Method>, Compensating>(x, h);
    return defined;
  }

  /// The candidate's error in units of the tolerance, squared; NaN where the candidate or its error is not finite.
  template <class Measure> ENSUE_HD ENSUE_INLINE real squared_error(const storage& x, const real& h, Measure& measure) {
    if constexpr (Method::table.embedded_rows == 1) {
      return row_error<0>(x, h, measure);
    } else {
      // E₁²/√(E₁² + E₂²/100), squared (Hairer, Nørsett & Wanner, Solving ODEs I, II.10)
      const real e1 = row_error<0>(x, h, measure), e2 = row_error<1>(x, h, measure);
      const real both = e1 + base(0.01) * e2;
      return select(both == real(0), both, e1 * (e1 / both));
    }
  }

  /// What of an attempt has to be kept for who judges it when its stages are gone: the candidate, f there, and Σ_j w_j k_j of the error.
  struct remains {
    storage candidate, derivative, error_sum;
  };
  static constexpr bool leaves_remains = end == end_derivative::last_stage && detail::has_one_plain_error<Method>();
  ENSUE_HD ENSUE_INLINE void leave(remains& to) const {
    to.candidate = candidate_;
    to.derivative = k_[partner];
    for_each_element(candidate_, [k = k_, sum = to.error_sum.data()](std::size_t i) ENSUE_INLINE_LAMBDA { sum[i] = detail::combined<detail::error_row<Method, 0>>(k, i); });
  }
  template <class Measure> ENSUE_HD ENSUE_INLINE static real squared_error(const storage& x, const remains& of, const real& h, Measure& measure) {
    return measure.squared_norm(x, of.candidate, [h, sum = of.error_sum.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(h * sum[i]); });
  }

  /// Last word on an acceptable candidate: f is evaluated there, and must be defined and finite.
  template <class F> ENSUE_HD ENSUE_INLINE mask confirm(F& f, const real& t_new, const mask& accepted, count& evaluations)
    requires confirms
  {
    mask defined(true);
    if constexpr (lanes_of<scalar> > 1 && extent_of<storage> > 0) {
      const storage before = k_[partner];
      defined = evaluate(f, t_new, candidate_, k_[partner]);
      take_over(!accepted, k_[partner], before);  // a lane whose candidate it is not about is not to be judged by it
    } else defined = evaluate(f, t_new, candidate_, k_[partner]);
    evaluations = evaluations + select(accepted, count(1), count(0));
    return accepted & defined & finite(k_[partner]);
  }

  /// Installs the candidate in x. The state before the step and f there stay in memory, for the interpolant.
  template <bool Compensating = true> ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    if constexpr (Compensating) sum_.accept(accepted);
    if constexpr (keeps_copies) {
      left_.x = x;
      copy<Compensating>(x, candidate_);
    } else exchange(accepted, x, candidate_);
    if constexpr (end == end_derivative::next_step) {
      stale_ = stale_ | accepted;
    } else if constexpr (keeps_copies) {
      left_.f = k_[0];
      copy<Compensating>(k_[0], k_[partner]);
    } else exchange(accepted, k_[0], k_[partner]);
  }

  /// The same where nobody will ask for the inside of the step.
  template <bool Compensating> ENSUE_HD ENSUE_INLINE void accept_and_forget(const mask& accepted, storage& x) {
    if constexpr (Compensating) sum_.accept(accepted);
    hand_over(accepted, x, candidate_);
    if constexpr (end == end_derivative::next_step) stale_ = stale_ | accepted;
    else hand_over(accepted, k_[0], k_[partner]);
  }
  /// The same with what another's attempt has left.
  ENSUE_HD ENSUE_INLINE void accept_and_forget(const mask& accepted, storage& x, const remains& of) {
    take_over(accepted, x, of.candidate);
    take_over(accepted, k_[0], of.derivative);
  }
  /// One for the next step alone, where sums are not compensated: it knows its k₁.
  ENSUE_HD ENSUE_INLINE explicit_stepper for_next_step() const {
    explicit_stepper next(k_[0]);
    next.stale_ = stale_;
    return next;
  }
  /// Takes over what the next step needs of another's.
  template <bool Compensating = true> ENSUE_HD ENSUE_INLINE void go_on_from(const explicit_stepper& other) {
    k_[0] = other.k_[0];
    stale_ = other.stale_;
    if constexpr (Compensating) sum_ = other.sum_;
  }

  /// The first component that is not finite in some derivative of the last attempt.
  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (int j = 0; j < (confirms ? slots : stages); ++j)
      if (const std::int64_t found = first_not_finite(k_[j], lane); found != report::nowhere) return found;
    return report::nowhere;
  }

  ENSUE_HD void exchange_lanes(const mask& where, explicit_stepper& other) {
    for (int j = 0; j < slots; ++j) exchange(where, k_[j], other.k_[j]);
    exchange(where, candidate_, other.candidate_);
    exchange_masks(where, stale_, other.stale_);
    sum_.exchange_lanes(where, other.sum_);
  }

  /// Lane l takes over what lane `from` of another remembers before a first step: k₁, which is known.
  ENSUE_INLINE void begin_lane(int l, const explicit_stepper& other, int from) {
    for_each_element(k_[0], [&](std::size_t i) ENSUE_INLINE_LAMBDA { set_lane(k_[0].data()[i], l, lane(other.k_[0].data()[i], from)); });
    if constexpr (!keeps_first_derivative) set_lane(stale_, l, false);
  }

  ENSUE_HD ENSUE_INLINE const storage& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return finite(candidate_); }
  ENSUE_HD ENSUE_INLINE storage& scratch() { return candidate_; }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return k_[partner]; }

 private:
  static constexpr int stated_order = Method::table.order;
  template <int R> static constexpr bool sums_without_overflow = detail::sums_without_overflow<detail::error_row<Method, R>>();
  static constexpr int order_of_estimate = Method::table.estimate_order();
  static constexpr double stable_to = static_cast<double>(real_stability_interval(Method::table));
  template <int I> static constexpr bool at_the_end = Method::table.c[I] == 1;
  template <int I> static constexpr base c = static_cast<base>(Method::table.c[I]);
  static constexpr bool keeps_products = keeps_copies;

  ENSUE_HD explicit explicit_stepper(const storage& like) : inside(like), sum_(like) {}

  /// k₁ moved to its partner where a new one is to come; moved back if none does.
  struct set_aside {
    explicit_stepper& stepper;
    ENSUE_HD ENSUE_INLINE explicit set_aside(explicit_stepper& s) : stepper(s) { move(); }
    ENSUE_HD ENSUE_INLINE ~set_aside() { move(); }  // nothing to move once f has returned: none is stale then
    ENSUE_HD ENSUE_INLINE void move() { exchange(stepper.stale_, stepper.k_[0], stepper.k_[partner]); }
  };

  /// to = from, among the registers in which it is computed with. GCC likes to leave such a copy to the registers of integers: six cycles there and back.
  template <bool Compensating> ENSUE_HD ENSUE_INLINE static void copy(storage& to, const storage& from) {
    if constexpr (Compensating) to = from;
    else for_each_element(to, [a = to.data(), b = from.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar x = b[i];
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
      if constexpr (std::is_same_v<scalar, double> || std::is_same_v<scalar, float>) asm("" : "+x"(x));
#endif
      a[i] = x;
    });
  }

  /// to = from where it was accepted. (One trajectory is not asked to hand over anything else.)
  ENSUE_HD ENSUE_INLINE static void hand_over(const mask& accepted, storage& to, const storage& from) {
    if constexpr (keeps_copies) to = from;
    else take_over(accepted, to, from);
  }

  template <bool Compensating, class F, class Meanwhile, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& clock, const real& h,
                                        const storage& x, const mask& active, count& evaluations, mask& defined, Meanwhile& meanwhile,
                                        std::integer_sequence<int, I...>) {
    ((run_stage<Compensating, I + 1>(f, t, t_new, clock, h, x, active, evaluations, defined), meanwhile(std::integral_constant<int, I>{})), ...);
  }

  template <bool Compensating, int I, class F>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& clock, const real& h,
                                       const storage& x, const mask& active, count& evaluations, mask& defined) {
    if (!any(defined)) return;
    if constexpr (I == stages - 1 && end == end_derivative::last_stage) sum_up<detail::stage_row<Method, I>, Compensating>(x, h);
    else combine<detail::stage_row<Method, I>, Compensating>(candidate_, x, h);
    evaluations = evaluations + select(active & defined, count(1), count(0));
    if constexpr (at_the_end<I>) defined = defined & evaluate(f, t_new, candidate_, k_[I]);
    else defined = defined & evaluate(f, t + c<I> * clock, candidate_, k_[I]);
  }

  /// out = x + Σ (h·w_j) k_j, on a GPU x + (h·w₁)(k₁ + Σ (w_j/w₁) k_j): an instruction longer from one evaluation to the next, but with fewer in all.
  template <class Row, bool Compensating> ENSUE_HD ENSUE_INLINE void combine(storage& out, const storage& x, const real& h) const {
    if constexpr (on_device) {
      for_each_element(x, [unit = detail::row_in_units<Row>::template unit<base> * h, k = k_, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = from[i] + unit * detail::combined_in_units<Row>(k, i);
      });
      return;
    }
    if constexpr (keeps_products && !Compensating) {
      for_each_element(x, [k = k_, &products = products_, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        scalar sum = from[i];
        [&]<int... J>(std::integer_sequence<int, J...>) ENSUE_INLINE_LAMBDA {
          ((sum = products.template added_to<Row, J>(sum, k[J].data()[i])), ...);
        }(std::make_integer_sequence<int, Row::terms>{});
        to[i] = sum;
      });
    } else {
      const detail::weighted_terms<Row, storage> terms(k_, h);
      for_each_element(x, [terms, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = terms.added_to(from[i], i); });
    }
  }

  /// The same for the new state, with nothing lost where sums are compensated.
  template <class Row, bool Compensating> ENSUE_HD ENSUE_INLINE void sum_up(const storage& x, const real& h) {
    if constexpr (Compensating) {
      if (sum_.on())
        return sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
          const detail::weighted_terms<Row, storage> terms(k_, h);
          for_each_element(x, [add, terms, to = candidate_.data(), from = x.data()](std::size_t i)
                                  ENSUE_INLINE_LAMBDA { to[i] = add(i, from[i], terms.added_to(scalar(0), i)); });
        });
    }
    combine<Row, Compensating>(candidate_, x, h);
  }

  template <int R, class Measure>
  ENSUE_HD ENSUE_INLINE real row_error(const storage& x, const real& h, Measure& measure) const {
    using row = detail::error_row<Method, R>;
    if constexpr (on_device) {
      return measure.squared_norm(x, candidate_, [unit = detail::row_in_units<row>::template unit<base> * h, k = k_](std::size_t i) ENSUE_INLINE_LAMBDA {
        return value_of(unit * detail::combined_in_units<row>(k, i));
      });
    } else if constexpr (sums_without_overflow<R>) {  // h Σ w_j k_j needs fewer registers than Σ (h·w_j) k_j
      return measure.squared_norm(x, candidate_, [h, k = k_](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(h * detail::combined<row>(k, i)); });
    } else {
      const detail::weighted_terms<row, storage> terms(k_, h);
      return measure.squared_norm(x, candidate_, [terms](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(terms.added_to(scalar(0), i)); });
    }
  }

  [[no_unique_address]] std::conditional_t<keeps_products, detail::kept_products<Method, scalar>, typename inside::nothing> products_;
  compensation<storage> sum_;
  mask stale_ = mask(true);
};

}  // namespace ensue
