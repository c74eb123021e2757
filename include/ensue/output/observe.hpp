/// A run that is watched: observers beside the loop, shown each accepted step.
///
///     ensue::observe(sim, 10., ensue::save_every(0.1, draw), ensue::events{ensue::event{height, ensue::stop}});
///     auto run = ensue::solve(f, x0, {0, 10}, ensue::tsit5{}, {.rtol = 1e-8}, ensue::save_at(times, print));
///
/// `sim` is any integrator, of a C++ type (integrator.hpp) or chosen by name (registry.hpp). An observer offers `watch(sim)`: a
/// watcher for this run, with the memory it needs, that has
///
///     see(step)               a step, or a part of one up to an event; in the order of the run
///     finish(sim)             after the last one, if it cares
///     looks_between_steps()   whether it asks for states inside steps, if it may: their error is then controlled, too
///
/// The watcher of `events` (events.hpp) also cuts steps short.
#pragma once

#include <ensue/solve.hpp>

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace ensue {

/// What a watcher sees of a step: from when to when, and the state at any time between.
template <class Integrator> class observed_step {
 public:
  using real = std::remove_cvref_t<decltype(std::declval<const Integrator&>().time())>;

  observed_step(Integrator& sim, const real& from, const real& to) : from(from), to(to), sim_(sim) {}

  const real from, to;

  /// The end of the integrator's step costs nothing, a time inside it `evaluations.dense` evaluations, once a step.
  template <class Storage> void at(const real& t, Storage& out) const {
    if (t != sim_.time()) return sim_.interpolate(t, as_argument(out));
    const auto& x = sim_.state();
    std::copy_n(x.data(), static_cast<std::size_t>(x.size()), out.data());
  }
  bool backwards() const { return to < from; }
  /// Whether t is beyond this part of the step, seen along the run.
  bool is_behind(const real& t) const { return backwards() ? t < to : t > to; }
  Integrator& integrator() const { return sim_; }

 private:
  Integrator& sim_;
};

/// What an event asks for, from weak to strong.
enum class reaction : unsigned char { go_on, change, stop };

namespace detail {
template <class Watcher>
concept cuts_steps = requires { typename Watcher::roots; };

template <class Watcher> bool looks_between_steps(const Watcher& watcher) {
  if constexpr (requires { watcher.looks_between_steps(); }) return watcher.looks_between_steps();
  else return false;
}

/// Holds an integrator's steps to the tolerance between their ends as well, for as long as a watcher looks there.
template <class Integrator> class control_while_watched {
 public:
  control_while_watched(Integrator& sim, bool wanted) : sim_(sim), before_(!wanted || sim.control_between_steps(true)) {}
  control_while_watched(const control_while_watched&) = delete;
  ~control_while_watched() {
    if (!before_) sim_.control_between_steps(false);
  }

 private:
  Integrator& sim_;
  bool before_;
};

/// Shows the step just made from `start` piece by piece, with the events that lie in it acting between. False: the run is over.
template <class Integrator, class Events, class See>
bool show_with_events(Integrator& sim, Events& events, const typename observed_step<Integrator>::real& start, See see) {
  const auto end = sim.time();
  auto from = start;
  if (!events.search({sim, start, end})) return false;
  while (events.has_next()) {
    const auto t = events.next_time();
    if (t != from) see({sim, from, t});
    from = t;
    switch (events.fire({sim, start, end})) {
      case reaction::go_on: break;
      case reaction::change: return true;
      case reaction::stop: return false;
    }
  }
  if (from != end) see({sim, from, end});
  events.pass();
  return true;
}
}  // namespace detail

/// Runs `sim` to t_end, watched. Returns how it ended.
template <class Integrator, class... Observers>
outcome observe(Integrator& sim, const typename observed_step<Integrator>::real& t_end, Observers&&... observers) {
  using step = observed_step<Integrator>;
  std::tuple watchers(observers.watch(sim)...);
  const detail::control_while_watched<Integrator> between_steps(
      sim, std::apply([](const auto&... each) { return (false || ... || detail::looks_between_steps(each)); }, watchers));
  outcome how = outcome::finished;
  auto now = sim.time();  // asked for once a step: where the method was chosen by name, it is a call
  while (how == outcome::finished && now != t_end) {
    const auto from = now;
    how = sim.step_towards(t_end);
    now = sim.time();
    if (now == from) continue;
    std::apply(
        [&](auto&... each) {
          constexpr int cutting = (0 + ... + (detail::cuts_steps<std::remove_reference_t<decltype(each)>> ? 1 : 0));
          static_assert(cutting <= 1, "ensue: the events of a run go into one `events`");
          const auto see = [&](const step& part) { (each.see(part), ...); };
          if constexpr (cutting == 0) see(step(sim, from, now));
          const auto with_events = [&](auto& watcher) {
            if constexpr (detail::cuts_steps<std::remove_reference_t<decltype(watcher)>>)
              if (!detail::show_with_events(sim, watcher, from, see)) how = sim.ending().how;
          };
          (with_events(each), ...);
          if constexpr (cutting > 0) now = sim.time();
        },
        watchers);
  }
  std::apply(
      [&](auto&... each) {
        const auto finish = [&](auto& watcher) {
          if constexpr (requires { watcher.finish(sim); }) watcher.finish(sim);
        };
        (finish(each), ...);
      },
      watchers);
  return how;
}

/// `solve` (solve.hpp), watched.
template <class System, state State, class Method, class... Observers>
  requires(sizeof...(Observers) > 0)
solution<State> solve(const System& system, const State& start,
                      const std::type_identity_t<interval<real_type<State>>>& span, const Method& method,
                      const std::type_identity_t<options<State>>& settings, Observers&&... observers) {
  static_assert(lanes_of<element_of<State>> == 1, "ensue: observers watch one trajectory");
  using kept = std::decay_t<System>;  // a function is kept by its address
  integrator<kept, State, Method> sim(problem<kept, State>{system, start, span}, method, settings);
  observe(sim, span.to, observers...);
  return {sim.snapshot(), sim.time(), sim.ending().how, sim.statistics(), {sim.ending()}, method.name};
}

}  // namespace ensue
