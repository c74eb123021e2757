#include "rosenbrock4.hpp"

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <utility>

namespace bench {
namespace {

namespace odeint = boost::numeric::odeint;
using vector = boost::numeric::ublas::vector<double>;
using matrix = boost::numeric::ublas::matrix<double>;

template <class Stepper>
void run(const Stepper& stepper, const rosenbrock4_problem& p, const double* times, std::size_t count, double* out) {
  vector x(p.dimension);
  std::copy(p.start, p.start + p.dimension, x.begin());
  const auto f = [&p](const vector& at, vector& dx, double) { p.f(&at[0], &dx[0]); };
  const auto derivatives = [&p](const vector& at, matrix& j, double, vector& by_time) {
    p.jacobian(&at[0], &j(0, 0));
    by_time.clear();
  };
  bool first = true;
  odeint::integrate_times(stepper, std::make_pair(f, derivatives), x, times, times + count, p.first_step,
                          [&](const vector& now, double) {
                            if (!first) out = std::copy(now.begin(), now.end(), out);
                            first = false;
                          });
}

}  // namespace

void run_rosenbrock4(const rosenbrock4_problem& p, double rtol, double atol, bool interpolates, const double* times,
                     std::size_t count, double* out) {
  using rosenbrock4 = odeint::rosenbrock4<double>;
  if (interpolates) run(odeint::make_dense_output<rosenbrock4>(atol, rtol), p, times, count, out);
  else run(odeint::make_controlled<rosenbrock4>(atol, rtol), p, times, count, out);
}

}  // namespace bench
