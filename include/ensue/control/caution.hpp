/// Smaller errors after steps that failed badly.
///
/// Where f or its derivative jumps inside a step, some pairs estimate only a small part of the error
/// (methods/explicit/jumps.hpp). Then the first estimate within the tolerance belongs to a step that is far off. But a jump
/// shows before that: an attempt fails so badly that the law asks for less than half its length, or two attempts in a
/// row fail. From then on errors are accepted up to 1/32 of the tolerance, until steps no longer grow. On smooth
/// problems few attempts fail like that, and each of them costs a step or two.
#pragma once

#include <ensue/control/step_size.hpp>
#include <ensue/numbers/scalar.hpp>

namespace ensue {

/// Steppers whose estimates may overlook jumps of f. The others are spared all of it.
template <class Stepper> inline constexpr bool may_overlook_jumps = false;
template <class Stepper>
  requires requires { Stepper::may_overlook_jumps; }
inline constexpr bool may_overlook_jumps<Stepper> = Stepper::may_overlook_jumps;

/// Whether they do, which a method may know at run time only.
template <class Stepper> ENSUE_HD ENSUE_INLINE bool overlooks_jumps([[maybe_unused]] const Stepper& stepper) {
  if constexpr (requires { stepper.overlooks_jumps(); }) return stepper.overlooks_jumps();
  else return may_overlook_jumps<Stepper>;
}

/// Errors come squared, as for the law.
template <class real> class caution {
  using base = base_of<real>;
  using mask = mask_of<real>;

 public:
  /// `halving`: the error after which the law halves a step; infinite, it is never exceeded.
  ENSUE_HD explicit caution(const base& halving) : from_(halving) {}

  /// Attempts that it has to look at.
  ENSUE_HD ENSUE_INLINE mask concerns(const step_size_history<real>& history, const mask& failed, const real& error) const {
    return (error > real(from_)) | (failed & history.just_rejected) | (history.limit < real(1));
  }

  /// Begins where an attempt failed badly, or after another one that failed. An error that is the largest number or no
  /// number says nothing of jumps.
  ENSUE_HD ENSUE_INLINE void after_reject(step_size_history<real>& history, const mask& failed, const real& error) const {
    const mask bad = failed & ((error > real(from_)) | history.just_rejected) & (error < real(largest<real>));
    history.limit = select(bad & mask(on()), real(careful), history.limit);
  }

  /// The error in units of the largest that is accepted: what the law is to see. (A power of two: nothing is rounded.)
  ENSUE_HD ENSUE_INLINE static real in_units_of_limit(const step_size_history<real>& history, const real& error) {
    return select(history.limit < real(1), real(base(1) / careful) * error, error);
  }

  /// Ends where steps no longer grow, by `factor`. Right after a rejected step they must not.
  ENSUE_HD ENSUE_INLINE static void after_accept(step_size_history<real>& history, const mask& accepted, const real& factor) {
    history.limit = select(accepted & !history.just_rejected & (factor < real(base(1.5))), real(1), history.limit);
  }

 private:
  static constexpr base careful = base(1) / 1024;

  ENSUE_HD ENSUE_INLINE bool on() const { return from_ < infinity<base>; }

  base from_;
};

}  // namespace ensue
