/// Things that happen when a function g(t, x) of the motion becomes zero: noted, a change of the state, or the end of the run.
///
///     ensue::event floor{[](double, const auto& x) { return x[0]; },
///                        ensue::change([](double, auto& x) { x[1] = -0.5 * x[1]; }), ensue::crossing::falling};
///     ensue::solve(ball{}, ensue::vec{1., 0.}, {0, 10}, ensue::tsit5{}, {}, ensue::events{floor});
///
/// Roots are those of g on the dense output, located to the last digit of t. They happen in the order of the run, forwards or
/// backwards; those at the same time happen together, in the order in which the events are listed. After a change the run goes
/// on from the changed state, and what was computed beyond it is thrown away.
///
/// A run that starts where g is zero does not fire there, nor does a change that jumps across a zero. A root at the very end of
/// the run fires. Where g is no number the run ends with `event_not_finite`.
///
/// Contacts: the run ends with `events_accumulating` where changes follow each other ever faster, like the bounces of a ball that comes to rest,
/// and where a change leaves g at its zero with no slope and the motion then goes through, like a ball whose bounces take all of its speed.
/// An event that changes the state (`change`, or `changes_state` set) also acts where a run starts at rest at its zero and leaves in the
/// direction that counts, so that a ball that starts at rest on the floor does not fall through it.
#pragma once

#include <ensue/output/event_watch.hpp>

#include <array>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

namespace ensue {

/// The action that ends the run.
struct stop_action {
  template <class real, class State> reaction operator()(const real&, State&) const { return reaction::stop; }
};
inline constexpr stop_action stop;

/// The action that edits the state: function(t, x).
template <class F> struct change {
  F function;
  explicit change(F f) : function(std::move(f)) {}
  template <class real, class State> reaction operator()(const real& t, State& x) {
    function(t, x);
    return reaction::change;
  }
};

/// The action that only reads: function(t, x).
template <class F> struct note {
  F function;
  explicit note(F f) : function(std::move(f)) {}
  template <class real, class State> reaction operator()(const real& t, State& x) {
    function(t, std::as_const(x));
    return reaction::go_on;
  }
};

namespace detail {
template <class Action> inline constexpr bool is_change = false;
template <class F> inline constexpr bool is_change<change<F>> = true;
}  // namespace detail

/// g and what happens at its zeros. The action may also be any function (t, x) that returns a `reaction`.
template <class G, class Action> struct event {
  G g;
  Action action;
  crossing which = crossing::any;
  bool changes_state = detail::is_change<Action>;  ///< known before it acts; set it for functions that return reaction::change

  event(G function, Action does, crossing when = crossing::any)
      : g(std::move(function)), action(std::move(does)), which(when) {}
};

/// The events of a run.
template <class... Event> class events {
 public:
  explicit events(Event... each) : each_(std::move(each)...) {}

  template <class Integrator> auto watch(Integrator& sim) { return event_watch<Integrator, events>(sim, *this); }

  static constexpr std::size_t size() { return sizeof...(Event); }
  crossing which(std::size_t i) const {
    return std::apply([i](const auto&... e) { return std::array<crossing, sizeof...(Event)>{e.which...}[i]; }, each_);
  }
  bool changes_state(std::size_t i) const {
    return std::apply([i](const auto&... e) { return std::array<bool, sizeof...(Event)>{e.changes_state...}[i]; }, each_);
  }
  template <class real, class State> real value(std::size_t i, const real& t, const State& x) {
    real found(0);
    with(i, [&](auto& e) { found = e.g(t, x); });
    return found;
  }
  template <class real, class State> reaction act(std::size_t i, const real& t, State& x) {
    reaction asked = reaction::go_on;
    with(i, [&](auto& e) { asked = e.action(t, x); });
    return asked;
  }

 private:
  template <class Body> void with(std::size_t i, Body body) {
    std::size_t j = 0;
    std::apply([&](auto&... e) { ((j++ == i ? body(e) : void()), ...); }, each_);
  }
  std::tuple<Event...> each_;
};

/// The same where their number is known at run time only, over the doubles of an integrator chosen by name.
using any_event =
    event<std::function<double(double, std::span<const double>)>, std::function<reaction(double, std::span<double>)>>;

class event_list {
 public:
  explicit event_list(std::vector<any_event> each) : each_(std::move(each)) {}

  bool motion_is_f = true;  ///< false: some equations have no derivative, and nothing is known of contacts at rest

  template <class Integrator> auto watch(Integrator& sim) { return event_watch<Integrator, event_list>(sim, *this); }

  std::size_t size() const { return each_.size(); }
  crossing which(std::size_t i) const { return each_[i].which; }
  bool changes_state(std::size_t i) const { return each_[i].changes_state; }
  double value(std::size_t i, double t, std::span<const double> x) { return each_[i].g(t, x); }
  reaction act(std::size_t i, double t, std::span<double> x) { return each_[i].action(t, x); }

 private:
  std::vector<any_event> each_;
};

}  // namespace ensue
