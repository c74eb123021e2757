// Of `ensue verify`: where initial value problems end.
#include "published/end_states.hpp"
#include "published/stiff_problems.hpp"
#include "verified.hpp"

#include <ensue/models/detest.hpp>
#include <ensue/models/pleiades.hpp>
#include <ensue/registry.hpp>

#include <fmt/format.h>

#include <string>

namespace ensue::command {
namespace {

std::string end_of(std::string_view problem, double to) { return fmt::format("{}: state at t = {}", problem, to); }

template <template <class> class... Model> void add_nonstiff(std::vector<verified_row>& rows) {
  const auto add = [&]<class M>(const M& model) {
    const auto start = model.start();
    const auto run =
        find_method("vern9")->make(model, std::span(start.begin(), start.end()), 0, {.rtol = 1e-13, .atol = 1e-13});
    run->advance_to(model.span().to);
    rows.push_back(
        compared(end_of(model.name, model.span().to), end_state_of(model.name), run->state(), 1e-10, model.citation));
  };
  (add(Model<double>{}), ...);
}

void add_stiff(std::vector<verified_row>& rows) {
  for (const stiff_problem& problem : stiff_problems()) {
    constexpr double rtol = 1e-11;
    const auto run = find_method("radau")->make(stiff_model{&problem}, problem.start, 0,
                                                {.rtol = rtol, .atol = rtol * problem.least_size()});
    run->advance_to(problem.to);
    rows.push_back(compared(end_of(problem.file, problem.to), problem.end, run->state(), 2e-9,
                            problem.file.starts_with("detest")
                                ? "Enright & Pryce (1987), ACM TOMS 13, 28 (Algorithm 648)"
                                : "Mazzia & Magherini, Test Set for IVP Solvers, release 2.4",
                            problem.least_size()));
  }
}

}  // namespace

void add_end_states(std::vector<verified_row>& rows) {
  using namespace models;
  add_nonstiff<detest_a1, detest_a2, detest_a3, detest_a4, detest_a5, detest_b1, detest_b2, detest_b3, detest_b4,
               detest_b5, detest_d1, detest_d2, detest_d3, detest_d4, detest_d5, pleiades>(rows);
  add_stiff(rows);
}

}  // namespace ensue::command
