/// The Brusselator on a line, cut into ever more points: CPU time of a run to t = 10 with rtol = atol = 1e-4, our banded methods beside
/// CVODE's BDF with its banded solver, everybody with the exact Jacobian, in turn. Time should grow as the number of points does.
///
///     bench_brusselator_line [--quick] [--into FOLDER] [points …]        500 5000 50000 100000 unless said, quickly 500 5000
#include "brusselator.hpp"
#include "figures.hpp"
#include "timing.hpp"

#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/esdirk4.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/integrator.hpp>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

using numbers = std::vector<double>;
constexpr double end = 10, tolerance = 1e-4;

struct line {
  bench::brusselator equations;
  static constexpr bool is_autonomous = true;

  void operator()(double, const numbers& x, numbers& dx) const { equations.derivative(x, dx); }
  void jacobian(double, const numbers& x, auto& j) const {
    equations.jacobian(x, [&j](std::size_t i, std::size_t k, double value) { j(i, k) = value; });
  }
  static ensue::linear::bandwidth jacobian_bandwidth() { return {bench::brusselator::reach, bench::brusselator::reach}; }
};

struct ended {
  numbers state;
  long long steps = 0;
};

template <class Method> ended run_ours(const bench::brusselator& equations) {
  ensue::integrator sim{line{equations}, equations.start(), Method{}, {.rtol = tolerance, .atol = tolerance}};
  if (sim.advance_to(end) != ensue::outcome::finished) throw std::runtime_error(sim.message());
  return {sim.state(), sim.statistics().steps};
}

ended run_cvode(const bench::brusselator& equations) {
  const auto f = [](double, N_Vector u, N_Vector du, void* model) {
    const double* const x = N_VGetArrayPointer(u);
    double* const dx = N_VGetArrayPointer(du);
    static_cast<const bench::brusselator*>(model)->derivative(x, dx);
    return 0;
  };
  const auto jacobian = [](double, N_Vector u, N_Vector, SUNMatrix j, void* model, N_Vector, N_Vector, N_Vector) {
    SUNMatZero(j);
    const double* const x = N_VGetArrayPointer(u);
    static_cast<const bench::brusselator*>(model)->jacobian(x, [j](std::size_t i, std::size_t k, double value) {
      SM_ELEMENT_B(j, static_cast<sunindextype>(i), static_cast<sunindextype>(k)) = value;
    });
    return 0;
  };
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  const auto size = static_cast<sunindextype>(equations.size());
  N_Vector state = N_VNew_Serial(size, context);
  const numbers start = equations.start();
  std::copy(start.begin(), start.end(), N_VGetArrayPointer(state));
  void* memory = CVodeCreate(CV_BDF, context);
  CVodeInit(memory, f, 0, state);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetUserData(memory, const_cast<bench::brusselator*>(&equations));
  CVodeSetMaxNumSteps(memory, 1'000'000);
  SUNMatrix matrix = SUNBandMatrix(size, bench::brusselator::reach, bench::brusselator::reach, context);
  SUNLinearSolver solver = SUNLinSol_Band(state, matrix, context);
  CVodeSetLinearSolver(memory, solver, matrix);
  CVodeSetJacFn(memory, jacobian);
  double t = 0;
  const int status = CVode(memory, end, state, &t, CV_NORMAL);
  ended result;
  long steps = 0;
  CVodeGetNumSteps(memory, &steps);
  result.steps = steps;
  result.state.assign(N_VGetArrayPointer(state), N_VGetArrayPointer(state) + size);
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  SUNContext_Free(&context);
  if (status < 0) throw std::runtime_error("CVODE failed");
  return result;
}

double largest_difference(const numbers& a, const numbers& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void measure(std::size_t points, const bench::arguments& given, bench::figures& found) {
  const bench::brusselator equations{points};
  std::vector<bench::contestant> runs;
  const ended peer = run_cvode(equations);
  const auto enter = [&](const char* name, auto run) {
    const ended found = run(equations);
    std::printf("  %-10s %5lld steps, off CVODE's end state by %.1e\n", name, found.steps, largest_difference(found.state, peer.state));
    runs.push_back({name, [=] { return bench::keep(run(equations)), 1LL; }});
  };
  std::printf("%zu points\n", points);
  enter("rodas5p", run_ours<ensue::rodas5p>);
  enter("esdirk4", run_ours<ensue::esdirk4>);
  enter("bdf", run_ours<ensue::bdf>);
  enter("cvode bdf", run_cvode);
  bench::alternate(runs, given.quick || points > 5000 ? 5 : 11);
  for (const bench::contestant& run : runs) {
    if (&run != &runs.back())
      found.add("brusselator-line", "Brusselator on a line of " + std::to_string(points) + " points, 1e-4, " + run.name + " / CVODE's BDF with its band",
                bench::ratios(run, runs.back()));
    std::printf("  %-10s %10.2f ms [%.2f, %.2f], %.2f us a point, / cvode %.3f\n", run.name.c_str(), bench::quantile(run.nanoseconds, 0.5) / 1e6,
                bench::quantile(run.nanoseconds, 0.25) / 1e6, bench::quantile(run.nanoseconds, 0.75) / 1e6,
                bench::quantile(run.nanoseconds, 0.5) / 1e3 / static_cast<double>(points), bench::quantile(bench::ratios(run, runs.back()), 0.5));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  bench::figures found(given);
  for (const std::size_t points : given.sizes({500, 5000, 50'000, 100'000}, {500, 5000})) measure(points, given, found);
}
