/// Work–precision of the stiff methods beside Boost.odeint's rosenbrock4, GSL's bsimp and msbdf, CVODE's BDF and ARKODE's DIRK, each with the
/// problem's Jacobian. Everybody gets the same tolerances. (odeint and GSL have no banded solver and miss the problem that needs one.)
///
///     bench_stiff_table [--quick] [--only <part of a problem's name>] [points.csv]
#include "contest.hpp"
#include "peers/stiff.hpp"

int main(int argc, char** argv) {
  std::vector<bench::entrant> all;
  bench::enter_stiff_ensue(all);
  bench::enter_stiff_odeint(all);
  bench::enter_stiff_gsl(all);
  bench::enter_stiff_cvode(all);
  bench::enter_stiff_arkode(all);
  return bench::run_table(all, bench::stiff_references(), bench::parse(argc, argv));
}
