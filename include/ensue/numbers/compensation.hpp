/// Compensated summation: what rounding takes from a state's sums is kept and added to the next one.
///
/// A step adds a small change to a large state and loses the digits of the change that lie below those of the state. In a run of n
/// steps these losses grow as √n, or as n where they are biased; carried along, they do not add up at all. (W. Kahan (1965), Comm. ACM 8, 40;
/// for integrators E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration, VIII.5.)
#pragma once

#include <ensue/numbers/state.hpp>

namespace ensue {

/// The remainders of the present state and of a candidate; no memory of a dynamic state and no work where it is off.
template <class Storage> class compensation {
 public:
  using scalar = element_of<Storage>;
  using mask = mask_of<scalar>;

  /// Off, for states like this one.
  ENSUE_HD explicit compensation(const Storage& like) : carried_(room(like)), tried_(carried_) {}

  ENSUE_HD void turn_on(const Storage& like) {
    on_ = true;
    carried_ = like;
    tried_ = like;
    restart();
  }
  ENSUE_HD ENSUE_INLINE bool on() const {
#if defined(__CUDA_ARCH__)
    return false;  // remainders that might be needed would cost a thread a third of its speed in registers
#else
    return on_;
#endif
  }

  /// The state was changed from outside: nothing was lost of it.
  ENSUE_HD void restart() {
    if (on()) [[unlikely]] for_each_element(carried_, [to = carried_.data()](std::size_t i) { to[i] = scalar(0); });
  }

  /// body(add), where add(i, x, change) is element i of the candidate, x + change. From the state's remainder, or (further sums of one
  /// step) from the candidate's own.
  template <bool Further = false, class Body> ENSUE_HD ENSUE_INLINE void with_sum(const Body& body) {
    if (on()) [[unlikely]] body(carrying<Further>{carried_.data(), tried_.data()});
    else body(plain{});
  }

  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted) {
    if (on()) [[unlikely]] exchange(accepted, carried_, tried_);
  }
  ENSUE_HD void exchange_lanes(const mask& where, compensation& other) {
    if (!on()) return;
    if (!other.on()) other.turn_on(carried_);  // a copy from before it was
    exchange(where, carried_, other.carried_);
  }

 private:
  struct plain {
    ENSUE_HD ENSUE_INLINE scalar operator()(std::size_t, const scalar& x, const scalar& change) const { return x + change; }
  };
  template <bool Further> struct carrying {
    const scalar* carried;
    scalar* tried;
    /// The rounded sum; its rounding error, exactly, is the new remainder (D. E. Knuth, TAOCP 2, 4.2.2, theorem B).
    ENSUE_HD ENSUE_INLINE scalar operator()(std::size_t i, const scalar& x, const scalar& change) const {
      const scalar y = change + (Further ? tried[i] : carried[i]), sum = x + y, part = sum - x;
      tried[i] = (x - (sum - part)) + (y - part);
      return sum;
    }
  };

  ENSUE_HD static Storage room(const Storage& like) {
    if constexpr (extent_of<Storage> > 0) return like;
    else return Storage();
  }

  Storage carried_, tried_;
  bool on_ = false;
};

}  // namespace ensue
