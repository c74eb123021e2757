/// CVODE: Adams with fixed-point iteration, made once and re-initialised, interpolating to the output times (CV_NORMAL): a
/// multistep method that stops pays for it.
#include "sundials.hpp"

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <memory>

namespace bench {
namespace {

template <class Problem, class F> class cvode_solver {
 public:
  cvode_solver(double rtol, double atol) : memory_(CVodeCreate(CV_ADAMS, state_.context)) {
    CVodeSetErrFile(memory_, nullptr);
    CVodeInit(memory_, sundials_rhs<F>, 0, state_.vector);
    CVodeSStolerances(memory_, rtol, atol);
    iteration_ = SUNNonlinSol_FixedPoint(state_.vector, 0, state_.context);
    CVodeSetNonlinearSolver(memory_, iteration_);
    CVodeSetMaxNumSteps(memory_, evaluation_budget);
  }
  cvode_solver(const cvode_solver&) = delete;
  cvode_solver& operator=(const cvode_solver&) = delete;
  ~cvode_solver() {
    CVodeFree(&memory_);
    SUNNonlinSolFree(iteration_);
  }

  bool solve(double* out) {
    state_.to_start();
    CVodeReInit(memory_, 0, state_.vector);
    double t = 0;
    for (int k = 1; k <= output_count; ++k) {
      if (CVode(memory_, output_time<Problem>(k), state_.vector, &t, CV_NORMAL) < 0) return false;
      out = state_.write(out);
    }
    return true;
  }

 private:
  sundials_state<Problem> state_;
  void* memory_;
  SUNNonlinearSolver iteration_;
};

}  // namespace

void enter_cvode(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() {
    all.push_back(make_entrant<Problem>("cvode", "adams", false, [](double rtol, double atol) {
      auto solver = std::make_shared<cvode_solver<Problem, Problem>>(rtol, atol);
      return prepared{[solver](double* out) { return solver->solve(out); },
                      [=] {
                        cvode_solver<Problem, counted<Problem>> counting(rtol, atol);
                        return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                      }};
    }));
  });
}

}  // namespace bench
