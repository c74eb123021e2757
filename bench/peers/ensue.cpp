/// Ourselves: every adaptive explicit method, and Nyström's where a problem has accelerations; steps end at the output times, or, of methods whose
/// dense output is free, go past them. The first step is the problem's, as it is for odeint and GSL.
#include "entrant.hpp"

#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dop853.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rkf45.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/methods/explicit/vern7.hpp>
#include <ensue/methods/explicit/vern9.hpp>
#include <ensue/integrator.hpp>
#include <ensue/output/save.hpp>
#include <ensue/methods/second_order/rkn1210.hpp>
#include <ensue/methods/second_order/rkn64.hpp>
#include <ensue/methods/second_order/rkn86.hpp>

#include <algorithm>

namespace bench {
namespace {

template <class Problem>
concept is_mechanics = requires(const Problem& f, std::array<double, Problem::dimension> q) { f.acceleration(0., q, q); };

template <class Problem> struct first_order {
  void operator()(const auto& t, const auto& u, auto& du) const { Problem{}(t, u, du); }
};
template <class Problem> struct mechanics {
  void acceleration(const auto& t, const auto& q, auto& a) const { Problem{}.acceleration(t, q, a); }
};

enum class outputs { at_steps, interpolated };

/// The one place where a run of ours is written. Evaluations, negative if it failed.
template <class Problem, class System, class Method, outputs Met> __attribute__((noinline)) long long run(double rtol, double atol, double* out) {
  using state = ensue::vec<double, Problem::dimension>;
  state start;
  std::copy(Problem::start.begin(), Problem::start.end(), start.begin());
  ensue::integrator<System, state, Method> sim(
      System{}, start, Method{},
      {.rtol = rtol, .atol = atol, .first_step = Problem::first_step, .max_evaluations = evaluation_budget});
  std::array<double, output_count> times;
  for (int k = 0; k < output_count; ++k) times[k] = output_time<Problem>(k + 1);
  const auto keep = [&](double, const state& x) { out = std::copy(x.begin(), x.end(), out); };
  ensue::outcome ended;
  if constexpr (Met == outputs::at_steps) ended = sim.advance_through(times, keep);
  else ended = ensue::observe(sim, times.back(), ensue::save_at(std::vector<double>(times.begin(), times.end()), keep));
  return ended == ensue::outcome::finished ? sim.statistics().evaluations : -1;
}

template <class Problem, class System, class Method, outputs Met = outputs::at_steps> void enter(std::vector<entrant>& all) {
  const std::string name = std::string(Method::name) + (Met == outputs::interpolated ? " interpolated" : "");
  all.push_back(make_entrant<Problem>("ensue", name, true, [](double rtol, double atol) {
    return prepared{[=](double* out) { return run<Problem, System, Method, Met>(rtol, atol, out) >= 0; },
                    [=] {
                      std::array<double, output_count * Problem::dimension> out;
                      return run<Problem, System, Method, Met>(rtol, atol, out.data());
                    }};
  }));
}

}  // namespace

void enter_ensue(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() {
    using system = first_order<Problem>;
    enter<Problem, system, ensue::bs32>(all);
    enter<Problem, system, ensue::rkf45>(all);
    enter<Problem, system, ensue::dp54>(all);
    enter<Problem, system, ensue::tsit5>(all);
    enter<Problem, system, ensue::dp54, outputs::interpolated>(all);
    enter<Problem, system, ensue::tsit5, outputs::interpolated>(all);
    enter<Problem, system, ensue::vern7>(all);
    enter<Problem, system, ensue::vern9>(all);
    enter<Problem, system, ensue::dop853>(all);
    if constexpr (is_mechanics<Problem>) {
      enter<Problem, mechanics<Problem>, ensue::rkn64>(all);
      enter<Problem, mechanics<Problem>, ensue::rkn86>(all);
      enter<Problem, mechanics<Problem>, ensue::rkn1210>(all);
    }
  });
}

}  // namespace bench
