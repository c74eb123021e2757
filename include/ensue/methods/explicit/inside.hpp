/// What a step of a table leaves behind, and what is read off it: its inside (dense output) and how stiff it was.
#pragma once

#include <ensue/methods/explicit/stiffness.hpp>
#include <ensue/methods/explicit/sums.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/model/system.hpp>

namespace ensue {

namespace detail {
constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// The table whose interpolant is used: the step's own, or the one with extra stages.
template <class Method> constexpr const auto& dense_table_of() {
  if constexpr (requires { Method::dense_table; }) return Method::dense_table;
  else return Method::table;
}

/// The polynomials q_j with b_j(θ) = θ b_j(1) + θ(θ − 1) q_j(θ): an interpolant in the form of output/interpolant.hpp.
template <class Table> constexpr auto beyond_the_chord(const Table& table) {
  constexpr int degree = Table::dense_degree, terms = degree > 1 ? degree - 1 : 1;
  struct {
    long double of[Table::stages][terms] = {};
  } q;
  for (int j = 0; j < Table::stages; ++j)
    for (int m = degree - 1; m > 0; --m) q.of[j][m - 1] = table.dense[j][m] + (m + 1 < degree ? q.of[j][m] : 0);
  return q;
}
}  // namespace detail

template <has_explicit_table Method, state State> class explicit_inside {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr int stages = Method::table.stages;
  static constexpr end_derivative end = Method::table.end();
  static constexpr auto& dense_table = detail::dense_table_of<Method>();
  static constexpr bool has_own_interpolant = dense_table.dense_degree > 0;
  /// Columns of the dense table that are known after an accepted step: its stages, and f at its end.
  static constexpr int known_columns = stages + (end == end_derivative::last_stage ? 0 : 1);
  static constexpr int extra_stages_of_dense = has_own_interpolant && dense_table.stages > known_columns ? dense_table.stages - known_columns : 0;

  /// The order of the interpolant: the table's own, or that of Hermite's cubic; none is better than the ends it runs between.
  static constexpr int dense_order = detail::smaller(has_own_interpolant ? dense_table.dense_order : 3, Method::table.order);

  /// Memory for the inside of one step: the interpolant, and stages that it alone needs.
  struct dense_memory {
    interpolant<storage, has_own_interpolant ? dense_table.dense_degree - 1 : 2> curve;
    storage extra[extra_stages_of_dense > 0 ? extra_stages_of_dense : 1] = {};
    storage argument = {};

    ENSUE_HD void allocate(const storage& like) {
      for (storage& s : curve.s) s = like;
      if constexpr (extra_stages_of_dense > 0) {
        for (storage& k : extra) k = like;
        argument = like;
      }
    }
  };

  /// The inside of the last accepted step, of length h from t to t_new, where x is the state at its end. Needs k₁ there (not
  /// stale). The extra stages, where there are any, are evaluated and counted; where f has no value in one of them or at the end, the
  /// interpolant is Hermite's.
  template <class F>
  ENSUE_HD void make_dense(F& f, const real& t, const real& t_new, const real& h, const storage& x, dense_memory& dense,
                           count& evaluations) const {
    mask sound(has_own_interpolant);
    if constexpr (has_own_interpolant) {
      sound = finite(k_[0]);
      run_extra_stages(f, t, t_new - t, h, dense, sound, evaluations, std::make_integer_sequence<int, extra_stages_of_dense>{});
      fill_terms(h, dense, std::make_integer_sequence<int, dense_table.dense_degree - 1>{});
    }
    if (!all(sound)) make_hermite(dense.curve, !sound, before(), x, settled<0>(), k_[0], h);
  }

  /// The state before the last accepted step.
  ENSUE_HD ENSUE_INLINE const storage& before() const {
    if constexpr (keeps_copies) return left_.x;
    else return candidate_;
  }

  /// (h·ρ)², with ρ the growth rate of the fastest component seen in the last accepted step; call it right after `accept`.
  template <class Measure> ENSUE_HD real squared_stiffness_ratio(const storage& x, Measure& measure) const {
    return ratio_of(probe<detail::stiffness_probe<Method>>(x, measure, std::make_integer_sequence<int, stages>{}));
  }

  /// The same of the solution's own motion, where that was by more than thirty tolerances; 0 elsewhere.
  template <class Measure> ENSUE_HD real squared_motion_ratio(const storage& x, const real& h, Measure& measure) const {
    const probed seen = probe<detail::motion_probe<Method>>(x, measure, std::make_integer_sequence<int, stages>{});
    return select(h * h * seen.states > real(900), ratio_of(seen), real(0));
  }

 protected:
  static constexpr int slots = end == end_derivative::last_stage ? stages : stages + 1;
  static constexpr int partner = slots - 1;  ///< where k₁ goes when the next step's k₁ takes its place

  /// Where one trajectory runs in registers, what is exchanged between variables of different use goes through memory, and what is copied out
  /// does not: 7 % of a step (dp54, Lorenz, g++ 12).
  static constexpr bool has_room_for_copies = extent_of<storage> > 0 && lanes_of<scalar> == 1;
  static constexpr bool keeps_copies = has_room_for_copies && !on_device;

  ENSUE_HD explicit explicit_inside(const storage& like) : explicit_inside(like, std::make_index_sequence<slots>{}) {}

  struct nothing {
    nothing() = default;
    ENSUE_HD explicit nothing(const storage&) {}
  };

 private:
  struct left_behind {
    storage x, f;
    ENSUE_HD explicit left_behind(const storage& like) : x(like), f(like) {}
  };
  template <std::size_t... J>
  ENSUE_HD explicit_inside(const storage& like, std::index_sequence<J...>) : k_{((void)J, like)...}, candidate_(like), left_(like) {}

  /// Stage J's derivative once the next step's k₁ is known: it took the place of the old one.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& settled() const {
    if constexpr (J == 0 && keeps_copies && end != end_derivative::next_step) return left_.f;
    else return k_[J == 0 ? partner : J == stages - 1 && end == end_derivative::last_stage ? 0 : J];
  }
  /// The same right after `accept`, when it is not known yet for methods that leave it to the next step.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& accepted() const {
    if constexpr (J == 0 && end == end_derivative::next_step) return k_[0];
    else return settled<J>();
  }

  static constexpr auto dense_terms = detail::beyond_the_chord(dense_table);

  /// The derivative of column J of the dense table.
  template <int J> ENSUE_HD ENSUE_INLINE const storage& column(const dense_memory& dense) const {
    if constexpr (J < stages) return settled<J>();
    else if constexpr (J < known_columns) return k_[0];
    else return dense.extra[J - known_columns];
  }

  /// to = to + h Σ_j w_j (k_j − origin) over the columns J…
  template <class Weight, int... J, class Origin>
  ENSUE_HD void add_columns(scalar* to, const real& h, const dense_memory& dense, Weight, std::integer_sequence<int, J...>,
                            Origin origin) const {
    const auto add = [&](const storage& column, base weight) {
      for_each_element(before(), [to, weight = weight * h, k = column.data(), origin](std::size_t i) ENSUE_INLINE_LAMBDA {
        to[i] = to[i] + weight * (k[i] - origin(i));
      });
    };
    ((Weight::template of<J> != 0 ? add(column<J>(dense), Weight::template of<J>) : void()), ...);
  }

  template <int I> struct extra_row {
    template <int J> static constexpr base of = static_cast<base>(dense_table.a[I][J]);
  };
  template <int M> struct term_row {
    template <int J> static constexpr base of = static_cast<base>(dense_terms.of[J][M]);
  };

  template <class F, int... E>
  ENSUE_HD void run_extra_stages(F& f, const real& t, const real& clock, const real& h, dense_memory& dense, mask& sound,
                                 count& evaluations, std::integer_sequence<int, E...>) const {
    (run_extra_stage<E>(f, t, clock, h, dense, sound, evaluations), ...);
  }
  template <int E, class F>
  ENSUE_HD void run_extra_stage(F& f, const real& t, const real& clock, const real& h, dense_memory& dense, mask& sound,
                                count& evaluations) const {
    constexpr int i = known_columns + E;
    scalar* const x = dense.argument.data();
    for_each_element(before(), [x, from = before().data()](std::size_t i) ENSUE_INLINE_LAMBDA { x[i] = from[i]; });
    add_columns(x, h, dense, extra_row<i>{}, std::make_integer_sequence<int, i>{}, [](std::size_t) { return scalar(0); });
    evaluations = evaluations + count(1);
    sound = sound & evaluate(f, t + static_cast<base>(dense_table.c[i]) * clock, dense.argument, dense.extra[E]);
    sound = sound & finite(dense.extra[E]);
  }

  template <int... M> ENSUE_HD void fill_terms(const real& h, dense_memory& dense, std::integer_sequence<int, M...>) const {
    (fill_term<M>(h, dense), ...);
  }
  /// The weights of a term add up to 0, because those of x(θ) do to θ. So it is a sum over differences of derivatives, which
  /// keeps the digits that weights of thousands with both signs (vern9's) would cost.
  template <int M> ENSUE_HD void fill_term(const real& h, dense_memory& dense) const {
    scalar* const s = dense.curve.s[M].data();
    for_each_element(before(), [s](std::size_t i) ENSUE_INLINE_LAMBDA { s[i] = scalar(0); });
    add_columns(s, h, dense, term_row<M>{}, std::make_integer_sequence<int, dense_table.stages>{},
                [k = column<0>(dense).data()](std::size_t i) ENSUE_INLINE_LAMBDA { return k[i]; });
  }

  /// ‖Σ w_i k_i‖² and ‖Σ_j (Σ_i w_i a_ij) k_j‖² (methods/explicit/stiffness.hpp).
  struct probed {
    real derivatives, states;
  };
  template <class Probe, int J> static constexpr base weight_of_k = static_cast<base>(Probe::weights.of_k[J]);
  template <class Probe, int J> static constexpr base weight_of_x = static_cast<base>(Probe::weights.of_x[J]);
  template <class Probe, class Measure, int... J>
  ENSUE_HD ENSUE_INLINE probed probe(const storage& x, Measure& measure, std::integer_sequence<int, J...>) const {
    const real derivatives = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((weight_of_k<Probe, J> != 0 ? void(sum = sum + weight_of_k<Probe, J> * accepted<J>().data()[i]) : void()), ...);
      return value_of(sum);
    });
    const real states = measure.squared_norm(x, [this](std::size_t i) ENSUE_INLINE_LAMBDA {
      scalar sum(0);
      ((weight_of_x<Probe, J> != 0 ? void(sum = sum + weight_of_x<Probe, J> * accepted<J>().data()[i]) : void()), ...);
      return value_of(sum);
    });
    return {derivatives, states};
  }
  ENSUE_HD static real ratio_of(const probed& seen) { return select(seen.states > real(0), seen.derivatives / seen.states, real(0)); }

 protected:
  storage k_[slots];
  storage candidate_;
  std::conditional_t<has_room_for_copies, left_behind, nothing> left_;  ///< by the last accepted step
};

}  // namespace ensue
