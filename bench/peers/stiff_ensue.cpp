/// Ourselves on stiff problems: every adaptive method that differentiates, once stopping at the output times and once interpolating; and
/// the references.
#include "stiff.hpp"

#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/esdirk4.hpp>
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/methods/implicit/rosenbrock23.hpp>
#include <ensue/integrator.hpp>
#include <ensue/output/save.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

template <class Problem> inline constexpr bool is_banded = requires { Problem::reach; };

template <class Problem, class T> struct model {
  static constexpr bool is_autonomous = true;
  using state = std::conditional_t<is_banded<Problem>, std::vector<T>, ensue::vec<T, is_banded<Problem> ? 1 : Problem::dimension>>;
  void operator()(const T& t, const state& x, state& dx) const { Problem{}(t, x, dx); }
  void jacobian(const T&, const state& x, auto& j) const {
    Problem::jacobian(x, [&j](std::size_t i, std::size_t k, const T& value) { j(i, k) = value; });
  }
  static ensue::linear::bandwidth jacobian_bandwidth()
    requires is_banded<Problem>
  {
    return {Problem::reach, Problem::reach};
  }
  static state start() {
    state x = zeros();
    for (std::size_t i = 0; i < Problem::dimension; ++i) x[i] = static_cast<T>(Problem::start[i]);
    return x;
  }

 private:
  static state zeros() {
    if constexpr (is_banded<Problem>) return state(Problem::dimension);
    else return {};
  }
};

template <class Problem> std::array<double, output_count> output_times() {
  std::array<double, output_count> times;
  for (int k = 0; k < output_count; ++k) times[static_cast<std::size_t>(k)] = output_time<Problem>(k + 1);
  return times;
}

template <class Problem, class Method, bool Interpolates>
__attribute__((noinline)) long long run(double rtol, double atol, double* out) {
  using system = model<Problem, double>;
  using state = typename system::state;
  ensue::integrator<system, state, Method> sim(
      system{}, system::start(), Method{},
      {.rtol = rtol, .atol = atol, .first_step = Problem::first_step, .max_evaluations = evaluation_budget});
  const auto times = output_times<Problem>();
  const auto keep = [&](double, const state& x) { out = std::copy(x.begin(), x.end(), out); };
  const auto how = [&] {
    if constexpr (Interpolates)
      return ensue::observe(sim, Problem::end, ensue::save_at(std::vector<double>(times.begin(), times.end()), keep));
    else return sim.advance_through(times, keep);
  }();
  return how == ensue::outcome::finished ? sim.statistics().evaluations : -1;
}

template <class Problem, class Method, bool Interpolates> void enter(std::vector<entrant>& all) {
  const std::string name = std::string(Method::name) + (Interpolates ? " dense" : "");
  all.push_back(make_entrant<Problem>("ensue", name, false, [](double rtol, double atol) {
    return prepared{[=](double* out) { return run<Problem, Method, Interpolates>(rtol, atol, out) >= 0; },
                    [=] {
                      std::array<double, output_count * Problem::dimension> out;
                      return run<Problem, Method, Interpolates>(rtol, atol, out.data());
                    }};
  }));
}

template <class Problem, class Method> std::vector<long double> reference_run(long double tolerance) {
  using system = model<Problem, long double>;
  ensue::integrator<system, typename system::state, Method> sim(
      system{}, system::start(), Method{},
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

}  // namespace

void enter_stiff_ensue(std::vector<entrant>& all) {
  const auto enter_all = [&]<class Problem>() {
    const auto both = [&]<class Method>() {
      enter<Problem, Method, false>(all);
      enter<Problem, Method, true>(all);
    };
    both.template operator()<ensue::rosenbrock23>();
    both.template operator()<ensue::rodas5p>();
    both.template operator()<ensue::esdirk4>();
    both.template operator()<ensue::radau>();
    both.template operator()<ensue::bdf>();
  };
  for_each_stiff_problem(enter_all);
  for_each_banded_problem(enter_all);
}

std::vector<reference_maker> stiff_references() {
  std::vector<reference_maker> all;
  const auto enter_maker = [&]<class Problem>() {
    all.push_back({Problem::name, [](double level) {
                     // Of 1000 components, 1e-18 would take an hour.
                     const long double tolerance = is_banded<Problem> ? 1e-5L * static_cast<long double>(level) : 1e-18L;
                     reference one{Problem::name, Problem::dimension, reference_run<Problem, ensue::radau_of<7>>(tolerance), 0, 0};
                     for (const long double x : one.states) one.scale = std::max(one.scale, std::abs(x));
                     const std::vector<long double> other = reference_run<Problem, ensue::radau_of<5>>(10 * tolerance);
                     one.doubt = one.error({other.begin(), other.end()});
                     return one;
                   }});
  };
  for_each_stiff_problem(enter_maker);
  for_each_banded_problem(enter_maker);
  return all;
}

}  // namespace bench
