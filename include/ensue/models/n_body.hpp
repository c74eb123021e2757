/// Bodies that attract each other: Newton's gravity, every pair, softened on request.
///
///     const ensue::models::n_body<double> stars({1, 1, 0.5}, {.gravitation = 1, .softening = 0.01});
///     auto run = ensue::solve(stars, x0, {0, 100}, ensue::rkn1210{}, {.rtol = 1e-10});
///     stars.energy(run.state)
///
/// qᵢ'' = G Σⱼ mⱼ (qⱼ − qᵢ)/(|qⱼ − qᵢ|² + ε²)^(3/2): H. C. Plummer (1911), Mon. Not. R. Astron. Soc. 71, 460–470. The state is x = (q, v) with three numbers a
/// body. Two bodies in one place attract each other not at all. The sum is direct, n² terms, in registers of eight numbers.
#pragma once

#include <ensue/models/points.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ensue::models {

struct gravity_law {
  double gravitation = 1;  ///< Newton's constant in the units of the problem
  double softening = 0;    ///< ε, a length
};

template <class T> class n_body {
 public:
  static constexpr const char* name = "n bodies";
  static constexpr const char* citation = "Newton (1687), Philosophiae naturalis principia mathematica; Plummer (1911), MNRAS 71, 460-470";
  static constexpr bool is_autonomous = true;

  /// Throws std::invalid_argument where a mass or a constant is negative or no number. Bodies without mass are moved and do not move others.
  explicit n_body(std::vector<T> masses, const gravity_law& law = {}) : masses_(std::move(masses)), law_(law) {
    for (std::size_t i = 0; i < masses_.size(); ++i) require_not_negative("body", i, "mass", static_cast<double>(masses_[i]));
    require_not_negative("gravity", 0, "softening", law_.softening);
    if (!std::isfinite(law_.gravitation)) refuse_element("gravity", 0, "its constant is not a finite number");
  }

  std::size_t bodies() const { return masses_.size(); }
  T mass(std::size_t i) const { return masses_[i]; }

  template <class Time, class Q, class A> void acceleration(const Time&, const Q& q, A& a) const {
    using S = std::remove_cvref_t<decltype(a[0])>;
    std::size_t first = 0;
#if ENSUE_HAS_PACK
    // Several bodies side by side; each of the others is the same number in all lanes.
    if constexpr (std::is_same_v<S, T> && plain_scalar<T>) {
      constexpr std::size_t width = 8;
      using lanes = pack<T, static_cast<int>(width)>;
      for (; first + width <= masses_.size(); first += width) {
        T own[3][width];
        for (std::size_t l = 0; l < width; ++l)
          for (std::size_t c = 0; c < 3; ++c) own[c][l] = q[3 * (first + l) + c];
        lanes sum[3];
        attract<lanes>({lanes::load(own[0]), lanes::load(own[1]), lanes::load(own[2])}, q.data(), sum);
        for (std::size_t c = 0; c < 3; ++c) sum[c].store(own[c]);
        for (std::size_t l = 0; l < width; ++l)
          for (std::size_t c = 0; c < 3; ++c) a[3 * (first + l) + c] = own[c][l];
      }
    }
#endif
    for (; first < masses_.size(); ++first) {
      S sum[3];
      attract<S>({q[3 * first], q[3 * first + 1], q[3 * first + 2]}, q.data(), sum);
      for (std::size_t c = 0; c < 3; ++c) a[3 * first + c] = sum[c];
    }
  }

  template <class X> auto energy(const X& x) const {
    using std::sqrt;
    using S = std::remove_cvref_t<decltype(x[0])>;
    const std::size_t n = 3 * masses_.size();
    S sum(0);
    for (std::size_t i = 0; i < n; ++i) sum = sum + (T(0.5) * masses_[i / 3]) * (x[n + i] * x[n + i]);
    const std::span<const S> q(x.data(), n);
    for (std::size_t i = 0; i < masses_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const vec<S, 3> d = at(q, j) - at(q, i);
        sum = sum - (T(law_.gravitation) * masses_[i] * masses_[j]) / sqrt(dot(d, d) + T(law_.softening * law_.softening));
      }
    return sum;
  }
  template <class X> vec<T, 3> momentum(const X& x) const {
    return summed(x, [](const vec<T, 3>&, const vec<T, 3>& v) { return v; });
  }
  /// About the origin.
  template <class X> vec<T, 3> angular_momentum(const X& x) const {
    return summed(x, [](const vec<T, 3>& q, const vec<T, 3>& v) { return cross(q, v); });
  }

 private:
  /// On what is at `from`, by all bodies.
  template <class S> ENSUE_INLINE void attract(const vec<S, 3>& from, const auto* q, S (&sum)[3]) const {
    using std::sqrt;
    const T softening = static_cast<T>(law_.softening * law_.softening), gravitation = static_cast<T>(law_.gravitation);
    const T* const masses = masses_.data();
    S x(0), y(0), z(0);
    for (std::size_t j = 0; j < masses_.size(); ++j) {
      const S dx = q[3 * j] - from[0], dy = q[3 * j + 1] - from[1], dz = q[3 * j + 2] - from[2];
      const S squared = dx * dx + dy * dy + dz * dz + softening;
      const auto apart = squared > S(0);
      const S safe = select(apart, squared, S(1));
      const S pull = select(apart, masses[j] / (safe * sqrt(safe)), S(0));
      x = x + pull * dx, y = y + pull * dy, z = z + pull * dz;
    }
    sum[0] = gravitation * x, sum[1] = gravitation * y, sum[2] = gravitation * z;
  }
  template <class X, class Term> vec<T, 3> summed(const X& x, const Term& term) const {
    const std::size_t n = 3 * masses_.size();
    const std::span<const T> q(x.data(), n), v(x.data() + n, n);
    vec<T, 3> sum = {0, 0, 0};
    for (std::size_t i = 0; i < masses_.size(); ++i) sum = sum + masses_[i] * term(at(q, i), at(v, i));
    return sum;
  }

  std::vector<T> masses_;
  gravity_law law_;
};

}  // namespace ensue::models
