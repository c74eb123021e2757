/// odeint's rosenbrock4 with the problem's Jacobian: controlled, which stops at the output times, and with dense output. Its states are
/// uBLAS vectors, which are all that it takes.
#include "stiff.hpp"

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <utility>

namespace bench {
namespace {

namespace odeint = boost::numeric::odeint;
using vector = boost::numeric::ublas::vector<double>;
using matrix = boost::numeric::ublas::matrix<double>;

template <class F> struct right_hand_side {
  void operator()(const vector& x, vector& dx, double t) const { F{}(t, x, dx); }
};
template <class Problem> struct derivatives {
  void operator()(const vector& x, matrix& j, double, vector& by_time) const {
    j.clear();
    by_time.clear();
    Problem::jacobian(x, [&j](std::size_t i, std::size_t k, double value) { j(i, k) = value; });
  }
};

template <class Problem, class F, class Stepper> bool run(const Stepper& stepper, double* out) {
  std::array<double, output_count + 1> times;
  for (int k = 0; k <= output_count; ++k) times[static_cast<std::size_t>(k)] = output_time<Problem>(k);
  vector x(Problem::dimension);
  std::copy(Problem::start.begin(), Problem::start.end(), x.begin());
  bool first = true;
  odeint::integrate_times(stepper, std::make_pair(right_hand_side<F>{}, derivatives<Problem>{}), x, times.begin(), times.end(),
                          Problem::first_step, [&](const vector& now, double) {
                            if (!first) out = std::copy(now.begin(), now.end(), out);
                            first = false;
                          });
  return true;
}

template <class Problem, class Make> void enter(std::vector<entrant>& all, const char* method, Make make) {
  all.push_back(make_entrant<Problem>("odeint", method, false, [make](double rtol, double atol) {
    return prepared{[=](double* out) { return run<Problem, Problem>(make(rtol, atol), out); },
                    [=] {
                      return count_evaluations(Problem::dimension, [&](double* out) {
                        return run<Problem, counted<Problem>>(make(rtol, atol), out);
                      });
                    }};
  }));
}

}  // namespace

void enter_stiff_odeint(std::vector<entrant>& all) {
  for_each_stiff_problem([&]<class Problem>() {
    using rosenbrock = odeint::rosenbrock4<double>;
    enter<Problem>(all, "rosenbrock4", [](double rtol, double atol) { return odeint::make_controlled<rosenbrock>(atol, rtol); });
    enter<Problem>(all, "rosenbrock4 dense", [](double rtol, double atol) { return odeint::make_dense_output<rosenbrock>(atol, rtol); });
  });
}

}  // namespace bench
