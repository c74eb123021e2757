/// The one driver of collocation methods that are solved by fixed-point iteration: from a table to the method protocol.
///
/// A step's equations k_i = f(t + c_i h, x + h Σ_j a_ij k_j) are solved to round-off, as symplectic and symmetric methods need it:
/// conserved quantities drift by what is left unsolved. Sweeps over the stages use each k_i as soon as it is known (Gauss–Seidel). They
/// begin with the polynomial through the last step's k_i and f(t, x), extrapolated (Hairer, Lubich & Wanner, Geometric Numerical
/// Integration, VIII.6): f(t, x) is one evaluation and saves a sweep, which is s of them.
///
/// The iteration contracts where h·‖f'‖ is below a bound of 2 or so: for problems that are not stiff. Where it does not, the attempt fails
/// and `unsolved` says why.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/collocation.hpp>
#include <ensue/methods/implicit/settling.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

#include <type_traits>
#include <utility>

namespace ensue {

namespace detail {
template <class Table> inline constexpr bool is_collocation_table = false;
template <int Stages> inline constexpr bool is_collocation_table<collocation_table<Stages>> = true;
}  // namespace detail

/// A method that is a polynomial through the nodes of a table.
template <class Method>
concept has_collocation_table = detail::is_collocation_table<std::remove_cvref_t<decltype(Method::table)>>;

/// So many sweeps solve a step or none do: all digits where each gains a quarter of one. Slower ones are better spent on smaller steps.
inline constexpr int most_sweeps = 64;

template <has_collocation_table Method, state State> class gauss_stepper {
  static constexpr auto& table = Method::table;

 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = true;
  static constexpr int stages = table.stages;
  static constexpr bool may_estimate = false;
  static constexpr bool confirms = false;
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return false; }
  ENSUE_HD static constexpr int estimate_order() { return 1; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return stages * most_sweeps; }

  ENSUE_HD gauss_stepper(const Method&, const storage& like) : gauss_stepper(like, std::make_index_sequence<stages>{}) {}

  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  ENSUE_HD ENSUE_INLINE void restart() {
    stale_ = mask(true);
    sum_.restart();
    remembers_ = unsolved_ = mask(false);
  }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ | where; }

  /// f(t, x). The old one is kept for the interpolant, at first also against an f that throws.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const set_aside old(*this);
    unsolved_ = mask(false);
    const mask defined = evaluate(f, t, x, first_);
    stale_ = mask(false);
    return defined;
  }
  /// Marks the memory that it writes (unwritten.hpp).
  ENSUE_HD void mark_derivative() {
    mark_unwritten(first_);
    mark_unwritten(first_before_);
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return first_; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return first_; }

  /// One step from (t, x) to t_new with length h, into the candidate. Returns where f was defined and the equations were solved.
  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                                     count& evaluations) {
    guess_stages(h);
    remembers_ = remembers_ & !active;  // until these k are accepted
    step_ = h;
    settling<real> changes;
    mask going = active, defined(true), solved(false), broken_at_once(false);
    for (int sweep = 0; sweep < most_sweeps && any(going); ++sweep) {
      real change(0);
      run_sweep(f, t, t_new - t, h, x, going, evaluations, defined, change, std::make_integer_sequence<int, stages>{});
      const mask over = changes.over(change);
      solved = solved | (going & defined & changes.solved(over));
      if (sweep == 0) broken_at_once = going & defined & !(change - change == real(0));
      going = going & defined & !over;
    }
    unsolved_ = active & defined & !solved & !broken_at_once;
    sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
      for_each_element(x, [&, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = add(i, from[i], h * weighted(weights_of_end{}, i, std::make_integer_sequence<int, stages>{}));
      });
    });
    return defined & !unsolved_;
  }

  /// Whether the last attempt failed because its equations could not be solved.
  ENSUE_HD bool unsolved(int which) const { return lane(unsolved_, which); }

  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    stale_ = stale_ | accepted;
    remembers_ = remembers_ | accepted;
    last_step_ = select(accepted, step_, last_step_);
  }

  ENSUE_HD std::int64_t bad_component(int which) const {
    if (const std::int64_t found = first_not_finite(first_, which); found != report::nowhere) return found;
    for (const storage& k : k_)
      if (const std::int64_t found = first_not_finite(k, which); found != report::nowhere) return found;
    return report::nowhere;
  }

  ENSUE_HD void exchange_lanes(const mask& where, gauss_stepper& other) {
    for (int j = 0; j < stages; ++j) exchange(where, k_[j], other.k_[j]);
    exchange(where, first_, other.first_);
    exchange(where, first_before_, other.first_before_);
    exchange(where, candidate_, other.candidate_);
    exchange_masks(where, stale_, other.stale_);
    exchange_masks(where, remembers_, other.remembers_);
    exchange_masks(where, unsolved_, other.unsolved_);
    exchange_numbers(where, last_step_, other.last_step_);
    sum_.exchange_lanes(where, other.sum_);
  }

  ENSUE_HD ENSUE_INLINE const storage& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return finite(candidate_); }

  /// Hermite's cubic between the ends; of three stages a quartic, which they know well enough. (The collocation polynomial itself is no
  /// better than the stages: of order s.)
  static constexpr bool has_quartic = stages >= 3;
  static constexpr int dense_order = has_quartic ? 4 : table.order() < 3 ? table.order() : 3;

  using dense_memory = interpolant_memory<storage, has_quartic ? 3 : 2>;

  /// The inside of the last accepted step, of length h, where x is the state at its end and f is known there.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real& h, const storage& x, dense_memory& dense, count&) const {
    make_hermite(dense.curve, mask(true), candidate_, x, first_before_, first_, h);
    if constexpr (has_quartic) {
      // E θ²(1 − θ)² leaves the ends and their slopes alone. Its slopes at c and 1 − c, the first node and the last, are
      // ±2c(1 − c)(1 − 2c)E, the cubic's differ by (2c − 1)(2s₀ + s₁): E makes the difference that of the stages.
      constexpr base c = node<0>;
      const base tilt = 1 - 2 * c, scale = 1 / (4 * c * (1 - c) * tilt);
      auto* const s0 = dense.curve.s[0].data();
      auto *const s1 = dense.curve.s[1].data(), *const s2 = dense.curve.s[2].data();
      for_each_element(x, [&, first = k_[0].data(), last = k_[stages - 1].data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar e = scale * (h * (first[i] - last[i]) + tilt * (s0[i] + s0[i] + s1[i]));
        s1[i] = s1[i] - e;
        s2[i] = e;
      });
    }
  }
  ENSUE_HD ENSUE_INLINE const storage& before() const { return candidate_; }

 private:
  static constexpr int stated_order = table.order();

  template <std::size_t... J>
  ENSUE_HD gauss_stepper(const storage& like, std::index_sequence<J...>)
      : k_{((void)J, like)...}, first_(like), first_before_(like), next_(like), candidate_(like), sum_(like) {}

  struct set_aside {
    gauss_stepper& stepper;
    ENSUE_HD ENSUE_INLINE explicit set_aside(gauss_stepper& s) : stepper(s) { move(); }
    ENSUE_HD ENSUE_INLINE ~set_aside() { move(); }  // nothing to move once f has returned: none is stale then
    ENSUE_HD ENSUE_INLINE void move() { exchange(stepper.stale_, stepper.first_, stepper.first_before_); }
  };

  template <int I> static constexpr base node = static_cast<base>(table.c[I]);
  template <int I> struct weights_of_stage {
    template <int J> static constexpr base of = static_cast<base>(table.a[I][J]);
  };
  struct weights_of_end {
    template <int J> static constexpr base of = static_cast<base>(table.b[J]);
  };
  /// Σ_j w_j k_j
  template <class Weights, int... J>
  ENSUE_HD ENSUE_INLINE scalar weighted(Weights, std::size_t i, std::integer_sequence<int, J...>) const {
    scalar sum = Weights::template of<0> * k_[0].data()[i];
    ((J > 0 ? void(sum = sum + Weights::template of<J> * k_[J].data()[i]) : void()), ...);
    return sum;
  }

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_sweep(F& f, const real& t, const real& clock, const real& h, const storage& x, const mask& going,
                                       count& evaluations, mask& defined, real& change, std::integer_sequence<int, I...> all) {
    (run_stage<I>(f, t, clock, h, x, going, evaluations, defined, change, all), ...);
  }

  template <int I, class F, class All>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& clock, const real& h, const storage& x, const mask& going,
                                       count& evaluations, mask& defined, real& change, All all_stages) {
    if (!any(going & defined)) return;
    for_each_element(x, [&, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      to[i] = from[i] + h * weighted(weights_of_stage<I>{}, i, all_stages);
    });
    const mask paid = going & defined;
    evaluations = evaluations + select(paid, count(1), count(0));
    const mask here = evaluate(f, t + node<I> * clock, candidate_, next_);
    defined = defined & (here | !paid);
    const auto *const from = x.data(), *const old = k_[I].data(), *const now = next_.data();
    real most = change;
    for_each_in_order(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
      most = detail::larger_if_finite(most, relative_change(h, from[i], old[i], now[i]));
    });
    change = most;
    exchange(paid, k_[I], next_);
  }

  /// Where the last step is remembered, the polynomial through its k_j at c_j and f(t, x) at 1, at the times of this one; elsewhere
  /// f(t, x).
  ENSUE_HD ENSUE_INLINE void guess_stages(const real& h) {
    const real ratio = h / select(remembers_, last_step_, real(1));
    real weights[stages][stages + 1];
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j <= stages; ++j) {
        const real theta = real(1) + static_cast<base>(nodes().at[i]) * ratio;
        weights[i][j] = real(static_cast<base>(nodes().scale[j]));
        for (int m = 0; m <= stages; ++m)
          if (m != j) weights[i][j] = weights[i][j] * (theta - static_cast<base>(nodes().at[m]));
      }
    for_each_element(first_, [&, f = first_.data()](std::size_t e) ENSUE_INLINE_LAMBDA {
      scalar old[stages];
      for (int j = 0; j < stages; ++j) old[j] = k_[j].data()[e];
      for (int i = 0; i < stages; ++i) {
        scalar sum = weights[i][stages] * f[e];
        for (int j = 0; j < stages; ++j) sum = sum + weights[i][j] * old[j];
        k_[i].data()[e] = select(remembers_, sum, f[e]);
      }
    });
  }
  /// c_1 … c_s and 1, and what Lagrange's polynomials have below the line.
  struct interpolation_nodes {
    long double at[stages + 1] = {}, scale[stages + 1] = {};
    constexpr interpolation_nodes() {
      for (int j = 0; j <= stages; ++j) at[j] = j < stages ? table.c[j] : 1;
      for (int j = 0; j <= stages; ++j) {
        scale[j] = 1;
        for (int m = 0; m <= stages; ++m)
          if (m != j) scale[j] /= at[j] - at[m];
      }
    }
  };
  /// A static constant inside of a function, because a GPU cannot read one of a class.
  ENSUE_HD ENSUE_INLINE static const interpolation_nodes& nodes() {
    static constexpr interpolation_nodes all = {};
    return all;
  }

  storage k_[stages];
  storage first_, first_before_;  ///< f at the start of this step and of the last one
  storage next_;                  ///< an evaluation that is compared with the one before
  storage candidate_;
  compensation<storage> sum_;
  real step_ = real(0), last_step_ = real(0);
  mask stale_ = mask(true), remembers_ = mask(false), unsolved_ = mask(false);
};

/// x' = λx, with λ real and negative or imaginary, is solved to round-off for h|λ| up to this: where the sweeps of the driver, from
/// k_i = λx, end within their number.
template <int Stages> constexpr double solvable_interval(const collocation_table<Stages>& table, bool imaginary) {
  const auto settles = [&](long double z) {
    long double re[Stages] = {}, im[Stages] = {}, change = 1;  // k/λ, whose first guess is 1
    for (int i = 0; i < Stages; ++i) re[i] = 1;
    for (int sweep = 0; sweep < most_sweeps && change > epsilon<double>; ++sweep) {
      change = 0;
      for (int i = 0; i < Stages; ++i) {
        long double x = 0, y = 0;
        for (int j = 0; j < Stages; ++j) x += table.a[i][j] * re[j], y += table.a[i][j] * im[j];
        const long double new_re = imaginary ? 1 - z * y : 1 - z * x, new_im = imaginary ? z * x : -z * y;
        const long double moved = magnitude(new_re - re[i]) + magnitude(new_im - im[i]);
        if (z * moved > change) change = z * moved;
        re[i] = new_re, im[i] = new_im;
      }
    }
    return change <= epsilon<double>;
  };
  long double low = 0, high = 8;
  for (int i = 0; i < 24; ++i) {
    const long double middle = (low + high) / 2;
    (settles(middle) ? low : high) = middle;
  }
  return static_cast<double>(low);
}

}  // namespace ensue
