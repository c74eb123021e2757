/// The one driver of Runge–Kutta–Nyström pairs: from a table to the method protocol.
///
/// Unrolled at compile time, as methods/explicit/driver.hpp. A stage's positions are formed as q + (c_i h v + h² Σ ā_ij a_j), the newest
/// acceleration last: one rounding of the size of q a stage, however many terms there are. They live in the candidate's memory.
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/methods/second_order/memory.hpp>
#include <ensue/methods/second_order/nystrom.hpp>
#include <ensue/methods/weighted_terms.hpp>

#include <utility>

namespace ensue {

/// A method that is a pair of Nyström formulae.
template <class Method>
concept has_nystrom_table = requires {
  Method::table.solution.velocities[0];
  Method::table.ends_with_stage();
};

namespace detail {
template <class Method>
inline constexpr end_acceleration nystrom_end = Method::table.ends_with_stage() ? end_acceleration::known : end_acceleration::next_step;

/// Rows of a method's table as types: what the driver sums over. Every coefficient is rounded once, to the scalar's base.
template <class Method, int I> struct nystrom_stage_row {
  static constexpr int terms = I;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.a[I][J]);
};
template <class Method> struct nystrom_position_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.solution.positions[J]);
};
template <class Method> struct nystrom_velocity_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.solution.velocities[J]);
};
template <class Method> struct nystrom_position_error {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Method::table.solution.positions[J] - Method::table.embedded.positions[J]);
};
template <class Method> struct nystrom_velocity_error {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Method::table.solution.velocities[J] - Method::table.embedded.velocities[J]);
};

/// The table's interpolant in the form of output/interpolant.hpp. Of a polynomial p without constant term, p(θ) − θ p(1) is
/// θ(θ − 1) s(θ) with s_m = Σ_{k > m+1} p_k; for velocities p = w_i, for positions its integral, whose powers are one higher.
template <class Table> constexpr auto nystrom_beyond_the_chord(const Table& table) {
  struct {
    long double positions[Table::stages + 1][Table::dense_degree] = {}, velocities[Table::stages + 1][Table::dense_degree] = {};
  } s;
  for (int i = 0; i <= Table::stages; ++i)
    for (int m = Table::dense_degree - 1; m >= 0; --m) {
      const bool highest = m + 1 == Table::dense_degree;
      s.positions[i][m] = table.dense[i][m] / (m + 2) + (highest ? 0 : s.positions[i][m + 1]);
      s.velocities[i][m] = highest ? 0 : table.dense[i][m + 1] + s.velocities[i][m + 1];
    }
  return s;
}
}  // namespace detail

template <has_nystrom_table Method, state State>
class nystrom_stepper : public second_order_memory<State, Method::table.solution.order, detail::nystrom_end<Method>> {
  static constexpr auto& table = Method::table;
  using memory = second_order_memory<State, Method::table.solution.order, detail::nystrom_end<Method>>;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::half;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr int stages = table.stages;
  static constexpr bool ends_with_stage = table.ends_with_stage();
  static constexpr system_needed needs = system_needed::position_force;
  static constexpr bool divides_evenly = false;
  static constexpr bool symplectic = false;
  static constexpr bool may_estimate = true;
  static constexpr bool has_own_interpolant = table.dense_degree > 0;
  static constexpr int dense_order = has_own_interpolant ? table.dense_order : table.solution.order < 4 ? table.solution.order : 4;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return true; }
  ENSUE_HD static constexpr int estimate_order() { return order_of_estimate; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return stages - 1; }

  /// A force of positions alone damps nothing. The fastest oscillation in it is one that the error estimate sees for as long as it has
  /// an amplitude, and the steps that it asks for are asked for by accuracy: no ratio is looked at, and none reaches this limit.
  ENSUE_HD static constexpr double real_stability() { return infinity<double>; }
  template <class Measure> ENSUE_HD static real squared_stiffness_ratio(const storage&, Measure&) { return real(0); }

  ENSUE_HD nystrom_stepper(const Method&, const storage& like) : nystrom_stepper(like, std::make_index_sequence<pairs>{}) {}

  /// One step from (t, x) to t_new with length h, into the candidate. Needs a₁.
  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                                     count& evaluations) {
    mask defined(true);
    run_stages(f, t, t_new, h, x, active, evaluations, defined, std::make_integer_sequence<int, stages - 1>{});
    if (any(defined)) {
      if constexpr (!ends_with_stage) move_positions<detail::nystrom_position_row<Method>, true>(real(h), h, x);
      const auto kick = terms_of<detail::nystrom_velocity_row<Method>>(h);
      this->sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
        for_each_in_half(x, [add, kick, n = this->size(), to = this->candidate_.data(), from = x.data()](std::size_t i)
                                ENSUE_INLINE_LAMBDA { to[n + i] = add(n + i, from[n + i], kick.at(i)); });
      });
    }
    return defined;
  }

  /// The candidate's error in units of the tolerance, squared.
  template <class Measure> ENSUE_HD ENSUE_INLINE real squared_error(const storage& x, const real& h, Measure& measure) {
    const auto q = terms_of<detail::nystrom_position_error<Method>>(h * h);
    const auto v = terms_of<detail::nystrom_velocity_error<Method>>(h);
    scalar* const error = this->derivative_.data();  // nobody reads it as x' before it is assembled again
    for_each_in_half(x, [q, v, n = this->size(), error](std::size_t i) ENSUE_INLINE_LAMBDA {
      error[i] = q.at(i);
      error[n + i] = v.at(i);
    });
    return measure.squared_norm(x, this->candidate_, [error](std::size_t i) ENSUE_INLINE_LAMBDA { return value_of(error[i]); });
  }

  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (const storage& pair : pairs_)
      if (const std::int64_t found = first_not_finite(pair, lane); found != report::nowhere) {
        const std::int64_t n = static_cast<std::int64_t>(this->size());
        return n + found % n;
      }
    return memory::bad_component(lane);
  }

  ENSUE_HD void exchange_lanes(const mask& where, nystrom_stepper& other) {
    memory::exchange_lanes(where, other);
    for (int j = 0; j < pairs; ++j) exchange(where, pairs_[j], other.pairs_[j]);
  }

  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return pairs_[0]; }

  using dense_memory = interpolant_memory<storage, has_own_interpolant ? table.dense_degree : 4>;

  /// The inside of the last accepted step, of length h, where x is the state at its end. Needs the acceleration there.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real& h, const storage& x, dense_memory& dense, count&) const {
    if constexpr (has_own_interpolant) fill_terms(h, dense, std::make_integer_sequence<int, table.dense_degree>{});
    else make_quintic<stated_order>(dense.curve, this->candidate_, x, this->a_before_.data(), this->a_.data(), h);
  }

 private:
  static constexpr int stated_order = table.solution.order;
  template <int I> static constexpr bool at_the_end = Method::table.c[I] == 1;
  template <int I> static constexpr base c = static_cast<base>(Method::table.c[I]);
  static constexpr int order_of_estimate = table.estimate_order();
  static constexpr int between = ends_with_stage ? stages - 2 : stages - 1;  ///< stages that neither the memory's a nor a_before is
  static constexpr int pairs = (between + 1) / 2;

  template <std::size_t... J>
  ENSUE_HD nystrom_stepper(const storage& like, std::index_sequence<J...>) : memory(like), pairs_{((void)J, like)...} {}

  /// Where the acceleration of stage J is written. The last one's place is that which `accept` makes the next step's first.
  template <int J> ENSUE_HD ENSUE_INLINE scalar* stage() {
    static_assert(J > 0);
    if constexpr (ends_with_stage && J == stages - 1) return this->a_before_.data();
    else return pairs_[(J - 1) / 2].data() + (J - 1) % 2 * this->size();
  }
  template <int J> ENSUE_HD ENSUE_INLINE const scalar* stage() const {
    if constexpr (J == 0) return this->a_.data();
    else return const_cast<nystrom_stepper*>(this)->template stage<J>();
  }

  /// The acceleration of column J of the dense table, once a step is accepted and the acceleration at its end is known.
  template <int J> ENSUE_HD ENSUE_INLINE const scalar* column() const {
    if constexpr (J == 0) return this->a_before_.data();
    else if constexpr (J == (ends_with_stage ? stages - 1 : stages)) return this->a_.data();
    else if constexpr (J < stages) return stage<J>();
    else return nullptr;  // its weights are zero
  }

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                                        count& evaluations, mask& defined, std::integer_sequence<int, I...>) {
    (run_stage<I + 1>(f, t, t_new, h, x, active, evaluations, defined), ...);
  }

  /// A stage at c = 1 is evaluated at t_new itself, so that no rounding leaves the interval.
  template <int I, class F>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                                       count& evaluations, mask& defined) {
    if (!any(defined)) return;
    move_positions<detail::nystrom_stage_row<Method, I>, ends_with_stage && I == stages - 1>(c<I> * h, h, x);
    evaluations = evaluations + select(active & defined, count(1), count(0));
    real now = t_new;
    if constexpr (!at_the_end<I>) now = t + c<I> * (t_new - t);
    const scalar* const v = x.data() + this->size();  // nobody asks for it
    defined = defined & accelerate<typename memory::seen>(f, now, this->candidate_.data(), v, stage<I>(), this->size());
  }

  /// q + (drift·v + h² Σ w_j a_j) into the candidate; in the end with nothing lost where sums are compensated.
  template <class Row, bool End> ENSUE_HD ENSUE_INLINE void move_positions(const real& drift, const real& h, const storage& x) {
    const auto terms = terms_of<Row>(h * h);
    if (End && this->sum_.on()) [[unlikely]] {
      this->sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
        for_each_in_half(x, [add, terms, drift, n = this->size(), to = this->candidate_.data(), from = x.data()](std::size_t i)
                                ENSUE_INLINE_LAMBDA { to[i] = add(i, from[i], terms.added_to(drift * from[n + i], i)); });
      });
      return;
    }
    for_each_in_half(x, [terms, drift, n = this->size(), to = this->candidate_.data(), from = x.data()](std::size_t i)
                            ENSUE_INLINE_LAMBDA { to[i] = from[i] + terms.added_to(drift * from[n + i], i); });
  }

  /// Where the accelerations of the stages begin.
  template <int Stages> struct stage_pointers {
    const scalar* of[Stages];
    ENSUE_HD ENSUE_INLINE const scalar* operator[](int j) const { return of[j]; }
  };
  template <class Row> ENSUE_HD ENSUE_INLINE auto terms_of(const real& scale) const {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      using pointers = stage_pointers<Row::terms>;
      return detail::weighted_terms<Row, storage, pointers>(pointers{{stage<J>()...}}, scale);
    }(std::make_integer_sequence<int, Row::terms>{});
  }

  template <int... M> ENSUE_HD void fill_terms(const real& h, dense_memory& dense, std::integer_sequence<int, M...>) const {
    (fill_term<M>(h, dense.curve.s[M].data(), std::make_integer_sequence<int, stages>{}), ...);
  }

  /// Term M of both halves. Its weights add up to 0, but those of positions in the first term, to 1/2: so they are sums over differences
  /// of accelerations, which keeps the digits that large weights of both signs would cost.
  template <int M, int... J> ENSUE_HD void fill_term(const real& h, scalar* s, std::integer_sequence<int, J...>) const {
    const std::size_t n = this->size();
    const real first = M == 0 ? h * h * base(0.5) : real(0);
    for_each_in_half(this->candidate_, [n, s, first, a = this->a_before_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      s[i] = first * a[i];
      s[n + i] = scalar(0);
    });
    (add_column<M, J + 1>(h, s), ...);
  }
  template <int M, int J> ENSUE_HD void add_column(const real& h, scalar* s) const {
    constexpr base of_q = static_cast<base>(beyond.positions[J][M]), of_v = static_cast<base>(beyond.velocities[J][M]);
    if constexpr (of_q != 0 || of_v != 0)
      for_each_in_half(this->candidate_, [n = this->size(), s, q = of_q * (h * h), v = of_v * h, a = column<J>(),
                                          origin = this->a_before_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar beyond_first = a[i] - origin[i];
        s[i] = s[i] + q * beyond_first;
        s[n + i] = s[n + i] + v * beyond_first;
      });
  }
  static constexpr auto beyond = [] {
    if constexpr (has_own_interpolant) return detail::nystrom_beyond_the_chord(table);
    else return 0;
  }();

  storage pairs_[pairs];  ///< accelerations of the stages in between, two of them in the room of a state
};

}  // namespace ensue
