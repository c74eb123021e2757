/// Planets as device code: one CUDA thread an orbit, each with its own eccentricity, by methods for second-order systems. Run without arguments
/// it needs a GPU and compares every orbit with the same run on the host.
#include <ensue/methods/second_order/adaptive_verlet.hpp>
#include <ensue/methods/second_order/kahan_li8.hpp>
#include <ensue/methods/second_order/leapfrog.hpp>
#include <ensue/methods/second_order/rkn86.hpp>
#include <ensue/methods/second_order/verlet.hpp>
#include <ensue/solve.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct sun {
  ENSUE_HD void acceleration(double, const ensue::vec<double, 2>& q, ensue::vec<double, 2>& a) const {
    const double r2 = q[0] * q[0] + q[1] * q[1], pull = -1 / (r2 * sqrt(r2));
    a[0] = pull * q[0];
    a[1] = pull * q[1];
  }
};

struct answer {
  double state[4];
  ensue::outcome how;
};

template <class Method> ENSUE_HD answer orbit(int i, int n, double step) {
  const double e = 0.6 * i / n;
  const ensue::vec<double, 4> start{1 - e, 0., 0., sqrt((1 + e) / (1 - e))};
  const auto run = ensue::solve(sun{}, start, {0, 20}, Method{}, {.rtol = 1e-9, .atol = 1e-9, .step = step});
  return {{run.state[0], run.state[1], run.state[2], run.state[3]}, run.outcome};
}

template <class Method> __global__ void all_orbits(answer* answers, int n, double step) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) answers[i] = orbit<Method>(i, n, step);
}

/// Step 0: as long as the error allows. A bound on the difference: rounding, grown over three turns.
template <class Method> bool agrees(int n, double step, double bound) {
  answer* device = nullptr;
  std::vector<answer> answers(static_cast<std::size_t>(n));
  if (cudaMalloc(&device, sizeof(answer) * answers.size()) != cudaSuccess) return false;
  all_orbits<Method><<<(n + 127) / 128, 128>>>(device, n, step);
  if (cudaMemcpy(answers.data(), device, sizeof(answer) * answers.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  cudaFree(device);
  double worst = 0;
  for (int i = 0; i < n; i += 100) {
    const answer host = orbit<Method>(i, n, step), &there = answers[static_cast<std::size_t>(i)];
    if (there.how != ensue::outcome::finished || host.how != there.how) return false;
    for (int c = 0; c < 4; ++c) worst = std::fmax(worst, std::fabs(there.state[c] - host.state[c]));
  }
  std::printf("%s on the GPU, %d orbits: largest difference from the host %.3g\n", Method::name, n, worst);
  return worst <= bound;
}

}  // namespace

int main() {
  const bool good[] = {agrees<ensue::verlet>(100'000, 0.01, 1e-10), agrees<ensue::leapfrog>(100'000, 0.01, 1e-10),
                       agrees<ensue::adaptive_verlet>(100'000, 0.01, 1e-9), agrees<ensue::kahan_li8>(100'000, 0.1, 1e-10),
                       agrees<ensue::rkn86>(100'000, 0, 1e-7)};
  int passed = 0;
  for (const bool each : good) passed += each;
  std::printf("%d passed, %d failed\n", passed, 5 - passed);
  return passed == 5 ? 0 : 1;
}
