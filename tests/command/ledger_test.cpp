/// Issue 25, finding 6: `--ledger` shows the method's error and not its own.
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

namespace {

using namespace ensue::tests;

const char* const driven = R"toml(to = 20
[position]
x = 1
[velocity]
x = 0
[acceleration]
x = "-sin(x) + 0.3*cos(1.7*t)"
[invariants]
energy = "x'^2/2 - cos(x)"
)toml";

double energy(double x, double v) { return v * v / 2 - std::cos(x); }

/// Where the equations lead in a time h: 400 steps of the classical method.
std::pair<double, double> followed(double t, double x, double v, double h) {
  const int steps = 400;
  const auto a = [](double time, double q) { return -std::sin(q) + 0.3 * std::cos(1.7 * time); };
  h /= steps;
  for (int k = 0; k < steps; ++k, t += h) {
    const double a1 = a(t, x), v2 = v + h / 2 * a1, a2 = a(t + h / 2, x + h / 2 * v), v3 = v + h / 2 * a2;
    const double a3 = a(t + h / 2, x + h / 2 * v2), v4 = v + h * a3, a4 = a(t + h, x + h * v3);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4), v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return {x, v};
}

/// What the steps of the table changed of the energy, less what the equations would have changed in the same time.
double energy_by_method(const std::string& table) {
  std::istringstream rows(table);
  std::string line;
  std::getline(rows, line);
  double sum = 0, before[3] = {}, now[3] = {};
  for (bool first = true; std::getline(rows, line); first = false) {
    std::copy(now, now + 3, before);
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf", now, now + 1, now + 2) != 3 || first) continue;
    const auto [x, v] = followed(before[0], before[1], before[2], now[0] - before[0]);
    sum += energy(now[1], now[2]) - energy(x, v);
  }
  return sum;
}

TEST(ledger, of_high_orders_is_the_methods_error) {
  const temporary_file file("p.toml", driven), table("p.csv", "");
  for (const char* method : {"vern7", "vern9", "dop853", "yoshida6", "yoshida8", "kahan-li8", "rkn86", "rkn1210"}) {
    const json answer = solved({file.path, "--ledger", "--method", method, "--step", "0.5", "--output", table.path});
    const double by_method = answer["invariants"]["energy"]["ledger"]["method"], truth = energy_by_method(content_of(table.path));
    EXPECT_NEAR(by_method, truth, 0.15 * std::abs(truth) + 2e-9) << method;
  }
}

}  // namespace
