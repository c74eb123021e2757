/// Work–precision of the stiff methods beside Boost.odeint's rosenbrock4, GSL's bsimp and msbdf, CVODE's BDF and ARKODE's DIRK, each with the
/// problem's Jacobian. Everybody gets the same tolerances. (odeint and GSL have no banded solver and miss the problem that needs one.)
///
///     bench_stiff_table [--quick] [--only PART_OF_A_PROBLEMS_NAME] [--into FOLDER]
#include "contest.hpp"
#include "peers/stiff.hpp"

int main(int argc, char** argv) {
  std::vector<bench::entrant> all;
  bench::enter_stiff_ensue(all);
  bench::enter_stiff_odeint(all);
  bench::enter_stiff_gsl(all);
  bench::enter_stiff_cvode(all);
  bench::enter_stiff_arkode(all);
  return bench::run_table(all, bench::stiff_references(), {.topic = "stiff", .mean = 0.5, .largest = 0.9}, {argc, argv});
}
