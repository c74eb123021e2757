/// Kinds of methods, for `only<…>` of support/methods.hpp.
#pragma once

#include <ensue/methods/explicit/driver.hpp>

#include <type_traits>

namespace ensue::tests {

/// An explicit Runge–Kutta method, which is a table.
template <class Method> struct has_table : std::bool_constant<has_explicit_table<Method>> {};

/// One of them with an error estimate.
template <class Method> struct estimates_error : std::false_type {};
template <has_explicit_table Method>
struct estimates_error<Method> : std::bool_constant<(Method::table.embedded_rows > 0)> {};

}  // namespace ensue::tests
