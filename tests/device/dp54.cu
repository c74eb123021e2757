/// The library's own adaptive loop as device code: one CUDA thread a trajectory, each with its own ρ, steps and ending. Run
/// without arguments it needs a GPU and compares every trajectory with the same run on the host. The host takes a GPU's decisions
/// here, so that both take the same steps and only rounding differs.
#define ENSUE_AS_ON_A_GPU
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

template <class T> struct lorenz {
  T rho = 28;
  ENSUE_HD void operator()(T, const ensue::vec<T, 3>& u, ensue::vec<T, 3>& du) const {
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (rho - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8) / T(3) * u[2];
  }
};

struct answer {
  double state[3];
  long long evaluations;
  ensue::outcome how;
};

template <class T> ENSUE_HD answer trajectory(int i, int n, double rtol) {
  const auto run = ensue::solve(lorenz<T>{T(21) * T(i) / T(n)}, ensue::vec<T, 3>{T(1), T(0), T(0)}, {T(0), T(10)}, ensue::dp54{},
                                {.rtol = T(rtol), .atol = T(rtol)});
  return {{double(run.state[0]), double(run.state[1]), double(run.state[2])}, run.statistics.evaluations, run.outcome};
}

template <class T> __global__ void all_trajectories(answer* answers, int n, double rtol) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) answers[i] = trajectory<T>(i, n, rtol);
}

bool ok(cudaError_t error) {
  if (error != cudaSuccess) std::printf("CUDA: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

/// Largest difference from the host's runs; negative where something failed.
template <class T> double largest_difference(int n, double rtol, float& milliseconds) {
  answer* device = nullptr;
  std::vector<answer> answers(static_cast<std::size_t>(n));
  cudaEvent_t start, stop;
  if (!ok(cudaMalloc(&device, sizeof(answer) * answers.size())) || !ok(cudaEventCreate(&start)) || !ok(cudaEventCreate(&stop)))
    return -1;
  all_trajectories<T><<<(n + 127) / 128, 128>>>(device, n, rtol);
  cudaEventRecord(start);
  all_trajectories<T><<<(n + 127) / 128, 128>>>(device, n, rtol);
  cudaEventRecord(stop);
  if (!ok(cudaGetLastError()) || !ok(cudaDeviceSynchronize())) return -1;
  cudaEventElapsedTime(&milliseconds, start, stop);
  if (!ok(cudaMemcpy(answers.data(), device, sizeof(answer) * answers.size(), cudaMemcpyDeviceToHost))) return -1;
  double worst = 0;
  for (int i = 0; i < n; i += n > 10000 ? n / 10000 : 1) {
    const answer host = trajectory<T>(i, n, rtol);
    const answer& there = answers[static_cast<std::size_t>(i)];
    if (there.how != ensue::outcome::finished || host.how != ensue::outcome::finished) return -1;
    for (int c = 0; c < 3; ++c) worst = std::fmax(worst, std::fabs(there.state[c] - host.state[c]));
  }
  cudaFree(device);
  return worst;
}

}  // namespace

int main() {
  float milliseconds = 0;
  bool good = true;
  const double f64 = largest_difference<double>(1'000'000, 1e-6, milliseconds);
  std::printf("dp54 on the GPU, double, rtol 1e-6, 1e6 Lorenz systems: largest difference from the host %.3g, %.3f ms\n", f64, milliseconds);
  const double f32 = largest_difference<float>(1'000'000, 1e-4, milliseconds);
  std::printf("dp54 on the GPU, float, rtol 1e-4, 1e6 Lorenz systems: largest difference from the host %.3g, %.3f ms\n", f32, milliseconds);
  good = f64 >= 0 && f64 < 1e-3 && f32 >= 0;
  std::printf("%s\n", good ? "1 passed, 0 failed" : "0 passed, 1 failed");
  return good ? 0 : 1;
}
