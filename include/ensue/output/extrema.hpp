/// The least and the greatest value of every component along a run, also between its steps.
///
///     ensue::extrema seen;
///     ensue::observe(sim, 10., seen);
///     seen.least[0], seen.greatest[0]
///
/// A step's dense output is sampled; where a parabola through three samples goes beyond what was seen, its vertex is looked at, and another time
/// between the nearest three. Costs what dense output costs, and some eight evaluations of the interpolant a step.
#pragma once

#include <ensue/output/observe.hpp>

#include <vector>

namespace ensue {

template <class Real = double> class extrema {
 public:
  std::vector<Real> least, greatest;  ///< one a component; where it was a number

  template <class Integrator> auto watch(Integrator& sim) {
    watcher<Integrator> made(*this, sim);
    least.assign(sim.state().data(), sim.state().data() + sim.state().size());
    greatest = least;
    return made;
  }

 private:
  void take(std::size_t i, const Real& value) {
    if (value < least[i]) least[i] = value;
    if (value > greatest[i]) greatest[i] = value;
  }

  template <class Integrator> class watcher {
   public:
    using step = observed_step<Integrator>;

    watcher(extrema& into, Integrator& sim)
        : into_(into), x_(sim.snapshot()), size_(static_cast<std::size_t>(x_.size())), samples_(size_ * (intervals + 1)) {}

    bool looks_between_steps() const { return true; }
    void see(const step& s) {
      for (int k = 0; k <= intervals; ++k) {
        s.at(time(s, Real(k)), x_);
        for (std::size_t i = 0; i < size_; ++i) into_.take(i, sample(k, i) = x_.data()[i]);
      }
      for (std::size_t i = 0; i < size_; ++i)
        for (int k = 1; k < intervals; ++k) refine(i, s, k);
    }

    /// What an event at the very end has made of the state.
    void finish(Integrator& sim) {
      for (std::size_t i = 0; i < size_; ++i) into_.take(i, sim.state().data()[i]);
    }

   private:
    static constexpr int intervals = 8;

    Real& sample(int k, std::size_t i) { return samples_[static_cast<std::size_t>(k) * size_ + i]; }
    static Real time(const step& s, Real k) { return k == intervals ? s.to : s.from + (s.to - s.from) * (k / intervals); }

    /// The vertex of the parabola through the samples k − 1, k and k + 1, if it lies among them.
    void refine(std::size_t i, const step& s, int k) {
      Real a = Real(k - 1), b = Real(k), c = Real(k + 1), at_a = sample(k - 1, i), at_b = sample(k, i), at_c = sample(k + 1, i);
      for (int round = 0; round < 3; ++round) {
        // Newton's form: at_a + (k − a) (slope + bend (k − b))
        const Real slope = (at_b - at_a) / (b - a), bend = ((at_c - at_b) / (c - b) - slope) / (c - a);
        const Real vertex = (a + b - slope / bend) / 2;
        if (!(vertex > a && vertex < c) || vertex == b) return;
        const Real guess = at_a + (vertex - a) * (slope + bend * (vertex - b));
        if (!(guess < into_.least[i] || guess > into_.greatest[i])) return;
        s.at(time(s, vertex), x_);
        const Real there = x_.data()[i];
        into_.take(i, there);
        (vertex > b ? a : c) = b, (vertex > b ? at_a : at_c) = at_b;
        b = vertex, at_b = there;
      }
    }

    extrema& into_;
    decltype(std::declval<const Integrator&>().snapshot()) x_;
    std::size_t size_;
    std::vector<Real> samples_;
  };
};

}  // namespace ensue
