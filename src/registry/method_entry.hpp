/// One method's entry in the registry: what there is to know of it, and its integrator over doubles.
#pragma once

#include "registry/erased_loops.hpp"
#include "registry/registered_integrator.hpp"
#include "registry/stepper_behind.hpp"

#include <ensue/control/spread_options.hpp>
#include <ensue/methods/explicit/stability.hpp>
#include <ensue/methods/implicit/dirk.hpp>
#include <ensue/methods/implicit/own_properties.hpp>
#include <ensue/methods/implicit/rosenbrock.hpp>
#include <ensue/registry.hpp>

#include <memory>
#include <stdexcept>

namespace ensue {
struct dp54;
}

namespace ensue::detail {

/// `info` is defined by ENSUE_METHOD_ENTRY.
template <class Method> struct registered {
  static const method_info info;
};

template <class Stepper> inline constexpr std::size_t dense_terms_of = decltype(Stepper::dense_memory::curve)::terms;

/// The method that problems without one get has loops of its own for small states: in registers a step takes half the time, but each such loop
/// takes a compiler seconds.
template <class Method> inline constexpr bool keeps_small_states_in_registers = false;
template <> inline constexpr bool keeps_small_states_in_registers<dp54> = true;

/// An integrator of its own for states of one length.
template <class Method, std::size_t Size>
std::unique_ptr<any_integrator> make_in_registers(const system_function& f, std::span<const double> x0, double t0,
                                                  const options<std::span<double>>& settings) {
  using state = vec<double, Size>;
  using stepper = stepper_of<Method, state>;
  using model = model_for<stepper::needs>;
  return std::make_unique<registered_integrator<model, state, Method>>(registered<Method>::info, dense_terms_of<stepper>, model{f}, x0, t0, Method{},
                                                                       spread_options<state>(settings, x0.size()));
}

/// The stepper of a method, behind an interface.
template <class Method, class Model>
std::unique_ptr<stepper_interface<Model, std::span<double>>> make_stepper(const storage_of<std::span<double>>& like, [[maybe_unused]] unsigned threads) {
  Method method;
  if constexpr (requires { method.threads; }) method.threads = threads;
  return std::make_unique<stepper_behind<stepper_of<Method, std::span<double>>, Model, std::span<double>>>(method, like);
}

/// Whether a step takes so few evaluations that two virtual calls would be felt: a tenth of a step where f is cheap.
template <class Stepper> constexpr bool has_short_steps() {
  if constexpr (requires { Stepper::solves_linear_systems; }) return false;
  else if constexpr (requires { typename std::bool_constant<(Stepper::evaluations_of_attempt(), true)>; }) return Stepper::evaluations_of_attempt() < 4;
  else return false;
}

/// An integrator over the loop of the method's kind, or over one of its own. `Listed` is the method's entry.
template <class Method, class Listed = Method>
std::unique_ptr<any_integrator> make_over_span(const system_function& f, std::span<const double> x0, double t0, options<std::span<double>> settings) {
  using stepper = stepper_of<Method, std::span<double>>;
  using model = model_for<stepper::needs>;
  const method_info& info = registered<Listed>::info;
  if constexpr (has_short_steps<stepper>()) {
    return std::make_unique<registered_integrator<model, std::span<double>, Method>>(info, dense_terms_of<stepper>, model{f}, x0, t0, Method{}, settings);
  } else {
    constexpr loop_kind kind = kind_of<stepper>;
    static_assert(is_compiled<kind>, "ensue: no method needed such a loop before: add its kind to src/registry/erased_loops.hpp and .cpp");
    if (settings.divide == division::automatic) settings.divide = stepper::divides_evenly ? division::even : division::shorten_last;
    return make_over_loop<kind>(info, dense_terms_of<stepper>, f, x0, t0, {make_stepper<Method, model>, settings.threads}, settings);
  }
}

template <class Method>
std::unique_ptr<any_integrator> make_integrator(system_function f, std::span<const double> x0, double t0,
                                                const options<std::span<double>>& settings) {
  if (const std::string why = refusal(registered<Method>::info, f.force(), f.mass().has_value()); !why.empty())
    throw std::invalid_argument("ensue: " + why);
  if (f.force() == force_of::position || f.force() == force_of::velocity) require_halves(x0.size());
  if constexpr (keeps_small_states_in_registers<Method>)
    if (settings.rtol.fits(x0.size()) && settings.atol.fits(x0.size())) {
      switch (x0.size()) {
        case 2: return make_in_registers<Method, 2>(f, x0, t0, settings);
        case 3: return make_in_registers<Method, 3>(f, x0, t0, settings);
        case 4: return make_in_registers<Method, 4>(f, x0, t0, settings);
        default: break;
      }
    }
  if constexpr (requires { typename Method::condensed; })
    if (f.forces() && settings.step > 0) return make_over_span<typename Method::condensed, Method>(f, x0, t0, settings);
  return make_over_span<Method>(f, x0, t0, settings);
}

/// What the driver does (methods/explicit/driver.hpp). k₁ is computed once at the start and once after a restart; from then on it comes
/// from the step before, if that computes f at its own end. Otherwise it is the first evaluation of the step itself, which a
/// rejected attempt leaves to the next one.
template <class Table> constexpr evaluation_formula evaluations_of(const Table& table, int dense) {
  constexpr int stages = Table::stages, choice = Table::embedded_rows > 0 ? 1 : 0;
  switch (table.end()) {
    case end_derivative::last_stage: return {1, stages - 1, stages - 1, 1, choice, dense};
    case end_derivative::after_accept: return {1, stages, stages - 1, 1, choice, dense};
    case end_derivative::next_step: break;
  }
  return {0, stages, stages - 1, 0, choice, dense};
}

template <int Rows> struct order_list {
  int orders[Rows > 0 ? Rows : 1] = {};
  constexpr std::span<const int> span() const { return {orders, static_cast<std::size_t>(Rows)}; }
};

template <class Table> constexpr auto embedded_orders_of(const Table& table) {
  order_list<Table::embedded_rows> list;
  for (int row = 0; row < Table::embedded_rows; ++row) list.orders[row] = table.embedded[row].order;
  return list;
}
template <class Method> inline constexpr auto embedded_orders = embedded_orders_of(Method::table);

template <has_explicit_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = explicit_stepper<Method, std::span<double>>;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = system_needed::any,
          .order = table.order,
          .embedded_orders = embedded_orders<Method>.span(),
          .stages = table.stages,
          .evaluations = evaluations_of(table, stepper::extra_stages_of_dense),
          .fsal = table.fsal(),
          .adaptive = table.embedded_rows > 0,
          .dense_order = stepper::dense_order,
          .real_stability = real_stability_interval(table),
          .imaginary_stability = imaginary_stability_interval(table),
          .make = make_integrator<Method>};
}

/// What the driver does (methods/second_order/splitting_driver.hpp).
template <has_splitting_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = stepper_of<Method, std::span<double>>;
  constexpr bool known = table.ends_with_kick();
  constexpr int kicks = table.kicks;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = {},
          .stages = kicks,
          .evaluations = known ? evaluation_formula{1, kicks - 1, 0, 1, 0, 0} : evaluation_formula{0, kicks, 0, 0, 0, 0},
          .fsal = known,
          .adaptive = false,
          .dense_order = stepper::dense_order,
          .real_stability = 0,
          .imaginary_stability = imaginary_stability_interval(table),
          .symplectic = stepper::symplectic,
          .symmetric = stepper::symmetric,
          .leaves_the_step = table.leaves_the_step(),
          .sets_pace = requires { stepper::sets_pace; },
          .make = make_integrator<Method>};
}

template <class Method> inline constexpr int nystrom_embedded_orders[1] = {Method::table.embedded.order};

/// What the driver does (methods/second_order/nystrom_driver.hpp): as that of explicit methods.
template <has_nystrom_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = nystrom_stepper<Method, std::span<double>>;
  constexpr int stages = table.stages, known = table.ends_with_stage() ? 1 : 0;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = nystrom_embedded_orders<Method>,
          .stages = stages,
          .evaluations = {known, stages - known, stages - 1, known, 1, 0},
          .fsal = known == 1,
          .adaptive = true,
          .dense_order = stepper::dense_order,
          .real_stability = 0,
          .imaginary_stability = imaginary_stability_interval(table),
          .make = make_integrator<Method>};
}

/// What the driver does (methods/implicit/gauss_driver.hpp): f at the start, and sweeps over the stages, of which one may be enough.
template <has_collocation_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = gauss_stepper<Method, std::span<double>>;
  constexpr int stages = table.stages;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = {},
          .stages = stages,
          .evaluations = {0, 1 + stages, 0, 0, 0, 0, true},
          .fsal = false,
          .adaptive = false,
          .dense_order = stepper::dense_order,
          .real_stability = solvable_interval(table, false),
          .imaginary_stability = solvable_interval(table, true),
          .symplectic = table.symplectic(),
          .symmetric = table.symmetric(),
          .make = make_integrator<Method>};
}

template <class Method> inline constexpr int rosenbrock_embedded_orders[1] = {Method::table.embedded_order};

/// What the driver does (methods/implicit/rosenbrock_driver.hpp): as that of explicit methods.
template <has_rosenbrock_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = stepper_of<Method, std::span<double>>;
  constexpr int stages = table.stages, known = table.fsal() ? 1 : 0, choice = table.embedded_order > 0 ? 1 : 0;
  constexpr double stable_to = is_a_stable(table) ? infinity<double> : 0;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = {rosenbrock_embedded_orders<Method>, static_cast<std::size_t>(choice)},
          .stages = stages,
          .evaluations = {known, stages - known, stages - 1, known, choice, 0, false, true},
          .fsal = known == 1,
          .adaptive = choice == 1,
          .dense_order = stepper::dense_order,
          .real_stability = stable_to,
          .imaginary_stability = stable_to,
          .l_stable = is_l_stable(table),
          .takes_mass_matrix = takes_mass_matrix<stepper>,
          .make = make_integrator<Method>};
}

template <class Method> inline constexpr int dirk_embedded_orders[1] = {Method::table.embedded_order};

/// What the driver does (methods/implicit/dirk_driver.hpp): each stage but the first is solved by iterations, of which one may be enough.
template <has_dirk_table Method> constexpr method_info describe() {
  constexpr const auto& table = Method::table;
  using stepper = stepper_of<Method, std::span<double>>;
  constexpr int solved = table.stages - 1;
  constexpr double stable_to = is_a_stable(table) ? infinity<double> : 0;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = stepper::order(),
          .embedded_orders = dirk_embedded_orders<Method>,
          .stages = table.stages,
          .evaluations = {1, solved, solved, 1, 1, 0, true, true},
          .fsal = true,
          .adaptive = true,
          .dense_order = stepper::dense_order,
          .real_stability = stable_to,
          .imaginary_stability = stable_to,
          .l_stable = is_l_stable(table),
          .make = make_integrator<Method>};
}

template <class Method> inline constexpr int own_embedded_orders[1] = {Method::properties.embedded_order};

/// A method that says itself what its stepper does (methods/implicit/own_properties.hpp).
template <describes_itself Method> constexpr method_info describe() {
  constexpr const own_properties& own = Method::properties;
  using stepper = stepper_of<Method, std::span<double>>;
  return {.name = Method::name,
          .citation = Method::citation,
          .needs = stepper::needs,
          .order = own.order,
          .embedded_orders = own_embedded_orders<Method>,
          .stages = own.stages,
          .evaluations = {own.start_evaluations, own.evaluations, own.evaluations - 1, own.start_evaluations, 1, 0, true, true},
          .fsal = own.start_evaluations > 0,
          .adaptive = true,
          .dense_order = stepper::dense_order,
          .real_stability = infinity<double>,
          .imaginary_stability = own.a_stable ? infinity<double> : 0,
          .l_stable = own.l_stable,
          .takes_mass_matrix = takes_mass_matrix<stepper>,
          .chooses_steps = true,
          .make = make_integrator<Method>};
}

}  // namespace ensue::detail

#include "registry/rotation_entry.hpp"

/// Variadic, because a type may have commas.
#define ENSUE_METHOD_ENTRY(...)                                                                                     \
  namespace ensue {                                                                                                 \
  template <> constinit const method_info detail::registered<__VA_ARGS__>::info = detail::describe<__VA_ARGS__>(); \
  }
