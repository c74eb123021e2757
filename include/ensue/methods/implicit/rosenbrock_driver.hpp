/// The one driver of Rosenbrock methods: from a table to the method protocol.
///
/// An attempt computes f' once (kept for further attempts from the same state), factors I/(hγ) − f' once, and solves once a stage.
/// Nothing iterates: what an attempt costs is known beforehand. Stages are unrolled, zero coefficients leave no trace, and a stage's
/// right-hand side becomes its solution in place.
///
/// A model with a mass matrix (mass_matrix.hpp) has M/(hγ) − f' and M Σ_j (c_ij/h) u_j, where the method takes one.
///
/// One trajectory of plain numbers; linear algebra in the form that the model's f' has.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/consistent_start.hpp>
#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/methods/implicit/memory.hpp>
#include <ensue/methods/implicit/rosenbrock.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/step/stepper.hpp>
#include <ensue/model/system.hpp>

#include <span>
#include <type_traits>
#include <utility>

namespace ensue {

template <has_rosenbrock_table Method, state State> class rosenbrock_stepper : public implicit_memory<State> {
  using memory = implicit_memory<State>;
  static constexpr auto& table = Method::table;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr bool takes_mass_matrix = requires { Method::takes_mass_matrix; };
  static constexpr int stages = table.stages;
  static constexpr bool knows_end = table.fsal();
  static constexpr bool may_estimate = table.embedded_order > 0;
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return may_estimate; }
  ENSUE_HD static constexpr int estimate_order() { return may_estimate ? order_of_estimate : 1; }
  ENSUE_HD std::int64_t evaluations_of_attempt() const { return stages - 1 + (jacobian_known_ ? 0 : linear_.most_evaluations()) + (between_ ? 1 : 0); }

  ENSUE_HD rosenbrock_stepper(const Method&, const storage& like)
      : rosenbrock_stepper(like, std::make_index_sequence<stages>{}) {}
  template <class F> ENSUE_HD void fit(const F& f) { linear_.fit(f, name()); }

  ENSUE_HD void restart() {
    stale_ = true;
    jacobian_known_ = false;
    linear_.forget_sizes();
    sum_.restart();
  }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }

  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const mask defined = memory::evaluate_first(f, t, x, first_);
    return defined;
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return first_; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return first_; }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs f(t, x). Returns whether f was defined, f' finite and the
  /// matrix regular.
  template <class F>
  ENSUE_HD mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask&,
                        run_statistics<count>& spent) {
    memory::forget_failure();
    if (!jacobian_known_) {
      const std::int64_t unsound_row = linear_.compute(f, t, h, x, first_, spent, candidate_, next_);
      if (unsound_row != report::nowhere) return failed(linear_.why_unsound(), unsound_row);  // a shorter step looks less far ahead
      jacobian_known_ = true;
    }
    spent.factorizations = spent.factorizations + count(1);
    if (!linear_.factor(scalar(1) / (h * gamma))) return failed(outcome::matrix_singular, linear_.singular_at());
    mask defined(true);
    run_stages(f, t, t_new, h, x, spent, defined, std::make_integer_sequence<int, stages>{});
    if (!defined || bad_ != report::nowhere) return defined;
    if constexpr (!knows_end) add_up(x);
    if constexpr (stages == 1)
      if (has_decayed(x)) refine(h, x, spent);
    if constexpr (probes_inside)
      if (between_) return probe_inside(f, t, t_new, h, x, spent);
    return true;
  }

  ENSUE_HD linearization<State>& linear() { return linear_; }

  template <class Measure> ENSUE_HD real squared_error(const storage& x, const real&, Measure& measure) {
    const real own = measure.squared_norm(x, candidate_, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      return added<error_row>(scalar(0), i, std::make_integer_sequence<int, stages>{});
    });
    if constexpr (probes_inside)
      if (between_) return memory::larger_error(own, allowed_inside, x, measure);
    return own;
  }

  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    if (!accepted) return;
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    if constexpr (knows_end) exchange(accepted, first_, next_);
    else stale_ = true;
    jacobian_known_ = false;
  }

  ENSUE_HD std::int64_t bad_component(int which) const { return memory::bad_component_or(first_, which); }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return next_; }

  static constexpr int dense_order = table.dense_order;

  using dense_memory = interpolant_memory<storage, (table.dense_terms > 0 ? table.dense_terms : 1)>;

  /// The inside of the last accepted step. Hermite's cubic would not do: f at the start of a stiff step says nothing about its inside.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real&, const storage& x, dense_memory& dense, count&) const {
    if constexpr (table.dense_terms == 0) for_each_element(x, [to = dense.curve.s[0].data()](std::size_t i) { to[i] = scalar(0); });
    else fill_terms(x, dense, std::make_integer_sequence<int, table.dense_terms>{});
  }

 private:
  using memory::bad_;
  using memory::between_;
  using memory::candidate_;
  using memory::failed;
  using memory::inside_error_;
  using memory::inside_scratch_;
  using memory::stale_;

  /// Where the error inside a step is measured, and at how many tolerances it is held. Methods of order 2 keep it small without.
  static constexpr bool probes_inside = table.order > 2 && table.dense_terms > 0;
  static constexpr base inside_node = base(0.5), allowed_inside = 10;

  static constexpr int stated_order = table.order, order_of_estimate = table.estimate_order();
  static constexpr base gamma = static_cast<base>(table.gamma);
  template <int I> static constexpr base alpha = static_cast<base>(table.alpha[I]);
  template <int I> static constexpr base gamma_sum = static_cast<base>(table.gamma_sum[I]);
  template <int I> struct argument_row {
    template <int J> static constexpr base weight = static_cast<base>(table.a[I][J]);
  };
  template <int I> struct right_row {
    template <int J> static constexpr base weight = static_cast<base>(table.c[I][J]);
  };
  struct solution_row {
    template <int J> static constexpr base weight = static_cast<base>(table.m[J]);
  };
  struct error_row {
    template <int J> static constexpr base weight = static_cast<base>(table.error[J]);
  };
  struct inside_row {  // P(θ) = x + Σ w_j u_j inside the step
    template <int J> static constexpr base weight = static_cast<base>(table.inside(J, inside_node));
  };
  struct inside_slope_row {  // and P'(θ)
    template <int J> static constexpr base weight = static_cast<base>(table.inside_slope(J, inside_node));
  };
  template <int M> struct dense_row {  // θ(θ − 1) in the interpolant, θ(1 − θ) in the table
    template <int J> static constexpr base weight = -static_cast<base>(table.dense[M][J]);
  };

  template <std::size_t... J>
  ENSUE_HD rosenbrock_stepper(const storage& like, std::index_sequence<J...>)
      : memory(like), u_{((void)J, like)...}, first_(like), next_(like), sum_(like), linear_(like) {}

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                        run_statistics<count>& spent, mask& defined, std::integer_sequence<int, I...>) {
    (run_stage<I>(f, t, t_new, h, x, spent, defined), ...);
  }

  template <int I, class F>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                       run_statistics<count>& spent, mask& defined) {
    if (!defined || bad_ != report::nowhere) return;
    auto* const u = u_[I].data();
    if constexpr (I == 0) {
      for_each_element(x, [u, from = first_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { u[i] = from[i]; });
    } else {
      if constexpr (knows_end && I == stages - 1) add_up(x);
      else
        for_each_element(x, [this, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
          to[i] = added<argument_row<I>>(from[i], i, std::make_integer_sequence<int, I>{});
        });
      spent.evaluations = spent.evaluations + count(1);
      defined = evaluate(f, alpha<I> == base(1) ? t_new : t + alpha<I> * (t_new - t), candidate_, u_[I]);
      if (!defined) return;
      if (!finite(u_[I])) [[unlikely]] return give_up_at(first_not_finite(u_[I], 0), x, u_[I]);
      if constexpr (knows_end && I == stages - 1)
        for_each_element(x, [u, to = next_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = u[i]; });
      const real per_h = real(1) / h;
      const auto before = [this, per_h](std::size_t i) ENSUE_INLINE_LAMBDA {
        return per_h * added<right_row<I>>(scalar(0), i, std::make_integer_sequence<int, I>{});
      };
      if (has_mass<F>()) add_mass_times(before, u_[I]);
      else for_each_element(x, [u, &before](std::size_t i) ENSUE_INLINE_LAMBDA { u[i] = u[i] + before(i); });
    }
    if constexpr (gamma_sum<I> != 0)
      if (linear_.varies_in_time())
        for_each_element(x, [u, w = gamma_sum<I> * h, by_time = linear_.time_derivative().data()](std::size_t i)
                                ENSUE_INLINE_LAMBDA { u[i] = u[i] + w * by_time[i]; });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({u, static_cast<std::size_t>(x.size())});
  }

  template <class F> ENSUE_HD ENSUE_INLINE bool has_mass() const {
    if constexpr (has_mass_matrix<F, State>) return linear_.has_mass();
    else return false;
  }
  /// to + M (element(0), element(1), …), in the memory of the argument, which f has seen.
  template <class Element> ENSUE_HD void add_mass_times(const Element& element, storage& to) {
    static_assert(!(takes_mass_matrix && knows_end), "ensue: such a method needs its argument and f at the end as they are");
    for_each_element(to, [&, v = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { v[i] = element(i); });
    linear_.multiply_mass(candidate_, next_);
    for_each_element(to, [u = to.data(), p = next_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { u[i] = u[i] + p[i]; });
  }

  /// A stage in which f is not finite: the candidate says so, and nothing is solved, which would spread it over all components.
  ENSUE_HD ENSUE_COLD void give_up_at(std::int64_t component, const storage& x, const storage& derivative) {
    bad_ = component;
    for_each_element(x, [from = x.data(), to = candidate_.data(), d = derivative.data()](std::size_t i) {
      to[i] = from[i] + scalar(0) * d[i];
    });
  }

  /// sum + Σ_j w_j u_j[i] over the nonzero weights of a row.
  template <class Row, int... J>
  ENSUE_HD ENSUE_INLINE scalar added(scalar sum, std::size_t i, std::integer_sequence<int, J...>) const {
    ((Row::template weight<J> != 0 ? void(sum = sum + Row::template weight<J> * u_[J].data()[i]) : void()), ...);
    return sum;
  }

  ENSUE_HD ENSUE_INLINE void add_up(const storage& x) {
    sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
      for_each_element(x, [&, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = add(i, from[i], added<solution_row>(scalar(0), i, std::make_integer_sequence<int, stages>{}));
      });
    });
  }

  /// The error inside the step: (M/(hγ) − f')⁻¹ (f(P) − M P'/h), which is that of P where f' is large. False: f is not defined there.
  template <class F>
  ENSUE_HD bool probe_inside(F& f, const real& t, const real& t_new, const real& h, const storage& x, run_statistics<count>& spent) {
    using every = std::make_integer_sequence<int, stages>;
    auto *const at = inside_scratch_.data(), *const error = inside_error_.data();
    for_each_element(x, [this, at, from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { at[i] = added<inside_row>(from[i], i, every{}); });
    spent.evaluations = spent.evaluations + count(1);
    spent.linear_solves = spent.linear_solves + count(1);
    if (!evaluate(f, t + inside_node * (t_new - t), inside_scratch_, inside_error_)) return false;
    for_each_element(x, [this, at](std::size_t i) ENSUE_INLINE_LAMBDA { at[i] = added<inside_slope_row>(scalar(0), i, every{}); });
    const scalar* slope = at;
    if (has_mass<F>()) {
      linear_.multiply_mass(inside_scratch_, next_);
      slope = next_.data();
    }
    for_each_element(x, [slope, error, per_h = real(1) / h](std::size_t i) ENSUE_INLINE_LAMBDA { error[i] = error[i] - per_h * slope[i]; });
    linear_.solve({error, static_cast<std::size_t>(x.size())});
    return true;
  }

  /// Where a component shrinks to less than a thousandth, x + Δx has lost three digits or more.
  ENSUE_HD bool has_decayed(const storage& x) const {
    bool found = false;
    for_each_in_order(x, [&, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      found = found || magnitude(to[i]) < base(1. / 1024) * magnitude(from[i]);
    });
    return found && !sum_.on();
  }

  /// The linearly implicit Euler step once more, for what it lacks: (I/h − f')δ = (x − x₁)/h + f'x₁ + (f − f'x) + h ∂f/∂t. The large
  /// terms of f − f'x cancel before x₁ comes in, so that x₁ + δ is right in its own digits and not in those of x. (In one step of a decay
  /// by 1/(1 + kh) = 1e-15 all of them.)
  ENSUE_HD void refine(const real& h, const storage& x, run_statistics<count>& spent) {
    auto* const u = u_[0].data();
    linear_.multiply(x, u_[0]);
    for_each_element(x, [u, from = first_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { u[i] = from[i] - u[i]; });
    if (linear_.varies_in_time())
      for_each_element(x, [u, &h, by_time = linear_.time_derivative().data()](std::size_t i)
                              ENSUE_INLINE_LAMBDA { u[i] = u[i] + h * by_time[i]; });
    linear_.multiply(candidate_, next_);
    for_each_element(x, [&, u, from = x.data(), to = candidate_.data(), there = next_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      u[i] = (from[i] - to[i]) / h + there[i] + u[i];
    });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({u, static_cast<std::size_t>(x.size())});
    for_each_element(x, [u, to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = to[i] + u[i]; });
  }

  template <int... M> ENSUE_HD void fill_terms(const storage& x, dense_memory& dense, std::integer_sequence<int, M...>) const {
    for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
      ((dense.curve.s[M].data()[i] = added<dense_row<M>>(scalar(0), i, std::make_integer_sequence<int, stages>{})), ...);
    });
  }

  storage u_[stages];
  storage first_;      ///< f at the step's start
  storage next_;       ///< f at its end, where a stage is there; scratch for differences before
  compensation<storage> sum_;
  linearization<State> linear_;
  bool jacobian_known_ = false;
};

namespace detail {
template <has_rosenbrock_table Method, class State> struct choose_stepper<Method, State> {
  using type = rosenbrock_stepper<Method, State>;
};
}  // namespace detail

}  // namespace ensue
