/// Many trajectories on a GPU, one thread each, on the library's own loop: the same system source as `batch` takes on the host.
///
///     #include <ensue/batch/cuda.hpp>                                        // compiled by nvcc -std=c++20 --expt-relaxed-constexpr
///     ensue::cuda_batch<float, 3, ensue::dp54, field> move{field{…}, {}, {.atol = 6e-6f, .rtol = 0.f}};
///     move.advance(states, count, {0.f, 1.f}, parameters, endings);          // pointers to the GPU's memory; on a stream
///
/// The system is called as f(t, x, dx), or f(t, x, dx, p) where there are parameters. Threads take trajectories in the order of
/// their numbers, and a warp waits for its slowest trajectory, so neighbours should cost alike. `advance_watched` saves the
/// state at given times and stops where an event's function crosses zero. Every trajectory ends as on the host, with an outcome
/// of its own, and does not affect the others.
#pragma once

// A method's table is a static constant. nvcc warns that it is memory of the host, even where it is only a template's argument.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20094
#endif

#include <ensue/batch/trajectories.hpp>
#include <ensue/output/root.hpp>
#include <ensue/solve.hpp>

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

#if defined(__CUDACC__)

namespace ensue {

/// How a trajectory ended, on the GPU.
struct device_ending {
  outcome how = outcome::finished;
  bool smallest_step_accepted = false;
  int steps = 0, rejected = 0, evaluations = 0;
  double t = 0;  ///< the time reached
};

/// The time span of all trajectories, or one a trajectory in the GPU's memory.
template <class T> struct device_spans {
  interval<T> all = {};
  const interval<T>* each = nullptr;

  device_spans(T from, T to) : all{from, to} {}
  device_spans(const interval<T>& one) : all(one) {}
  explicit device_spans(const interval<T>* one_a_trajectory) : each(one_a_trajectory) {}
  ENSUE_HD const interval<T>& operator[](std::size_t i) const { return each ? each[i] : all; }
};

/// What is watched along every trajectory. `event` is called as g(t, x), and the run ends at the first zero that g crosses. At the
/// times of `save_at`, in the order of the run, the state is written to `saved`, one row of `saves` states a trajectory. States
/// behind the end of a run are left as they were. All pointers are to the GPU's memory.
struct no_event {};
template <class T, std::size_t N, class Event = no_event> struct device_watch {
  Event event = {};
  const T* save_at = nullptr;
  std::size_t saves = 0;
  vec<T, N>* saved = nullptr;
};

/// A system with the parameters of its thread.
template <class System, class T, std::size_t Parameters> struct system_of_thread {
  System system;
  vec<T, Parameters> p;
  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x,
                                                                                 DX& dx) const {
    return system(t, x, dx, p);
  }
};
template <class System, class T> struct system_of_thread<System, T, 0> {
  System system;
  template <class Time, class X, class DX> ENSUE_HD ENSUE_INLINE auto operator()(const Time& t, const X& x,
                                                                                 DX& dx) const {
    return system(t, x, dx);
  }
};

namespace detail {

/// The system of trajectory i.
template <class T, std::size_t Parameters, class System>
ENSUE_HD system_of_thread<System, T, Parameters> system_of(const System& system,
                                                           const vec<T, Parameters == 0 ? 1 : Parameters>* parameters,
                                                           std::size_t i) {
  system_of_thread<System, T, Parameters> made{system};
  if constexpr (Parameters > 0) made.p = parameters[i];
  return made;
}

__device__ inline std::size_t number_of_thread() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }

template <class Statistics, class T> ENSUE_HD device_ending ending_of(const report& ended, const Statistics& spent,
                                                                      const T& t) {
  return {ended.how,
          ended.smallest_step_accepted,
          static_cast<int>(spent.steps),
          static_cast<int>(spent.rejected),
          static_cast<int>(spent.evaluations),
          static_cast<double>(t)};
}

}  // namespace detail

/// Threads of a block, and blocks that fit onto a multiprocessor at once. More threads hide latency, as long as a step still has its
/// registers. (H200, 10⁶ Lorenz systems: float 0.79 ms with 64 registers, 0.81 with 128; double 2.77 ms with 128, 2.83 with 168,
/// 2.91 with 96.)
inline constexpr unsigned threads_of_block = 128;
template <class T> inline constexpr unsigned blocks_at_once = sizeof(T) <= 4 ? 8 : 4;

/// For a kernel's arguments: their address can be taken in place. Without it every thread would copy an argument that it passes on
/// by reference.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define ENSUE_GRID_CONSTANT
#else
#define ENSUE_GRID_CONSTANT __grid_constant__
#endif

template <class T, std::size_t N, std::size_t Parameters, class Method, class System>
__global__ void __launch_bounds__(threads_of_block, blocks_at_once<T>)
    advance_each(const ENSUE_GRID_CONSTANT System system, const ENSUE_GRID_CONSTANT Method method, const ENSUE_GRID_CONSTANT options<vec<T, N>> settings,
                 const ENSUE_GRID_CONSTANT device_spans<T> spans, std::size_t count, vec<T, N>* states,
                 const vec<T, Parameters == 0 ? 1 : Parameters>* parameters, device_ending* endings) {
  const std::size_t i = detail::number_of_thread();
  if (i >= count) return;
  const auto run = solve(detail::system_of<T, Parameters>(system, parameters, i), states[i], spans[i], method, settings);
  states[i] = run.state;
  if (endings) endings[i] = detail::ending_of(run.ending[0], run.statistics, run.t);
}

namespace detail {

/// One trajectory that is watched.
template <class T, std::size_t N, class Integrator, class Event> class watched_run {
 public:
  ENSUE_HD watched_run(Integrator& sim, const device_watch<T, N, Event>& watch, vec<T, N>* saved)
      : sim_(sim), watch_(watch), saved_(saved) {}

  ENSUE_HD void run(const T& t_end) {
    forwards_ = t_end >= sim_.time();
    save_until(sim_.time());
    T value = value_at(sim_.time(), sim_.state());
    while (sim_.time() != t_end) {
      const T from = sim_.time();
      if (sim_.step_towards(t_end) != outcome::finished || sim_.time() == from) return;
      if (crosses(from, value)) return;
      save_until(sim_.time());
    }
  }

 private:
  static constexpr bool has_event = !std::is_same_v<Event, no_event>;
  static constexpr int intervals = 4;  // roots further apart than a quarter of the step are in different ones

  ENSUE_HD T value_at(const T& t, const vec<T, N>& x) const {
    if constexpr (has_event) return watch_.event(t, x);
    else return T(0);
  }
  ENSUE_HD T value_inside(const T& t) {
    sim_.interpolate(t, x_);
    return value_at(t, x_);
  }

  /// Whether g changes its sign in the last step, at whose start it was `value`. If so, the run has ended there.
  ENSUE_HD bool crosses(const T& from, T& value) {
    if constexpr (has_event) {
      const T to = sim_.time();
      T left = from;
      for (int k = 1; k <= intervals; ++k) {
        const T right = k == intervals ? to : from + (to - from) * (T(k) / T(intervals));
        const T there = k == intervals ? value_at(to, sim_.state()) : value_inside(right);
        if ((there > T(0) && value < T(0)) || (there < T(0) && value > T(0)) || (there == T(0) && value != T(0))) {
          const T root = there == T(0)
                             ? right
                             : find_root(left, value, right, there, [this](const T& t) { return value_inside(t); });
          save_until(root);
          sim_.interpolate(root, x_);
          sim_.set_state(root, x_);
          sim_.end_with(outcome::stopped_by_event, 0);
          return true;
        }
        if (there == there) value = there;
        left = right;
      }
    }
    return false;
  }

  ENSUE_HD void save_until(const T& t) {
    for (; next_ < watch_.saves && (forwards_ ? watch_.save_at[next_] <= t : watch_.save_at[next_] >= t); ++next_)
      sim_.interpolate(watch_.save_at[next_], saved_[next_]);
  }

  Integrator& sim_;
  const device_watch<T, N, Event>& watch_;
  vec<T, N>* saved_;
  vec<T, N> x_ = {};
  std::size_t next_ = 0;
  bool forwards_ = true;
};

}  // namespace detail

template <class T, std::size_t N, std::size_t Parameters, class Method, class System, class Event>
__global__ void __launch_bounds__(threads_of_block)
    advance_each_watched(System system, Method method, options<vec<T, N>> settings, device_spans<T> spans,
                         std::size_t count, vec<T, N>* states,
                         const vec<T, Parameters == 0 ? 1 : Parameters>* parameters, device_ending* endings,
                         device_watch<T, N, Event> watch) {
  const std::size_t i = detail::number_of_thread();
  if (i >= count) return;
  using thread_system = system_of_thread<System, T, Parameters>;
  const problem<thread_system, vec<T, N>> question{detail::system_of<T, Parameters>(system, parameters, i), states[i],
                                                   spans[i]};
  integrator<thread_system, vec<T, N>, Method> sim(question, method, settings);
  detail::watched_run<T, N, decltype(sim), Event>(sim, watch, watch.saved + i * watch.saves).run(spans[i].to);
  states[i] = sim.state();
  if (endings) endings[i] = detail::ending_of(sim.ending(), sim.statistics(), sim.time());
}

/// A batch on the current GPU. T: float or double; N: components; Parameters: how many each trajectory has.
template <class T, std::size_t N, class Method, class System, std::size_t Parameters = 0> struct cuda_batch {
  using parameter_row = vec<T, Parameters == 0 ? 1 : Parameters>;

  System system;
  Method method = {};
  options<vec<T, N>> settings = {};

  /// Advances the states in place and returns at once. `parameters` and `endings` have one element a trajectory, or are null.
  /// All pointers are to the GPU's memory.
  cudaError_t advance(vec<T, N>* states, std::size_t count, const device_spans<T>& spans,
                      const parameter_row* parameters = nullptr, device_ending* endings = nullptr,
                      cudaStream_t stream = nullptr) const {
    return launch(advance_each<T, N, Parameters, Method, System>, count, stream, system, method, settings, spans, count,
                  states, parameters, endings);
  }

  /// The same, with states saved on the way and an event that ends the run.
  template <class Event>
  cudaError_t advance_watched(vec<T, N>* states, std::size_t count, const device_spans<T>& spans,
                              const device_watch<T, N, Event>& watch, const parameter_row* parameters = nullptr,
                              device_ending* endings = nullptr, cudaStream_t stream = nullptr) const {
    return launch(advance_each_watched<T, N, Parameters, Method, System, Event>, count, stream, system, method, settings,
                  spans, count, states, parameters, endings, watch);
  }

 private:
  /// A thread a trajectory.
  template <class Kernel, class... Arguments>
  static cudaError_t launch(Kernel kernel, std::size_t count, cudaStream_t stream, const Arguments&... arguments) {
    if (count == 0) return cudaSuccess;
    const auto blocks = static_cast<unsigned>((count + threads_of_block - 1) / threads_of_block);
    kernel<<<blocks, threads_of_block, 0, stream>>>(arguments...);
    return cudaGetLastError();
  }
};

}  // namespace ensue

#endif
