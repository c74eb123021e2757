/// The decomposition of (re + i·im)·I − f', or of (re + i·im)·M − f', beside that of the real matrix, in the form that f' has (linearization.hpp).
///
///     complex_factors<State> complex;
///     complex.fit(linear);                                   // once: all memory is taken
///     if (!complex.factor(linear, alpha / h, beta / h)) …    // singular
///     complex.solve(u, v);                                   // u + iv becomes the solution
#pragma once

#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/linear/complex_forms.hpp>

#include <type_traits>
#include <variant>

namespace ensue {

template <state State> class complex_factors {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;

  ENSUE_HD void fit(const linearization<State>& linear) {
    linear.with_form([this](const auto& form) { form_ = linear::complex_solver_of(form); });
  }
  ENSUE_HD bool factor(const linearization<State>& linear, const scalar& re, const scalar& im) {
    return linear.with_form([&](const auto& form) {
      if (form.has_mass()) return of(form).factor_shifted(form.matrix(), re, im, form.mass());
      return of(form).factor_shifted(form.matrix(), re, im);
    });
  }
  ENSUE_HD void solve(storage& re, storage& im) {
    const std::span<scalar> x(re.data(), static_cast<std::size_t>(re.size())),
        y(im.data(), static_cast<std::size_t>(im.size()));
    if constexpr (is_fixed) form_.solve(x, y);
    else std::visit([&](auto& solver) { solver.solve(x, y); }, form_);
  }

 private:
  static constexpr bool is_fixed = extent_of<storage> > 0;
  using dense = linear::complex_dense_lu<scalar, extent_of<storage>>;
  using any_form = std::conditional_t<is_fixed, dense, std::variant<dense, linear::complex_over_pattern<scalar>>>;

  template <class Form> ENSUE_HD auto& of(const Form& form) {
    if constexpr (is_fixed) return form_;
    else return std::get<decltype(linear::complex_solver_of(form))>(form_);
  }

  any_form form_ = {};
};

}  // namespace ensue
