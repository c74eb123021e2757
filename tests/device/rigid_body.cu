/// Rigid bodies as device code: one CUDA thread a body, each with its own spin, turned by every method. Run without arguments it needs a GPU and
/// compares every body with the same run on the host. (Sines and arctangents differ there by an ulp, so to rounding, not to the bit.)
#include <ensue/models/rigid_body.hpp>
#include <ensue/methods/rotation/free_rotation.hpp>
#include <ensue/methods/rotation/lie_euler.hpp>
#include <ensue/methods/rotation/moser_veselov.hpp>
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/methods/rotation/rotation_splitting.hpp>
#include <ensue/solve.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using body = ensue::rotating_body<double>;

template <class Method> ENSUE_HD body turned(int i, int n) {
  const ensue::models::rigid_body<double> model{{0.3, 0.5, 0.9}, {}};
  const double angle = 3. * i / n;  // through both sides of the separatrix
  return ensue::solve(model, model.spinning({2 * cos(angle), 0.3, 2 * sin(angle)}), {0., 3.}, Method{}, {.step = 0.01}).state;
}

template <class Method> __global__ void turn_all(body* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = turned<Method>(i, n);
}

template <class Method> bool agrees() {
  constexpr int n = 1024;
  body* device = nullptr;
  if (cudaMalloc(&device, n * sizeof(body)) != cudaSuccess) return false;
  turn_all<Method><<<n / 64, 64>>>(device, n);
  std::vector<body> out(n);
  const cudaError_t copied = cudaMemcpy(out.data(), device, n * sizeof(body), cudaMemcpyDeviceToHost);
  cudaFree(device);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const body host = turned<Method>(i, n);
    for (int k = 0; k < 7; ++k) worst = std::fmax(worst, std::fabs(out[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] - host[static_cast<std::size_t>(k)]));
  }
  std::printf("%-20s %s, largest difference from the host %.1e\n", Method::name, cudaGetErrorString(copied), worst);
  return copied == cudaSuccess && worst <= 1e-11;
}

}  // namespace

int main() {
  bool good = agrees<ensue::lie_euler>();
  good = agrees<ensue::rkmk4>() && good;
  good = agrees<ensue::free_rotation>() && good;
  good = agrees<ensue::rotation_splitting>() && good;
  good = agrees<ensue::moser_veselov>() && good;
  return good ? 0 : 1;
}
