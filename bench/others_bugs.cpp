/// The reports of tests/reliability/others_bugs_test.cpp, tried with Boost.odeint and SUNDIALS' CVODE (Debian's packages). A case that takes
/// more than 20 seconds hangs. bench/others_bugs.py does the same with libraries for Python.
///
///     bench_others_bugs
#include <boost/numeric/odeint.hpp>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using vector = std::vector<double>;
using field = std::function<void(const vector& x, vector& dx, double t)>;
using root_function = std::function<double(double t, const vector& x)>;
namespace odeint = boost::numeric::odeint;

/// In a process of its own. An empty answer: it passes.
void report(const char* name, const char* library, const std::function<std::string()>& try_it) {
  int ends[2];
  if (pipe(ends) != 0) return;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    std::string said;
    try {
      said = try_it();
    } catch (const std::exception& error) {
      said = std::string("throws: ") + error.what();
    }
    if (write(ends[1], said.data(), said.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string said(400, '\0');
  const ssize_t length = read(ends[0], said.data(), said.size());
  said.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) said = WTERMSIG(status) == SIGALRM ? "hangs" : "crashes with signal " + std::to_string(WTERMSIG(status));
  std::printf("%-28s %-22s %s\n", name, library, said.empty() ? "passes" : ("fails: " + said).c_str());
}

std::string unless(bool good, const char* format, double value) {
  char text[100];
  std::snprintf(text, sizeof text, format, value);
  return good ? "" : text;
}

/// One run of CVODE that stops at roots.
class cvode {
 public:
  cvode(field f, vector start, double t, double rtol, double atol, int method, root_function g = {}) : f_(std::move(f)), g_(std::move(g)), t(t) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(start.size());
    x_ = N_VNew_Serial(n, context_);
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(x_));
    memory_ = CVodeCreate(method, context_);
    CVodeInit(memory_, &derivative, t, x_);
    CVodeSStolerances(memory_, rtol, atol);
    CVodeSetUserData(memory_, this);
    CVodeSetMaxNumSteps(memory_, 10'000'000);
    matrix_ = SUNDenseMatrix(n, n, context_);
    CVodeSetLinearSolver(memory_, SUNLinSol_Dense(x_, matrix_, context_), matrix_);
    if (g_) CVodeRootInit(memory_, 1, &roots);
  }
  int to(double end) {
    CVodeSetStopTime(memory_, end);
    return CVode(memory_, end, x_, &t, CV_NORMAL);
  }
  int again() { return CVodeReInit(memory_, t, x_); }
  void set_max_step(double h) { CVodeSetMaxStep(memory_, h); }
  double operator[](std::size_t i) const { return N_VGetArrayPointer(x_)[i]; }

 private:
  static vector copy(N_Vector x) { return {N_VGetArrayPointer(x), N_VGetArrayPointer(x) + N_VGetLength(x)}; }
  static int derivative(realtype t, N_Vector x, N_Vector dx, void* self) {
    vector out(static_cast<std::size_t>(N_VGetLength(x)));
    static_cast<cvode*>(self)->f_(copy(x), out, t);
    std::copy(out.begin(), out.end(), N_VGetArrayPointer(dx));
    return 0;
  }
  static int roots(realtype t, N_Vector x, realtype* g, void* self) {
    *g = static_cast<cvode*>(self)->g_(t, copy(x));
    return 0;
  }

  field f_;
  root_function g_;
  SUNContext context_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  N_Vector x_ = nullptr;
  void* memory_ = nullptr;

 public:
  double t;
};

constexpr double pi = std::numbers::pi, a = 16, centre_end = 100, e = 0.9999;
void centre(const vector& w, vector& dw, double) { dw[0] = -w[0] * w[0] + w[1] * w[1] - a * a, dw[1] = -2 * w[0] * w[1]; }
std::string centre_error(double re, double im) {
  const double error = std::abs(std::complex(re, im) - a * std::tan(std::atan(std::complex<double>(0, 1.1)) - a * centre_end));
  return unless(error < 30 * 2e-7 * 2 * a * centre_end, "off by %.1e", error);
}
void kepler(const vector& x, vector& dx, double) {
  const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * std::sqrt(r2);
  dx[0] = x[2], dx[1] = x[3], dx[2] = -x[0] / r3, dx[3] = -x[1] / r3;
}
const vector kepler_start = {1 + e, 0, 0, std::sqrt((1 - e) / (1 + e))};
std::string energy_error(double x, double y, double u, double v) {
  const double energy = (u * u + v * v) / 2 - 1 / std::hypot(x, y);
  return unless(std::abs(energy + 0.5) < 1e-5, "energy %.6g for -0.5", energy);
}
void slope(const vector&, vector& dx, double) { dx[0] = 2 * pi / -35; }
void square(const vector& x, vector& dx, double) { dx[0] = x[0] * x[0]; }

void cvode_cases(int method, const char* name) {
  report("scipy #9228", name, [=] {
    cvode run([](const vector&, vector& dx, double t) { dx[0] = 3 * t * t + 12 * t - 4; }, {-120}, -8, 1e-3, 1e-6, method, [](double, const vector& x) { return x[0]; });
    int zeros = 0;
    while (run.to(4) == CV_ROOT_RETURN) ++zeros;
    return unless(zeros == 3, "%g of 3 zeros", zeros);
  });
  report("scipy #15262", name, [=] {
    constexpr double acceleration = 1.602176634e-19 / 9.1093837015e-31 * 1e9, distance = 1e-6;
    const double hit = std::sqrt(2 * distance / acceleration);
    cvode run([](const vector& x, vector& dx, double) { dx[0] = x[1], dx[1] = acceleration; }, {0, 0}, 0, 1e-6, 1e-12, method,
              [](double, const vector& x) { return x[0] - distance; });
    const int how = run.to(1.51 * hit);
    return how == CV_ROOT_RETURN ? unless(std::abs(run.t / hit - 1) < 1e-5, "time off by %.1e", std::abs(run.t / hit - 1)) : "no event";
  });
  report("diffrax #702", name, [=] {
    cvode run(centre, {0, 1.1 * a}, 0, 1e-8, 1e-8, method);
    return run.to(centre_end) < 0 ? "gives up" : centre_error(run[0], run[1]);
  });
  report("odeint #41", name, [=] {
    cvode run(slope, {0}, 0, 1e-5, 1e-6, method);
    return unless(run.to(-23.8) >= 0 && run.t == -23.8 && std::abs(run[0] - 2 * pi / 35 * 23.8) < 1e-12, "ends with %.17g", run[0]);
  });
  report("sundials #258", name, [=] {
    cvode run([](const vector& x, vector& dx, double) { dx[0] = -x[0]; }, {1}, 0, 1e-6, 1e-9, method, [](double, const vector& x) { return std::sqrt(x[0] - 0.5); });
    return run.to(2) < 0 ? "" : "not noticed";
  });
  report("sundials #722", name, [=] {
    cvode run([](const vector&, vector& dx, double t) { dx[0] = t - std::floor(t); }, {0}, 0, 1e-6, 1e-8, method,
              [](double t, const vector&) { return std::abs(std::fmod(t - 0.5, 2) - 1) - 0.5; });
    run.set_max_step(0.9);
    int jumps = 0, how = 0;
    while (run.t < 10 && (how = run.to(10)) == CV_ROOT_RETURN && jumps < 50) ++jumps, run.again();
    return how < 0 ? unless(false, "ends with code %g", how) : unless(std::abs(run[0] - 5) < 1.5e-3, "off by %.1e", std::abs(run[0] - 5));
  });
  report("rebound #546", name, [=] {
    cvode run(kepler, kepler_start, 0, 1e-12, 1e-14, method);
    return run.to(10 * pi) < 0 ? "gives up" : energy_error(run[0], run[1], run[2], run[3]);
  });
  report("torchdiffeq #27", name, [=] {
    cvode run(square, {1}, 0, 1e-6, 1e-9, method);
    const int how = run.to(2);
    return unless(how < 0 && std::abs(run.t - 1) < 1e-3, how < 0 ? "ended at %.6g" : "finished at %.6g", run.t);
  });
}

template <class Stepper> void odeint_cases(const char* name) {
  report("diffrax #702", name, [] {
    vector x = {0, 1.1 * a};
    odeint::integrate_adaptive(odeint::make_dense_output<Stepper>(1e-8, 1e-8), centre, x, 0., centre_end, 0.01);
    return centre_error(x[0], x[1]);
  });
  report("odeint #41", name, [] {
    vector x = {0};
    odeint::integrate_adaptive(odeint::make_dense_output<Stepper>(1e-6, 1e-5), slope, x, 0., -23.8, -23.8 / 100);
    return unless(std::abs(x[0] - 2 * pi / 35 * 23.8) < 1e-12, "ends with %.17g", x[0]);
  });
  report("rebound #546", name, [] {
    vector x = kepler_start;
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(1e-14, 1e-12), kepler, x, 0., 10 * pi, 0.01);
    return energy_error(x[0], x[1], x[2], x[3]);
  });
  report("torchdiffeq #27", name, [] {
    vector x = {1};
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(1e-9, 1e-6), square, x, 0., 2., 0.01);
    return unless(false, "finished with %.3g", x[0]);
  });
}

}  // namespace

int main() {
  std::printf("%-28s %-22s verdict\n", "report", "library");
  cvode_cases(CV_BDF, "CVODE, BDF");
  cvode_cases(CV_ADAMS, "CVODE, Adams");
  odeint_cases<odeint::runge_kutta_dopri5<vector>>("odeint, dopri5");
}
