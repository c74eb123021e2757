/// The entries of methods on rotations: like those of method_entry.hpp, with a rigid body in place of a function.
#pragma once

#include "registry/method_entry.hpp"

#include <ensue/methods/rotation/munthe_kaas_driver.hpp>
#include <ensue/methods/rotation/turning_driver.hpp>

namespace ensue::detail {

template <class Method> class registered_rotation final : public any_integrator {
 public:
  using state_type = rotating_body<double>;

  registered_rotation(const body_function& body, const state_type& start, double t0, const options<std::span<double>>& given)
      : integrator_(problem<body_function, state_type>{body, start, {t0, t0}}, Method{}, settings_from(given)) {}

  outcome advance_to(double t) override { return integrator_.advance_to(t); }
  outcome advance(double dt) override { return integrator_.advance(dt); }
  outcome step(bool backwards) override { return integrator_.step(backwards); }
  outcome step_towards(double t) override { return integrator_.step_towards(t); }
  double time() const override { return integrator_.time(); }
  std::span<const double> state() const override { return {integrator_.state().data(), state_type::size()}; }
  void set_state(std::span<const double> x) override { set_state(time(), x); }
  void set_state(double t, std::span<const double> x) override {
    require_length(x.size());
    integrator_.set_state(t, body_function::from(x));
  }
  void interpolate(double t, std::span<double> out) override {
    require_length(out.size());
    state_type inside;
    integrator_.interpolate(t, inside);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = inside[i];
  }
  bool control_between_steps(bool on) override { return integrator_.control_between_steps(on); }
  std::size_t dense_terms() const override { return integrator_.dense_terms(); }
  const double* dense_term(std::size_t m) override { return integrator_.dense_term(m); }
  std::span<const double> derivative() override { return {integrator_.derivative().data(), state_type::size()}; }
  viewed_buffer<std::span<double>> snapshot() const override {
    state_type x = integrator_.state();
    return std::span<double>(x.data(), x.size());
  }
  void end_with(outcome how, int event) override { integrator_.end_with(how, event); }
  const run_statistics<std::int64_t>& statistics() const override { return integrator_.statistics(); }
  const report& ending() const override { return integrator_.ending(); }
  std::string message() const override { return integrator_.message(); }
  const method_info& info() const override { return registered<Method>::info; }

 private:
  /// What a fixed step knows; these methods have no error estimate.
  static options<state_type> settings_from(const options<std::span<double>>& given) {
    options<state_type> s;
    s.step = given.step;
    s.divide = given.divide;
    s.max_evaluations = given.max_evaluations;
    s.cancel = given.cancel;
    return s;
  }

  void require_length(std::size_t length) const {
    if (length != state_type::size())
      throw std::length_error("ensue: " + std::to_string(length) + " numbers for a rigid body, which has 7");
  }

  integrator<body_function, state_type, Method> integrator_;
};

template <class Method>
std::unique_ptr<any_integrator> make_rotation(system_function f, std::span<const double> x0, double t0,
                                              const options<std::span<double>>& settings) {
  if (const std::string why = refusal(registered<Method>::info, f.force()); !why.empty()) throw std::invalid_argument("ensue: " + why);
  if (x0.size() != rotating_body<double>::size())
    throw std::length_error("ensue: a rigid body starts from 7 numbers: (w, x, y, z) of its orientation and its angular momentum");
  return std::make_unique<registered_rotation<Method>>(*f.body(), body_function::from(x0), t0, settings);
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
