/// The one driver of explicit Runge–Kutta methods: from a table to the method protocol (attempt, accept, interpolate,
/// restart).
///
/// Stages are unrolled at compile time and zero coefficients leave no trace. Each stage's argument is formed in one pass over
/// the state as x + (h·a₁)k₁ + (h·a₂)k₂ + …, the newest k last, so that the chain from one evaluation to the next is one
/// multiply–add. The argument lives in the candidate's memory: nothing but the candidate and the k's is kept.
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/control/tolerance.hpp>
#include <ensue/diagnosis.hpp>
#include <ensue/explicit/stiffness.hpp>
#include <ensue/explicit/tableau.hpp>
#include <ensue/state.hpp>
#include <ensue/system.hpp>

#include <utility>

namespace ensue {

/// A method that is a table of coefficients.
template <class Method>
concept has_explicit_table = requires {
  Method::table.order;
  Method::table.fsal();
};

namespace detail {
/// Rows of a method's table as types: what the driver sums over. Every coefficient is rounded once, to the scalar's base.
template <class Method, int I> struct stage_row {
  static constexpr int terms = I;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.a[I][J]);
};
template <class Method> struct solution_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.b[J]);
};
template <class Method, int R> struct error_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Method::table.b[J] - Method::table.embedded[R].weights[J]);
};
}  // namespace detail

template <has_explicit_table Method, state State> class explicit_stepper {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr int stages = Method::table.stages;
  static constexpr end_derivative end = Method::table.end();
  static constexpr bool may_estimate = Method::table.embedded_rows > 0;
  static constexpr bool confirms = end == end_derivative::after_accept;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return may_estimate; }
  ENSUE_HD static constexpr int estimate_order() { return order_of_estimate; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return stages - 1 + (confirms ? 1 : 0); }
  ENSUE_HD static constexpr double real_stability() { return stable_to; }

  ENSUE_HD explicit_stepper(const Method&, const storage& like)
      : explicit_stepper(like, std::make_index_sequence<slots>{}) {}

  /// Where k₁ = f(t, x) is not known yet.
  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  /// The state was changed: what is known of it is not.
  ENSUE_HD ENSUE_INLINE void restart() { stale_ = mask(true); }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ | where; }

  /// k₁ = f(t, x). Returns where it is defined.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    if constexpr (end == end_derivative::next_step) {
      // The old one is kept for the interpolant, at first also against an f that throws.
      const set_aside old(*this);
      const mask defined = evaluate(f, t, x, k_[0]);
      stale_ = mask(false);
      return defined;
    } else {
      const mask defined = evaluate(f, t, x, k_[0]);
      stale_ = mask(false);
      return defined;
    }
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return k_[0]; }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs k₁. Returns where f was defined; adds what was
  /// spent on the lanes of `active`. A stage at c = 1 is evaluated at t_new itself, so that no rounding leaves the interval.
  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                     const mask& active, count& evaluations) {
    mask defined(true);
    const real clock = t_new - t;  // h, but where a fixed step is finer than the numbers near t
    run_stages(f, t, t_new, clock, h, x, active, evaluations, defined, std::make_integer_sequence<int, stages - 1>{});
    if constexpr (end != end_derivative::last_stage)
      if (any(defined)) combine<detail::solution_row<Method>>(candidate_, x, h);
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

  /// Last word on an acceptable candidate: f is evaluated there, and must be defined and finite.
  template <class F> ENSUE_HD ENSUE_INLINE mask confirm(F& f, const real& t_new, const mask& accepted, count& evaluations)
    requires confirms
  {
    const mask defined = evaluate(f, t_new, candidate_, k_[partner]);
    evaluations = evaluations + select(accepted, count(1), count(0));
    return accepted & defined & finite(k_[partner]);
  }

  /// Installs the candidate in x. The state before the step stays in the candidate's memory, for the interpolant.
  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    exchange(accepted, x, candidate_);
    if constexpr (end == end_derivative::next_step) stale_ = stale_ | accepted;
    else exchange(accepted, k_[0], k_[partner]);
  }

  /// The first component that is not finite in some derivative of the last attempt.
  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (const storage& k : k_)
      if (const std::int64_t found = first_not_finite(k, lane); found != report::nowhere) return found;
    return report::nowhere;
  }

  ENSUE_HD void exchange_lanes(const mask& where, explicit_stepper& other) {
    for (int j = 0; j < slots; ++j) exchange(where, k_[j], other.k_[j]);
    exchange(where, candidate_, other.candidate_);
    const mask kept = stale_;
    stale_ = (where & other.stale_) | (stale_ & !where);
    other.stale_ = (where & kept) | (other.stale_ & !where);
  }

  ENSUE_HD ENSUE_INLINE const storage& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE storage& scratch() { return candidate_; }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return k_[partner]; }

  /// The order of `interpolate`: the method's own interpolant where the table has one, cubic Hermite otherwise.
  static constexpr int dense_order = Method::table.dense_degree > 0 ? Method::table.dense_order : 3;

  /// The state at t_old + θh inside the last accepted step, where x is the state at its end. Needs k₁ there (not stale).
  ENSUE_HD void interpolate(const real& theta, const real& h, const storage& x, storage& out) const {
    const scalar* const old = candidate_.data();
    scalar* const to = out.data();
    if constexpr (Method::table.dense_degree > 0) {
      real weights[stages];
      dense_weights(theta, h, weights, std::make_integer_sequence<int, stages>{});
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = old[i]; });
      add_dense(weights, to, x, std::make_integer_sequence<int, stages>{});
    } else {
      // Hermite's cubic, as x_old + θΔ + θ(θ−1)((1−2θ)Δ + (θ−1)h f_old + θ h f_new)
      const scalar *const now = x.data(), *const f_old = k_[partner].data(), *const f_new = k_[0].data();
      const real a = theta - real(1), both = theta * a, b = real(1) - real(2) * theta;
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar change = now[i] - old[i];
        to[i] = old[i] + theta * change + both * (b * change + (a * h) * f_old[i] + (theta * h) * f_new[i]);
      });
    }
  }

  /// (h·ρ)², with ρ the growth rate of the fastest component seen in the last accepted step; call it right after `accept`.
  template <class Measure> ENSUE_HD real squared_stiffness_ratio(const storage& x, Measure& measure) const {
    return stiffness_sums(x, measure, std::make_integer_sequence<int, stages>{});
  }

 private:
  static constexpr int stated_order = Method::table.order;
  static constexpr int order_of_estimate = Method::table.estimate_order();
  static constexpr double stable_to = static_cast<double>(real_stability_interval(Method::table));
  template <int I> static constexpr bool at_the_end = Method::table.c[I] == 1;
  template <int I> static constexpr base c = static_cast<base>(Method::table.c[I]);
  template <int J, int M> static constexpr base dense = static_cast<base>(Method::table.dense[J][M]);
  template <int J> static constexpr base probe_of_k = static_cast<base>(detail::stiffness_probe<Method>.of_k[J]);
  template <int J> static constexpr base probe_of_x = static_cast<base>(detail::stiffness_probe<Method>.of_x[J]);

  static constexpr int slots = end == end_derivative::last_stage ? stages : stages + 1;
  static constexpr int partner = slots - 1;  ///< where k₁ goes when the next step's k₁ takes its place

  template <std::size_t... J>
  ENSUE_HD explicit_stepper(const storage& like, std::index_sequence<J...>) : k_{((void)J, like)...}, candidate_(like) {}

  /// k₁ moved to its partner where a new one is to come; moved back if none does.
  struct set_aside {
    explicit_stepper& stepper;
    ENSUE_HD ENSUE_INLINE explicit set_aside(explicit_stepper& s) : stepper(s) { move(); }
    ENSUE_HD ENSUE_INLINE ~set_aside() { move(); }  // nothing to move once f has returned: none is stale then
    ENSUE_HD ENSUE_INLINE void move() { exchange(stepper.stale_, stepper.k_[0], stepper.k_[partner]); }
  };

  /// Slot of stage J's derivative once the next step's k₁ is known: it took the place of the old one.
  template <int J>
  static constexpr int settled_slot = J == 0 ? partner : J == stages - 1 && end == end_derivative::last_stage ? 0 : J;
  /// The same right after `accept`, when it is not known yet for methods that leave it to the next step.
  template <int J> static constexpr int accepted_slot = J == 0 && end == end_derivative::next_step ? 0 : settled_slot<J>;

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& clock, const real& h,
                                        const storage& x, const mask& active, count& evaluations, mask& defined,
                                        std::integer_sequence<int, I...>) {
    (run_stage<I + 1>(f, t, t_new, clock, h, x, active, evaluations, defined), ...);
  }

  template <int I, class F>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& clock, const real& h,
                                       const storage& x, const mask& active, count& evaluations, mask& defined) {
    if (!any(defined)) return;
    combine<detail::stage_row<Method, I>>(candidate_, x, h);
    evaluations = evaluations + select(active & defined, count(1), count(0));
    if constexpr (at_the_end<I>) defined = defined & evaluate(f, t_new, candidate_, k_[I]);
    else defined = defined & evaluate(f, t + c<I> * clock, candidate_, k_[I]);
  }

  /// out = x + Σ (h·w_j) k_j
  template <class Row> ENSUE_HD ENSUE_INLINE void combine(storage& out, const storage& x, const real& h) const {
    const auto terms = terms_of<Row>(h);
    for_each_element(x, [terms, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = terms.added_to(from[i], i); });
  }

  /// Σ_j (h·w_j) k_j over the nonzero weights of a row. The products h·w_j are formed once for all elements.
  template <class Row, class = std::make_integer_sequence<int, Row::terms>> struct weighted_terms;
  template <class Row, int... J> struct weighted_terms<Row, std::integer_sequence<int, J...>> {
    const storage* k;
    real weights[Row::terms];

    ENSUE_HD ENSUE_INLINE scalar added_to(scalar sum, std::size_t i) const {
      ((sum = plus_term<J>(sum, i)), ...);
      return sum;
    }

   private:
    template <int I> ENSUE_HD ENSUE_INLINE scalar plus_term(const scalar& sum, std::size_t i) const {
      if constexpr (Row::template weight<base, I> == 0) return sum;
      else return sum + weights[I] * k[I].data()[i];
    }
  };
  template <class Row> ENSUE_HD ENSUE_INLINE weighted_terms<Row> terms_of(const real& h) const {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      return weighted_terms<Row>{k_, {Row::template weight<base, J> * h...}};
    }(std::make_integer_sequence<int, Row::terms>{});
  }

  template <int R, class Measure>
  ENSUE_HD ENSUE_INLINE real row_error(const storage& x, const real& h, Measure& measure) const {
    const auto terms = terms_of<detail::error_row<Method, R>>(h);
    return measure.squared_norm(x, candidate_, [terms](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(terms.added_to(scalar(0), i)); });
  }

  template <int... J>
  ENSUE_HD static void dense_weights(const real& theta, const real& h, real* weights, std::integer_sequence<int, J...>) {
    ((weights[J] = dense_polynomial<J, 0>(theta) * theta * h), ...);
  }
  template <int J, int M> ENSUE_HD ENSUE_INLINE static real dense_polynomial(const real& theta) {
    if constexpr (M + 1 == Method::table.dense_degree) return real(dense<J, M>);
    else return real(dense<J, M>) + theta * dense_polynomial<J, M + 1>(theta);
  }
  template <int... J>
  ENSUE_HD void add_dense(const real* weights, scalar* to, const storage& x, std::integer_sequence<int, J...>) const {
    (for_each_element(x, [&, k = k_[settled_slot<J>].data()](std::size_t i) { to[i] = to[i] + weights[J] * k[i]; }), ...);
  }

  template <class Measure, int... J>
  ENSUE_HD ENSUE_INLINE real stiffness_sums(const storage& x, Measure& measure, std::integer_sequence<int, J...>) const {
    const real derivatives = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((probe_of_k<J> != 0 ? void(sum = sum + probe_of_k<J> * k_[accepted_slot<J>].data()[i]) : void()), ...);
      return value_of(sum);
    });
    const real states = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((probe_of_x<J> != 0 ? void(sum = sum + probe_of_x<J> * k_[accepted_slot<J>].data()[i]) : void()), ...);
      return value_of(sum);
    });
    return select(states > real(0), derivatives / states, real(0));
  }

  storage k_[slots];
  storage candidate_;
  mask stale_ = mask(true);
};

}  // namespace ensue
