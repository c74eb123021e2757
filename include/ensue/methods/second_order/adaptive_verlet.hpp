/// Verlet with steps that follow the force and can be undone: shorter where it is strong, and reversible nevertheless.
#pragma once

#include <ensue/control/power.hpp>
#include <ensue/methods/second_order/splitting_driver.hpp>
#include <ensue/methods/second_order/verlet.hpp>

namespace ensue {

/// A step's length is the one asked for, divided by a density ρ. A density that is a function of the state at the step's start would
/// make the way back another one than the way there, and energy drift. Here two neighbouring steps share what is asked at the state
/// between them: ρ_before · ρ_after = U², with U = U(a) even in time; read from either side it is the same rule, and the way back is
/// the way there. U grows as the root of the acceleration, so that steps go as the time in which a distance is fallen through, from 1 at the
/// start; a tenth of the acceleration there is added (as squares), so that steps stay finite where forces balance.
///
/// The last step of a run is cut short without being remembered.
template <class Method, state State> class adaptive_verlet_stepper : public splitting_stepper<verlet, State> {
  using verlet_stepper = splitting_stepper<verlet, State>;

 public:
  using typename verlet_stepper::base;
  using typename verlet_stepper::mask;
  using typename verlet_stepper::real;
  using typename verlet_stepper::storage;

  static constexpr bool divides_evenly = false;
  static constexpr bool symplectic = false;
  static constexpr bool sets_pace = true;

  ENSUE_HD static constexpr const char* name() { return Method::name; }

  ENSUE_HD adaptive_verlet_stepper(const Method&, const storage& like) : verlet_stepper(verlet{}, like) {}

  ENSUE_HD ENSUE_INLINE void restart() {
    verlet_stepper::restart();
    paced_ = mask(false);
    reference_ = real(0);
  }

  /// The length of the next step, where `step` (signed) was asked for. Needs the acceleration.
  ENSUE_HD ENSUE_INLINE real pace(const real& step) {
    const real strength = squared_acceleration();
    reference_ = select(reference_ > real(0), reference_, strength);
    const real floor = base(0.01) * reference_;
    const real squared_u = select(reference_ > real(0), power((strength + floor) / (reference_ + floor), base(0.5)), real(1));
    const mask back = step * last_ < real(0);  // over the step between the same two states
    const real next = select(back, density_, squared_u / density_);
    tried_density_ = select(paced_, next, power(squared_u, base(0.5)));
    return step / tried_density_;
  }

  /// The step was taken as long as `pace` said.
  ENSUE_HD ENSUE_INLINE void keep_pace(const mask& kept, const real& step) {
    density_ = select(kept, tried_density_, density_);
    last_ = select(kept, step, last_);
    paced_ = paced_ | kept;
  }

  ENSUE_HD void exchange_lanes(const mask& where, adaptive_verlet_stepper& other) {
    verlet_stepper::exchange_lanes(where, other);
    exchange_numbers(where, density_, other.density_);
    exchange_numbers(where, last_, other.last_);
    exchange_numbers(where, reference_, other.reference_);
    exchange_masks(where, paced_, other.paced_);
  }

 private:
  ENSUE_HD ENSUE_INLINE real squared_acceleration() const {
    real sum(0);
    for_each_in_order(this->a_, [&sum, a = this->a_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      sum = sum + value_of(a[i]) * value_of(a[i]);
    });
    return sum;
  }

  real density_ = real(1), tried_density_ = real(1), last_ = real(0), reference_ = real(0);
  mask paced_ = mask(false);  // whether there is a step before
};

/// After W. Huang & B. Leimkuhler (1997), "The adaptive Verlet method", SIAM J. Sci. Comput. 18, 239–256, and T. Holder, B. Leimkuhler &
/// S. Reich (2001), Appl. Numer. Math. 39, 367–377; with the geometric mean of two densities, which is never negative, where they
/// take the arithmetic one.
struct adaptive_verlet {
  static constexpr const char* name = "adaptive-verlet";
  static constexpr const char* citation = "Huang & Leimkuhler (1997), SIAM J. Sci. Comput. 18, 239-256";
  static constexpr splitting_table<2> table = verlet::table;
  template <class State> using stepper = adaptive_verlet_stepper<adaptive_verlet, State>;
};

}  // namespace ensue
