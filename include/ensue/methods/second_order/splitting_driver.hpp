/// The one driver of splitting methods: from a table of kicks and drifts to the method protocol.
///
/// Unrolled at compile time; a kick and the drift behind it are one pass over the state.
#pragma once

#include <ensue/methods/second_order/memory.hpp>
#include <ensue/methods/second_order/splitting.hpp>

#include <utility>

namespace ensue {

/// A method that is a table of kicks and drifts.
template <class Method>
concept has_splitting_table = requires {
  Method::table.order;
  Method::table.kick[0];
};

/// With which velocity a kick asks for a force that depends on it.
enum class kick_velocity : unsigned char {
  none,      ///< it may not depend on it
  known,     ///< the one at the step's start, where the only kick is
  lagged,    ///< the one at hand, which is half a kick behind: order 1
  predicted  ///< the one at hand and the kick as the last acceleration would have it: order 2
};

namespace detail {
template <class Method> consteval kick_velocity velocity_in_kicks() {
  if constexpr (requires { Method::velocity; }) return Method::velocity;
  else return Method::table.kicks == 1 ? kick_velocity::known : kick_velocity::none;
}
}  // namespace detail

template <has_splitting_table Method, state State>
class splitting_stepper
    : public second_order_memory<State, Method::table.order, Method::table.ends_with_kick() ? end_acceleration::known : end_acceleration::next_step> {
  static constexpr auto& table = Method::table;
  static constexpr int kicks = table.kicks;
  using memory = second_order_memory<State, table.order, table.ends_with_kick() ? end_acceleration::known : end_acceleration::next_step>;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::half;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::storage;

  static constexpr kick_velocity velocity = detail::velocity_in_kicks<Method>();
  static constexpr system_needed needs =
      velocity == kick_velocity::none ? system_needed::position_force : system_needed::acceleration;
  static constexpr bool divides_evenly = true;
  /// Each kick is the flow of the force itself.
  static constexpr bool symplectic = velocity == kick_velocity::none || velocity == kick_velocity::known;
  static constexpr bool symmetric = symplectic && table.symmetric();
  static constexpr int dense_order = table.order < 4 ? table.order : 4;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return kicks - 1; }

  ENSUE_HD splitting_stepper(const Method&, const storage& like) : memory(like), speed_(this->a_) {}

  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                                     count& evaluations) {
    mask defined(true);
    kick_and_drift<0>(x, this->a_, h);
    run_kicks(f, t, t_new, h, active, evaluations, defined, std::make_integer_sequence<int, kicks - 1>{});
    return defined;
  }

 private:
  static constexpr int stated_order = table.order;
  template <int I> static constexpr base kick_weight = static_cast<base>(Method::table.kick[I]);
  template <int I> static constexpr base drift_weight = static_cast<base>(Method::table.drift[I]);

  /// Where kick I is in the step.
  static constexpr long double position_of_kick(int i) {
    long double c = 0;
    for (int j = 0; j < i; ++j) c += table.drift[j];
    return c;
  }
  static constexpr bool is_one(long double c) { return c > 1 - 1e-15L && c < 1 + 1e-15L; }
  template <int I> static constexpr bool at_the_end = is_one(position_of_kick(I));
  template <int I> static constexpr base c = static_cast<base>(position_of_kick(I));

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_kicks(F& f, const real& t, const real& t_new, const real& h, const mask& active,
                                       count& evaluations, mask& defined, std::integer_sequence<int, I...>) {
    (run_kick<I + 1>(f, t, t_new, h, active, evaluations, defined), ...);
  }

  template <int I, class F>
  ENSUE_HD ENSUE_INLINE void run_kick(F& f, const real& t, const real& t_new, const real& h, const mask& active,
                                      count& evaluations, mask& defined) {
    if (!any(defined)) return;
    real now = t_new;
    if constexpr (!at_the_end<I>) now = t + c<I> * (t_new - t);
    evaluations = evaluations + select(active & defined, count(1), count(0));
    half& a = this->a_before_;
    const scalar *const q = this->candidate_.data(), *v = q + this->size();
    if constexpr (velocity == kick_velocity::predicted) {
      predict<I>(I == 1 ? this->a_ : a, h);
      v = speed_.data();
    }
    defined = defined & accelerate<typename memory::seen>(f, now, q, v, a.data(), this->size());
    kick_and_drift<I>(this->candidate_, a, h);
  }

  /// From `from` into the candidate: v + h·kᵢ·a, then q + h·dᵢ·v with it.
  template <int I> ENSUE_HD ENSUE_INLINE void kick_and_drift(const storage& from, const half& a, const real& h) {
    const struct {
      real kick, drift;
    } by{kick_weight<I> * h, drift_weight<I> * h};
    this->sum_.template with_sum<(I > 0)>([&](const auto& add) ENSUE_INLINE_LAMBDA {
      for_each_in_half(from, [add, by, n = this->size(), from = from.data(), to = this->candidate_.data(),
                              a = a.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        const scalar v = add(n + i, from[n + i], by.kick * a[i]);
        to[n + i] = v;
        if constexpr (drift_weight<I> != 0) to[i] = add(i, from[i], by.drift * v);
      });
    });
  }

  template <int I> ENSUE_HD ENSUE_INLINE void predict(const half& last, const real& h) {
    const real kick = kick_weight<I> * h;
    for_each_element(last, [kick, to = speed_.data(), v = this->candidate_.data() + this->size(),
                            a = last.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = v[i] + kick * a[i]; });
  }

  half speed_;  // a predicted velocity
};

}  // namespace ensue
