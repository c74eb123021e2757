/// GSL's explicit methods.
#include "gsl.hpp"

namespace bench {

void enter_gsl(std::vector<entrant>& all) {
  gsl_set_error_handler_off();
  for_each_problem([&]<class Problem>() {
    enter_gsl_method<Problem>(all, "rkf45", true, gsl_odeiv2_step_rkf45);
    enter_gsl_method<Problem>(all, "rkck", true, gsl_odeiv2_step_rkck);
    enter_gsl_method<Problem>(all, "rk8pd", true, gsl_odeiv2_step_rk8pd);
    enter_gsl_method<Problem>(all, "msadams", false, gsl_odeiv2_step_msadams);
  });
}

}  // namespace bench
