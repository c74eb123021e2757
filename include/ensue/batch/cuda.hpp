/// Many trajectories on a GPU, one thread each, on the library's own loop: the same system source as `batch` takes on the host.
///
///     #include <ensue/batch/cuda.hpp>                                        // compiled by nvcc -std=c++20 --expt-relaxed-constexpr
///     ensue::cuda_batch<float, 3, ensue::dp54, field> move{field{…}, {}, {.atol = 6e-6f, .rtol = 0.f}};
///     move.advance(states, count, {0.f, 1.f}, parameters, endings);          // pointers to the GPU's memory; on a stream
///
/// The system is called as f(t, x, dx), or f(t, x, dx, p) where there are parameters. Threads take trajectories in the order of their numbers, and a
/// warp ends with its slowest: neighbours should cost alike. A trajectory ends as on the host, with an outcome of its own, and none touches another.
#pragma once

#include <ensue/batch/trajectories.hpp>
#include <ensue/solve.hpp>

#if defined(__CUDACC__)

namespace ensue {

/// How a trajectory ended, on the GPU.
struct device_ending {
  outcome how = outcome::finished;
  bool smallest_step_accepted = false;
  int steps = 0, rejected = 0, evaluations = 0;
};

/// A system whose parameters are those of its thread.
template <class System, class T, std::size_t Parameters> struct system_of_thread {
  System system;
  vec<T, Parameters> p;
  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x, DX& dx) const { return system(t, x, dx, p); }
};
template <class System, class T> struct system_of_thread<System, T, 0> {
  System system;
  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x, DX& dx) const { return system(t, x, dx); }
};

template <class T, std::size_t N, std::size_t Parameters, class Method, class System>
__global__ void advance_each(System system, Method method, options<vec<T, N>> settings, interval<T> span, std::size_t count, vec<T, N>* states,
                             const vec<T, Parameters == 0 ? 1 : Parameters>* parameters, device_ending* endings) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  system_of_thread<System, T, Parameters> mine{system};
  if constexpr (Parameters > 0) mine.p = parameters[i];
  const auto run = solve(mine, states[i], span, method, settings);
  states[i] = run.state;
  if (endings)
    endings[i] = {run.outcome, run.ending[0].smallest_step_accepted, static_cast<int>(run.statistics.steps), static_cast<int>(run.statistics.rejected),
                  static_cast<int>(run.statistics.evaluations)};
}

/// A batch on the GPU that is current. T: float or double; N: components; Parameters: of each trajectory.
template <class T, std::size_t N, class Method, class System, std::size_t Parameters = 0> struct cuda_batch {
  static constexpr unsigned threads_of_block = 128;
  using parameter_row = vec<T, Parameters == 0 ? 1 : Parameters>;

  System system;
  Method method = {};
  options<vec<T, N>> settings = {};

  /// In place, without waiting for it. `parameters` and `endings`, one a trajectory, or null. All of it is the GPU's memory.
  cudaError_t advance(vec<T, N>* states, std::size_t count, const interval<T>& span, const parameter_row* parameters = nullptr,
                      device_ending* endings = nullptr, cudaStream_t stream = nullptr) const {
    if (count == 0) return cudaSuccess;
    const auto blocks = static_cast<unsigned>((count + threads_of_block - 1) / threads_of_block);
    advance_each<T, N, Parameters><<<blocks, threads_of_block, 0, stream>>>(system, method, settings, span, count, states, parameters, endings);
    return cudaGetLastError();
  }
};

}  // namespace ensue

#endif
