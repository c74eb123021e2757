/// What every stepper that solves linear systems remembers, and the part of the method protocol (stepper.hpp) that is the same for all of
/// them: the candidate, whether f is known at the present state, why an attempt failed.
#pragma once

#include <ensue/step/diagnosis.hpp>
#include <ensue/outcome.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

#include <cstdint>

namespace ensue {

template <state State> class implicit_memory {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = false;
  static constexpr bool solves_linear_systems = true;
  static constexpr bool confirms = false;
  ENSUE_HD static constexpr double real_stability() { return infinity<double>; }

  ENSUE_HD explicit implicit_memory(const storage& like) : candidate_(like) {}

  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ || where; }

  /// Marks the memory that the next derivative is written to (unwritten.hpp).
  ENSUE_HD void mark_derivative() { to_be_marked_ = true; }

  /// What the last attempt failed for, if it was not f.
  ENSUE_HD outcome failure() const { return failure_; }

  ENSUE_HD ENSUE_INLINE const storage& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return bad_ == report::nowhere && finite(candidate_); }
  ENSUE_HD ENSUE_INLINE storage& scratch() { return candidate_; }
  /// The state before the last accepted step, which `accept` has exchanged with the candidate.
  ENSUE_HD ENSUE_INLINE const storage& before() const { return candidate_; }

  /// Whether steps of chosen length are also held to the tolerance between their ends (options::between_steps). Takes the memory for it.
  ENSUE_HD void control_between_steps(bool on) {
    between_ = on;
    if (on) inside_error_ = candidate_, inside_scratch_ = candidate_;
  }

  /// No explicit step is taken: there is no limit to be at.
  template <class Measure> ENSUE_HD real squared_stiffness_ratio(const storage&, Measure&) const { return real(0); }

 protected:
  ENSUE_HD ENSUE_INLINE void forget_failure() {
    failure_ = outcome::finished;
    bad_ = report::nowhere;
  }
  ENSUE_HD ENSUE_COLD mask failed(outcome why, std::int64_t component) {
    failure_ = why;
    bad_ = component;
    return false;
  }

  /// f(t, x), into what the stepper keeps it in.
  template <class F> ENSUE_HD ENSUE_INLINE mask evaluate_first(F& f, const real& t, const storage& x, storage& into) {
    forget_failure();
    if constexpr (!on_device)
      if (to_be_marked_) mark_unwritten(into);
    to_be_marked_ = false;
    const mask defined = evaluate(f, t, x, into);
    stale_ = false;
    return defined;
  }
  ENSUE_HD std::int64_t bad_component_or(const storage& first, int which) const {
    return bad_ != report::nowhere ? bad_ : first_not_finite(first, which);
  }

  /// Of the error at a step's end, squared, and that inside it, which may be so many times as large, the one that decides.
  template <class Measure>
  ENSUE_HD real larger_error(const real& at_end, base allowed, const storage& x, Measure& measure) {
    if (!(at_end <= real(1))) return at_end;
    const base weight = base(1) / allowed;
    const real inside = weight * weight * measure.squared_norm(x, candidate_, [e = inside_error_.data()](std::size_t i)
                                                                                  ENSUE_INLINE_LAMBDA { return e[i]; });
    return inside <= at_end ? at_end : inside;
  }

  storage candidate_;
  storage inside_error_ = {}, inside_scratch_ = {};  ///< of an attempt, where `between_`
  bool between_ = false;
  std::int64_t bad_ = report::nowhere;
  outcome failure_ = outcome::finished;
  mask stale_ = true;
  bool to_be_marked_ = false;
};

}  // namespace ensue
