/// What every stepper of second-order systems remembers, and the part of the method protocol (stepper.hpp) that is the same for all of
/// them: the candidate, the accelerations at both ends of a step, the inside of a step.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

namespace ensue {

namespace detail {
template <class Storage, bool Fixed = (extent_of<Storage> > 0)> struct half_memory {
  using type = vec<element_of<Storage>, extent_of<Storage> / 2>;
  ENSUE_HD static type make(const Storage& x) {
    type h;
    for_each_in_half(x, [&](std::size_t i) { h[i] = x.data()[i]; });
    return h;
  }
};
template <class Storage> struct half_memory<Storage, false> {
  using type = buffer<element_of<Storage>>;
  static constexpr type make(const Storage& x) { return type(static_cast<std::size_t>(x.size()) / 2); }
};
}  // namespace detail

/// As many numbers as x = (q, v) has positions.
template <class Storage> using half_of = typename detail::half_memory<Storage>::type;

/// x' = (v, a) in memory of its own.
template <class Storage>
ENSUE_HD void assemble_derivative(Storage& dx, const Storage& x, const half_of<Storage>& a) {
  const std::size_t n = static_cast<std::size_t>(x.size()) / 2;
  for_each_in_half(x, [n, to = dx.data(), from = x.data(), acceleration = a.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
    to[i] = from[n + i];
    to[n + i] = acceleration[i];
  });
}

/// When a step knows the acceleration at its end: because it ends with a kick there, or not before the next one begins.
enum class end_acceleration : unsigned char { known, next_step };

/// `Order` is that of the method.
template <state State, int Order, end_acceleration End> class second_order_memory {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;
  using half = half_of<storage>;
  static_assert(extent_of<State> % 2 == 0, "ensue: a second-order system has as many velocities as positions");

  static constexpr bool confirms = false;
  static constexpr bool may_estimate = false;

  ENSUE_HD explicit second_order_memory(const storage& like)
      : a_(detail::half_memory<storage>::make(like)), a_before_(a_), candidate_(like), derivative_(like), sum_(like) {}

  ENSUE_HD static constexpr bool has_estimate() { return false; }
  ENSUE_HD static constexpr int estimate_order() { return 1; }

  ENSUE_HD ENSUE_INLINE const mask& stale() const { return stale_; }
  ENSUE_HD ENSUE_INLINE void restart() {
    stale_ = mask(true);
    sum_.restart();
  }
  ENSUE_HD void compensate(const storage& x) { sum_.turn_on(x); }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) { stale_ = stale_ | where; }

  /// The acceleration at (t, x). Returns where it is defined.
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    const set_aside old(*this);
    const mask defined = accelerate<seen>(f, t, x.data(), x.data() + size(), a_.data(), size());
    stale_ = mask(false);
    return defined;
  }
  /// Marks the memory that the next `derivative` writes (unwritten.hpp). It must not mark more: `bad_component` would blame f.
  ENSUE_HD void mark_derivative() { mark_unwritten(a_before_); }
  ENSUE_HD ENSUE_INLINE const half& first_derivative() const { return a_; }
  ENSUE_HD const storage& whole_derivative(const storage& x) {
    assemble_derivative(derivative_, x, a_);
    return derivative_;
  }

  ENSUE_HD std::int64_t bad_component(int lane) const {
    std::int64_t found = first_not_finite(a_, lane);
    if (found == report::nowhere) found = first_not_finite(a_before_, lane);
    return found == report::nowhere ? found : static_cast<std::int64_t>(size()) + found;
  }

  ENSUE_HD void exchange_lanes(const mask& where, second_order_memory& other) {
    exchange(where, a_, other.a_);
    exchange(where, a_before_, other.a_before_);
    exchange(where, candidate_, other.candidate_);
    exchange_masks(where, stale_, other.stale_);
    sum_.exchange_lanes(where, other.sum_);
  }

  ENSUE_HD ENSUE_INLINE const storage& candidate() const { return candidate_; }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const { return finite(candidate_); }
  ENSUE_HD ENSUE_INLINE storage& scratch() { return candidate_; }

  /// Installs the candidate in x. The state before the step stays in the candidate's memory.
  ENSUE_HD ENSUE_INLINE void accept(const mask& accepted, storage& x) {
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    if constexpr (End == end_acceleration::known) exchange(accepted, a_, a_before_);
    else stale_ = stale_ | accepted;
  }

  using dense_memory = interpolant_memory<storage, 4>;

  /// The inside of the last accepted step, from positions, velocities and accelerations at both of its ends.
  template <class F>
  ENSUE_HD void make_dense(F&, const real&, const real&, const real& h, const storage& x, dense_memory& dense, count&) const {
    make_quintic<Order>(dense.curve, candidate_, x, a_before_.data(), a_.data(), h);
  }
  ENSUE_HD ENSUE_INLINE const storage& before() const { return candidate_; }

 protected:
  using seen = std::remove_cvref_t<decltype(as_argument(std::declval<storage&>()))>;

  ENSUE_HD ENSUE_INLINE std::size_t size() const { return static_cast<std::size_t>(candidate_.size()) / 2; }

  half a_;         ///< at the present state
  half a_before_;  ///< at the state before; in the middle of a step, whatever it needs
  storage candidate_;
  storage derivative_;  ///< x' as a whole, for who asks for it
  compensation<storage> sum_;
  mask stale_ = mask(true);

 private:
  /// The acceleration moved to where the old one is kept, if a new one is to come; moved back if none does.
  struct set_aside {
    second_order_memory& memory;
    ENSUE_HD ENSUE_INLINE explicit set_aside(second_order_memory& m) : memory(m) { move(); }
    ENSUE_HD ENSUE_INLINE ~set_aside() { move(); }  // none is stale once f has returned
    ENSUE_HD ENSUE_INLINE void move() { exchange(memory.stale_, memory.a_, memory.a_before_); }
  };
};

}  // namespace ensue
