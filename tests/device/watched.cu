/// Batches on the GPU that are watched (save-at, an event that stops) and batches whose threads are refilled: the same as on the host, and what
/// refilling is worth where costs are very uneven. Needs a GPU.
#include "device/device_memory.hpp"

#include <ensue/batch/cuda.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using namespace device_test;
using ensue::vec;

constexpr std::size_t many = 100'000;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A stone thrown upwards: height and speed; p is the pull.
struct thrown {
  ENSUE_HD ENSUE_INLINE void operator()(double, const vec<double, 2>& x, vec<double, 2>& dx, const vec<double, 1>& p) const {
    dx[0] = x[1];
    dx[1] = -p[0];
  }
};
struct height {
  ENSUE_HD double operator()(double, const vec<double, 2>& x) const { return x[0]; }
};

/// Until it comes down to where it started from a height of 1, at t = (v + √(v² + 2p))/p, its height saved every tenth of a second.
void stones() {
  std::vector<vec<double, 2>> start(many);
  std::vector<vec<double, 1>> pull(many);
  for (std::size_t i = 0; i < many; ++i) {
    start[i] = {1, 10. * static_cast<double>(i) / many};
    pull[i] = {1 + 9. * static_cast<double>(i % 97) / 97};
  }
  start[5'000][1] = none;
  pull[5'001][0] = none;
  constexpr std::size_t saves = 30;
  std::vector<double> times(saves);
  for (std::size_t k = 0; k < saves; ++k) times[k] = 0.1 * static_cast<double>(k);
  device_memory<vec<double, 2>> states(start), saved(std::vector<vec<double, 2>>(many * saves, vec<double, 2>{none, none}));
  device_memory<vec<double, 1>> parameters(pull);
  device_memory<double> save_at(times);
  device_memory<ensue::device_ending> endings(many);
  const ensue::cuda_batch<double, 2, ensue::tsit5, thrown, 1> family{{}, {}, {.rtol = 1e-9, .atol = 1e-9}};
  const ensue::device_watch<double, 2, height> watch{{}, save_at.data, saves, saved.data};
  check(family.advance_watched(states.data, many, {0., 1e3}, watch, parameters.data, endings.data));
  const auto end = states.get(), rows = saved.get();
  const auto ended = endings.get();
  double worst_time = 0, worst_height = 0;
  std::size_t wrong = 0, wrongly_saved = 0;
  for (std::size_t i = 0; i < many; ++i) {
    if (i == 5'000 || i == 5'001) {
      wrong += ended[i].how != (i == 5'000 ? ensue::outcome::state_not_finite : ensue::outcome::derivative_not_finite);
      continue;
    }
    const double v = start[i][1], p = pull[i][0], down = (v + std::sqrt(v * v + 2 * p)) / p;
    wrong += ended[i].how != ensue::outcome::stopped_by_event;
    worst_time = std::fmax(worst_time, std::fabs(ended[i].t - down));
    worst_height = std::fmax(worst_height, std::fabs(end[i][0]));
    for (std::size_t k = 0; k < saves; ++k) {
      const double there = rows[i * saves + k][0], t = times[k];
      if (t > down + 1e-9) wrongly_saved += !std::isnan(there);
      else if (t < down - 1e-9) worst_height = std::fmax(worst_height, std::fabs(there - (1 + v * t - p * t * t / 2)));
    }
  }
  std::printf("stones: %zu with another outcome, %zu saved behind the end; times off by %.2g, heights by %.2g\n", wrong, wrongly_saved, worst_time,
              worst_height);
  check(wrong == 0 && wrongly_saved == 0 && worst_time < 1e-8 && worst_height < 1e-7, "events and saves");
}

/// A body around a heavy one: close passages cost many steps.
struct attraction {
  ENSUE_HD ENSUE_INLINE void operator()(double, const vec<double, 4>& u, vec<double, 4>& du) const {
    const double squared = u[0] * u[0] + u[1] * u[1], pull = -1 / (squared * sqrt(squared));
    du[0] = u[2];
    du[1] = u[3];
    du[2] = pull * u[0];
    du[3] = pull * u[1];
  }
};

/// So many orbits each, from one to a hundred, in an order without any: the same to the bit, refilled or not.
void orbits() {
  constexpr std::size_t count = 1'000'000;
  std::vector<vec<double, 4>> start(count);
  std::vector<ensue::interval<double>> spans(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i * 2'654'435'761u % 1'000'003u) / 1'000'003., e = 0.9 * share;
    start[i] = {1 + e, 0, 0, std::sqrt((1 - e) / (1 + e))};
    spans[i] = {0, 6.283185307179586 * (i % 61 == 0 ? 100 : 1)};
  }
  start[77][0] = none;
  spans[78].to = std::numeric_limits<double>::infinity();
  device_memory<vec<double, 4>> plain(start), refilled(start);
  device_memory<ensue::interval<double>> each(spans);
  device_memory<ensue::device_ending> plain_endings(count), refilled_endings(count);
  const ensue::cuda_batch<double, 4, ensue::dp54, attraction> family{{}, {}, {.rtol = 1e-6, .atol = 1e-6}};
  const ensue::device_spans<double> when(each.data);
  std::vector<float> ratios;
  float last[2] = {};
  for (int round = 0; round <= 7; ++round) {
    plain.set(start);
    refilled.set(start);
    last[0] = time_of([&] { check(family.advance(plain.data, count, when, nullptr, plain_endings.data)); });
    last[1] = time_of([&] { check(family.advance_refilling(refilled.data, count, when, nullptr, refilled_endings.data)); });
    if (round > 0) ratios.push_back(last[0] / last[1]);
  }
  const auto a = plain.get(), b = refilled.get();
  const auto ended = plain_endings.get(), refilled_ended = refilled_endings.get();
  std::size_t differing = 0, unfinished = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same_state = a[i] == b[i] || i == 77;
    differing += !same_state || ended[i].how != refilled_ended[i].how || ended[i].evaluations != refilled_ended[i].evaluations;
    unfinished += refilled_ended[i].how != ensue::outcome::finished;
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("orbits, 1 in 61 a hundred times as long: refilled %.2f times as fast (%.2f ms, %.2f without); %zu differ, %zu did not finish\n",
              ratios[ratios.size() / 2], last[1], last[0], differing, unfinished);
  check(differing == 0, "refilled trajectories differ");
  check(unfinished == 2, "those that cannot finish");
}

}  // namespace

int main() {
  stones();
  orbits();
  return verdict();
}
