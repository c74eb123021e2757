/// What stands for a stepper on a group where the state is plain numbers: something that compiles, so that `require_fit` (stepper.hpp) says
/// what is wrong and the compiler no more than that.
#pragma once

#include <ensue/methods/explicit/driver.hpp>
#include <ensue/methods/explicit/euler.hpp>
#include <ensue/methods/rotation/group.hpp>

namespace ensue {

template <class State, system_needed Needed> struct stepper_that_does_not_fit : explicit_stepper<euler, State> {
  static constexpr system_needed needs = Needed;
  template <class Method>
  ENSUE_HD stepper_that_does_not_fit(const Method&, const storage_of<State>& like) : explicit_stepper<euler, State>(euler{}, like) {}
};

namespace detail {
template <class State, system_needed Needed, template <class, class> class Stepper, class Method> struct stepper_on_group {
  using type = stepper_that_does_not_fit<State, Needed>;
};
template <group_state State, system_needed Needed, template <class, class> class Stepper, class Method>
struct stepper_on_group<State, Needed, Stepper, Method> {
  using type = Stepper<Method, State>;
};
}  // namespace detail

}  // namespace ensue
