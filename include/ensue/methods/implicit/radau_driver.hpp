/// The driver of Radau IIA methods: from numbers of stages to the method protocol.
///
/// It follows E. Hairer & G. Wanner, Solving ODEs II, IV.8: Newton's method with one f' for all stages, in coordinates (radau_table.hpp)
/// in which it solves one real and (s − 1)/2 complex systems; started from the collocation polynomial of the step before; stopped when what
/// is still to come is a small part of the tolerance. f' is kept while the iteration contracts well, the factors also while the step stays
/// about the same. The error is that of an embedded solution, filtered by (γ − hf')⁻¹ so that it says nothing wrong of what is infinitely
/// stiff; steps are chosen by Gustafsson's predictive law.
///
/// A method with several numbers of stages changes between them (Hairer & Wanner (1999), "Stiff differential equations solved by Radau
/// methods", J. Comput. Appl. Math. 111, 93–111): upwards where Newton's method converges at once, downwards where it has trouble.
///
/// One trajectory of plain numbers.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/power.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/complex_factors.hpp>
#include <ensue/methods/implicit/consistent_start.hpp>
#include <ensue/methods/implicit/contraction.hpp>
#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/methods/implicit/memory.hpp>
#include <ensue/methods/implicit/predictive.hpp>
#include <ensue/methods/implicit/radau_table.hpp>
#include <ensue/methods/implicit/settling.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace ensue {

template <class Method, state State> class radau_stepper : public implicit_memory<State> {
  using memory = implicit_memory<State>;
 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr bool solves_to_tolerance = true;
  static constexpr bool chooses_steps = true;
  static constexpr bool takes_mass_matrix = requires { Method::takes_mass_matrix; };
  static constexpr int fewest_stages = Method::fewest_stages, most_stages = Method::most_stages;
  static constexpr bool may_estimate = true;
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD int order() const { return 2 * stages_ - 1; }
  ENSUE_HD static constexpr bool has_estimate() { return true; }
  ENSUE_HD int estimate_order() const { return stages_; }
  /// Newton's method twice, where f' turns out to be too old; f' by differences; the error filtered twice; one look inside.
  ENSUE_HD std::int64_t evaluations_of_attempt() const {
    return 2 * most_iterations(stages_) * stages_ + linear_.most_evaluations() + 2;
  }
  ENSUE_HD std::int64_t evaluations_of_fixed_step() const { return most_to_rounding * stages_ + linear_.most_evaluations(); }

  ENSUE_HD radau_stepper(const Method&, const storage& like)
      : radau_stepper(like, std::make_index_sequence<most_stages>{}) {}
  template <class F> ENSUE_HD void fit(const F& f) {
    linear_.fit(f, name());
    for (auto& factors : complex_) factors.fit(linear_);
  }

  ENSUE_HD void restart() {
    stale_ = true;
    linear_.forget_sizes();
    sum_.restart();
    law_.restart();
    careful_ = false;
    jacobian_ = age::none;
    factored_for_ = last_step_ = real(0);
    remaining_ = real(1);
    change_stages(fewest_stages);
  }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }
  ENSUE_HD void control_between_steps(bool on) {
    memory::control_between_steps(on);
    if (on) inside_before_ = candidate_;
    else inside_leads_ = false;
  }

  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const mask defined = memory::evaluate_first(f, t, x, first_);
    return defined;
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return first_; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return first_; }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs f(t, x). Returns whether f was defined, f' finite, the matrix
  /// regular and the equations solved.
  template <class F, class Measure>
  ENSUE_HD mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask&,
                        run_statistics<count>& spent, Measure* measure) {
    memory::forget_failure();
    error_ = real(std::numeric_limits<base>::quiet_NaN());
    for (;;) {
      if (jacobian_ == age::none) {
        const std::int64_t unsound_row = linear_.compute_jacobian(f, t, h, x, first_, spent, candidate_, correction_);
        if (unsound_row != report::nowhere) return failed(linear_.why_unsound(), unsound_row);  // the next attempt makes it anew
        jacobian_ = age::fresh;
        factored_for_ = real(0);
      }
      if (magnitude(h - factored_for_) > base(1e-3) * magnitude(h) && !factor(h, spent)) return false;
      const end_of_iteration end =
          with_stages(stages_, [&](auto s) { return iterate<s>(f, t, t_new, h, x, spent, measure); });
      if (end == end_of_iteration::undefined) return false;
      if (end == end_of_iteration::not_finite) return true;  // and so is the error
      if (end == end_of_iteration::solved) {
        probed_ = false;
        if (measure == nullptr) return true;
        with_stages(stages_, [&](auto s) { return estimate<s>(f, t, h, x, spent, *measure); });
        if (!(error_ <= real(1))) return true;
        return with_stages(stages_, [&](auto s) {
          if (between_) return probe_inside<s>(f, t, t_new, h, x, spent, *measure);
          return !may_be_wrong_at_end<s, F>(h, x, spent, *measure) || probe_end<s>(f, t, t_new, h, x, spent, *measure);
        });
      }
      if (jacobian_ == age::fresh) return failed(outcome::equations_not_solved, report::nowhere);
      jacobian_ = age::none;
    }
  }

  ENSUE_HD linearization<State>& linear() { return linear_; }

  template <class Measure> ENSUE_HD ENSUE_INLINE real squared_error(const storage&, const real&, Measure&) const {
    return error_;
  }

  ENSUE_HD void accept(const mask& accepted, storage& x) {
    if (!accepted) return;
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    for (int i = 0; i < stages_; ++i) exchange(accepted, z_[i], before_[i]);
    remembered_ = stages_;
    known_inside_ = probed_;
    if (probed_) exchange(accepted, inside_error_, inside_before_);
    last_step_ = step_;
    stale_ = true;
    jacobian_ = rate_ <= base(0.001) ? age::kept : age::none;
  }

  /// The next step's length as a multiple of the accepted one's.
  template <class Measure>
  ENSUE_HD real factor_after_accept(const storage&, const real& squared_error, const real& h, Measure&,
                                    const step_size_settings& s) {
    const bool unexpected = law_.just_rejected();
    const real factor = law_.after_accept(squared_error, h, growth_power(stages_, s.per), safety(s), s);
    if (!unexpected && factor < real(base(1.5))) careful_ = false;
    choose_stages(factor, unexpected);
    return jacobian_ == age::kept && factor >= real(1) && factor <= real(base(1.2)) ? real(1) : factor;
  }
  /// The same after a rejected one.
  ENSUE_HD real factor_after_reject(const real& squared_error, const mask& defined, const step_size_settings& s) {
    if (defined) return factor_after_error(squared_error, s);
    law_.unsolved();
    return failure_ == outcome::equations_not_solved ? shorter_ : real(base(0.25));
  }

  ENSUE_HD std::int64_t bad_component(int which) const { return memory::bad_component_or(first_, which); }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return correction_; }

  static constexpr int dense_order = fewest_stages;

  using dense_memory = interpolant_memory<storage, most_stages>;

  /// The inside of the last accepted step: the collocation polynomial, with what was found to be its error (radau_probe).
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real&, const storage& x, dense_memory& dense,
                           count&) const {
    with_stages(remembered_, [&](auto s) {
      for_each_element(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
        scalar z[s];
        for (int j = 0; j < s; ++j) z[j] = before_[j].data()[i];
        for (int m = 0; m < most_stages; ++m) dense.curve.s[m].data()[i] = m < s - 1 ? row_sum(of<s>().dense[m], z) : scalar(0);
      });
      if (known_inside_)
        for (int m = 0; m < s; ++m)
          for_each_element(x, [to = dense.curve.s[m].data(), error = inside_before_.data(), weight = of<s>().bubble[m]](std::size_t i)
                                  ENSUE_INLINE_LAMBDA { to[i] = to[i] + weight * error[i]; });
    });
  }

 private:
  using memory::bad_;
  using memory::between_;
  using memory::candidate_;
  using memory::failure_;
  using memory::inside_error_;
  using memory::inside_scratch_;
  using memory::stale_;

  /// The error between the ends of a step is held at so many tolerances: at one it would cost steps where nobody looks closely.
  static constexpr base allowed_inside = 10;
  /// The error of stiff components at the end of a step is held at so many.
  static constexpr base allowed_stiff = 12;

  /// The table, rounded to the scalar's base.
  template <int S> struct rounded {
    base c[S] = {}, scale[S] = {}, error[S] = {}, alpha[S / 2] = {}, beta[S / 2] = {};
    base to_stages[S][S] = {}, from_stages[S][S] = {}, dense[S - 1][S] = {};
    base probe_value[S] = {}, probe_slope[S] = {}, bubble[S] = {};
    base gamma = 0, probe_node = 0, probe_most = 0, probe_end_slope = 0;
    constexpr rounded() {
      constexpr const auto& exact = radau_coefficients<S>;
      gamma = static_cast<base>(exact.gamma);
      probe_node = static_cast<base>(exact.probe.node);
      probe_most = static_cast<base>(exact.probe.most);
      probe_end_slope = static_cast<base>(exact.probe.end_slope);
      for (int i = 0; i < S; ++i) {
        c[i] = static_cast<base>(exact.method.c[i]);
        scale[i] = static_cast<base>(exact.scale[i]);
        error[i] = static_cast<base>(exact.error[i]);
        probe_value[i] = static_cast<base>(exact.probe.value[i]);
        probe_slope[i] = static_cast<base>(exact.probe.slope[i]);
        bubble[i] = static_cast<base>(exact.probe.bubble[i]);
        if (i < S / 2) alpha[i] = static_cast<base>(exact.alpha[i]), beta[i] = static_cast<base>(exact.beta[i]);
        for (int j = 0; j < S; ++j) {
          to_stages[i][j] = static_cast<base>(exact.to_stages[i][j]);
          from_stages[i][j] = static_cast<base>(exact.from_stages[i][j]);
          if (i < S - 1) dense[i][j] = static_cast<base>(exact.dense[i][j]);
        }
      }
    }
  };
  /// A static constant inside of a function, because a GPU cannot read one of a class.
  template <int S> ENSUE_HD ENSUE_INLINE static const rounded<S>& of() {
    static constexpr rounded<S> table = {};
    return table;
  }

  template <std::size_t... J>
  ENSUE_HD radau_stepper(const storage& like, std::index_sequence<J...>)
      : memory(like),
        z_{((void)J, like)...},
        before_{((void)J, like)...},
        slope_{((void)J, like)...},
        first_(like),
        correction_(like),
        sum_(like),
        linear_(like) {}

  /// body(s) with the number of stages as a constant.
  template <class Body> ENSUE_HD ENSUE_INLINE static decltype(auto) with_stages(int stages, const Body& body) {
    using fewest = std::integral_constant<int, fewest_stages>;
    if constexpr (fewest_stages == most_stages) return body(fewest{});
    else if (stages == fewest_stages) return body(fewest{});
    else if (stages == fewest_stages + 2 || most_stages < 7)
      return body(std::integral_constant<int, fewest_stages + 2>{});
    else return body(std::integral_constant<int, 7>{});
  }

  /// Σ_j row_j v_j
  template <int S> ENSUE_HD ENSUE_INLINE static scalar row_sum(const base (&row)[S], const scalar (&v)[S]) {
    scalar sum = row[0] * v[0];
    for (int j = 1; j < S; ++j) sum = sum + row[j] * v[j];
    return sum;
  }

  static constexpr int most_to_rounding = 40;
  ENSUE_HD static constexpr int most_iterations(int stages) { return 7 + (5 * (stages - 3)) / 2; }

  ENSUE_HD ENSUE_COLD mask failed(outcome why, std::int64_t component) {
    shorter_ = shorter_ > real(0) ? shorter_ : real(base(0.5));
    return memory::failed(why, component);
  }

  ENSUE_HD bool factor(const real& h, run_statistics<count>& spent) {
    const real per_h = real(1) / h;
    return with_stages(stages_, [&](auto s) {
      spent.factorizations = spent.factorizations + count(1 + s / 2);
      bool regular = linear_.factor(of<s>().gamma * per_h);
      if (!regular) return failed(outcome::matrix_singular, linear_.singular_at());
      for (int pair = 0; pair < s / 2 && regular; ++pair)
        regular = complex_[pair].factor(linear_, of<s>().alpha[pair] * per_h, of<s>().beta[pair] * per_h);
      factored_for_ = regular ? h : real(0);
      return regular || failed(outcome::matrix_singular, report::nowhere);
    });
  }

  enum class end_of_iteration : unsigned char { solved, unsolved, undefined, not_finite };

  /// Newton's method, from the polynomial of the step before, in z_ with w = T⁻¹z; the solution in z_, and the candidate.
  template <int S, class F, class Measure>
  ENSUE_HD end_of_iteration iterate(F& f, const real& t, const real& t_new, const real& h, const storage& x,
                                    run_statistics<count>& spent, Measure* measure) {
    guess<S>(h, x);
    step_ = h;
    shorter_ = real(0);
    const std::size_t n = static_cast<std::size_t>(x.size());
    const real tightness = measure != nullptr ? tolerance_ratio(*measure) : real(1), per_h = real(1) / h;
    contraction<real> newton(limit_, remaining_, changed_, most_iterations(S));
    settling<real> changes;
    iterations_ = 0;
    for (;;) {
      for (int i = 0; i < S; ++i) {
        for_each_element(x, [this, i, from = x.data(), to = candidate_.data()](std::size_t e) ENSUE_INLINE_LAMBDA {
          scalar w[S];
          for (int j = 0; j < S; ++j) w[j] = z_[j].data()[e];
          to[e] = from[e] + row_sum(of<S>().to_stages[i], w);
        });
        spent.evaluations = spent.evaluations + count(1);
        if (!evaluate(f, i == S - 1 ? t_new : t + of<S>().c[i] * (t_new - t), candidate_, slope_[i]))
          return end_of_iteration::undefined;
        if (!finite(slope_[i])) [[unlikely]] {
          bad_ = first_not_finite(slope_[i], 0);
          return end_of_iteration::not_finite;
        }
      }
      if (has_mass<F>()) residuals_with_mass<S>(x, per_h);
      else residuals<S>(x, per_h);
      spent.linear_solves = spent.linear_solves + count(1 + S / 2);
      linear_.solve({slope_[0].data(), n});
      for (int pair = 0; pair < S / 2; ++pair) complex_[pair].solve(slope_[1 + 2 * pair], slope_[2 + 2 * pair]);
      iteration_verdict verdict = measure != nullptr
                                      ? newton.after(squared_change<S>(x, *measure) * (tightness * tightness / S))
                                      : after_change_in_digits<S>(x, changes);
      if (++iterations_ == most_to_rounding && verdict == iteration_verdict::goes_on)
        verdict = iteration_verdict::too_slow;
      for (int j = 0; j < S; ++j)
        for_each_element(
            x, [d = slope_[j].data(), w = z_[j].data()](std::size_t e) ENSUE_INLINE_LAMBDA { w[e] = w[e] + d[e]; });
      if (verdict == iteration_verdict::goes_on) continue;
      rate_ = measure != nullptr ? newton.rate() : real(1);
      if (verdict == iteration_verdict::converged) {
        remaining_ = newton.remaining_part();
        changed_ = newton.first_change();
        to_stages<S>(x);
        return end_of_iteration::solved;
      }
      remaining_ = real(1);
      if (newton.predicted() > real(0))
        shorter_ = base(0.8) * power(minimum(maximum(newton.predicted(), real(base(1e-4))), real(20)),
                                     real(-1) / static_cast<real>(4 + most_iterations(S) - 1 - iterations_));
      return end_of_iteration::unsolved;
    }
  }

  template <class F> ENSUE_HD ENSUE_INLINE bool has_mass() const {
    if constexpr (has_mass_matrix<F, State>) return linear_.has_mass();
    else return false;
  }
  /// T⁻¹f − Λw/h, from f at the stages, in their place.
  template <int S> ENSUE_HD ENSUE_INLINE void residuals(const storage& x, const real& per_h) {
    for_each_element(x, [this, per_h](std::size_t e) ENSUE_INLINE_LAMBDA {
      scalar slope[S], w[S];
      for (int j = 0; j < S; ++j) slope[j] = slope_[j].data()[e], w[j] = per_h * z_[j].data()[e];
      for (int j = 0; j < S; ++j) slope_[j].data()[e] = row_sum(of<S>().from_stages[j], slope) - rotated<S>(j, w);
    });
  }
  /// T⁻¹f − M Λw/h, row by row.
  template <int S> ENSUE_HD void residuals_with_mass(const storage& x, const real& per_h) {
    for_each_element(x, [this](std::size_t e) ENSUE_INLINE_LAMBDA {
      scalar slope[S];
      for (int j = 0; j < S; ++j) slope[j] = slope_[j].data()[e];
      for (int j = 0; j < S; ++j) slope_[j].data()[e] = row_sum(of<S>().from_stages[j], slope);
    });
    for (int row = 0; row < S; ++row) {
      for_each_element(x, [this, per_h, row](std::size_t e) ENSUE_INLINE_LAMBDA {
        scalar w[S];
        for (int j = 0; j < S; ++j) w[j] = per_h * z_[j].data()[e];
        correction_.data()[e] = rotated<S>(row, w);
      });
      linear_.multiply_mass(correction_, candidate_);
      for_each_element(x, [to = slope_[row].data(), product = candidate_.data()](std::size_t e)
                              ENSUE_INLINE_LAMBDA { to[e] = to[e] - product[e]; });
    }
  }
  /// Row j of Λw: γ, then blocks [α −β; β α].
  template <int S> ENSUE_HD ENSUE_INLINE static scalar rotated(int j, const scalar (&w)[S]) {
    if (j == 0) return of<S>().gamma * w[0];
    const base alpha = of<S>().alpha[(j - 1) / 2], beta = of<S>().beta[(j - 1) / 2];
    return j % 2 == 1 ? alpha * w[j] - beta * w[j + 1] : beta * w[j - 1] + alpha * w[j];
  }

  template <int S, class Measure> ENSUE_HD ENSUE_INLINE real squared_change(const storage& x, Measure& measure) const {
    real sum(0);
    for (int j = 0; j < S; ++j)
      sum = sum + measure.squared_norm(x, [d = slope_[j].data()](std::size_t e) ENSUE_INLINE_LAMBDA { return d[e]; });
    return sum;
  }
  /// In a step of fixed length: solved as far as the numbers have digits.
  template <int S> ENSUE_HD iteration_verdict after_change_in_digits(const storage& x, settling<real>& changes) const {
    real most(0);
    for (int j = 0; j < S; ++j)
      for_each_in_order(
          x, [&, from = x.data(), d = slope_[j].data(), w = z_[j].data()](std::size_t e) ENSUE_INLINE_LAMBDA {
            const real moved = magnitude(d[e]), size = magnitude(from[e]) + magnitude(w[e]) + moved;
            most = detail::larger_if_finite(most, moved / maximum(size, real(least_normal<real>)));
          });
    if (!changes.over(most)) return iteration_verdict::goes_on;
    return changes.solved(true) ? iteration_verdict::converged : iteration_verdict::too_slow;
  }

  /// w of the polynomial through the last step's stages, at the times of this one's; 0 where no step is remembered.
  template <int S> ENSUE_HD void guess(const real& h, const storage& x) {
    if (last_step_ == real(0)) {
      for (int i = 0; i < S; ++i)
        for_each_element(x, [w = z_[i].data()](std::size_t e) ENSUE_INLINE_LAMBDA { w[e] = scalar(0); });
      return;
    }
    with_stages(remembered_, [&](auto old) {
      base weights[S][old] = {};
      const real ratio = h / last_step_;
      for (int i = 0; i < S; ++i) {
        const real theta = real(1) + of<S>().c[i] * ratio;
        for (int j = 0; j < old; ++j) {
          weights[i][j] = of<old>().scale[j] * theta;
          for (int m = 0; m < old; ++m)
            if (m != j) weights[i][j] = weights[i][j] * (theta - of<old>().c[m]);
        }
        weights[i][old - 1] = weights[i][old - 1] - base(1);
      }
      for_each_element(x, [&, this](std::size_t e) ENSUE_INLINE_LAMBDA {
        scalar z[old], guessed[S];
        for (int j = 0; j < old; ++j) z[j] = before_[j].data()[e];
        for (int i = 0; i < S; ++i) guessed[i] = row_sum(weights[i], z);
        for (int i = 0; i < S; ++i) z_[i].data()[e] = row_sum(of<S>().from_stages[i], guessed);
      });
    });
  }

  /// From w to z, and the candidate x + z_s.
  template <int S> ENSUE_HD void to_stages(const storage& x) {
    sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
      for_each_element(x, [&, this](std::size_t e) ENSUE_INLINE_LAMBDA {
        scalar w[S];
        for (int j = 0; j < S; ++j) w[j] = z_[j].data()[e];
        for (int i = 0; i < S; ++i) z_[i].data()[e] = row_sum(of<S>().to_stages[i], w);
        candidate_.data()[e] = add(e, x.data()[e], z_[S - 1].data()[e]);
      });
    });
  }

  /// (γ/h − f')⁻¹ (f(t, x) + Σ e_i z_i/h), with M before γ/h and Σ where there is one. Where that is too large in the first step or after a rejection, once more with f(t, x + error):
  /// then also the part of the error that f' does not know is damped (IV.8.20).
  template <int S, class F, class Measure>
  ENSUE_HD void estimate(F& f, const real& t, const real& h, const storage& x, run_statistics<count>& spent,
                         Measure& measure) {
    const real tightness = careful_ ? real(1) : tolerance_ratio(measure);
    filtered_error<S, F>(h, x, first_, spent);
    const auto norm = [&] {
      return tightness * tightness *
             measure.squared_norm(x, candidate_,
                                  [d = correction_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return d[i]; });
    };
    error_ = norm();
    if (error_ <= real(1) || !(law_.just_started() || law_.just_rejected())) return;
    for_each_element(
        x, [d = correction_.data(), from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { d[i] = d[i] + from[i]; });
    spent.evaluations = spent.evaluations + count(1);
    if (!evaluate(f, t, correction_, slope_[0]) || !finite(slope_[0])) return;
    filtered_error<S, F>(h, x, slope_[0], spent);
    error_ = norm();
  }
  template <int S, class F>
  ENSUE_HD void filtered_error(const real& h, const storage& x, const storage& slope, run_statistics<count>& spent) {
    const real per_h = real(1) / h;
    const auto combined = [&, this](std::size_t e) ENSUE_INLINE_LAMBDA {
      scalar z[S];
      for (int j = 0; j < S; ++j) z[j] = z_[j].data()[e];
      return per_h * row_sum(of<S>().error, z);
    };
    if (has_mass<F>()) {
      for_each_element(x, [&, to = slope_[1].data()](std::size_t e) ENSUE_INLINE_LAMBDA { to[e] = combined(e); });
      linear_.multiply_mass(slope_[1], correction_);
      for_each_element(x, [to = correction_.data(), f = slope.data()](std::size_t e) ENSUE_INLINE_LAMBDA { to[e] = f[e] + to[e]; });
    } else {
      for_each_element(x, [&, to = correction_.data(), f = slope.data()](std::size_t e) ENSUE_INLINE_LAMBDA { to[e] = f[e] + combined(e); });
    }
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({correction_.data(), static_cast<std::size_t>(x.size())});
  }

  /// Where Re z ≤ 0 for z = hλ, the error at the end of a step of x' = λx + g(t) is close to s (z/(γ − z))^(s − 1) e, if it is g that makes the
  /// estimate e: as large as e where |z| is large, and far below it elsewhere, which is why e is held at more than the tolerance
  /// (tolerance_ratio). Whether that is larger than `allowed_stiff` tolerances permit. Each power costs a solve; where nothing is stiff, one will do.
  template <int S, class F, class Measure>
  ENSUE_HD bool may_be_wrong_at_end(const real& h, const storage& x, run_statistics<count>& spent, Measure& measure) {
    constexpr base weight = base(S) / allowed_stiff, doubtful = base(0.1);
    const real ratio = tolerance_ratio(measure), least = maximum(error_, real(doubtful));
    real size = weight * weight * error_ / (ratio * ratio);
    for (int power = 1; power < S && size > least; ++power) {
      keep_stiff_part<S, F>(correction_, slope_[0], h, spent);
      size = weight * weight * squared_size(x, correction_, measure);
    }
    return size > least;
  }
  /// v becomes z/(γ − z) v.
  template <int S, class F> ENSUE_HD void keep_stiff_part(storage& v, storage& scratch, const real& h, run_statistics<count>& spent) {
    follow_slow_part<S, F>(v, scratch, h, spent);
    for_each_element(v, [to = v.data(), slow = scratch.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = slow[i] - to[i]; });
  }
  /// γ/(γ − z) v
  template <int S, class F> ENSUE_HD void follow_slow_part(const storage& v, storage& result, const real& h, run_statistics<count>& spent) {
    if (has_mass<F>()) linear_.multiply_mass(v, result);
    else for_each_element(v, [from = v.data(), to = result.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = from[i]; });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({result.data(), static_cast<std::size_t>(v.size())});
    for_each_element(v, [to = result.data(), scale = of<S>().gamma / h](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = scale * to[i]; });
  }
  template <class Measure> ENSUE_HD real squared_size(const storage& x, const storage& v, Measure& measure) const {
    return measure.squared_norm(x, candidate_, [from = v.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return from[i]; });
  }

  /// The error at the end from that inside: δ of radau_probe is that of the polynomial in stiff components, and its slope at the end less f there
  /// is ω'(1)/ω(θ*) δ. (e would not do: a start that is off a slow solution makes it large, however soon that is damped.)
  template <int S, class F, class Measure>
  ENSUE_HD bool probe_end(F& f, const real& t, const real& t_new, const real& h, const storage& x, run_statistics<count>& spent, Measure& measure) {
    storage &delta = slope_[0], &scratch = slope_[1];
    if (!find_error_inside<S>(f, t, t_new, h, x, spent, scratch, delta)) return false;
    follow_slow_part<S, F>(delta, scratch, h, spent);
    for (int power = 1; power < 3; ++power) keep_stiff_part<S, F>(scratch, delta, h, spent);
    const base weight = of<S>().probe_end_slope / (of<S>().gamma * allowed_stiff);
    const real at_end = error_;
    error_ = maximum(at_end, weight * weight * squared_size(x, scratch, measure));
    inside_leads_ = error_ != at_end;
    return true;
  }

  /// The error inside the step into `inside_error_`; the step's error becomes the larger of the two. False: f is not defined there.
  template <int S, class F, class Measure>
  ENSUE_HD bool probe_inside(F& f, const real& t, const real& t_new, const real& h, const storage& x, run_statistics<count>& spent,
                             Measure& measure) {
    if (!find_error_inside<S>(f, t, t_new, h, x, spent, inside_scratch_, inside_error_)) return false;
    const real at_end = error_;
    error_ = memory::larger_error(at_end, allowed_inside / of<S>().probe_most, x, measure);
    inside_leads_ = error_ != at_end;
    probed_ = true;
    return true;
  }

  /// δ of radau_probe. False: f is not defined there.
  template <int S, class F>
  ENSUE_HD bool find_error_inside(F& f, const real& t, const real& t_new, const real& h, const storage& x, run_statistics<count>& spent,
                                  storage& scratch, storage& error) {
    const auto combined = [this](const base (&weights)[S]) {
      return [this, &weights](std::size_t e) ENSUE_INLINE_LAMBDA {
        scalar z[S];
        for (int j = 0; j < S; ++j) z[j] = z_[j].data()[e];
        return row_sum(weights, z);
      };
    };
    auto *const at = scratch.data(), *const delta = error.data();
    for_each_element(x, [from = x.data(), at, value = combined(of<S>().probe_value)](std::size_t e) ENSUE_INLINE_LAMBDA {
      at[e] = from[e] + value(e);
    });
    spent.evaluations = spent.evaluations + count(1);
    if (!evaluate(f, t + of<S>().probe_node * (t_new - t), scratch, error)) return false;
    const real per_h = real(1) / h;
    for_each_element(x, [at, slope = combined(of<S>().probe_slope)](std::size_t e) ENSUE_INLINE_LAMBDA { at[e] = slope(e); });
    const scalar* moved = at;
    if (has_mass<F>()) {
      linear_.multiply_mass(scratch, correction_);
      moved = correction_.data();
    }
    for_each_element(x, [=](std::size_t e) ENSUE_INLINE_LAMBDA { delta[e] = delta[e] - per_h * moved[e]; });
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({delta, static_cast<std::size_t>(x.size())});
    return true;
  }

  /// The estimate is of order s, the solution of order 2s − 1. So that errors of the solution are held at the tolerance, the estimate is
  /// held at 0.1·rtol^((s+1)/2s): the same as the caller's tolerance, raised to the ratio of the two orders (as in RADAU5 and RADAU).
  /// Newton's iteration is measured by that.
  template <class Measure> ENSUE_HD ENSUE_INLINE real tolerance_ratio(const Measure& measure) {
    if (tolerance_ratio_ > real(0)) return tolerance_ratio_;
    real rtol(0);
    for (std::size_t i = 0; i < measure.rtol().size(); ++i) rtol = maximum(rtol, measure.rtol()[i]);
    const real own = rtol > real(0)
                         ? base(0.1) * power(rtol, static_cast<base>(stages_ + 1) / static_cast<base>(2 * stages_))
                         : real(base(1e-6));
    tolerance_ratio_ = rtol > real(0) ? rtol / own : real(1);
    limit_ = maximum(base(10) * epsilon<real> / own, minimum(real(base(0.03)), power(own, base(0.5))));
    return tolerance_ratio_;
  }

  /// Far from jumps of f the estimate is of a lower order than the solution and may be far above the tolerance; at a
  /// jump it is not. A jump shows in an attempt after which a step is more than halved (as in control/caution.hpp). From
  /// then on the estimate itself is held at the tolerance, until steps no longer grow. (First steps are guessed, and say
  /// nothing.)
  ENSUE_HD real factor_after_error(const real& squared_error, const step_size_settings& s) {
    const bool started = law_.just_started();
    const auto factor_of = [&](const real& error) { return law_.after_reject(error, growth_power(stages_, s.per), safety(s), s); };
    const real factor = factor_of(squared_error);
    if (careful_ || started || !(factor < real(base(0.5)))) return factor;
    careful_ = true;
    return factor_of(squared_error / (tolerance_ratio_ * tolerance_ratio_));
  }

  /// The more iterations Newton's method took, the more careful.
  ENSUE_HD real safety(const step_size_settings& s) const {
    const base all = static_cast<base>(2 * most_iterations(stages_));
    return static_cast<base>(s.safety) * (1 + all) / (static_cast<base>(iterations_) + all);
  }

  ENSUE_HD void change_stages(int stages) {
    stages_ = stages;
    tolerance_ratio_ = real(0);
    factored_for_ = real(0);
    remaining_ = real(1);
    steps_with_stages_ = 0;
  }

  /// After ten steps with as many stages, or three where the error inside them says how long they are: more where Newton's method
  /// converges at once and the step hardly changes; fewer, at any time, where it is slow or the step was rejected before.
  ENSUE_HD void choose_stages(const real& factor, bool rejected_before) {
    if constexpr (fewest_stages < most_stages) {
      ++steps_with_stages_;
      slowest_ = maximum(rate_, base(0.5) * slowest_);
      if (slowest_ >= base(0.8) || rejected_before) {
        if (stages_ > fewest_stages) change_stages(stages_ - 2);
      } else if (steps_with_stages_ > (inside_leads_ ? 3 : 10) && stages_ < most_stages && iterations_ > 1 && slowest_ <= base(0.002) &&
                 factor < base(1.2) && factor > base(0.8)) {
        change_stages(stages_ + 2);
      }
    }
  }

  enum class age : unsigned char { none, kept, fresh };

  storage z_[most_stages];       ///< of the attempt
  storage before_[most_stages];  ///< of the last accepted step
  storage slope_[most_stages];
  storage first_;       ///< f at the step's start
  storage correction_;  ///< scratch
  storage inside_before_ = {};  ///< δ of the last accepted step, if `known_inside_`
  compensation<storage> sum_;
  linearization<State> linear_;
  complex_factors<State> complex_[most_stages / 2];
  predictive_law<real> law_;
  real factored_for_ = real(0), last_step_ = real(0), step_ = real(0);  ///< steps; 0: none
  real error_ = real(0), rate_ = real(0), slowest_ = real(0), remaining_ = real(1), changed_ = real(0), shorter_ = real(0);
  real tolerance_ratio_ = real(0), limit_ = real(0);
  int stages_ = fewest_stages, remembered_ = fewest_stages, iterations_ = 1, steps_with_stages_ = 0;
  age jacobian_ = age::none;
  bool probed_ = false, known_inside_ = false;  ///< the inside of the attempt, and of the last accepted step, was looked at
  bool careful_ = false;                        ///< the estimate is held at the tolerance
  bool inside_leads_ = false;                   ///< its error is larger than that of the step's end
};

}  // namespace ensue
