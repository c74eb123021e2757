/// The discrete Moser–Veselov step of a rigid body: a discrete Lagrangian, integrable like the body itself.
#pragma once

#include <ensue/methods/rotation/turning_driver.hpp>

namespace ensue {

/// J. Moser & A. P. Veselov (1991), "Discrete versions of some classical integrable systems and factorization of matrix polynomials", Comm.
/// Math. Phys. 139, 217–243; R. I. McLachlan & A. Zanna (2005), "The discrete Moser–Veselov algorithm for the free rigid body, revisited",
/// Found. Comput. Math. 5, 87–123; with quaternions, E. Hairer & G. Vilmart (2006), J. Phys. A 39, 13225–13235.
///
/// The step's rotation F solves h·m̂ = F J − J Fᵀ with J = ½ tr(I) − I, and m_new = Fᵀ m. For the unit quaternion (1, u)/√(1 + |u|²) of F, with
/// F = ((1 − |u|²) + 2uuᵀ + 2û)/(1 + |u|²) and v̂J + Jv̂ = (Iv)^, vuᵀ − uvᵀ = (u × v)^, that is
///
///     I u + u × I u = ½ h m (1 + |u|²)
///
/// three quadratic equations, which Newton's method solves to rounding from u = ½ h I⁻¹ m in two or three rounds. The step conserves energy
/// and momentum exactly, is symplectic and symmetric; its error is one of speed along the orbit, of order 2. Where h·|ω| is so large that no F
/// exists, the answer is not a number, and the run says so.
struct moser_veselov {
  static constexpr const char* name = "moser-veselov";
  static constexpr const char* citation = "Moser & Veselov (1991), Comm. Math. Phys. 139, 217-243; McLachlan & Zanna (2005), FoCM 5, 87-123";
  static constexpr int order = 2;
  template <class State> using stepper = turning_stepper_of<moser_veselov, State>;

  template <class T> ENSUE_HD ENSUE_INLINE static quaternion<T> turn(const T& h, const vec<T, 3>& inertia, const vec<T, 3>& m) {
    using std::sqrt;
    const base_of<T> half(0.5);
    const vec<T, 3> p = {half * (h * m[0]), half * (h * m[1]), half * (h * m[2])};
    vec<T, 3> u = {p[0] / inertia[0], p[1] / inertia[1], p[2] / inertia[2]};
    auto moving = dot(u, u) > T(0);
    auto unsolved = moving;
    for (int round = 0; round < most_rounds && any(moving); ++round) {
      const vec<T, 3> step = newton_step(inertia, p, u);
      for (std::size_t i = 0; i < 3; ++i) u[i] = select(moving, u[i] - step[i], u[i]);
      // Quadratic: a step of √ε of u leaves ε of it.
      unsolved = dot(step, step) > base_of<T>(0.01) * epsilon<T> * dot(u, u);
      moving = moving & unsolved;
    }
    const T one_and_square = T(1) + dot(u, u);
    const T w = select(moving, T(infinity<T> - infinity<T>), T(1) / sqrt(one_and_square));
    return {w, w * u[0], w * u[1], w * u[2]};
  }

 private:
  static constexpr int most_rounds = 12;

  /// g = I u + u × I u − p (1 + |u|²), solved for its linearisation by Cramer's rule.
  template <class T>
  ENSUE_HD ENSUE_INLINE static vec<T, 3> newton_step(const vec<T, 3>& inertia, const vec<T, 3>& p, const vec<T, 3>& u) {
    const T &a = inertia[0], &b = inertia[1], &c = inertia[2];
    const T r = T(1) + dot(u, u), x = u[0] + u[0], y = u[1] + u[1], z = u[2] + u[2];
    const vec<T, 3> g = {a * u[0] + (c - b) * u[1] * u[2] - p[0] * r, b * u[1] + (a - c) * u[2] * u[0] - p[1] * r,
                         c * u[2] + (b - a) * u[0] * u[1] - p[2] * r};
    // Columns of the Jacobian.
    const vec<T, 3> d[3] = {{a - p[0] * x, (a - c) * u[2] - p[1] * x, (b - a) * u[1] - p[2] * x},
                            {(c - b) * u[2] - p[0] * y, b - p[1] * y, (b - a) * u[0] - p[2] * y},
                            {(c - b) * u[1] - p[0] * z, (a - c) * u[0] - p[1] * z, c - p[2] * z}};
    const vec<T, 3> yz = cross(d[1], d[2]), zx = cross(d[2], d[0]), xy = cross(d[0], d[1]);
    const T scale = T(1) / dot(d[0], yz);
    return {scale * dot(g, yz), scale * dot(g, zx), scale * dot(g, xy)};
  }
};

}  // namespace ensue
