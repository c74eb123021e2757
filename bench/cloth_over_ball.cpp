// Ten seconds of cloth that falls over a ball and on the ground, backward Euler at 1/60 s: whether its energy ever passes that of the start (contact and
// friction only take some), and whether one and two threads give the same bits; what the two cost. Argument: squares a side (28 without one).
#include "timing.hpp"

#include <ensue/methods/implicit/condensed.hpp>
#include <ensue/models/cloth.hpp>
#include <ensue/solve.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::models;

double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct result {
  std::vector<double> state;
  double highest_energy = 0, seconds = 0, processor_seconds = 0;  ///< of the calling thread
  bool finite = true;
};

result fall(const cloth_model& model, const std::vector<double>& start, unsigned threads) {
  result seen;
  const double before = wall_seconds(), spent = bench::thread_seconds();
  integrator sim{model, start, condensed_backward_euler{{.threads = threads}}, options<std::vector<double>>{.step = 1. / 60}};
  for (int frame = 0; frame < 600; ++frame) {
    if (sim.advance(1. / 60) != outcome::finished) {
      std::printf("%s\n", sim.message().c_str());
      break;
    }
    const double energy = model.energy(sim.state());
    seen.finite = seen.finite && std::isfinite(energy);
    seen.highest_energy = std::max(seen.highest_energy, energy);
  }
  seen.seconds = wall_seconds() - before, seen.processor_seconds = bench::thread_seconds() - spent;
  seen.state = sim.state();
  return seen;
}

}  // namespace

int main(int count, char** given) {
  const std::size_t squares = count > 1 ? static_cast<std::size_t>(std::atoi(given[1])) : 28;
  triangle_mesh mesh = sheet({.across = squares, .down = squares, .width = 1, .height = 1});
  for (point& each : mesh.positions) each = each + point{-0.5, 0.5, 0.8};
  const double particles = static_cast<double>(mesh.positions.size());
  const cloth_model model = cloth(mesh, {.young = 2e3, .damping = 0.002, .bending = 1e-3},
                                  {.grounds = {{{0, 0, 0}}}, .balls = {{{0, 0, 0.4}, 0.3}}, .touching = {2e4 / particles, 0.2, 0.05}});
  const std::vector<double> start = at_rest(mesh.positions);
  const result alone = fall(model, start, 1), together = fall(model, start, 2);
  for (const auto& [threads, seen] : {std::pair(1, &alone), std::pair(2, &together)})
    std::printf("%d threads: %.0f particles, %s, highest energy %.4f of %.4f at the start (%+.3f %%), at the end %.4f; %.1f s (first thread: %.1f)\n",
                threads, particles, seen->finite ? "all finite" : "NOT FINITE", seen->highest_energy, model.energy(start),
                100 * (seen->highest_energy / model.energy(start) - 1), model.energy(seen->state), seen->seconds, seen->processor_seconds);
  std::printf("the same bits: %s\n", alone.state == together.state ? "yes" : "NO");
}
