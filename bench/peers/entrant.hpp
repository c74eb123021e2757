/// What work_precision knows of a library: how to solve a problem to a tolerance, and what that costs in evaluations.
#pragma once

#include "../problems.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One method at one tolerance on one problem, ready to run: memory is there, settings are made, only the solve is timed.
struct prepared {
  /// Solves and writes the states at the output times, one after the other. False: it failed.
  std::function<bool(double* out)> solve;
  /// Evaluations of f of such a solve; negative: it failed or went over the budget.
  std::function<long long()> evaluations;
};

struct entrant {
  std::string problem, library, method;
  bool runge_kutta;    ///< counts in the comparison of evaluations
  double atol_factor;  ///< atol = rtol × this, the problem's
  std::function<prepared(double rtol, double atol)> prepare;
};

template <class Problem>
entrant make_entrant(const char* library, std::string method, bool runge_kutta,
                     std::function<prepared(double, double)> prepare) {
  return {Problem::name, library, std::move(method), runge_kutta, Problem::atol_factor, std::move(prepare)};
}

/// Points that cost more are left out: the cheapest at an error of 1e-9 stay below a fifth of it.
inline constexpr long long evaluation_budget = 200'000;

struct budget_spent {};

/// f, counted. One thread.
inline long long evaluations_made = 0;
template <class Problem> struct counted {
  __attribute__((noinline)) void operator()(const auto& t, const auto& u, auto& du) const {
    if (++evaluations_made > evaluation_budget) throw budget_spent{};
    Problem{}(t, u, du);
  }
};

/// The evaluations of `solve`, whose f is counted; negative if it fails, throws or spends the budget.
inline long long count_evaluations(std::size_t dimension, const std::function<bool(double*)>& solve) {
  std::vector<double> out(output_count * dimension);
  evaluations_made = 0;
  try {
    return solve(out.data()) ? evaluations_made : -1;
  } catch (...) {
    return -1;
  }
}

/// f as a C library calls it: 0, or a negative number for an error it cannot recover from.
template <class F> int call_from_c(double t, const double* u, double* du) {
  try {
    F{}(t, u, du);
    return 0;
  } catch (budget_spent) {
    return -1;
  }
}

void enter_ensue(std::vector<entrant>& all);
void enter_odeint(std::vector<entrant>& all);
void enter_gsl(std::vector<entrant>& all);
void enter_cvode(std::vector<entrant>& all);
void enter_arkode(std::vector<entrant>& all);

}  // namespace bench
