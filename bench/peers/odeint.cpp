/// Boost.odeint as its experts call it: std::array states, everything inlined by force, integrate_times. A controlled stepper
/// stops at the output times, a dense one interpolates; where there are both, both run, and the better counts.
///
/// The first step is the caller's to give: the problem's. Bulirsch–Stoer allocates its tables when it is made, so it is made once.
#include "entrant.hpp"

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <memory>

namespace bench {
namespace {

namespace odeint = boost::numeric::odeint;

template <class Problem> using state_of = std::array<double, Problem::dimension>;

/// odeint calls f(x, dx, t).
template <class F> struct in_order {
  void operator()(const auto& x, auto& dx, double t) const { F{}(t, x, dx); }
};

template <class Problem, class F, class Stepper> bool run(Stepper stepper, double* out) {
  std::array<double, output_count + 1> times;
  for (int k = 0; k <= output_count; ++k) times[static_cast<std::size_t>(k)] = output_time<Problem>(k);
  auto x = Problem::start;
  bool first = true;
  odeint::integrate_times(stepper, in_order<F>{}, x, times.begin(), times.end(), Problem::first_step,
                          [&](const state_of<Problem>& now, double) {
                            if (!first) out = std::copy(now.begin(), now.end(), out);
                            first = false;
                          });
  return true;
}

template <class Problem, class Make> __attribute__((noinline, flatten)) bool run_inlined(Make make, double* out) {
  return run<Problem, Problem>(make(), out);
}

template <class Problem, class Make> void enter(std::vector<entrant>& all, const char* method, bool runge_kutta,
                                                Make make) {
  all.push_back(make_entrant<Problem>("odeint", method, runge_kutta, [make](double rtol, double atol) {
    const auto stepper = make(rtol, atol);
    return prepared{[=](double* out) { return run_inlined<Problem>(stepper, out); },
                    [=] {
                      return count_evaluations(Problem::dimension, [&](double* out) {
                        return run<Problem, counted<Problem>>(stepper(), out);
                      });
                    }};
  }));
}

/// A maker of steppers that are cheap to make.
template <class Stepper> auto controlled() {
  return [](double rtol, double atol) { return [=] { return odeint::make_controlled(atol, rtol, Stepper()); }; };
}

/// A maker of one stepper, used again.
template <class Stepper> auto once() {
  return [](double rtol, double atol) {
    return [stepper = std::make_shared<Stepper>(atol, rtol)] {
      stepper->reset();
      return std::ref(*stepper);
    };
  };
}

template <class Problem> void enter_problem(std::vector<entrant>& all) {
  using state = state_of<Problem>;
  using dopri5 = odeint::runge_kutta_dopri5<state>;
  enter<Problem>(all, "cash-karp54", true, controlled<odeint::runge_kutta_cash_karp54<state>>());
  enter<Problem>(all, "dopri5", true, controlled<dopri5>());
  enter<Problem>(all, "dopri5 dense", true, [](double rtol, double atol) {
    return [=] { return odeint::make_dense_output(atol, rtol, dopri5()); };
  });
  enter<Problem>(all, "fehlberg78", true, controlled<odeint::runge_kutta_fehlberg78<state>>());
  enter<Problem>(all, "bulirsch-stoer", false, once<odeint::bulirsch_stoer<state>>());
  enter<Problem>(all, "bulirsch-stoer dense", false, once<odeint::bulirsch_stoer_dense_out<state>>());
}

}  // namespace

void enter_odeint(std::vector<entrant>& all) {
  for_each_problem([&]<class Problem>() { enter_problem<Problem>(all); });
}

}  // namespace bench
