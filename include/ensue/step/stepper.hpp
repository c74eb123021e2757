/// From a method's name to the object that takes its steps: the method protocol.
///
/// A stepper for states of one type owns whatever history its method needs and offers:
///
///     needs, divides_evenly                                what it asks of a system; whether a fixed step should divide the span
///     name(), order(), may_estimate, has_estimate(), estimate_order(), real_stability()
///     stale(), restart(), forget(where), derivative(f, t, x)   k₁ = f(t, x), where it is not known
///     first_derivative(), whole_derivative(x)              what of it was computed; x'
///     evaluations_of_attempt()                             at most, k₁ not counted
///     keep_within(evaluations)                             where nobody knows before what an attempt costs: it fails where the run has spent so many
///     attempt(f, t, t_new, h, x, active, evaluations)      a step into candidate(); where f was defined
///     candidate_is_finite()
///     squared_error(x, h, measure)                         of the candidate, in units of the tolerance
///     confirms, confirm(f, t_new, accepted, evaluations)   whether it has a last word on an acceptable candidate, and it
///     accept(accepted, x)                                  installs it
///     pace(step), keep_pace(kept, step)                    of a method that varies a fixed step by itself: the next one's length; it was
///                                                          taken
///     compensate(x)                                        where it adds to a state: from now on sums lose nothing (compensation.hpp)
///     compensates(), attempt<false>, accept<false>         whether they do; for who knows that they do not (stepping_loop::is_plain)
///     dense_memory, make_dense(f, t, t_new, h, x, memory, evaluations), before(), dense_order
///                                                          the last accepted step as a curve (output/interpolant.hpp)
///     squared_stiffness_ratio(x, measure)                  (h·|λ|)² seen in it
///     mark_derivative()                                    marks the memory that `derivative` writes (unwritten.hpp)
///     bad_component(lane)                                  the first that is not finite in any derivative, or report::nowhere
///     fit(f)                                               where it differentiates: the form of f' is chosen and its memory taken
///     unsolved(lane)                                       where it has equations: whether an attempt failed for their sake
///     solves_linear_systems, failure()                     attempt gets all statistics; why the last one failed, or `finished`
///     solves_to_tolerance                                  attempt gets a pointer to the measure of errors as well; nullptr in a fixed step,
///     evaluations_of_fixed_step()                          which may cost more evaluations
///     chooses_steps, factor_after_accept(x, squared_error, h, measure, settings), factor_after_reject(squared_error, defined, settings)
///                                                          where it has a law of its own: the next step as a multiple of this one
///     takes_mass_matrix, linear(), begin_with(slope)       whether it solves M x' = f (model/mass_matrix.hpp); its linearization; where it
///                                                          asks for it, x' at the start, which is not f then
///     starts_anew                                          whether a restart forgets the step's length as well
///     exchange_lanes(where, other)                         all that is remembered, with another stepper's
///
/// Explicit Runge–Kutta methods get all of it from their table (methods/explicit/driver.hpp), and so do splitting methods
/// (methods/second_order/splitting_driver.hpp), Nyström pairs (methods/second_order/nystrom_driver.hpp), Gauss's methods
/// (methods/implicit/gauss_driver.hpp), Rosenbrock's (methods/implicit/rosenbrock_driver.hpp) and diagonally implicit ones (methods/implicit/dirk_driver.hpp). What the last
/// two need for their linear systems is much to compile: their methods, and not this header, include them.
/// Another family names its own stepper: `template <class State> using stepper = …;` inside the method's type.
#pragma once

#include <ensue/methods/explicit/driver.hpp>
#include <ensue/methods/implicit/gauss_driver.hpp>
#include <ensue/model/mass_matrix.hpp>
#include <ensue/methods/second_order/nystrom_driver.hpp>
#include <ensue/methods/second_order/splitting_driver.hpp>

namespace ensue {

namespace detail {
template <class Method, class State> struct choose_stepper {
  using type = typename Method::template stepper<State>;
};
template <has_explicit_table Method, class State> struct choose_stepper<Method, State> {
  using type = explicit_stepper<Method, State>;
};
template <has_splitting_table Method, class State>
  requires(!requires { typename Method::template stepper<State>; })
struct choose_stepper<Method, State> {
  using type = splitting_stepper<Method, State>;
};
template <has_nystrom_table Method, class State> struct choose_stepper<Method, State> {
  using type = nystrom_stepper<Method, State>;
};
template <has_collocation_table Method, class State> struct choose_stepper<Method, State> {
  using type = gauss_stepper<Method, State>;
};
}  // namespace detail

template <class Method, state State> using stepper_of = typename detail::choose_stepper<Method, State>::type;

/// Whether it solves M x' = f.
template <class Stepper>
concept takes_mass_matrix = requires { requires Stepper::takes_mass_matrix; };

/// Says in one line why a method does not take a system.
template <class Method, class System, class State> struct require_fit {
  static constexpr system_needed needed = stepper_of<Method, State>::needs;
  static constexpr bool known = is_system_of<System, State>, on_group = group_state<State>;
  static_assert(!known || is_for_groups(needed) || !on_group, "ensue: this method " ENSUE_NEEDS_NUMBERS);
  static_assert(!known || !is_for_groups(needed) || has_tangent<System, State> || has_inertia<System, State>,
                "ensue: this method " ENSUE_NEEDS_GROUP);
  static_assert(!known || needed != system_needed::inertia || has_inertia<System, State> || !has_tangent<System, State>,
                "ensue: this method " ENSUE_NEEDS_INERTIA);
  static_assert(!known || has_order_for(needed, force_in<System, State>), "ensue: this method " ENSUE_NEEDS_ACCELERATION);
  static_assert(!known || has_force_for(needed, force_in<System, State>), "ensue: this method " ENSUE_NEEDS_POSITION_FORCE);
  static_assert(!has_mass_matrix<System, State> || takes_mass_matrix<stepper_of<Method, State>> || requires(const System& s) { s.offers_mass_matrix(); },
                "ensue: this method " ENSUE_NEEDS_NO_MASS_MATRIX);
};

}  // namespace ensue
