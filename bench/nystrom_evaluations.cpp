/// Evaluations at equal true error: Nyström pairs beside the first-order methods of high order, all with default settings.
///
///     bench_nystrom_evaluations [--into FOLDER] [true error, 1e-9 unless given]
///
/// The tolerance is scanned, eight values a decade; where the error at the end passes the one asked for (for the last time: what is reached
/// by accident at a loose tolerance does not count), evaluations are interpolated between the runs on either side, in logarithms. Errors
/// scatter around their trend, so that the straight line through all runs within a factor of thirty stands beside it: where the two
/// differ, so much is chance. Nothing is timed: the figures are the same on every machine.
#include "figures.hpp"

#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/vern7.hpp>
#include <ensue/methods/explicit/vern9.hpp>
#include <ensue/models/pleiades.hpp>
#include <ensue/methods/second_order/rkn1210.hpp>
#include <ensue/methods/second_order/rkn64.hpp>
#include <ensue/methods/second_order/rkn86.hpp>
#include <ensue/solve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace ensue;

template <class T> struct pleiades {
  static constexpr const char* name = "Pleiades, t = 3";
  static constexpr std::size_t dimension = models::pleiades<T>::dimension;
  using system = models::pleiades<T>;
  static vec<T, dimension> start() { return system::start(); }
  static T end() { return 3; }
};

/// Two bodies, ten periods from the pericentre; the eccentricity in percent.
template <class T, int Percent> struct orbit {
  static constexpr const char* name = Percent == 60 ? "two bodies, e = 0.6, ten periods" : "two bodies, e = 0.3, ten periods";
  static constexpr std::size_t dimension = 4;
  struct system {
    void acceleration(const T&, const vec<T, 2>& q, vec<T, 2>& a) const {
      const T squared = q[0] * q[0] + q[1] * q[1], pull = T(1) / (squared * std::sqrt(squared));
      a[0] = -pull * q[0];
      a[1] = -pull * q[1];
    }
  };
  static vec<T, 4> start() {
    const T e = T(Percent) / T(100);
    return {T(1) - e, T(0), T(0), std::sqrt((T(1) + e) / (T(1) - e))};
  }
  static T end() { return T(62.83185307179586476925286766559L); }
};

template <class T> using two_bodies = orbit<T, 60>;
template <class T> using rounder = orbit<T, 30>;

/// Hénon & Heiles (1964), Astron. J. 69, 73–79.
template <class T> struct henon_heiles {
  static constexpr const char* name = "Henon-Heiles, t = 100";
  static constexpr std::size_t dimension = 4;
  struct system {
    void acceleration(const T&, const vec<T, 2>& q, vec<T, 2>& a) const {
      a[0] = -q[0] - 2 * q[0] * q[1];
      a[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
    }
  };
  static vec<T, 4> start() { return {T(0.125), T(0.25), T(0.375), T(-0.25)}; }
  static T end() { return 100; }
};

struct run_point {
  double error, evaluations;
};

/// The largest error of any component at the end, and evaluations, at tolerances from loose to tight.
template <template <class> class Problem, class Method, class Truth> std::vector<run_point> scanned(const Truth& truth) {
  using problem = Problem<double>;
  std::vector<run_point> points;
  for (int eighth = 2 * 8; eighth <= 15 * 8; ++eighth) {
    const double tolerance = std::pow(10., -eighth / 8.);
    const auto run = solve(typename problem::system{}, problem::start(), {0, problem::end()}, Method{},
                           {.rtol = tolerance, .atol = tolerance});
    if (!run.finished()) continue;
    double error = 0;
    for (std::size_t i = 0; i < problem::dimension; ++i) error = std::max(error, std::abs(static_cast<double>(run.state[i] - truth[i])));
    points.push_back({error, static_cast<double>(run.statistics.evaluations)});
  }
  return points;
}

double interpolated(const std::vector<run_point>& points, double wanted) {
  for (std::size_t i = points.size(); i-- > 1;) {
    const run_point &loose = points[i - 1], &tight = points[i];
    if (!(loose.error > wanted && tight.error <= wanted)) continue;
    const double part = std::log(loose.error / wanted) / std::log(loose.error / tight.error);
    return loose.evaluations * std::pow(tight.evaluations / loose.evaluations, part);
  }
  return std::nan("");
}

/// log(evaluations) over log(error/wanted) by least squares, at 0.
double fitted(const std::vector<run_point>& points, double wanted) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const run_point& p : points) {
    const double log_error = std::log(p.error / wanted), log_cost = std::log(p.evaluations);
    if (std::abs(log_error) > std::log(30.)) continue;
    n += 1, x += log_error, y += log_cost, xx += log_error * log_error, xy += log_error * log_cost;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return std::exp((y - slope * x) / n);
}

struct cost {
  std::string method;
  double interpolated, fitted;
};

template <template <class> class Problem> void compare(double wanted, bench::figures& figures) {
  using exact = Problem<long double>;
  const auto truth =
      solve(typename exact::system{}, exact::start(), {0, exact::end()}, rkn1210{}, {.rtol = 1e-18L, .atol = 1e-18L}).state;
  const auto again = solve(typename exact::system{}, exact::start(), {0, exact::end()}, vern9{}, {.rtol = 1e-17L, .atol = 1e-17L}).state;
  double doubt = 0;
  for (std::size_t i = 0; i < exact::dimension; ++i) doubt = std::max(doubt, std::abs(static_cast<double>(truth[i] - again[i])));
  std::printf("%s, true error %.0e (two references agree to %.0e)\n\n", exact::name, wanted, doubt);

  std::vector<cost> found;
  const auto enter = [&]<class Method>(Method) {
    const auto points = scanned<Problem, Method>(truth);
    found.push_back({Method::name, interpolated(points, wanted), fitted(points, wanted)});
  };
  enter(dp54{}), enter(vern7{}), enter(vern9{}), enter(dop853{}), enter(rkn64{}), enter(rkn86{}), enter(rkn1210{});
  const auto of = [&](const char* name) {
    return *std::find_if(found.begin(), found.end(), [&](const cost& each) { return each.method == name; });
  };
  const cost vern9_cost = of("vern9"), dop853_cost = of("dop853");
  std::printf("| method | evaluations | of vern9's | of dop853's | fitted | of vern9's | of dop853's |\n");
  std::printf("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const cost& c : found)
    std::printf("| %s | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f |\n", c.method.c_str(), c.interpolated,
                c.interpolated / vern9_cost.interpolated, c.interpolated / dop853_cost.interpolated, c.fitted,
                c.fitted / vern9_cost.fitted, c.fitted / dop853_cost.fitted);
  std::printf("\n");
  const cost nystrom = of("rkn1210");
  for (const cost& first_order : {vern9_cost, dop853_cost})
    figures.add("nystrom-evaluations",
                std::string(exact::name) + ": evaluations at a true error of " + bench::short_number(wanted) + ", rkn1210 / " + first_order.method,
                nystrom.interpolated / first_order.interpolated, "", "<= 0.6");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  const double wanted = given.number(0, 1e-9);
  if (!(wanted > 0 && wanted < 1)) return std::fprintf(stderr, "bench_nystrom_evaluations: a true error is between 0 and 1\n"), 2;
  bench::figures figures(given);
  compare<pleiades>(wanted, figures);
  compare<two_bodies>(wanted, figures);
  compare<rounder>(wanted, figures);
  compare<henon_heiles>(wanted, figures);
}
