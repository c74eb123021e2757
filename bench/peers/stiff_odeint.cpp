/// odeint's rosenbrock4 with the problem's Jacobian: controlled, which stops at the output times, and with dense output.
#include "rosenbrock4.hpp"
#include "stiff.hpp"

#include <algorithm>

namespace bench {
namespace {

template <class Problem, class F> bool run(double rtol, double atol, bool interpolates, double* out) {
  constexpr std::size_t n = Problem::dimension;
  const rosenbrock4_problem p{
      n, Problem::start.data(), Problem::first_step, [](const double* x, double* dx) { F{}(0., x, dx); },
      [](const double* x, double* rows) {
        std::fill_n(rows, n * n, 0.);
        Problem::jacobian(x, [rows](std::size_t i, std::size_t k, double value) { rows[i * n + k] = value; });
      }};
  std::array<double, output_count + 1> times;
  for (int k = 0; k <= output_count; ++k) times[static_cast<std::size_t>(k)] = output_time<Problem>(k);
  run_rosenbrock4(p, rtol, atol, interpolates, times.data(), times.size(), out);
  return true;
}

template <class Problem> void enter(std::vector<entrant>& all, const char* method, bool interpolates) {
  all.push_back(make_entrant<Problem>("odeint", method, false, [interpolates](double rtol, double atol) {
    return prepared{[=](double* out) { return run<Problem, Problem>(rtol, atol, interpolates, out); },
                    [=] {
                      return count_evaluations(Problem::dimension, [&](double* out) {
                        return run<Problem, counted<Problem>>(rtol, atol, interpolates, out);
                      });
                    }};
  }));
}

}  // namespace

void enter_stiff_odeint(std::vector<entrant>& all) {
  for_each_stiff_problem([&]<class Problem>() {
    enter<Problem>(all, "rosenbrock4", false);
    enter<Problem>(all, "rosenbrock4 dense", true);
  });
}

}  // namespace bench
