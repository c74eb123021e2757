/// Batches on the GPU that save states and stop at an event, and batches in which every trajectory has a span of its own.
/// Running it needs a GPU.
#include "device/device_memory.hpp"

#include <ensue/batch/cuda.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>

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

/// A body around a heavy one.
struct attraction {
  ENSUE_HD ENSUE_INLINE void operator()(double, const vec<double, 4>& u, vec<double, 4>& du) const {
    const double squared = u[0] * u[0] + u[1] * u[1], pull = -1 / (squared * sqrt(squared));
    du[0] = u[2];
    du[1] = u[3];
    du[2] = pull * u[0];
    du[3] = pull * u[1];
  }
};

/// Every trajectory has a span of its own: one orbit or three, which end where they began. One starts at NaN, and the span of
/// another is infinite.
void orbits() {
  std::vector<vec<double, 4>> start(many);
  std::vector<ensue::interval<double>> spans(many);
  for (std::size_t i = 0; i < many; ++i) {
    const double e = 0.5 * static_cast<double>(i) / many;
    start[i] = {1 + e, 0, 0, std::sqrt((1 - e) / (1 + e))};
    spans[i] = {0, 6.283185307179586 * (i % 61 == 0 ? 3 : 1)};
  }
  start[77][0] = none;
  spans[78].to = std::numeric_limits<double>::infinity();
  device_memory<vec<double, 4>> states(start);
  device_memory<ensue::interval<double>> each(spans);
  device_memory<ensue::device_ending> endings(many);
  const ensue::cuda_batch<double, 4, ensue::dp54, attraction> family{{}, {}, {.rtol = 1e-9, .atol = 1e-9}};
  check(family.advance(states.data, many, ensue::device_spans<double>(each.data), nullptr, endings.data));
  const auto end = states.get();
  const auto ended = endings.get();
  double worst = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const bool can_finish = i != 77 && i != 78;
    wrong += can_finish != (ended[i].how == ensue::outcome::finished) || (can_finish && ended[i].t != spans[i].to);
    for (int c = 0; can_finish && c < 4; ++c) worst = std::fmax(worst, std::fabs(end[i][c] - start[i][c]));
  }
  std::printf("orbits: %zu with another outcome; off by %.2g\n", wrong, worst);
  check(wrong == 0 && worst < 1e-5, "spans of one's own");
}

}  // namespace

int main() {
  stones();
  orbits();
  return verdict();
}
