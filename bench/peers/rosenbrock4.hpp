/// odeint's rosenbrock4 behind plain functions: its uBLAS vectors are C++17, and so is the file that has it. (f is
/// not inlined into it for that.)
#pragma once

#include <cstddef>

namespace bench {

struct rosenbrock4_problem {
  std::size_t dimension;
  const double* start;
  double first_step;
  void (*f)(const double* x, double* dx);
  void (*jacobian)(const double* x, double* rows);  ///< all of it
};

/// The states at the times, times[0] being the start, one after the other. Stops there, or interpolates.
void run_rosenbrock4(const rosenbrock4_problem& p, double rtol, double atol, bool interpolates, const double* times,
                     std::size_t count, double* out);

}  // namespace bench
