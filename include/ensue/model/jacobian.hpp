/// Where f' = ∂f/∂x and ∂f/∂t come from, chosen by what the model offers:
///
///     void jacobian(t, x, J) const              its own: J(i, j) = ∂f_i/∂x_j, where it is not zero; J arrives cleared
///     void time_derivative(t, x, ft) const      ∂f/∂t, all of it
///     static constexpr bool takes_duals = true  its code is a template that computes with dual numbers: exact, no differencing
///     static constexpr bool is_autonomous = true            f does not depend on t
///
/// What it does not offer is found by forward differences: as many evaluations as the state has components for f' (as groups of columns
/// that share no row, where its pattern is known: linearization.hpp), one for ∂f/∂t. `jacobian` may return bool, false where it is not defined; a model with `bool offers_jacobian() const` decides at run time. A
/// second-order model is differentiated as the whole x = (q, v).
///
/// Why a model has to say that it takes duals: whether the body of a template compiles for another scalar cannot be asked without
/// compiling it, and then it is an error and not an answer. A lambda says it by
/// `ensue::differentiable{[](auto t, const auto& x, auto& dx) { … }}`. States of fixed length up to 16 are differentiated so; longer
/// ones cost more registers than differences cost evaluations.
#pragma once

#include <ensue/numbers/dual.hpp>
#include <ensue/linear/dense.hpp>
#include <ensue/outcome.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace ensue {

/// f' of states of type S, where nothing more is known of it.
template <state S> using jacobian_matrix = linear::dense_matrix<element_of<S>, extent_of<S>>;

template <class F, class S, class Matrix = jacobian_matrix<S>>
concept has_jacobian = requires(F& f, const real_type<S>& t, const S& x, Matrix& j) { f.jacobian(t, x, j); };

template <class F, class S>
concept has_time_derivative = requires(F& f, const real_type<S>& t, const S& x, S& ft) { f.time_derivative(t, x, ft); };

inline constexpr std::size_t most_dual_components = 16;

template <class F, class S>
concept is_differentiable = requires { requires F::takes_duals; } && (extent_of<S> > 0) && (extent_of<S> <= most_dual_components);

template <class F>
concept is_autonomous = requires { requires F::is_autonomous; };

/// A lambda, or another callable, that can be called with dual numbers.
template <class F> struct differentiable : F {
  static constexpr bool takes_duals = true;
  using F::operator();
};
template <class F> differentiable(F) -> differentiable<F>;

namespace detail {
template <class F, class S, class Matrix = jacobian_matrix<S>> ENSUE_HD bool offers_jacobian(const F& f) {
  static_assert(!has_jacobian<F, S, Matrix> || !jacobian_takes_by_value<F, Matrix, mask_type<S>, real_type<S>, S>(),
                "ensue: this model's jacobian(t, x, J) takes J" ENSUE_WRITES_A_COPY);
  if constexpr (!has_jacobian<F, S, Matrix>) return false;
  else if constexpr (requires { f.template offers_jacobian_in<Matrix>(); }) return f.template offers_jacobian_in<Matrix>();
  else if constexpr (requires { f.offers_jacobian(); }) return f.offers_jacobian();
  else return true;
}
template <class F, class S> ENSUE_HD bool offers_time_derivative(const F& f) {
  static_assert(!has_time_derivative<F, S> || !time_derivative_takes_by_value<F, S, mask_type<S>, real_type<S>, S>(),
                "ensue: this model's time_derivative(t, x, ft) takes ft" ENSUE_WRITES_A_COPY);
  if constexpr (!has_time_derivative<F, S>) return false;
  else if constexpr (requires { f.offers_time_derivative(); }) return f.offers_time_derivative();
  else return true;
}
}  // namespace detail

/// Fills a matrix with f' at one time and state, in the form (linear/forms.hpp) that it has, and finds ∂f/∂t.
template <state State> class differentiator {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using count = count_of<scalar>;

  ENSUE_HD explicit differentiator(const storage& like) : by_time_(like), typical_(like), trusted_(like), narrow_(like) { forget_sizes(); }

  ENSUE_HD const storage& time_derivative() const { return by_time_; }
  /// Why there is no f': f says that it is not defined where differences are taken, or is no finite number there.
  ENSUE_HD outcome why_unsound() const { return refused_ ? outcome::derivative_failed : outcome::jacobian_not_finite; }
  ENSUE_HD bool varies_in_time() const { return varies_in_time_; }

  /// The sizes of components seen so far: they are those of another problem.
  ENSUE_HD void forget_sizes() {
    for_each_element(typical_, [to = typical_.data(), trusted = trusted_.data()](std::size_t i) { to[i] = trusted[i] = scalar(0); });
  }
  /// Components have been as large as this.
  ENSUE_HD void remember_sizes(const storage& x) {
    for_each_element(x, [from = x.data(), to = typical_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = maximum(to[i], magnitude(from[i])); });
  }

  /// So many evaluations of f at most.
  template <class F, class Form> ENSUE_HD static std::int64_t most_evaluations(const F& f, const Form& form) {
    const bool has_time = is_autonomous<F> || detail::offers_time_derivative<F, State>(f);
    return (needs_differences(f, form) ? 4 * static_cast<std::int64_t>(form.groups()) : 0) + (has_time ? 0 : 1);
  }

  /// Whether differences are taken.
  template <class F, class Form> ENSUE_HD static bool needs_differences(const F& f, const Form&) {
    return !is_differentiable<F, State> && !detail::offers_jacobian<F, State, typename Form::matrix_type>(f);
  }

  /// Both at (t, x), where f0 = f(t, x), for steps of about h. The first row that is not finite, or report::nowhere.
  template <class F, class Form>
  ENSUE_HD std::int64_t compute(F& f, const real& t, const real& h, const storage& x, const storage& f0, run_statistics<count>& spent,
                                storage& argument, storage& result, Form& form) {
    const std::int64_t row = compute_jacobian(f, t, h, x, f0, spent, argument, result, form);
    if (row != report::nowhere) return row;
    return differentiate_in_time(f, t, h, x, f0, spent, result) ? report::nowhere : first_not_finite_in(by_time_);
  }

  /// f' alone; where no differences are needed, f0 is not looked at.
  template <class F, class Form>
  ENSUE_HD std::int64_t compute_jacobian(F& f, const real& t, const real& h, const storage& x, const storage& f0,
                                         run_statistics<count>& spent, storage& argument, storage& result, Form& form) {
    using matrix = typename Form::matrix_type;
    spent.jacobians = spent.jacobians + count(1);
    refused_ = false;
    bool defined = true;
    if (detail::offers_jacobian<F, State, matrix>(f)) {
      if constexpr (has_jacobian<F, State, matrix>) {
        form.matrix().clear();
        defined = detail::defined_by<bool>([&] { return f.jacobian(t, as_argument(x), form.matrix()); });
      }
    } else if constexpr (is_differentiable<F, State>) {
      refused_ = !by_duals(f, t, x, form.matrix());
      defined = !refused_;
    } else {
      by_differences(f, t, h, x, f0, spent, argument, result, form);
    }
    form.filled();
    return defined ? form.first_row_not_finite() : 0;
  }

 private:
  template <class F> ENSUE_HD bool by_duals(F& f, const real& t, const storage& x, jacobian_matrix<State>& matrix) {
    constexpr std::size_t n = extent_of<State>;
    using number = dual<scalar, static_cast<int>(n)>;
    vec<number, n> at, slope;
    for (std::size_t j = 0; j < n; ++j) at[j] = number::variable(x.data()[j], static_cast<int>(j));
    const bool defined = evaluate(f, t, at, slope);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) matrix(i, j) = slope[i].derivative[j];
    return defined;
  }

  /// Column j is (f(x + δe_j) − f(x))/δ. With δ = √ε·(size of x_j) half of the digits are right: more are lost to f's rounding where δ is
  /// smaller, to f's curvature where it is larger. A component near zero has the size that it had elsewhere, as far as δ is concerned, so
  /// that δ is not lost in the rounding of f: at least ε^(1/4) of the largest seen; one that has always been zero has that of its change
  /// in a step, or of what is beside it. One without a derivative is a term of an equation, however small, and δ is not lost beside the
  /// others. Where such a δ is no small part of the component itself, a second width is tried (compare_widths). δ points to where the
  /// component goes, which is where f is most likely to be defined; where it is not, the other way.
  template <class F, class Form>
  ENSUE_HD void by_differences(F& f, const real& t, const real& h, const storage& x, const storage& f0, run_statistics<count>& spent,
                               storage& argument, storage& result, Form& form) {
    const std::size_t n = static_cast<std::size_t>(x.size());
    const auto *const at = x.data(), *const slope = f0.data();
    auto* const typical = typical_.data();
    scalar largest(0);
    for (std::size_t j = 0; j < n; ++j) {
      argument.data()[j] = at[j];
      largest = maximum(largest, magnitude(at[j]));
      typical[j] = maximum(typical[j], magnitude(at[j]));
    }
    if (largest == scalar(0)) largest = scalar(1);
    const auto delta = [&](std::size_t j) ENSUE_INLINE_LAMBDA {
      const scalar step = h * slope[j];
      scalar floor = quarter * typical[j];
      if (form.has_mass() && form.is_massless(j)) floor = maximum(floor, quarter * largest);
      if (typical[j] == scalar(0)) floor = step == scalar(0) ? quarter * largest : minimum(magnitude(step), largest);
      return with_sign(half * maximum(magnitude(at[j]), floor), step);
    };
    const auto at_width = [&](std::size_t g, const auto& width, const auto& body) {
      return difference(f, t, x, f0, spent, argument, result, form, g, width, body);
    };
    for (std::size_t g = 0; g < form.groups(); ++g) {
      const auto write = [](std::size_t, scalar& element, const scalar& quotient) ENSUE_INLINE_LAMBDA { element = quotient; };
      answer found = at_width(g, delta, write);
      scalar way(1);
      if (found != answer::finite) {
        way = scalar(-1);
        found = at_width(g, [&](std::size_t j) { return -delta(j); }, write);
      }
      bool rescued = false;
      if (has_doubtful(form, g, at, delta)) rescued = compare_widths(at_width, form, g, at, delta, way);
      refused_ = refused_ || (found == answer::refused && !rescued);
    }
  }

  enum class answer : unsigned char { finite, not_finite, refused };

  /// The quotients of the columns of a group that are moved by some width: body(row, element, quotient).
  template <class F, class Form, class Width, class Body>
  ENSUE_HD answer difference(F& f, const real& t, const storage& x, const storage& f0, run_statistics<count>& spent, storage& argument,
                             storage& result, Form& form, std::size_t g, const Width& width, const Body& body) {
    const auto *const at = x.data(), *const slope = f0.data(), *const after = result.data();
    auto* const moved = argument.data();
    form.for_each_member(g, [&](std::size_t j) { moved[j] = at[j] + width(j); });
    spent.evaluations = spent.evaluations + count(1);
    answer found = answer::refused;
    if (evaluate(f, t, argument, result)) found = finite(result) ? answer::finite : answer::not_finite;
    form.for_each_member(g, [&](std::size_t j) {
      const scalar by = moved[j] - at[j];  // what was added, after rounding
      moved[j] = at[j];
      if (by == scalar(0) && width(j) == scalar(0)) return;
      form.for_each_in_column(j, [&](std::size_t i, scalar& element) ENSUE_INLINE_LAMBDA {
        body(i, element, found == answer::finite ? (after[i] - slope[i]) / by : no_number);
      });
    });
    return found;
  }

  /// Whether δ is no small part of component j, and was not yet found to serve for such a size of it. (Zero has no size.)
  template <class Delta> ENSUE_HD bool is_doubtful(std::size_t j, const scalar* at, const Delta& delta) const {
    const scalar size = magnitude(at[j]), trusted = trusted_.data()[j];
    return size > scalar(0) && magnitude(delta(j)) > doubtful_part * size && !(size > scalar(0.1) * trusted && size < scalar(10) * trusted);
  }
  template <class Form, class Delta> ENSUE_HD bool has_doubtful(const Form& form, std::size_t g, const scalar* at, const Delta& delta) const {
    bool found = false;
    form.for_each_member(g, [&](std::size_t j) { found = found || is_doubtful(j, at, delta); });
    return found;
  }

  /// Of the doubtful columns of a group, once more with a narrow width, √ε of the component itself, which is right where f is curved on that
  /// scale and nothing but rounding where large terms are beside it. Where both widths agree, the wide one is trusted from now on. Where they
  /// do not, a third between them tells which one is wrong: an error of curvature grows with the width, one of rounding falls with it. A narrow
  /// quotient of 0 is rounding, however well it agrees. Returns whether f had a value at all.
  template <class AtWidth, class Form, class Delta>
  ENSUE_HD ENSUE_COLD bool compare_widths(const AtWidth& at_width, Form& form, std::size_t g, const scalar* at, const Delta& delta, const scalar& way) {
    using std::sqrt;
    const auto narrow = [&](std::size_t j) {
      return is_doubtful(j, at, delta) ? way * with_sign(half * magnitude(at[j]), delta(j)) : scalar(0);
    };
    const auto between = [&](std::size_t j) {
      return is_doubtful(j, at, delta) ? way * with_sign(sqrt(half * magnitude(at[j])) * sqrt(magnitude(delta(j))), delta(j)) : scalar(0);
    };
    scalar* const of_narrow = narrow_.data();
    bool agree = true, wide_serves = true;
    const answer found = at_width(g, narrow, [&](std::size_t i, scalar& wide, const scalar& quotient) {
      of_narrow[i] = quotient;
      agree = agree && magnitude(quotient - wide) <= agreement * maximum(magnitude(quotient), magnitude(wide));
    });
    if (found != answer::finite) return false;
    if (!agree)
      at_width(g, between, [&](std::size_t i, scalar& wide, const scalar& middle) {
        const scalar closest = nearest_quotient(of_narrow[i], middle, wide);
        wide_serves = wide_serves && closest == wide;
        wide = closest;
      });
    if (wide_serves)
      form.for_each_member(g, [&](std::size_t j) {
        if (is_doubtful(j, at, delta)) trusted_.data()[j] = magnitude(at[j]);
      });
    return true;
  }

  /// Of three quotients, that with the least error.
  ENSUE_HD static scalar nearest_quotient(const scalar& narrow, const scalar& middle, const scalar& wide) {
    if (!(wide - wide == scalar(0))) return narrow;
    if (!(middle - middle == scalar(0)) || narrow == scalar(0) || middle == scalar(0)) return wide;
    const scalar below = magnitude(narrow - middle), above = magnitude(middle - wide);
    if (!(below <= scalar(0.1) * above)) return wide;
    return below <= agreement * magnitude(middle) ? narrow : middle;
  }

  /// The difference in time spans √ε of the step, or a few spacings of the clock: never further than the step goes.
  template <class F>
  ENSUE_HD bool differentiate_in_time(F& f, const real& t, const real& h, const storage& x, const storage& f0,
                                      run_statistics<count>& spent, storage& result) {
    auto* const to = by_time_.data();
    varies_in_time_ = false;
    bool defined = true;
    if constexpr (is_autonomous<F>) {
      return true;
    } else if (detail::offers_time_derivative<F, State>(f)) {
      if constexpr (has_time_derivative<F, State>)
        defined = detail::defined_by<bool>([&] { return f.time_derivative(t, as_argument(x), as_argument(by_time_)); });
    } else {
      const real delta = minimum(maximum(half * magnitude(h), 8 * epsilon<real> * magnitude(t)), magnitude(h));
      const real later = t + with_sign(delta, h), moved = later - t;
      spent.evaluations = spent.evaluations + count(1);
      defined = evaluate(f, later, x, result);
      refused_ = refused_ || !defined;
      for_each_element(x, [&, after = result.data(), before = f0.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = moved == real(0) ? scalar(0) : (after[i] - before[i]) / moved;  // a clock too coarse for such steps shows no change
      });
    }
    for_each_in_order(x, [&](std::size_t i) ENSUE_INLINE_LAMBDA { varies_in_time_ = varies_in_time_ || to[i] != scalar(0); });
    if (!defined) to[0] = no_number;
    return defined && finite(by_time_);
  }

  ENSUE_HD static std::int64_t first_not_finite_in(const storage& row) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(row.size()); ++i)
      if (const scalar value = row.data()[i]; !(value - value == scalar(0))) return static_cast<std::int64_t>(i);
    return report::nowhere;
  }

  /// A δ beyond this part of its component is compared with a narrow one; quotients that agree to this part are the same.
  static constexpr scalar doubtful_part = scalar(1e-3), agreement = scalar(1e-3);
  static constexpr scalar no_number = std::numeric_limits<scalar>::quiet_NaN();
  /// √ε and ε^(1/4)
  static constexpr scalar half = sizeof(scalar) <= 4 ? scalar(3.4e-4) : sizeof(scalar) <= 8 ? scalar(1.5e-8) : scalar(3.3e-10L);
  static constexpr scalar quarter = sizeof(scalar) <= 4 ? scalar(1.8e-2) : sizeof(scalar) <= 8 ? scalar(1.2e-4) : scalar(1.8e-5L);

  storage by_time_;
  storage typical_;  ///< the largest that each component has been
  storage trusted_;  ///< the size that each had when a width much larger than it served; 0: none
  storage narrow_;   ///< quotients of a narrow width
  bool varies_in_time_ = false, refused_ = false;
};

}  // namespace ensue
