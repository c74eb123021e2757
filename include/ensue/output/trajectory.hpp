/// A run kept whole, as a function of time.
///
///     ensue::trajectory<ensue::vec<double, 3>> path;
///     ensue::solve(lorenz{}, ensue::vec{1., 0., 0.}, {0, 40}, ensue::tsit5{}, {.rtol = 1e-8}, path);
///     path(12.5)[0]
///
/// Exact at the steps' ends, to the method's dense order between them. Memory: a step takes as many states as its interpolant
/// has terms, and two.
#pragma once

#include <ensue/output/observe.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ensue {

template <state State> class trajectory {
 public:
  using real = real_type<State>;
  using scalar = element_of<State>;
  using storage = storage_of<State>;

  bool empty() const { return pieces_.empty(); }
  std::size_t steps() const { return pieces_.size(); }
  real from() const { return pieces_.front().start; }
  real to() const { return pieces_.back().until; }

  /// The state at time t. Where an event changed it, the state before. Throws std::out_of_range beyond the ends.
  storage operator()(const real& t) const {
    storage x = like_.at(0);
    at(t, x);
    return x;
  }
  void at(const real& t, storage& out) const {
    const bool inside = !empty() && (backwards() ? t <= from() && t >= to() : t >= from() && t <= to());
    if (!inside) throw std::out_of_range("ensue: the trajectory does not reach this time");
    const auto found = std::lower_bound(pieces_.begin(), pieces_.end(), t, [&](const piece& p, const real& time) {
      return backwards() ? p.until > time : p.until < time;
    });
    const piece& p = *found;
    const real theta = real(1) - (p.end - t) / (p.end - p.start);
    const std::size_t n = static_cast<std::size_t>(out.size());
    const scalar* const first = &data_[p.first];
    const scalar* const last = first + n * (terms_ + 1);
    const real before = real(1) - theta, bubble = theta * (theta - real(1));
    for (std::size_t i = 0; i < n; ++i) {
      scalar sum(0);
      for (std::size_t m = terms_; m > 0; --m) sum = first[n * m + i] + theta * sum;
      out.data()[i] = before * first[i] + theta * last[i] + bubble * sum;
    }
  }

  /// Forgets what it has kept, and keeps the run to come.
  template <class Integrator> auto watch(Integrator& sim) {
    struct watcher {
      trajectory& into;
      storage x;
      bool looks_between_steps() const { return true; }
      void see(const observed_step<Integrator>& s) { into.keep(s, x); }
    };
    pieces_.clear();
    data_.clear();
    like_.assign(1, sim.snapshot());
    return watcher{*this, sim.snapshot()};
  }

 private:
  struct piece {
    real start, end;      ///< of the step
    real until;           ///< the part of it that counts
    std::int64_t number;  ///< of the step, among those of its integrator
    std::size_t first;    ///< its numbers: the state at its start, the interpolant's terms, the state at its end
  };

  bool backwards() const { return pieces_.front().end < pieces_.front().start; }

  template <class Integrator> void keep(const observed_step<Integrator>& s, storage& x) {
    auto& sim = s.integrator();
    if (!empty() && pieces_.back().number == sim.statistics().steps) {
      pieces_.back().until = s.to;  // another part of the same step
      return;
    }
    pieces_.push_back({s.from, sim.time(), s.to, sim.statistics().steps, data_.size()});
    s.at(s.from, x);
    append(x.data(), x.size());
    terms_ = sim.dense_terms();
    for (std::size_t m = 0; m < terms_; ++m) append(sim.dense_term(m), x.size());
    append(sim.state().data(), x.size());
  }
  void append(const scalar* first, std::size_t count) { data_.insert(data_.end(), first, first + count); }

  std::vector<piece> pieces_;
  std::vector<scalar> data_;
  std::vector<storage> like_;
  std::size_t terms_ = 0;
};

}  // namespace ensue
