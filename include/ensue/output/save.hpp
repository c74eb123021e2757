/// States handed to a function as the run goes: at given times, at equal distances, or at every step. Nothing is kept.
///
///     ensue::solve(f, x0, {0, 40}, ensue::tsit5{}, {}, ensue::save_every(0.1, [](double t, const auto& x) { … }));
///     ensue::save_at({1., 2., 5.}, ensue::only({0, 2}, [](double t, std::span<const double> x) { … }))
///
/// The start counts. Times are met in the order of the run, forwards or backwards, on the method's dense output; those that it does
/// not reach are left out. Where an event changes the state at a time asked for, it is the state before the change.
#pragma once

#include <ensue/control/fixed_grid.hpp>
#include <ensue/output/observe.hpp>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace ensue {

namespace detail {
/// A run's own memory and the caller's function, which gets (t, x).
template <class Integrator, class Callback> class hand_over {
 public:
  using step = observed_step<Integrator>;
  using real = typename step::real;

  hand_over(const Integrator& sim, Callback& callback) : x_(sim.snapshot()), callback_(callback) {}
  void now(const real& t) { callback_(t, std::as_const(as_argument(x_))); }
  void at(const step& s, const real& t) {
    s.at(t, x_);
    now(t);
  }

 private:
  std::remove_cvref_t<decltype(std::declval<const Integrator&>().snapshot())> x_;
  Callback& callback_;
};
}  // namespace detail

template <class real, class Callback> class save_at {
 public:
  save_at(std::vector<real> times, Callback callback) : times_(std::move(times)), callback_(std::move(callback)) {
    std::sort(times_.begin(), times_.end());
  }
  save_at(std::initializer_list<real> times, Callback callback)
      : save_at(std::vector<real>(times), std::move(callback)) {}

  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      const std::vector<real>& times;
      detail::hand_over<Integrator, Callback> out;

      bool looks_between_steps() const { return !times.empty(); }
      void see(const observed_step<Integrator>& s) {
        if (s.backwards()) {
          auto next = std::lower_bound(times.begin(), times.end(), s.from);
          while (next != times.begin() && !s.is_behind(*(next - 1))) out.at(s, *--next);
        } else {
          auto next = std::upper_bound(times.begin(), times.end(), s.from);
          while (next != times.end() && !s.is_behind(*next)) out.at(s, *next++);
        }
      }
    };
    watcher w{times_, {sim, callback_}};
    const auto [first, last] = std::equal_range(times_.begin(), times_.end(), sim.time());
    for (auto now = first; now != last; ++now) w.out.now(*now);
    return w;
  }

 private:
  std::vector<real> times_;
  Callback callback_;
};
template <class real, class Callback> save_at(std::vector<real>, Callback) -> save_at<real, Callback>;
template <class real, class Callback> save_at(std::initializer_list<real>, Callback) -> save_at<real, Callback>;

template <class real, class Callback> class save_every {
 public:
  save_every(real dt, Callback callback) : dt_(magnitude(dt)), callback_(std::move(callback)) {}

  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      real start, dt;
      detail::hand_over<Integrator, Callback> out;
      std::int64_t count = 0;

      bool looks_between_steps() const { return dt > 0; }
      void see(const observed_step<Integrator>& s) {
        if (!(dt > 0)) return;
        for (;; ++count) {
          real t = grid_time(start, count + 1, s.backwards() ? -dt : dt);
          // an end that is the n-th time but for rounding, which an end near zero shows in the digits of the start
          const real rounding = minimum(4 * epsilon<real> * maximum(magnitude(t), magnitude(start)), dt / 4);
          if (magnitude(t - s.to) <= rounding) t = s.to;
          if (s.is_behind(t)) break;
          out.at(s, t);
        }
      }
    };
    watcher w{sim.time(), dt_, {sim, callback_}};
    w.out.now(sim.time());
    return w;
  }

 private:
  real dt_;
  Callback callback_;
};

template <class Callback> class save_steps {
 public:
  explicit save_steps(Callback callback) : callback_(std::move(callback)) {}

  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      detail::hand_over<Integrator, Callback> out;
      std::int64_t steps = 0;
      bool cut = false;

      void see(const observed_step<Integrator>& s) {
        const bool another = std::exchange(steps, s.integrator().statistics().steps) != s.integrator().statistics().steps;
        if (cut && another) out.at(s, s.from);  // the state after an event that has changed it
        out.at(s, s.to);
        cut = s.to != s.integrator().time();
      }
    };
    watcher w{{sim, callback_}, sim.statistics().steps};
    w.out.now(sim.time());
    return w;
  }

 private:
  Callback callback_;
};

/// Of each state the components named, in that order: callback(t, span).
template <class Callback> auto only(std::vector<std::size_t> components, Callback callback) {
  return [components = std::move(components), callback = std::move(callback)](const auto& t, const auto& x) mutable {
    using scalar = std::remove_cvref_t<decltype(*x.data())>;
    std::vector<scalar> chosen;
    for (const std::size_t i : components) chosen.push_back(x.data()[i]);
    callback(t, std::span<const scalar>(chosen));
  };
}

}  // namespace ensue
