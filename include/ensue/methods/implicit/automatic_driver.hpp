/// The driver that changes between an explicit and an implicit method as the problem turns stiff and back.
///
/// The explicit half tells stiffness from its own stages (methods/explicit/stiffness.hpp): where h·|λ| is near the limit of its stability, step after
/// step, it is stability and not accuracy that keeps steps short. The implicit half knows f', and a vector that is multiplied by it once a
/// step grows by |λ| of its largest eigenvalue (R. von Mises & H. Pollaczek-Geiringer (1929), the power method): where the steps that
/// accuracy allows are well inside the stability of the explicit half, that half is cheaper. After a change back that did not last, the next
/// one waits twice as long: hysteresis. Compare A. C. Hindmarsh & L. R. Petzold's LSODA (Petzold (1983), SIAM J. Sci. Stat. Comput. 4, 136–148).
///
/// A model with algebraic equations is the implicit half's from the beginning.
///
/// Of each half there are several: which one is taken says the tolerance, when the run begins, and of the implicit ones the size of the
/// system. One trajectory of plain numbers.
#pragma once

#include <ensue/control/caution.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/power.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/methods/explicit/driver.hpp>
#include <ensue/methods/implicit/bdf_driver.hpp>
#include <ensue/methods/implicit/radau_driver.hpp>
#include <ensue/methods/implicit/rosenbrock_driver.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <optional>
#include <type_traits>

namespace ensue {

template <class Method, state State> class automatic_stepper {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;
  using loose = explicit_stepper<typename Method::loose, State>;
  using tight = explicit_stepper<typename Method::tight, State>;
  using stiff = rosenbrock_stepper<typename Method::stiff, State>;
  using precise = radau_stepper<typename Method::precise, State>;
  using large = bdf_stepper<typename Method::large, State>;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = false;
  static constexpr bool solves_linear_systems = true;
  static constexpr bool solves_to_tolerance = true;
  static constexpr bool chooses_steps = true;
  static constexpr bool may_estimate = true;
  static constexpr bool takes_mass_matrix = stiff::takes_mass_matrix && precise::takes_mass_matrix && large::takes_mass_matrix;
  static constexpr bool confirms = false;
  static_assert(!loose::confirms && !tight::confirms && !stiff::confirms && !precise::confirms && !large::confirms);
  ENSUE_HD static constexpr const char* name() { return Method::name; }
  ENSUE_HD int order() const {
    return with_half([](const auto& half) { return half.order(); });
  }
  ENSUE_HD static constexpr bool has_estimate() { return true; }
  ENSUE_HD int estimate_order() const {
    return with_half([](const auto& half) { return half.estimate_order(); });
  }
  ENSUE_HD static constexpr double real_stability() { return infinity<double>; }
  /// After a change, the other half's, which has to evaluate f first. The first attempt may change from loose to tight.
  ENSUE_HD std::int64_t evaluations_of_attempt() const {
    const auto most = [](const auto& half) { return static_cast<std::int64_t>(half.evaluations_of_attempt()); };
    const half first = has_mass_ ? (is_large_ ? half::large : half::precise) : half::tight;
    return maximum(with_half(most), with_half(most, begun_ ? next_ : first) + 1);
  }
  ENSUE_HD std::int64_t evaluations_of_fixed_step() const {
    return (is_large_ ? large_.evaluations_of_fixed_step() : stiff_.evaluations_of_attempt()) + 1;
  }

  ENSUE_HD automatic_stepper(const Method&, const storage& like)
      : loose_({}, like),
        tight_({}, like),
        stiff_({}, room(like, !is_large(like))),
        precise_({}, room(like, !is_large(like))),
        large_({}, room(like, is_large(like))),
        grown_(like),
        image_(like),
        largest_(like),
        is_large_(is_large(like)) {}
  template <class F> ENSUE_HD void fit(const F& f) {
    if (is_large_) {
      large_.fit(f);
    } else {
      stiff_.fit(f);
      precise_.fit(f);
    }
    has_mass_ = linear().has_mass();
    if (has_mass_) now_ = next_ = is_large_ ? half::large : half::stiff;
  }

  /// Of the implicit half.
  ENSUE_HD linearization<State>& linear() {
    return is_large_ ? large_.linear() : now_ == half::precise ? precise_.linear() : stiff_.linear();
  }
  template <class F> ENSUE_HD void write_mass(const F& f) {
    if (is_large_) return large_.linear().write_mass(f);
    stiff_.linear().write_mass(f);
    precise_.linear().write_mass(f);
  }
  /// x' at a start, where f is M x'.
  ENSUE_HD void begin_with(const storage& slope) {
    if (now_ == half::large) large_.begin_with(slope);
  }

  ENSUE_HD void control_between_steps(bool on) {
    if (is_large_) return large_.control_between_steps(on);
    stiff_.control_between_steps(on);
    precise_.control_between_steps(on);
  }

  ENSUE_HD ENSUE_INLINE mask stale() const {
    return with_half([](const auto& half) { return half.stale(); });
  }
  /// A state changed from outside is as stiff as it was.
  ENSUE_HD void restart() {
    with_half([](auto& half) { half.restart(); });
    history_ = {};
    rate_ = real(0);
  }
  ENSUE_HD ENSUE_INLINE void forget(const mask& where) {
    with_half([&](auto& half) { half.forget(where); });
  }
  template <class F> ENSUE_HD ENSUE_INLINE mask derivative(F& f, const real& t, const storage& x) {
    return with_half([&](auto& half) { return half.derivative(f, t, x); });
  }
  ENSUE_HD void mark_derivative() {
    with_half([](auto& half) { half.mark_derivative(); });
  }
  ENSUE_HD ENSUE_INLINE const storage& first_derivative() const {
    return with_half([](const auto& half) -> const storage& { return half.first_derivative(); });
  }
  ENSUE_HD ENSUE_INLINE const storage& whole_derivative(const storage& x) const {
    return with_half([&](const auto& half) -> const storage& { return half.whole_derivative(x); });
  }

  /// One step with the half whose turn it is.
  template <class F, class Measure>
  ENSUE_HD mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
                        run_statistics<count>& spent, Measure* measure) {
    if (!begun_ && measure != nullptr) {
      begun_ = true;
      const real least = least_rtol(*measure);
      tight_wanted_ = least < real(base(Method::tight_below));
      patience_ = power(maximum(least, real(epsilon<real>)) / base(1e-7), static_cast<base>(Method::patience_power));
      if (tight_wanted_ && now_ == half::loose) next_ = half::tight;
      if (tight_wanted_ && now_ == half::stiff) next_ = half::precise;
    }
    if (measure == nullptr && is_explicit(now_))
      next_ = is_large_ ? half::large : half::stiff;  // nothing would make a fixed step stable
    if (next_ != now_ && !change_half(f, t, x, spent)) return false;
    switch (now_) {
      case half::loose: return loose_.attempt(f, t, t_new, h, x, active, spent.evaluations);
      case half::tight: return tight_.attempt(f, t, t_new, h, x, active, spent.evaluations);
      case half::stiff: return stiff_.attempt(f, t, t_new, h, x, active, spent);
      case half::precise: return precise_.attempt(f, t, t_new, h, x, active, spent, measure);
      default: return large_.attempt(f, t, t_new, h, x, active, spent, measure);
    }
  }

  ENSUE_HD outcome failure() const {
    return with_half([](const auto& half) {
      if constexpr (requires { half.failure(); }) return half.failure();
      else return outcome::finished;
    });
  }

  /// The largest error that is accepted.
  ENSUE_HD ENSUE_INLINE real limit() const { return history_.limit; }
  template <class Measure> ENSUE_HD real squared_error(const storage& x, const real& h, Measure& measure) {
    return with_half([&](auto& half) { return half.squared_error(x, h, measure); });
  }
  ENSUE_HD void accept(const mask& accepted, storage& x) {
    with_half([&](auto& half) { half.accept(accepted, x); });
  }

  template <class Measure>
  ENSUE_HD real factor_after_accept(const storage& x, const real& squared_error, const real& h, Measure& measure,
                                    const step_size_settings& s) {
    ++steps_;
    if (is_explicit(now_)) look_for_stiffness(x, measure);
    else look_for_its_end(x, h);
    return with_half([&](auto& half) {
      if constexpr (requires { half.chooses_steps; }) return half.factor_after_accept(x, squared_error, h, measure, s);
      else return factor_by_law(half, squared_error, s);
    });
  }
  ENSUE_HD real factor_after_reject(const real& squared_error, const mask& defined, const step_size_settings& s) {
    const real factor = with_half([&](auto& half) {
      if constexpr (requires { half.chooses_steps; }) return half.factor_after_reject(squared_error, defined, s);
      else return defined ? factor_after_failure(half, squared_error, s) : real(base(0.25));
    });
    history_.just_rejected = true;
    return factor;
  }

  ENSUE_HD std::int64_t bad_component(int which) const {
    return with_half([&](const auto& half) { return half.bad_component(which); });
  }
  ENSUE_HD ENSUE_INLINE const storage& candidate() const {
    return with_half([](const auto& half) -> const storage& { return half.candidate(); });
  }
  ENSUE_HD ENSUE_INLINE mask candidate_is_finite() const {
    return with_half([](const auto& half) { return half.candidate_is_finite(); });
  }
  ENSUE_HD ENSUE_INLINE storage& scratch() {
    return with_half([](auto& half) -> storage& { return half.scratch(); });
  }
  ENSUE_HD ENSUE_INLINE storage& scratch_derivative() {
    return with_half([](auto& half) -> storage& { return half.scratch_derivative(); });
  }

  /// What is stiff is not reported but dealt with.
  template <class Measure> ENSUE_HD real squared_stiffness_ratio(const storage&, Measure&) const { return real(0); }

  static constexpr int extra_stages_of_dense = maximum(loose::extra_stages_of_dense, tight::extra_stages_of_dense);
  /// Of the halves, the least.
  static constexpr int dense_order = large::dense_order;

  struct dense_memory {
    using of_loose = typename loose::dense_memory;
    using of_tight = typename tight::dense_memory;
    using of_stiff = typename stiff::dense_memory;
    using of_precise = typename precise::dense_memory;
    using of_large = typename large::dense_memory;
    static constexpr int terms = [] {
      int most = decltype(of_loose::curve)::terms;
      for (const int each : {decltype(of_tight::curve)::terms, decltype(of_stiff::curve)::terms,
                             decltype(of_precise::curve)::terms, decltype(of_large::curve)::terms})
        if (each > most) most = each;
      return most;
    }();

    interpolant<storage, terms> curve;
    of_loose in_loose = {};
    of_tight in_tight = {};
    of_stiff in_stiff = {};
    of_precise in_precise = {};
    of_large in_large = {};
    ENSUE_HD void allocate(const storage& like) {
      for (storage& s : curve.s) s = like;
      in_loose.allocate(like);
      in_tight.allocate(like);
      in_stiff.allocate(like);
      in_precise.allocate(like);
      in_large.allocate(like);
    }
  };

  template <class F>
  ENSUE_HD void make_dense(F& f, const real& t, const real& t_new, const real& h, const storage& x, dense_memory& dense,
                           count& evaluations) const {
    const auto make = [&](const auto& half, auto& memory) {
      half.make_dense(f, t, t_new, h, x, memory, evaluations);
      constexpr int own = std::remove_cvref_t<decltype(memory.curve)>::terms;
      for (int m = 0; m < dense_memory::terms; ++m)
        for_each_element(x,
                         [to = dense.curve.s[m].data(), from = memory.curve.s[m < own ? m : 0].data(),
                          known = m < own](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = known ? from[i] : scalar(0); });
    };
    switch (now_) {
      case half::loose: return make(loose_, dense.in_loose);
      case half::tight: return make(tight_, dense.in_tight);
      case half::stiff: return make(stiff_, dense.in_stiff);
      case half::precise: return make(precise_, dense.in_precise);
      default: return make(large_, dense.in_large);
    }
  }
  ENSUE_HD ENSUE_INLINE const storage& before() const {
    return with_half([](const auto& half) -> const storage& { return half.before(); });
  }

 private:
  enum class half : unsigned char { loose, tight, stiff, precise, large };
  ENSUE_HD static bool is_explicit(half which) { return which == half::loose || which == half::tight; }

  ENSUE_HD static bool is_large(const storage& like) {
    return static_cast<std::size_t>(like.size()) >= Method::large_from;
  }
  /// Memory like that of a state, or, of a dynamic one, none.
  ENSUE_HD static storage room(const storage& like, bool used) {
    if constexpr (extent_of<storage> > 0) return like;
    else return used ? like : storage();
  }
  template <class Measure> ENSUE_HD static real least_rtol(const Measure& measure) {
    real least(infinity<real>);
    for (std::size_t i = 0; i < measure.rtol().size(); ++i) least = minimum(measure.rtol()[i], least);
    return least;
  }

  template <class Body> ENSUE_HD ENSUE_INLINE decltype(auto) with_half(const Body& body) {
    return with_half_of(*this, body, now_);
  }
  template <class Body> ENSUE_HD ENSUE_INLINE decltype(auto) with_half(const Body& body) const {
    return with_half_of(*this, body, now_);
  }
  template <class Body> ENSUE_HD ENSUE_INLINE decltype(auto) with_half(const Body& body, half which) const {
    return with_half_of(*this, body, which);
  }
  template <class Self, class Body> ENSUE_HD ENSUE_INLINE static decltype(auto) with_half_of(Self& self,
                                                                                             const Body& body,
                                                                                             half which) {
    switch (which) {
      case half::loose: return body(self.loose_);
      case half::tight: return body(self.tight_);
      case half::stiff: return body(self.stiff_);
      case half::precise: return body(self.precise_);
      default: return body(self.large_);
    }
  }

  template <class F> ENSUE_HD bool change_half(F& f, const real& t, const storage& x, run_statistics<count>& spent) {
    now_ = next_;
    law_.reset();
    history_ = {};
    steps_ = 0;
    score_ = real(0);
    rate_ = real(0);
    spent.evaluations = spent.evaluations + count(1);
    return with_half([&](auto& half) {
      half.restart();
      if constexpr (requires { half.linear(); }) half.linear().remember_sizes(largest_);
      return half.derivative(f, t, x);
    });
  }

  ENSUE_HD const step_size_law<real>& law_of_half(const step_size_settings& s) {
    if (!law_) law_.emplace(s, estimate_order());
    return *law_;
  }

  template <class Half> ENSUE_HD real factor_by_law(const Half&, const real& squared_error, const step_size_settings& s) {
    const step_size_law<real>& law = law_of_half(s);
    real factor(1);
    if (!law.keeps(squared_error)) {
      factor = law.after_accept(caution<real>::in_units_of_limit(history_, squared_error), history_);
      caution<real>::after_accept(history_, true, factor);
    }
    law.remember(history_, true, squared_error);
    return factor;
  }
  template <class Half> ENSUE_HD real factor_after_failure(const Half& half, const real& squared_error, const step_size_settings& s) {
    const step_size_law<real>& law = law_of_half(s);
    if (overlooks_jumps(half) && s.per == error_per::step) caution<real>(law.halving()).after_reject(history_, true, squared_error);
    return law.after_reject(caution<real>::in_units_of_limit(history_, squared_error));
  }

  /// Looks at every second step. One that was at the limit adds to a score, one that was not takes from it.
  template <class Measure> ENSUE_HD void look_for_stiffness(const storage& x, Measure& measure) {
    if (steps_ % 2 != 0) return;
    for_each_element(x, [from = x.data(), to = largest_.data()](std::size_t i)
                            ENSUE_INLINE_LAMBDA { to[i] = maximum(to[i], magnitude(from[i])); });
    const auto ratio = [&](const auto& half) {
      return power(half.squared_stiffness_ratio(x, measure), base(0.5)) / static_cast<base>(half.real_stability());
    };
    const bool is_loose = now_ == half::loose;
    const real part = is_loose ? ratio(loose_) : ratio(tight_), patience = is_loose ? real(1) : patience_;
    score_ = maximum(real(0), score_ + minimum(part, real(base(1.5))) -
                                  patience * static_cast<base>(is_loose ? Method::loose_part : Method::tight_part));
    if (score_ < patience * static_cast<base>(Method::score_to_change)) return;
    if (steps_ < 200) wait_ = wait_ < 1024 ? 2 * wait_ : wait_;  // it has not been explicit for long
    next_ = is_large_ ? half::large : tight_wanted_ ? half::precise : half::stiff;
  }

  /// Where h·|λ| has been small for a while.
  ENSUE_HD void look_for_its_end(const storage& x, const real& h) {
    if (has_mass_) return;
    const bool small = magnitude(h) * growth_rate(x) < static_cast<base>(Method::small_part * loose::real_stability());
    calm_steps_ = small ? calm_steps_ + 1 : 0;
    if (calm_steps_ < wait_) return;
    calm_steps_ = 0;
    next_ = tight_wanted_ ? half::tight : half::loose;
  }

  /// |λ| of the largest eigenvalue, by one multiplication with f'. Where two eigenvalues are as large as each other, estimates swing: the
  /// last few count.
  ENSUE_HD real growth_rate(const storage& x) {
    if (rate_ == real(0))
      for_each_element(x, [v = grown_.data()](std::size_t i) { v[i] = scalar(i % 2 == 0 ? 1 : -1) / scalar(i + 1); });
    with_half([&](auto& half) {
      if constexpr (requires { half.linear(); }) half.linear().multiply(grown_, image_);
    });
    real before(0), after(0);
    for_each_in_order(x, [&, v = grown_.data(), w = image_.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      before = before + v[i] * v[i];
      after = after + w[i] * w[i];
    });
    const real grown = power(after / before, base(0.5)), scale = power(after, base(-0.5));
    for_each_element(
        x, [&, v = grown_.data(), w = image_.data()](std::size_t i) ENSUE_INLINE_LAMBDA { v[i] = scale * w[i]; });
    rate_ = maximum(grown, base(0.3) * rate_);
    return rate_;
  }

  loose loose_;
  tight tight_;
  stiff stiff_;
  precise precise_;
  large large_;
  storage grown_, image_;  ///< the power method's vector, and f' times it
  storage largest_;        ///< that each component was while the explicit half went: differences want to know
  std::optional<step_size_law<real>> law_;
  step_size_history<real> history_;
  real score_ = real(0), rate_ = real(0);
  real patience_ = real(1);  ///< with the explicit half of many digits
  int steps_ = 0, calm_steps_ = 0, wait_ = Method::calm_steps;
  half now_ = half::loose, next_ = half::loose;
  bool is_large_, has_mass_ = false, begun_ = false, tight_wanted_ = false;
};

}  // namespace ensue
