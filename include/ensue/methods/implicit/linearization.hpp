/// f' at a time and a state together with the solver of s·I − f': what an implicit method has of a model, in whatever form it is. Where the
/// model has a mass matrix (mass_matrix.hpp), of s·M − f'.
///
/// A state of fixed length has a dense matrix and its LU unrolled. Of a dynamic one the model may say where f' has elements:
///
///     linear::bandwidth jacobian_bandwidth() const           {2, 2}: no further than two below and two above the diagonal
///     linear::sparsity_pattern jacobian_pattern() const      every (i, j) that is not always zero
///
/// and the cheapest form is taken (linear/choice.hpp): dense, banded, in an order that makes a band narrow, or sparse. Its own
/// `jacobian(t, x, J)`, written over `auto& J`, then gets a `banded_matrix` where it gave a bandwidth and a `sparse_matrix` over its pattern
/// where it gave one, and writes nothing outside; if it takes `dense_matrix` alone, f' stays dense. Without one, differences find a group
/// of columns that share no row with one evaluation: five for a band of 2 + 2, however long.
///
///     linearization<State> linear(like);
///     linear.fit(f, "rodas5p");                              // once, by the loop: the form is chosen and all memory taken
///     if (const auto row = linear.compute(f, t, h, x, f0, spent, scratch, more_scratch); row != report::nowhere) …   // not finite
///     if (!linear.factor(1 / (h * gamma))) …                 // singular, in column singular_at()
///     linear.solve(b);                                       // in place
///
/// A stepper that has one offers `template <class F> void fit(const F& f)`, which the loop calls when it is made, and whose memory is taken
/// there. A model whose pattern changes with its parameters needs a new integrator.
#pragma once

#include <ensue/model/jacobian.hpp>
#include <ensue/model/mass_matrix.hpp>
#include <ensue/linear/forms.hpp>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace ensue {

/// More components than this have a dense matrix of half a gigabyte and steps of minutes: they are refused.
inline constexpr std::size_t most_dense_components = 8192;

template <state State> class linearization {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using count = count_of<scalar>;
  static_assert(std::is_floating_point_v<scalar>,
                "ensue: methods that solve linear equations take one trajectory of float, double or long double, no packs and no duals");

  ENSUE_HD explicit linearization(const storage& like) : derivatives_(like), size_(static_cast<std::size_t>(like.size())) {}

  /// Chooses the form for this model and takes its memory. Throws std::length_error where no form is small enough, or the pattern is not
  /// that of a matrix of this size.
  template <class F> ENSUE_HD void fit([[maybe_unused]] const F& f, [[maybe_unused]] const char* method) {
    if constexpr (!is_fixed) {
      form_ = form_for(f);
      if (is_dense() && size_ > most_dense_components) refuse(method);
    }
    with_form([&](const auto& form) {
      most_evaluations_ = differentiator<State>::most_evaluations(f, form);
      needs_differences_ = differentiator<State>::needs_differences(f, form);
    });
    write_mass(f);
  }

  /// M as the model has it now, if it has one.
  template <class F> ENSUE_HD void write_mass([[maybe_unused]] const F& f) {
    if constexpr (has_mass_matrix<F, State>)
      if (detail::offers_mass_matrix<F, State>(f))
        with_form([&](auto& form) {
          detail::write_mass_matrix(f, form.take_mass());
          form.mass_filled();
        });
  }

  /// Of f, for one f' and ∂f/∂t.
  ENSUE_HD std::int64_t most_evaluations() const { return most_evaluations_; }
  /// Whether f' is found by differences, and f0 has to be f(t, x) to the last digit.
  ENSUE_HD bool needs_differences() const { return needs_differences_; }

  /// The sizes of components seen so far: they are those of another problem.
  ENSUE_HD void forget_sizes() { derivatives_.forget_sizes(); }
  /// Components have been as large as this.
  ENSUE_HD void remember_sizes(const storage& x) { derivatives_.remember_sizes(x); }

  /// Both at (t, x), where f0 = f(t, x), for steps of about h. The first row that is not finite, or report::nowhere.
  template <class F>
  ENSUE_HD std::int64_t compute(F& f, const real& t, const real& h, const storage& x, const storage& f0, run_statistics<count>& spent,
                                storage& argument, storage& result) {
    return with_form([&](auto& form) { return derivatives_.compute(f, t, h, x, f0, spent, argument, result, form); });
  }
  /// f' alone, for methods that do not ask for ∂f/∂t.
  template <class F>
  ENSUE_HD std::int64_t compute_jacobian(F& f, const real& t, const real& h, const storage& x, const storage& f0,
                                         run_statistics<count>& spent, storage& argument, storage& result) {
    return with_form([&](auto& form) { return derivatives_.compute_jacobian(f, t, h, x, f0, spent, argument, result, form); });
  }

  /// What it means where a row was named.
  ENSUE_HD outcome why_unsound() const { return derivatives_.why_unsound(); }

  ENSUE_HD const storage& time_derivative() const { return derivatives_.time_derivative(); }
  ENSUE_HD bool varies_in_time() const { return derivatives_.varies_in_time(); }

  /// Whether the model has a mass matrix; y = M x; whether equation i has no derivative.
  ENSUE_HD bool has_mass() const {
    return with_form([](const auto& form) { return form.has_mass(); });
  }
  ENSUE_HD void multiply_mass(const storage& x, storage& y) const {
    with_form([&](const auto& form) { form.multiply_mass(x.data(), y.data()); });
  }
  ENSUE_HD bool is_algebraic(std::size_t i) const {
    return with_form([i](const auto& form) { return form.is_massless(i); });
  }
  /// The matrix of a start, for which f' is given up: M in the rows of derivatives, −f' in those of algebraic equations.
  ENSUE_HD bool factor_start() {
    return with_form([this](auto& form) {
      for (std::size_t j = 0; j < size_; ++j)
        form.for_each_in_column(j, [&form](std::size_t i, scalar& element) {
          if (!form.is_massless(i)) element = scalar(0);
        });
      form.filled();
      return form.factor(scalar(1));
    });
  }

  /// s·I − f', or s·M − f'. False where it is singular; then nothing may be solved with it, and `singular_at` is the column, or report::nowhere where
  /// the solver does not know it.
  ENSUE_HD bool factor(const scalar& s) {
    return with_form([&](auto& form) { return form.factor(s); });
  }
  ENSUE_HD std::int64_t singular_at() const {
    return with_form([](const auto& form) { return static_cast<std::int64_t>(form.singular_at()); });
  }
  /// b becomes the solution.
  ENSUE_HD void solve(std::span<scalar> b) {
    with_form([b](auto& form) { form.solve(b); });
  }
  /// y = f' x
  ENSUE_HD void multiply(const storage& x, storage& y) const {
    with_form([&](const auto& form) { form.multiply(x.data(), y.data()); });
  }

  /// body(form), with f' in the form that it has (linear/forms.hpp).
  template <class Body> ENSUE_HD ENSUE_INLINE decltype(auto) with_form(const Body& body) const {
    if constexpr (is_fixed) return body(form_);
    else return std::visit(body, form_);
  }

  /// How it is solved.
  ENSUE_HD linear::matrix_form form() const {
    if constexpr (is_fixed) return linear::matrix_form::dense;
    else if (std::holds_alternative<banded>(form_)) return linear::matrix_form::banded;
    else if (const auto* const over_pattern = std::get_if<patterned>(&form_)) return over_pattern->form();
    else return linear::matrix_form::dense;
  }

 private:
  static constexpr bool is_fixed = extent_of<storage> > 0;
  using dense = linear::dense_form<scalar, extent_of<storage>>;
  using banded = linear::banded_form<scalar>;
  using patterned = linear::patterned_form<scalar>;
  using any_form = std::conditional_t<is_fixed, dense, std::variant<dense, banded, patterned>>;

  template <class Body> ENSUE_HD ENSUE_INLINE decltype(auto) with_form(const Body& body) {
    if constexpr (is_fixed) return body(form_);
    else return std::visit(body, form_);
  }
  ENSUE_HD bool is_dense() const { return form() == linear::matrix_form::dense; }

  template <class F> any_form form_for(const F& f) const {
    if constexpr (requires { f.jacobian_pattern(); })
      if (writes<F, linear::sparse_matrix<scalar>>(f))
        if (const linear::sparsity_pattern pattern = f.jacobian_pattern(); pattern.rows > 0)
          return patterned(of_this_size(pattern, "jacobian_pattern"), mass_pattern(f));
    if constexpr (requires { f.jacobian_bandwidth(); })
      if (writes<F, linear::banded_matrix<scalar>>(f))
        if (std::optional<linear::bandwidth> band = f.jacobian_bandwidth()) {
          band->lower = minimum(band->lower, size_ - 1), band->upper = minimum(band->upper, size_ - 1);
          if (linear::choose_form(size_, *band, size_ * (band->lower + band->upper + 1), false) == linear::matrix_form::banded ||
              !writes<F, linear::dense_matrix<scalar>>(f))
            return banded(size_, *band);
        }
    if (size_ > most_dense_components) return dense();
    return dense(size_);
  }

  /// Whether f' comes in such a matrix: written by the model, or by differences.
  template <class F, class Matrix> static bool writes(const F& f) {
    const bool in_any = detail::offers_jacobian<F, State>(f) || detail::offers_jacobian<F, State, linear::banded_matrix<scalar>>(f) ||
                        detail::offers_jacobian<F, State, linear::sparse_matrix<scalar>>(f);
    return !in_any || detail::offers_jacobian<F, State, Matrix>(f);
  }

  template <class F> linear::sparsity_pattern mass_pattern([[maybe_unused]] const F& f) const {
    if constexpr (requires { f.mass_pattern(); })
      if (const linear::sparsity_pattern pattern = f.mass_pattern(); pattern.rows > 0) return of_this_size(pattern, "mass_pattern");
    return linear::sparsity_pattern::banded(size_, 0, 0);
  }

  const linear::sparsity_pattern& of_this_size(const linear::sparsity_pattern& pattern, const char* name) const {
    if (pattern.rows != size_ || pattern.width != size_)
      throw std::length_error("ensue: the model's " + std::string(name) + "() is of " + std::to_string(pattern.rows) + " rows and " +
                              std::to_string(pattern.width) + " columns, and its state has " + std::to_string(size_) + " components");
    return pattern;
  }

  [[noreturn]] void refuse(const char* method) const {
    throw std::length_error("ensue: " + std::string(method) + " solves dense equations for at most " +
                            std::to_string(most_dense_components) + " components, and this state has " + std::to_string(size_) +
                            ": a model with a member jacobian_bandwidth() or jacobian_pattern() has faster ones, and an explicit method "
                            "needs none");
  }

  differentiator<State> derivatives_;
  any_form form_ = {};
  std::size_t size_;
  std::int64_t most_evaluations_ = 0;
  bool needs_differences_ = true;
};

}  // namespace ensue
