/// Steady flows in space, for particles that are carried along.
///
///     ensue::batch drift{ensue::models::abc_flow<float>{}, ensue::tsit5{}};
///     drift.advance(particles, {0.f, 10.f});
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/sine_and_cosine.hpp>
#include <ensue/numbers/state.hpp>

namespace ensue::models {

/// Arnold, Beltrami & Childress: an exact steady solution of Euler's equations whose paths are chaotic. T. Dombre, U. Frisch, J. M. Greene,
/// M. Hénon, A. Mehr & A. M. Soward (1986), "Chaotic streamlines in the ABC flows", J. Fluid Mech. 167, 353–391.
template <class T> struct abc_flow {
  static constexpr std::size_t dimension = 3;
  T a = T(1.7320508075688772), b = T(1.4142135623730951), c = T(1);  ///< √3, √2, 1

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE void operator()(const Time&, const X& x, DX& dx) const {
    const auto first = sine_and_cosine(x[0]), second = sine_and_cosine(x[1]), third = sine_and_cosine(x[2]);
    dx[0] = a * third.sine + c * second.cosine;
    dx[1] = b * first.sine + a * third.cosine;
    dx[2] = c * second.sine + b * first.cosine;
  }
};

/// Taylor & Green's array of vortices, held at its first instant: u = A cos x sin y sin z, v = B sin x cos y sin z, w = C sin x sin y cos z with
/// A + B + C = 0. G. I. Taylor & A. E. Green (1937), "Mechanism of the production of small eddies from large ones", Proc. R. Soc. A 158,
/// 499–521.
template <class T> struct taylor_green {
  static constexpr std::size_t dimension = 3;
  T a = T(1), b = T(-1), c = T(0);

  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE void operator()(const Time&, const X& x, DX& dx) const {
    const auto first = sine_and_cosine(x[0]), second = sine_and_cosine(x[1]), third = sine_and_cosine(x[2]);
    dx[0] = a * first.cosine * second.sine * third.sine;
    dx[1] = b * first.sine * second.cosine * third.sine;
    dx[2] = c * first.sine * second.sine * third.cosine;
  }
};

}  // namespace ensue::models
