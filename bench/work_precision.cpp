/// Work–precision of the nonstiff methods beside Boost.odeint, GSL, CVODE and ARKODE: thread CPU time of a whole solve with its
/// output, against the largest error over the output times. Everybody gets the same tolerances.
///
///     bench_work_precision [--quick] [--only PART_OF_A_PROBLEMS_NAME] [--into FOLDER]
#include "contest.hpp"

int main(int argc, char** argv) {
  std::vector<bench::entrant> all;
  bench::enter_ensue(all);
  bench::enter_odeint(all);
  bench::enter_gsl(all);
  bench::enter_cvode(all);
  bench::enter_arkode(all);
  return bench::run_table(all, bench::references(), {.topic = "nonstiff", .mean = 0.6, .largest = 0.9}, {argc, argv});
}
