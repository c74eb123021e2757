/// Second-order problems that several tests share, each written once for every scalar.
#pragma once

#include <ensue/registry.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>
#include <span>
#include <vector>

namespace ensue::tests {

/// M. Hénon & C. Heiles (1964), Astron. J. 69, 73–79: two coupled oscillators, chaotic at higher energies.
struct henon_heiles {
  template <class real, class Q, class A> void acceleration(const real&, const Q& q, A& a) const {
    a[0] = -q[0] - (q[0] * q[1] + q[0] * q[1]);
    a[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
  }
  template <class X> static auto energy(const X& x) {
    return 0.5 * (x[2] * x[2] + x[3] * x[3] + x[0] * x[0] + x[1] * x[1]) + x[0] * x[0] * x[1] - x[1] * x[1] * x[1] / 3;
  }
};
inline const std::vector<double> henon_heiles_start{0.12, 0.2, 0.3, -0.15};

/// Two coupled pendulums, pushed in time: nonlinear, with t, a vector.
struct pushed_pendulums {
  template <class Q, class A> void acceleration(double t, const Q& q, A& a) const {
    a[0] = -std::sin(q[0]) + 0.5 * (q[1] - q[0]) + 0.3 * std::cos(1.3 * t);
    a[1] = -2 * std::sin(q[1]) + 0.5 * (q[0] - q[1]);
  }
};
inline const std::vector<double> pendulums_start{1, -0.4, 0.2, 0.7};

/// The same, slowed by the air.
struct dragged_pendulums {
  template <class Q, class V, class A> void acceleration(double t, const Q& q, const V& v, A& a) const {
    pushed_pendulums{}.acceleration(t, q, a);
    for (std::size_t i = 0; i < 2; ++i) a[i] -= 0.3 * v[i] * std::sqrt(1 + v[i] * v[i]);
  }
};

/// Five bodies of different masses under gravity, softened so that none comes too close.
struct bodies {
  static constexpr std::size_t count = 5;
  static constexpr double mass[count] = {1, 0.3, 0.7, 0.05, 0.4};

  void acceleration(double, std::span<const double> q, std::span<double> a) const {
    for (double& each : a) each = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double d[3], r2 = 0.01;
        for (std::size_t k = 0; k < 3; ++k) d[k] = q[3 * j + k] - q[3 * i + k], r2 += d[k] * d[k];
        const double pull = 1 / (r2 * std::sqrt(r2));
        for (std::size_t k = 0; k < 3; ++k) a[3 * i + k] += mass[j] * pull * d[k], a[3 * j + k] -= mass[i] * pull * d[k];
      }
  }

  static std::vector<double> start() {
    std::vector<double> x(6 * count);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7 * static_cast<double>(i * i) + 0.3) * (i < 3 * count ? 2 : 0.4);
    return x;
  }

  /// The linear and the angular momentum, three numbers each.
  static std::vector<double> momenta(std::span<const double> x) {
    std::vector<double> p(6);
    for (std::size_t i = 0; i < count; ++i) {
      const double *const q = &x[3 * i], *const v = &x[3 * (count + i)];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
        p[k] += mass[i] * v[k];
        p[3 + k] += mass[i] * (q[l] * v[m] - q[m] * v[l]);
      }
    }
    return p;
  }
};

/// Where a problem is at time t, to all digits that doubles have.
template <class Model> std::vector<double> truly(const Model& model, const std::vector<double>& start, double t) {
  const auto sim = find_method("vern9")->make(model, start, 0, {.rtol = 1e-14, .atol = 1e-15, .compensated = true});
  sim->advance_to(t);
  return {sim->state().begin(), sim->state().end()};
}

inline double distance(std::span<const double> x, std::span<const double> y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

/// Methods of the registry that take nothing but second-order systems, with fixed steps. (The others: nystrom_test.cpp.)
inline std::vector<const method_info*> registered_second_order_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (!method->adaptive && (method->needs == system_needed::acceleration || method->needs == system_needed::position_force))
      found.push_back(method);
  return found;
}

}  // namespace ensue::tests
