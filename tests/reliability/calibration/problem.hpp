/// A random problem with a known solution: a core (core.hpp) whose components are bent, and perhaps an algebraic variable beside them.
///
///     const random_problem one(17);               // the seed is the problem
///     one.model(), one.exact(t)            // what a method gets, and what it should find
#pragma once

#include "reliability/calibration/core.hpp"

#include <ensue/registry.hpp>

#include <limits>
#include <span>
#include <string_view>

namespace ensue::calibration {

inline constexpr std::string_view kinds[] = {"nonstiff", "stiff", "oscillating", "corners", "stiff corners", "motion", "dae"};

class random_problem {
 public:
  explicit random_problem(std::uint64_t seed) : seed(seed) {
    random_numbers random(seed);
    kind = kinds[random.below(std::size(kinds))];
    choose_core(random);
    if (!inner->moves && random.chance(0.5)) bend_ = random.uniform(-0.8, 0.8);
    if (kind == "dae") choose_algebraic(random);
    atol_factor = random.logarithmic(1e-3, 1);
    choose_event(random);
    for (int k = 0; k < 20; ++k) points.push_back(random.uniform(0, inner->to));
    std::ranges::sort(points);
  }

  std::size_t size() const { return inner->size + (algebraic ? 1 : 0); }
  double to() const { return inner->to; }

  /// The solution. An algebraic variable is the last component.
  vector exact(double t) const {
    const vector y = inner->state(t);
    vector x = bent(y);
    if (algebraic) x[inner->size] = scale * wanted(y);
    return x;
  }

  void f(double t, std::span<const double> x, std::span<double> dx) const {
    const std::size_t n = inner->size;
    vector y{}, dy{};
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] - (i > 0 ? bend_ * std::sin(y[i - 1]) : 0);
    inner->derivative(t, y, dy);
    if (algebraic) {
      const double z = x[n] / scale, q = wanted(y);
      for (std::size_t i = 0; i < n; ++i) dy[i] += coupling[i] * (z - q);
      dx[n] = gain * (cubic ? z * z * z + z - (q * q * q + q) : z - q);
    }
    for (std::size_t i = 0; i < n; ++i) dx[i] = dy[i] + (i > 0 ? bend_ * std::cos(y[i - 1]) * dy[i - 1] : 0);
  }

  /// dx(t)/dx(s) of the components with a derivative.
  matrix propagator(double t, double s) const {
    const std::size_t n = inner->size;
    matrix p = inner->propagator(t, s);
    if (bend_ == 0) return p;
    const vector now = inner->state(t), then = inner->state(s);
    for (std::size_t i = n; i-- > 1;)
      for (std::size_t j = 0; j < n; ++j) p[i][j] += bend_ * std::cos(now[i - 1]) * p[i - 1][j];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = n; j-- > 1;) p[i][j - 1] -= bend_ * std::cos(then[j - 1]) * p[i][j];
    return p;
  }

  /// How the algebraic variable follows the others: dz/dx.
  vector algebraic_slope(double t) const {
    const std::size_t n = inner->size;
    const vector y = inner->state(t);
    vector slope{};
    for (std::size_t i = 0; i < n; ++i) slope[i] = scale * (weight[i] + (i == 0 ? std::cos(y[0]) : 0));
    for (std::size_t j = n; j-- > 1;) slope[j - 1] -= bend_ * std::cos(y[j - 1]) * slope[j];
    return slope;
  }
  /// What an error of z does to the derivatives of the others.
  vector algebraic_push(double t) const {
    const vector y = inner->state(t);
    vector push{};
    for (std::size_t i = 0; i < inner->size; ++i)
      push[i] = coupling[i] / scale + (i > 0 ? bend_ * std::cos(y[i - 1]) * coupling[i - 1] / scale : 0);
    return push;
  }

  system_function model() const;

  std::uint64_t seed;
  std::string_view kind;
  std::shared_ptr<const core> inner;
  double atol_factor = 1;  ///< atol/rtol

  bool algebraic = false;
  double scale = 1;
  vector coupling{};

  std::vector<double> points;  ///< at which the inside of steps is judged
  /// The event: component `watched` passes `level` at `passes`, NaN: there is none.
  std::size_t watched = 0;
  double level = 0, passes = std::numeric_limits<double>::quiet_NaN(), speed = 0;

 private:
  void choose_core(random_numbers& random) {
    const std::size_t n = 1 + random.below(4);
    const double to = random.uniform(3, 15);
    if (kind == "motion") inner = springs::make(random, 1 + random.below(2), to);
    else if (kind == "nonstiff" && random.chance(0.2)) inner = limit_cycle::make(random, to);
    else if (kind == "corners" && random.chance(0.3)) inner = corner::make(random);
    else
      inner = driven_modes::make(random, kind == "oscillating" && n < 2 ? 2 : n,
                                 {.stiff = kind == "stiff" || kind == "stiff corners" || (kind == "dae" && random.chance(0.5)),
                                  .oscillating = kind == "oscillating",
                                  .corners = kind == "corners" || kind == "stiff corners"},
                                 to);
  }

  void choose_algebraic(random_numbers& random) {
    algebraic = true;
    scale = random.logarithmic(1e-3, 1e3), gain = random.sign() * random.logarithmic(1e-2, 1e2), cubic = random.chance(0.5);
    for (std::size_t i = 0; i < inner->size; ++i) weight[i] = random.uniform(-1, 1), coupling[i] = random.uniform(-1, 1);
  }

  /// A passage through a level that is not nearly a touch.
  void choose_event(random_numbers& random) {
    const double width = 1e-6 / inner->rate;
    for (int trial = 0; trial < 20 && !(passes > 0); ++trial) {
      const double t = random.uniform(0.05, 0.95) * to();
      const std::size_t i = random.below(size());
      const double slope = (exact(t + width)[i] - exact(t - width)[i]) / (2 * width);
      const double far = (exact(t + 0.1 / inner->rate)[i] - exact(t - 0.1 / inner->rate)[i]) * inner->rate / 0.2;
      const double usual = (i < inner->size ? 1 : scale) * inner->rate;
      if (std::abs(slope) > 0.2 * usual && std::abs(slope - far) < 0.3 * std::abs(slope))
        watched = i, level = exact(t)[i], passes = t, speed = std::abs(slope);
    }
  }

  vector bent(const vector& y) const {
    vector x = y;
    for (std::size_t i = 1; i < inner->size; ++i) x[i] += bend_ * std::sin(y[i - 1]);
    return x;
  }
  /// What the algebraic variable is, in units of `scale`.
  double wanted(const vector& y) const {
    double q = std::sin(y[0]);
    for (std::size_t i = 0; i < inner->size; ++i) q += weight[i] * y[i];
    return q;
  }

  double bend_ = 0, gain = 1;
  bool cubic = false;
  vector weight{};
};

/// As methods take it. The problem has to outlive it.
struct plain_model {
  const random_problem* one;
  void operator()(double t, std::span<const double> x, std::span<double> dx) const { one->f(t, x, dx); }
  bool offers_mass_matrix() const { return one->algebraic; }
  void mass_matrix(auto& m) const {
    for (std::size_t i = 0; i < one->inner->size; ++i) m(i, i) = 1;
  }
};
struct moving_model {
  const random_problem* one;
  void acceleration(double t, std::span<const double> q, std::span<double> a) const {
    vector y{}, dy{};
    std::ranges::copy(q, y.begin());
    one->inner->derivative(t, y, dy);
    std::copy_n(dy.begin() + static_cast<std::ptrdiff_t>(q.size()), q.size(), a.begin());
  }
};
inline system_function random_problem::model() const {
  if (inner->moves) return moving_model{this};
  return plain_model{this};
}

/// Every adaptive method that takes this problem. An explicit method is not asked to solve what is stiff.
inline std::vector<const method_info*> methods_for(const random_problem& one) {
  std::vector<const method_info*> found;
  const system_function f = one.model();
  for (const method_info* method : all_methods()) {
    const bool too_stiff = !method->evaluations.differentiates && one.inner->stiffness * one.to() > 1000;
    if (method->adaptive && !too_stiff && refusal(*method, f.force(), one.algebraic).empty()) found.push_back(method);
  }
  return found;
}

}  // namespace ensue::calibration
