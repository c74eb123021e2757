/// What a model offers: f(t, x, dx), as a plain call or as a member `derivative`; or, for mechanics, a member `acceleration`.
///
///     [](double t, const auto& x, auto& dx) { dx[0] = -x[0]; }
///     struct decay { double k; void derivative(double, const vec<double, 1>& x, vec<double, 1>& dx) const; };
///     struct spring { double k; void acceleration(double, const vec<double, 1>& q, vec<double, 1>& a) const; };
///     struct damped { double k, c; void acceleration(double, const auto& q, const auto& v, auto& a) const; };
///
/// The state of a model with accelerations is x = (q, v): the positions, then as many velocities. It sees their halves as
/// `vec<T, n>` where the state's type fixes the length, as std::span otherwise. Every method takes it; those of second_order/ take
/// nothing else, and some of them only a force that has no v among its arguments.
///
/// A model of rotations has a member `tangent(t, x, w)`, or `inertia()` and, where there is one, `torque(t, orientation, n)`; its state is on a
/// group (methods/rotation/group.hpp), and the methods of rotation/ take it.
///
/// f is pure: solvers call it in any order, at states of their choosing, and discard results. It writes every element of dx, which
/// it takes by reference or as a view. A copy does not compile, and an element that is not written ends the run before its first
/// step (unwritten.hpp). f may return bool (a mask for packs): false means that f is undefined here, and an adaptive solver
/// retries a smaller step. An exception reaches the caller, and the solver's time and state are those before the step.
#pragma once

#include <ensue/model/by_value.hpp>
#include <ensue/numbers/config.hpp>
#include <ensue/methods/rotation/group.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <span>
#include <stdexcept>

namespace ensue {

namespace detail {
template <class T, std::size_t N> struct half_seen {
  using read = vec<T, N>;
  using written = vec<T, N>;
};
template <class T> struct half_seen<T, 0> {
  using read = std::span<const T>;
  using written = std::span<T>;
};
template <class S> using half_seen_of = half_seen<element_of<S>, extent_of<S> / 2>;
template <class S> using half_read = typename half_seen_of<S>::read;
template <class S> using half_written = typename half_seen_of<S>::written;
}  // namespace detail

/// A second-order system whose force comes from the positions alone.
template <class F, class S>
concept has_position_force = requires(F& f, const real_type<S>& t, const detail::half_read<S>& q, detail::half_written<S>& a) {
  f.acceleration(t, q, a);
};

/// A second-order system with damping, drag or another force that depends on velocity.
template <class F, class S>
concept has_velocity_force =
    requires(F& f, const real_type<S>& t, const detail::half_read<S>& q, detail::half_written<S>& a) { f.acceleration(t, q, q, a); };

template <class F, class S>
concept has_acceleration = has_position_force<F, S> || has_velocity_force<F, S>;

template <class F, class S>
concept has_derivative = requires(F& f, const real_type<S>& t, const S& x, S& dx) { f.derivative(t, x, dx); };

/// What a system that is no type with a `derivative` has to be. (A variable with a telling name: where f is a lambda whose body
/// does not fit, the compiler says little more than which name it was working on.)
template <class F, class S>
inline constexpr bool is_called_as_f_of_t_x_dx = requires(F& f, const real_type<S>& t, const S& x, S& dx) { f(t, x, dx); };

/// A system over states of type S.
template <class F, class S>
inline constexpr bool is_system_of =
    has_derivative<F, S> || has_acceleration<F, S> || has_tangent<F, S> || has_inertia<F, S> || is_called_as_f_of_t_x_dx<F, S>;

/// What the force of a system depends on; of a first-order system: that there is none; of a rigid body: that it is one.
enum class force_of : unsigned char { none, position, velocity, rotation };

template <class F, class S>
inline constexpr force_of force_in = has_position_force<F, S>   ? force_of::position
                                     : has_velocity_force<F, S> ? force_of::velocity
                                                                : force_of::none;

/// What a method asks of a system.
enum class system_needed : unsigned char {
  any,             ///< f(t, x, dx), which every system has
  acceleration,    ///< a second-order system
  position_force,  ///< one whose force does not depend on velocity
  tangent,         ///< a system on a group, of rotations for one
  inertia,         ///< a rigid body
};

constexpr bool is_for_groups(system_needed needed) { return needed == system_needed::tangent || needed == system_needed::inertia; }
constexpr bool has_order_for(system_needed needed, force_of force) {
  return needed == system_needed::any || is_for_groups(needed) || force == force_of::position || force == force_of::velocity;
}
constexpr bool has_force_for(system_needed needed, force_of force) {
  return needed != system_needed::position_force || force != force_of::velocity;
}

constexpr bool has_group_for(system_needed needed, force_of force) { return !is_for_groups(needed) || force == force_of::rotation; }

/// What to say where a method and a system do not fit, to a compiler and at run time.
#define ENSUE_NEEDS_ACCELERATION                                                                                         \
  "is for second-order systems and needs a model with accelerations (C++: a member acceleration(t, q, a) or "            \
  "acceleration(t, q, v, a); problem file: [position], [velocity], [acceleration]); every first-order method takes this one"
#define ENSUE_NEEDS_POSITION_FORCE                                                                                            \
  "needs a force that depends on positions alone, and this one depends on velocity: semi-implicit-euler takes it, and every " \
  "first-order method (dp54, vern9, …); lagged(verlet) and predicted(verlet) take Verlet's steps nevertheless, with order 1 and 2"

#define ENSUE_NEEDS_GROUP                                                                                                      \
  "is for rotations and needs a state on a group, such as ensue::quaternion or ensue::rotating_body, and a model with a member " \
  "tangent(t, x, w), or inertia() of a rigid body; every first-order method takes this one"
#define ENSUE_NEEDS_INERTIA                                                                                                \
  "is for rigid bodies and needs a model with a member inertia() and, where a torque acts, torque(t, orientation, n): lie-euler " \
  "and rkmk4 take any other motion on a group"
#define ENSUE_NEEDS_NUMBERS                                                                                             \
  "adds multiples of derivatives, and this state is a rotation, which would leave its group: lie-euler and rkmk4 take it, and " \
  "where it is a rigid body free-rotation, rotation-splitting, moser-veselov and moser-veselov4"

#define ENSUE_NEEDS_HALVES "the state of a model with accelerations is its positions, then as many velocities: its length has to be even"

#define ENSUE_WRITES_A_COPY \
  " by value, so that what the model writes is lost with the copy: take it by reference, as in auto& (a view such as std::span may be taken by value)"

namespace detail {
/// Whether what is asked of a system is written by it to a copy.
template <class F, class S> consteval bool writes_copy_of_derivative() {
  using model = typename model_behind<F>::type;
  using real = real_type<S>;
  using mask = mask_type<S>;
#if defined(__CUDACC__)  // the host's compiler asks
  return false;
#else
  if constexpr (group_state<S>) {
    if constexpr (has_tangent<F, S>) return tangent_takes_by_value<model, typename S::tangent, mask, real, S>();
    else return false;
  } else if constexpr (has_derivative<F, S>) return derivative_takes_by_value<model, S, mask, real, S>();
  else if constexpr (has_position_force<F, S>) return acceleration_takes_by_value<model, half_written<S>, mask, real, half_read<S>>();
  else if constexpr (has_velocity_force<F, S>) return acceleration_takes_by_value<model, half_written<S>, mask, real, half_read<S>, half_read<S>>();
  else if constexpr (is_called_as_f_of_t_x_dx<F, S>) return takes_derivative_by_value<F, S>();
  else return false;
#endif
}
}  // namespace detail

/// Says in one line what a system has to be. (A constraint on a function would say it in thirty.)
template <class F, class S> struct require_system {
  static_assert(is_system_of<F, S>,
                "ensue: a system is called as f(t, x, dx): the time, the state (const), the derivative to be written; or it has a member "
                "acceleration(t, q, a) or acceleration(t, q, v, a)");
  static_assert(!has_acceleration<F, S> || extent_of<S> % 2 == 0, "ensue: " ENSUE_NEEDS_HALVES);
  static_assert(!detail::writes_copy_of_derivative<F, S>(), "ensue: this system takes its last argument, dx or a," ENSUE_WRITES_A_COPY);
};
/// The same of a length that only a run shows.
inline void require_halves(std::size_t size) {
  if (size % 2 != 0) throw std::length_error("ensue: " ENSUE_NEEDS_HALVES);
}

namespace detail {
/// What a call of the model says: where it is defined.
template <class Mask, class Call> ENSUE_HD ENSUE_INLINE Mask defined_by(Call call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return Mask(true);
  } else {
    return Mask(call());
  }
}

template <class F, class S, class V>
ENSUE_HD ENSUE_INLINE mask_type<S> call_acceleration(F& f, const real_type<S>& t, const half_read<S>& q, const V& v, half_written<S>& a) {
  return defined_by<mask_type<S>>([&]() ENSUE_INLINE_LAMBDA {
    if constexpr (has_position_force<F, S>) return f.acceleration(t, q, a);
    else if constexpr (has_velocity_force<F, S>) return f.acceleration(t, q, v, a);  // or it was said already
  });
}

template <class S> ENSUE_COLD void refuse_resized(S& dx, std::size_t size) {
  if constexpr (requires { dx.resize(size); }) dx.resize(size);
  throw std::length_error("ensue: f(t, x, dx) changed the length of dx; it has to stay that of x");
}
}  // namespace detail

/// a = the acceleration at positions q and velocities v, n of each. Returns where it is defined. State says how the model sees them.
template <class State, class F>
ENSUE_HD ENSUE_INLINE mask_type<State> accelerate(F& f, const real_type<State>& t, const element_of<State>* q, const element_of<State>* v,
                                                  element_of<State>* a, std::size_t n) {
  if constexpr (constexpr std::size_t fixed = extent_of<State> / 2; fixed > 0) {
    // Copies, which a compiler sees through: a half of a vec is no vec.
    detail::half_read<State> at, speed, result;
    for (std::size_t i = 0; i < fixed; ++i) at[i] = q[i], speed[i] = v[i], result[i] = a[i];  // what is not written stays
    const mask_type<State> defined = detail::call_acceleration<F, State>(f, t, at, speed, result);
    for (std::size_t i = 0; i < fixed; ++i) a[i] = result[i];
    return defined;
  } else {
    using T = element_of<State>;
    std::span<T> result(a, n);
    return detail::call_acceleration<F, State>(f, t, std::span<const T>(q, n), std::span<const T>(v, n), result);
  }
}

/// Whether f has nothing to say about where it is defined.
template <class F, class Storage> inline constexpr bool is_defined_everywhere = [] {
  using seen = std::remove_cvref_t<decltype(as_argument(std::declval<Storage&>()))>;
  using real = real_of<element_of<Storage>>;
  if constexpr (!is_system_of<F, seen>) {
    return true;  // said already
  } else if constexpr (has_derivative<F, seen>) {
    return std::is_void_v<decltype(std::declval<F&>().derivative(std::declval<const real&>(), as_argument(std::declval<const Storage&>()), as_argument(std::declval<Storage&>())))>;
  } else if constexpr (has_acceleration<F, seen>) {
    return false;
  } else {
    return std::is_void_v<decltype(std::declval<F&>()(std::declval<const real&>(), as_argument(std::declval<const Storage&>()), as_argument(std::declval<Storage&>())))>;
  }
}();

/// dx = f(t, x). Returns where f is defined.
template <class F, class Storage>
ENSUE_HD ENSUE_INLINE mask_of<element_of<Storage>> evaluate(F& f, const real_of<element_of<Storage>>& t, const Storage& x,
                                                            Storage& dx) {
  using mask = mask_of<element_of<Storage>>;
  using seen = std::remove_cvref_t<decltype(as_argument(dx))>;
  mask defined(true);
  if constexpr (!is_system_of<F, seen> || group_state<seen>) {
    // said already
  } else if constexpr (has_derivative<F, seen>) {
    defined = detail::defined_by<mask>([&]() ENSUE_INLINE_LAMBDA { return f.derivative(t, as_argument(x), as_argument(dx)); });
  } else if constexpr (has_acceleration<F, seen>) {
    const std::size_t n = static_cast<std::size_t>(x.size()) / 2;
    const auto* const from = x.data();
    auto* const to = dx.data();
    for_each_in_half(x, [from, to, n](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = from[n + i]; });
    return accelerate<seen>(f, t, from, from + n, to + n, n);
  } else {
    defined = detail::defined_by<mask>([&]() ENSUE_INLINE_LAMBDA { return f(t, as_argument(x), as_argument(dx)); });
  }
  if constexpr (extent_of<Storage> == 0) {
    if (as_argument(dx).size() != as_argument(x).size()) [[unlikely]] detail::refuse_resized(dx, x.size());
  }
  return defined;
}

}  // namespace ensue
