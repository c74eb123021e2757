/// What CVODE and ARKODE share: a context, a vector, and f as they call it.
#pragma once

#include "entrant.hpp"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <algorithm>

namespace bench {

template <class F> int sundials_rhs(double t, N_Vector u, N_Vector du, void*) {
  return call_from_c<F>(t, N_VGetArrayPointer(u), N_VGetArrayPointer(du));
}

/// The state of a problem in their vector.
template <class Problem> struct sundials_state {
  SUNContext context = nullptr;
  N_Vector vector = nullptr;

  sundials_state() {
    SUNContext_Create(nullptr, &context);
    vector = N_VNew_Serial(Problem::dimension, context);
    to_start();
  }
  sundials_state(const sundials_state&) = delete;
  sundials_state& operator=(const sundials_state&) = delete;
  ~sundials_state() {
    N_VDestroy(vector);
    SUNContext_Free(&context);
  }

  void to_start() { std::copy(Problem::start.begin(), Problem::start.end(), N_VGetArrayPointer(vector)); }
  double* write(double* out) const {
    const double* x = N_VGetArrayPointer(vector);
    return std::copy(x, x + Problem::dimension, out);
  }
};

}  // namespace bench
