/// The one driver of diagonally implicit Runge–Kutta methods: from a table to the method protocol.
///
/// Each stage after the first is solved by Newton's iteration (newton.hpp) with one matrix for all of them. Its first guess comes from the
/// derivatives at hand: those of this step's stages, and for the first ones those of the step before, or of an attempt that was rejected. A
/// stage's derivative is what its equation says, k = z/(hγ), and not f of what was found: f multiplies what is left unsolved by its
/// stiffness. The last one is the first of the next step.
///
/// Where the equations cannot be solved even with f' of the step's start, the attempt fails, and a shorter one is tried.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/dirk.hpp>
#include <ensue/methods/implicit/extrapolation.hpp>
#include <ensue/methods/implicit/memory.hpp>
#include <ensue/methods/implicit/newton.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/step/stepper.hpp>
#include <ensue/model/system.hpp>

#include <type_traits>
#include <utility>

namespace ensue {

template <has_dirk_table Method, state State> class dirk_stepper : public implicit_memory<State> {
  using memory = implicit_memory<State>;
  static constexpr auto& table = Method::table;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr bool solves_to_tolerance = true;
  static constexpr int stages = table.stages;
  static constexpr dirk_probe probe = table.probe;
  static constexpr dirk_estimate estimate_by = table.estimate;
  static constexpr bool may_estimate = true;
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr bool has_estimate() { return true; }
  ENSUE_HD static constexpr int estimate_order() { return order_of_estimate; }
  ENSUE_HD std::int64_t evaluations_of_attempt() const { return newton_.most_evaluations(stages - 1) + (between_ ? 1 : 0); }
  ENSUE_HD std::int64_t evaluations_of_fixed_step() const { return newton_.most_to_last_digit(stages - 1); }

  ENSUE_HD dirk_stepper(const Method&, const storage& like) : dirk_stepper(like, std::make_index_sequence<stages>{}) {}
  template <class F> ENSUE_HD void fit(const F& f) { newton_.fit(f, name()); }

  ENSUE_HD void restart() {
    stale_ = true;
    newton_.restart();
    sum_.restart();
    forget_stages();
    last_step_ = real(0);
  }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }

  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const mask defined = memory::evaluate_first(f, t, x, k_[0]);
    exact_ = true;
    return defined;
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return k_[0]; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return k_[0]; }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs k_1. Returns whether f was defined and the equations were
  /// solved: as `measure` asks, or to rounding where there is none.
  template <class F, class Measure>
  ENSUE_HD mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask&, run_statistics<count>& spent,
                        Measure* measure) {
    memory::forget_failure();
    step_ = h;
    const real scale = gamma * h;
    newton_.begin();
    for (bool solved = false; !solved;) {
      if (const outcome why = newton_.prepare(f, t, h, x, k_[0], exact_, scale, spent); why != outcome::finished)
        return failed(why == outcome::derivative_failed ? outcome::finished : why, newton_.failed_at());
      newton_ending how = newton_ending::solved;
      run_stages(f, t, t_new, h, x, spent, measure, how, std::make_integer_sequence<int, stages - 1>{});
      switch (how) {
        case newton_ending::solved: solved = true; break;
        case newton_ending::slow: break;
        case newton_ending::unsolvable: return failed(outcome::equations_not_solved, report::nowhere);
        case newton_ending::undefined: return false;
        case newton_ending::not_finite: return give_up(x), true;
      }
    }
    if (measure == nullptr) return true;
    estimate(h, x, spent);
    if constexpr (probe != dirk_probe::none)
      if (between_) return probe_inside(f, t, t_new, h, x, spent);
    return true;
  }

  template <class Measure> ENSUE_HD real squared_error(const storage& x, const real&, Measure& measure) {
    const real own = measure.squared_norm(x, candidate_, [e = constant_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return e[i]; });
    if constexpr (probe != dirk_probe::none)
      if (between_) return memory::larger_error(own, allowed_inside, x, measure);
    return own;
  }

  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    if (!accepted) return;
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    exchange(accepted, k_[0], k_[stages - 1]);
    place_[0] = place_[stages - 1];
    place_[stages - 1] = real(0);
    for (real& place : place_) place = place - step_;
    if constexpr (estimate_by == dirk_estimate::history)
      for_each_element(x, [to = before_.data(), from = k_[stages - 1].data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = from[i]; });
    last_step_ = step_;
    exact_ = false;
    newton_.accept();
  }

  ENSUE_HD std::int64_t bad_component(int which) const { return memory::bad_component_or(k_[0], which); }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return constant_; }

  static constexpr int dense_order = table.order < 3 ? table.order : 3;

  using dense_memory = interpolant_memory<storage, 2>;

  /// The inside of the last accepted step: Hermite's cubic, from derivatives that the equations have tamed.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real& h, const storage& x, dense_memory& dense, count&) const {
    make_hermite(dense.curve, true, candidate_, x, k_[stages - 1], k_[0], h);
  }

 private:
  using memory::bad_;
  using memory::between_;
  using memory::candidate_;
  using memory::failed;
  using memory::inside_error_;
  using memory::inside_scratch_;
  using memory::stale_;

  /// The error between the ends of a step is held at so many tolerances.
  static constexpr base allowed_inside = 10;

  static constexpr int stated_order = table.order, order_of_estimate = table.estimate_order();
  static constexpr base gamma = static_cast<base>(table.gamma);
  template <int I> static constexpr base node = static_cast<base>(table.node(I));
  template <int I> struct stage_row {
    template <int J> static constexpr base weight = static_cast<base>(table.a[I][J]);
  };
  struct solution_row {
    template <int J> static constexpr base weight = static_cast<base>(table.coefficient(stages - 1, J));
  };
  struct error_row {
    template <int J> static constexpr base weight = static_cast<base>(table.error(J));
  };

  template <std::size_t... J>
  ENSUE_HD dirk_stepper(const storage& like, std::index_sequence<J...>)
      : memory(like), k_{((void)J, like)...}, z_(like), constant_(like), before_(like), sum_(like), newton_(like) {
    forget_stages();
  }

  /// f is not finite where a stage begins to look for its solution: the candidate says so.
  ENSUE_HD ENSUE_COLD void give_up(const storage& x) {
    bad_ = first_not_finite(newton_.result(), 0);
    for_each_element(x, [to = candidate_.data(), from = newton_.result().data()](std::size_t i) { to[i] = scalar(0) * from[i]; });
  }

  template <class F, class Measure, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                        run_statistics<count>& spent, Measure* measure, newton_ending& how,
                                        std::integer_sequence<int, I...>) {
    place_[0] = real(0);
    (run_stage<I + 1>(f, t, t_new, h, x, spent, measure, how), ...);
  }

  template <int I, class F, class Measure>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                       run_statistics<count>& spent, Measure* measure, newton_ending& how) {
    if (how != newton_ending::solved) return;
    constexpr bool is_last = I + 1 == stages;
    const real scale = gamma * h;
    guess<I>(h, scale);
    for_each_element(x, [&, from = x.data(), to = constant_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      to[i] = from[i] + h * added<stage_row<I>>(i, std::make_integer_sequence<int, I>{});
    });
    place_[I] = unknown;
    how = newton_.solve(f, is_last ? t_new : t + node<I> * (t_new - t), scale, constant_, z_, x, spent, measure);
    if (how != newton_ending::solved) return;
    const real shift = real(1) / scale;
    for_each_element(x, [shift, from = z_.data(), to = k_[I].data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = shift * from[i]; });
    place_[I] = node<I> * h;
    if constexpr (is_last) add_up(h, x);
  }

  /// z = hγk from the k that are at hand: of this step where there are three, with those before it otherwise.
  template <int I> ENSUE_HD ENSUE_INLINE void guess(const real& h, const real& scale) {
    real weights[stages] = {};
    if constexpr (I >= 3) {
      static constexpr guess_from_this_step<I> guessed = {};
      for (int j = 0; j < I; ++j) weights[j] = real(guessed.weights[j]);
    } else {
      // Values from far away, in units of this step, say little.
      real places[stages] = {}, found[stages] = {};
      int which[stages] = {}, known = 0;
      for (int j = 0; j < stages; ++j) {
        const real place = place_[j] / h - node<I>;
        if (magnitude(place) < real(farthest)) places[known] = place, which[known++] = j;
      }
      extrapolation_weights(places, known, known > I ? 2 : I - 1, found);
      for (int j = 0; j < known; ++j) weights[which[j]] = found[j];
    }
    for_each_element(z_, [&, to = z_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      for (int j = 0; j < stages; ++j)
        if (weights[j] != real(0)) sum = sum + weights[j] * k_[j].data()[i];
      to[i] = scale * sum;
    });
  }
  static constexpr base farthest = 4;
  template <int I> struct guess_from_this_step {
    long double weights[stages] = {};
    constexpr guess_from_this_step() {
      long double places[stages] = {};
      for (int j = 0; j < I; ++j) places[j] = table.node(j) - table.node(I);
      extrapolation_weights(places, I, 2, weights);
    }
  };

  /// Σ_j w_j k_j[i] over the nonzero weights of a row.
  template <class Row, int... J> ENSUE_HD ENSUE_INLINE scalar added(std::size_t i, std::integer_sequence<int, J...>) const {
    scalar sum(0);
    ((Row::template weight<J> != 0 ? void(sum = sum + Row::template weight<J> * k_[J].data()[i]) : void()), ...);
    return sum;
  }

  ENSUE_HD ENSUE_INLINE void add_up(const real& h, const storage& x) {
    if (sum_.on()) [[unlikely]]
      sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
        for_each_element(x, [&, from = x.data(), to = candidate_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
          to[i] = add(i, from[i], h * added<solution_row>(i, std::make_integer_sequence<int, stages>{}));
        });
      });
    else
      for_each_element(x, [from = newton_.argument().data(), to = candidate_.data()](std::size_t i)
                              ENSUE_INLINE_LAMBDA { to[i] = from[i]; });
  }

  /// The step's error, into what was the last stage's constant.
  ENSUE_HD ENSUE_INLINE void estimate(const real& h, const storage& x, run_statistics<count>& spent) {
    auto* const e = constant_.data();
    if constexpr (estimate_by == dirk_estimate::history) {
      const auto *const here = k_[0].data(), *const there = k_[stages - 1].data(), *const old = before_.data();
      if (last_step_ == real(0) || (last_step_ > real(0)) != (h > real(0))) {
        for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { e[i] = base(0.5) * h * (there[i] - here[i]); });
        return;
      }
      const real w = h * (h / (base(6) * (h + last_step_))), ratio = h / last_step_;
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { e[i] = w * ((there[i] - here[i]) - ratio * (here[i] - old[i])); });
    } else {
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        e[i] = h * added<error_row>(i, std::make_integer_sequence<int, stages>{});
      });
      if constexpr (estimate_by == dirk_estimate::filtered) newton_.filter(constant_, spent);
    }
  }

  /// The error inside the step, as the table's `probe` measures it. False: f is not defined there.
  template <class F>
  ENSUE_HD bool probe_inside(F& f, const real& t, const real& t_new, const real& h, const storage& x, run_statistics<count>& spent) {
    constexpr bool at_stage = probe == dirk_probe::stage;
    constexpr base theta = at_stage ? node<1> : base(0.3), bubble = theta * (theta - 1);
    const auto *const from = x.data(), *const to = candidate_.data(), *const here = k_[0].data(), *const there = k_[stages - 1].data();
    auto *const at = inside_scratch_.data(), *const error = inside_error_.data();
    for_each_element(x, [=](std::size_t i) ENSUE_INLINE_LAMBDA {  // Hermite's cubic (output/interpolant.hpp) and h times its slope
      const scalar change = to[i] - from[i], first = change - h * here[i], second = h * (here[i] + there[i]) - (change + change);
      at[i] = from[i] + theta * change + bubble * (first + theta * second);
      error[i] = change + (theta + theta - 1) * (first + theta * second) + bubble * second;
    });
    if constexpr (at_stage) {
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar stage = from[i] + h * (added<stage_row<1>>(i, std::make_integer_sequence<int, 1>{}) + gamma * k_[1].data()[i]);
        error[i] = at[i] - stage;
      });
      return true;
    }
    spent.evaluations = spent.evaluations + count(1);
    spent.linear_solves = spent.linear_solves + count(1);
    if (!evaluate(f, t + theta * (t_new - t), inside_scratch_, z_)) return false;
    for_each_element(x, [=, per_h = real(1) / h, slope = z_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { error[i] = slope[i] - per_h * error[i]; });
    newton_.linear().solve({error, static_cast<std::size_t>(x.size())});
    return true;
  }

  ENSUE_HD void forget_stages() {
    for (real& place : place_) place = unknown;
  }

  static constexpr real unknown = infinity<real>;
  storage k_[stages];
  storage z_;
  storage constant_;   ///< of a stage's equation; after an attempt, its error
  storage before_;     ///< k_1 of the step before, where the error is estimated from it
  compensation<storage> sum_;
  newton<State> newton_;
  real place_[stages];  ///< when each k was, from the start of this step; ∞: it is none
  real step_ = real(0), last_step_ = real(0);
  bool exact_ = false;  ///< k_1 is f(t, x) and not what the last equation made of it
};

namespace detail {
template <has_dirk_table Method, class State> struct choose_stepper<Method, State> {
  using type = dirk_stepper<Method, State>;
};
}  // namespace detail

}  // namespace ensue
