/// The nonstiff reference problems: each model behind one type, with its end state, and how errors grow along it.
#pragma once

#include <ensue/models/detest.hpp>
#include <ensue/models/pleiades.hpp>
#include <ensue/registry.hpp>

#include "published/end_states.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ensue::tests {

/// Seven bodies that pass each other closely, each passage multiplying the errors of those before. (The orbits D1 to D5 magnify
/// errors as much, D5 2400 times, but two bodies are not chaotic: their bound is 300.)
inline constexpr std::string_view chaotic = "pleiades";

/// Calls `visit(Model{})` for each.
template <class T, class Visitor> void for_each_reference_model(Visitor&& visit) {
  using namespace models;
  visit(detest_a1<T>{}), visit(detest_a2<T>{}), visit(detest_a3<T>{}), visit(detest_a4<T>{}), visit(detest_a5<T>{});
  visit(detest_b1<T>{}), visit(detest_b2<T>{}), visit(detest_b3<T>{}), visit(detest_b4<T>{}), visit(detest_b5<T>{});
  visit(detest_d1<T>{}), visit(detest_d2<T>{}), visit(detest_d3<T>{}), visit(detest_d4<T>{}), visit(detest_d5<T>{});
  visit(pleiades<T>{});
}

struct reference_problem {
  std::string name;
  system_function f;
  double from, to;
  std::vector<double> start;
  std::vector<long double> end;
};

inline const std::vector<reference_problem>& reference_problems() {
  static const std::vector<reference_problem> all = [] {
    std::vector<reference_problem> problems;
    for_each_reference_model<double>([&](auto model) {
      const auto start = model.start();
      const auto span = model.span();
      problems.push_back(
          {model.name, model, span.from, span.to, {start.begin(), start.end()}, end_state_of(model.name)});
    });
    return problems;
  }();
  return all;
}

/// The same problem from its end to its start.
inline reference_problem backwards(const reference_problem& p) {
  return {p.name, p.f, p.to, p.from, {p.end.begin(), p.end.end()}, {p.start.begin(), p.start.end()}};
}

/// max |x − y|/(1 + |y|): an error as the step control weighs it with atol = rtol and the maximum norm, but for the tolerance.
template <class X, class Y> double weighted_difference(const X& x, const Y& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(x[i] - y[i]) / (1 + std::abs(y[i]))));
  return largest;
}

/// The state at t, to 11 digits or so.
inline std::vector<double> state_at(double t, const system_function& f, std::span<const double> start, double from) {
  const auto run = find_method("dop853")->make(f, start, from, {.rtol = 1e-12, .atol = 1e-12});
  run->advance_to(t);
  return {run->state().begin(), run->state().end()};
}

/// By how much an error can have grown at the end, both weighed as above: the largest, over the times at which it was made, of
/// ‖∂x(end)/∂x(t)‖, by differences at tenths of the span.
inline double error_growth(const reference_problem& p) {
  constexpr double push = 1e-6;
  double largest = 0;
  for (int tenth = 0; tenth < 10; ++tenth) {
    const double t = p.from + (p.to - p.from) * tenth / 10;
    const std::vector<double> x = state_at(t, p.f, p.start, p.from), end = state_at(p.to, p.f, x, t);
    std::vector<double> row_sums(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double> pushed = x;
      pushed[i] += push * (1 + std::abs(x[i]));
      pushed = state_at(p.to, p.f, pushed, t);
      for (std::size_t j = 0; j < x.size(); ++j)
        row_sums[j] += std::abs(pushed[j] - end[j]) / push / (1 + std::abs(end[j]));
    }
    largest = std::max(largest, *std::max_element(row_sums.begin(), row_sums.end()));
  }
  return largest;
}

}  // namespace ensue::tests
