/// The matrix and the linear solver that CVODE's and ARKODE's Newton iterations have: dense, or a band where the problem says `reach`; and
/// the problem's Jacobian as they call it.
#pragma once

#include "sundials.hpp"

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace bench {

template <class Problem> inline constexpr bool is_banded = requires { Problem::reach; };

template <class Problem> int sundials_jacobian(double, N_Vector u, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector, N_Vector) {
  SUNMatZero(j);
  const double* const x = N_VGetArrayPointer(u);
  Problem::jacobian(x, [j](std::size_t row, std::size_t column, double value) {
    const auto i = static_cast<sunindextype>(row), k = static_cast<sunindextype>(column);
    if constexpr (is_banded<Problem>) SM_ELEMENT_B(j, i, k) = value;
    else SM_ELEMENT_D(j, i, k) = value;
  });
  return 0;
}

template <class Problem> struct sundials_newton {
  SUNMatrix matrix;
  SUNLinearSolver solver;

  explicit sundials_newton(sundials_state<Problem>& state) {
    if constexpr (is_banded<Problem>) {
      matrix = SUNBandMatrix(Problem::dimension, Problem::reach, Problem::reach, state.context);
      solver = SUNLinSol_Band(state.vector, matrix, state.context);
    } else {
      matrix = SUNDenseMatrix(Problem::dimension, Problem::dimension, state.context);
      solver = SUNLinSol_Dense(state.vector, matrix, state.context);
    }
  }
  sundials_newton(const sundials_newton&) = delete;
  sundials_newton& operator=(const sundials_newton&) = delete;
  ~sundials_newton() {
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
  }
};

}  // namespace bench
