/// GSL's implicit methods with the problem's Jacobian: bsimp (Bader & Deuflhard's extrapolation) and msbdf.
#include "stiff.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <algorithm>
#include <memory>

namespace bench {
namespace {

template <class F> int stiff_rhs(double t, const double* u, double* du, void*) {
  return call_from_c<F>(t, u, du) == 0 ? GSL_SUCCESS : GSL_EBADFUNC;
}
template <class Problem> int stiff_jacobian(double, const double* u, double* j, double* by_time, void*) {
  constexpr std::size_t n = Problem::dimension;
  std::fill_n(j, n * n, 0.);
  std::fill_n(by_time, n, 0.);
  Problem::jacobian(u, [j](std::size_t i, std::size_t k, double value) { j[i * n + k] = value; });
  return GSL_SUCCESS;
}

template <class Problem, class F> class implicit_solver {
 public:
  implicit_solver(const gsl_odeiv2_step_type* method, double rtol, double atol)
      : system_{stiff_rhs<F>, stiff_jacobian<Problem>, Problem::dimension, nullptr},
        driver_(gsl_odeiv2_driver_alloc_y_new(&system_, method, Problem::first_step, atol, rtol)) {}
  implicit_solver(const implicit_solver&) = delete;
  implicit_solver& operator=(const implicit_solver&) = delete;
  ~implicit_solver() { gsl_odeiv2_driver_free(driver_); }

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

template <class Problem> void enter(std::vector<entrant>& all, const char* name, const gsl_odeiv2_step_type* method) {
  all.push_back(make_entrant<Problem>("gsl", name, false, [method](double rtol, double atol) {
    auto solver = std::make_shared<implicit_solver<Problem, Problem>>(method, rtol, atol);
    return prepared{[solver](double* out) { return solver->solve(out); },
                    [=] {
                      implicit_solver<Problem, counted<Problem>> counting(method, rtol, atol);
                      return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                    }};
  }));
}

}  // namespace

void enter_stiff_gsl(std::vector<entrant>& all) {
  gsl_set_error_handler_off();
  for_each_stiff_problem([&]<class Problem>() {
    enter<Problem>(all, "bsimp", gsl_odeiv2_step_bsimp);
    enter<Problem>(all, "msbdf", gsl_odeiv2_step_msbdf);
  });
}

}  // namespace bench
