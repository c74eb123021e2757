/// The leapfrog method: positions at whole steps, velocities at half ones.
#pragma once

#include <ensue/methods/second_order/memory.hpp>
#include <ensue/methods/second_order/verlet.hpp>

namespace ensue {

/// Steps in which the velocity is half a step ahead of where the position was: w += h·a(q), q += h·w. It starts with half a kick,
/// and what is shown of it is the velocity brought back to the position's time by another half; the staggered one goes on. In exact
/// arithmetic its positions are Verlet's. Where a step is not as long as the one before, the kick between them is their mean.
template <class Method, state State> class leapfrog_stepper : public second_order_memory<State, 2, end_acceleration::known> {
  using memory = second_order_memory<State, 2, end_acceleration::known>;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::half;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr system_needed needs = system_needed::position_force;
  static constexpr bool divides_evenly = true;
  static constexpr int dense_order = 2;
  static constexpr bool symplectic = true;
  static constexpr bool symmetric = true;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return 2; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return 1; }

  ENSUE_HD leapfrog_stepper(const Method&, const storage& like) : memory(like), between_(this->a_), tried_(this->a_) {}

  ENSUE_HD ENSUE_INLINE void restart() {
    memory::restart();
    staggered_ = mask(false);
  }

  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real&, const real& t_new, const real& h, const storage& x, const mask& active,
                                     count& evaluations) {
    const std::size_t n = this->size();
    const real kick = base(0.5) * (select(staggered_, last_, real(0)) + h), back = base(0.5) * h;
    scalar* const to = this->candidate_.data();
    scalar* const w = tried_.data();
    this->sum_.with_sum([&](const auto& add) ENSUE_INLINE_LAMBDA {
      for_each_in_half(x, [add, n, kick, h, to, w, from = x.data(), a = this->a_.data(), before = between_.data(),
                           staggered = staggered_](std::size_t i) ENSUE_INLINE_LAMBDA {
        w[i] = add(n + i, select(staggered, before[i], from[n + i]), kick * a[i]);
        to[i] = add(i, from[i], h * w[i]);
      });
    });
    evaluations = evaluations + select(active, count(1), count(0));
    const mask defined = accelerate<typename memory::seen>(f, t_new, to, w, this->a_before_.data(), n);
    for_each_in_half(x, [n, back, to, w, a = this->a_before_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[n + i] = w[i] + back * a[i]; });
    tried_step_ = h;
    return defined;
  }

  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    memory::accept(accepted, x);
    exchange(accepted, between_, tried_);
    last_ = select(accepted, tried_step_, last_);
    staggered_ = staggered_ | accepted;
  }

  ENSUE_HD void exchange_lanes(const mask& where, leapfrog_stepper& other) {
    memory::exchange_lanes(where, other);
    exchange(where, between_, other.between_);
    exchange_numbers(where, last_, other.last_);
    exchange_masks(where, staggered_, other.staggered_);
  }

 private:
  half between_, tried_;  // velocities half a step before the present time, and half a step after it
  real last_ = real(0), tried_step_ = real(0);
  mask staggered_ = mask(false);
};

/// R. W. Hockney & J. W. Eastwood, Computer Simulation Using Particles (1981), ch. 4; R. P. Feynman, Lectures on Physics I (1963), 9-6.
struct leapfrog {
  static constexpr const char* name = "leapfrog";
  static constexpr const char* citation = "Feynman (1963), Lectures on Physics I, 9-6; Hockney & Eastwood (1981)";
  static constexpr splitting_table<2> table = verlet::table;
  template <class State> using stepper = leapfrog_stepper<leapfrog, State>;
};

}  // namespace ensue
