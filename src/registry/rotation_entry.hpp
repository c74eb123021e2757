/// The entries of methods on rotations: like those of method_entry.hpp, with a rigid body in place of a function.
#pragma once

#include "registry/method_entry.hpp"

#include <ensue/methods/rotation/munthe_kaas_driver.hpp>
#include <ensue/methods/rotation/turning_driver.hpp>

namespace ensue::detail {

/// What a fixed step needs: these methods have no error estimate.
inline options<rotating_body<double>> settings_of_rotation(const options<std::span<double>>& given) {
  options<rotating_body<double>> s;
  s.step = given.step;
  s.divide = given.divide;
  s.max_evaluations = given.max_evaluations;
  s.cancel = given.cancel;
  return s;
}

template <class Method>
std::unique_ptr<any_integrator> make_rotation(system_function f, std::span<const double> x0, double t0,
                                              const options<std::span<double>>& settings) {
  if (const std::string why = refusal(registered<Method>::info, f.force()); !why.empty()) throw std::invalid_argument("ensue: " + why);
  if (x0.size() != rotating_body<double>::size())
    throw std::length_error("ensue: a rigid body starts from 7 numbers: (w, x, y, z) of its orientation and its angular momentum");
  using state = rotating_body<double>;
  return std::make_unique<registered_integrator<body_function, state, Method>>(registered<Method>::info, dense_terms_of<stepper_of<Method, state>>,
                                                                               *f.body(), x0, t0, Method{}, settings_of_rotation(settings));
}

template <class Method> constexpr method_info describe_rotation(int stages, const evaluation_formula& evaluations, bool fsal) {
  using stepper = stepper_of<Method, rotating_body<double>>;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = {},
          .stages = stages,
          .evaluations = evaluations,
          .fsal = fsal,
          .adaptive = false,
          .dense_order = stepper::dense_order,
          .real_stability = 0,
          .imaginary_stability = 0,
          .symplectic = has_free_turn<Method>,
          .symmetric = has_free_turn<Method>,
          .make = make_rotation<Method>};
}

/// What the driver does (methods/rotation/munthe_kaas_driver.hpp).
template <has_munthe_kaas_table Method> constexpr method_info describe() {
  constexpr int stages = Method::table_on_group.stages;
  return describe_rotation<Method>(stages, {0, stages, 0, 0, 0, 0}, false);
}

/// What the driver does (methods/rotation/turning_driver.hpp): two kicks, of which the last is the next step's first.
template <has_free_turn Method> constexpr method_info describe() { return describe_rotation<Method>(2, {1, 1, 0, 1, 0, 0}, true); }

}  // namespace ensue::detail
