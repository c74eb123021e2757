#include "solve_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ensue::command {
namespace {

constexpr std::size_t most_components_shown = 24;

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace

std::string ending_in_words(const file_problem& problem, const run_result& run) {
  std::string text = run.message;
  const std::int64_t component = run.ending.component;
  if (run.ending.how != outcome::finished && component >= 0 &&
      component < static_cast<std::int64_t>(problem.names.size()))
    text += fmt::format(" Component {} is {}.", component, problem.names[static_cast<std::size_t>(component)]);
  return text;
}

std::string summary(const file_problem& problem, const run_result& run) {
  std::string text;
  const auto line = [&]<class... A>(fmt::format_string<A...> format, A&&... values) {
    text += fmt::format(format, std::forward<A>(values)...) + '\n';
  };
  if (!problem.title.empty()) line("{}", problem.title);
  line("{}: {}", run.method->name, ending_in_words(problem, run));
  line("");

  const std::size_t shown = std::min(run.state.size(), most_components_shown);
  std::size_t width = 5;  // "error"
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, problem.names[i].size());
  for (const watched_invariant& one : run.invariants) width = std::max(width, one.name.size());
  line("  {:<{}}  {}", "t", width, run.t);
  for (std::size_t i = 0; i < shown; ++i) line("  {:<{}}  {}", problem.names[i], width, run.state[i]);
  if (shown < run.state.size()) line("  … and {} more; --json has all of them", run.state.size() - shown);
  line("");

  line("  {:<{}}  {}, {} rejected, {}, {}", "cost", width, plural(run.statistics.steps, "step"),
       run.statistics.rejected, plural(run.statistics.evaluations, "evaluation"), duration(run.seconds));
  for (const watched_invariant& one : run.invariants)
    line("  {:<{}}  {} at the start, {} at the end, largest drift {:.3g}", one.name, width, one.initial, one.final,
         one.largest_drift);
  if (run.error)
    line("  {:<{}}  largest {:.3g}, of {} at t = {:.6g}; {:.3g} at the end", "error", width, run.error->largest,
         problem.names[run.error->component], run.error->t, run.error->at_end);
  return text;
}

std::string json(const file_problem& problem, const run_result& run) {
  using object = nlohmann::ordered_json;
  object state = object::object(), invariants = object::object();
  for (std::size_t i = 0; i < run.state.size(); ++i) state[problem.names[i]] = run.state[i];
  for (const watched_invariant& one : run.invariants)
    invariants[one.name] = {{"initial", one.initial}, {"final", one.final}, {"largest_drift", one.largest_drift}};
  object all = {{"title", problem.title},
                {"method", run.method->name},
                {"outcome", name_of(run.ending.how)},
                {"message", ending_in_words(problem, run)},
                {"t", run.t},
                {"state", std::move(state)},
                {"statistics",
                 {{"steps", run.statistics.steps},
                  {"rejected", run.statistics.rejected},
                  {"evaluations", run.statistics.evaluations},
                  {"jacobians", 0},
                  {"factorizations", 0},
                  {"linear_solves", 0},
                  {"seconds", run.seconds}}},
                {"invariants", std::move(invariants)},
                {"events", object::array()}};
  if (run.error) all["error"] = {{"largest", run.error->largest}};
  return all.dump(-1, ' ', false, object::error_handler_t::replace);
}

}  // namespace ensue::command
