/// ARKODE's explicit methods, made once and re-initialised; each both ways, interpolating to the output times and stopping at
/// them, and the better counts (its interpolation is of order 5 at most).
#include "sundials.hpp"

#include <arkode/arkode_erkstep.h>
#include <memory>

namespace bench {
namespace {

enum class output { interpolated, stopped };

template <class Problem, class F> class arkode_solver {
 public:
  arkode_solver(ARKODE_ERKTableID table, output how, double rtol, double atol)
      : memory_(ERKStepCreate(sundials_rhs<F>, 0, state_.vector, state_.context)), how_(how) {
    ERKStepSetErrFile(memory_, nullptr);
    ERKStepSetTableNum(memory_, table);
    ERKStepSStolerances(memory_, rtol, atol);
    ERKStepSetMaxNumSteps(memory_, evaluation_budget);
  }
  arkode_solver(const arkode_solver&) = delete;
  arkode_solver& operator=(const arkode_solver&) = delete;
  ~arkode_solver() { ERKStepFree(&memory_); }

  bool solve(double* out) {
    state_.to_start();
    ERKStepReInit(memory_, sundials_rhs<F>, 0, state_.vector);
    double t = 0;
    for (int k = 1; k <= output_count; ++k) {
      const double wanted = output_time<Problem>(k);
      if (how_ == output::stopped) ERKStepSetStopTime(memory_, wanted);
      if (ERKStepEvolve(memory_, wanted, state_.vector, &t, ARK_NORMAL) < 0) return false;
      out = state_.write(out);
    }
    return true;
  }

 private:
  sundials_state<Problem> state_;
  void* memory_;
  output how_;
};

template <class Problem> void enter(std::vector<entrant>& all, const char* name, ARKODE_ERKTableID table, output how) {
  const std::string method = how == output::stopped ? name : std::string(name) + " interpolated";
  all.push_back(make_entrant<Problem>("arkode", method, true, [=](double rtol, double atol) {
    auto solver = std::make_shared<arkode_solver<Problem, Problem>>(table, how, rtol, atol);
    return prepared{[solver](double* out) { return solver->solve(out); },
                    [=] {
                      arkode_solver<Problem, counted<Problem>> counting(table, how, rtol, atol);
                      return count_evaluations(Problem::dimension, [&](double* out) { return counting.solve(out); });
                    }};
  }));
}

}  // namespace

void enter_arkode(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() {
    for (const output how : {output::interpolated, output::stopped}) {
      enter<Problem>(all, "bogacki-shampine", ARKODE_BOGACKI_SHAMPINE_4_2_3, how);
      enter<Problem>(all, "cash-karp", ARKODE_CASH_KARP_6_4_5, how);
      enter<Problem>(all, "dormand-prince", ARKODE_DORMAND_PRINCE_7_4_5, how);
      enter<Problem>(all, "verner65", ARKODE_VERNER_8_5_6, how);
      enter<Problem>(all, "fehlberg87", ARKODE_FEHLBERG_13_7_8, how);
    }
  });
}

}  // namespace bench
