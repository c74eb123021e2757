/// What the loop costs beyond f: a fixed RK4 step against a loop written by hand, an adaptive Dormand–Prince step against
/// Boost.odeint's, called as its experts would (std::array, inlining forced).
///
///     bench_overheads [--quick] [--into FOLDER] [rounds]
#include "figures.hpp"
#include "timing.hpp"

#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/solve.hpp>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <vector>

namespace {

namespace odeint = boost::numeric::odeint;

struct oscillator {
  template <class S> void operator()(double, const S& x, S& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0];
  }
};

struct lorenz {
  template <class S> void operator()(double, const S& u, S& du) const {
    du[0] = 10. * (u[1] - u[0]);
    du[1] = u[0] * (28. - u[2]) - u[1];
    du[2] = u[0] * u[1] - 8. / 3. * u[2];
  }
};

/// odeint calls f(x, dx, t).
template <class F> struct odeint_order {
  F f;
  template <class S> void operator()(const S& x, S& dx, double t) const { f(t, x, dx); }
};

constexpr long long rk4_steps = 200'000;
constexpr double rk4_step = 1e-3;

__attribute__((noinline)) long long rk4_by_hand() {
  double x = 1, v = 0;
  const double h = rk4_step;
  for (long long i = 0; i < rk4_steps; ++i) {
    const double x1 = v, v1 = -x;
    const double x2 = v + h / 2 * v1, v2 = -(x + h / 2 * x1);
    const double x3 = v + h / 2 * v2, v3 = -(x + h / 2 * x2);
    const double x4 = v + h * v3, v4 = -(x + h * x3);
    x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
    v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  bench::keep(x), bench::keep(v);
  return rk4_steps;
}

template <class State> __attribute__((noinline)) long long rk4_ensue() {
  const auto run = ensue::solve(oscillator{}, State{1., 0.}, {0, rk4_step * rk4_steps}, ensue::rk4{}, {.step = rk4_step});
  bench::keep(run.state);
  return run.statistics.steps;
}

template <class State> __attribute__((noinline, flatten)) long long rk4_odeint() {
  State x{1., 0.};
  odeint::runge_kutta4<State> stepper;
  for (long long i = 0; i < rk4_steps; ++i) stepper.do_step(odeint_order<oscillator>{}, x, static_cast<double>(i) * rk4_step, rk4_step);
  bench::keep(x);
  return rk4_steps;
}

double tolerance = 1e-6;
double lorenz_end = 200;

template <class State> __attribute__((noinline)) long long dp54_ensue() {
  const auto run = ensue::solve(lorenz{}, State{1., 0., 0.}, {0, lorenz_end}, ensue::dp54{},
                                {.rtol = tolerance, .atol = tolerance, .first_step = 1e-3});
  bench::keep(run.state);
  return run.statistics.steps + run.statistics.rejected;
}

template <class State> __attribute__((noinline, flatten)) long long dp54_odeint() {
  State x{1., 0., 0.};
  auto stepper = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
  long long attempts = 0;
  double t = 0, h = 1e-3;
  while (t < lorenz_end) {
    if (t + h > lorenz_end) h = lorenz_end - t;
    stepper.try_step(odeint_order<lorenz>{}, x, t, h);
    ++attempts;
  }
  bench::keep(x);
  return attempts;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  const int rounds = given.rounds(101, 41);
  bench::figures found(given);
  using bench::contestant;
  using vec2 = ensue::vec<double, 2>;
  using vec3 = ensue::vec<double, 3>;
  std::vector<contestant> rk4 = {{"by hand", rk4_by_hand},
                                 {"ensue, vec", rk4_ensue<vec2>},
                                 {"ensue, std::array", rk4_ensue<std::array<double, 2>>},
                                 {"ensue, std::vector", rk4_ensue<std::vector<double>>},
                                 {"odeint, std::array, flattened", rk4_odeint<std::array<double, 2>>},
                                 {"odeint, std::vector, flattened", rk4_odeint<std::vector<double>>}};
  bench::compare("RK4, harmonic oscillator", "step", rk4, 0, rounds);
  found.add("rk4-step", "RK4 step, harmonic oscillator, / the loop written by hand", bench::ratios(rk4[1], rk4[0]), "", "<= 1.05");
  found.add("rk4-step", "RK4 step with `std::vector`, / odeint's with `std::vector`", bench::ratios(rk4[3], rk4[5]), "", "<= 0.5");
  for (double tol : {1e-4, 1e-6, 1e-9}) {
    tolerance = tol;
    std::vector<contestant> dp54 = {{"odeint, std::array, flattened", dp54_odeint<std::array<double, 3>>},
                                    {"ensue, vec", dp54_ensue<vec3>},
                                    {"ensue, std::vector", dp54_ensue<std::vector<double>>}};
    std::printf("tolerance %g: attempts odeint %lld, ensue %lld\n", tol, dp54[0].run(), dp54[1].run());
    bench::compare("Dormand-Prince 5(4), adaptive, Lorenz", "attempted step", dp54, 0, rounds);
    found.add("dp54-step", "DP5(4) adaptive step, Lorenz, tolerance " + bench::short_number(tol) + ", / odeint's", bench::ratios(dp54[1], dp54[0]), "",
              "<= 0.75");
  }
}
