/// What `ensue sculpt --backend cuda` runs: vertices of the host moved on the GPU, in parts, by each field and method, beside the same runs on the host;
/// and how long it takes with its copies. Needs a GPU.
#include "sculpting/cuda/sculpting.cu"
#include "device/device_memory.hpp"

#include <chrono>
#include <cmath>

namespace {

using namespace device_test;
using namespace ensue::models;
using ensue::interval, ensue::vec;

constexpr std::size_t count = 1'000'000;

tool_motion<float> moving(float x, float y) {
  const tool_pose<double> first{{x, y, 0.}, {1, 0, 0, 0}, 1, 0}, last{{x + 0.3, y + 0.1, 0.2}, {0.9238795325112867, 0.3826834323650898, 0, 0}, 1.2, 0.7};
  return tool_motion<float>::between(first, last);
}

/// Points of a cube around the start of the tools.
std::vector<vec<float, 3>> cube() {
  std::vector<vec<float, 3>> points(count);
  std::size_t number = 1;
  for (auto& each : points)
    for (float& x : each) x = static_cast<float>((number = number * 6364136223846793005u + 1442695040888963407u) >> 40) * 0x1p-24f * 0.6f - 0.3f;
  return points;
}

template <class Field> void beside_host(const char* title, const Field& field, ensue::gpu_sculpting_job<float> job) {
  const std::vector<vec<float, 3>> start = cube();
  std::vector<interval<float>> spans(count);
  for (std::size_t i = 0; i < count; ++i) spans[i] = {0.f, 0.7f * static_cast<float>(i % 11) / 10};
  for (const auto& [method, name] : {std::pair{ensue::sculpting_method::dp54, "dp54"}, std::pair{ensue::sculpting_method::bs32, "bs32"},
                                     std::pair{ensue::sculpting_method::tsit5, "tsit5"}}) {
    for (const bool each : {false, true}) {
      std::vector<vec<float, 3>> moved = start;
      job.vertices = moved;
      job.method = method;
      if (each) job.spans = spans;
      else job.spans = {0.f, 0.7f};
      const auto began = std::chrono::steady_clock::now();
      const ensue::batch_report report = ensue::sculpt_on_gpu(job);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      double worst = 0;
      for (std::size_t i = 0; i < count; i += 499) {
        const auto on_host = [&](const auto& with) { return ensue::solve(field, start[i], job.spans[i], with, job.settings).state; };
        const vec<float, 3> host = method == ensue::sculpting_method::dp54   ? on_host(ensue::dp54{})
                                   : method == ensue::sculpting_method::bs32 ? on_host(ensue::bs32{})
                                                                             : on_host(ensue::tsit5{});
        for (std::size_t c = 0; c < 3; ++c) worst = std::fmax(worst, std::fabs(static_cast<double>(host[c]) - static_cast<double>(moved[i][c])));
      }
      std::printf("%s, %s, %s: %.1f ms with copies, %zu of %zu finished, off the host's by %.2g m at most\n", title, name,
                  each ? "a span each" : "one span", 1e3 * seconds, report.finished, report.trajectories, worst);
      check(report.all_finished() && report.trajectories == count, "a vertex did not finish");
      check(worst < 2e-4, "vertices elsewhere than on the host");  // twice what is asked for: steps that one rejects the other may not
    }
  }
}

}  // namespace

int main() {
  if (const std::string why = ensue::why_no_cuda_device(); !why.empty()) {
    std::printf("%s\n", why.c_str());
    return 77;
  }
  const kelvinlet_settings body{.radius = 0.13};
  const kelvinlet_field<float, 1> one{{kelvinlet<float>(moving(0, 0), body)}};
  const kelvinlet_field<float, 2> two{{kelvinlet<float>(moving(0, 0), body), kelvinlet<float>(moving(-0.1f, 0.1f), body)}};
  affine_move<float, 2> affine;
  affine.tools[0] = moving(0, 0);
  ensue::options<vec<float, 3>> settings{.rtol = 0.f, .atol = 5e-6f};
  settings.first_step = 0.1f;
  settings.min_step = 1e-4f;
  settings.when_too_small = ensue::at_min_step::accept_and_mark;
  const ensue::gpu_sculpting_job<float> job{{}, {0.f, 0.7f}, ensue::sculpting_method::dp54, settings};
  ensue::gpu_sculpting_job<float> of_one = job, of_two = job, of_affine = job;
  of_one.one_kelvinlet = &one;
  of_two.two_kelvinlets = &two;
  of_affine.affine = &affine;
  beside_host("a Kelvinlet", one, of_one);
  beside_host("two Kelvinlets", two, of_two);
  beside_host("affine", affine, of_affine);
  return verdict();
}
