#include "solve_report.hpp"

#include "clock.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ensue::command {
namespace {

constexpr std::size_t most_components_shown = 24, most_events_shown = 12;

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

using object = nlohmann::ordered_json;

/// A value under a name that is new: `to[name]` would search all the names before it.
void append(object& to, const std::string& name, object value) {
  to.get_ref<object::object_t&>().emplace_back(name, std::move(value));
}

std::string in_words(const watched_invariant& one) {
  std::string text = fmt::format("{} at the start, {} at the end, largest drift {:.3g}", one.seen.initial, one.seen.final, one.seen.largest);
  if (const drift_trend trend = one.seen.trend(); std::isfinite(trend.slope))
    text += fmt::format(", slope {:.2g} ± {:.1g}, swings by {:.2g}", trend.slope, trend.uncertainty, one.seen.oscillation());
  if (one.account)
    text += fmt::format("; physics {:+.6g}, events {:+.6g}, the method {:+.2g}", one.account->physics, one.account->events, one.by_method());
  return text;
}

object as_json(const watched_invariant& one) {
  const drift_trend trend = one.seen.trend();
  object all = {{"initial", one.seen.initial},
                {"final", one.seen.final},
                {"largest_drift", one.seen.largest},
                {"slope", trend.slope},
                {"slope_uncertainty", trend.uncertainty},
                {"oscillation", one.seen.oscillation()}};
  if (one.account)
    all["ledger"] = {{"physics", one.account->physics}, {"events", one.account->events}, {"method", one.by_method()}};
  return all;
}

std::string parts_in_words(const largest_distance& error) {
  if (!error.parts) return "";
  return fmt::format("; {:.2g} {}, off the curve by {:.2g}", std::abs(error.parts->late), error.parts->late < 0 ? "early" : "late",
                     error.parts->shape);
}

void add_parts(object& all, const std::string& prefix, const largest_distance& error) {
  if (!error.parts) return;
  all[prefix + "late"] = error.parts->late;
  all[prefix + "shape"] = error.parts->shape;
}

const std::string& event_name(const file_problem& problem, std::size_t i) { return problem.events[i].name; }

std::string unseen_in_words(const file_problem& problem, const run_result& run, const check_result& checked) {
  const unseen_change& one = checked.unseen;
  std::string text = fmt::format("{} stepped over a change of f: between t = {:.6g} and t = {:.6g} the slope of {} reaches {:.3g} (at t = {:.6g}), but "
                                 "is {:.3g} to {:.3g} where {} looked nearby",
                                 run.method->name, one.from, one.to, problem.names[one.component], one.reached, one.at, one.low, one.high,
                                 run.method->name);
  if (checked.unseen_count > 1) text += fmt::format(", and so in {}", plural(static_cast<std::int64_t>(checked.unseen_count) - 1, "other place"));
  return text + (checked.fixed_steps ? "; make its steps smaller (--step)" : "; limit its steps (max_step in [solver])");
}

object as_json(const file_problem& problem, const check_result& checked) {
  object all = {{"method", checked.method}, {"evaluations", checked.evaluations}, {"failed", checked.failed.empty() ? object() : object(checked.failed)}};
  all["events"] = object::array();
  for (const event_counts& each : checked.events)
    all["events"].push_back({{"name", event_name(problem, each.event)}, {"found", each.first}, {"found_by_check", each.second}});
  all["unseen_changes"] = {{"count", checked.unseen_count}};
  if (const unseen_change& one = checked.unseen; checked.unseen_count > 0)
    all["unseen_changes"]["largest"] = {{"from", one.from}, {"to", one.to}, {"component", problem.names[one.component]}, {"low", one.low}, {"high", one.high},
                                        {"reached", one.reached}, {"at", one.at}};
  return all;
}

}  // namespace

std::vector<std::string> findings_in_words(const file_problem& problem, const run_result& run, const check_result& checked) {
  std::vector<std::string> all;
  if (checked.unseen_count > 0) all.push_back(unseen_in_words(problem, run, checked));
  for (const event_counts& each : checked.events)
    all.push_back(fmt::format("event {} happened {}, {} in the second run", event_name(problem, each.event), plural(each.first, "time"),
                              plural(each.second, "time")));
  return all;
}

std::string ending_in_words(const file_problem& problem, const run_result& run) {
  std::string text = run.message;
  const std::int64_t component = run.ending.component;
  if (run.ending.how != outcome::finished && component >= 0 &&
      component < static_cast<std::int64_t>(problem.names.size()))
    text += fmt::format(" Component {} is {}.", component, problem.names[static_cast<std::size_t>(component)]);
  if (run.ending.event >= 0)
    text += fmt::format(" Event {} is {}.", run.ending.event,
                        event_name(problem, static_cast<std::size_t>(run.ending.event)));
  if (std::string fault = fault_of_clock(problem.from, run.t); !fault.empty() && run.as_asked()) {
    fault[0] = 'A';
    text += " " + fault + ".";
  }
  return text;
}

std::string summary(const file_problem& problem, const run_result& run, const std::optional<check_result>& checked) {
  std::string text;
  const auto line = [&]<class... A>(fmt::format_string<A...> format, A&&... values) {
    text += fmt::format(format, std::forward<A>(values)...) + '\n';
  };
  if (!problem.title.empty()) line("{}", problem.title);
  line("{}: {}", run.method->name, ending_in_words(problem, run));
  line("");

  const std::size_t shown = std::min(run.state.size(), most_components_shown);
  std::size_t width = 6;  // "events"
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, problem.names[i].size());
  for (const watched_invariant& one : run.invariants) width = std::max(width, one.name.size());
  line("  {:<{}}  {}", "t", width, run.t);
  for (std::size_t i = 0; i < shown; ++i) line("  {:<{}}  {}", problem.names[i], width, run.state[i]);
  if (shown < run.state.size()) line("  … and {} more; --json has all of them", run.state.size() - shown);
  line("");

  line("  {:<{}}  {}, {} rejected, {}, {}", "cost", width, plural(run.statistics.steps, "step"),
       run.statistics.rejected, plural(run.statistics.evaluations, "evaluation"), duration(run.seconds));
  if (run.statistics.jacobians > 0)
    line("  {:<{}}  {}, {}, {}", "", width, plural(run.statistics.jacobians, "Jacobian"),
         plural(run.statistics.factorizations, "factorisation"), plural(run.statistics.linear_solves, "linear solve"));
  for (std::size_t i = 0; i < std::min(run.events.size(), most_events_shown); ++i)
    line("  {:<{}}  {} at t = {}", i == 0 ? "events" : "", width, event_name(problem, run.events[i].event),
         run.events[i].t);
  if (run.events.size() > most_events_shown)
    line("  {:<{}}  … and {} more; --json has all of them", "", width, run.events.size() - most_events_shown);
  for (const watched_invariant& one : run.invariants)
    line("  {:<{}}  {}", one.name, width, in_words(one));
  if (run.error)
    line("  {:<{}}  largest {:.3g}, of {} at t = {:.6g}; {:.3g} at the end{}", "error", width, run.error->largest,
         problem.names[run.error->component], run.error->t, run.error->at_end, parts_in_words(*run.error));
  if (checked && checked->difference)
    line("  {:<{}}  error about {:.2g}, of {} at t = {:.6g}; {:.2g} at the end{}: by {} with tighter tolerances", "check",
         width, checked->difference->largest, problem.names[checked->difference->component], checked->difference->t,
         checked->difference->at_end, parts_in_words(*checked->difference), checked->method);
  else if (checked) line("  {:<{}}  the error could not be estimated: {}", "check", width, checked->failed);
  if (checked)
    for (const std::string& finding : findings_in_words(problem, run, *checked)) line("  {:<{}}  {}", "", width, finding);
  return text;
}

std::string json(const file_problem& problem, const run_result& run, const std::optional<check_result>& checked) {
  object state = object::object(), invariants = object::object(), events = object::array();
  for (std::size_t i = 0; i < run.state.size(); ++i) append(state, problem.names[i], run.state[i]);
  for (const watched_invariant& one : run.invariants) append(invariants, one.name, as_json(one));
  for (const happened_event& each : run.events)
    events.push_back({{"name", event_name(problem, each.event)}, {"t", each.t}});
  object all = {{"title", problem.title},
                {"method", run.method->name},
                {"outcome", run.out_of_memory ? "out of memory" : name_of(run.ending.how)},
                {"message", ending_in_words(problem, run)},
                {"t", run.t},
                {"state", std::move(state)},
                {"statistics",
                 {{"steps", run.statistics.steps},
                  {"rejected", run.statistics.rejected},
                  {"evaluations", run.statistics.evaluations},
                  {"jacobians", run.statistics.jacobians},
                  {"factorizations", run.statistics.factorizations},
                  {"linear_solves", run.statistics.linear_solves},
                  {"seconds", run.seconds}}},
                {"invariants", std::move(invariants)},
                {"events", std::move(events)}};
  if (run.error) {
    all["error"]["largest"] = run.error->largest;
    add_parts(all["error"], "largest_", *run.error);
  }
  if (run.ending.smallest_step_accepted) all["tolerance_kept"] = false;
  if (checked) all["error"]["estimate"] = checked->difference ? object(checked->difference->largest) : object();
  if (checked && checked->difference) add_parts(all["error"], "estimate_", *checked->difference);
  if (checked) all["check"] = as_json(problem, *checked);
  return all.dump(-1, ' ', false, object::error_handler_t::replace);
}

}  // namespace ensue::command
