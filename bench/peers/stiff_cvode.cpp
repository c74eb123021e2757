/// CVODE's BDF with Newton's method, the problem's Jacobian and its dense or banded solver.
#include "cvode.hpp"
#include "stiff.hpp"
#include "sundials_newton.hpp"

namespace bench {
namespace {

template <class Problem, class F> class cvode_bdf : public cvode_solver<Problem, F> {
 public:
  cvode_bdf(double rtol, double atol) : cvode_solver<Problem, F>(CV_BDF, rtol, atol) {
    CVodeSetLinearSolver(this->memory, newton_.solver, newton_.matrix);
    CVodeSetJacFn(this->memory, sundials_jacobian<Problem>);
  }

 private:
  sundials_newton<Problem> newton_{this->state};
};

}  // namespace

void enter_stiff_cvode(std::vector<entrant>& all) {
  const auto enter = [&]<class Problem>() { enter_cvode_method<Problem, cvode_bdf>(all, "bdf"); };
  for_each_stiff_problem(enter);
  for_each_banded_problem(enter);
}

}  // namespace bench
