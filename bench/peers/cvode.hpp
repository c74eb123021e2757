/// CVODE, made once and re-initialised, interpolating to the output times (CV_NORMAL): a multistep method that stops pays for it.
#pragma once

#include "sundials.hpp"

#include <cvode/cvode.h>
#include <memory>

namespace bench {

/// What Adams and BDF share. Who derives from it says how equations are solved.
template <class Problem, class F> class cvode_solver {
 public:
  cvode_solver(int family, double rtol, double atol) : memory(CVodeCreate(family, state.context)) {
    CVodeSetErrFile(memory, nullptr);
    CVodeInit(memory, sundials_rhs<F>, 0, state.vector);
    CVodeSStolerances(memory, rtol, atol);
    CVodeSetMaxNumSteps(memory, evaluation_budget);
  }
  cvode_solver(const cvode_solver&) = delete;
  cvode_solver& operator=(const cvode_solver&) = delete;
  ~cvode_solver() { CVodeFree(&memory); }

  bool solve(double* out) {
    state.to_start();
    CVodeReInit(memory, 0, state.vector);
    double t = 0;
    for (int k = 1; k <= output_count; ++k) {
      if (CVode(memory, output_time<Problem>(k), state.vector, &t, CV_NORMAL) < 0) return false;
      out = state.write(out);
    }
    return true;
  }

 protected:
  sundials_state<Problem> state;
  void* memory;
};

template <class Problem, template <class, class> class Solver> void enter_cvode_method(std::vector<entrant>& all,
                                                                                       const char* name) {
  all.push_back(make_entrant<Problem>("cvode", name, false, [](double rtol, double atol) {
    auto solver = std::make_shared<Solver<Problem, Problem>>(rtol, atol);
    return prepared{[solver](double* out) { return solver->solve(out); },
                    [=] {
                      Solver<Problem, counted<Problem>> counting(rtol, atol);
                      return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                    }};
  }));
}

}  // namespace bench
