/// Splitting methods on forces that depend on velocity, for those who insist.
///
/// Half a kick needs the velocity at its own end, which is not known before it: an explicit step has to take another one. What that
/// costs is in the names. Both are neither symplectic nor symmetric.
#pragma once

#include <ensue/methods/joined_text.hpp>
#include <ensue/methods/second_order/splitting_driver.hpp>

namespace ensue {

namespace detail {
template <int Kicks> constexpr splitting_table<Kicks> with_order(splitting_table<Kicks> table, int order) {
  table.order = order;
  return table;
}
}  // namespace detail

/// `lagged<verlet>`: each kick with the velocity at hand, which is half a kick behind. Order 1.
template <class Method> struct lagged {
 private:
  static constexpr detail::joined_text<detail::length("lagged()") + detail::length(Method::name)> whole_name{"lagged(", Method::name, ")"};

 public:
  static constexpr const char* name = whole_name.characters;
  static constexpr const char* citation = Method::citation;
  static constexpr auto table = detail::with_order(Method::table, 1);
  static constexpr kick_velocity velocity = kick_velocity::lagged;
};

/// `predicted<verlet>`: each kick with the velocity that the acceleration before it would lead to. Order 2; also where Verlet's own
/// step is meant, of a force without velocities.
template <class Method> struct predicted {
  static_assert(Method::table.order == 2, "ensue: a predicted velocity is right to order 2 and no more");

 private:
  static constexpr detail::joined_text<detail::length("predicted()") + detail::length(Method::name)> whole_name{"predicted(", Method::name, ")"};

 public:
  static constexpr const char* name = whole_name.characters;
  static constexpr const char* citation = Method::citation;
  static constexpr auto table = Method::table;
  static constexpr kick_velocity velocity = kick_velocity::predicted;
};

}  // namespace ensue
