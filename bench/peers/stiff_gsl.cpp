/// GSL's implicit methods: bsimp (Bader & Deuflhard's extrapolation) and msbdf.
#include "gsl.hpp"
#include "stiff.hpp"

namespace bench {

void enter_stiff_gsl(std::vector<entrant>& all) {
  gsl_set_error_handler_off();
  for_each_stiff_problem([&]<class Problem>() {
    enter_gsl_method<Problem>(all, "bsimp", false, gsl_odeiv2_step_bsimp);
    enter_gsl_method<Problem>(all, "msbdf", false, gsl_odeiv2_step_msbdf);
  });
}

}  // namespace bench
