/// CVODE's Adams with fixed-point iteration.
#include "cvode.hpp"

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace bench {
namespace {

template <class Problem, class F> class cvode_adams : public cvode_solver<Problem, F> {
 public:
  cvode_adams(double rtol, double atol) : cvode_solver<Problem, F>(CV_ADAMS, rtol, atol) {
    iteration_ = SUNNonlinSol_FixedPoint(this->state.vector, 0, this->state.context);
    CVodeSetNonlinearSolver(this->memory, iteration_);
  }
  ~cvode_adams() { SUNNonlinSolFree(iteration_); }

 private:
  SUNNonlinearSolver iteration_;
};

}  // namespace

void enter_cvode(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() { enter_cvode_method<Problem, cvode_adams>(all, "adams"); });
}

}  // namespace bench
