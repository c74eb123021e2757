/// The inner steps whose instructions are guarded: a handful of runs, each over a span and over twice that span, for tests/guards/instructions to
/// count under callgrind. The difference of the two has nothing of what a run does once.
///
/// Prints a line a loop: its name and the steps attempted (rejected ones included) over the one span and over the other. No function of the
/// C library's mathematics is called: those differ from machine to machine.
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/rk4.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/methods/explicit/vern9.hpp>
#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/models/stiff.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/methods/second_order/verlet.hpp>
#include <ensue/solve.hpp>

#include <cstdio>

/// Where callgrind is told to write down what it has counted.
extern "C" __attribute__((noinline)) void section_ends() { asm volatile(""); }

namespace {

using namespace ensue;

struct oscillator {
  template <class Q, class A> void acceleration(double, const Q& q, A& a) const { a[0] = -q[0]; }
  template <class X> void operator()(double, const X& x, X& dx) const { dx[0] = x[1], dx[1] = -x[0]; }
};

struct lorenz {
  template <class Time, class X> void operator()(const Time&, const X& u, X& du) const {
    du[0] = 10. * (u[1] - u[0]);
    du[1] = u[0] * (28. - u[2]) - u[1];
    du[2] = u[0] * u[1] - 8. / 3. * u[2];
  }
};

using lanes = pack<double, 4>;

/// How many steps were attempted, in a pack in all of its lanes.
template <class Run> long attempts_of(const Run& run) {
  const auto attempts = run.statistics.steps + run.statistics.rejected;
  if constexpr (requires { attempts[0]; }) {
    long sum = 0;
    for (int lane = 0; lane < lanes::width; ++lane) sum += static_cast<long>(attempts[lane]);
    return sum;
  } else {
    return static_cast<long>(attempts);
  }
}

template <class Method> long lorenz_by(double span, double tolerance) {
  return attempts_of(solve(lorenz{}, vec{1., 0., 0.}, {0, span}, Method{},
                           {.rtol = tolerance, .atol = tolerance, .first_step = 1e-3}));
}
template <class Method> long oscillator_by(double span) {
  return attempts_of(solve(oscillator{}, vec{1., 0.}, {0, span}, Method{}, {.step = 0.01}));
}
template <class Method> long orego_by(double span) {
  const models::orego<double> reaction;
  return attempts_of(solve(reaction, reaction.start(), {0, span}, Method{}, {.rtol = 1e-6, .atol = 1e-6}));
}

struct inner_loop {
  const char* name;
  long (*attempts)(double span);
  double span;
};

const inner_loop loops[] = {
    {"rk4 on the oscillator", oscillator_by<rk4>, 10},
    {"verlet on the oscillator", oscillator_by<verlet>, 10},
    {"dp54 on Lorenz", [](double span) { return lorenz_by<dp54>(span, 1e-6); }, 20},
    {"tsit5 on Lorenz", [](double span) { return lorenz_by<tsit5>(span, 1e-6); }, 20},
    {"vern9 on Lorenz", [](double span) { return lorenz_by<vern9>(span, 1e-9); }, 20},
    {"dp54 in four lanes on Lorenz",
     [](double span) {
       const vec<lanes, 3> start{lanes(1.), lanes(0.), lanes(0.)};
       return attempts_of(solve(lorenz{}, start, {lanes(0.), lanes(span)}, dp54{},
                                {.rtol = 1e-6, .atol = 1e-6, .first_step = lanes(1e-3)}));
     },
     20},
    {"rodas5p on OREGO", orego_by<rodas5p>, 360},
    {"bdf on OREGO", orego_by<bdf>, 360},
};

}  // namespace

int main() {
  constexpr int count = sizeof loops / sizeof *loops;
  long once[count], twice[count];
  section_ends();  // the start of the program
  for (int i = 0; i < count; ++i) {
    once[i] = loops[i].attempts(loops[i].span);
    section_ends();
    twice[i] = loops[i].attempts(2 * loops[i].span);
    section_ends();
  }
  for (int i = 0; i < count; ++i) std::printf("%s,%ld,%ld\n", loops[i].name, once[i], twice[i]);
}
