/// Whether a model takes by value what it has to write. It then writes a copy, and the solver sees nothing of it.
///
///     [](double t, auto x, auto dx) { dx[0] = -x[0]; }                       // dx is a copy where the state owns its numbers
///     [](double t, auto x, std::span<double> dx) { dx[0] = -x[0]; }          // a view: what it shows is the solver's memory
///
/// A function that is no template shows its arguments in its type. Of a template, the address is asked for as a function that takes that
/// argument by value: a match deduces the very types that the solver's call deduces, so that no body is compiled for others.
#pragma once

#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ensue::detail {

template <class... A> struct argument_list {
  static constexpr std::size_t count = sizeof...(A);
  template <std::size_t I> using nth = std::tuple_element_t<I, std::tuple<A...>>;
};
template <class Function> struct arguments_of;
template <class R, bool E, class... A> struct arguments_of<R (*)(A...) noexcept(E)> : argument_list<A...> {};
template <class R, class F, bool E, class... A> struct arguments_of<R (F::*)(A...) noexcept(E)> : argument_list<A...> {};
template <class R, class F, bool E, class... A> struct arguments_of<R (F::*)(A...) const noexcept(E)> : argument_list<A...> {};
template <class R, class F, bool E, class... A> struct arguments_of<R (F::*)(A...) & noexcept(E)> : argument_list<A...> {};
template <class R, class F, bool E, class... A> struct arguments_of<R (F::*)(A...) const & noexcept(E)> : argument_list<A...> {};

/// Whether an argument of this type is a copy of a `Written`. (Eigen's vectors convert to each other; a PlainObject owns its numbers.)
template <class Argument, class Written> consteval bool is_copy_of() {
  using plain = std::remove_cv_t<Argument>;
  if constexpr (std::is_reference_v<Argument>) return false;
  else if constexpr (std::same_as<plain, Written>) return true;
  else if constexpr (requires { typename plain::PlainObject; }) return std::same_as<plain, typename plain::PlainObject>;
  else return false;
}

/// The same of argument `I` of a function of this type.
template <class Function, std::size_t I, class Written> consteval bool copies_argument() {
  if constexpr (arguments_of<Function>::count > I) return is_copy_of<typename arguments_of<Function>::template nth<I>, Written>();
  else return false;
}

/// Stands for an argument that is written, by value.
template <class Written> struct copy_of {};

/// Whether the template that `Probe` asks takes such arguments, each that is read as a copy or as a reference.
template <class Probe, class Mask, class Done, class... Arguments> struct matches;
template <class Probe, class Mask, class... Done>
struct matches<Probe, Mask, argument_list<Done...>> : std::bool_constant<Probe::template has<void, Done...> || Probe::template has<Mask, Done...>> {};
template <class Probe, class Mask, class... Done, class Written, class... Rest>
struct matches<Probe, Mask, argument_list<Done...>, copy_of<Written>, Rest...> : matches<Probe, Mask, argument_list<Done..., Written>, Rest...> {};
template <class Probe, class Mask, class... Done, class First, class... Rest>
struct matches<Probe, Mask, argument_list<Done...>, First, Rest...>
    : std::disjunction<matches<Probe, Mask, argument_list<Done..., First>, Rest...>,
                       matches<Probe, Mask, argument_list<Done..., const First&>, Rest...>> {};

/// `name<F, Written, Mask, Before...>()`: whether F's member takes its last argument, a `Written`, by value.
#define ENSUE_TAKES_BY_VALUE(name, member)                                                                                              \
  template <class F> struct name##_of {                                                                                                 \
    template <class R, class... A> static constexpr bool has =                                                                          \
        requires { static_cast<R (F::*)(A...) const>(&F::member); } || requires { static_cast<R (F::*)(A...)>(&F::member); };           \
  };                                                                                                                                    \
  template <class F, class Written, class Mask, class... Before> consteval bool name() {                                                \
    if constexpr (!std::is_class_v<F> || state_view<Written>) return false;                                                             \
    else if constexpr (requires { arguments_of<decltype(&F::member)>::count; })                                                         \
      return copies_argument<decltype(&F::member), sizeof...(Before), Written>();                                                       \
    else return matches<name##_of<F>, Mask, argument_list<>, Before..., copy_of<Written>>::value;                                       \
  }
ENSUE_TAKES_BY_VALUE(call_takes_by_value, operator())
ENSUE_TAKES_BY_VALUE(derivative_takes_by_value, derivative)
ENSUE_TAKES_BY_VALUE(acceleration_takes_by_value, acceleration)
ENSUE_TAKES_BY_VALUE(tangent_takes_by_value, tangent)
ENSUE_TAKES_BY_VALUE(jacobian_takes_by_value, jacobian)
ENSUE_TAKES_BY_VALUE(time_derivative_takes_by_value, time_derivative)
ENSUE_TAKES_BY_VALUE(mass_matrix_takes_by_value, mass_matrix)
#undef ENSUE_TAKES_BY_VALUE

/// The model that a std::reference_wrapper refers to.
template <class F> struct model_behind {
  using type = F;
};
template <class F>
  requires requires(const F& f) { { f.get() } -> std::same_as<typename F::type&>; }
struct model_behind<F> {
  using type = std::remove_cv_t<typename F::type>;
};

/// Whether f(t, x, dx), or f(t, x, dx, p), takes dx by value.
template <class Model, class S, class... Parameters> consteval bool takes_derivative_by_value() {
  using F = typename model_behind<Model>::type;
  using real = real_type<S>;
  using mask = mask_type<S>;
  using function = std::conditional_t<std::is_function_v<F>, F*, F>;
  using call = call_takes_by_value_of<F>;
  if constexpr (state_view<S>) return false;
  else if constexpr (requires { arguments_of<function>::count; }) return copies_argument<function, 2, S>();
  else if constexpr (!std::is_class_v<F>) return false;
  else if constexpr (requires { arguments_of<decltype(&F::operator())>::count; }) return copies_argument<decltype(&F::operator()), 2, S>();
  else if constexpr (matches<call, mask, argument_list<>, real, S, copy_of<S>, Parameters...>::value) return true;
  else if constexpr (!std::same_as<real, double>) return matches<call, mask, argument_list<>, double, S, copy_of<S>, Parameters...>::value;
  else return false;
}

}  // namespace ensue::detail
