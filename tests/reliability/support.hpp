/// What the reliability tests share. Systems stand behind one type for each kind of state, so that a method is compiled once
/// a file and not once a test.
#pragma once

#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace ensue::tests {

template <class T, std::size_t N> using field = std::function<void(const T&, const vec<T, N>&, vec<T, N>&)>;

/// The same, where f may say that it is not defined.
template <class T, std::size_t N>
using partial_field = std::function<mask_of<T>(const T&, const vec<T, N>&, vec<T, N>&)>;

template <class Method> struct is_explicit : std::bool_constant<has_explicit_table<Method>> {};
template <class Method> struct is_adaptive : std::false_type {};
template <has_explicit_table Method>
struct is_adaptive<Method> : std::bool_constant<(Method::table.embedded_rows > 0)> {};

using explicit_methods = only<is_explicit>;
using adaptive_methods = only<is_adaptive>;
using adaptive_kinds = only<is_adaptive, tested_kinds>;
using precisions = testing::Types<float, double, long double>;

/// Adaptive where the method can, in steps of `step` where it cannot.
template <class Method, class State = vec<double, 1>> options<State> own_way(double step) {
  options<State> settings;
  if (!is_adaptive<Method>::value) settings.step = real_type<State>(static_cast<base_of<real_type<State>>>(step));
  return settings;
}

/// Enough to finish anything here that is to be finished, little enough to see a loop that does not end.
inline constexpr std::int64_t plenty = 200'000;

template <class T> bool same_bits(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, long double>) return a == b && std::signbit(a) == std::signbit(b);  // it has padding
  else return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class A, class B> testing::AssertionResult same_state(const A& a, const B& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " elements and " << b.size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i)
    if (!same_bits(a.data()[i], b.data()[i]))
      return testing::AssertionFailure() << "component " << i << ": " << a.data()[i] << " and " << b.data()[i]
                                         << " differ by " << a.data()[i] - b.data()[i];
  return testing::AssertionSuccess();
}

template <class State> bool is_finite(const State& x) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (!std::isfinite(x.data()[i])) return false;
  return true;
}

inline testing::AssertionResult says(const std::string& sentence, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (sentence.find(word) == std::string::npos)
      return testing::AssertionFailure() << "\"" << sentence << "\" does not say \"" << word << "\"";
  return testing::AssertionSuccess();
}

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace ensue::tests
