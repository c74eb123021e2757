/// Batches on the GPU: the Lorenz ensemble beside a kernel written by hand for it, in one program, and the bench case of sculpting. Run without
/// arguments it needs a GPU; it compares with the host and prints times as medians of alternating runs.
#include "device/device_memory.hpp"

#include <ensue/batch/cuda.hpp>
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/models/kelvinlet.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

using namespace device_test;
using ensue::vec;

template <class T> struct lorenz {
  ENSUE_HD ENSUE_INLINE void operator()(T, const vec<T, 3>& u, vec<T, 3>& du, const vec<T, 1>& p) const {
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (p[0] - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8) / T(3) * u[2];
  }
};

/// The same by hand: Dormand & Prince's pair for these three equations and nothing else, with the usual control.
template <class T> __global__ void lorenz_by_hand(vec<T, 3>* states, const vec<T, 1>* rho, std::size_t count, T t_end, T tolerance) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const T r = rho[i][0];
  const auto f = [r](const T* u, T* du) {
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (r - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8) / T(3) * u[2];
  };
  T x[3] = {states[i][0], states[i][1], states[i][2]}, k1[3], k2[3], k3[3], k4[3], k5[3], k6[3], k7[3], y[3];
  T t = 0, h = T(0.01);
  f(x, k1);
  for (int attempts = 0; t < t_end && attempts < 100000; ++attempts) {
    h = h < t_end - t ? h : t_end - t;
    for (int c = 0; c < 3; ++c) y[c] = x[c] + h * T(1. / 5) * k1[c];
    f(y, k2);
    for (int c = 0; c < 3; ++c) y[c] = x[c] + h * (T(3. / 40) * k1[c] + T(9. / 40) * k2[c]);
    f(y, k3);
    for (int c = 0; c < 3; ++c) y[c] = x[c] + h * (T(44. / 45) * k1[c] - T(56. / 15) * k2[c] + T(32. / 9) * k3[c]);
    f(y, k4);
    for (int c = 0; c < 3; ++c)
      y[c] = x[c] + h * (T(19372. / 6561) * k1[c] - T(25360. / 2187) * k2[c] + T(64448. / 6561) * k3[c] - T(212. / 729) * k4[c]);
    f(y, k5);
    for (int c = 0; c < 3; ++c)
      y[c] = x[c] + h * (T(9017. / 3168) * k1[c] - T(355. / 33) * k2[c] + T(46732. / 5247) * k3[c] + T(49. / 176) * k4[c] - T(5103. / 18656) * k5[c]);
    f(y, k6);
    for (int c = 0; c < 3; ++c)
      y[c] = x[c] + h * (T(35. / 384) * k1[c] + T(500. / 1113) * k3[c] + T(125. / 192) * k4[c] - T(2187. / 6784) * k5[c] + T(11. / 84) * k6[c]);
    f(y, k7);
    T sum = 0;
    for (int c = 0; c < 3; ++c) {
      const T error = h * (T(71. / 57600) * k1[c] - T(71. / 16695) * k3[c] + T(71. / 1920) * k4[c] - T(17253. / 339200) * k5[c] + T(22. / 525) * k6[c] -
                           T(1. / 40) * k7[c]);
      const T e = error / (tolerance + tolerance * fmax(fabs(x[c]), fabs(y[c])));
      sum += e * e;
    }
    const T norm = sqrt(sum / T(3));
    if (norm <= T(1)) {
      t += h;
      for (int c = 0; c < 3; ++c) x[c] = y[c], k1[c] = k7[c];
    }
    h *= fmin(T(5), fmax(T(0.2), T(0.9) * pow(norm, T(-0.2))));
  }
  for (int c = 0; c < 3; ++c) states[i][c] = x[c];
}

float median(std::vector<float> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

template <class Kernel> void describe(const char* name, Kernel kernel, int block) {
  cudaFuncAttributes found{};
  check(cudaFuncGetAttributes(&found, kernel));
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
  std::printf("    %-10s %d registers, %zu bytes of local memory, %d of 64 warps at most\n", name, found.numRegs, found.localSizeBytes, blocks * block / 32);
}

constexpr std::size_t million = 1'000'000;
constexpr int rounds = 15;

template <class T> void lorenz_ensemble(const char* type, double tolerance) {
  std::vector<vec<T, 3>> start(million, vec<T, 3>{T(1), T(0), T(0)});
  std::vector<vec<T, 1>> rho(million);
  for (std::size_t i = 0; i < million; ++i) rho[i][0] = T(21) * static_cast<T>(i) / static_cast<T>(million);
  device_memory<vec<T, 3>> states(start), by_hand(start);
  device_memory<vec<T, 1>> parameters(rho);
  device_memory<ensue::device_ending> endings(million);
  const ensue::options<vec<T, 3>> settings{.rtol = T(tolerance), .atol = T(tolerance), .first_step = T(0.01)};  // as by hand
  const ensue::cuda_batch<T, 3, ensue::dp54, lorenz<T>, 1> family{{}, {}, settings};
  const auto ours = [&] { check(family.advance(states.data, million, {T(0), T(10)}, parameters.data, endings.data)); };
  const auto hand = [&] { lorenz_by_hand<T><<<(million + 127) / 128, 128>>>(by_hand.data, parameters.data, million, T(10), T(tolerance)); };
  std::vector<float> times, times_by_hand, ratios;
  for (int r = 0; r <= rounds; ++r) {
    states.set(start);
    by_hand.set(start);
    const float mine = time_of(ours), his = time_of(hand);
    if (r == 0) continue;  // the first one warms up
    times.push_back(mine);
    times_by_hand.push_back(his);
    ratios.push_back(mine / his);
  }
  const auto result = states.get(), result_by_hand = by_hand.get();
  const auto ended = endings.get();
  double evaluations = 0, worst = 0, worst_by_hand = 0;
  std::size_t unfinished = 0;
  for (const auto& e : ended) evaluations += e.evaluations, unfinished += e.how != ensue::outcome::finished;
  for (std::size_t i = 0; i < million; i += 997) {  // true errors, against a tight run on the host
    const ensue::system_of_thread<lorenz<double>, double, 1> exact{{}, {double(rho[i][0])}};
    const auto run = ensue::solve(exact, vec<double, 3>{1., 0., 0.}, {0, 10}, ensue::dp54{}, {.rtol = 1e-11, .atol = 1e-11});
    for (int c = 0; c < 3; ++c) {
      worst = std::fmax(worst, std::fabs(double(result[i][c]) - run.state[c]));
      worst_by_hand = std::fmax(worst_by_hand, std::fabs(double(result_by_hand[i][c]) - run.state[c]));
    }
  }
  std::printf("Lorenz, 1e6 systems, %s, tolerance %.0e: %.3f ms, by hand %.3f ms, ratio %.3f; %.1f evaluations; largest error %.2g, by hand %.2g\n", type,
              tolerance, median(times), median(times_by_hand), median(ratios), evaluations / million, worst, worst_by_hand);
  describe("ensue", ensue::advance_each<T, 3, 1, ensue::dp54, lorenz<T>>, 128);
  describe("by hand", lorenz_by_hand<T>, 128);
  check(unfinished == 0, "a Lorenz system did not finish");
  check(worst < 20 * worst_by_hand + 100 * tolerance, "errors larger than those of the kernel by hand");
}

/// One bad trajectory in ten thousand: the others are the same to the bit.
void poisoned() {
  std::vector<vec<double, 3>> start(100'000, vec<double, 3>{1., 0., 0.});
  std::vector<vec<double, 1>> rho(start.size());
  for (std::size_t i = 0; i < rho.size(); ++i) rho[i][0] = 21. * static_cast<double>(i) / static_cast<double>(rho.size());
  const ensue::cuda_batch<double, 3, ensue::dp54, lorenz<double>, 1> family{{}, {}, {.rtol = 1e-6, .atol = 1e-6}};
  device_memory<vec<double, 1>> parameters(rho);
  device_memory<vec<double, 3>> sound(start);
  check(family.advance(sound.data, start.size(), {0, 10}, parameters.data));
  for (std::size_t i = 5'000; i < start.size(); i += 10'000) start[i][1] = std::numeric_limits<double>::quiet_NaN();
  device_memory<vec<double, 3>> states(start);
  device_memory<ensue::device_ending> endings(start.size());
  check(family.advance(states.data, start.size(), {0, 10}, parameters.data, endings.data));
  const auto expected = sound.get(), got = states.get();
  const auto ended = endings.get();
  std::size_t changed = 0, wrong = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (i % 10'000 == 5'000) wrong += ended[i].how != ensue::outcome::state_not_finite;
    else changed += !(got[i] == expected[i]);
  }
  std::printf("poisoned, 1 in 1e4: %zu neighbours changed, %zu with another outcome\n", changed, wrong);
  check(changed == 0 && wrong == 0, "poisoned trajectories");
}

/// The bench case of sculpting: stroke test0 from its first to its last pose, radius 0.12966501712799072 m.
template <class Method> void sculpting(const char* name, bool push) {
  using namespace ensue::models;
  const tool_pose<double> first{{-0.30997955799102783, 0.6536732912063599, 1.3561406135559082},
                                {0.277439683675766, 0.4599193036556244, -0.4689217507839203, 0.7011517882347107}, 1, 332.71649169921875};
  const tool_pose<double> last{{0.037121180444955826, 0.8188745379447937, 1.7633850574493408},
                               {0.7136557698249817, 0.512749969959259, -0.47492924332618713, 0.047170668840408325}, 1, 333.4386901855469};
  const kelvinlet_settings body{.radius = 0.12966501712799072};
  const auto tool = tool_motion<float>::between(first, last);
  const auto exact_tool = tool_motion<double>::between(first, last);
  const kelvinlet_field<float, 1> field{{kelvinlet<float>(tool, body)}};
  const kelvinlet_field<double, 1> exact{{kelvinlet<double>(exact_tool, body)}};
  const double way[3] = {last.position[0] - first.position[0], last.position[1] - first.position[1], last.position[2] - first.position[2]};
  const double length = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), side = push ? 0.15 : -0.15;
  std::vector<vec<float, 3>> start(million);
  for (std::size_t i = 0; i < million; ++i) {  // a Fibonacci sphere
    const double z = 1 - (2. * static_cast<double>(i) + 1) / static_cast<double>(million), around = std::sqrt(1 - z * z);
    const double angle = 2 * 3.14159265358979323846 * (1 - 0.61803398874989485) * static_cast<double>(i);
    const double point[3] = {around * std::cos(angle), around * std::sin(angle), z};
    for (int c = 0; c < 3; ++c) start[i][c] = static_cast<float>(first.position[c] + side * way[c] / length + 0.15 * point[c]);
  }
  const float duration = tool.duration;
  constexpr bool bs32 = std::is_same_v<Method, ensue::bs32>, dp54 = std::is_same_v<Method, ensue::dp54>;
  ensue::options<vec<float, 3>> settings{.rtol = 0.f, .atol = 1.3e-4f / (dp54 ? 25 : 20)};  // nearly as in src/sculpting/sculpting.cpp
  settings.first_step = (bs32 ? 0.05f : 0.2f) * duration;
  settings.control.keep = bs32 || dp54 ? 1.2 : 1.7;
  if (bs32) settings.control.safety = 0.85;
  settings.min_step = 1e-4f * duration;
  settings.when_too_small = ensue::at_min_step::accept_and_mark;
  const ensue::cuda_batch<float, 3, Method, kelvinlet_field<float, 1>> move{field, {}, settings};
  device_memory<vec<float, 3>> states(start);
  device_memory<ensue::device_ending> endings(million);
  std::vector<float> times;
  for (int r = 0; r <= rounds; ++r) {
    states.set(start);
    const float mine = time_of([&] { check(move.advance(states.data, million, {0.f, duration}, nullptr, endings.data)); });
    if (r > 0) times.push_back(mine);
  }
  const auto moved = states.get();
  const auto ended = endings.get();
  double evaluations = 0, rejected = 0, worst = 0;
  std::size_t marked = 0, unfinished = 0;
  for (const auto& e : ended)
    evaluations += e.evaluations, rejected += e.rejected, marked += e.smallest_step_accepted, unfinished += e.how != ensue::outcome::finished;
  for (std::size_t i = 0; i < million; i += 50) {
    const auto run = ensue::solve(exact, vec<double, 3>{start[i][0], start[i][1], start[i][2]}, {0, exact_tool.duration}, ensue::dp54{},
                                  {.rtol = 1e-11, .atol = 1e-11});
    double squared = 0;
    for (int c = 0; c < 3; ++c) squared += (run.state[c] - double(moved[i][c])) * (run.state[c] - double(moved[i][c]));
    worst = std::fmax(worst, std::sqrt(squared));
  }
  const float milliseconds = median(times);
  std::printf("sculpting, %s, %s, 1e6 vertices: %.3f ms, %.2f Gvertices/s; %.1f evaluations, %.3f rejected; worst of 20000 errors %.3g m; %zu marked\n", name,
              push ? "push" : "pull", milliseconds, 1e-6 * static_cast<double>(million) / milliseconds, evaluations / million, rejected / million, worst, marked);
  describe(name, ensue::advance_each<float, 3, 0, Method, kelvinlet_field<float, 1>>, 128);
  check(unfinished == 0, "a vertex did not finish");
  check(worst < 2.6e-4, "a vertex is further off than twice what was asked for");
}

}  // namespace

int main() {
  lorenz_ensemble<float>("f32", 1e-4);
  lorenz_ensemble<float>("f32", 1e-6);
  lorenz_ensemble<double>("f64", 1e-6);
  lorenz_ensemble<double>("f64", 1e-8);
  poisoned();
  for (const bool push : {false, true}) {
    sculpting<ensue::dp54>("dp54", push);
    sculpting<ensue::bs32>("bs32", push);
    sculpting<ensue::tsit5>("tsit5", push);
  }
  return verdict();
}
