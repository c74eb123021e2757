/// The stiff reference problems, by which `ensue verify` and the problem files of tests/reference/files are judged: what each of them is,
/// in C++, and where it ends.
///
/// End states: computed in IEEE binary128 by Radau IIA of order 13 with step doubling, rtol 1e-20 to 1e-21, atol 1e-30 (what is
/// below 1e-20 is not resolved, and 0 here), CHEMAKZO with y6 eliminated. They agree with the published ones to as many digits as those
/// have: for DETEST akroshko/odetojava referenceSolutions/stiff*Reference.txt and EVALU in Enright & Pryce (1987), ACM TOMS 13,
/// 28 (Algorithm 648); for the others cran/deTestSet, volpatto/pside (VDPOL) and JohnErnsthausen/DASSL (CHEMAKZO), from the Test
/// Set for IVP Solvers, release 2.4, University of Bari.
#pragma once

#include "published/end_states.hpp"

#include <ensue/models/stiff.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ensue {

struct stiff_problem {
  std::string file;  ///< in tests/reference/files, without .toml
  double to;         ///< from 0
  std::vector<double> start;
  std::function<void(const std::vector<double>& y, std::vector<double>& dy)> f;  ///< none of them changes with time
  std::vector<long double> end;
  std::vector<double> mass = std::vector<double>(start.size(), 1);  ///< mass·y' = f: 0 where f is what is zero

  /// atol/rtol: the size below which a component is noise.
  double least_size() const {
    if (file == "hires" || file == "chemakzo") return 1e-3;
    if (file == "rober" || file == "detest_stiff_e1") return 1e-6;
    if (file == "detest_stiff_e3") return 1e-2;
    if (file == "detest_stiff_e5") return 1e-10;
    return 1;
  }
};

/// One of them as methods of the registry take it.
struct stiff_model {
  const stiff_problem* problem;
  mutable std::vector<double> y = problem->start, dy = problem->start;
  static constexpr bool is_autonomous = true;

  void operator()(double, std::span<const double> x, std::span<double> dx) const {
    std::copy(x.begin(), x.end(), y.begin());
    problem->f(y, dy);
    std::copy(dy.begin(), dy.end(), dx.begin());
  }

  bool offers_mass_matrix() const { return std::ranges::count(problem->mass, 0.) > 0; }
  void mass_matrix(auto& m) const {
    for (std::size_t i = 0; i < problem->mass.size(); ++i) m(i, i) = problem->mass[i];
  }
};

/// DETEST's C2 to C5 differ in one number.
inline auto coupled(double b) {
  return [b](const std::vector<double>& y, std::vector<double>& dy) {
    dy[0] = -y[0] + 2;
    dy[1] = -10 * y[1] + b * y[0] * y[0];
    dy[2] = -40 * y[2] + 4 * b * (y[0] * y[0] + y[1] * y[1]);
    dy[3] = -100 * y[3] + 10 * b * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  };
}

/// One of models/stiff.hpp.
template <class Model> stiff_problem of_model(const char* file) {
  const auto start = Model::start();
  return {file, Model::span().to, {start.begin(), start.end()},
          [](const std::vector<double>& y, std::vector<double>& dy) { Model{}(0., y, dy); }, end_state_of(Model::name)};
}

inline const std::vector<stiff_problem>& stiff_problems() {
  using vector = std::vector<double>;
  static const std::vector<stiff_problem> all = {
      {"detest_stiff_a1",
       20,
       {1, 1, 1, 1},
       [](const vector& y, vector& dy) { dy[0] = -0.5 * y[0], dy[1] = -y[1], dy[2] = -100 * y[2], dy[3] = -90 * y[3]; },
       {4.539992976248485153559e-05L, 2.061153622438557827966e-09L, 0, 0}},
      {"detest_stiff_a2",
       120,
       {0, 0, 0, 0, 0, 0, 0, 0, 0},
       [](const vector& y, vector& dy) {
         dy[0] = -1800 * y[0] + 900 * y[1];
         for (std::size_t i = 1; i < 8; ++i) dy[i] = y[i - 1] - 2 * y[i] + y[i + 1];
         dy[8] = 1000 * y[7] - 2000 * y[8] + 1000;
       },
       {9.999912552938292585432e-02L, 1.999982511574009175870e-01L, 2.999975543185245884468e-01L,
        3.999971057520931663176e-01L, 4.999969509941610197042e-01L, 5.999971057549220430618e-01L,
        6.999975543238951695652e-01L, 7.999982511647680105360e-01L, 8.999991255379986629344e-01L}},
      {"detest_stiff_a3",
       20,
       {1, 1, 1, 1},
       [](const vector& y, vector& dy) {
         dy[0] = -1e4 * y[0] + 100 * y[1] - 10 * y[2] + y[3];
         dy[1] = -1e3 * y[1] + 10 * y[2] - 10 * y[3];
         dy[2] = -y[2] + 10 * y[3];
         dy[3] = -0.1 * y[3];
       },
       {-1.353352661867258173339e-03L, 1.368526917891544472370e-02L, 1.503725348455143283055e+00L,
        1.353352832366126918940e-01L}},
      {"detest_stiff_a4",
       1,
       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
       [](const vector& y, vector& dy) {
         for (std::size_t i = 0; i < 10; ++i) dy[i] = -std::pow(i + 1., 5) * y[i];
       },
       {3.678794411714423215955e-01L, 1.266416554909417572313e-14L, 0, 0, 0, 0, 0, 0, 0, 0}},
      {"detest_stiff_c1",
       20,
       {1, 1, 1, 1},
       [](const vector& y, vector& dy) {
         dy[0] = -y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3];
         dy[1] = -10 * y[1] + 10 * (y[2] * y[2] + y[3] * y[3]);
         dy[2] = -40 * y[2] + 40 * y[3] * y[3];
         dy[3] = -100 * y[3] + 2;
       },
       {4.003223926939235256697e-04L, 4.001600000000000000000e-04L, 4.000000000000000000000e-04L,
        2.000000000000000000000e-02L}},
      {"detest_stiff_c2",
       20,
       {1, 1, 1, 1},
       coupled(0.1),
       {1.999999997938846377561e+00L, 3.999999990839317238917e-02L, 4.001599991536468685544e-02L,
        4.003201271913862055518e-02L}},
      {"detest_stiff_c3",
       20,
       {1, 1, 1, 1},
       coupled(1),
       {1.999999997938846377561e+00L, 3.999999990839317238917e-01L, 4.159999990792339379068e-01L,
        4.333055990158033870407e-01L}},
      {"detest_stiff_c4",
       20,
       {1, 1, 1, 1},
       coupled(10),
       {1.999999997938846377561e+00L, 3.999999990839317238917e+00L, 1.999999991637940873147e+01L,
        4.199999965390366463534e+02L}},
      {"detest_stiff_c5",
       20,
       {1, 1, 1, 1},
       coupled(20),
       {1.999999997938846377561e+00L, 7.999999981678634477834e+00L, 1.359999993817713589927e+02L,
        3.712799965967762337897e+04L}},
      {"detest_stiff_e1",
       1,
       {0, 0, 0, 0},
       [](const vector& y, vector& dy) {
         dy[0] = y[1], dy[1] = y[2], dy[2] = y[3];
         dy[3] = (y[0] * y[0] - std::sin(y[0]) - 1e8) * y[0] + (y[1] * y[2] / (y[0] * y[0] + 1) - 4e6) * y[1] +
                 (1 - 6e4) * y[2] + (10 * std::exp(-y[3] * y[3]) - 400) * y[3] + 1;
       },
       {9.999999999999999000000e-09L, 0, 0, 0}},
      {"detest_stiff_e2",
       10,
       {2, 0},
       [](const vector& y, vector& dy) { dy[0] = y[1], dy[1] = 5 * (1 - y[0] * y[0]) * y[1] - y[0]; },
       {-1.158701266030990803181e+00L, 4.304698089791423962965e-01L}},
      {"detest_stiff_e3",
       500,
       {1, 1, 0},
       [](const vector& y, vector& dy) {
         dy[0] = -(55 + y[2]) * y[0] + 65 * y[1];
         dy[1] = 0.0785 * (y[0] - y[1]);
         dy[2] = 0.1 * y[0];
       },
       {4.253052196880126937955e-03L, 5.317019547493398762503e-03L, 2.627647748749107431977e+01L}},
      {"detest_stiff_e4",
       1000,
       {0, -2, -1, -1},
       [](const vector& y, vector& dy) {
         const double half = (y[0] + y[1] + y[2] + y[3]) / 2;
         const double a = half - y[0], b = half - y[1], c = half - y[2], d = half - y[3];
         const double g[] = {-10 * a - 10 * b - (a * a - b * b) / 2, 10 * a - 10 * b - a * b, 1000 * c - c * c,
                             d / 100 - d * d};
         for (std::size_t i = 0; i < 4; ++i) dy[i] = g[i] - (g[0] + g[1] + g[2] + g[3]) / 2;
       },
       {1.999999977523776930504e+01L, -2.000000022476223069496e+01L, -2.247622306949614538067e-07L,
        2.247622306949614538067e-07L}},
      {"detest_stiff_e5",
       1000,
       {0.00176, 0, 0, 0},
       [](const vector& y, vector& dy) {
         dy[0] = -7.89e-10 * y[0] - 1.1e7 * y[0] * y[2];
         dy[1] = 7.89e-10 * y[0] - 1.13e9 * y[1] * y[2];
         dy[3] = 1.1e7 * y[0] * y[2] - 1.13e3 * y[3];
         dy[2] = dy[1] - dy[3];
       },
       {1.618076999907294255269e-03L, 1.382237030498373544333e-10L, 8.251573500683833608813e-12L,
        1.299721295491535208245e-10L}},
      of_model<models::hires<double>>("hires"),
      of_model<models::orego<double>>("orego"),
      of_model<models::rober<double>>("rober"),
      of_model<models::vdpol<double>>("vdpol"),
      {"chemakzo",
       180,
       {0.444, 0.00123, 0, 0.007, 0, 0.35999964},
       [](const vector& y, vector& dy) {
         const double r1 = 18.7 * std::pow(y[0], 4) * std::sqrt(y[1]), r2 = 0.58 * y[2] * y[3];
         const double r3 = 0.58 / 34.4 * y[0] * y[4], r4 = 0.09 * y[0] * y[3] * y[3],
                      r5 = 0.42 * y[5] * y[5] * std::sqrt(y[1]);
         dy[0] = -2 * r1 + r2 - r3 - r4;
         dy[1] = -r1 / 2 - r4 - r5 / 2 + 3.3 * (0.9 / 737 - y[1]);
         dy[2] = r1 - r2 + r3;
         dy[3] = -r2 + r3 - 2 * r4;
         dy[4] = r2 - r3 + r5;
         dy[5] = 115.83 * y[0] * y[3] - y[5];
       },
       {1.150794920661702186171e-01L, 1.203831471567715092867e-03L, 1.611562887407974209641e-01L,
        3.656156421249283017146e-04L, 1.708010885264404071378e-02L, 4.873531310307455129370e-03L},
       {1, 1, 1, 1, 1, 0}},
  };
  return all;
}

}  // namespace ensue
