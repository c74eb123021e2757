/// The question: a system, where it starts, and from when to when.
///
///     ensue::problem orbit{kepler{}, ensue::vec{0.4, 0., 0., 2.}, {0, 20}};
///     ensue::solve(orbit, ensue::dop853{});
#pragma once

#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

namespace ensue {

/// From when to when. `to < from` runs backwards.
template <class real> struct interval {
  real from = real(0);
  real to = real(0);
};

template <class System, state State> struct problem {
  System system;
  State start;
  interval<real_type<State>> span;
};
template <class System, class State> problem(System, State, interval<real_type<State>>) -> problem<System, State>;

}  // namespace ensue
