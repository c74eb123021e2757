/// The stiff problems of the work–precision table, with their Jacobians, once for everybody: f(t, x, dx) over anything that can be indexed,
/// and jacobian(x, put) with put(i, j, ∂f_i/∂x_j) for each element that is not always zero. None depends on time.
#pragma once

#include "brusselator.hpp"
#include "problems.hpp"

namespace bench {

/// B. van der Pol (1926): x'' = μ((1 − x²)x' − x) in the time of the slow motion (Hairer & Wanner II, IV.10), μ = 1/ε.
template <int Decades> struct van_der_pol {
  static constexpr const char* name = Decades == 3 ? "Van der Pol, 1e3" : "Van der Pol, 1e6";
  static constexpr double mu = Decades == 3 ? 1e3 : 1e6;
  static constexpr std::size_t dimension = 2;
  static constexpr std::array<double, dimension> start{2, 0};
  static constexpr double end = 2, atol_factor = 1, first_step = 1e-6;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T x = u[0], v = u[1];
    du[0] = v;
    du[1] = T(mu) * ((T(1) - x * x) * v - x);
  }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    put(0, 1, T(1));
    put(1, 0, T(mu) * (T(-2) * u[0] * u[1] - T(1)));
    put(1, 1, T(mu) * (T(1) - u[0] * u[0]));
  }
};

/// H. H. Robertson (1966).
struct robertson {
  static constexpr const char* name = "ROBER";
  static constexpr std::size_t dimension = 3;
  static constexpr std::array<double, dimension> start{1, 0, 0};
  static constexpr double end = 1e11, atol_factor = 1e-6, first_step = 1e-5;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T decay = T(0.04) * u[0], back = T(1e4) * u[1] * u[2], onward = T(3e7) * u[1] * u[1];
    du[0] = back - decay;
    du[1] = decay - back - onward;
    du[2] = onward;
  }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    const T a = T(1e4) * u[2], b = T(1e4) * u[1], c = T(6e7) * u[1];
    put(0, 0, T(-0.04)), put(0, 1, a), put(0, 2, b);
    put(1, 0, T(0.04)), put(1, 1, -a - c), put(1, 2, -b);
    put(2, 1, c);
  }
};

/// E. Schäfer (1975).
struct high_irradiance {
  static constexpr const char* name = "HIRES";
  static constexpr std::size_t dimension = 8;
  static constexpr std::array<double, dimension> start{1, 0, 0, 0, 0, 0, 0, 0.0057};
  static constexpr double end = 321.8122, atol_factor = 1e-2, first_step = 1e-4;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T y0 = u[0], y1 = u[1], y2 = u[2], y3 = u[3], y4 = u[4], y5 = u[5], y6 = u[6], bound = T(280) * u[5] * u[7];
    du[0] = T(-1.71) * y0 + T(0.43) * y1 + T(8.32) * y2 + T(0.0007);
    du[1] = T(1.71) * y0 - T(8.75) * y1;
    du[2] = T(-10.03) * y2 + T(0.43) * y3 + T(0.035) * y4;
    du[3] = T(8.32) * y1 + T(1.71) * y2 - T(1.12) * y3;
    du[4] = T(-1.745) * y4 + T(0.43) * (y5 + y6);
    du[5] = T(0.69) * y3 + T(1.71) * y4 - T(0.43) * y5 + T(0.69) * y6 - bound;
    du[6] = bound - T(1.81) * y6;
    du[7] = T(1.81) * y6 - bound;
  }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    const T a = T(280) * u[7], b = T(280) * u[5];
    put(0, 0, T(-1.71)), put(0, 1, T(0.43)), put(0, 2, T(8.32));
    put(1, 0, T(1.71)), put(1, 1, T(-8.75));
    put(2, 2, T(-10.03)), put(2, 3, T(0.43)), put(2, 4, T(0.035));
    put(3, 1, T(8.32)), put(3, 2, T(1.71)), put(3, 3, T(-1.12));
    put(4, 4, T(-1.745)), put(4, 5, T(0.43)), put(4, 6, T(0.43));
    put(5, 3, T(0.69)), put(5, 4, T(1.71)), put(5, 5, T(-0.43) - a), put(5, 6, T(0.69)), put(5, 7, -b);
    put(6, 5, a), put(6, 6, T(-1.81)), put(6, 7, b);
    put(7, 5, -a), put(7, 6, T(1.81)), put(7, 7, -b);
  }
};

/// R. J. Field & R. M. Noyes (1974).
struct oregonator {
  static constexpr const char* name = "OREGO";
  static constexpr std::size_t dimension = 3;
  static constexpr std::array<double, dimension> start{1, 2, 3};
  static constexpr double end = 360, atol_factor = 1, first_step = 1e-4;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T x = u[0], y = u[1], z = u[2];
    du[0] = T(77.27) * (y + x - x * y - T(8.375e-6) * x * x);
    du[1] = (z - (T(1) + x) * y) * T(1 / 77.27);
    du[2] = T(0.161) * (x - z);
  }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    put(0, 0, T(77.27) * (T(1) - u[1] - T(1.675e-5) * u[0])), put(0, 1, T(77.27) * (T(1) - u[0]));
    put(1, 0, -u[1] * T(1 / 77.27)), put(1, 1, -(T(1) + u[0]) * T(1 / 77.27)), put(1, 2, T(1 / 77.27));
    put(2, 0, T(0.161)), put(2, 2, T(-0.161));
  }
};

/// Baraff & Witkin (1997), section 2.
struct stiff_particle {
  static constexpr const char* name = "stiff particle";
  static constexpr std::size_t dimension = 2;
  static constexpr std::array<double, dimension> start{1, 1};
  static constexpr double end = 10, atol_factor = 1, first_step = 1e-7;

  void operator()(const auto&, const auto& u, auto& du) const {
    using T = element<decltype(u)>;
    const T x = u[0], y = u[1];
    du[0] = -x;
    du[1] = T(-1e6) * y;
  }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    put(0, 0, T(-1)), put(1, 1, T(-1e6));
  }
};

/// The one whose Jacobian is a band, and too large to be anything else.
struct brusselator_500 {
  static constexpr const char* name = "Brusselator, 500";
  static constexpr brusselator equations{500};
  static constexpr std::size_t dimension = 1000, reach = brusselator::reach;
  inline static const std::vector<double> start = equations.start();
  static constexpr double end = 10, atol_factor = 1, first_step = 1e-5;

  void operator()(const auto&, const auto& u, auto& du) const { equations.derivative(u, du); }
  static void jacobian(const auto& u, const auto& put) { equations.jacobian(u, put); }
};

/// visit.operator()<Problem>() for each of them.
template <class Visit> void for_each_banded_problem(Visit visit) { visit.template operator()<brusselator_500>(); }
template <class Visit> void for_each_stiff_problem(Visit visit) {
  visit.template operator()<van_der_pol<3>>();
  visit.template operator()<van_der_pol<6>>();
  visit.template operator()<robertson>();
  visit.template operator()<high_irradiance>();
  visit.template operator()<oregonator>();
  visit.template operator()<stiff_particle>();
}

}  // namespace bench
