/// Methods by name, at run time: what each of them is and costs, and an integrator made from its name.
///
///     const ensue::method_info* method = ensue::find_method("dp54");
///     auto sim = method->make([](double, auto x, auto dx) { dx[0] = -x[0]; }, x0, 0, {.rtol = 1e-8});
///     if (sim->advance_to(10) != ensue::outcome::finished) std::puts(sim->message().c_str());
///     draw(sim->state());
///
/// Compiled: link ensue::ensue. Everything said of a method is computed from its table, nothing is typed a second time; the
/// methods are those of methods.hpp, in that order.
#pragma once

#include <ensue/options.hpp>
#include <ensue/model/force_function.hpp>
#include <ensue/model/jacobian.hpp>
#include <ensue/model/jacobian_function.hpp>
#include <ensue/model/mass_function.hpp>
#include <ensue/outcome.hpp>
#include <ensue/methods/rotation/body_function.hpp>
#include <ensue/model/system.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ensue {

/// Any model behind one type: called as f(t, x, dx) or with a member `derivative(t, x, dx)`, where x is a
/// `std::span<const double>` and dx a `std::span<double>` of the same length. The rules are those of system.hpp: f is pure, may
/// return false where it is not defined, may throw. Or a model of second order, with a member `acceleration(t, q, a)` or
/// `acceleration(t, q, v, a)` over spans, and x = (q, v); where only a run shows whether the force depends on velocity, it has the second
/// one and a member `force()` that says so. Or a rigid body, with a member `inertia()` (methods/rotation/group.hpp), and x = (orientation, angular
/// momentum). A model's own `jacobian(t, x, J)` and `time_derivative(t, x, ft)` come along (model/jacobian.hpp): J is a
/// `linear::dense_matrix<double>`, or a banded or sparse one where it has a member that says so (methods/implicit/linearization.hpp). So do its
/// `mass_matrix(M)`, where equations have no derivative (model/mass_matrix.hpp), and the
/// masses and force blocks of particles (force_blocks.hpp): implicit Euler methods are condensed then.
///
/// A value: copies of it hold copies of the model (hand over `std::ref(f)` to share one). A call is a `std::function`'s:
/// one pointer to follow, about a nanosecond.
class system_function {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, system_function>)
  system_function(F&& f) : force_(force_in_model(f)) {
    using model = std::remove_cvref_t<F>;
    if constexpr (has_inertia<model, rotating_body<double>>) {
      body_ = body_function(f);
      function_ = *body_;
    } else {
      if constexpr (has_acceleration<model, std::span<double>>) acceleration_ = adapted_acceleration(f);
      if constexpr (has_force_blocks<model>) forces_.emplace(f);
      jacobian_ = jacobian_function(f);
      if constexpr (has_mass_matrix<model, std::span<double>>)
        if (detail::offers_mass_matrix<model, std::span<double>>(f)) mass_.emplace(f);
      if constexpr (is_autonomous<model>) time_derivative_ = no_change;
      else if constexpr (has_time_derivative<model, std::span<double>>) time_derivative_ = adapted_time_derivative(f);
      function_ = adapted(std::forward<F>(f));
    }
  }

  bool operator()(double t, std::span<const double> x, std::span<double> dx) const { return function_(t, x, dx); }

  /// Of a second-order model.
  force_of force() const { return force_; }
  bool accelerate(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) const {
    return acceleration_(t, q, v, a);
  }
  /// f' and ∂f/∂t, where the model has them.
  const jacobian_function& jacobian() const { return jacobian_; }
  bool offers_time_derivative() const { return static_cast<bool>(time_derivative_); }
  bool time_derivative(double t, std::span<const double> x, std::span<double> ft) const { return time_derivative_(t, x, ft); }

  /// M of M x' = f, where the model has one.
  const std::optional<mass_function>& mass() const { return mass_; }

  /// Of a rigid body.
  const std::optional<body_function>& body() const { return body_; }
  /// Of particles with force blocks.
  const std::optional<force_function>& forces() const { return forces_; }

 private:
  template <class F> static force_of force_in_model(const F& f) {
    if constexpr (has_inertia<F, rotating_body<double>>) return force_of::rotation;
    else if constexpr (requires { { f.force() } -> std::same_as<force_of>; }) return f.force();
    else return force_in<F, std::span<double>>;
  }

  template <class F> static auto adapted_acceleration(const F& model) {
    return [f = model](double t, std::span<const double> q, std::span<const double> v, std::span<double> a) mutable {
      return ensue::accelerate<std::span<double>>(f, t, q.data(), v.data(), a.data(), q.size());
    };
  }

  /// (A model's copies are its own, as those of f: hand over `std::ref(f)` and they are one.)
  template <class F> static auto adapted_time_derivative(const F& model) {
    return [f = model](double t, std::span<const double> x, std::span<double> ft) mutable {
      return ensue::detail::defined_by<bool>([&] { return f.time_derivative(t, only_read(x), ft); });
    };
  }
  static bool no_change(double, std::span<const double>, std::span<double> ft) {
    std::fill(ft.begin(), ft.end(), 0.);
    return true;
  }
  /// As solvers with states of this type hand it over.
  static std::span<double> only_read(std::span<const double> x) { return {const_cast<double*>(x.data()), x.size()}; }

  template <class F> static auto adapted(F&& model) {
    return [f = std::forward<F>(model)](double t, std::span<const double> x, std::span<double> dx) mutable -> bool {
      constexpr bool has_member = requires { f.derivative(t, x, dx); };
      constexpr bool is_called = requires { f(t, x, dx); };
      constexpr bool accelerates = has_acceleration<std::remove_cvref_t<F>, std::span<double>>;
      static_assert(has_member || is_called || accelerates,
                    "ensue: a system is called as f(t, x, dx): double, std::span<const double>, std::span<double>");
      return ensue::detail::defined_by<bool>([&] {
        if constexpr (has_member) {
          return f.derivative(t, x, dx);
        } else if constexpr (is_called) {
          return f(t, x, dx);
        } else if constexpr (accelerates) {
          const std::size_t n = x.size() / 2;
          std::copy_n(x.data() + n, n, dx.data());
          return ensue::accelerate<std::span<double>>(f, t, x.data(), x.data() + n, dx.data() + n, n);
        }
      });
    };
  }

  std::function<bool(double, std::span<const double>, std::span<double>)> function_;
  std::function<bool(double, std::span<const double>, std::span<const double>, std::span<double>)> acceleration_;
  jacobian_function jacobian_;
  std::function<bool(double, std::span<const double>, std::span<double>)> time_derivative_;
  std::optional<mass_function> mass_;
  std::optional<body_function> body_;
  std::optional<force_function> forces_;
  force_of force_;
};

/// Evaluations of f, exactly: those of a run are
///
///     start + accepted·(accepted steps) + rejected·(rejected ones) + restart·(changes of the state between steps)
///           + first_step_choice, where the run is adaptive and `options::first_step` is not given
///           + dense·(steps whose inside is asked for: by `interpolate` or an observer)
///           + (n + 1)·(Jacobians), where the method `differentiates` and the model of n components has no f' of its own; 1 of these
///             is for ∂f/∂t. (Fewer than n where the pattern of f' is known: as many as groups of columns that share no row. One or two more
///             where a component is so small beside others that a second width is tried: model/jacobian.hpp.) A Jacobian
///             is made once an accepted step, at its start; a method that iterates makes it when the one it has no longer serves.
///
/// A rejected step costs less where f said in the middle of it that it is not defined. `interpolate` may make the evaluation
/// early that the next step would have made. Where a step's equations are solved by iteration, it is f that decides how often: then
/// `accepted` is the least that a step can cost, and no number of steps says what a run does.
struct evaluation_formula {
  int start = 0;
  int accepted = 0;
  int rejected = 0;
  int restart = 0;
  int first_step_choice = 0;
  int dense = 0;
  bool iterates = false;
  bool differentiates = false;

  friend constexpr bool operator==(const evaluation_formula&, const evaluation_formula&) = default;
};

struct method_info;

/// An `integrator` (integrator.hpp) whose method was chosen at run time, over doubles in memory of its own. Its results are those
/// of the C++ type, bit for bit. Nothing is allocated after it was made, but in `snapshot`, `message` and the first `interpolate`.
class any_integrator {
 public:
  virtual ~any_integrator() = default;
  any_integrator(const any_integrator&) = delete;
  any_integrator& operator=(const any_integrator&) = delete;

  /// To time t exactly, forwards or backwards. Returns how it ended.
  virtual outcome advance_to(double t) = 0;
  /// By dt; n equal advances end at start + n·dt rounded once.
  virtual outcome advance(double dt) = 0;
  /// One accepted step: the fixed one, or what the error allows.
  virtual outcome step(bool backwards = false) = 0;
  /// One accepted step that ends at t or before it.
  virtual outcome step_towards(double t) = 0;

  virtual double time() const = 0;
  /// Valid until the next call that is not const.
  virtual std::span<const double> state() const = 0;

  /// Goes on from another state, or another time as well. Throws std::length_error if x has another length than the state.
  virtual void set_state(std::span<const double> x) = 0;
  virtual void set_state(double t, std::span<const double> x) = 0;

  /// The state at a time inside the last accepted step, to `info().dense_order`. Throws std::length_error as above.
  virtual void interpolate(double t, std::span<double> out) = 0;
  /// Holds steps to the tolerance between their ends as well; whether it did so before.
  virtual bool control_between_steps(bool on) = 0;

  /// The interpolant of the last accepted step: the terms of output/interpolant.hpp. Valid until the next call that is not const.
  virtual std::size_t dense_terms() const = 0;
  virtual const double* dense_term(std::size_t m) = 0;

  /// f at the present time and state. Valid until the next call that is not const.
  virtual std::span<const double> derivative() = 0;
  /// The present state in memory of its own.
  virtual viewed_buffer<std::span<double>> snapshot() const = 0;
  /// For observers (output/): the run is over, because of an event.
  virtual void end_with(outcome how, int event) = 0;

  virtual const run_statistics<std::int64_t>& statistics() const = 0;
  /// How the last advance ended, and the sentence that says it.
  virtual const report& ending() const = 0;
  virtual std::string message() const = 0;

  virtual const method_info& info() const = 0;

 protected:
  any_integrator() = default;
};

/// What there is to know of a method.
struct method_info {
  std::string_view name;
  std::string_view citation;
  system_needed needs;  ///< of a system; `refusal` says whether one fits
  int order;
  std::span<const int> embedded_orders;  ///< of the solutions that its error estimate compares with; empty: no estimate
  int stages;  ///< or kicks of a splitting method
  evaluation_formula evaluations;
  bool fsal;                   ///< the last stage of a step is the first of the next
  bool adaptive;               ///< has an error estimate; without one, steps are fixed
  int dense_order;             ///< of `interpolate`
  double real_stability;       ///< x' = λx, λ < 0, is stable for h|λ| up to this; where it iterates: can be solved
  double imaginary_stability;  ///< x' = iωx, for h|ω| up to this
  bool symplectic = false;       ///< for Hamiltonian systems that it takes
  bool symmetric = false;        ///< a step back undoes a step
  bool leaves_the_step = false;  ///< asks for f at times outside of it
  bool sets_pace = false;        ///< varies a fixed step by itself
  bool l_stable = false;         ///< stable for every λ to the left, and what is infinitely stiff is gone after a step
  bool takes_mass_matrix = false;  ///< M x' = f, M singular or not (model/mass_matrix.hpp)
  bool chooses_steps = false;    ///< by a law of its own: of `options::control` only the factors' limits and `safety` count

  /// An integrator at time t0 and a copy of x0. Throws std::invalid_argument with the refusal where the method does not take f.
  std::unique_ptr<any_integrator> (*make)(system_function f, std::span<const double> x0, double t0,
                                          const options<std::span<double>>& settings);

  /// The first of `embedded_orders`, 0 if there is none.
  constexpr int embedded_order() const { return embedded_orders.empty() ? 0 : embedded_orders.front(); }
};

/// Why a method does not take a system with such a force, and a mass matrix; empty if it does.
std::string refusal(const method_info& method, force_of force, bool has_mass_matrix = false);

/// Every method, in the order of methods.hpp.
std::span<const method_info* const> all_methods() noexcept;

/// Whether two names are one: '-' and '_' are the same.
bool same_method_name(std::string_view a, std::string_view b) noexcept;

/// The method of that name; nullptr if there is none.
const method_info* find_method(std::string_view name) noexcept;

/// The method whose name is the fewest mistypings away (a letter too many, too few, wrong, or two exchanged); nullptr if none
/// is near.
const method_info* nearest_method(std::string_view name);

/// What to tell somebody who asked for a method that is not there: "there is no method 'dp45'; did you mean 'dp54'?"
std::string no_such_method(std::string_view name);

}  // namespace ensue
