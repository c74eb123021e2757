// Gravity among 4096 bodies, n² interactions of 20 flops each, against the rate at which this machine multiplies and adds, in one program, alternating;
// in double and in float.
//
//     bench_n_body [--quick] [--into FOLDER]
#include "figures.hpp"
#include "timing.hpp"

#include <ensue/models/n_body.hpp>
#include <ensue/numbers/pack.hpp>

#include <cstdio>
#include <span>
#include <vector>

namespace {

constexpr std::size_t bodies = 4096;
constexpr long long interactions = static_cast<long long>(bodies) * static_cast<long long>(bodies);
constexpr double flops_an_interaction = 20;

/// x = a·x + b in so many registers that none waits for itself; two flops each.
template <class T> long long multiply_and_add() {
  using lanes = ensue::pack<T, 16>;
  constexpr int registers = 12, rounds = 1'000'000;
  lanes x[registers], a(T(0.999)), b(T(0.001));
  for (int r = 0; r < registers; ++r) x[r] = lanes(T(r));
  for (int i = 0; i < rounds; ++i)
    for (int r = 0; r < registers; ++r) x[r] = a * x[r] + b;
  lanes sum = x[0];
  for (int r = 1; r < registers; ++r) sum = sum + x[r];
  bench::keep(sum);
  return 2LL * 16 * registers * rounds;
}

template <class T> void measure(const char* name, const bench::arguments& given, bench::figures& found) {
  std::vector<T> masses(bodies, T(1)), q(3 * bodies), a(3 * bodies);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<T>((i * 7919) % 10007) / T(10007);
  const ensue::models::n_body<T> model(masses, {.softening = 1e-3});
  std::vector<bench::contestant> runs;
  runs.push_back({"multiply and add", [] { return multiply_and_add<T>(); }});
  runs.push_back({"n bodies", [&] {
                    std::span<T> out(a);
                    model.acceleration(0., std::span<const T>(q), out);
                    bench::keep(a);
                    return interactions;
                  }});
  bench::alternate(runs, given.rounds(31, 15));
  std::vector<double> parts;
  for (std::size_t r = 0; r < runs[0].nanoseconds.size(); ++r) parts.push_back(flops_an_interaction / runs[1].nanoseconds[r] * runs[0].nanoseconds[r]);
  std::printf("%-6s peak %.1f Gflop/s; %.2f ns an interaction, %.1f Gflop/s: %.0f %% of the peak [%.0f, %.0f]\n", name,
              1 / bench::quantile(runs[0].nanoseconds, 0.5), bench::quantile(runs[1].nanoseconds, 0.5),
              flops_an_interaction / bench::quantile(runs[1].nanoseconds, 0.5), 100 * bench::quantile(parts, 0.5), 100 * bench::quantile(parts, 0.25),
              100 * bench::quantile(parts, 0.75));
  found.add("n-body", std::string("gravity of 4096 bodies, ") + name + ", 20 flops an interaction, / the rate of multiply and add", parts, "",
            sizeof(T) == 8 ? ">= 0.25" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  bench::figures found(given);
  measure<double>("double", given, found);
  measure<float>("float", given, found);
}
