/// GSL's driver, made once and reset, applied to each output time (there is no interpolation; the driver does not let the short step before
/// an output time shrink the next). The first step is the caller's to give: the problem's. So is the Jacobian, where a problem has one.
#pragma once

#include "entrant.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <algorithm>
#include <memory>

namespace bench {

template <class F> int gsl_rhs(double t, const double* u, double* du, void*) {
  return call_from_c<F>(t, u, du) == 0 ? GSL_SUCCESS : GSL_EBADFUNC;
}

template <class Problem> int gsl_jacobian(double, const double* u, double* j, double* by_time, void*) {
  constexpr std::size_t n = Problem::dimension;
  std::fill_n(j, n * n, 0.);
  std::fill_n(by_time, n, 0.);
  if constexpr (requires { Problem::jacobian(u, [](std::size_t, std::size_t, double) {}); })
    Problem::jacobian(u, [j](std::size_t i, std::size_t k, double value) { j[i * n + k] = value; });
  return GSL_SUCCESS;
}

template <class Problem, class F> class gsl_solver {
 public:
  gsl_solver(const gsl_odeiv2_step_type* method, double rtol, double atol)
      : system_{gsl_rhs<F>, gsl_jacobian<Problem>, Problem::dimension, nullptr},
        driver_(gsl_odeiv2_driver_alloc_y_new(&system_, method, Problem::first_step, atol, rtol)) {}
  gsl_solver(const gsl_solver&) = delete;
  gsl_solver& operator=(const gsl_solver&) = delete;
  ~gsl_solver() { gsl_odeiv2_driver_free(driver_); }

  bool solve(double* out) {
    gsl_odeiv2_driver_reset_hstart(driver_, Problem::first_step);
    auto x = Problem::start;
    double t = 0;
    for (int k = 1; k <= output_count; ++k) {
      if (gsl_odeiv2_driver_apply(driver_, &t, output_time<Problem>(k), x.data()) != GSL_SUCCESS) return false;
      out = std::copy(x.begin(), x.end(), out);
    }
    return true;
  }

 private:
  gsl_odeiv2_system system_;
  gsl_odeiv2_driver* driver_;
};

template <class Problem>
void enter_gsl_method(std::vector<entrant>& all, const char* name, bool runge_kutta,
                      const gsl_odeiv2_step_type* method) {
  all.push_back(make_entrant<Problem>("gsl", name, runge_kutta, [method](double rtol, double atol) {
    auto solver = std::make_shared<gsl_solver<Problem, Problem>>(method, rtol, atol);
    return prepared{[solver](double* out) { return solver->solve(out); },
                    [=] {
                      gsl_solver<Problem, counted<Problem>> counting(method, rtol, atol);
                      return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                    }};
  }));
}

}  // namespace bench
