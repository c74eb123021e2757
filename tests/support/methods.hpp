/// Every registered method, for generic tests: adding a method to include/ensue/methods.hpp adds it to each of them.
///
///     template <class Method> struct order : testing::Test {};
///     TYPED_TEST_SUITE(order, ensue::tests::typed<ensue::tests::tested_methods>);
///     TYPED_TEST(order, is_the_one_it_claims) { … TypeParam … }
///
/// ctest then shows `order.is_the_one_it_claims<ensue::dp54>`. (A name generator as third argument would spoil that: CMake
/// 3.25 reads the type only behind gtest's own numbers.)
#pragma once

#include <ensue/methods.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace ensue::tests {

namespace detail {

// Each entry of the list brings the comma before it; the first has a `void` to its left, which is dropped here.
template <class, class... Methods> using behind_void = std::tuple<Methods...>;

template <class Tuple> struct typed;
template <class... Methods> struct typed<std::tuple<Methods...>> {
  using type = testing::Types<Methods...>;
};

template <template <class> class Wanted, class Tuple> struct only;
template <template <class> class Wanted, class... Methods> struct only<Wanted, std::tuple<Methods...>> {
  using type = decltype(std::tuple_cat(
      std::declval<std::conditional_t<Wanted<Methods>::value, std::tuple<Methods>, std::tuple<>>>()...));
};

}  // namespace detail

/// std::tuple<euler, …>, in the order of the list: those that take every system, those for second-order systems, those for rotations.
#define ENSUE_METHOD(...) , __VA_ARGS__
using all_methods = detail::behind_void<void
#include <ensue_explicit.inc>
                                        >;
using second_order_methods = detail::behind_void<void
#include <ensue_second_order.inc>
                                                 >;
using implicit_methods = detail::behind_void<void
#include <ensue_implicit.inc>
                                             >;
using rotation_methods = detail::behind_void<void
#include <ensue_rotation.inc>
                                             >;
#undef ENSUE_METHOD

/// A method of every kind that the driver tells apart: without an estimate; with one, f at the end left to the next step, Hermite's
/// interpolant; FSAL, an interpolant of its own; f after acceptance, two estimates, extra stages.
using one_of_each_kind = std::tuple<rk4, rkf45, dp54, dop853>;

/// Those that a program is compiled with again: all of them where everything is tested, one of each kind where the same is done a
/// second time with another compiler or under sanitizers.
#if defined(ENSUE_TEST_ONE_OF_EACH_KIND)
using tested_methods = one_of_each_kind;
#else
using tested_methods = all_methods;
#endif

/// Those for what the driver and the loop do whatever numbers are in a table (what was edited, thrown, copied, run beside others): without some
/// that are to the driver as others are. A method that is new is among them. With the numbers of all, order_test.cpp and others are.
template <class Method> struct is_alone_in_its_kind
    : std::bool_constant<!(std::is_same_v<Method, midpoint> || std::is_same_v<Method, heun> || std::is_same_v<Method, tsit5> ||
                           std::is_same_v<Method, vern9> || std::is_same_v<Method, doubling<euler>> || std::is_same_v<Method, doubling<rk4>>)> {};
/// For tests at every change: one of each kind, and methods that are new.
template <class Method, class Kinds> struct is_new_or_in : std::false_type {};
template <class Method, class... Kinds> struct is_new_or_in<Method, std::tuple<Kinds...>>
    : std::bool_constant<(std::is_same_v<Method, Kinds> || ...) ||
                         (is_alone_in_its_kind<Method>::value && !std::is_same_v<Method, euler> && !std::is_same_v<Method, bs32> &&
                          !std::is_same_v<Method, vern7> && !std::is_same_v<Method, doubling<midpoint>>)> {};
template <class Method> using is_tested_quickly = is_new_or_in<Method, one_of_each_kind>;

#if defined(ENSUE_TEST_ONE_OF_EACH_KIND)
using tested_kinds = one_of_each_kind;
#elif defined(ENSUE_TEST_QUICKLY)
using tested_kinds = typename detail::only<is_tested_quickly, all_methods>::type;
#else
using tested_kinds = typename detail::only<is_alone_in_its_kind, all_methods>::type;
#endif

/// The same of second order: one splitting, and those with steppers of their own.
#if defined(ENSUE_TEST_ONE_OF_EACH_KIND) || defined(ENSUE_TEST_QUICKLY)
using tested_second_order_methods = std::tuple<semi_implicit_euler, leapfrog, adaptive_verlet, yoshida4, predicted<verlet>>;
#else
using tested_second_order_methods = second_order_methods;
#endif

/// The same for packs: where it is done a second time, two short ones, with and without FSAL, have to do.
#if defined(ENSUE_TEST_ONE_OF_EACH_KIND)
using tested_with_packs = std::tuple<bs32, doubling<midpoint>>;
using tested_kinds_with_packs = tested_with_packs;
#elif defined(ENSUE_TEST_QUICKLY)
using tested_with_packs = std::tuple<bs32, dp54, doubling<midpoint>>;
using tested_kinds_with_packs = tested_with_packs;
#else
using tested_with_packs = tested_methods;
using tested_kinds_with_packs = tested_kinds;
#endif

/// The same as gtest wants it.
template <class Tuple> using typed = typename detail::typed<Tuple>::type;

/// Those for which `Wanted<Method>::value` holds.
template <template <class> class Wanted, class Tuple = tested_methods>
using only = typename detail::only<Wanted, Tuple>::type;

/// Of the implicit ones, those with a table of nodes, those with a matrix, and those with a matrix and an iteration.
template <class Method> struct is_collocation : std::bool_constant<requires { Method::table.symplectic(); }> {};
template <class Method> struct is_rosenbrock : std::bool_constant<requires { Method::table.gamma_sum; }> {};
template <class Method> struct is_dirk : std::bool_constant<requires { Method::table.diagonal(0); }> {};
using collocation_methods = only<is_collocation, implicit_methods>;
using rosenbrock_methods = only<is_rosenbrock, implicit_methods>;
using dirk_methods = only<is_dirk, implicit_methods>;

/// Calls `visit.template operator()<Method>()` for each: `for_each_method([]<class Method> { … });`
template <class Tuple = all_methods, class Visitor> constexpr void for_each_method(Visitor&& visit) {
  []<class... Methods>(std::type_identity<std::tuple<Methods...>>, auto& call) {
    (call.template operator()<Methods>(), ...);
  }(std::type_identity<Tuple>{}, visit);
}

}  // namespace ensue::tests
