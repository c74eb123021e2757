// What happens to the energy in 10⁷ steps: Kepler's ellipse (e = 0.6) and the pendulum from 90°, at a two-hundredth of the period.
// RK4 and DP5(4) get steps that cost as many evaluations as Verlet's. Sums are compensated: otherwise the roundings of 10⁷ steps are all that
// is left to see of the higher orders.
//
//     bench_long_runs [PICTURE.svg]      about a minute
#include "plot/plot.hpp"

#include <ensue/ensue.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <string>

namespace {

using namespace ensue;

constexpr std::int64_t steps = 10'000'000;
constexpr int steps_a_period = 200, samples_in_picture = 400;

struct kepler {
  static constexpr const char* name = "Kepler, e = 0.6";
  static constexpr double period = 2 * std::numbers::pi;
  static constexpr vec<double, 4> start{{0.4, 0, 0, 2}};
  void acceleration(double, const vec<double, 2>& q, vec<double, 2>& a) const {
    const double r2 = q[0] * q[0] + q[1] * q[1], pull = -1 / (r2 * std::sqrt(r2));
    a[0] = pull * q[0];
    a[1] = pull * q[1];
  }
  static double energy(const vec<double, 4>& x) { return (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / std::sqrt(x[0] * x[0] + x[1] * x[1]); }
};

struct pendulum {
  static constexpr const char* name = "pendulum from 90 degrees";
  static constexpr double period = 2.3678419475762;
  static constexpr vec<double, 2> start{{std::numbers::pi / 2, 0}};
  void acceleration(double, const vec<double, 1>& q, vec<double, 1>& a) const { a[0] = -9.81 * std::sin(q[0]); }
  static double energy(const vec<double, 2>& x) { return x[1] * x[1] / 2 - 9.81 * std::cos(x[0]); }
};

/// Steps `times` as long as the two-hundredth of a period, and so many fewer of them.
template <class Model, class Method> void run(const Method&, int times, plot::chart& picture) {
  using state = std::remove_cvref_t<decltype(Model::start)>;
  const double step = times * Model::period / steps_a_period;
  const std::int64_t count = steps / times;
  integrator sim{Model{}, Model::start, Method{}, options<state>{.step = step, .max_evaluations = std::int64_t(1) << 60, .compensated = true}};
  drift_record energy(0, Model::energy(Model::start));
  plot::curve curve{.name = Method::name, .x = {}, .y = {}};
  double largest = 0;
  for (std::int64_t i = 1; i <= count && sim.ending().how == outcome::finished; ++i) {
    sim.advance(step);
    const double now = Model::energy(sim.state());
    energy.add(sim.time(), now);
    largest = std::fmax(largest, std::abs(now - energy.initial));
    if (i % (count / samples_in_picture) != 0) continue;
    curve.x.push_back(sim.time() / Model::period);
    curve.y.push_back(std::fmax(largest, 1e-16));
    largest = 0;
  }
  picture.lines.push_back(curve);
  const drift_trend trend = energy.trend();
  std::printf("%-28s %-20s step period/%-4.3g %10lld evaluations  slope %9.1e ± %7.1e (%6.1f)  swings by %7.1e  largest %7.1e\n", Model::name,
              Method::name, Model::period / step, static_cast<long long>(sim.statistics().evaluations), trend.slope, trend.uncertainty,
              trend.slope / trend.uncertainty, energy.oscillation(), energy.largest);
}

template <class Model> plot::chart all() {
  plot::chart picture{.title = std::string("Energy error over 10⁷ steps: ") + Model::name,
                      .x = {"periods"},
                      .y = {"energy error", true}};
  run<Model>(semi_implicit_euler{}, 1, picture);
  run<Model>(verlet{}, 1, picture);
  run<Model>(leapfrog{}, 1, picture);
  run<Model>(blanes_moan4{}, 1, picture);
  run<Model>(kahan_li8{}, 1, picture);
  run<Model>(rk4{}, 4, picture);
  run<Model>(dp54{}, 6, picture);
  return picture;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector pictures{all<kepler>(), all<pendulum>()};
  if (count > 1) std::ofstream(arguments[1]) << plot::svg(pictures);
}
