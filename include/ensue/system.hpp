/// What a model offers: f(t, x, dx), as a plain call or as a member `derivative`.
///
///     [](double t, const auto& x, auto& dx) { dx[0] = -x[0]; }
///     struct decay { double k; void derivative(double, const vec<double, 1>& x, vec<double, 1>& dx) const; };
///
/// f is pure: solvers call it in any order, at states of their choosing, and throw answers away. It writes every element of
/// dx. It may return bool (a mask for packs): false means "not defined here", and an adaptive solver retries a smaller
/// step. An exception reaches the caller with the solver's time and state as they were before the step.
#pragma once

#include <ensue/config.hpp>
#include <ensue/scalar.hpp>
#include <ensue/state.hpp>

#include <stdexcept>

namespace ensue {

template <class F, class S>
concept has_derivative = requires(F& f, const real_type<S>& t, const S& x, S& dx) { f.derivative(t, x, dx); };

/// What a system that is no type with a `derivative` has to be. (A variable with a telling name: where f is a lambda whose body
/// does not fit, the compiler says little more than which name it was working on.)
template <class F, class S>
inline constexpr bool is_called_as_f_of_t_x_dx = requires(F& f, const real_type<S>& t, const S& x, S& dx) { f(t, x, dx); };

/// A first-order system over states of type S.
template <class F, class S> inline constexpr bool is_system_of = has_derivative<F, S> || is_called_as_f_of_t_x_dx<F, S>;

/// Says in one line what a system has to be. (A constraint on a function would say it in thirty.)
template <class F, class S> struct require_system {
  static_assert(is_system_of<F, S>,
                "ensue: a system is called as f(t, x, dx): the time, the state (const), the derivative to be written");
};

namespace detail {
template <class F, class S> ENSUE_HD ENSUE_INLINE decltype(auto) call(F& f, const real_type<S>& t, const S& x, S& dx) {
  if constexpr (has_derivative<F, S>) return f.derivative(t, x, dx);
  else return f(t, x, dx);
}

template <class S> ENSUE_COLD void refuse_resized(S& dx, std::size_t size) {
  if constexpr (requires { dx.resize(size); }) dx.resize(size);
  throw std::length_error("ensue: f(t, x, dx) changed the length of dx; it has to stay that of x");
}
}  // namespace detail

/// dx = f(t, x). Returns where f is defined.
template <class F, class Storage>
ENSUE_HD ENSUE_INLINE mask_of<element_of<Storage>> evaluate(F& f, const real_of<element_of<Storage>>& t, const Storage& x,
                                                            Storage& dx) {
  using mask = mask_of<element_of<Storage>>;
  mask defined(true);
  if constexpr (!is_system_of<F, std::remove_cvref_t<decltype(as_argument(dx))>>) {
    // said already
  } else if constexpr (std::is_void_v<decltype(detail::call(f, t, as_argument(x), as_argument(dx)))>) {
    detail::call(f, t, as_argument(x), as_argument(dx));
  } else {
    defined = mask(detail::call(f, t, as_argument(x), as_argument(dx)));
  }
  if constexpr (extent_of<Storage> == 0) {
    if (as_argument(dx).size() != as_argument(x).size()) [[unlikely]] detail::refuse_resized(dx, x.size());
  }
  return defined;
}

}  // namespace ensue
