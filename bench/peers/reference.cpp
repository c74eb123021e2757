/// Vern9 and DOP853 in long double, at tolerances a decade apart: two tables, two error estimates, two step sequences.
#include "reference.hpp"

#include "../problems.hpp"

#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/vern9.hpp>
#include <ensue/integrator.hpp>

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

template <class Problem, class Method> std::vector<long double> run(long double tolerance) {
  using state = ensue::vec<long double, Problem::dimension>;
  state start;
  std::copy(Problem::start.begin(), Problem::start.end(), start.begin());
  ensue::integrator<Problem, state, Method> sim(Problem{}, start, Method{},
                                                {.rtol = tolerance,
                                                 .atol = tolerance * static_cast<long double>(Problem::atol_factor),
                                                 .max_evaluations = 100'000'000});
  std::vector<long double> out;
  for (int k = 1; k <= output_count; ++k) {
    if (sim.advance_to(output_time<Problem>(k)) != ensue::outcome::finished)
      throw std::runtime_error(std::string(Problem::name) + ", reference: " + sim.message());
    out.insert(out.end(), sim.state().begin(), sim.state().end());
  }
  return out;
}

template <class T> double difference(const std::vector<T>& a, const std::vector<long double>& b, long double scale) {
  long double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const long double d = std::abs(static_cast<long double>(a[i]) - b[i]) / scale;
    if (!(d <= largest)) largest = d;
    if (!std::isfinite(d)) break;
  }
  return static_cast<double>(largest);
}

}  // namespace

double reference::error(const std::vector<double>& x) const { return difference(x, states, scale); }

std::vector<reference_maker> references() {
  std::vector<reference_maker> all;
  for_each_problem([&]<class Problem>() {
    all.push_back({Problem::name, [](double) {
                     reference one{Problem::name, Problem::dimension, run<Problem, ensue::vern9>(1e-18L), 0, 0};
                     for (const long double x : one.states) one.scale = std::max(one.scale, std::abs(x));
                     one.doubt = difference(run<Problem, ensue::dop853>(1e-17L), one.states, one.scale);
                     return one;
                   }});
  });
  return all;
}

}  // namespace bench
