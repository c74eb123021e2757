/// CVODE's BDF with Newton's method, the problem's Jacobian and its dense solver.
#include "cvode.hpp"
#include "stiff.hpp"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace bench {
namespace {

template <class Problem> int sundials_jacobian(double, N_Vector u, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector,
                                               N_Vector) {
  SUNMatZero(j);
  const double* const x = N_VGetArrayPointer(u);
  Problem::jacobian(x, [j](std::size_t i, std::size_t k, double value) {
    SM_ELEMENT_D(j, static_cast<sunindextype>(i), static_cast<sunindextype>(k)) = value;
  });
  return 0;
}

template <class Problem, class F> class cvode_bdf : public cvode_solver<Problem, F> {
 public:
  cvode_bdf(double rtol, double atol) : cvode_solver<Problem, F>(CV_BDF, rtol, atol) {
    matrix_ = SUNDenseMatrix(Problem::dimension, Problem::dimension, this->state.context);
    solver_ = SUNLinSol_Dense(this->state.vector, matrix_, this->state.context);
    CVodeSetLinearSolver(this->memory, solver_, matrix_);
    CVodeSetJacFn(this->memory, sundials_jacobian<Problem>);
  }
  ~cvode_bdf() {
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
  }

 private:
  SUNMatrix matrix_;
  SUNLinearSolver solver_;
};

}  // namespace

void enter_stiff_cvode(std::vector<entrant>& all) {
  for_each_stiff_problem([&]<class Problem>() { enter_cvode_method<Problem, cvode_bdf>(all, "bdf"); });
}

}  // namespace bench
