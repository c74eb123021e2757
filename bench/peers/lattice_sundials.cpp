/// The net by ARKODE, explicit, and by CVODE, whose GMRES has the blocks of (1 − γ²K) on the diagonal as preconditioner.
#include "lattice.hpp"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

/// The vector they work with, and the net as their user data.
struct sundials_net {
  const hung_net& net;
  SUNContext context = nullptr;
  N_Vector vector = nullptr;
  std::vector<double> inverse;  ///< of the blocks

  explicit sundials_net(const hung_net& given) : net(given), inverse(9 * given.particles()) {
    SUNContext_Create(nullptr, &context);
    const std::vector<double> start = net.start();
    vector = N_VNew_Serial(static_cast<sunindextype>(start.size()), context);
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(vector));
  }
  sundials_net(const sundials_net&) = delete;
  sundials_net& operator=(const sundials_net&) = delete;
  ~sundials_net() {
    N_VDestroy(vector);
    SUNContext_Free(&context);
  }
  std::vector<double> positions() const {
    const double* const x = N_VGetArrayPointer(vector);
    return {x, x + 3 * net.particles()};
  }
  static const sundials_net& of(void* data) { return *static_cast<const sundials_net*>(data); }
};

int derivative(double, N_Vector x, N_Vector dx, void* data) {
  sundials_net::of(data).net.derivative(N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
  return 0;
}

/// The blocks 1 + γ²K_ii, inverted.
int set_up(double, N_Vector x, N_Vector, int, int* renewed, double gamma, void* data) {
  auto& own = *static_cast<sundials_net*>(data);
  std::vector<double>& m = own.inverse;
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = i % 9 % 4 == 0;
  const double* const q = N_VGetArrayPointer(x);
  const double scale = gamma * gamma * own.net.stiffness;
  for (const auto& s : own.net.springs) {
    double d[3], squared = 0;
    for (std::size_t c = 0; c < 3; ++c) d[c] = q[3 * s.first + c] - q[3 * s.second + c], squared += d[c] * d[c];
    const double slack = std::max(0., 1 - s.rest_length / std::sqrt(squared)), along = scale * (1 - slack) / squared;
    for (const std::size_t end : {s.first, s.second})
      for (std::size_t c = 0; c < 3; ++c) {
        m[9 * end + 4 * c] += scale * slack;
        for (std::size_t e = 0; e < 3; ++e) m[9 * end + 3 * c + e] += along * d[c] * d[e];
      }
  }
  for (std::size_t i = 0; i < own.net.particles(); ++i) {
    double* const b = m.data() + 9 * i;
    const double a00 = b[0], a01 = b[1], a02 = b[2], a11 = b[4], a12 = b[5], a22 = b[8];
    const double c0 = a11 * a22 - a12 * a12, c1 = a02 * a12 - a01 * a22, c2 = a01 * a12 - a02 * a11, whole = 1 / (a00 * c0 + a01 * c1 + a02 * c2);
    b[0] = whole * c0, b[1] = b[3] = whole * c1, b[2] = b[6] = whole * c2;
    b[4] = whole * (a00 * a22 - a02 * a02), b[5] = b[7] = whole * (a01 * a02 - a00 * a12), b[8] = whole * (a00 * a11 - a01 * a01);
  }
  *renewed = 1;
  return 0;
}

/// (x, v) from x − γv = r₁, v + γKx = r₂, with K's diagonal: v = (1 + γ²K)⁻¹(r₂ − γK r₁).
int precondition(double, N_Vector, N_Vector, N_Vector right, N_Vector z, double gamma, double, int, void* data) {
  const sundials_net& own = sundials_net::of(data);
  const std::size_t n = 3 * own.net.particles();
  const double *const r = N_VGetArrayPointer(right), *const m = own.inverse.data();
  double* const out = N_VGetArrayPointer(z);
  for (std::size_t i = 0; i < n / 3; ++i)
    for (std::size_t c = 0; c < 3; ++c) {  // γ(1 + γ²K)⁻¹K = ((1 − (1 + γ²K)⁻¹)/γ)
      double v = -r[3 * i + c] / gamma;
      for (std::size_t e = 0; e < 3; ++e) v += m[9 * i + 3 * c + e] * (r[n + 3 * i + e] + r[3 * i + e] / gamma);
      out[n + 3 * i + c] = v, out[3 * i + c] = r[3 * i + c] + gamma * v;
    }
  return 0;
}

constexpr long most_steps = 10'000'000;

/// From frame to frame.
template <class Advance> bool show_frames(double to, const Advance& advance) {
  const long frames = std::lround(to / hung_net::frame);
  for (long k = 1; k <= frames; ++k)
    if (advance(k == frames ? to : static_cast<double>(k) * hung_net::frame) < 0) return false;
  return true;
}

}  // namespace

std::vector<double> solve_net_by_arkode(const hung_net& net, double to, double tolerance) {
  sundials_net own(net);
  void* memory = ERKStepCreate(derivative, 0, own.vector, own.context);
  ERKStepSetErrFile(memory, nullptr);
  ERKStepSetTableNum(memory, ARKODE_BOGACKI_SHAMPINE_4_2_3);
  ERKStepSStolerances(memory, tolerance, tolerance * hung_net::spacing);
  ERKStepSetMaxNumSteps(memory, most_steps);
  ERKStepSetUserData(memory, &own);
  double t = 0;
  const bool finished = show_frames(to, [&](double wanted) { return ERKStepEvolve(memory, wanted, own.vector, &t, ARK_NORMAL); });
  ERKStepFree(&memory);
  return finished ? own.positions() : std::vector<double>();
}

std::vector<double> solve_net_by_cvode(const hung_net& net, double to, double tolerance) {
  sundials_net own(net);
  void* memory = CVodeCreate(CV_BDF, own.context);
  CVodeSetErrFile(memory, nullptr);
  CVodeInit(memory, derivative, 0, own.vector);
  CVodeSStolerances(memory, tolerance, tolerance * hung_net::spacing);
  CVodeSetMaxNumSteps(memory, most_steps);
  CVodeSetUserData(memory, &own);
  SUNLinearSolver linear = SUNLinSol_SPGMR(own.vector, SUN_PREC_LEFT, 20, own.context);
  CVodeSetLinearSolver(memory, linear, nullptr);
  CVodeSetPreconditioner(memory, set_up, precondition);
  double t = 0;
  const bool finished = show_frames(to, [&](double wanted) { return CVode(memory, wanted, own.vector, &t, CV_NORMAL); });
  CVodeFree(&memory);
  SUNLinSolFree(linear);
  return finished ? own.positions() : std::vector<double>();
}

}  // namespace bench
