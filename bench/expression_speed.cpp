/// What a problem file costs against the same problem compiled: Lorenz's equations, the whole solve, an
/// evaluation; for one trajectory and for an ensemble over lanes.
///
///     bench_expression_speed [--quick] [--into FOLDER] [rounds]
#include "figures.hpp"
#include "observed_run.hpp"
#include "problems/problem_file.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/registry.hpp>
#include <ensue/solve.hpp>

#include <stdexcept>

namespace {

constexpr const char* text = R"toml([parameters]
sigma = 10
rho = 28
beta = "8/3"
[state]
x = 1
y = 0
z = 0
[derivative]
x = "sigma*(y - x)"
y = "x*(rho - z) - y"
z = "x*y - beta*z"
)toml";

ensue::file_problem lorenz_file() {
  const ensue::problem_reading reading = ensue::read_problem(text);
  if (!reading.file) throw std::runtime_error(reading.errors[0].text("lorenz"));
  return std::move(*reading.file->make().problem);
}

// ---- one trajectory ----

const ensue::file_problem& problem() {
  static const ensue::file_problem made = lorenz_file();
  return made;
}
constexpr double end = 200;

template <class State> ensue::options<State> settings() { return {.rtol = 1e-6, .atol = 1e-9}; }

long long compiled() {
  const ensue::vec<double, 3> x{1, 0, 0};
  const auto run = ensue::solve(bench::lorenz{}, x, {0, end}, ensue::dp54{}, settings<ensue::vec<double, 3>>());
  bench::keep(run);
  return run.statistics.evaluations;
}

template <class F> long long by_name(const F& f) {
  const auto run = ensue::find_method("dp54")->make(f, problem().start, 0, settings<std::span<double>>());
  run->advance_to(end);
  bench::keep(*run);
  return run->statistics().evaluations;
}

/// As `ensue solve` does it: every accepted step is looked at.
long long by_command() {
  const auto run = ensue::command::run_observed(problem(), *ensue::find_method("dp54"), end,
                                                settings<std::span<double>>(), ensue::command::run_watch{});
  bench::keep(run);
  return run.statistics.evaluations;
}

// ---- an ensemble over lanes ----

/// Systems with ρ = 28 and starts of their own, to t = 10: the numbers of a pack are solved side by side.
template <int W, class F> long long lanes(const F& f) {
  using pack = ensue::pack<double, W>;
  using state = ensue::vec<pack, 3>;
  constexpr int systems = 512;
  long long evaluations = 0;
  for (int first = 0; first < systems; first += W) {
    state x{pack(1), pack(0), pack(0)};
    for (int l = 0; l < W; ++l) set_lane(x[1], l, 1e-3 * (first + l));
    const auto run = ensue::solve(f, x, {pack(0), pack(10)}, ensue::dp54{}, settings<state>());
    for (int l = 0; l < W; ++l) evaluations += static_cast<long long>(lane(run.statistics.evaluations, l));
    bench::keep(run);
  }
  return evaluations;
}

template <int W> struct lorenz_by_file {
  ensue::expression::evaluator<ensue::pack<double, W>> evaluator{problem().system.program()};
  void operator()(const auto& t, const auto& x, auto& dx) { evaluator.run(t, x.data(), dx.data()); }
};

template <int W> void compare_lanes(int rounds, bench::figures& found) {
  std::vector<bench::contestant> both = {{"compiled", [] { return lanes<W>(bench::lorenz{}); }},
                                         {"problem file", [] { return lanes<W>(lorenz_by_file<W>{}); }}};
  const std::string title = "dp54, 512 Lorenz systems to t = 10, " + std::to_string(W) + " lanes";
  bench::compare(title.c_str(), "evaluation and lane", both, 0, rounds);
  found.add("problem-file", "problem file, Lorenz in " + std::to_string(W) + " lanes, an evaluation, / compiled", bench::ratios(both[1], both[0]), "",
            W == 16 ? "<= 1.5" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given(argc, argv);
  const int rounds = given.rounds(41, 7);
  bench::figures found(given);
  std::vector<bench::contestant> solves = {{"compiled, ensue::solve", compiled},
                                           {"compiled, method by name", [] { return by_name(bench::lorenz{}); }},
                                           {"problem file, method by name", [] { return by_name(problem().system); }},
                                           {"problem file, as the command", by_command}};
  bench::compare("dp54, Lorenz to t = 200, tolerance 1e-6", "evaluation", solves, 0, rounds);
  found.add("problem-file", "problem file, Lorenz as the command solves it, an evaluation, / compiled", bench::ratios(solves[3], solves[0]), "",
            "<= 3");
  compare_lanes<8>(rounds, found);
  compare_lanes<16>(rounds, found);
  compare_lanes<32>(rounds, found);
}
