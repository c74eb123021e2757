/// A model's own Jacobian compared with differences of its f: a wrong entry is named.
///
///     const auto found = ensue::check_jacobian(model, t, x);
///     if (!found.agrees()) std::puts(found.message().c_str());    // "row 1, column 0: jacobian says 3, differences of f say 2"
///
/// For tests of models; it allocates. Costs 2n + 2 evaluations. Choose a state where f is smooth; one with no component zero shows most.
#pragma once

#include <ensue/model/jacobian.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace ensue {

/// The entry that differs most.
struct jacobian_difference {
  static constexpr std::int64_t nowhere = -1, time = -2;

  std::int64_t row = nowhere, column = nowhere;  ///< row nowhere: all agree; column `time`: it is ∂f/∂t
  double theirs = 0, ours = 0;

  bool agrees() const { return row == nowhere; }
  std::string message() const {
    if (agrees()) return "the jacobian agrees with differences of f";
    char text[200];
    const auto i = static_cast<long long>(row), j = static_cast<long long>(column);
    if (column == time)
      std::snprintf(text, sizeof text, "row %lld: time_derivative says %.9g, differences of f say %.9g", i, theirs, ours);
    else std::snprintf(text, sizeof text, "row %lld, column %lld: jacobian says %.9g, differences of f say %.9g", i, j, theirs, ours);
    return text;
  }
};

/// Central differences with δ = ε^(1/3)·(size of x_j) are right to ε^(2/3) of what f' is made of, and to f's own rounding over δ. An entry
/// is wrong that differs by more than a hundred times the rounding and a ten-thousandth of itself.
template <class Model, state State> jacobian_difference check_jacobian(const Model& model, const real_type<State>& t, const State& x) {
  static_assert(has_jacobian<Model, State>, "ensue: check_jacobian is for a model with a member jacobian(t, x, J)");
  using T = element_of<State>;
  using std::cbrt, std::abs;
  Model f = model;
  const std::size_t n = static_cast<std::size_t>(x.size());
  storage_of<State> at(x), there(x), ahead(x), behind(x);
  T largest(0);
  for (std::size_t j = 0; j < n; ++j) largest = maximum(largest, magnitude(x.data()[j]));
  if (largest == T(0)) largest = T(1);

  jacobian_difference found;
  T worst(1);
  const auto compare = [&](std::size_t i, std::int64_t column, T theirs, T ours, T noise) {
    const T allowed = T(100) * noise + T(1e-4) * (abs(theirs) + abs(ours));
    const T ratio = abs(theirs - ours) / maximum(allowed, least_normal<T>);
    if (ratio <= worst) return;  // a NaN is worse than anything
    worst = ratio;
    found = {static_cast<std::int64_t>(i), column, static_cast<double>(theirs), static_cast<double>(ours)};
  };
  const T third = cbrt(epsilon<T>);
  /// (ahead − behind)/moved in row i, and what f's rounding makes of it
  const auto slope = [&](std::size_t i, T moved) { return (ahead.data()[i] - behind.data()[i]) / moved; };
  const auto noise = [&](std::size_t i, T moved) {
    return epsilon<T> * (abs(ahead.data()[i]) + abs(behind.data()[i])) / abs(moved) + epsilon<T>;
  };

  jacobian_matrix<State> j(n);
  j.clear();
  f.jacobian(t, as_argument(std::as_const(at)), j);
  std::vector<T> size_of_row(n, T(0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) size_of_row[i] += abs(j(i, k) * x.data()[k]);
  for (std::size_t k = 0; k < n; ++k) {
    const T delta = third * maximum(magnitude(x.data()[k]), T(1e-4) * largest);
    there.data()[k] = x.data()[k] + delta;
    const T up = there.data()[k];
    evaluate(f, t, there, ahead);
    there.data()[k] = x.data()[k] - delta;
    const T moved = up - there.data()[k];
    evaluate(f, t, there, behind);
    there.data()[k] = x.data()[k];
    for (std::size_t i = 0; i < n; ++i)  // terms of f that cancel are rounded as well
      compare(i, static_cast<std::int64_t>(k), j(i, k), slope(i, moved), noise(i, moved) + epsilon<T> * size_of_row[i] / abs(moved));
  }
  if constexpr (has_time_derivative<Model, State>) {
    storage_of<State> ft(x);
    f.time_derivative(t, as_argument(std::as_const(at)), as_argument(ft));
    const real_type<State> delta = third * maximum(magnitude(t), T(1e-2)), later = t + delta, sooner = t - delta;
    evaluate(f, later, at, ahead);
    evaluate(f, sooner, at, behind);
    for (std::size_t i = 0; i < n; ++i)
      compare(i, jacobian_difference::time, ft.data()[i], slope(i, later - sooner),
              noise(i, later - sooner) + epsilon<T> * size_of_row[i] / delta);
  }
  return found;
}

}  // namespace ensue
