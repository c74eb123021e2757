/// ARKODE's diagonally implicit methods with Newton's method, the problem's Jacobian and its dense or banded solver; f at a stage is deduced
/// from its solution. Made once and re-initialised; each both ways, interpolating to the output times and stopping at them.
#include "stiff.hpp"
#include "sundials_newton.hpp"

#include <arkode/arkode_arkstep.h>
#include <memory>

namespace bench {
namespace {

template <class Problem, class F> class arkode_dirk {
 public:
  arkode_dirk(ARKODE_DIRKTableID table, bool stops, double rtol, double atol)
      : memory_(ARKStepCreate(nullptr, sundials_rhs<F>, 0, state_.vector, state_.context)), stops_(stops) {
    ARKStepSetErrFile(memory_, nullptr);
    ARKStepSetTableNum(memory_, table, ARKODE_ERK_NONE);
    ARKStepSStolerances(memory_, rtol, atol);
    ARKStepSetMaxNumSteps(memory_, evaluation_budget);
    ARKStepSetLinearSolver(memory_, newton_.solver, newton_.matrix);
    ARKStepSetJacFn(memory_, sundials_jacobian<Problem>);
    ARKStepSetDeduceImplicitRhs(memory_, 1);
  }
  arkode_dirk(const arkode_dirk&) = delete;
  arkode_dirk& operator=(const arkode_dirk&) = delete;
  ~arkode_dirk() { ARKStepFree(&memory_); }

  bool solve(double* out) {
    state_.to_start();
    ARKStepReInit(memory_, nullptr, sundials_rhs<F>, 0, state_.vector);
    double t = 0;
    for (int k = 1; k <= output_count; ++k) {
      const double wanted = output_time<Problem>(k);
      if (stops_) ARKStepSetStopTime(memory_, wanted);
      if (ARKStepEvolve(memory_, wanted, state_.vector, &t, ARK_NORMAL) < 0) return false;
      out = state_.write(out);
    }
    return true;
  }

 private:
  sundials_state<Problem> state_;
  sundials_newton<Problem> newton_{state_};
  void* memory_;
  bool stops_;
};

template <class Problem> void enter(std::vector<entrant>& all, const char* name, ARKODE_DIRKTableID table, bool stops) {
  const std::string method = stops ? name : std::string(name) + " interpolated";
  all.push_back(make_entrant<Problem>("arkode", method, false, [=](double rtol, double atol) {
    auto solver = std::make_shared<arkode_dirk<Problem, Problem>>(table, stops, rtol, atol);
    return prepared{[solver](double* out) { return solver->solve(out); },
                    [=] {
                      arkode_dirk<Problem, counted<Problem>> counting(table, stops, rtol, atol);
                      return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                    }};
  }));
}

}  // namespace

void enter_stiff_arkode(std::vector<entrant>& all) {
  const auto both_ways = [&]<class Problem>() {
    for (const bool stops : {false, true}) {
      enter<Problem>(all, "esdirk324", ARKODE_ESDIRK324L2SA_4_2_3, stops);
      enter<Problem>(all, "esdirk437", ARKODE_ESDIRK437L2SA_7_3_4, stops);
      enter<Problem>(all, "esdirk547", ARKODE_ESDIRK547L2SA_7_4_5, stops);
    }
  };
  for_each_stiff_problem(both_ways);
  for_each_banded_problem(both_ways);
}

}  // namespace bench
