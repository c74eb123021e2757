/// The driver of backward differentiation formulas: variable order 1 to 5, from a history of differences to the method protocol.
///
/// L. F. Shampine & M. W. Reichelt (1997), "The MATLAB ODE suite", SIAM J. Sci. Comput. 18, 1–22, sections 2.1–2.3: the history is a
/// table of backward differences D_1 … D_k of the solution at equal steps, from which a change of the step makes another table
/// (quasi-constant steps). A step of order k starts from the polynomial through it, x⁰ = x + Σ D_j, and solves for the correction
/// d = x_new − x⁰
///
///     d + Σ γ_j D_j / α_k = (h/α_k) f(t_new, x⁰ + d)        γ_j = 1 + 1/2 + … + 1/j        α_k = (1 − κ_k) γ_k
///
/// where κ = 0 is the formula of C. F. Curtiss & J. O. Hirschfelder (1952), Proc. Natl. Acad. Sci. 38, 235–243, and other κ, the numerical
/// differentiation formulas of R. W. Klopfenstein (1971), RCA Rev. 32, 447–462, have smaller errors, (κ_k γ_k + 1/(k + 1)) d, and as good a
/// stability. The new differences are the old ones and d: D_{k+1} = d. Errors that orders k − 1 and k + 1 would have are D's as well, and
/// so an order is chosen with each new step.
///
/// One or two evaluations a step, and matrices kept for many: the cheapest method where f or its matrices are expensive and a few digits
/// are wanted. Its memory starts with the run, and again after each change from outside, at order 1 with small steps. Steps of a fixed
/// length start with that length and an error of h², which no higher order makes good again: they go on with order 2, which is stable for
/// whatever is to the left. One trajectory of plain numbers.
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/control/power.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/consistent_start.hpp>
#include <ensue/methods/implicit/memory.hpp>
#include <ensue/methods/implicit/newton.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <limits>
#include <utility>

namespace ensue {

/// Of the formulas, by order; [0] is not used.
struct bdf_coefficients {
  static constexpr int most_order = 5;
  double gamma[most_order + 2] = {}, alpha[most_order + 2] = {}, error[most_order + 2] = {};

  constexpr explicit bdf_coefficients(const double (&kappa)[most_order + 2]) {
    for (int k = 1; k <= most_order + 1; ++k) {
      gamma[k] = gamma[k - 1] + 1. / k;
      alpha[k] = (1 - kappa[k]) * gamma[k];
      error[k] = kappa[k] * gamma[k] + 1. / (k + 1);
    }
  }
};

template <class Method, state State> class bdf_stepper : public implicit_memory<State> {
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
  static constexpr bool starts_anew = true;
  static constexpr bool takes_mass_matrix = requires { Method::takes_mass_matrix; };
  static constexpr bool may_estimate = true;
  static constexpr int most_order = bdf_coefficients::most_order;
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD int order() const { return order_; }
  ENSUE_HD static constexpr bool has_estimate() { return true; }
  ENSUE_HD int estimate_order() const { return order_; }
  ENSUE_HD std::int64_t evaluations_of_attempt() const { return newton_.most_evaluations(1); }
  ENSUE_HD std::int64_t evaluations_of_fixed_step() const { return newton_.most_to_last_digit(1); }

  ENSUE_HD bdf_stepper(const Method&, const storage& like) : bdf_stepper(like, std::make_index_sequence<rows>{}) {}
  template <class F> ENSUE_HD void fit(const F& f) { newton_.fit(f, name()); }

  ENSUE_HD void restart() {
    stale_ = true;
    newton_.restart();
    forget_history();
  }

  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const mask defined = memory::evaluate_first(f, t, x, first_);
    exactly_ = true;
    return defined;
  }
  /// x' at a start, where f is M x'.
  ENSUE_HD void begin_with(const storage& slope) {
    for_each_element(first_, [to = first_.data(), from = slope.data()](std::size_t i) { to[i] = from[i]; });
    exactly_ = false;
    stale_ = false;
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const { return first_; }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage&) const { return first_; }

  /// One step from (t, x) to t_new with length h, into the candidate. Returns whether f was defined, f' finite, the matrix regular and the
  /// equations solved.
  template <class F, class Measure>
  ENSUE_HD mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask&,
                        run_statistics<count>& spent, Measure* measure) {
    memory::forget_failure();
    solved_ = false;
    fixed_ = measure == nullptr;
    adapt_history(h, x);
    const real scale = h / static_cast<base>(formulas().alpha[order_]);
    newton_.begin();
    for (;;) {
      if (const outcome why = newton_.prepare(f, t, h, x, first_, exactly_, scale, spent); why != outcome::finished)
        return failed(why, newton_.failed_at());
      predict(x);
      switch (newton_.solve(f, t_new, scale, constant_, change_, x, spent, measure)) {
        case newton_ending::solved: {
          solved_ = true;
          finish(x, scale);
          return true;
        }
        case newton_ending::undefined: return false;
        case newton_ending::not_finite: {
          bad_ = first_not_finite(newton_.result(), 0);
          return true;  // and so is the error
        }
        case newton_ending::unsolvable: return failed(outcome::equations_not_solved, report::nowhere);
        case newton_ending::slow: break;
      }
    }
  }

  ENSUE_HD linearization<State>& linear() { return newton_.linear(); }

  template <class Measure> ENSUE_HD real squared_error(const storage& x, const real&, Measure& measure) const {
    if (!solved_) return real(std::numeric_limits<base>::quiet_NaN());
    return squared_size(x, candidate_, correction_, order_, measure);
  }

  ENSUE_HD void accept(const mask& accepted, storage& x) {
    if (!accepted) return;
    exchange(accepted, x, candidate_);
    exchange(accepted, first_, slope_);
    exactly_ = false;
    newton_.accept();
    with_order([this](auto k) {
      for_each_element(correction_, [this, k](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar d = correction_.data()[i];
        row(k + 2)[i] = d - row(k + 1)[i];
        row(k + 1)[i] = d;
        for (int j = k; j > 0; --j) row(j)[i] = row(j)[i] + row(j + 1)[i];
      });
    });
    accepted_order_ = order_;
    ++equal_steps_;
    rejections_ = 0;
    if (fixed_ && equal_steps_ > order_ && order_ < 2) ++order_;
  }

  /// The next step's length as a multiple of the accepted one's, and its order: after k + 1 equal steps, when the differences that other
  /// orders' errors are made of are known, whatever gives the longest step, if it is enough longer to pay for a new matrix.
  template <class Measure>
  ENSUE_HD real factor_after_accept(const storage& x, const real& squared_error, const real& h, Measure& measure,
                                    const step_size_settings& s) {
    if (equal_steps_ <= order_) return real(1);
    const auto other = [&](int k) {
      return per_step_or_unit(squared_size(x, x, difference_[k], k, measure), h, s.per);
    };
    real best = longer(squared_error, order_, s.per, base(1.2));
    int chosen = order_;
    if (order_ > 1)
      if (const real factor = longer(other(order_ - 1), order_ - 1, s.per, base(1.3)); factor > best)
        best = factor, chosen = order_ - 1;
    if (order_ < most_order)
      if (const real factor = longer(other(order_ + 1), order_ + 1, s.per, base(1.4)); factor > best)
        best = factor, chosen = order_ + 1;
    if (best < real(base(1.2))) return real(1);
    if (chosen != order_) equal_steps_ = 0;
    order_ = chosen;
    return minimum(best, static_cast<real>(s.grow));
  }
  /// The same after a rejected one. Where one step is rejected again and again, its history is no use.
  ENSUE_HD real factor_after_reject(const real& squared_error, const mask& defined, const step_size_settings& s) {
    ++rejections_;
    equal_steps_ = 0;
    if (rejections_ > 3 && order_ > 1) {
      forget_history();
      stale_ = !newton_.linear().has_mass();  // f is another thing than x' then
    }
    if (!defined || !(squared_error - squared_error == real(0))) return real(base(0.25));
    return maximum(minimum(longer(squared_error, order_, s.per, base(1.1)), static_cast<real>(s.safety)),
                   static_cast<real>(s.shrink));
  }

  ENSUE_HD std::int64_t bad_component(int which) const { return memory::bad_component_or(first_, which); }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return solved_ && finite(candidate_); }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() { return correction_; }

  static constexpr int dense_order = 1;

  using dense_memory = interpolant_memory<storage, most_order - 1>;

  /// The inside of the last accepted step: the polynomial of its history, x + (θ − 1) D_1 + θ(θ − 1)(D_2/2 + (θ + 1) D_3/6 + …), which goes
  /// through the state before.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real&, const storage& x, dense_memory& dense,
                           count&) const {
    for_each_element(x, [&, this](std::size_t i) ENSUE_INLINE_LAMBDA {
      const auto d = [&](int j) ENSUE_INLINE_LAMBDA {
        return j <= accepted_order_ ? difference_[j - 1].data()[i] : scalar(0);
      };
      const scalar third = d(3) / base(6), fourth = d(4) / base(24), fifth = d(5) / base(120);
      dense.curve.s[0].data()[i] = base(0.5) * d(2) + third + base(2) * fourth + base(6) * fifth;
      dense.curve.s[1].data()[i] = third + base(3) * fourth + base(11) * fifth;
      dense.curve.s[2].data()[i] = fourth + base(6) * fifth;
      dense.curve.s[3].data()[i] = fifth;
    });
  }

 private:
  using memory::bad_;
  using memory::candidate_;
  using memory::failed;
  using memory::stale_;

  static constexpr int rows = most_order + 2;
  /// Errors of multistep methods add up with one sign: a step's is held at a part of the tolerance.
  static constexpr base tightness = base(Method::tightness);

  template <std::size_t... J>
  ENSUE_HD bdf_stepper(const storage& like, std::index_sequence<J...>)
      : memory(like),
        difference_{((void)J, like)...},
        first_(like),
        slope_(like),
        constant_(like),
        change_(like),
        correction_(like),
        newton_(like) {}

  /// D_j, from 1.
  ENSUE_HD ENSUE_INLINE scalar* row(int j) { return difference_[j - 1].data(); }
  ENSUE_HD ENSUE_INLINE const scalar* row(int j) const { return difference_[j - 1].data(); }

  /// body(k) with the order as a constant.
  template <class Body> ENSUE_HD ENSUE_INLINE void with_order(const Body& body) const {
    switch (order_) {
      case 1: return body(std::integral_constant<int, 1>{});
      case 2: return body(std::integral_constant<int, 2>{});
      case 3: return body(std::integral_constant<int, 3>{});
      case 4: return body(std::integral_constant<int, 4>{});
      default: return body(std::integral_constant<int, 5>{});
    }
  }

  ENSUE_HD void forget_history() {
    order_ = 1;
    spaced_ = real(0);
    equal_steps_ = 0;
  }

  /// D for steps of length h: from nothing, the slope at the start; else, where h is another (and not another by rounding), that of the
  /// same polynomial.
  ENSUE_HD void adapt_history(const real& h, const storage& x) {
    if (spaced_ == real(0)) {
      for_each_element(x, [this, &h](std::size_t i) ENSUE_INLINE_LAMBDA { row(1)[i] = h * first_.data()[i]; });
    } else if (magnitude(h - spaced_) > base(1e-12) * magnitude(h)) {
      rescale(h / spaced_, x);
      if (magnitude(h - spaced_) > base(1e-3) * magnitude(h)) equal_steps_ = 0;
    }
    spaced_ = h;
  }

  /// D R(r) U of the paper's section 2.3: D'_j = Σ_i D_i c_ij, where c is R(r)U with R_ij = Π_{m≤i} (m − 1 − rj)/m and U = R(1).
  ENSUE_HD void rescale(const real& ratio, const storage& x) {
    real r[most_order + 1][most_order + 1], u[most_order + 1][most_order + 1], both[most_order + 1][most_order + 1];
    for (int j = 0; j <= order_; ++j) {
      r[0][j] = u[0][j] = real(1);
      for (int i = 1; i <= order_; ++i) {
        const real before = static_cast<real>(i - 1);
        r[i][j] = r[i - 1][j] * (before - ratio * static_cast<real>(j)) / static_cast<real>(i);
        u[i][j] = u[i - 1][j] * (before - static_cast<real>(j)) / static_cast<real>(i);
      }
    }
    for (int i = 1; i <= order_; ++i)
      for (int j = 1; j <= order_; ++j) {
        both[i][j] = real(0);
        for (int m = 1; m <= order_; ++m) both[i][j] = both[i][j] + r[i][m] * u[m][j];
      }
    with_order([&](auto k) {
      for_each_element(x, [&, this](std::size_t e) ENSUE_INLINE_LAMBDA {
        scalar old[k];
        for (int i = 0; i < k; ++i) old[i] = difference_[i].data()[e];
        for (int j = 1; j <= k; ++j) {
          scalar sum = both[1][j] * old[0];
          for (int i = 2; i <= k; ++i) sum = sum + both[i][j] * old[i - 1];
          difference_[j - 1].data()[e] = sum;
        }
      });
    });
  }

  /// A static constant inside of a function, because a GPU cannot read one of a class.
  ENSUE_HD ENSUE_INLINE static const bdf_coefficients& formulas() {
    static constexpr bdf_coefficients coefficients = Method::formulas;
    return coefficients;
  }

  /// In Newton's form z = (h/α) f(t_new, c + z): z = d + Σ γ_j D_j/α, from d = 0, and c + z = x⁰ + d.
  ENSUE_HD void predict(const storage& x) {
    const base per_alpha = base(1) / static_cast<base>(formulas().alpha[order_]);
    with_order([&, this](auto k) {
      for_each_element(x, [&, this](std::size_t i) ENSUE_INLINE_LAMBDA {
        scalar step = row(1)[i], weighted = row(1)[i];
        for (int j = 2; j <= k; ++j) {
          step = step + row(j)[i];
          weighted = weighted + static_cast<base>(formulas().gamma[j]) * row(j)[i];
        }
        const scalar psi = per_alpha * weighted;
        change_.data()[i] = psi;
        correction_.data()[i] = psi;  // until d is known
        constant_.data()[i] = x.data()[i] + (step - psi);
      });
    });
  }

  ENSUE_HD void finish(const storage& x, const real& scale) {
    const real per_scale = real(1) / scale;
    for_each_element(x, [&, this](std::size_t i) ENSUE_INLINE_LAMBDA {
      const scalar z = change_.data()[i];
      correction_.data()[i] = z - correction_.data()[i];
      candidate_.data()[i] = constant_.data()[i] + z;
      slope_.data()[i] = per_scale * z;
    });
  }

  /// The error that order k makes where d, or the difference that stands for it, is `difference`; squared.
  template <class Measure>
  ENSUE_HD real squared_size(const storage& x, const storage& x_new, const storage& difference, int k,
                             Measure& measure) const {
    const base weight = tightness * static_cast<base>(formulas().error[k]);
    return weight * weight *
           measure.squared_norm(x, x_new, [d = difference.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return d[i]; });
  }
  ENSUE_HD static real per_step_or_unit(const real& squared_error, const real& h, error_per per) {
    return per == error_per::unit_step ? squared_error / (h * h) : squared_error;
  }
  ENSUE_HD static real longer(const real& squared_error, int k, error_per per, base caution) {
    return power(maximum(squared_error, real(base(1e-20))), base(-0.5) / static_cast<base>(growth_power(k, per))) /
           caution;
  }

  storage difference_[rows];   ///< D_1 …
  storage first_;              ///< x' at the step's start: f there, or what the formula made of it
  storage slope_;              ///< the same at its end
  storage constant_, change_;  ///< c and z
  storage correction_;         ///< d
  newton<State> newton_;
  real spaced_ = real(0);  ///< the step that the differences are for; 0: there are none
  int order_ = 1, accepted_order_ = 1, equal_steps_ = 0, rejections_ = 0;
  bool solved_ = false, exactly_ = false, fixed_ = false;
};

}  // namespace ensue
