/// The error between the ends of steps, and what its control costs.
///
///     bench_between_steps
///
/// First: the largest error at 1001 points of Prothero & Robinson's problem x' = -L (x - sin t) + cos t, in tolerances, with and without an
/// observer that looks there. Then: evaluations on the stiff problems of the work-precision table, with points divided by without.
#include "stiff_problems.hpp"

#include <ensue/ensue.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace ensue;

struct on_a_sine {
  static constexpr std::size_t dimension = 1;
  double stiffness = 1;
  void operator()(double t, const vec<double, 1>& x, vec<double, 1>& dx) const {
    dx[0] = -stiffness * (x[0] - std::sin(t)) + std::cos(t);
  }
};

/// The largest error at the points in tolerances. Without control, `interpolate` is asked for the same points.
template <class Method> double error_between(double stiffness, double tolerance, bool controlled) {
  integrator sim(on_a_sine{stiffness}, vec<double, 1>{0.}, Method{},
                 options<vec<double, 1>>{.rtol = tolerance, .atol = tolerance, .between_steps = controlled});
  vec<double, 1> x{};
  double worst = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double t = 0.01 * i;
    while (sim.time() < t)
      if (sim.step_towards(10) != outcome::finished) return std::nan("");
    sim.interpolate(t, x);
    worst = std::fmax(worst, std::abs(x[0] - std::sin(t)) / (tolerance * (1 + std::abs(std::sin(t)))));
  }
  return worst;
}

template <class Method> void errors_of(const char* name) {
  for (const double stiffness : {1e2, 1e5, 1e8}) {
    std::printf("%-14s %5.0e", name, stiffness);
    for (const double tolerance : {1e-4, 1e-6, 1e-8})
      std::printf("  %9.3g -> %-9.3g", error_between<Method>(stiffness, tolerance, false), error_between<Method>(stiffness, tolerance, true));
    std::printf("\n");
  }
}

template <class Problem, class Method> void price_of(const char* name) {
  double sum = 0, least = INFINITY, most = 0;
  int count = 0;
  for (int digits = 3; digits <= 8; ++digits, ++count) {
    const double tolerance = std::pow(10., -digits);
    vec<double, Problem::dimension> start;
    for (std::size_t i = 0; i < Problem::dimension; ++i) start[i] = Problem::start[i];
    const options<decltype(start)> settings{.rtol = tolerance, .atol = tolerance * Problem::atol_factor};
    const auto alone = solve(Problem{}, start, {0, Problem::end}, Method{}, settings);
    const auto watched = solve(Problem{}, start, {0, Problem::end}, Method{}, settings, save_every(Problem::end / 100, [](double, const auto&) {}));
    const double ratio = static_cast<double>(watched.statistics.evaluations) / static_cast<double>(alone.statistics.evaluations);
    sum += std::log(ratio), least = std::fmin(least, ratio), most = std::fmax(most, ratio);
  }
  std::printf("%-18s %-14s %.3f [%.3f, %.3f]\n", Problem::name, name, std::exp(sum / count), least, most);
}

template <class Problem> void prices_on() {
  price_of<Problem, radau>("radau");
  price_of<Problem, rodas5p>("rodas5p");
  price_of<Problem, esdirk4>("esdirk4");
  price_of<Problem, trbdf2>("trbdf2");
  price_of<Problem, automatic>("auto");
}

}  // namespace

int main() {
  std::printf("largest error at 1001 points / tolerance, without -> with control, at 1e-4, 1e-6, 1e-8\n");
  errors_of<radau>("radau");
  errors_of<rodas5p>("rodas5p");
  errors_of<rosenbrock23>("rosenbrock23");
  errors_of<esdirk4>("esdirk4");
  errors_of<trbdf2>("trbdf2");
  errors_of<bdf>("bdf");
  errors_of<automatic>("auto");
  errors_of<backward_euler>("backward-euler");
  std::printf("\nevaluations with 101 points / without: geometric mean over tolerances of 1e-3 to 1e-8, least and greatest\n");
  prices_on<bench::van_der_pol<3>>();
  prices_on<bench::van_der_pol<6>>();
  prices_on<bench::robertson>();
  prices_on<bench::high_irradiance>();
  prices_on<bench::oregonator>();
  prices_on<bench::stiff_particle>();
}
