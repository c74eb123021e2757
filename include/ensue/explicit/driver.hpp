/// The one driver of explicit Runge–Kutta methods: from a table to the method protocol (attempt, accept, interpolate,
/// restart).
///
/// Stages are unrolled at compile time and zero coefficients leave no trace. Each stage's argument is formed in one pass over
/// the state as x + (h·a₁)k₁ + (h·a₂)k₂ + …, the newest k last, so that the chain from one evaluation to the next is one
/// multiply–add. The argument lives in the candidate's memory: nothing but the candidate and the k's is kept.
#pragma once

#include <ensue/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/control/tolerance.hpp>
#include <ensue/diagnosis.hpp>
#include <ensue/explicit/stiffness.hpp>
#include <ensue/explicit/tableau.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/state.hpp>
#include <ensue/system.hpp>

#include <utility>

namespace ensue {

/// A method that is a table of coefficients.
template <class Method>
concept has_explicit_table = requires {
  Method::table.order;
  Method::table.b;
  Method::table.fsal();
};

namespace detail {
/// Rows of a method's table as types: what the driver sums over. Every coefficient is rounded once, to the scalar's base.
template <class Method, int I> struct stage_row {
  static constexpr int terms = I, number = I;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.a[I][J]);
};
template <class Method> struct solution_row {
  static constexpr int terms = Method::table.stages, number = terms;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.b[J]);
};
template <class Method, int R> struct error_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Method::table.b[J] - Method::table.embedded[R].weights[J]);
};

template <class Row> constexpr int first_nonzero() {
  return []<int... J>(std::integer_sequence<int, J...>) {
    int found = 0;
    ((Row::template weight<long double, J> == 0 && found == J ? void(++found) : void()), ...);
    return found;
  }(std::make_integer_sequence<int, Row::terms>{});
}

/// How many coefficients of a table are not zero before this one; rows of the stages, then the solution's.
template <class Table> constexpr int nonzero_before(const Table& table, int row, int column) {
  int found = 0;
  for (int i = 0; i <= row; ++i)
    for (int j = 0; j < (i == row ? column : i); ++j) found += (i == Table::stages ? table.b[j] : table.a[i][j]) != 0;
  return found;
}

/// Whether Σ w_j k_j is no larger than the largest k_j, so that where they are finite it is.
template <class Row> constexpr bool sums_without_overflow() {
  return []<int... J>(std::integer_sequence<int, J...>) {
    long double sum = 0;
    ((sum += Row::template weight<long double, J> < 0 ? -Row::template weight<long double, J> : Row::template weight<long double, J>), ...);
    return sum <= 1;
  }(std::make_integer_sequence<int, Row::terms>{});
}

/// Whether the error is h Σ w_j k_j of one row.
template <class Method> constexpr bool has_one_plain_error() {
  if constexpr (Method::table.embedded_rows == 1) return sums_without_overflow<error_row<Method, 0>>();
  else return false;
}

constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// The table whose interpolant is used: the step's own, or the one with extra stages.
template <class Method> constexpr const auto& dense_table_of() {
  if constexpr (requires { Method::dense_table; }) return Method::dense_table;
  else return Method::table;
}

/// The polynomials q_j with b_j(θ) = θ b_j(1) + θ(θ − 1) q_j(θ): an interpolant in the form of output/interpolant.hpp.
template <class Table> constexpr auto beyond_the_chord(const Table& table) {
  constexpr int degree = Table::dense_degree, terms = degree > 1 ? degree - 1 : 1;
  struct {
    long double of[Table::stages][terms] = {};
  } q;
  for (int j = 0; j < Table::stages; ++j)
    for (int m = degree - 1; m > 0; --m) q.of[j][m - 1] = table.dense[j][m] + (m + 1 < degree ? q.of[j][m] : 0);
  return q;
}
}  // namespace detail

/// What is done between the stages of an attempt, where nothing is.
struct nothing_meanwhile {
  template <class Stage> ENSUE_HD ENSUE_INLINE void operator()(Stage) const {}
};

template <has_explicit_table Method, state State> class explicit_stepper {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = false;
  static constexpr int stages = Method::table.stages;
  static constexpr end_derivative end = Method::table.end();
  static constexpr bool may_estimate = Method::table.embedded_rows > 0;
  static constexpr bool confirms = end == end_derivative::after_accept;
  static constexpr bool keeps_first_derivative = end != end_derivative::next_step;  ///< k₁, once known, is known after every attempt
  static constexpr auto& dense_table = detail::dense_table_of<Method>();
  static constexpr bool has_own_interpolant = dense_table.dense_degree > 0;
  /// Steps of the pairs whose last stage is the next one's first are short, and many of them run in lanes: what their lengths cost is felt.
  static constexpr law_digits digits_of_law = end == end_derivative::last_stage ? law_digits::three : law_digits::six;
  /// Columns of the dense table that are known after an accepted step: its stages, and f at its end.
  static constexpr int known_columns = stages + (end == end_derivative::last_stage ? 0 : 1);
  static constexpr int extra_stages_of_dense = has_own_interpolant && dense_table.stages > known_columns ? dense_table.stages - known_columns : 0;

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
    for_each_element(candidate_, [k = k_, sum = to.error_sum.data()](std::size_t i) ENSUE_INLINE_LAMBDA { sum[i] = combined<detail::error_row<Method, 0>>(k, i); });
  }
  template <class Measure> ENSUE_HD ENSUE_INLINE static real squared_error(const storage& x, const remains& of, const real& h, Measure& measure) {
    return measure.squared_norm(x, of.candidate, [h, sum = of.error_sum.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(h * sum[i]); });
  }

  /// Last word on an acceptable candidate: f is evaluated there, and must be defined and finite.
  template <class F> ENSUE_HD ENSUE_INLINE mask confirm(F& f, const real& t_new, const mask& accepted, count& evaluations)
    requires confirms
  {
    const mask defined = evaluate(f, t_new, candidate_, k_[partner]);
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
    explicit_stepper next(k_[0], std::make_index_sequence<slots>{});
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
    for (const storage& k : k_)
      if (const std::int64_t found = first_not_finite(k, lane); found != report::nowhere) return found;
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

  /// The order of the interpolant: the table's own, or that of Hermite's cubic; none is better than the ends it runs between.
  static constexpr int dense_order = detail::smaller(has_own_interpolant ? dense_table.dense_order : 3, Method::table.order);

  /// Memory for the inside of one step: the interpolant, and stages that it alone needs.
  struct dense_memory {
    interpolant<storage, has_own_interpolant ? dense_table.dense_degree - 1 : 2> curve;
    storage extra[extra_stages_of_dense > 0 ? extra_stages_of_dense : 1] = {};
    storage argument = {};

    ENSUE_HD void allocate(const storage& like) {
      for (storage& s : curve.s) s = like;
      if constexpr (extra_stages_of_dense > 0) {
        for (storage& k : extra) k = like;
        argument = like;
      }
    }
  };

  /// The inside of the last accepted step, of length h from t to t_new, where x is the state at its end. Needs k₁ there (not
  /// stale). The extra stages, where there are any, are evaluated and counted; where f has no value in one of them, the
  /// interpolant is Hermite's.
  template <class F>
  ENSUE_HD void make_dense(F& f, const real& t, const real& t_new, const real& h, const storage& x, dense_memory& dense,
                           count& evaluations) const {
    mask sound(has_own_interpolant);
    if constexpr (has_own_interpolant) {
      run_extra_stages(f, t, t_new - t, h, dense, sound, evaluations, std::make_integer_sequence<int, extra_stages_of_dense>{});
      fill_terms(h, dense, std::make_integer_sequence<int, dense_table.dense_degree - 1>{});
    }
    if (!all(sound)) make_hermite(dense.curve, !sound, before(), x, settled<0>(), k_[0], h);
  }

  /// The state before the last accepted step.
  ENSUE_HD ENSUE_INLINE const storage& before() const {
    if constexpr (keeps_copies) return left_.x;
    else return candidate_;
  }

  /// (h·ρ)², with ρ the growth rate of the fastest component seen in the last accepted step; call it right after `accept`.
  template <class Measure> ENSUE_HD real squared_stiffness_ratio(const storage& x, Measure& measure) const {
    return ratio_of(probe<detail::stiffness_probe<Method>>(x, measure, std::make_integer_sequence<int, stages>{}));
  }

  /// The same of the solution's own motion, where that was by more than thirty tolerances; 0 elsewhere.
  template <class Measure> ENSUE_HD real squared_motion_ratio(const storage& x, const real& h, Measure& measure) const {
    const probed seen = probe<detail::motion_probe<Method>>(x, measure, std::make_integer_sequence<int, stages>{});
    return select(h * h * seen.states > real(900), ratio_of(seen), real(0));
  }

 private:
  static constexpr int stated_order = Method::table.order;
  template <class Row> static constexpr int first_term = detail::first_nonzero<Row>();
  template <class Row> static constexpr base first_weight = Row::template weight<base, first_term<Row>>;
  template <class Row, int J>
  static constexpr base in_units = static_cast<base>(Row::template weight<long double, J> / Row::template weight<long double, first_term<Row>>);
  template <int R> static constexpr bool sums_without_overflow = detail::sums_without_overflow<detail::error_row<Method, R>>();
  static constexpr int order_of_estimate = Method::table.estimate_order();
  static constexpr double stable_to = static_cast<double>(real_stability_interval(Method::table));
  template <int I> static constexpr bool at_the_end = Method::table.c[I] == 1;
  template <int I> static constexpr base c = static_cast<base>(Method::table.c[I]);
  static constexpr auto dense_terms = detail::beyond_the_chord(dense_table);

  static constexpr int slots = end == end_derivative::last_stage ? stages : stages + 1;
  static constexpr int partner = slots - 1;  ///< where k₁ goes when the next step's k₁ takes its place

  template <std::size_t... J>
  ENSUE_HD explicit_stepper(const storage& like, std::index_sequence<J...>) : k_{((void)J, like)...}, candidate_(like), left_(like), sum_(like) {}

  /// k₁ moved to its partner where a new one is to come; moved back if none does.
  struct set_aside {
    explicit_stepper& stepper;
    ENSUE_HD ENSUE_INLINE explicit set_aside(explicit_stepper& s) : stepper(s) { move(); }
    ENSUE_HD ENSUE_INLINE ~set_aside() { move(); }  // nothing to move once f has returned: none is stale then
    ENSUE_HD ENSUE_INLINE void move() { exchange(stepper.stale_, stepper.k_[0], stepper.k_[partner]); }
  };

  /// Where one trajectory runs in registers, what is exchanged between variables of different use goes through memory, and what is copied out
  /// does not: 7 % of a step (dp54, Lorenz, g++ 12).
  static constexpr bool has_room_for_copies = extent_of<storage> > 0 && lanes_of<scalar> == 1;
  static constexpr bool keeps_copies = has_room_for_copies && !on_device;
  static constexpr bool keeps_products = keeps_copies;

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

  /// The products h·w_j of all rows. Most steps are as long as the one before.
  struct kept_products {
    static constexpr int count = detail::nonzero_before(Method::table, stages, stages);
    real h = real(0);
    real each[count > 0 ? count : 1] = {};

    ENSUE_HD ENSUE_INLINE void prepare(const real& length) {
      if (h == length) return;
      h = length;
      [&]<int... I>(std::integer_sequence<int, I...>) ENSUE_INLINE_LAMBDA {
        (set_row<detail::stage_row<Method, I>>(std::make_integer_sequence<int, I>{}), ...);
      }(std::make_integer_sequence<int, stages>{});
      if constexpr (end != end_derivative::last_stage) set_row<detail::solution_row<Method>>(std::make_integer_sequence<int, stages>{});
    }

    template <class Row, int J> ENSUE_HD ENSUE_INLINE scalar added_to(const scalar& sum, const scalar& k) const {
      if constexpr (Row::template weight<base, J> == 0) return sum;
      else return sum + each[place<Row, J>] * k;
    }

   private:
    template <class Row, int J> static constexpr int place = detail::nonzero_before(Method::table, Row::number, J);
    template <class Row, int... J> ENSUE_HD ENSUE_INLINE void set_row(std::integer_sequence<int, J...>) {
      ((Row::template weight<base, J> != 0 ? void(each[place<Row, J>] = Row::template weight<base, J> * h) : void()), ...);
    }
  };

  /// Stage J's derivative once the next step's k₁ is known: it took the place of the old one.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& settled() const {
    if constexpr (J == 0 && keeps_copies && end != end_derivative::next_step) return left_.f;
    else return k_[J == 0 ? partner : J == stages - 1 && end == end_derivative::last_stage ? 0 : J];
  }
  /// The same right after `accept`, when it is not known yet for methods that leave it to the next step.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& accepted() const {
    if constexpr (J == 0 && end == end_derivative::next_step) return k_[0];
    else return settled<J>();
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
      for_each_element(x, [unit = first_weight<Row> * h, k = k_, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = from[i] + unit * combined_in_units<Row>(k, i);
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
      const auto terms = terms_of<Row>(h);
      for_each_element(x, [terms, to = out.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = terms.added_to(from[i], i); });
    }
  }

  /// The same for the new state, with nothing lost where sums are compensated.
  template <class Row, bool Compensating> ENSUE_HD ENSUE_INLINE void sum_up(const storage& x, const real& h) {
    if constexpr (Compensating) {
      if (sum_.on())
        return sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
          const auto terms = terms_of<Row>(h);
          for_each_element(x, [add, terms, to = candidate_.data(), from = x.data()](std::size_t i)
                                  ENSUE_INLINE_LAMBDA { to[i] = add(i, from[i], terms.added_to(scalar(0), i)); });
        });
    }
    combine<Row, Compensating>(candidate_, x, h);
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

  /// Σ_j w_j k_j of one element
  template <class Row> ENSUE_HD ENSUE_INLINE static scalar combined(const storage* k, std::size_t i) {
    scalar sum(0);
    [&]<int... J>(std::integer_sequence<int, J...>) ENSUE_INLINE_LAMBDA {
      ((Row::template weight<base, J> != 0 ? void(sum = sum + Row::template weight<base, J> * k[J].data()[i]) : void()), ...);
    }(std::make_integer_sequence<int, Row::terms>{});
    return sum;
  }
  /// The same but for its first weight: k₁ + Σ_j (w_j/w₁) k_j, a product less.
  template <class Row> ENSUE_HD ENSUE_INLINE static scalar combined_in_units(const storage* k, std::size_t i) {
    scalar sum = k[first_term<Row>].data()[i];
    [&]<int... J>(std::integer_sequence<int, J...>) ENSUE_INLINE_LAMBDA {
      ((J > first_term<Row> && Row::template weight<base, J> != 0 ? void(sum = sum + in_units<Row, J> * k[J].data()[i]) : void()), ...);
    }(std::make_integer_sequence<int, Row::terms>{});
    return sum;
  }

  template <int R, class Measure>
  ENSUE_HD ENSUE_INLINE real row_error(const storage& x, const real& h, Measure& measure) const {
    using row = detail::error_row<Method, R>;
    if constexpr (on_device) {
      return measure.squared_norm(x, candidate_, [unit = first_weight<row> * h, k = k_](std::size_t i) ENSUE_INLINE_LAMBDA {
        return value_of(unit * combined_in_units<row>(k, i));
      });
    } else if constexpr (sums_without_overflow<R>) {  // h Σ w_j k_j needs fewer registers than Σ (h·w_j) k_j
      return measure.squared_norm(x, candidate_, [h, k = k_](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(h * combined<row>(k, i)); });
    } else {
      const auto terms = terms_of<row>(h);
      return measure.squared_norm(x, candidate_, [terms](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(terms.added_to(scalar(0), i)); });
    }
  }

  /// The derivative of column J of the dense table.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& column(const dense_memory& dense) const {
    if constexpr (J < stages) return settled<J>();
    else if constexpr (J < known_columns) return k_[0];
    else return dense.extra[J - known_columns];
  }

  /// to = to + h Σ_j w_j (k_j − origin) over the columns J…
  template <class Weight, int... J, class Origin>
  ENSUE_HD void add_columns(scalar* to, const real& h, const dense_memory& dense, Weight, std::integer_sequence<int, J...>,
                            Origin origin) const {
    const auto add = [&](const storage& column, base weight) {
      for_each_element(before(), [to, weight = weight * h, k = column.data(), origin](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = to[i] + weight * (k[i] - origin(i));
      });
    };
    ((Weight::template of<J> != 0 ? add(column<J>(dense), Weight::template of<J>) : void()), ...);
  }

  template <int I> struct extra_row {
    template <int J> static constexpr base of = static_cast<base>(dense_table.a[I][J]);
  };
  template <int M> struct term_row {
    template <int J> static constexpr base of = static_cast<base>(dense_terms.of[J][M]);
  };

  template <class F, int... E>
  ENSUE_HD void run_extra_stages(F& f, const real& t, const real& clock, const real& h, dense_memory& dense, mask& sound,
                                 count& evaluations, std::integer_sequence<int, E...>) const {
    (run_extra_stage<E>(f, t, clock, h, dense, sound, evaluations), ...);
  }
  template <int E, class F>
  ENSUE_HD void run_extra_stage(F& f, const real& t, const real& clock, const real& h, dense_memory& dense, mask& sound,
                                count& evaluations) const {
    constexpr int i = known_columns + E;
    scalar* const x = dense.argument.data();
    for_each_element(before(), [x, from = before().data()](std::size_t i) ENSUE_INLINE_LAMBDA { x[i] = from[i]; });
    add_columns(x, h, dense, extra_row<i>{}, std::make_integer_sequence<int, i>{}, [](std::size_t) { return scalar(0); });
    evaluations = evaluations + count(1);
    sound = sound & evaluate(f, t + static_cast<base>(dense_table.c[i]) * clock, dense.argument, dense.extra[E]);
    sound = sound & finite(dense.extra[E]);
  }

  template <int... M> ENSUE_HD void fill_terms(const real& h, dense_memory& dense, std::integer_sequence<int, M...>) const {
    (fill_term<M>(h, dense), ...);
  }
  /// The weights of a term add up to 0, because those of x(θ) do to θ. So it is a sum over differences of derivatives, which
  /// keeps the digits that weights of thousands with both signs (vern9's) would cost.
  template <int M> ENSUE_HD void fill_term(const real& h, dense_memory& dense) const {
    scalar* const s = dense.curve.s[M].data();
    for_each_element(before(), [s](std::size_t i) ENSUE_INLINE_LAMBDA { s[i] = scalar(0); });
    add_columns(s, h, dense, term_row<M>{}, std::make_integer_sequence<int, dense_table.stages>{},
                [k = column<0>(dense).data()](std::size_t i) ENSUE_INLINE_LAMBDA { return k[i]; });
  }

  /// ‖Σ w_i k_i‖² and ‖Σ_j (Σ_i w_i a_ij) k_j‖² (explicit/stiffness.hpp).
  struct probed {
    real derivatives, states;
  };
  template <class Probe, int J> static constexpr base weight_of_k = static_cast<base>(Probe::weights.of_k[J]);
  template <class Probe, int J> static constexpr base weight_of_x = static_cast<base>(Probe::weights.of_x[J]);
  template <class Probe, class Measure, int... J>
  ENSUE_HD ENSUE_INLINE probed probe(const storage& x, Measure& measure, std::integer_sequence<int, J...>) const {
    const real derivatives = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((weight_of_k<Probe, J> != 0 ? void(sum = sum + weight_of_k<Probe, J> * accepted<J>().data()[i]) : void()), ...);
      return value_of(sum);
    });
    const real states = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((weight_of_x<Probe, J> != 0 ? void(sum = sum + weight_of_x<Probe, J> * accepted<J>().data()[i]) : void()), ...);
      return value_of(sum);
    });
    return {derivatives, states};
  }
  ENSUE_HD static real ratio_of(const probed& seen) { return select(seen.states > real(0), seen.derivatives / seen.states, real(0)); }

  struct left_behind {
    storage x, f;
    ENSUE_HD explicit left_behind(const storage& like) : x(like), f(like) {}
  };
  struct nothing {
    nothing() = default;
    ENSUE_HD explicit nothing(const storage&) {}
  };

  storage k_[slots];
  storage candidate_;
  [[no_unique_address]] std::conditional_t<keeps_products, kept_products, nothing> products_;
  std::conditional_t<has_room_for_copies, left_behind, nothing> left_;  ///< by the last accepted step
  compensation<storage> sum_;
  mask stale_ = mask(true);
};

}  // namespace ensue
