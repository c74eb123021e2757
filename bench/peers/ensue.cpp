/// Ourselves: every adaptive explicit method.
#include "entrant.hpp"

#include <ensue/explicit/bs32.hpp>
#include <ensue/explicit/dop853.hpp>
#include <ensue/explicit/dp54.hpp>
#include <ensue/explicit/rkf45.hpp>
#include <ensue/explicit/tsit5.hpp>
#include <ensue/explicit/vern7.hpp>
#include <ensue/explicit/vern9.hpp>
#include <ensue/integrator.hpp>

#include <algorithm>

namespace bench {
namespace {

/// The one place where a run of ours is written. Evaluations, negative if it failed.
template <class Problem, class Method> __attribute__((noinline)) long long run(double rtol, double atol, double* out) {
  using state = ensue::vec<double, Problem::dimension>;
  state start;
  std::copy(Problem::start.begin(), Problem::start.end(), start.begin());
  ensue::integrator<Problem, state, Method> sim(Problem{}, start, Method{},
                                                {.rtol = rtol, .atol = atol, .max_evaluations = evaluation_budget});
  std::array<double, output_count> times;
  for (int k = 0; k < output_count; ++k) times[k] = output_time<Problem>(k + 1);
  const auto keep = [&](double, const state& x) { out = std::copy(x.begin(), x.end(), out); };
  if (sim.advance_through(times, keep) != ensue::outcome::finished) return -1;
  return sim.statistics().evaluations;
}

template <class Problem, class Method> void enter(std::vector<entrant>& all) {
  all.push_back(make_entrant<Problem>("ensue", Method::name, true, [](double rtol, double atol) {
    return prepared{[=](double* out) { return run<Problem, Method>(rtol, atol, out) >= 0; },
                    [=] {
                      std::array<double, output_count * Problem::dimension> out;
                      return run<Problem, Method>(rtol, atol, out.data());
                    }};
  }));
}

}  // namespace

void enter_ensue(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() {
    enter<Problem, ensue::bs32>(all);
    enter<Problem, ensue::rkf45>(all);
    enter<Problem, ensue::dp54>(all);
    enter<Problem, ensue::tsit5>(all);
    enter<Problem, ensue::vern7>(all);
    enter<Problem, ensue::vern9>(all);
    enter<Problem, ensue::dop853>(all);
  });
}

}  // namespace bench
