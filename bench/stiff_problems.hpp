/// The stiff problems of the work–precision table, with their Jacobians, once for everybody: f(t, x, dx) over anything that can be indexed,
/// and jacobian(x, put) with put(i, j, ∂f_i/∂x_j) for each element that is not always zero. None depends on time.
#pragma once

#include "brusselator.hpp"
#include "problems.hpp"

#include <ensue/models/stiff.hpp>

namespace bench {

/// One of models/stiff.hpp, evaluated in the number that the state is made of.
template <template <class> class Model> struct model_of_the_library {
  static constexpr const char* name = Model<double>::name;
  static constexpr std::size_t dimension = Model<double>::dimension;
  static constexpr std::array<double, dimension> start = [] {
    std::array<double, dimension> x{};
    const auto given = Model<double>::start();
    for (std::size_t i = 0; i < dimension; ++i) x[i] = given[i];
    return x;
  }();
  static constexpr double end = Model<double>::span().to;

  void operator()(const auto& t, const auto& u, auto& du) const { Model<element<decltype(u)>>{}(t, u, du); }
};

/// In the time of the slow motion (Hairer & Wanner II, IV.10), μ = 1/ε.
template <int Decades> struct van_der_pol : model_of_the_library<ensue::models::vdpol> {
  static constexpr const char* name = Decades == 3 ? "Van der Pol, 1e3" : "Van der Pol, 1e6";
  static constexpr double mu = Decades == 3 ? 1e3 : 1e6;
  static constexpr double atol_factor = 1, first_step = 1e-6;

  void operator()(const auto& t, const auto& u, auto& du) const { ensue::models::vdpol<element<decltype(u)>>{{}, mu}(t, u, du); }
  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    put(0, 1, T(1));
    put(1, 0, T(mu) * (T(-2) * u[0] * u[1] - T(1)));
    put(1, 1, T(mu) * (T(1) - u[0] * u[0]));
  }
};

struct robertson : model_of_the_library<ensue::models::rober> {
  static constexpr double atol_factor = 1e-6, first_step = 1e-5;

  static void jacobian(const auto& u, const auto& put) {
    using T = element<decltype(u)>;
    const T a = T(1e4) * u[2], b = T(1e4) * u[1], c = T(6e7) * u[1];
    put(0, 0, T(-0.04)), put(0, 1, a), put(0, 2, b);
    put(1, 0, T(0.04)), put(1, 1, -a - c), put(1, 2, -b);
    put(2, 1, c);
  }
};

struct high_irradiance : model_of_the_library<ensue::models::hires> {
  static constexpr double atol_factor = 1e-2, first_step = 1e-4;

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

struct oregonator : model_of_the_library<ensue::models::orego> {
  static constexpr double atol_factor = 1, first_step = 1e-4;

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
