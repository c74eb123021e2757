/// The umbrella header in a file that nvcc compiles: an ensemble on the GPU, and explicit and implicit methods on the host.
/// Where there is no GPU this only has to compile without warnings.
#include "device/device_memory.hpp"

#include <ensue/ensue.hpp>
#include <ensue/batch/cuda.hpp>
#include <ensue/linear/preconditioners.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace {

using namespace device_test;
using ensue::vec;

/// x' = −p x
struct decay {
  template <class T> ENSUE_HD void operator()(T, const vec<T, 1>& x, vec<T, 1>& dx, const vec<T, 1>& p) const { dx[0] = -p[0] * x[0]; }
};

void ensemble_on_the_gpu() {
  constexpr std::size_t count = 1000;
  std::vector<vec<double, 1>> rates(count);
  for (std::size_t i = 0; i < count; ++i) rates[i][0] = static_cast<double>(i) / count;
  device_memory<vec<double, 1>> states(std::vector<vec<double, 1>>(count, vec<double, 1>{1.})), parameters(rates);
  const ensue::cuda_batch<double, 1, ensue::dp54, decay, 1> batch{{}, {}, {.rtol = 1e-9, .atol = 1e-9}};
  check(batch.advance(states.data, count, {0., 1.}, parameters.data));
  const auto ends = states.get();
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) worst = std::fmax(worst, std::fabs(ends[i][0] - std::exp(-rates[i][0])));
  check(worst < 1e-8, "the ensemble on the GPU");
}

struct pendulum {
  template <class X> ENSUE_HD void operator()(double, const X& x, X& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = -sin(x[0]);
  }
};

/// A pendulum that has swung for one period, which is 4 K(sin(1/2)).
template <class Method> void pendulum_on_the_host(const char* name, double step = 0) {
  const auto run = ensue::solve(pendulum{}, vec<double, 2>{1., 0.}, {0, 6.699975664370453}, Method{}, {.rtol = 1e-9, .atol = 1e-9, .step = step});
  check(run.finished() && std::fabs(run.state[0] - 1) < 1e-5 && std::fabs(run.state[1]) < 1e-5, name);
}

/// The matrices of particles use packs elsewhere and plain numbers here: their product and an inverse against those of a
/// matrix of single numbers.
void blocks_on_the_host() {
  using namespace ensue::linear;
  constexpr std::size_t particles = 3, n = 3 * particles;
  const std::vector<std::pair<std::size_t, std::size_t>> edges = {{0, 1}, {1, 2}};
  block_matrix3<double> a(particles, edges);
  double full[n][n] = {};
  const auto block = [&](std::size_t i, std::size_t j) -> block3<double>& { return i == j ? a.diagonal(i) : a.above(a.position(i, j)); };
  for (std::size_t i = 0; i < particles; ++i)
    for (std::size_t j = i; j < particles && j <= i + 1; ++j)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t low = i == j ? std::min(r, c) : r, high = i == j ? std::max(r, c) : c;
          const double element = i == j && r == c ? 10. + static_cast<double>(i) : 0.1 * static_cast<double>(1 + low + 2 * high + i);
          block(i, j)(r, c) = full[3 * i + r][3 * j + c] = full[3 * j + c][3 * i + r] = element;
        }
  std::vector<double> x(n), product(n), solved(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1. + static_cast<double>(i * i);
  a.multiply(x, product);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += full[i][j] * x[j];
    worst = std::fmax(worst, std::fabs(sum - product[i]));
  }
  check(worst < 1e-11, "a product of blocks on the host");

  // A block-diagonal matrix is inverted exactly by its own preconditioner, kept in floats here.
  block_matrix3<double> diagonal(particles, {});
  for (std::size_t i = 0; i < particles; ++i) diagonal.diagonal(i) = a.diagonal(i);
  block_jacobi<double, float> inverse(diagonal);
  check(inverse.factor(diagonal), "a block is positive definite");
  diagonal.multiply(x, product);
  inverse(product, solved);
  worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(solved[i] - x[i]) / x[i]);
  check(worst < 1e-5, "a block preconditioner on the host");
}

}  // namespace

int main() {
  pendulum_on_the_host<ensue::tsit5>("tsit5 on the host");
  pendulum_on_the_host<ensue::rodas5p>("rodas5p on the host");
  pendulum_on_the_host<ensue::esdirk4>("esdirk4 on the host");
  pendulum_on_the_host<ensue::radau>("radau on the host");
  pendulum_on_the_host<ensue::bdf>("bdf on the host");
  pendulum_on_the_host<ensue::gauss6>("gauss6 on the host", 0.01);
  blocks_on_the_host();
  ensemble_on_the_gpu();
  return verdict();
}
