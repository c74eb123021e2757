/// CVODE's BDF with Newton's method, the problem's Jacobian and its dense solver, made once and re-initialised, interpolating to the output
/// times (CV_NORMAL).
#include "stiff.hpp"
#include "sundials.hpp"

#include <cvode/cvode.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <memory>

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

template <class Problem, class F> class cvode_bdf {
 public:
  cvode_bdf(double rtol, double atol) : memory_(CVodeCreate(CV_BDF, state_.context)) {
    CVodeSetErrFile(memory_, nullptr);
    CVodeInit(memory_, sundials_rhs<F>, 0, state_.vector);
    CVodeSStolerances(memory_, rtol, atol);
    matrix_ = SUNDenseMatrix(Problem::dimension, Problem::dimension, state_.context);
    solver_ = SUNLinSol_Dense(state_.vector, matrix_, state_.context);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    CVodeSetJacFn(memory_, sundials_jacobian<Problem>);
    CVodeSetMaxNumSteps(memory_, evaluation_budget);
  }
  cvode_bdf(const cvode_bdf&) = delete;
  cvode_bdf& operator=(const cvode_bdf&) = delete;
  ~cvode_bdf() {
    CVodeFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
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
  SUNMatrix matrix_;
  SUNLinearSolver solver_;
};

}  // namespace

void enter_stiff_cvode(std::vector<entrant>& all) {
  for_each_stiff_problem([&]<class Problem>() {
    all.push_back(make_entrant<Problem>("cvode", "bdf", false, [](double rtol, double atol) {
      auto solver = std::make_shared<cvode_bdf<Problem, Problem>>(rtol, atol);
      return prepared{[solver](double* out) { return solver->solve(out); },
                      [=] {
                        cvode_bdf<Problem, counted<Problem>> counting(rtol, atol);
                        return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                      }};
    }));
  });
}

}  // namespace bench
