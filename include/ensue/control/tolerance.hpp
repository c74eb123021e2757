/// How wrong a step may be, component by component: atol + rtol·|x|.
///
///     {.rtol = 1e-8, .atol = ensue::vec{1e-6, 1e-6, 1e-9}}
#pragma once

#include <ensue/numbers/state.hpp>

namespace ensue {

/// One number for all components, or one a component.
template <state S> class tolerance {
 public:
  using real = real_type<S>;

  ENSUE_HD ENSUE_INLINE tolerance(const real& everywhere) {
    for (std::size_t i = 0; i < N; ++i) each_[i] = everywhere;
  }
  template <class A>
    requires(std::is_arithmetic_v<A> && !std::is_same_v<A, real>)
  ENSUE_HD ENSUE_INLINE tolerance(A everywhere) : tolerance(real(static_cast<base_of<real>>(everywhere))) {}
  template <state V>
  ENSUE_HD ENSUE_INLINE tolerance(const V& each) {
    static_assert(extent_of<V> == 0 || extent_of<V> == N, "tolerances by component need one number for each component of the state");
    for (std::size_t i = 0; i < N; ++i) each_[i] = real(of_another_size);
    if (static_cast<std::size_t>(each.size()) == N)
      for (std::size_t i = 0; i < N; ++i) each_[i] = each.data()[i];
  }

  ENSUE_HD ENSUE_INLINE const real& operator[](std::size_t i) const { return each_[i]; }
  ENSUE_HD ENSUE_INLINE real& operator[](std::size_t i) { return each_[i]; }
  ENSUE_HD ENSUE_INLINE static constexpr std::size_t size() { return N; }
  ENSUE_HD ENSUE_INLINE bool fits(std::size_t) const { return !any(each_[0] == real(of_another_size)); }

 private:
  static constexpr std::size_t N = extent_of<S>;
  static constexpr base_of<real> of_another_size = -infinity<real>;
  real each_[N];
};

/// Dynamic states: a single number is not spread over memory, because a large state pays for every byte it reads.
template <state S>
  requires(extent_of<S> == 0)
class tolerance<S> {
 public:
  using real = real_type<S>;

  constexpr tolerance(const real& everywhere) : everywhere_(everywhere) {}
  template <class A>
    requires(std::is_arithmetic_v<A> && !std::is_same_v<A, real>)
  constexpr tolerance(A everywhere) : everywhere_(static_cast<base_of<real>>(everywhere)) {}
  template <state V> constexpr tolerance(const V& each) : each_(each.size()), by_component_(true) {
    for (std::size_t i = 0; i < each_.size(); ++i) each_[i] = each.data()[i];
  }

  constexpr const real& operator[](std::size_t i) const { return by_component_ ? each_[i] : everywhere_; }
  constexpr real& operator[](std::size_t i) { return by_component_ ? each_[i] : everywhere_; }
  /// How many numbers it holds: 1, or one a component.
  constexpr std::size_t size() const { return by_component_ ? each_.size() : 1; }
  /// Whether a state of so many components can be measured with it.
  constexpr bool fits(std::size_t components) const { return !by_component_ || each_.size() == components; }

 private:
  real everywhere_ = real(0);
  buffer<real> each_;
  bool by_component_ = false;
};

/// The size of an error that counts as 1: atol + rtol·max(|x|, |x_new|). Written so that a NaN in x_new comes through.
template <class real> ENSUE_HD ENSUE_INLINE real error_scale(const real& atol, const real& rtol, const real& x, const real& x_new) {
  return atol + rtol * maximum(magnitude(x), magnitude(x_new));
}

/// error/scale. A GPU divides in ten instructions or more, of which this needs two to four: an error need not be known to the last digit, nor
/// is a scale beyond a quarter of the largest number worth telling from that. (`Limited`: who knows that there are none need not ask.)
template <class real, bool Limited = false> ENSUE_HD ENSUE_INLINE real error_ratio(const real& error, const real& scale) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<real, float>) {
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(Limited ? scale : fminf(scale, 0x1p126f)));  // to its last bit
    return error * inverse;
  } else if constexpr (std::is_same_v<real, double>) {
    const double limited = Limited ? scale : fmin(scale, 0x1p1021);
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(limited));  // 20 bits; 40 after one of Newton's steps
    return error * (inverse * (2 - limited * inverse));
  } else
#endif
    return error * (real(1) / scale);  // while the error is still waited for
}

}  // namespace ensue
