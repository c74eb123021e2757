/// One method's entry in the registry. Each is instantiated in a translation unit of its own (cmake/method.cpp.in).
#pragma once

#include <ensue/control/spread_options.hpp>
#include <ensue/methods/explicit/stability.hpp>
#include <ensue/methods/implicit/dirk.hpp>
#include <ensue/methods/implicit/own_properties.hpp>
#include <ensue/methods/implicit/rosenbrock.hpp>
#include <ensue/integrator.hpp>
#include <ensue/registry.hpp>

#include <algorithm>
#include <stdexcept>

namespace ensue {
struct dp54;
}

namespace ensue::detail {

/// `info` is defined by ENSUE_METHOD_ENTRY.
template <class Method> struct registered {
  static const method_info info;
};

/// A model as the methods of one kind want it.
template <system_needed> struct model_for {
  system_function f;
  bool operator()(double t, std::span<const double> x, std::span<double> dx) const { return f(t, x, dx); }

  template <class Matrix> bool offers_jacobian_in() const { return f.jacobian().offers<Matrix>(); }
  template <class Matrix> bool jacobian(double t, std::span<const double> x, Matrix& j) const { return f.jacobian()(t, x, j); }
  linear::sparsity_pattern jacobian_pattern() const { return f.jacobian().pattern(); }
  std::optional<linear::bandwidth> jacobian_bandwidth() const { return f.jacobian().bandwidth(); }
  bool offers_time_derivative() const { return f.offers_time_derivative(); }
  bool time_derivative(double t, std::span<const double> x, std::span<double> ft) const { return f.time_derivative(t, x, ft); }
  bool offers_mass_matrix() const { return f.mass().has_value(); }
  template <class Matrix> void mass_matrix(Matrix& m) const { (*f.mass())(m); }
  linear::sparsity_pattern mass_pattern() const { return f.mass() ? f.mass()->pattern() : linear::sparsity_pattern(); }
};
template <> struct model_for<system_needed::acceleration> {
  system_function f;
  bool acceleration(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) const {
    return f.accelerate(t, q, v, a);
  }

  // of particles
  std::size_t particles() const { return f.forces()->particles(); }
  double mass(std::size_t i) const { return f.forces()->mass(i); }
  bool varies_in_time() const { return f.forces()->varies_in_time(); }
  void constrain(linear::constraint_filter<double>& filter) const { f.forces()->constrain(filter); }
  template <class Receiver>
  void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    f.forces()->blocks(t, q, v, how, out);
  }
};
template <> struct model_for<system_needed::position_force> {
  system_function f;
  bool acceleration(double t, std::span<const double> q, std::span<double> a) const { return f.accelerate(t, q, q, a); }
};

/// A state as a loop has it: a view, or so many numbers.
inline std::span<double> viewed(std::span<const double> x) {
  // A state's elements can be written, by its concept; those of a start are copied and never are.
  return {const_cast<double*>(x.data()), x.size()};
}
template <class State> State state_from(std::span<const double> x) {
  if constexpr (extent_of<State> == 0) return viewed(x);
  else {
    State copy;
    std::copy_n(x.data(), copy.size(), copy.data());
    return copy;
  }
}

template <class State> options<State> settings_for(const options<std::span<double>>& from, std::size_t size) {
  if constexpr (extent_of<State> == 0) return from;
  else return spread_options<State>(from, size);
}

/// `Listed` is the method's entry.
template <class Method, class Listed = Method, class State = std::span<double>> class registered_integrator final : public any_integrator {
 public:
  using model = model_for<stepper_of<Method, State>::needs>;

  registered_integrator(const system_function& f, std::span<const double> x0, double t0, const options<std::span<double>>& settings)
      : integrator_(problem<model, State>{{f}, state_from<State>(x0), {t0, t0}}, method_with(settings),
                    settings_for<State>(settings, x0.size())) {}

  outcome advance_to(double t) override { return integrator_.advance_to(t); }
  outcome advance(double dt) override { return integrator_.advance(dt); }
  outcome step(bool backwards) override { return integrator_.step(backwards); }
  outcome step_towards(double t) override { return integrator_.step_towards(t); }
  double time() const override { return integrator_.time(); }
  std::span<const double> state() const override { return {integrator_.state().data(), integrator_.state().size()}; }
  void set_state(std::span<const double> x) override { set_state(time(), x); }
  void set_state(double t, std::span<const double> x) override {
    require_length(x.size());
    integrator_.set_state(t, state_from<State>(x));
  }
  void interpolate(double t, std::span<double> out) override {
    require_length(out.size());
    if constexpr (extent_of<State> == 0) {
      integrator_.interpolate(t, out);
    } else {
      State there;
      integrator_.interpolate(t, there);
      std::copy_n(there.data(), there.size(), out.data());
    }
  }
  bool control_between_steps(bool on) override { return integrator_.control_between_steps(on); }
  std::size_t dense_terms() const override { return integrator_.dense_terms(); }
  const double* dense_term(std::size_t m) override { return integrator_.dense_term(m); }
  std::span<const double> derivative() override {
    const auto& now = integrator_.derivative();
    return {now.data(), now.size()};
  }
  viewed_buffer<std::span<double>> snapshot() const override { return viewed(state()); }
  void end_with(outcome how, int event) override { integrator_.end_with(how, event); }
  const run_statistics<std::int64_t>& statistics() const override { return integrator_.statistics(); }
  const report& ending() const override { return integrator_.ending(); }
  std::string message() const override { return integrator_.message(); }
  const method_info& info() const override { return registered<Listed>::info; }

 private:
  static Method method_with(const options<std::span<double>>& settings) {
    Method method;
    if constexpr (requires { method.threads; }) method.threads = settings.threads;
    return method;
  }

  void require_length(std::size_t length) const {
    if (length != state().size())
      throw std::length_error("ensue: " + std::to_string(length) + " numbers for a state of " +
                              std::to_string(state().size()));
  }

  integrator<model, State, Method> integrator_;
};

/// The method that problems without one get has loops of its own for small states: in registers a step takes half the time, but each such loop
/// takes a compiler seconds.
template <class Method> inline constexpr bool keeps_small_states_in_registers = false;
template <> inline constexpr bool keeps_small_states_in_registers<dp54> = true;

template <class Method>
std::unique_ptr<any_integrator> make_integrator(system_function f, std::span<const double> x0, double t0,
                                                const options<std::span<double>>& settings) {
  if (const std::string why = refusal(registered<Method>::info, f.force(), f.mass().has_value()); !why.empty())
    throw std::invalid_argument("ensue: " + why);
  if (f.force() == force_of::position || f.force() == force_of::velocity) require_halves(x0.size());
  if constexpr (keeps_small_states_in_registers<Method>)
    if (settings.rtol.fits(x0.size()) && settings.atol.fits(x0.size())) {
      switch (x0.size()) {
        case 2: return std::make_unique<registered_integrator<Method, Method, vec<double, 2>>>(f, x0, t0, settings);
        case 3: return std::make_unique<registered_integrator<Method, Method, vec<double, 3>>>(f, x0, t0, settings);
        case 4: return std::make_unique<registered_integrator<Method, Method, vec<double, 4>>>(f, x0, t0, settings);
        default: break;
      }
    }
  if constexpr (requires { typename Method::condensed; })
    if (f.forces() && settings.step > 0) return std::make_unique<registered_integrator<typename Method::condensed, Method>>(f, x0, t0, settings);
  return std::make_unique<registered_integrator<Method>>(f, x0, t0, settings);
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
