/// What a caller may say about a run. Everything has a default; name what you change:
///
///     {.rtol = 1e-8, .atol = 1e-10, .max_evaluations = 10'000}
#pragma once

#include <ensue/control/budget.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/control/tolerance.hpp>
#include <ensue/numbers/state.hpp>

#include <atomic>

namespace ensue {

/// How a fixed step meets a span that it does not divide.
enum class division : unsigned char {
  automatic,     ///< as the method would have it: symplectic ones evenly, because they live from equal steps
  shorten_last,  ///< every step is the one asked for, but the last
  even           ///< the span is divided evenly by the nearest count
};

template <state S> struct options {
  using real = real_type<S>;
  static constexpr bool is_float = std::is_same_v<base_of<real>, float>;

  tolerance<S> rtol = is_float ? 1e-4 : 1e-6;
  tolerance<S> atol = is_float ? 1e-6 : 1e-9;
  error_norm<real> norm = {};
  step_size_settings control = {};

  /// A fixed step: given, there is no error control. 0: the error chooses, or, for a method without an error estimate, each
  /// `advance` of an integrator is one step.
  real step = real(0);
  division divide = division::automatic;

  real first_step = real(0);  ///< 0: chosen from f (Hairer, Nørsett & Wanner I, II.4), at the cost of one evaluation
  real max_step = real(infinity<real>);
  real min_step = real(0);  ///< in units of time
  at_min_step when_too_small = at_min_step::end_the_run;
  std::int64_t max_evaluations = default_max_evaluations;  ///< a trajectory; never exceeded

  /// Steps that the error chooses are held to the tolerance between their ends, too, where the method's own control does not do that. Observers that
  /// look there switch it on (output/observe.hpp); set it for your own calls of `interpolate`.
  bool between_steps = false;

  bool compensated = false;  ///< what rounding takes from the state's sums is carried along (compensation.hpp): for long runs; not on a GPU

  /// Of methods whose one step is work for several, as condensed ones for particles are (methods/implicit/condensed.hpp), chosen by name. 0: as many as the machine
  /// has. The answer does not depend on it.
  unsigned threads = 1;

  /// Of a model with algebraic equations (model/mass_matrix.hpp): a start that does not solve them is changed, M x as it is, until it does.
  /// Otherwise it ends the run.
  bool find_consistent_start = false;

  const std::atomic<bool>* cancel = nullptr;  ///< set to true from outside, the run ends with what it has reached
};

}  // namespace ensue
