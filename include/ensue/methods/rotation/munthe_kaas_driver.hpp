/// The driver of Runge–Kutta–Munthe-Kaas methods: an explicit Runge–Kutta table, applied in the tangent space.
///
///     u_i = h Σ_{j<i} a_ij k_j,     k_i = dexp⁻¹_{u_i}(w(t + c_i h, x.plus(u_i))),     x_new = x.plus(h Σ b_i k_i)
///
/// dexp⁻¹_u(w) = w + ½[u, w] + 1/12 [u, [u, w]] + O(u⁴) (methods/rotation/group.hpp). Since u = O(h), a table of order p needs the terms below
/// u^(p−1) (Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.8, theorem 8.4). The term in u³ vanishes, so that those here do for p ≤ 5.
#pragma once

#include <ensue/methods/rotation/memory.hpp>
#include <ensue/methods/rotation/only_on_groups.hpp>

#include <utility>

namespace ensue {

/// A method that is an explicit table used on a group.
template <class Method>
concept has_munthe_kaas_table = requires {
  Method::table_on_group.order;
  Method::table_on_group.stages;
};

template <has_munthe_kaas_table Method, class State> class munthe_kaas_stepper : public group_memory<State, false> {
  static constexpr auto& table = Method::table_on_group;
  static constexpr int stages = table.stages;
  static_assert(table.order <= 5, "ensue: dexp⁻¹ is cut off behind u²");
  using memory = group_memory<State, false>;

 public:
  using typename memory::base;
  using typename memory::count;
  using typename memory::mask;
  using typename memory::real;
  using typename memory::scalar;
  using typename memory::tangent;

  static constexpr system_needed needs = system_needed::tangent;
  static constexpr bool divides_evenly = false;
  static constexpr int dense_order = table.order < 3 ? table.order : 3;

  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD static constexpr int order() { return stated_order; }
  ENSUE_HD static constexpr int evaluations_of_attempt() { return stages - 1; }

  ENSUE_HD munthe_kaas_stepper(const Method&, const State& like) : memory(like) {}

  template <class F>
  ENSUE_HD ENSUE_INLINE mask attempt(F& f, const real& t, const real& t_new, const real& h, const State& x, const mask& active,
                                     count& evaluations) {
    mask defined(true);
    k_[0] = this->w_;
    run_stages(f, t, t_new, h, x, active, evaluations, defined, std::make_integer_sequence<int, stages - 1>{});
    this->candidate_ = x.plus(combined<stages>(h, std::make_integer_sequence<int, stages>{}));
    return defined;
  }

  ENSUE_HD std::int64_t bad_component(int lane) const {
    for (const tangent& k : k_)
      if (const std::int64_t found = first_not_finite(k, lane); found != report::nowhere)
        return found + static_cast<std::int64_t>(State::size() - tangent::size());
    return memory::bad_component(lane);
  }

 private:
  static constexpr int stated_order = table.order;

  template <class F, int... I>
  ENSUE_HD ENSUE_INLINE void run_stages(F& f, const real& t, const real& t_new, const real& h, const State& x, const mask& active,
                                        count& evaluations, mask& defined, std::integer_sequence<int, I...>) {
    (run_stage<I + 1>(f, t, t_new, h, x, active, evaluations, defined), ...);
  }

  template <int I, class F>
  ENSUE_HD ENSUE_INLINE void run_stage(F& f, const real& t, const real& t_new, const real& h, const State& x, const mask& active,
                                       count& evaluations, mask& defined) {
    if (!any(defined)) return;
    real now = t_new;
    if constexpr (position<I> != base(1)) now = t + position<I> * (t_new - t);
    evaluations = evaluations + select(active & defined, count(1), count(0));
    const tangent u = combined<I>(h, std::make_integer_sequence<int, I>{});
    tangent& w = k_[I];
    defined = defined & evaluate_tangent(f, now, x.plus(u), w);
    if constexpr (stated_order > 2) {  // a term of order h² in k
      const tangent once = State::bracket(u, w), twice = State::bracket(u, once);
      for_each_element(w, [&](std::size_t i) ENSUE_INLINE_LAMBDA { w[i] = w[i] + (base(0.5) * once[i] + twice[i] / base(12)); });
    } else {
      const tangent once = State::bracket(u, w);
      for_each_element(w, [&](std::size_t i) ENSUE_INLINE_LAMBDA { w[i] = w[i] + base(0.5) * once[i]; });
    }
  }

  template <int I> static constexpr base position = static_cast<base>(table.c[I]);

  /// h Σ a_Ij k_j; for I = stages, h Σ b_j k_j.
  template <int I, int... J>
  ENSUE_HD ENSUE_INLINE tangent combined(const real& h, std::integer_sequence<int, J...>) const {
    tangent u;
    for_each_element(u, [&](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((weight<I, J> != base(0) ? void(sum = sum + weight<I, J> * k_[J][i]) : void()), ...);
      u[i] = h * sum;
    });
    return u;
  }
  template <int I, int J> static constexpr base weight = static_cast<base>(I < stages ? table.a[I < stages ? I : 0][J] : table.b[J]);

  tangent k_[stages] = {};
};

template <class Method, class State>
using munthe_kaas_stepper_of = typename detail::stepper_on_group<State, system_needed::tangent, munthe_kaas_stepper, Method>::type;

}  // namespace ensue
